// DeadCodeElimination: removes let bindings that are not used.
#include <vector>

#include "lib/relay/transforms/effects.h"
#include "relayopt/module/functions.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/layer_remark.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/provenance.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr Statistic kDropped = {"DeadCodeElimination", "dropped", "bindings dropped because nobody needs their value"};
constexpr Statistic kMoved = {"DeadCodeElimination", "moved", "bound values moved to their only use"};
constexpr Statistic kDeadCodeStatistics[] = {kDropped, kMoved};

struct DeadCodeEliminationOptions {
  bool inline_once = false;
  bool ignore_impurity = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&DeadCodeEliminationOptions::inline_once>("put a pure value that is used once where it is used"),
        Option<&DeadCodeEliminationOptions::ignore_impurity>("treat everything as pure: drops unused effects as well"),
    };
  }
};

class Eliminator {
 public:
  Eliminator(const Function& function, const SideTable<ExprId, Purity>& purity,
             const DeadCodeEliminationOptions& options)
      : function_(function),
        options_(options),
        purity_(purity),
        lets_(function),
        scopes_(ComputeScopes(function)),
        holds_(HoldOuterEffects(function, scopes_, purity)),
        rebuild_(function),
        uses_(function.size()) {
    // The inside of a primitive kernel is not visited: its bindings stay.
    opaque_ = IsPrimitive(function, function.root()) || function.IntAttr(function.root(), attr::kExtern) != 0;
  }

  auto Run() -> std::optional<Function> {
    CountUses();
    bool changes = false;
    for (const ExprId id : function_.ids()) {
      if (lets_.ValueOf(id)) changes |= ActionOn(id) != StepAction::kKept;
    }
    if (!changes) return std::nullopt;
    rebuild_.ForEach([this](ExprId id) {
      const ExprId made = Visit(id);
      for (const LetStep& step : lets_.StepsOf(id)) {
        if (step.var < id && ActionOn(step.var) == StepAction::kInlined) rebuild_.Set(step.var, made);
      }
      return made;
    });
    return rebuild_.Finish();
  }

  // Adds the work of Run to the statistics, and emits remarks.
  void Report(std::string_view name, PassContext& context) const {
    uint64_t dropped = 0;
    uint64_t moved = 0;
    for (const ExprId id : function_.ids()) {
      if (!lets_.ValueOf(id) || !scopes_.of[id] || ActionOn(id) == StepAction::kKept) continue;
      const bool is_dropped = ActionOn(id) == StepAction::kDropped;
      ++(is_dropped ? dropped : moved);
      if (!context.wants_remarks()) continue;
      context.Report(WithLayer(
          Remark(RemarkKind::kPassed, kDropped.pass, is_dropped ? "Dropped" : "Moved", name, FindRange(function_, id))
              .Text("binding of ")
              .Arg("Variable", fmt::format("%{}", function_.context().text(function_.var(id).name)))
              .Text(is_dropped ? " dropped: nobody needs its value" : " dropped: its value moved to its only use"),
          function_, lets_.ValueOf(id)));
    }
    context.Count(kDropped, dropped);
    context.Count(kMoved, moved);
  }

 private:
  enum class StepAction : uint8_t { kKept, kInlined, kDropped };

  auto IsPure(ExprId value) const -> bool {
    return !opaque_ && (options_.ignore_impurity || (purity_[value].eval && !holds_[value]));
  }

  auto ActionOn(ExprId var) const -> StepAction {
    if (!IsPure(lets_.ValueOf(var))) return StepAction::kKept;
    if (uses_[var] == 0) return StepAction::kDropped;
    return uses_[var] == 1 && options_.inline_once ? StepAction::kInlined : StepAction::kKept;
  }

  // For every scope the number of function literals that enclose it.
  auto FunctionDepths() const -> std::vector<uint32_t> {
    std::vector<uint32_t> depths(scopes_.scopes.size());
    for (size_t i = 1; i < depths.size(); ++i) {
      const Scope& scope = scopes_.scopes[i];
      depths[i] = depths[scope.parent.value()] + (function_.kind(scope.owner) == ExprKind::kFunction ? 1 : 0);
    }
    return depths;
  }

  // Counts how often each expression is evaluated or mentioned, 2 standing for more: an expression with two users
  // counts twice for its operands. A pure bound value counts only once its variable does; a use inside a closure counts
  // twice, so that nothing is ever moved into a closure.
  void CountUses() {
    const std::vector<uint32_t> depths = FunctionDepths();
    SideTable<ExprId, uint32_t> bound_at(function_.size());
    uses_[function_.root()] = 1;
    for (const ExprId id : function_.ids_to_root().reversed()) {
      // All uses of a variable, except in its own value, come after the variable and the value.
      for (const LetStep& step : lets_.StepsOf(id)) {
        if (step.var < id) UseBound(step);
      }
      if (const ExprId value = lets_.ValueOf(id); value && value < id) UseBound({value, id});
      if (uses_[id] == 0) continue;
      const auto operands = function_.operands(id);
      const bool is_let = function_.kind(id) == ExprKind::kLet;
      for (size_t k = 0; k < operands.size(); ++k) {
        const ScopeId scope = UseScope(function_, scopes_, id, k);
        if (is_let && k + 1 < operands.size()) {
          if (k % 2 == 0)
            bound_at[operands[k]] = depths[scope.value()];
          else if (!IsPure(operands[k]))
            Add(operands[k], uses_[id]);
        } else {
          const bool captured = lets_.ValueOf(operands[k]) && depths[scope.value()] > bound_at[operands[k]];
          Add(operands[k], captured ? uint8_t{2} : uses_[id]);
        }
      }
    }
  }

  // A pure value counts once its variable does.
  void UseBound(const LetStep& step) {
    if (scopes_.of[step.var] && IsPure(step.value) && uses_[step.var] != 0) Add(step.value, 1);
  }

  void Add(ExprId id, uint8_t count) { uses_[id] = static_cast<uint8_t>(std::min(2, uses_[id] + count)); }

  auto Visit(ExprId id) -> ExprId {
    const ExprId value = lets_.ValueOf(id);
    if (value && ActionOn(id) == StepAction::kInlined) return value < id ? rebuild_.New(value) : ExprId();
    return function_.kind(id) == ExprKind::kLet ? VisitLet(id) : rebuild_.Copy(id);
  }

  auto VisitLet(ExprId id) -> ExprId {
    std::vector<ExprId> steps;
    for (size_t i = 0; i < function_.let_size(id); ++i) {
      if (ActionOn(function_.let_var(id, i)) != StepAction::kKept) continue;
      steps.push_back(rebuild_.New(function_.let_var(id, i)));
      steps.push_back(rebuild_.New(function_.let_value(id, i)));
    }
    const ExprId result = rebuild_.New(function_.let_result(id));
    if (steps.empty()) return result;
    steps.push_back(result);
    return rebuild_.to().Copy(function_, id, steps);
  }

  const Function& function_;
  const DeadCodeEliminationOptions& options_;
  const SideTable<ExprId, Purity>& purity_;
  LetIndex lets_;
  Scopes scopes_;
  // For closures: whether the effects of the surrounding code depend on them.
  SideTable<ExprId, bool> holds_;
  Rebuild rebuild_;
  SideTable<ExprId, uint8_t> uses_;
  bool opaque_ = false;
};

// Only let bindings are eliminated.
struct DeadCodeElimination {
  using Options = DeadCodeEliminationOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    std::optional<Module> result;
    for (const auto& [id, function] : FunctionsOf<Function>(module)) {
      if (!HasLet(function)) continue;
      const SideTable<ExprId, Purity> purities = module.Analysis<PurityAnalysis>().Analyze(function);
      Eliminator eliminator(function, purities, options);
      auto made = eliminator.Run();
      if (!made) continue;
      eliminator.Report(module.name(id), context);
      if (!result) result = module;
      result->SetFunction(id, std::make_shared<Function>(*std::move(made)));
    }
    return result;
  }
};

}  // namespace

constinit const PassDef kDeadCodeEliminationPass = DescribePass<DeadCodeElimination>({
    .name = "DeadCodeElimination",
    .opt_level = 1,
    .required = "InferType",
    .summary = "removes let bindings whose value is not used",
    .details =
        R"(Drops a binding when its value is pure and its variable is not used, or used only by bindings that are dropped
themselves. With inline_once=true a pure value that is used once, and not inside a closure, moves to its use.

  let %a = add(%x, 1f);
  let %b = multiply(%x, %x);     =>    let %a = add(%x, 1f);
  exp(%a)                              exp(%a)

A pure value can be left out without anybody noticing. Reads and writes of references, stateful operators and calls of functions
that are not known to be pure stay where they are, and so does what they need; with ignore_impurity=true they go as well,
which drops unused writes. Only let bindings are looked at: an expression that is not bound is there because it is used. Globals
that are kernels (Primitive, Extern) are left alone.)",
    .idempotent = false,
    .statistics = kDeadCodeStatistics,
});

}  // namespace relayopt
