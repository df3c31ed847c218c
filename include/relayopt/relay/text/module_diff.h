// What is different between two modules, by structure: how values are numbered and variables are called does not count.
#pragma once

#include <string>
#include <vector>

#include "relayopt/module/module.h"

namespace relayopt {

enum class DiffKind : uint8_t { kSame, kRemoved, kAdded, kChanged };

// Something about an expression that is not as it was.
struct DiffDetail {
  // `attribute padding`, `type`, `operand 1`, `binding`.
  std::string what;
  // Empty where there was, or is, none.
  std::string before;
  std::string after;
};

// An expression of either module, or one of each that correspond.
struct ExprDiff {
  DiffKind kind = DiffKind::kSame;
  // Its text, as the printer writes it; empty on the side where it is not, and for what has no text of its own.
  std::string before;
  std::string after;
  // Of kChanged.
  std::vector<DiffDetail> details;
};

// A function, a type definition or an attribute of the module.
struct ItemDiff {
  DiffKind kind = DiffKind::kSame;
  // `@main`, `type List`, `attribute executor`.
  std::string name;
  // Of kChanged functions of Relay: all expressions, in the order of the text.
  std::vector<ExprDiff> exprs;
  // Of other things that changed: a unified diff of their texts.
  std::string lines;
};

// Those that are not the same, by name.
struct ModuleDiff {
  std::vector<ItemDiff> items;
  auto is_equal() const -> bool { return items.empty(); }
};

// From `before` to `after`, which must share their context and have their types. When nothing is reported, the modules
// are equal up to names of bound variables, source positions and spans. When only few of `functions` are of interest
// (none: all), the others and everything else count as equal. Linear, but for the search for what corresponds, which is
// bounded (Align).
auto DiffModules(const Module& before, const Module& after, const std::vector<std::string>& functions = {})
    -> ModuleDiff;

struct DiffTextOptions {
  // Expressions that are the same around those that are not.
  size_t context = 3;
  // Removed lines red, added lines green.
  bool color = false;
};

// Removed expressions with `-`, added ones with `+`, changed ones as both with the details below; the counts at the
// end. Empty when the modules are equal.
auto ToText(const ModuleDiff& diff, const DiffTextOptions& options = {}) -> std::string;

// {"version": 1, "equal": false, "items": [{"name", "kind", "changes": [{"kind", "before", "after", "details":
// [{"what", "before", "after"}]}]}]}, a line feed at its end.
auto ToJson(const ModuleDiff& diff) -> std::string;

}  // namespace relayopt
