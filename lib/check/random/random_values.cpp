// Values of a given type for random functions.
#include <algorithm>

#include "function_generator.h"
#include "relayopt/arith/dim_arith.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

auto FunctionGenerator::AnyTensor() -> ExprId {
  const ExprId found = AnyValue([this](ExprId id) { return context_.type(TypeOf(id)).is_tensor(); });
  return found ? found : Param(RandomTensorType());
}

auto FunctionGenerator::AnyTensorFor(const OpDef& op) -> ExprId {
  const auto is_fit = [&](const Type& type) { return type.is_tensor() && Accepts(op, 0, type.dtype); };
  // Passes must also handle calls that cannot be evaluated.
  if (random_.Chance(options_.percent_undefined)) return AnyTensor();
  if (const ExprId found = AnyValue([&](ExprId id) { return is_fit(context_.type(TypeOf(id))); })) return found;
  TypeId type = RandomTensorType();
  for (int tries = 0; tries < 20 && !is_fit(context_.type(type)); ++tries) type = RandomTensorType();
  return Param(type);
}

auto FunctionGenerator::AnyOperand() -> ExprId {
  const ExprId found = AnyValue([this](ExprId id) { return context_.type(TypeOf(id)).type_params.empty(); });
  return found ? found : AnyTensor();
}

auto FunctionGenerator::IsData(TypeId type) const -> bool {
  const Type& term = context_.type(type);
  if (term.is_tensor()) return true;
  return term.is_tuple() && std::ranges::all_of(term.args, [this](TypeId field) { return IsData(field); });
}

auto FunctionGenerator::ValueOf(TypeId type) -> ExprId {
  const ExprId found = AnyValue([&](ExprId id) { return TypeOf(id) == type; });
  return found && random_.Chance(85) ? found : NewValueOf(type);
}

// Recurses on the type, whose depth the generator itself bounds.
auto FunctionGenerator::NewValueOf(TypeId type) -> ExprId {
  const Type& term = context_.type(type);
  switch (term.kind) {
    case TypeKind::kTensor: {
      const bool is_static = NumElements(term.shape).has_value() && *NumElements(term.shape) <= 64;
      return is_static && random_.Chance(40) ? ConstantOf(term) : Param(type);
    }
    case TypeKind::kTuple: {
      const auto fields = MapToVector<ExprId>(term.args, [&](TypeId field) { return ValueOf(field); });
      return EmitTuple(to_, fields);
    }
    case TypeKind::kFunction: BindByLet(Closure(term.args, term.result)); return values_.back();
    case TypeKind::kCall: return DataOf(type);
    case TypeKind::kRef: {
      has_refs_ = true;
      const ExprId ref = to_.RefCreate(ValueOf(term.result));
      to_.SetType(ref, type);
      return ref;
    }
    case TypeKind::kVar:
    case TypeKind::kIncomplete:
    case TypeKind::kNull: break;
  }
  RELAYOPT_CHECK(false, "values have complete types");
}

auto FunctionGenerator::EndOf(DataType dtype) -> int64_t {
  if (dtype.is_bool()) return random_.Between(0, 1);
  // The largest uint64 is not an int64.
  const int bits = std::min(dtype.bits - (dtype.is_int() ? 1 : 0), 63);
  const int64_t largest = static_cast<int64_t>(~uint64_t{0} >> (64 - bits));
  const int64_t smallest = dtype.is_int() ? -largest - 1 : 0;
  return random_.Pick({largest, smallest, largest - 1, smallest + 1});
}

// Small round numbers, whose sums and products are exact, with a few odd ones, and for integers the ends of the type.
auto FunctionGenerator::ConstantOf(const Type& type) -> ExprId {
  const auto number = [&]() -> ExprId {
    if (!type.dtype.is_float() && random_.Chance(6)) return EmitScalar(to_, type.dtype, EndOf(type.dtype));
    if (random_.Chance(4)) return EmitScalar(to_, type.dtype, random_.Pick({-0.0, 1e-5, 0.1, 100.0}));
    return EmitScalar(to_, type.dtype, static_cast<double>(random_.Between(-4, 8)) / random_.Pick({1.0, 1.0, 2.0}));
  };
  if (type.is_scalar()) return number();
  auto shape = MapToVector<int64_t>(type.shape, [&](const Dim& dim) { return dim.value(); });
  std::vector<std::byte> bytes;
  for (int64_t n = *NumElements(type.shape); n != 0; --n) {
    // Emitted as a scalar for its rounding; nothing uses that node.
    const auto element = to_.function().constant(number()).Bytes();
    bytes.insert(bytes.end(), element->begin(), element->end());
  }
  const ExprId constant = to_.Constant(context_.AddConstant(Constant(type.dtype, std::move(shape), std::move(bytes))));
  to_.SetType(constant, context_.Tensor(type.shape, type.dtype));
  return constant;
}

auto FunctionGenerator::Condition() -> ExprId {
  const TypeId type = context_.Scalar(DataType::Bool());
  const ExprId scalar = AnyValue([this](ExprId id) {
    const Type& term = context_.type(TypeOf(id));
    return term.is_scalar() && term.dtype == DataType::Float(32);
  });
  if (scalar && random_.Chance(60))
    return EmitCall(to_, "greater"_op, {scalar, ConstantOf(context_.type(TypeOf(scalar)))});
  return ValueOf(type);
}

}  // namespace relayopt
