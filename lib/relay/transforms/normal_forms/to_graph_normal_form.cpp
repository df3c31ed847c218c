// ToGraphNormalForm: turns let bindings into shared expressions.
#include <vector>

#include "lib/relay/transforms/effects.h"
#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// What happens to a step of a chain.
enum class StepAction : uint8_t {
  kShared,     // its value, wherever the variable is used
  kRecursive,  // `let v = value; v` as a shared expression: the closure needs its variable
  kKept,       // a step of the chain
};

// Whether evaluating an expression makes a new reference. Two evaluations make two, so the position of such an
// expression matters.
auto FindAllocations(const Function& function) -> SideTable<ExprId, bool> {
  SideTable<ExprId, bool> allocates(function.size());
  const Context& context = function.context();
  for (const ExprId id : function.ids()) {
    const ExprKind kind = function.kind(id);
    // A closure allocates when it is called, and what a call returns may be new.
    if (kind == ExprKind::kFunction) continue;
    allocates[id] = kind == ExprKind::kRefCreate ||
                    (kind == ExprKind::kCall && context.type(function.type(id)).kind == TypeKind::kRef);
    for (const ExprId operand : function.operands(id)) {
      if (allocates[operand]) allocates[id] = true;
    }
  }
  return allocates;
}

class GraphBuilder {
 public:
  GraphBuilder(const PurityAnalysis& purity, const Function& function, LetIndex lets)
      : function_(function),
        rebuild_(function),
        lets_(std::move(lets)),
        purity_(purity.Analyze(function)),
        allocates_(FindAllocations(function)),
        holds_(HoldOuterEffects(function, ComputeScopes(function), purity_)) {}

  auto Run() -> Function {
    rebuild_.ForEach([this](ExprId id) {
      const ExprId made = Visit(id);
      for (const LetStep& step : lets_.StepsOf(id)) {
        if (step.var < id) BindTo(step, made);
      }
      return made;
    });
    return rebuild_.Finish();
  }

 private:
  auto ActionOn(const LetStep& step) const -> StepAction {
    if (!purity_[step.value].eval || allocates_[step.value] || holds_[step.value]) return StepAction::kKept;
    return lets_.IsRecursive(step) ? StepAction::kRecursive : StepAction::kShared;
  }

  // Replaces later uses of the step's variable by its value.
  void BindTo(const LetStep& step, ExprId value) {
    switch (ActionOn(step)) {
      case StepAction::kShared: rebuild_.Set(step.var, value); return;
      case StepAction::kRecursive: {
        const ExprId steps[] = {rebuild_.New(step.var), value};
        const ExprId let = rebuild_.to().Let(steps, steps[0]);
        rebuild_.to().SetType(let, function_.type(step.value));
        rebuild_.Set(step.var, let);
        return;
      }
      case StepAction::kKept: return;
    }
  }

  auto Visit(ExprId id) -> ExprId {
    switch (function_.kind(id)) {
      case ExprKind::kVar: {
        const ExprId value = lets_.ValueOf(id);
        const bool is_shared = value && ActionOn({value, id}) == StepAction::kShared;
        if (!is_shared) return rebuild_.Copy(id);
        // The value usually comes after the variable in the table, but before the variable's uses.
        return value < id ? rebuild_.New(value) : ExprId();
      }
      case ExprKind::kLet: return VisitLet(id);
      default: return rebuild_.Copy(id);
    }
  }

  auto VisitLet(ExprId id) -> ExprId {
    std::vector<ExprId> steps;
    bool last_is_recursive = false;
    for (size_t i = 0; i < function_.let_size(id); ++i) {
      const LetStep step{function_.let_value(id, i), function_.let_var(id, i)};
      if (ActionOn(step) != StepAction::kKept) continue;
      last_is_recursive = lets_.IsRecursive(step);
      steps.push_back(rebuild_.New(step.var));
      steps.push_back(rebuild_.New(step.value));
    }
    ExprId result = rebuild_.New(function_.let_result(id));
    // `let r = e; r` is e: nothing moves.
    if (!steps.empty() && steps[steps.size() - 2] == result && !last_is_recursive) {
      result = steps.back();
      steps.resize(steps.size() - 2);
    }
    if (steps.empty()) return result;
    steps.push_back(result);
    return rebuild_.to().Copy(function_, id, steps);
  }

  const Function& function_;
  Rebuild rebuild_;
  LetIndex lets_;
  SideTable<ExprId, Purity> purity_;
  SideTable<ExprId, bool> allocates_;
  // For closures: whether the effects of the surrounding code depend on them.
  SideTable<ExprId, bool> holds_;
};

struct ToGraphNormalForm {
  auto Run(const Module& module, GlobalId, const Function& function, PassContext&) const
      -> Result<std::optional<Function>> {
    LetIndex lets(function);
    if (lets.empty()) return std::nullopt;
    const auto& purity = module.Analysis<PurityAnalysis>();
    return GraphBuilder(purity, function, std::move(lets)).Run();
  }
};

}  // namespace

constinit const PassDef kToGraphNormalFormPass = DescribePass<ToGraphNormalForm>({
    .name = "ToGraphNormalForm",
    .opt_level = 1,
    .summary = "turns let bindings into shared expressions",
    .details =
        R"(Replaces each let-bound variable by its value, as one shared expression; bindings that nobody uses vanish.

  let %a = add(%x, 1f);
  let %b = multiply(%a, %a);     =>    %0 = add(%x, 1f);
  %b                                   multiply(%0, %0)

A pure value may be evaluated wherever it is needed. A value with effects may not: reads and writes of references, stateful
operators, calls of functions that are not known to be pure, and expressions that make a reference stay bound in their order, except for
`let %r = e; %r`, which is e.
A recursive closure keeps a binding of its own, `let %f = fn ...; %f`, that is shared instead.)",
    .idempotent = true,
});

}  // namespace relayopt
