// Kinds of functions. A module maps global names to functions of some kind: functions of Relay are one kind, tensor
// programs are another. Whatever treats them alike - the module, passes, instruments, printing - knows them by the rows
// of their kinds only:
//
//   inline constexpr FunctionKind kToyFunctions = {.name = "toy", .pass_level = "toy"};
//   class Toy final : public GlobalFunction {
//    public:
//     static constexpr const FunctionKind& kFunctionKind = kToyFunctions;
//     Toy() : GlobalFunction(kFunctionKind) {}
//     ...
//   };
//   constexpr FunctionKindDef kToyKind = {.kind = &kToyFunctions, .print_module = PrintToys, ...};
//   ...
//   RegisterFunctionKind(kToyKind);
//
// Passes over such a kind are written as those over functions of Relay are; see relayopt/pass/pass.h.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "relayopt/support/ids.h"
#include "relayopt/support/source.h"
#include "relayopt/support/text_sink.h"

namespace relayopt {

class DiagnosticSink;
class Module;
struct PrintOptions;

// Identifies a kind of functions: one constant beside the class of these functions. Kinds are compared by address.
struct FunctionKind {
  // The name of the section that holds such functions in a text file: `tir` for `#[tir]`.
  std::string_view name;
  // The name of the level of passes over such functions, in lists and in pipelines: PASS_LEVEL(...) holds such passes
  // only.
  std::string_view pass_level;
};

// The base of the functions that a module may hold. A function is immutable once a module holds it.
class GlobalFunction {
 public:
  auto function_kind() const -> const FunctionKind& { return *kind_; }

 protected:
  explicit GlobalFunction(const FunctionKind& kind) : kind_(&kind) {}
  GlobalFunction(const GlobalFunction&) = default;
  GlobalFunction(GlobalFunction&&) = default;
  auto operator=(const GlobalFunction&) -> GlobalFunction& = default;
  auto operator=(GlobalFunction&&) -> GlobalFunction& = default;
  ~GlobalFunction() = default;

 private:
  const FunctionKind* kind_;
};

using GlobalFunctionRef = std::shared_ptr<const GlobalFunction>;

// Returns the function as an F, or null if it is null or of another kind.
template <typename F>
auto As(const GlobalFunction* function) -> const F* {
  const bool is_one = function != nullptr && &function->function_kind() == &F::kFunctionKind;
  return is_one ? static_cast<const F*>(function) : nullptr;
}

// A rule of the kind that a function breaks.
struct BrokenRule {
  // The expression or statement that breaks it: its number in the function, and its range in the source.
  uint32_t node = 0;
  SourceRange range;
  std::string text;
};

// The row of a kind: all that code which handles functions of every kind alike needs to know about it. The functions in
// a row are called only with functions of its kind.
struct FunctionKindDef {
  const FunctionKind* kind = nullptr;
  // What begins a comment line in its text (including a blank), and the ending of the names of files with such text.
  std::string_view comment = "// ";
  std::string_view extension = ".relay";
  // The number of expressions or statements of a function.
  size_t (*size)(const GlobalFunction& function) = nullptr;
  // Checks that the function keeps the rules of its kind; returns nothing if it does. Null: the kind has no rules.
  std::optional<BrokenRule> (*verify)(const Module& module, const GlobalFunction& function) = nullptr;
  // Checks that the function is as `update` leaves it (for Relay: it has all its types); returns nothing if it is.
  // Null: `update` promises nothing.
  std::optional<BrokenRule> (*verify_update)(const GlobalFunction& function) = nullptr;
  // Writes the functions of this kind in a module. The text is complete by itself when the module has functions of no
  // other kind.
  void (*print_module)(const Module& module, const PrintOptions& options, TextSink& sink) = nullptr;
  // Writes one function, as a module of its own.
  void (*print_function)(const Module& module, GlobalId id, const PrintOptions& options, TextSink& sink) = nullptr;
  // Whether a module has something to print for this kind even without such functions (for Relay, type definitions).
  // Null: it never has.
  bool (*has_declarations)(const Module& module) = nullptr;
  // Whether passes must not rewrite this function. Null: they may rewrite all.
  bool (*is_left_alone)(const GlobalFunction& function) = nullptr;
  // Whether the attribute `name` has the number `value`, which `where<name=value>(...)` asks; a missing attribute
  // counts as 0. Null: functions of this kind have no such attributes.
  bool (*has_attribute)(const GlobalFunction& function, std::string_view name, int64_t value) = nullptr;
  // Brings the functions up to date after a pass has changed some of them, using up to `threads` threads; false if it
  // reported an error. Instruments see it as a pass called `update_name`. Null: there is nothing to do.
  bool (*update)(Module& module, DiagnosticSink& sink, size_t threads) = nullptr;
  std::string_view update_name = {};
  // A number that functions with equal texts have in common, and most others do not; far cheaper than the text. Null:
  // all functions of this kind have one outline.
  uint64_t (*outline)(const GlobalFunction& function) = nullptr;
  // Whether two functions of one context are the same but for their places in the source, so that their texts are
  // equal. False does not say that they differ. Null: each is the same as itself only.
  bool (*is_same)(const GlobalFunction& a, const GlobalFunction& b) = nullptr;
};

// Registers a kind. The row must have static storage duration; registering it again does nothing. Must not be called
// while passes run.
void RegisterFunctionKind(const FunctionKindDef& def);
// Returns all kinds, in the order in which they were registered, which is the order of their sections in a text.
auto FunctionKinds() -> std::span<const FunctionKindDef* const>;
// Returns the row of a kind, which must be registered. RegisterAllPasses registers the kinds that come with relayopt.
auto DefOf(const FunctionKind& kind) -> const FunctionKindDef&;

// Returns the first rule that a function of an updated module breaks: one of its kind, unless `keeps_rules` says that
// it was verified before it was updated, or one of the update; nothing if it keeps all.
auto FindBrokenRule(const Module& module, GlobalId id, bool keeps_rules = false) -> std::optional<BrokenRule>;

}  // namespace relayopt
