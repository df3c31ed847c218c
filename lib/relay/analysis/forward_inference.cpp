// Infers types in one ascending walk, and gives up at the first type that cannot be determined immediately.
#include "forward_inference.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "call_types.h"
#include "relayopt/relay/ops/type_rule.h"
#include "relayopt/support/flat_vector.h"
#include "relayopt/support/side_table.h"
#include "shared_result.h"

namespace relayopt {

namespace {

// A solver that only lets a rule determine the result: inputs must already have the required types.
class ForwardSolver final : public RuleSolver {
 public:
  ForwardSolver(const Function& function, ExprId call, std::span<const TypeId> inputs)
      : function_(function), call_(call), inputs_(inputs) {}

  auto UnifyInput(size_t i, TypeId type) -> bool override { return inputs_[i] == type; }
  auto UnifyResult(TypeId type) -> bool override {
    if (result_ && result_ != type) return false;
    result_ = type;
    return true;
  }
  auto MergeResultWithInput(size_t i) -> bool override {
    is_pure_ = false;
    return UnifyResult(inputs_[i]);
  }
  void Report(std::optional<size_t>, std::string) override {}
  auto InputConstant(size_t i) const -> const Constant* override {
    is_pure_ = false;
    const ExprId input = function_.operand(call_, i);
    return function_.kind(input) == ExprKind::kConstant ? &function_.constant(input) : nullptr;
  }

  auto result() const -> TypeId { return result_; }
  // Whether the rule depended on types only.
  auto is_pure() const -> bool { return is_pure_; }

 private:
  const Function& function_;
  ExprId call_;
  std::span<const TypeId> inputs_;
  TypeId result_;
  mutable bool is_pure_ = true;
};

// The steps of all let chains in the order of their values, which are visited in this order.
class LetSteps {
 public:
  explicit LetSteps(const Function& function) : waits_(function.size()) {
    for (const ExprId let : function.ids()) {
      if (function.kind(let) != ExprKind::kLet) continue;
      const auto operands = function.operands(let);
      for (size_t i = 0; i + 1 < operands.size(); i += 2) {
        steps_.push_back({operands[i + 1], operands[i]});
        waits_[operands[i]] = operands[i] < operands[i + 1];
      }
    }
    // Those of a chain are usually in order; those of a chain in a value come before the step that it is in.
    const auto value = [](const Step& step) { return step.value; };
    if (!std::ranges::is_sorted(steps_, {}, value)) std::ranges::stable_sort(steps_, {}, value);
    steps_.push_back({ExprId(ExprId::kNone), {}});
  }

  struct Step {
    ExprId value;
    ExprId var;
  };

  // Whether a variable is bound to an expression that comes after it in the table.
  auto Waits(ExprId var) const -> bool { return waits_[var] != 0; }
  // Calls `visit(var)` for each step with this value, which comes after the last one that was asked for.
  template <typename Visit>
  void ForEach(ExprId value, Visit&& visit) {
    for (; steps_[next_].value <= value; ++next_) {
      if (steps_[next_].value == value) visit(steps_[next_].var);
    }
  }

 private:
  // Ends with a step without a variable, whose value comes after all others.
  FlatVector<Step> steps_;
  size_t next_ = 0;
  SideTable<ExprId, uint8_t> waits_;
};

class ForwardInference {
 public:
  ForwardInference(const Module& module, const FunctionRef& function)
      : module_(module),
        original_(function),
        function_(function.get()),
        context_(function->context()),
        call_types_(context_.Part<CallTypes>()) {}

  auto Run() -> FunctionRef {
    for (const ExprId id : function_->ids()) {
      TypeId type = Infer(id);
      if (!type) {
        if (WaitsForValue(id)) continue;
        type = Assume(id);
        if (!type) return nullptr;
      }
      if (type != complete_) {
        if (context_.type(type).has_incomplete) return nullptr;
        complete_ = type;
      }
      if (type != function_->type(id)) Typed().set_type(id, type);
      if (lets_) TypeVars(id, type);
    }
    if (!assumed_.empty()) return nullptr;
    return typed_ != nullptr ? std::move(typed_) : original_;
  }

 private:
  using Types = absl::InlinedVector<TypeId, 8>;

  auto TypeOf(ExprId id) const -> TypeId { return function_->type(id); }
  auto TypesOf(std::span<const ExprId> ids) const -> Types {
    Types types;
    for (const ExprId id : ids) types.push_back(TypeOf(id));
    return types;
  }
  auto AreOf(std::span<const ExprId> ids, std::span<const TypeId> types) const -> bool {
    return std::ranges::equal(ids, types, {}, [this](ExprId id) { return TypeOf(id); });
  }
  // Returns the type term that the expression had before. Most types have not changed, and comparing with the old one
  // is faster than creating it again.
  auto Before(ExprId id) const -> const Type* { return TypeOf(id) ? &context_.type(TypeOf(id)) : nullptr; }

  // The function to store types in. It is copied when the first type differs from what the function has already.
  auto Typed() -> Function& {
    if (typed_ == nullptr) [[unlikely]]
      CopyFunction();
    return *typed_;
  }
  [[gnu::noinline]] void CopyFunction() {
    typed_ = std::make_shared<Function>(*original_);
    function_ = typed_.get();
  }

  // Whether this is a variable that gets its type from the value of its let, which comes after it in the table. Until
  // then it has no type, so that a value that uses its own variable gets none.
  auto WaitsForValue(ExprId id) -> bool {
    if (function_->kind(id) != ExprKind::kVar) return false;
    if (!lets_) lets_.emplace(*original_);
    if (!lets_->Waits(id)) return false;
    if (TypeOf(id)) Typed().set_type(id, {});
    return true;
  }
  auto AreTyped(std::span<const ExprId> ids) const -> bool {
    return std::ranges::all_of(ids, [this](ExprId id) { return TypeOf(id).has_value(); });
  }
  // Returns the type that a variable without an annotation had before. A call of the closure whose parameter it is must
  // confirm it, by arguments of this type.
  auto Assume(ExprId id) -> TypeId {
    const TypeId type = TypeOf(id);
    if (function_->kind(id) != ExprKind::kVar || !type) return {};
    assumed_.insert(id);
    Typed().set_annotation(id, type);
    return type;
  }
  void Confirm(ExprId closure) {
    if (assumed_.empty() || function_->kind(closure) != ExprKind::kFunction) return;
    for (const ExprId param : function_->params(closure)) assumed_.erase(param);
  }
  // Gives the type of a value to the variables that wait for it.
  void TypeVars(ExprId value, TypeId type) {
    lets_->ForEach(value, [&](ExprId var) {
      if (var > value || function_->var(var).annotation) return;
      Typed().set_type(var, type);
      Typed().set_annotation(var, type);
    });
  }

  // Returns the type, or none if it cannot be determined.
  auto Infer(ExprId id) -> TypeId {
    const auto operands = function_->operands(id);
    const ExprKind kind = function_->kind(id);
    // The variables of a chain have types when it ends, and calls look at the types of their operands anyway.
    if (lets_ && kind != ExprKind::kLet && kind != ExprKind::kOpCall && !AreTyped(operands)) return {};
    switch (kind) {
      case ExprKind::kVar: return function_->var(id).annotation;
      case ExprKind::kGlobal: return OfGlobal(id);
      case ExprKind::kConstant: return OfConstant(id);
      case ExprKind::kTuple: {
        const Type* before = Before(id);
        if (before != nullptr && before->is_tuple() && AreOf(operands, before->args)) return TypeOf(id);
        return context_.Tuple(TypesOf(operands));
      }
      case ExprKind::kTupleGetItem: {
        const Type& tuple = context_.type(TypeOf(operands[0]));
        const uint32_t index = function_->index(id);
        return tuple.is_tuple() && index < tuple.args.size() ? tuple.args[index] : TypeId();
      }
      case ExprKind::kOpCall: return OfOpCall(id);
      case ExprKind::kCall: {
        const Type& callee = context_.type(TypeOf(operands[0]));
        const bool fits = callee.is_function() && callee.type_params.empty() && AreOf(operands.subspan(1), callee.args);
        if (!fits) return {};
        Confirm(operands[0]);
        return callee.result;
      }
      case ExprKind::kFunction: return OfFunction(id);
      case ExprKind::kLet: return OfLet(operands);
      case ExprKind::kIf: {
        const bool fits =
            TypeOf(operands[0]) == context_.Scalar(DataType::Bool()) && TypeOf(operands[1]) == TypeOf(operands[2]);
        return fits ? TypeOf(operands[1]) : TypeId();
      }
      case ExprKind::kRefCreate: return context_.RefType(TypeOf(operands[0]));
      case ExprKind::kRefRead: return Content(operands[0]);
      case ExprKind::kRefWrite: return Content(operands[0]) == TypeOf(operands[1]) ? context_.UnitType() : TypeId();
      case ExprKind::kConstructor:
      case ExprKind::kOp:
      case ExprKind::kMatch: return {};
    }
    return {};
  }

  auto Content(ExprId ref) const -> TypeId {
    const Type& type = context_.type(TypeOf(ref));
    return type.kind == TypeKind::kRef ? type.result : TypeId();
  }

  auto OfGlobal(ExprId id) -> TypeId {
    const Function* callee = module_.function<Function>(function_->global(id));
    if (callee == nullptr || !callee->info().result) return {};
    Types params;
    for (const ExprId param : callee->params()) {
      params.push_back(callee->var(param).annotation);
      if (!params.back()) return {};
    }
    return context_.FunctionType(params, callee->info().result, callee->info().type_params);
  }

  auto OfConstant(ExprId id) -> TypeId {
    const ConstantId constant = function_->constant_id(id);
    auto& [last, type] = constant_types_[constant.value() % constant_types_.size()];
    if (last != constant) {
      last = constant;
      type = TypeOfConstant(id);
    }
    return type;
  }

  auto TypeOfConstant(ExprId id) -> TypeId {
    const Constant& constant = function_->constant(id);
    const Type* before = Before(id);
    // As TVM: shapes of constants are int32.
    const auto is_extent = [](const Dim& dim, int64_t extent) { return dim == Dim(extent); };
    if (before != nullptr && before->is_tensor() && before->dtype == constant.dtype() &&
        std::ranges::equal(before->shape, constant.shape(), is_extent)) {
      return TypeOf(id);
    }
    const absl::InlinedVector<Dim, 6> shape(constant.shape().begin(), constant.shape().end());
    return context_.Tensor(shape, constant.dtype());
  }

  auto OfFunction(ExprId id) -> TypeId {
    const FunctionInfo& info = function_->info(id);
    const TypeId result = TypeOf(function_->body(id));
    const Type& body = context_.type(result);
    const bool is_refined = RefinesUnknown(context_, info.result, result);
    if (info.result && info.result != result && !is_refined) return {};
    if (body.is_function() && !body.type_params.empty()) return {};
    if (!info.result || is_refined) Typed().set_result(id, result);
    const auto params = function_->params(id);
    const Type* before = Before(id);
    if (before != nullptr && before->is_function() && before->result == result && AreOf(params, before->args) &&
        std::ranges::equal(before->type_params, function_->info(id).type_params)) {
      return TypeOf(id);
    }
    return context_.FunctionType(TypesOf(params), result, function_->info(id).type_params);
  }

  auto OfLet(std::span<const ExprId> operands) const -> TypeId {
    for (size_t i = 0; i + 1 < operands.size(); i += 2) {
      if (operands[i] == operands[i + 1] || TypeOf(operands[i]) != TypeOf(operands[i + 1])) return {};
    }
    return TypeOf(operands.back());
  }

  auto OfOpCall(ExprId id) -> TypeId {
    const auto operands = function_->operands(id);
    const OpInstanceId call = function_->op_instance(id);
    bool is_typed = true;
    const auto key = CallTypes::KeyOf(call, operands, [this, &is_typed](ExprId operand) {
      const TypeId type = TypeOf(operand);
      is_typed &= type.has_value();
      return type;
    });
    if (!key) return AreTyped(operands) ? RunRule(id, key) : TypeId();
    if (!is_typed) return {};
    auto& [last, type] = calls_[call.value() % calls_.size()];
    if (!type || *key != last) {
      type = call_types_.Find(*key);
      if (!type) return RunRule(id, key);
      last = *key;
    }
    return type;
  }

  auto RunRule(ExprId id, const std::optional<CallTypes::Key>& key) -> TypeId {
    const Types inputs = TypesOf(function_->operands(id));
    const OpInstance& instance = function_->instance(id);
    const OpDef& op = *instance.op;
    // A text may name any class (`attrs_type_key=`, `meta[...]`); rules rely on the declared one.
    const bool has_class = op.attrs == nullptr || op.attrs_undeclared ||
                           (instance.attrs && context_.attrs(instance.attrs).schema == op.attrs);
    if (!has_class || (inputs.size() != Arity(op) && !op.variadic)) return {};
    ForwardSolver solver(*function_, id, inputs);
    RuleContext rule(context_, op, instance.attrs, inputs, {}, solver);
    if (op.type(rule) != RuleStatus::kDone || !solver.result()) return {};
    if (key && solver.is_pure() && IsSharedResult(context_, solver.result())) {
      call_types_.Remember(*key, solver.result());
    }
    return solver.result();
  }

  const Module& module_;
  const FunctionRef& original_;
  std::shared_ptr<Function> typed_;
  // The copy, once there is one.
  const Function* function_;
  Context& context_;
  CallTypes& call_types_;
  // A type without unknown parts: neighbours often have the same.
  TypeId complete_;
  // The calls and the constants that were typed last, each in the slot that its number gives it: neighbours are often
  // alike.
  std::array<std::pair<CallTypes::Key, TypeId>, 32> calls_;
  std::array<std::pair<ConstantId, TypeId>, 32> constant_types_;
  // Parameters whose types are assumed and not confirmed yet.
  absl::flat_hash_set<ExprId> assumed_;
  // Present from the first variable on that has no annotation.
  std::optional<LetSteps> lets_;
};

}  // namespace

auto InferForward(const Module& module, const FunctionRef& function) -> FunctionRef {
  return ForwardInference(module, function).Run();
}

auto RefinesUnknown(const Context& context, TypeId annotation, TypeId result) -> bool {
  if (!annotation || !result || annotation == result) return false;
  const auto is_unknown = [&](TypeId id) {
    const Type& type = context.type(id);
    return type.is_tensor() && type.rank() == 0 && type.dtype.code == TypeCode::kHandle;
  };
  const Type& before = context.type(annotation);
  const Type& after = context.type(result);
  if (is_unknown(annotation)) return after.is_tensor();
  if (!before.is_tuple() || !after.is_tuple() || before.args.size() != after.args.size()) return false;
  for (size_t i = 0; i < before.args.size(); ++i) {
    const bool is_refined = is_unknown(before.args[i]) && context.type(after.args[i]).is_tensor();
    if (before.args[i] != after.args[i] && !is_refined) return false;
  }
  return true;
}

}  // namespace relayopt
