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

// Tells the functions of one kind from those of others: one constant beside the class of the functions. Kinds are told
// apart by address.
struct FunctionKind {
  // The name of the section of a text file that holds such functions, `tir` for `#[tir]`.
  std::string_view name;
  // What passes over them are called in lists and in pipelines, where PASS_LEVEL(...) holds such passes only.
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

// The function as one of the class F; null when it is of another kind, or null.
template <typename F>
auto As(const GlobalFunction* function) -> const F* {
  const bool is_one = function != nullptr && &function->function_kind() == &F::kFunctionKind;
  return is_one ? static_cast<const F*>(function) : nullptr;
}

// A rule that a function breaks.
struct BrokenRule {
  // The expression or statement that breaks it: its number, and where it stands in the source.
  uint32_t node = 0;
  SourceRange range;
  std::string text;
};

// The row of a kind: everything that is to be known about its functions by those who do not know them. The functions
// of a row are only called with functions of its kind.
struct FunctionKindDef {
  const FunctionKind* kind = nullptr;
  // What begins a comment in its text, with a blank, and how the names of files with such text end.
  std::string_view comment = "// ";
  std::string_view extension = ".relay";
  // How many expressions or statements a function has.
  size_t (*size)(const GlobalFunction& function) = nullptr;
  // Checks that the function keeps the rules of its kind; nothing when it does. `is_up_to_date`: since it was last
  // changed `update` has run (for Relay: it has all its types). Null: there are none.
  std::optional<BrokenRule> (*verify)(const Module& module, const GlobalFunction& function,
                                      bool is_up_to_date) = nullptr;
  // Writes the part of a module's text that is about functions of this kind, which is a whole text when the module has
  // no others.
  void (*print_module)(const Module& module, const PrintOptions& options, TextSink& sink) = nullptr;
  // Writes one of them, as a module of its own.
  void (*print_function)(const Module& module, GlobalId id, const PrintOptions& options, TextSink& sink) = nullptr;
  // Whether there is something to print even in a module without such functions. Null: there is not.
  bool (*has_declarations)(const Module& module) = nullptr;
  // Whether passes leave this one alone. Null: they rewrite all.
  bool (*is_left_alone)(const GlobalFunction& function) = nullptr;
  // Whether the attribute `name` has the number `value`, where `where<name=value>(...)` asks; what is missing is 0.
  // Null: they have no such attributes.
  bool (*has_attribute)(const GlobalFunction& function, std::string_view name, int64_t value) = nullptr;
  // Brings the functions up to date after a pass has changed some of them, in up to `threads` threads; false when it
  // reported an error. It is a pass of its own for those who watch, called `update_name`. Null: nothing is to be done.
  bool (*update)(Module& module, DiagnosticSink& sink, size_t threads) = nullptr;
  std::string_view update_name = {};
};

// Makes a kind known. The row must live for ever; registering it again does nothing. Not while passes run.
void RegisterFunctionKind(const FunctionKindDef& def);
// All kinds, in the order in which they were registered, which is the order of their sections in a text.
auto FunctionKinds() -> std::span<const FunctionKindDef* const>;
// The row of a kind, which must be registered: RegisterAllPasses does that for those that come with relayopt.
auto DefOf(const FunctionKind& kind) -> const FunctionKindDef&;

}  // namespace relayopt
