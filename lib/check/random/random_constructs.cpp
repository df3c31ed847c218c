// Tuples, closures, calls, branches, matches and references of random functions.

#include "function_generator.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

void FunctionGenerator::StepTuple() {
  const ExprId tuple = AnyValue([this](ExprId id) { return context_.type(TypeOf(id)).is_tuple(); });
  if (tuple && random_.Chance(60)) {
    const auto fields = context_.type(TypeOf(tuple)).args;
    if (fields.empty()) return;
    const auto index = static_cast<uint32_t>(random_.Below(fields.size()));
    Keep(EmitTupleGetItem(to_, tuple, index), fields[index]);
    return;
  }
  std::vector<ExprId> fields;
  for (size_t n = random_.Below(4); n != 0; --n) fields.push_back(random_.Chance(5) ? AnyOperand() : AnyTensor());
  const ExprId made = EmitTuple(to_, fields);
  Keep(made, TypeOf(made));
}

auto FunctionGenerator::Closure(std::span<const TypeId> params, TypeId result) -> ExprId {
  const std::vector<TypeId> types(params.begin(), params.end());
  const size_t outer = values_.size();
  auto vars = MapToVector<ExprId>(types, [&](TypeId type) { return FreshVar(type); });
  values_.insert(values_.end(), vars.begin(), vars.end());
  const ExprId body = Block(depth_ > 0 ? static_cast<int>(random_.Below(5)) : 0, result);
  values_.resize(outer);
  const TypeId type = context_.FunctionType(types, TypeOf(body));
  const ExprId closure = to_.Lambda({}, vars, body);
  to_.SetType(closure, type);
  return closure;
}

auto FunctionGenerator::AnyClosure() -> ExprId {
  std::vector<TypeId> params;
  for (size_t n = random_.Below(3); n != 0; --n) {
    params.push_back(TypeOf(random_.Chance(15) ? AnyOperand() : AnyTensor()));
  }
  return Closure(params, random_.Chance(50) ? TypeOf(AnyTensor()) : TypeId());
}

void FunctionGenerator::StepClosure() {
  const ExprId closure = AnyClosure();
  if (random_.Chance(20))
    values_.push_back(closure);
  else
    BindByLet(closure);
}

// Calls an existing closure, a new one, or an existing global function.
void FunctionGenerator::StepCall() {
  if (random_.Chance(10)) return StepGenericCall();
  ExprId callee = AnyValue([this](ExprId id) { return IsPlainFunction(context_.type(TypeOf(id))); });
  const bool calls_literal = random_.Chance(15);
  if (calls_literal) callee = AnyClosure();
  const auto globals = module_.SortedFunctions<relayopt::Function>();
  if (!calls_literal && !globals.empty() && (!callee || random_.Chance(50))) {
    const GlobalId id = globals[random_.Below(globals.size())];
    const relayopt::Function& function = *module_.function<relayopt::Function>(id);
    if (!function.info().type_params.empty()) return;
    const auto params =
        MapToVector<TypeId>(function.params(), [&](ExprId param) { return function.var(param).annotation; });
    const TypeId result = function.info().result ? function.info().result : function.type(function.body());
    if (!result) return;
    callee = to_.Global(id);
    to_.SetType(callee, context_.FunctionType(params, result));
  }
  if (!callee) return;
  const Type& type = context_.type(TypeOf(callee));
  const auto args = MapToVector<ExprId>(type.args, [&](TypeId param) { return ValueOf(param); });
  Keep(to_.Call(callee, args), type.result);
}

auto FunctionGenerator::If(ExprId condition, TypeId type) -> ExprId {
  const ExprId then_value = Block(static_cast<int>(random_.Below(5)), type);
  const ExprId else_value = Block(static_cast<int>(random_.Below(5)), type);
  const ExprId made = to_.If(condition, then_value, else_value);
  to_.SetType(made, type);
  return made;
}

void FunctionGenerator::StepIf() {
  const ExprId condition = Condition();
  const TypeId type = TypeOf(AnyTensor());
  Keep(If(condition, type), type);
}

// A nested scope among the operands of its user.
void FunctionGenerator::StepBlock() {
  const TypeId type = TypeOf(AnyTensor());
  Keep(Block(static_cast<int>(random_.Below(5)), type), type);
}

// `let %f = fn (%i: int32, %x) { if (less(%i, 3)) { %f(add(%i, 1), ...) } else { %x } }`, called at once with 0.
void FunctionGenerator::StepLocalLoop() {
  const TypeId counter = context_.Scalar(DataType::Int(32));
  const TypeId type = TypeOf(AnyTensor());
  const TypeId params[] = {counter, type};
  const ExprId self = FreshVar(context_.FunctionType(params, type));
  const ExprId i = FreshVar(counter);
  const ExprId x = FreshVar(type);
  const ExprId condition = EmitCall(to_, "less"_op, {i, EmitScalar(to_, DataType::Int(32), random_.Between(0, 3))});
  const size_t outer = values_.size();
  values_.insert(values_.end(), {i, x});
  const ExprId step = Block(depth_ > 0 ? static_cast<int>(random_.Below(4)) : 0, type);
  values_.resize(outer);
  const ExprId next[] = {EmitCall(to_, "add"_op, {i, EmitScalar(to_, DataType::Int(32), int64_t{1})}), step};
  const ExprId again = to_.Call(self, next);
  to_.SetType(again, type);
  const ExprId body = to_.If(condition, again, x);
  to_.SetType(body, type);
  const ExprId bound[] = {i, x};
  const ExprId closure = to_.Lambda({}, bound, body);
  to_.SetType(closure, TypeOf(self));
  let_steps_.push_back(self);
  let_steps_.push_back(closure);
  const ExprId first[] = {EmitScalar(to_, DataType::Int(32), int64_t{0}), ValueOf(type)};
  Keep(to_.Call(self, first), type);
}

// References are bound by let, and so is every read and write: their order is the order of the steps.
void FunctionGenerator::StepRef() {
  ExprId ref = AnyValue([this](ExprId id) {
    return context_.type(TypeOf(id)).kind == TypeKind::kRef && to_.function().kind(id) == ExprKind::kVar;
  });
  const auto bind = [this](ExprId value, TypeId type) {
    to_.SetType(value, type);
    BindByLet(value);
    return values_.back();
  };
  if (!ref) {
    const ExprId content = AnyTensor();
    has_refs_ = true;
    ref = bind(to_.RefCreate(content), context_.RefType(TypeOf(content)));
    return;
  }
  const TypeId content = context_.type(TypeOf(ref)).result;
  if (random_.Chance(50))
    bind(to_.RefWrite(ref, ValueOf(content)), context_.UnitType());
  else
    bind(to_.RefRead(ref), content);
}

}  // namespace relayopt
