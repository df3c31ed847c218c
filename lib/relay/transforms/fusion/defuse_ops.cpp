// DefuseOps: inlines calls of function literals.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/relay/transforms/clean_up/dependency_order.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Whether a node by itself may have an effect or depend on one: it works on a reference or calls something unknown.
auto MayHaveEffect(const Function& function, ExprId id) -> bool {
  switch (function.kind(id)) {
    case ExprKind::kRefCreate:
    case ExprKind::kRefRead:
    case ExprKind::kRefWrite: return true;
    case ExprKind::kCall: {
      const ExprKind callee = function.kind(function.operand(id, 0));
      return callee != ExprKind::kFunction && callee != ExprKind::kConstructor && callee != ExprKind::kGlobal;
    }
    default: return false;
  }
}

// Decides which calls can be inlined, by effects and by the uses of parameters.
class Effects {
 public:
  explicit Effects(const Function& function)
      : function_(function), here_(function.size()), always_used_(function.size()) {
    for (const ExprId id : function.ids()) {
      // Making a closure has no effect, calling it may have.
      if (function.kind(id) == ExprKind::kFunction) continue;
      here_[id] = MayHaveEffect(function, id) || CallsEffect(id);
      for (const ExprId operand : function.operands(id)) here_[id] = here_[id] || here_[operand];
      any_ = any_ || here_[id];
    }
    if (any_) FindUses();
  }

  // Whether the arguments may replace the parameters of `literal`: an argument with effects must still happen exactly
  // once and in its order.
  auto AllowSubstitution(ExprId call, ExprId literal) const -> bool {
    if (!any_) return true;
    size_t with_effects = 0;
    for (size_t i = 0; i < function_.params(literal).size(); ++i) {
      if (!here_[function_.operand(call, i + 1)]) continue;
      ++with_effects;
      if (!always_used_[function_.params(literal)[i]]) return false;
    }
    return with_effects == 0 || (with_effects == 1 && !here_[function_.body(literal)]);
  }

  auto HasEffect(ExprId id) const -> bool { return here_[id]; }

 private:
  auto CallsEffect(ExprId id) const -> bool {
    if (function_.kind(id) != ExprKind::kCall) return false;
    const ExprId callee = function_.operand(id, 0);
    return function_.kind(callee) == ExprKind::kFunction && here_[function_.body(callee)];
  }

  // A variable is always used when some use of it is in no closure, branch or clause inside the function that binds it.
  void FindUses() {
    const Scopes scopes = ComputeScopes(function_);
    std::vector<ExprId> owners(scopes.scopes.size());
    for (size_t i = 1; i < owners.size(); ++i) {
      const Scope& scope = scopes.scopes[i];
      owners[i] = function_.kind(scope.owner) == ExprKind::kLet ? owners[scope.parent.value()] : scope.owner;
    }
    SideTable<ExprId, ExprId> binder(function_.size());
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) != ExprKind::kFunction) continue;
      for (const ExprId param : function_.params(id)) binder[param] = id;
    }
    for (const ExprId id : function_.ids()) {
      if (!scopes.of[id]) continue;
      const auto operands = function_.operands(id);
      const size_t first = function_.kind(id) == ExprKind::kFunction ? operands.size() - 1 : 0;
      for (size_t k = first; k < operands.size(); ++k) {
        if (!binder[operands[k]]) continue;
        if (owners[UseScope(function_, scopes, id, k).value()] == binder[operands[k]]) always_used_[operands[k]] = true;
      }
    }
  }

  const Function& function_;
  // Whether evaluating the expression may have an effect or depend on one.
  SideTable<ExprId, bool> here_;
  SideTable<ExprId, bool> always_used_;
  bool any_ = false;
};

class Defuser {
 public:
  explicit Defuser(const Function& function)
      : function_(function),
        rebuild_(function),
        uses_(function.size()),
        dissolved_(function.size()),
        arguments_(function.size()) {}

  auto Run() -> std::optional<Function> {
    if (!HasLiteralCall()) return std::nullopt;
    effects_.emplace(function_);
    FindDissolved();
    for (const ExprId id : Order()) {
      rebuild_.BeginVisit(id);
      rebuild_.Set(id, Visit(id));
    }
    if (!changed_) return std::nullopt;
    return rebuild_.Finish();
  }

 private:
  auto to() -> FunctionBuilder& { return rebuild_.to(); }

  auto IsLiteralCall(ExprId id) const -> bool {
    return function_.kind(id) == ExprKind::kCall && function_.kind(function_.operand(id, 0)) == ExprKind::kFunction;
  }

  auto HasLiteralCall() const -> bool {
    for (const ExprId id : function_.ids()) {
      if (IsLiteralCall(id)) return true;
    }
    return false;
  }

  // A literal whose only use is one call is inlined in place: its parameters are replaced by the arguments.
  void FindDissolved() {
    for (const ExprId id : function_.ids()) {
      for (const ExprId operand : function_.operands(id))
        uses_[operand] = static_cast<uint8_t>(std::min(2, uses_[operand] + 1));
    }
    for (const ExprId id : function_.ids()) {
      if (!IsLiteralCall(id)) continue;
      const ExprId literal = function_.operand(id, 0);
      dissolved_[literal] = uses_[literal] == 1 && function_.info(literal).type_params.empty() &&
                            function_.params(literal).size() + 1 == function_.operands(id).size() &&
                            effects_->AllowSubstitution(id, literal);
      if (!dissolved_[literal]) continue;
      changed_ = true;
      for (size_t i = 0; i < function_.params(literal).size(); ++i) {
        arguments_[function_.params(literal)[i]] = function_.operand(id, i + 1);
      }
    }
  }

  auto IsDissolvedCall(ExprId id) const -> bool { return IsLiteralCall(id) && dissolved_[function_.operand(id, 0)]; }

  // Operands before users, and arguments before the literals that they are passed to.
  auto Order() const -> std::vector<ExprId> {
    return DependencyOrder(
        function_, [this](ExprId id) { return function_.operands(id).size(); },
        [this](ExprId id, size_t i) {
          const auto operands = function_.operands(id);
          return operands[(i + (IsDissolvedCall(id) ? 1 : 0)) % operands.size()];
        });
  }

  auto Visit(ExprId id) -> ExprId {
    if (arguments_[id]) return rebuild_.New(arguments_[id]);
    if (function_.kind(id) == ExprKind::kFunction && dissolved_[id]) return {};
    if (IsDissolvedCall(id)) return rebuild_.New(function_.body(function_.operand(id, 0)));
    if (function_.kind(id) == ExprKind::kCall) {
      if (const ExprId inlined = InlineCopy(id)) {
        changed_ = true;
        return inlined;
      }
    }
    return rebuild_.Copy(id);
  }

  // Inlines a call of a literal that has other users, or that became the callee only during this pass, as a copy of its
  // body. Returns invalid if the callee is not a literal, or when evaluating the body twice would make a difference.
  auto InlineCopy(ExprId call) -> ExprId {
    const Function& made = to().function();
    const ExprId literal = rebuild_.New(function_.operand(call, 0));
    if (made.kind(literal) != ExprKind::kFunction || !made.info(literal).type_params.empty()) return {};
    const size_t arity = made.params(literal).size();
    if (arity == 0 || arity + 1 != function_.operands(call).size()) return {};
    for (const ExprId arg : function_.operands(call)) {
      if (effects_->HasEffect(arg)) return {};
    }
    absl::flat_hash_map<ExprId, ExprId> copies;
    for (size_t i = 0; i < arity; ++i) copies[made.params(literal)[i]] = rebuild_.New(function_.operand(call, i + 1));
    const auto inside = NodesInside(literal, copies);
    if (!inside) return {};
    for (const ExprId id : *inside) CopyInside(id, copies);
    const auto body = copies.find(made.body(literal));
    return body == copies.end() ? made.body(literal) : body->second;
  }

  // Returns the nodes of the body made since the parameters, upwards, without the parameters, or nothing if one may
  // have effects. What the literal captures was created before.
  auto NodesInside(ExprId literal, const absl::flat_hash_map<ExprId, ExprId>& params)
      -> std::optional<std::vector<ExprId>> {
    const Function& made = to().function();
    const ExprId first = *std::ranges::min_element(made.params(literal));
    std::vector<ExprId> found;
    absl::flat_hash_set<ExprId> seen;
    std::vector<ExprId> pending = {made.body(literal)};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (id < first || params.contains(id) || !seen.insert(id).second) continue;
      if (MayHaveEffect(made, id)) return std::nullopt;
      found.push_back(id);
      for (const ExprId operand : made.operands(id)) pending.push_back(operand);
    }
    std::ranges::sort(found);
    return found;
  }

  // Copies a node that depends on a variable of the literal; others are shared by all copies.
  void CopyInside(ExprId id, absl::flat_hash_map<ExprId, ExprId>& copies) {
    const Function& made = to().function();
    bool depends = made.kind(id) == ExprKind::kVar;
    std::vector<ExprId> operands;
    for (const ExprId operand : made.operands(id)) {
      const auto copy = copies.find(operand);
      depends |= copy != copies.end();
      operands.push_back(copy == copies.end() ? operand : copy->second);
    }
    if (depends) copies[id] = to().Copy(made, id, operands);
  }

  const Function& function_;
  Rebuild rebuild_;
  std::optional<Effects> effects_;
  // The number of uses; 2 means two or more.
  SideTable<ExprId, uint8_t> uses_;
  // Literals that disappear together with their only call, and the replacements of their parameters.
  SideTable<ExprId, bool> dissolved_;
  SideTable<ExprId, ExprId> arguments_;
  bool changed_ = false;
};

struct DefuseOps {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Defuser(function).Run();
  }
};

}  // namespace

constinit const PassDef kDefuseOpsPass = DescribePass<DefuseOps>({
    .name = "DefuseOps",
    .opt_level = 3,
    .required = "InferType",
    .summary = "inlines calls of function literals",
    .details =
        R"(The inverse of FuseOps: a call of a function literal, a kernel or not, becomes the body of the literal
with the arguments in place of the parameters.

  %1 = fn (%p0: T, Primitive=1) -> T {          %0 = add(%x, 1f);
    %0 = add(%p0, 1f);                     =>   exp(%0)
    exp(%0)
  };
  %1(%x)

Captured variables and variables that the body binds are kept apart. A literal with several calls is copied for
each; what does not depend on its variables stays shared. An argument that is used twice is shared.

Left alone: polymorphic literals, calls whose arguments work on references unless the body evaluates them exactly
once and has no effects itself, and literals with effects that are called in several places. Calls of global
functions and of variables are no concern of this pass.)",
    .idempotent = false,
});

}  // namespace relayopt
