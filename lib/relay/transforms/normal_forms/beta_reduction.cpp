// Replaces calls of function literals by copies of their bodies.
#include "beta_reduction.h"

#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/analysis/purity.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

auto HasRedex(const Function& function) -> bool {
  for (const ExprId id : function.ids_below_root()) {
    if (function.kind(id) != ExprKind::kCall) continue;
    if (function.kind(function.operand(id, 0)) == ExprKind::kFunction) return true;
  }
  return false;
}

class Reducer {
 public:
  Reducer(const Module& module, const Function& from)
      : from_(from), purity_(module.Analysis<PurityAnalysis>().Analyze(from)), to_(from.context()) {}

  auto Run() -> Function {
    FindHomes();
    instances_.push_back({from_.root(), 0, {}});
    Evaluate(from_.body());
    auto operands = MapToVector<ExprId>(from_.params(), [&](ExprId param) { return Variable(param, 0); });
    operands.push_back(*Find(from_.body(), 0));
    return Relayout(to_.Finish(to_.Copy(from_, from_.root(), operands)));
  }

 private:
  // One copy of the expressions inside a function literal.
  struct Instance {
    ExprId literal;
    // The instance that contains the literal.
    uint32_t outer;
    absl::flat_hash_map<ExprId, ExprId> made;
  };
  // An expression whose operands are being copied.
  struct Frame {
    ExprId expr;
    uint32_t instance;
    size_t next = 0;
    // For a literal: the instance of its body.
    uint32_t inner = 0;
    // For a call of a literal: the arguments that are bound by let.
    std::vector<ExprId> steps = {};
  };

  void FindHomes() {
    homes_ = SideTable<ExprId, ExprId>(from_.size(), from_.root());
    const Scopes scopes = ComputeScopes(from_);
    std::vector<ExprId> owners(scopes.scopes.size(), from_.root());
    for (size_t i = 1; i < owners.size(); ++i) {
      const Scope& scope = scopes.scopes[i];
      owners[i] = from_.kind(scope.owner) == ExprKind::kFunction ? scope.owner : owners[scope.parent.value()];
    }
    for (const ExprId id : from_.ids_below_root()) {
      if (scopes.of[id]) homes_[id] = owners[scopes.of[id].value()];
    }
  }

  auto InstanceOf(ExprId id, uint32_t instance) const -> uint32_t {
    while (instance != 0 && instances_[instance].literal != homes_[id]) instance = instances_[instance].outer;
    return instance;
  }
  auto Find(ExprId id, uint32_t instance) const -> std::optional<ExprId> {
    const auto& made = instances_[InstanceOf(id, instance)].made;
    const auto found = made.find(id);
    if (found == made.end()) return std::nullopt;
    return found->second;
  }
  void Set(ExprId id, uint32_t instance, ExprId made) { instances_[InstanceOf(id, instance)].made[id] = made; }
  auto Variable(ExprId var, uint32_t instance) -> ExprId {
    if (const auto made = Find(var, instance)) return *made;
    const ExprId made = to_.Copy(from_, var, {});
    Set(var, instance, made);
    return made;
  }
  auto NewInstance(ExprId literal, uint32_t instance) -> uint32_t {
    instances_.push_back({literal, InstanceOf(literal, instance), {}});
    return static_cast<uint32_t>(instances_.size() - 1);
  }

  auto IsRedex(ExprId id) const -> bool {
    return from_.kind(id) == ExprKind::kCall && from_.kind(from_.operand(id, 0)) == ExprKind::kFunction;
  }

  void Evaluate(ExprId root) {
    std::vector<Frame> frames = {{root, 0}};
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (Find(frame.expr, frame.instance)) {
        frames.pop_back();
        continue;
      }
      uint32_t instance = frame.instance;
      const ExprId next = IsRedex(frame.expr) ? NextOfCall(frame, instance) : Next(frame, instance);
      if (next) {
        frames.push_back({next, instance});
        continue;
      }
      Finish(frame);
      frames.pop_back();
    }
  }

  // Returns the next operand to copy, and the instance that it belongs to, or none if all are there.
  auto Next(Frame& frame, uint32_t& instance) -> ExprId {
    if (from_.kind(frame.expr) == ExprKind::kFunction) {
      if (frame.next == 0) frame.inner = NewInstance(frame.expr, frame.instance);
      instance = frame.inner;
    }
    if (frame.next == from_.operands(frame.expr).size()) return {};
    return from_.operand(frame.expr, frame.next++);
  }

  // Copies the arguments, then the body with them.
  auto NextOfCall(Frame& frame, uint32_t& instance) -> ExprId {
    const auto operands = from_.operands(frame.expr);
    if (frame.next + 1 < operands.size()) return operands[++frame.next];
    const ExprId literal = operands[0];
    if (frame.inner == 0) {
      frame.inner = NewInstance(literal, frame.instance);
      const auto params = from_.params(literal);
      for (size_t i = 0; i < params.size() && i + 1 < operands.size(); ++i) {
        const ExprId arg = *Find(operands[i + 1], frame.instance);
        if (purity_[operands[i + 1]].eval) {
          instances_[frame.inner].made[params[i]] = arg;
        } else {
          frame.steps.push_back(Variable(params[i], frame.inner));
          frame.steps.push_back(arg);
        }
      }
    }
    instance = frame.inner;
    const ExprId body = from_.body(literal);
    return Find(body, instance) ? ExprId() : body;
  }

  void Finish(const Frame& frame) {
    const ExprId id = frame.expr;
    if (IsRedex(id)) {
      const ExprId body = *Find(from_.body(from_.operand(id, 0)), frame.inner);
      ExprId made = body;
      if (!frame.steps.empty()) {
        made = to_.Let(frame.steps, body);
        to_.SetType(made, from_.type(id));
      }
      return Set(id, frame.instance, made);
    }
    const uint32_t instance = from_.kind(id) == ExprKind::kFunction ? frame.inner : frame.instance;
    const auto operands =
        MapToVector<ExprId>(from_.operands(id), [&](ExprId operand) { return *Find(operand, instance); });
    Set(id, frame.instance, to_.Copy(from_, id, operands));
  }

  const Function& from_;
  SideTable<ExprId, Purity> purity_;
  FunctionBuilder to_;
  SideTable<ExprId, ExprId> homes_;
  std::deque<Instance> instances_;
};

}  // namespace

auto BetaReduce(const Module& module, const Function& function, PassContext&) -> std::optional<Function> {
  if (!HasRedex(function)) return std::nullopt;
  Function reduced = Reducer(module, function).Run();
  // Parameters may have been where function literals are now.
  while (HasRedex(reduced)) reduced = Reducer(module, reduced).Run();
  return reduced;
}

}  // namespace relayopt
