// Decides, before a function is printed, which lines its text has and the names of everything in it.
//
// TVM makes text while it numbers: a closure in the middle of an expression is rendered first and placed
// later, so it would have to be kept. Here the same walk only hands out numbers, names and metadata indices and links
// the lines of each scope; the text is then written straight through (printer_expr.h).
//
// One order is not TVM's. It places a closure (or if, match, let) where it is used, and what was first needed inside of
// it, inside of it; a line in between that needs the same would come before the definition, which could not be read.
// The closure then gets its line early.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "printer_attrs.h"
#include "printer_meta.h"
#include "printer_names.h"
#include "printer_types.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

// The state that is shared by all functions of a module.
struct PrinterState {
  PrinterState(const Module& module, const PrintOptions& options);

  const Module& module;
  PrintOptions options;
  MetaIndex meta;
  TypePrinter types;
  AttrPrinter attrs;
  NameTable names;
  // The operator whose calls are numbered in an order of their own; null if there is none.
  const OpDef* call_lowered;
  // The constructors whose names are numbers: an int32 literal with the same digits is printed with its suffix.
  absl::flat_hash_set<std::string_view> number_constructors;
  // A cache of the latest texts of literals with their comments, indexed by a hash of the id.
  struct LiteralText {
    ConstantId constant;
    TypeId type;
    std::string text;
  };
  std::array<LiteralText, 64> literals;
  // The same for annotations with the comments after them, of which one may be missing.
  struct TypesText {
    TypeId annotation;
    TypeId type;
    std::string text;
  };
  std::array<TypesText, 32> types_texts;
  // The next `%N`.
  uint32_t next_number = 0;
  // Functions numbered so far.
  uint32_t functions = 0;
};

// The layout of one function's text.
class Numbering {
 public:
  static constexpr uint32_t kNoNumber = UINT32_MAX;

  Numbering(PrinterState& state, const Function& function);

  // N of the `%N` to which the expression is bound, or kNoNumber when it is printed in place. Not for variables.
  auto number(ExprId id) const -> uint32_t { return number_[id.value()]; }
  // Returns the name of a variable, without its `%`.
  auto name(ExprId var) const -> std::string_view {
    const uint32_t number = number_[var.value()];
    return number == kHint ? state_.module.context().text(function_.var(var).name) : names_[number];
  }
  // Whether a variable has no binder.
  auto is_free(ExprId var) const -> bool { return (flags_[var.value()] & kFree) != 0; }
  // Returns the first line of the scope `region` of a kFunction (0), kLet (0), kIf (0 then, 1 else) or kMatch (the
  // clause): an expression that is bound to a number, the variable of the next step of the let chain, or a free
  // variable. Returns none if there is none.
  auto first_line(ExprId owner, uint32_t region = 0) const -> ExprId {
    return scopes_[scope_of_.at(owner) + region].first;
  }
  // Returns the line below another one.
  auto next_line(ExprId line) const -> ExprId { return next_line_[line.value()]; }
  // Returns the type in the comment after an expression, or invalid if there is no comment.
  auto ShownType(ExprId id) const -> TypeId {
    const TypePrinting types = state_.options.types;
    if (types == TypePrinting::kAll) [[likely]]
      return function_.type(id);
    const ExprKind kind = function_.kind(id);
    const bool is_call = kind == ExprKind::kOpCall || kind == ExprKind::kCall;
    return is_call && types == TypePrinting::kCalls ? function_.type(id) : TypeId();
  }
  // Identifies this call in the module.
  auto call_key(ExprId id) const -> uint64_t { return (uint64_t{ordinal_} << 32) | id.value(); }

 private:
  // The number of a variable whose name is its hint.
  static constexpr uint32_t kHint = UINT32_MAX - 1;
  static constexpr uint32_t kNoScope = UINT32_MAX;
  struct Scope {
    // The node that opens it, and the scope in which that is rendered; kNoScope for the function itself.
    ExprId owner;
    uint32_t parent;
    // The lines of the scope.
    ExprId first = {};
    ExprId last = {};
    bool is_open = false;
    // Its depth among the open scopes.
    uint32_t depth = 0;
    // The scope of whose text its text is a part, or one further out, or the next branch.
    uint32_t inside = kNoScope;
  };
  enum class Step : uint8_t;
  struct Task {
    Step step;
    ExprId id;
    uint32_t arg = 0;
  };

  static constexpr uint8_t kUsed = 1;
  static constexpr uint8_t kUsedTwice = 2;
  static constexpr uint8_t kRendered = 4;
  static constexpr uint8_t kFree = 8;
  static constexpr uint8_t kPlaced = 16;
  // The index in awaited_.
  static constexpr uint8_t kAwaited = 32;

  void CountUses();
  void Run();
  void Do(const Task& task);
  void Visit(ExprId id);
  auto IsRendered(ExprId id) const -> bool { return (flags_[id.value()] & kRendered) != 0; }
  // Whether all are rendered; a literal is at once.
  auto AreRendered(std::span<const ExprId> ids) -> bool;
  void PushVisits(std::span<const ExprId> ids);
  auto IsLoweredCall(ExprId id) const -> bool;
  void VisitLeaf(ExprId id);
  void VisitFunction(ExprId id);
  void Render(ExprId id);
  void Use(ExprId id, bool tail);
  // Uses an operand.
  void UseOperand(ExprId id) {
    const bool is_bound = function_.kind(id) == ExprKind::kVar && (flags_[id.value()] & kFree) == 0;
    if (!is_bound) Use(id, false);
  }
  void LetSteps(ExprId let, uint32_t step);
  // Returns whether another step follows.
  auto EndLetStep(ExprId let, uint32_t step) -> bool;
  void BeginArm(ExprId match, uint32_t clause);
  void Declare(ExprId var);
  void ReserveInfo(ExprId id);
  // Gives an expression a number and a line in `scope`.
  void Bind(ExprId id, uint32_t scope);
  // Ensures that the line of `id`, which is used again, comes before the use.
  void Reach(ExprId id);
  // Binds what must come before the text of `id`, and then optionally `id` itself, in `scope`.
  void BindInOrder(ExprId id, uint32_t scope);
  void BindAwaited(ExprId id);
  // Returns the scope in which an expression that opens some is rendered.
  auto ScopeAround(ExprId owner) const -> uint32_t { return scopes_[scope_of_.at(owner)].parent; }
  void AppendLine(ExprId id, uint32_t scope);
  // Makes the text of the scopes that `owner` opens part of `scope`.
  void PutInside(ExprId owner, uint32_t scope);
  // Returns the open scope that the text of `scope` is part of, or the enclosing scope that has no parent yet.
  auto Outermost(uint32_t scope) -> uint32_t;

  void Push(Step step, ExprId id, uint32_t arg = 0) { work_.push_back({step, id, arg}); }
  void OpenScope(uint32_t scope);
  // Pushes the text of a scope as work.
  void PushScope(uint32_t scope, ExprId result);
  // Pushes the use of an operand as work.
  void PushUse(ExprId id);
  // Creates `count` scopes of `owner` and returns the index of the first.
  auto AddScopes(ExprId owner, size_t count) -> uint32_t;

  PrinterState& state_;
  const Function& function_;
  ExprId body_;
  uint32_t ordinal_;
  std::vector<uint8_t> flags_;
  // The number of an expression, or the index of a variable's name, or kHint.
  std::vector<uint32_t> number_;
  std::vector<ExprId> next_line_;
  std::vector<std::string_view> names_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<ExprId, uint32_t> scope_of_;
  // The scope of each line; empty as long as all are in the first.
  std::vector<uint32_t> scope_of_line_;
  // For an expression that is being rendered, the expressions that must be bound before it.
  absl::flat_hash_map<ExprId, std::vector<ExprId>> awaited_;
  // The scopes whose text is being rendered, innermost last.
  std::vector<uint32_t> open_;
  std::vector<Task> work_;
  std::string scratch_;
};

// Calls `visit(pattern)` for the pattern of a clause and everything inside it, in the order of the text.
template <typename Visit>
void ForEachPattern(const MatchInfo& match, const MatchClause& clause, Visit&& visit) {
  std::vector<uint32_t> work = {clause.pattern};
  while (!work.empty()) {
    const Pattern& pattern = match.patterns[work.back()];
    work.pop_back();
    visit(pattern);
    for (uint32_t i = pattern.num_children; i-- != 0;) work.push_back(match.children[pattern.first_child + i]);
  }
}

}  // namespace relayopt
