// Purity of expressions, by one upward scan and a worklist over functions.
#include "relayopt/relay/analysis/purity.h"

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

namespace {

// The values of let-bound variables; where a value is a variable that is let-bound itself, the value of that one.
auto LetValues(const Function& function) -> SideTable<ExprId, ExprId> {
  SideTable<ExprId, ExprId> values(function.size());
  for (const ExprId id : function.ids()) {
    if (function.kind(id) != ExprKind::kLet) continue;
    for (size_t i = 0; i < function.let_size(id); ++i) values[function.let_var(id, i)] = function.let_value(id, i);
  }
  // Outer variables come first in the table, so one pass follows chains of any length.
  for (const ExprId id : function.ids()) {
    const ExprId value = values[id];
    if (value && function.kind(value) == ExprKind::kVar && values[value]) values[id] = values[value];
  }
  return values;
}

auto IsFunctionTyped(const Function& function, ExprId id) -> bool {
  const TypeId type = function.type(id);
  return type && function.context().type(type).is_function();
}

class Analyzer {
 public:
  Analyzer(const Function& function, const SideTable<GlobalId, bool>& global_pure)
      : function_(function), global_pure_(global_pure), let_values_(LetValues(function)), purity_(function.size()) {}

  auto Run() && -> SideTable<ExprId, Purity> {
    for (const ExprId id : function_.ids()) purity_[id] = Visit(id);
    return std::move(purity_);
  }

 private:
  // Returns the purity that an operand contributes. A variable has the purity of its value; inside its own (recursive)
  // value it counts as pure.
  auto Use(ExprId user, ExprId operand) const -> Purity {
    if (function_.kind(operand) != ExprKind::kVar) return purity_[operand];
    const ExprId value = let_values_[operand];
    if (!value) return {true, !IsFunctionTyped(function_, operand)};
    if (value >= user) return {};
    // `let %a = %parameter`.
    if (function_.kind(value) == ExprKind::kVar) return {true, !IsFunctionTyped(function_, value)};
    return {true, purity_[value].call};
  }

  auto AllOf(ExprId id) const -> Purity {
    Purity all;
    for (const ExprId operand : function_.operands(id)) {
      const Purity one = Use(id, operand);
      all.eval &= one.eval;
      all.call &= one.call;
    }
    return all;
  }

  // Whether a projection takes a pure closure out of a literal tuple.
  auto IsPureField(ExprId id) const -> bool {
    ExprId tuple = function_.operand(id, 0);
    if (function_.kind(tuple) == ExprKind::kVar) tuple = let_values_[tuple];
    if (!tuple || tuple >= id || function_.kind(tuple) != ExprKind::kTuple) return false;
    return function_.index(id) < function_.operands(tuple).size() &&
           Use(tuple, function_.operand(tuple, function_.index(id))).call;
  }

  auto Visit(ExprId id) const -> Purity {
    switch (function_.kind(id)) {
      case ExprKind::kVar:
      case ExprKind::kConstant:
      case ExprKind::kConstructor: return {};
      case ExprKind::kGlobal: return {true, global_pure_[function_.global(id)]};
      case ExprKind::kOp: return {true, !function_.op(id)->stateful};
      case ExprKind::kOpCall: return {AllOf(id).eval && !function_.op(id)->stateful, true};
      case ExprKind::kCall: {
        const Purity callee = Use(id, function_.operand(id, 0));
        // A function that a call returns may be any function.
        return {AllOf(id).eval && callee.call, !IsFunctionTyped(function_, id)};
      }
      case ExprKind::kTupleGetItem: return {AllOf(id).eval, !IsFunctionTyped(function_, id) || IsPureField(id)};
      case ExprKind::kRefCreate: return {AllOf(id).eval, true};
      case ExprKind::kRefRead: return {false, !IsFunctionTyped(function_, id)};
      case ExprKind::kRefWrite: return {false, true};
      case ExprKind::kFunction: {
        const Purity body = Use(id, function_.body(id));
        return {true, body.eval && body.call};
      }
      case ExprKind::kLet: return {AllOf(id).eval, Use(id, function_.let_result(id)).call};
      case ExprKind::kTuple:
      case ExprKind::kIf:
      case ExprKind::kMatch: return AllOf(id);
    }
    return {};
  }

  const Function& function_;
  const SideTable<GlobalId, bool>& global_pure_;
  SideTable<ExprId, ExprId> let_values_;
  SideTable<ExprId, Purity> purity_;
};

}  // namespace

PurityAnalysis::PurityAnalysis(const Module& module) : global_pure_(module.globals().size(), true) {
  // Callers of each global, so that a verdict "impure" reaches them; everything starts out pure, so the result is the
  // largest consistent set of pure functions.
  SideTable<GlobalId, std::vector<GlobalId>> callers(module.globals().size());
  std::vector<GlobalId> work;
  for (const GlobalId id : module.ids()) {
    const Function* function = module.function<Function>(id);
    if (function == nullptr) {
      global_pure_[id] = false;
      continue;
    }
    for (const ExprId expr : function->ids()) {
      if (function->kind(expr) == ExprKind::kGlobal) callers[function->global(expr)].push_back(id);
    }
  }
  // Functions without references are never queried.
  for (const GlobalId id : module.ids()) {
    if (!callers[id].empty()) work.push_back(id);
  }
  while (!work.empty()) {
    const GlobalId id = work.back();
    work.pop_back();
    const Function* function = module.function<Function>(id);
    if (function == nullptr || !global_pure_[id]) continue;
    if (Analyze(*function)[function->root()].call) continue;
    global_pure_[id] = false;
    work.insert(work.end(), callers[id].begin(), callers[id].end());
  }
}

auto PurityAnalysis::Analyze(const Function& function) const -> SideTable<ExprId, Purity> {
  return Analyzer(function, global_pure_).Run();
}

}  // namespace relayopt
