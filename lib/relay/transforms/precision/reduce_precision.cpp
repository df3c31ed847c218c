// Rewrites a function to compute in a reduced float type.
//
// One walk upwards, in which an expression may get a different type:
// 1. FindUses finds the closures whose type must stay (those that are not only called directly) and the values of
//    let variables.
// 2. A call of an operator is reduced or not by the category of the operator and by what its operands became; its
//    float operands are cast to what it computes in (Casts: to one type once, and back to the expression itself). One
//    with a constant that the reduced type cannot hold (it would become infinite or 0) stays in float32.
// 3. Calls of functions, references, matches and branches that disagree get the types back that they had.
// A variable has the type of its value. Where the value comes later in the table the variable waits for it
// (waiting_), and is made as soon as the value is.
//
// As TVM: the type by which TVM decides is not always the type that an expression has. What comes out of an `if` is
// taken to be of the type it had (AssumedType); StaleCall repairs what would get no type from that.
//
//   nn.softmax(nn.relu(nn.conv2d(%x, %w)))       to float16
//   conv2d is always reduced:   %0 = cast(%x), %1 = cast(%w), %2 = nn.conv2d(%0, %1, out_dtype="float16")
//   relu follows its operand:   %3 = nn.relu(%2)
//   softmax is never reduced:   %4 = cast(%3, dtype="float32"), nn.softmax(%4)
#include "reduce_precision.h"

#include <cmath>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "casts.h"
#include "reduced_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

class MixedPrecision {
 public:
  MixedPrecision(const Function& function, DataType reduced, bool keeps_result, PassRemarks& remarks)
      : function_(function),
        context_(function.context()),
        reduced_(reduced),
        keeps_result_(keeps_result),
        remarks_(remarks),
        rebuild_(function),
        casts_(rebuild_.to()),
        keeps_type_(function.size(), false),
        waiting_(function.size()),
        next_waiting_(function.size()) {}

  auto Run() -> ReducedFunction {
    FindUses();
    rebuild_.ForEach([this](ExprId id) {
      const ExprId made = Visit(id);
      BindWaiting(id, made);
      return made;
    });
    return {rebuild_.Finish(), std::move(missing_), std::move(lost_)};
  }

 private:
  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto TypeOf(ExprId made) -> TypeId { return to().function().type(made); }

  // Returns the type that decisions go by. It is the actual type, except for results of an `if`. As TVM: that is taken
  // to be of the type it had.
  auto AssumedType(ExprId made) -> TypeId {
    if (assumed_.empty()) return TypeOf(made);
    const auto found = assumed_.find(made);
    return found == assumed_.end() ? TypeOf(made) : found->second;
  }

  // Closures whose type may change are those that are only called directly; what a generic one returns depends on the
  // call.
  void FindUses() {
    for (const ExprId id : function_.ids()) {
      const auto operands = function_.operands(id);
      if (function_.kind(id) == ExprKind::kLet) {
        if (value_of_.empty()) value_of_.resize(function_.size());
        for (size_t i = 0; i < function_.let_size(id); ++i)
          value_of_[function_.let_var(id, i)] = function_.let_value(id, i);
      }
      for (size_t i = 0; i < operands.size(); ++i) {
        if (function_.kind(operands[i]) != ExprKind::kFunction) continue;
        const bool is_callee = function_.kind(id) == ExprKind::kCall && i == 0;
        if (!is_callee || !function_.info(operands[i]).type_params.empty()) keeps_type_[operands[i]] = true;
      }
    }
    keeps_type_[function_.root()] = keeps_result_;
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) != ExprKind::kFunction || !keeps_type_[id]) continue;
      if (function_.kind(function_.body(id)) == ExprKind::kLet) is_kept_body_.insert(function_.body(id));
    }
  }

  auto Visit(ExprId id) -> ExprId {
    switch (function_.kind(id)) {
      case ExprKind::kVar: return Variable(id);
      case ExprKind::kOpCall: return OpCall(id);
      case ExprKind::kCall: return Call(id);
      case ExprKind::kTuple: return Tuple(id);
      case ExprKind::kTupleGetItem: return Projection(id);
      case ExprKind::kFunction: return Lambda(id);
      case ExprKind::kIf: return If(id);
      case ExprKind::kMatch: return Match(id);
      case ExprKind::kRefCreate:
      case ExprKind::kRefWrite: return CopyWithCasts(id, [](size_t) { return true; });
      case ExprKind::kLet: return Let(id);
      default: return rebuild_.Copy(id);
    }
  }

  // A variable gets the type of its value, which may come later. Closures keep their types, and only closures may refer
  // to the variable that they are bound to.
  auto Variable(ExprId id) -> ExprId {
    const ExprId old_value = value_of_.empty() ? ExprId() : value_of_[id];
    if (!old_value || function_.kind(old_value) == ExprKind::kFunction) return rebuild_.Copy(id);
    const ExprId value = rebuild_.New(old_value);
    if (value) return VariableFor(id, value);
    next_waiting_[id] = waiting_[old_value];
    waiting_[old_value] = id;
    return {};
  }

  void BindWaiting(ExprId value, ExprId made) {
    for (ExprId var = waiting_[value]; var; var = next_waiting_[var]) rebuild_.Set(var, VariableFor(var, made));
  }

  auto VariableFor(ExprId var, ExprId value) -> ExprId {
    const TypeId type = TypeOf(value);
    if (!type || type == function_.type(var)) return rebuild_.Copy(var);
    VarInfo info = function_.var(var);
    info.annotation = type;
    const ExprId made = to().Var(info);
    to().SetType(made, type);
    to().SetRange(made, function_.range(var));
    to().SetSpan(made, function_.span(var));
    return made;
  }

  // Operators.

  auto OpCall(ExprId id) -> ExprId {
    const OpDef* op = function_.op(id);
    if (op->precision == Precision::kMissing) ++missing_[op->name];
    const auto args = rebuild_.NewOperands(id);
    const bool may_be_reduced = IsReduced(id, *op, args);
    const auto lost = FindLost(id, may_be_reduced ? reduced_ : kFloat32);
    const bool is_reduced = may_be_reduced && !lost;
    if (lost && !may_be_reduced) lost_.push_back({function_.range(id), op->name, *lost});
    if (remarks_.is_wanted()) Report(id, *op, is_reduced, may_be_reduced ? lost : std::nullopt);
    const DataType wanted = is_reduced ? reduced_ : kFloat32;
    // Without an output type in the attributes, integers would come out as floats.
    const OpInstanceId call = is_reduced && (!IsInteger(id) || FillsWithSmallInteger(id))
                                  ? Reduced(function_.op_instance(id))
                                  : function_.op_instance(id);
    cast_.clear();
    bool is_stale = false;
    for (const ExprId arg : args) {
      cast_.push_back(casts_.CastFloats(arg, AssumedType(arg), wanted));
      // Some fields of a tuple may have been cast while others are still stale.
      is_stale = is_stale || (!assumed_.empty() && assumed_.contains(arg));
    }
    if (is_stale) return StaleCall(id, *op, call, args, wanted);
    return Finish(id, EmitOp(id, call, cast_), is_reduced);
  }

  // Returns the operator with attributes for the reduced type.
  auto Reduced(OpInstanceId call) -> OpInstanceId {
    OpInstanceId& reduced = reduced_calls_[call];
    if (!reduced) {
      const OpInstance& instance = GetOpInstance(context_, call);
      reduced = InternOpInstance(context_, {instance.op, ReducedAttrs(context_, instance.attrs, reduced_)});
    }
    return reduced;
  }

  auto TypeOfInstance(OpInstanceId call, std::span<const TypeId> inputs) -> TypeId {
    const OpInstance& instance = GetOpInstance(context_, call);
    return TypeOfCall(context_, *instance.op, instance.attrs, inputs);
  }

  auto IsInteger(ExprId id) const -> bool {
    const TypeId type = function_.type(id);
    return type && context_.type(type).is_tensor() && !context_.type(type).dtype.is_float();
  }

  // As TVM: a tensor filled with an integer becomes floats if its attributes leave the element type open; here only
  // when the reduced type can represent the integer, or all integers of its type, since users that need integers cast
  // them back.
  auto FillsWithSmallInteger(ExprId id) const -> bool {
    if (context_.As<InitOpAttrs>(function_.attrs(id)) == nullptr || function_.operands(id).size() != 1) return false;
    const ExprId value = function_.operand(id, 0);
    // The number of binary digits of the least precise type of this width: for 16 bits bfloat16.
    const int digits = reduced_.bits < 16 ? 3 : reduced_.bits == 16 ? 8 : 24;
    if (function_.kind(value) == ExprKind::kConstant && !function_.constant(value).dtype().is_bool()) {
      const auto number = function_.constant(value).ScalarAsDouble();
      return number && std::abs(*number) <= std::ldexp(1.0, digits);
    }
    const TypeId type = function_.type(value);
    if (!type || !context_.type(type).is_tensor()) return false;
    const DataType dtype = context_.type(type).dtype;
    // The condition of an If has to stay a truth value.
    if (dtype.is_bool()) return false;
    return (dtype.is_int() && dtype.bits - 1 <= digits) || (dtype.is_uint() && dtype.bits <= digits);
  }

  // A number among the constant operands of a call that `dtype` cannot hold: directly, in a tuple, or bound by let.
  auto FindLost(ExprId id, DataType dtype) -> std::optional<LostElement> {
    const auto operands = function_.operands(id);
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool is_divisor = i == 1 && function_.op(id) == "divide"_op;
      const ExprId operand = ValueOf(operands[i]);
      const bool is_tuple = function_.kind(operand) == ExprKind::kTuple;
      const auto parts = is_tuple ? function_.operands(operand) : std::span(&operand, 1);
      for (const ExprId part : parts) {
        const ExprId value = ValueOf(part);
        if (function_.kind(value) != ExprKind::kConstant) continue;
        const auto lost = FindLostIn(value, dtype, is_divisor);
        const bool is_meant = lost && function_.op(id) == "nn.pad"_op && StandsForInfinity(lost->value);
        if (lost && !is_meant) return lost;
      }
    }
    return std::nullopt;
  }

  // Large constants may be shared by many calls, and are looked through once.
  auto FindLostIn(ExprId constant, DataType dtype, bool is_divisor) -> std::optional<LostElement> {
    if (!function_.constant(constant).dtype().is_float()) return std::nullopt;
    const auto [known, is_new] = known_lost_.try_emplace(std::tuple(constant, dtype == reduced_, is_divisor));
    if (is_new) known->second = FindLostElement(function_.constant(constant), dtype, is_divisor);
    return known->second;
  }

  // Returns the value of a variable that is bound by let.
  auto ValueOf(ExprId id) const -> ExprId {
    if (value_of_.empty() || function_.kind(id) != ExprKind::kVar || !value_of_[id]) return id;
    return value_of_[id];
  }

  void Report(ExprId id, const OpDef& op, bool is_reduced, const std::optional<LostElement>& lost) {
    if (lost) {
      return remarks_.MissedOp("Kept", id,
                               fmt::format("stays in float32: its constant {:g} becomes {} in {}", lost->value,
                                           lost->is_infinite ? "infinite" : "zero", ToString(reduced_)));
    }
    if (is_reduced) {
      const bool always = op.precision == Precision::kAlways;
      return remarks_.PassedOp(
          "Reduced", id, fmt::format("computes in {}{}", ToString(reduced_), always ? "" : ", as its operands do"));
    }
    remarks_.MissedOp("Kept", id,
                      op.precision == Precision::kNever ? "stays in float32: it needs the precision"
                      : op.precision == Precision::kMissing
                          ? "stays in float32: no category of precision is known for it"
                      : op.precision == Precision::kAlways ? "stays as it is: its attributes allow no other type"
                                                           : "stays in float32: an operand does");
  }

  auto IsReduced(ExprId id, const OpDef& op, std::span<const ExprId> args) -> bool {
    if (op.precision == Precision::kNever) return false;
    if (op.precision != Precision::kAlways) {
      for (const ExprId arg : args) {
        const ExprKind kind = to().function().kind(arg);
        if (kind == ExprKind::kVar || kind == ExprKind::kConstant) continue;
        if (!IsCompatible(AssumedType(arg))) return false;
      }
    }
    return CanReduceAttrs(context_, function_.attrs(id), reduced_);
  }

  // Whether a tensor, or every field of a tuple, is already reduced or is not a float.
  auto IsCompatible(TypeId id) const -> bool {
    if (!id) return false;
    const Type& type = context_.type(id);
    const auto is_compatible = [&](const Type& tensor) {
      return tensor.is_tensor() && (!tensor.dtype.is_float() || tensor.dtype == reduced_);
    };
    if (!type.is_tuple()) return is_compatible(type);
    for (const TypeId field : type.args) {
      if (!is_compatible(context_.type(field))) return false;
    }
    return true;
  }

  auto EmitOp(ExprId id, OpInstanceId call, std::span<const ExprId> args) -> ExprId {
    const ExprId made = to().OpCall(call, args);
    types_.clear();
    for (const ExprId arg : args) types_.push_back(TypeOf(arg));
    to().SetType(made, TypeOfInstance(call, types_));
    to().SetRange(made, function_.range(id));
    to().SetSpan(made, function_.span(id));
    return made;
  }

  // Returns a call with an operand whose assumed type differs from its actual type. TVM casts by the assumed type. When
  // that gives an ill-typed program, or reduces an expression that must not be reduced, operands are cast by their
  // actual types.
  auto StaleCall(ExprId id, const OpDef& op, OpInstanceId call, std::span<const ExprId> args, DataType wanted)
      -> ExprId {
    const auto assumed = MapToVector<TypeId>(cast_, [&](ExprId arg) { return AssumedType(arg); });
    const ExprId made = EmitOp(id, call, cast_);
    if (TypeOf(made) && op.precision != Precision::kNever) {
      const TypeId type = TypeOfInstance(call, assumed);
      if (type && type != TypeOf(made)) assumed_.emplace(made, type);
      return made;
    }
    const auto exact =
        MapToVector<ExprId>(args, [&](ExprId arg) { return casts_.CastFloats(arg, TypeOf(arg), wanted); });
    return Finish(id, EmitOp(id, call, exact), wanted == reduced_);
  }

  // When the type rule rejects the new operands, because attributes require the old types, the old operands are used.
  // When the rule cannot determine a type, the result has the old type with other floats.
  auto Finish(ExprId id, ExprId made, bool is_reduced) -> ExprId {
    if (TypeOf(made) || !function_.type(id)) return made;
    std::vector<ExprId> operands;
    for (const ExprId operand : function_.operands(id)) {
      operands.push_back(casts_.CastTo(rebuild_.New(operand), function_.type(operand)));
    }
    const ExprId restored = EmitOp(id, function_.op_instance(id), operands);
    if (TypeOf(restored)) return restored;
    const Type& type = context_.type(function_.type(id));
    const bool changes = is_reduced && type.is_tensor() && type.dtype.is_float();
    to().SetType(made, changes ? context_.Tensor(type.shape, reduced_) : function_.type(id));
    return made;
  }

  // Everything else.

  auto Tuple(ExprId id) -> ExprId {
    const auto operands = rebuild_.NewOperands(id);
    const ExprId tuple = EmitTuple(to(), operands);
    to().SetRange(tuple, function_.range(id));
    to().SetSpan(tuple, function_.span(id));
    if (assumed_.empty()) return tuple;
    std::vector<TypeId> types;
    bool is_stale = false;
    for (const ExprId field : operands) {
      types.push_back(AssumedType(field));
      is_stale |= assumed_.contains(field);
    }
    if (is_stale) assumed_.emplace(tuple, context_.Tuple(types));
    return tuple;
  }

  auto Projection(ExprId id) -> ExprId {
    const ExprId tuple = rebuild_.New(function_.operand(id, 0));
    const ExprId item = EmitTupleGetItem(to(), tuple, function_.index(id));
    to().SetRange(item, function_.range(id));
    to().SetSpan(item, function_.span(id));
    if (assumed_.empty()) return item;
    const auto found = assumed_.find(tuple);
    if (found == assumed_.end()) return item;
    const TypeId type = context_.type(found->second).args[function_.index(id)];
    if (type != TypeOf(item)) assumed_.emplace(item, type);
    return item;
  }

  // Emits the node with those operands cast back to their old types for which `casts_back(position)` holds.
  template <typename CastsBack>
  auto CopyWithCasts(ExprId id, CastsBack&& casts_back) -> ExprId {
    const auto old = function_.operands(id);
    std::vector<ExprId> operands;
    for (size_t i = 0; i < old.size(); ++i) {
      const ExprId made = rebuild_.New(old[i]);
      operands.push_back(casts_back(i) ? casts_.CastTo(made, function_.type(old[i])) : made);
    }
    return to().Copy(function_, id, operands);
  }

  // Calls of closures, global functions and constructors: parameters keep their types.
  auto Call(ExprId id) -> ExprId {
    const ExprId made = CopyWithCasts(id, [](size_t i) { return i != 0; });
    const ExprId callee = to().function().operand(made, 0);
    if (to().function().kind(callee) == ExprKind::kFunction && to().function().info(callee).type_params.empty()) {
      const TypeId result = TypeOf(to().function().body(callee));
      if (result) to().SetType(made, result);
    }
    return made;
  }

  auto Lambda(ExprId id) -> ExprId {
    const ExprId body = rebuild_.New(function_.body(id));
    const bool casts_back = keeps_type_[id] && !is_kept_body_.contains(function_.body(id));
    const ExprId result = casts_back ? casts_.CastTo(body, function_.type(function_.body(id))) : body;
    const auto params = MapToVector<ExprId>(function_.params(id), [&](ExprId param) { return rebuild_.New(param); });
    FunctionInfo info = function_.info(id);
    if (!keeps_type_[id]) info.result = {};
    const ExprId made = to().Lambda(std::move(info), params, result);
    to().SetRange(made, function_.range(id));
    to().SetSpan(made, function_.span(id));
    SetFunctionType(id, made, params, result);
    return made;
  }

  void SetFunctionType(ExprId id, ExprId made, const std::vector<ExprId>& params, ExprId body) {
    if (!function_.type(id)) return;
    const auto types = MapToVector<TypeId>(params, [&](ExprId param) { return TypeOf(param); });
    const Type& old = context_.type(function_.type(id));
    const bool is_same = !old.is_function() || TypeOf(body) == old.result || !TypeOf(body);
    to().SetType(made, is_same ? function_.type(id) : context_.FunctionType(types, TypeOf(body), old.type_params));
  }

  // The result of a let chain that is a body is cast inside the chain.
  auto Let(ExprId id) -> ExprId {
    std::vector<ExprId> steps;
    steps.reserve(function_.let_size(id));
    for (size_t i = 0; i < function_.let_size(id); ++i) {
      steps.push_back(rebuild_.New(function_.let_var(id, i)));
      steps.push_back(rebuild_.New(function_.let_value(id, i)));
    }
    ExprId result = rebuild_.New(function_.let_result(id));
    if (is_kept_body_.contains(id)) result = casts_.CastTo(result, function_.type(function_.let_result(id)));
    const ExprId made = to().Let(steps, result);
    to().SetType(made, TypeOf(result));
    to().SetRange(made, function_.range(id));
    to().SetSpan(made, function_.span(id));
    return made;
  }

  // Branches of equal type stay; others are cast back to their original type.
  auto If(ExprId id) -> ExprId {
    const ExprId then_value = rebuild_.New(function_.operand(id, 1));
    const ExprId else_value = rebuild_.New(function_.operand(id, 2));
    if (!TypeOf(then_value) || TypeOf(then_value) != TypeOf(else_value)) {
      return CopyWithCasts(id, [](size_t i) { return i != 0; });
    }
    const ExprId made = rebuild_.Copy(id);
    if (TypeOf(then_value) != function_.type(id)) {
      to().SetType(made, TypeOf(then_value));
      if (function_.type(id)) assumed_.emplace(made, function_.type(id));
    }
    return made;
  }

  // Patterns rely on the type of the data, users on that of the clauses.
  auto Match(ExprId id) -> ExprId {
    std::vector<bool> casts_back(function_.operands(id).size(), false);
    casts_back[0] = true;
    for (const MatchClause& clause : function_.match(id).clauses) casts_back[clause.rhs] = true;
    return CopyWithCasts(id, [&](size_t i) { return casts_back[i]; });
  }

  const Function& function_;
  Context& context_;
  DataType reduced_;
  bool keeps_result_;
  PassRemarks& remarks_;
  Rebuild rebuild_;
  CastCache casts_;
  // For kFunction nodes: whether the type must stay.
  SideTable<ExprId, bool> keeps_type_;
  // The old value of each old let variable; empty if there is no let.
  SideTable<ExprId, ExprId> value_of_;
  // Chains of old variables that are created after their old value.
  SideTable<ExprId, ExprId> waiting_;
  SideTable<ExprId, ExprId> next_waiting_;
  // Old chains that are bodies of functions whose type must stay.
  absl::flat_hash_set<ExprId> is_kept_body_;
  // New expressions whose assumed type is not their type.
  absl::flat_hash_map<ExprId, TypeId> assumed_;
  std::map<std::string_view, size_t> missing_;
  std::vector<ReducedFunction::Lost> lost_;
  // Results of FindLostIn: by constant, whether in the reduced type or in float32, and whether it divides.
  absl::flat_hash_map<std::tuple<ExprId, bool, bool>, std::optional<LostElement>> known_lost_;
  absl::flat_hash_map<OpInstanceId, OpInstanceId> reduced_calls_;
  // The operands of the call being made, and the types of those.
  std::vector<ExprId> cast_;
  std::vector<TypeId> types_;
};

}  // namespace

auto ReducePrecision(const Function& function, DataType reduced, bool keeps_result, PassRemarks& remarks)
    -> ReducedFunction {
  return MixedPrecision(function, reduced, keeps_result, remarks).Run();
}

}  // namespace relayopt
