// Binds intermediate results with let, on an explicit stack.
//
// Every scope has a list of bindings. As TVM: expressions are created in the order in which they are visited (operands
// from left to right, once each); one that is to be bound gets a fresh variable, which is appended to the list of the
// scope that ComputeScopes says it belongs to, and not to that of the current position. When a region (a branch, a
// clause, a body) is made, its list is wrapped around its value; let chains of the source put their steps into the list
// of their scope, so that they come out in one chain.
//
//   %0 = exp(%x);                                             scope of the function: used by the branch and by add
//   %1 = if (%c) { negative(%0) } else { abs(%x) };
//   add(%0, %1)
//
//   visit add, exp    function: x_0 = exp(%x)
//   visit if          branch 2: x_1 = abs(%x); branch 1: x_2 = negative(%x_0); both are closed
//                     function: x_3 = if (%c) { let x_2 ...; x_2 } else { let x_1 ...; x_1 }
//   add               function: x_4 = add(%x_0, %x_3); the function is closed around x_4
//
// ToBasicBlockNormalForm binds only what a scope shares with an inner one (`lifted_`); numbers are drawn for the others
// too. Invariants: a binding comes before its uses; each new expression is created once, so all stays near-linear.
#include "let_builder.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/relay/transforms/let_list.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/annotation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/flat_vector.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Returns the attributes of an on_device call that fixes the device of both its body and its result; null for anything
// else.
auto FixedDevice(const Function& function, ExprId id) -> const OnDeviceAttrs* {
  const Expr expr(function, id);
  if (!expr.is_call_of("on_device"_op)) return nullptr;
  const auto* attrs = expr.attrs<OnDeviceAttrs>();
  return attrs != nullptr && attrs->constrain_body && attrs->constrain_result ? attrs : nullptr;
}

constexpr uint32_t kEnd = UINT32_MAX;

class LetBuilder {
 public:
  LetBuilder(const Function& function, const Scopes& scopes, const SideTable<ExprId, bool>* lifted,
             PassContext& context)
      : function_(function),
        scopes_(scopes),
        lifted_(lifted),
        context_(context),
        to_(function.context()),
        made_(function.size()),
        vars_(function.size()),
        copies_(function.size()),
        lists_(scopes.scopes.size()) {
    to_.ReserveLike(function);
  }

  auto Run() -> Function {
    const ExprId root = function_.root();
    auto operands = MapToVector<ExprId>(function_.params(), [&](ExprId param) { return VarOf(param); });
    device_ = function_.info().virtual_device;
    PushVisit(function_.body());
    while (!tasks_.empty()) {
      const Task task = tasks_.back();
      tasks_.pop_back();
      device_ = task.device;
      Perform(task);
    }
    operands.push_back(Close(scopes_.first[root], made_[function_.body()]));
    return Relayout(to_.Finish(to_.Copy(function_, root, operands)));
  }

 private:
  // A step that remains to be done for an expression. `destination` is the new variable to bind its value to, or
  // invalid; `device` is the virtual device of the enclosing function or fixed on_device, or invalid.
  enum class Step : uint8_t {
    kVisit,
    kFinish,  // its parts are made
    kClose,   // region `region` of it is made: wrap the region's bindings around its value
  };
  struct Task {
    Step step;
    ExprId expr;
    ExprId destination;
    uint32_t region;
    ObjectId device;
  };

  // Bindings of one scope: linked, so that the list of an inner let can be moved to an outer one at once.
  struct Binding {
    ExprId var;
    ExprId value;
    uint32_t next = kEnd;
  };
  struct List {
    uint32_t head = kEnd;
    uint32_t tail = kEnd;
  };

  void Append(ScopeId scope, ExprId var, ExprId value) {
    const auto at = static_cast<uint32_t>(bindings_.size());
    bindings_.push_back({var, value, kEnd});
    Splice(lists_[scope], {at, at});
  }

  void Splice(List& to, List from) {
    if (from.head == kEnd) return;
    if (to.head == kEnd)
      to.head = from.head;
    else
      bindings_[to.tail].next = from.head;
    to.tail = from.tail;
  }

  // Returns the value with the scope's bindings around it.
  auto Close(ScopeId scope, ExprId value) -> ExprId {
    const List list = std::exchange(lists_[scope], {});
    if (list.head == kEnd) return value;
    steps_.clear();
    for (uint32_t at = list.head; at != kEnd; at = bindings_[at].next) {
      steps_.push_back(bindings_[at].var);
      steps_.push_back(bindings_[at].value);
    }
    const ExprId let = to_.Let(steps_, value);
    to_.SetType(let, to_.function().type(value));
    return let;
  }

  auto VarOf(ExprId var) -> ExprId {
    if (!vars_[var]) vars_[var] = to_.Copy(function_, var, {});
    return vars_[var];
  }

  // A variable for a value of this type, which is invalid if types are not inferred.
  auto Fresh(TypeId type) -> ExprId {
    const ExprId var = to_.Var({FreshName(function_.context(), context_), type, {}});
    to_.SetType(var, type);
    return var;
  }

  void Perform(const Task& task) {
    switch (task.step) {
      case Step::kVisit: return Visit(task.expr, task.destination);
      case Step::kFinish: return Finish(task.expr, task.destination);
      case Step::kClose: {
        const ScopeId scope(scopes_.first[task.expr].value() + task.region);
        closed_[scope] = Close(scope, made_[RegionValue(task.expr, task.region)]);
        return;
      }
    }
  }

  // Returns the expression that a region of a function, if or match evaluates to.
  auto RegionValue(ExprId id, uint32_t region) const -> ExprId {
    switch (function_.kind(id)) {
      case ExprKind::kIf: return function_.operand(id, region + 1);
      case ExprKind::kMatch: return function_.operand(id, function_.match(id).clauses[region].rhs);
      default: return function_.operands(id).back();
    }
  }

  void Visit(ExprId id, ExprId destination) {
    if (made_[id]) {
      // Already bound: only a further name is needed. The expression keeps its first name.
      if (destination) Append(scopes_.of[id], destination, made_[id]);
      return;
    }
    switch (function_.kind(id)) {
      case ExprKind::kVar: return Atom(id, VarOf(id), destination);
      case ExprKind::kGlobal:
      case ExprKind::kConstructor:
      case ExprKind::kOp: return Atom(id, to_.Copy(function_, id, {}), destination);
      case ExprKind::kConstant: return Finish(id, destination);
      case ExprKind::kFunction:
        if (IsPrimitive(function_, id)) {
          const ExprId name = NameFor(id, destination);
          return Bind(id, CopyClosed(id), name);
        }
        break;
      default: break;
    }
    tasks_.push_back({Step::kFinish, id, destination, 0, device_});
    if (const OnDeviceAttrs* fixed = FixedDevice(function_, id)) {
      tasks_.push_back({Step::kVisit, function_.operand(id, 0), destination, 0, fixed->virtual_device});
    } else {
      PushParts(id);
    }
  }

  void PushVisit(ExprId id) { tasks_.push_back({Step::kVisit, id, {}, 0, device_}); }

  void PushRegion(ExprId id, uint32_t region) {
    tasks_.push_back({Step::kClose, id, {}, region, device_});
    PushVisit(RegionValue(id, region));
  }

  // A bound value is marked with its device if devices have been planned. Functions know theirs.
  auto OnDevice(ExprId value) -> ExprId {
    const Function& to = to_.function();
    if (!device_ || to.kind(value) == ExprKind::kFunction || to.kind(value) == ExprKind::kVar ||
        Expr(to, value).is_call_of("on_device"_op)) {
      return value;
    }
    OnDeviceAttrs attrs;
    attrs.virtual_device = device_;
    attrs.constrain_result = true;
    return EmitCallWith(to_, "on_device"_op, attrs, {value});
  }

  // Tasks for the parts of an expression; the last one pushed is performed first. As TVM: the branches of an
  // if are evaluated from the last to the first, then the condition, and the value of a write before the reference.
  void PushParts(ExprId id) {
    const auto operands = function_.operands(id);
    switch (function_.kind(id)) {
      case ExprKind::kFunction: device_ = function_.info(id).virtual_device; return PushRegion(id, 0);
      case ExprKind::kIf:
        PushVisit(operands[0]);
        PushRegion(id, 0);
        PushRegion(id, 1);
        return;
      case ExprKind::kMatch:
        for (auto i = static_cast<uint32_t>(function_.match(id).clauses.size()); i-- > 0;) PushRegion(id, i);
        return PushVisit(operands[0]);
      case ExprKind::kLet:
        PushVisit(operands.back());
        for (size_t i = function_.let_size(id); i-- > 0;) {
          tasks_.push_back({Step::kVisit, operands[2 * i + 1], VarOf(operands[2 * i]), 0, device_});
        }
        return;
      case ExprKind::kRefWrite: PushVisit(operands[0]); return PushVisit(operands[1]);
      case ExprKind::kCall:
        PushVisit(operands[0]);
        for (size_t i = operands.size(); i-- > 1;) PushVisit(operands[i]);
        return;
      default:
        for (size_t i = operands.size(); i-- > 0;) PushVisit(operands[i]);
    }
  }

  void Finish(ExprId id, ExprId destination) {
    to_.Replace(function_, id);
    if (function_.kind(id) == ExprKind::kLet) return FinishLet(id, destination);
    std::vector<ExprId>& operands = operands_;
    operands.clear();
    const auto old = function_.operands(id);
    const ScopeId first = scopes_.first[id];
    switch (function_.kind(id)) {
      case ExprKind::kFunction:
        for (const ExprId param : function_.params(id)) operands.push_back(VarOf(param));
        operands.push_back(closed_[first]);
        break;
      case ExprKind::kIf: operands = {made_[old[0]], closed_[first], closed_[ScopeId(first.value() + 1)]}; break;
      case ExprKind::kMatch: {
        operands.push_back(made_[old[0]]);
        const auto& clauses = function_.match(id).clauses;
        for (uint32_t i = 0; i < clauses.size(); ++i) {
          for (uint32_t k = clauses[i].first_operand; k < clauses[i].rhs; ++k) operands.push_back(VarOf(old[k]));
          operands.push_back(closed_[ScopeId(first.value() + i)]);
        }
        break;
      }
      default:
        for (const ExprId operand : old) operands.push_back(made_[operand]);
    }
    if (FixedDevice(function_, id) != nullptr) {
      made_[id] = to_.Copy(function_, id, operands);
      return;
    }
    // Before the value, which is where the order of the table has it.
    const ExprId name = NameFor(id, destination);
    Bind(id, OnDevice(to_.Copy(function_, id, operands)), name);
  }

  // Each step of a chain is a let of its own: from the last to the first, its bindings move to the list around it and
  // its value is bound again.
  void FinishLet(ExprId id, ExprId destination) {
    ExprId value = made_[function_.let_result(id)];
    for (size_t i = function_.let_size(id); i-- > 0;) {
      const ScopeId inner(scopes_.first[id].value() + i);
      const ScopeId outer = scopes_[inner].parent;
      const ExprId name = i == 0 ? destination : ExprId();
      if (IsBound(id, name)) {
        const ExprId var = name ? name : Fresh(to_.function().type(value));
        CopyType(value, var);
        Splice(lists_[outer], std::exchange(lists_[inner], {}));
        Append(outer, var, value);
        value = var;
      } else {
        context_.NextFreshName();
        value = OnDevice(Close(inner, value));
      }
    }
    made_[id] = value;
  }

  auto IsBound(ExprId id, ExprId destination) const -> bool {
    return destination || lifted_ == nullptr || (*lifted_)[id];
  }

  void Atom(ExprId id, ExprId atom, ExprId destination) {
    if (destination) Append(scopes_.of[id], destination, atom);
    made_[id] = destination ? destination : atom;
  }

  // Returns the variable for the value of an expression; invalid if it is not bound.
  auto NameFor(ExprId id, ExprId destination) -> ExprId {
    if (destination) return destination;
    if (IsBound(id, destination)) return Fresh(function_.type(id));
    context_.NextFreshName();
    return {};
  }

  void CopyType(ExprId value, ExprId var) {
    if (!to_.function().type(var)) to_.SetType(var, to_.function().type(value));
  }

  void Bind(ExprId id, ExprId value, ExprId name) {
    made_[id] = name ? name : value;
    if (!name) return;
    CopyType(value, name);
    Append(scopes_.of[id], name, value);
  }

  // A primitive kernel as it is, with what belongs to it. What two kernels share stays shared: a kernel that is called
  // both inside another and beside it would bind its parameters twice if it were copied twice.
  auto CopyClosed(ExprId root) -> ExprId {
    std::vector<ExprId> stack = {root};
    std::vector<ExprId> operands;
    while (!stack.empty()) {
      const ExprId id = stack.back();
      if (copies_[id]) {
        stack.pop_back();
        continue;
      }
      const size_t pending = stack.size();
      for (const ExprId operand : function_.operands(id)) {
        if (!copies_[operand]) stack.push_back(operand);
      }
      if (stack.size() != pending) continue;
      operands.clear();
      for (const ExprId operand : function_.operands(id)) operands.push_back(copies_[operand]);
      copies_[id] = BelongsTo(root, id) ? VarOf(id) : to_.Copy(function_, id, operands);
      stack.pop_back();
    }
    return copies_[root];
  }

  // Whether it is a variable that the kernel captures or binds. Others are bound by literals that the kernel shares
  // with code outside of it, which has a copy of its own.
  auto BelongsTo(ExprId kernel, ExprId id) const -> bool {
    return function_.kind(id) == ExprKind::kVar && (scopes_.IsInside(scopes_.of[kernel], scopes_.of[id]) ||
                                                    scopes_.IsInside(scopes_.of[id], scopes_.first[kernel]));
  }

  const Function& function_;
  const Scopes& scopes_;
  const SideTable<ExprId, bool>* lifted_;
  PassContext& context_;
  FunctionBuilder to_;
  // The replacement of an expression: a variable or name, or the new expression itself when it is not bound.
  SideTable<ExprId, ExprId> made_;
  SideTable<ExprId, ExprId> vars_;
  // The expressions of kernels.
  SideTable<ExprId, ExprId> copies_;
  FlatVector<Binding> bindings_;
  SideTable<ScopeId, List> lists_;
  absl::flat_hash_map<ScopeId, ExprId> closed_;
  FlatVector<Task> tasks_;
  // The operands of the expression being made, and the steps of the chain.
  std::vector<ExprId> operands_;
  FlatVector<ExprId> steps_;
  ObjectId device_;
};

}  // namespace

auto BindWithLet(const Function& function, const Scopes& scopes, const SideTable<ExprId, bool>* lifted,
                 PassContext& context) -> Function {
  return LetBuilder(function, scopes, lifted, context).Run();
}

auto BindShared(const Function& function, PassContext& context) -> std::optional<Function> {
  SideTable<ExprId, uint32_t> uses(function.size());
  SideTable<ExprId, bool> shared(function.size());
  bool any = false;
  uses[function.root()] = 1;
  for (const ExprId id : function.ids_to_root().reversed()) {
    if (uses[id] == 0) continue;
    for (const ExprId operand : function.operands(id)) ++uses[operand];
    switch (function.kind(id)) {
      case ExprKind::kVar:
      case ExprKind::kGlobal:
      case ExprKind::kConstructor:
      case ExprKind::kOp:
      case ExprKind::kConstant: continue;
      default: shared[id] = uses[id] > 1;
    }
    any = any || shared[id];
    // The value gets no variable of its own.
    if (shared[id] && FixedDevice(function, id) != nullptr) ++uses[function.operand(id, 0)];
  }
  if (!any) return std::nullopt;
  return BindWithLet(function, ComputeScopes(function), &shared, context);
}

auto RewriteFunctions(const Module& module, const std::function<Function(const Function&)>& rewrite)
    -> std::optional<Module> {
  Module result = module;
  for (const auto& [id, function] : FunctionsOf<Function>(module)) {
    if (CompilerAttr(function, function.root())) continue;
    result.SetFunction(id, std::make_shared<Function>(rewrite(function)));
  }
  return result;
}

}  // namespace relayopt
