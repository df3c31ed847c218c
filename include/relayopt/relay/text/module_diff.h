// Structural differences between two modules. The numbers of values and the names of variables are ignored.
#pragma once

#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/module/print.h"

namespace relayopt {

// Whether a thing is in both modules, and the same in both.
enum class DiffKind : uint8_t { kSame, kRemoved, kAdded, kChanged };

// One property of an expression that changed.
struct DiffDetail {
  // The property: `attribute padding`, `type`, `operand 1`, `binding`.
  std::string what;
  // Its value before and after; empty if it did not exist.
  std::string before;
  std::string after;
};

// An expression of one of the modules, or a pair of expressions that correspond.
struct ExprDiff {
  DiffKind kind = DiffKind::kSame;
  // The text of the expression as printed; empty on the side where it does not exist, and for expressions without a
  // text of their own.
  std::string before;
  std::string after;
  // For kChanged: what changed.
  std::vector<DiffDetail> details;
};

// A function, a type definition or an attribute of the module that differs.
struct ItemDiff {
  DiffKind kind = DiffKind::kSame;
  // `@main`, `type List`, `attribute executor`.
  std::string name;
  // For kChanged functions of Relay: all expressions, in the order of the text.
  std::vector<ExprDiff> exprs;
  // For the same: the lines that are shown, with their indentation, and braces.
  std::vector<ExprDiff> layout;
  // For other changed entries a unified diff of their texts; for functions in only one module their text.
  std::string lines;
};

// All differences, sorted by name.
struct ModuleDiff {
  std::vector<ItemDiff> items;
  auto is_equal() const -> bool { return items.empty(); }
};

// The differences from `before` to `after`, which must share their context and have their types. When there are none,
// the modules are equal up to names of bound variables, source positions and spans. If `functions` is not empty, only
// these functions are compared, and everything else counts as equal. Linear time, except for a bounded search for
// corresponding expressions (Align).
auto DiffModules(const Module& before, const Module& after, const std::vector<std::string>& functions = {},
                 TypePrinting types = TypePrinting::kAll) -> ModuleDiff;

// How differences are printed.
struct DiffTextOptions {
  // The number of unchanged expressions shown around changed ones.
  size_t context = 3;
  // Whether removed lines are red and added lines green.
  bool color = false;
};

// Returns the differences as text: removed expressions with `-`, added ones with `+`, changed ones as both with the
// details below, and counts at the end. Returns empty if the modules are equal.
auto ToText(const ModuleDiff& diff, const DiffTextOptions& options = {}) -> std::string;

// Returns the differences as JSON: {"version": 1, "equal": false, "items": [{"name", "kind", "changes": [{"kind",
// "before", "after", "details": [{"what", "before", "after"}]}]}]}, with a line feed at the end.
auto ToJson(const ModuleDiff& diff) -> std::string;

}  // namespace relayopt
