// Casts, and types that Relay holds in others: 8-bit floats in float32, 4-bit integers in 8-bit ones.
#include <cmath>
#include <limits>

#include "builders.h"
#include "families.h"
#include "shared.h"
#include "tensor_data.h"

namespace relayopt::onnx {

namespace {

// The numbers of an 8-bit format: bits of the mantissa, exponent of the smallest normal number, largest number.
struct Float8Format {
  int mantissa;
  int exponent;
  double largest;
  bool has_infinity;
  bool has_negative_zero;
};

auto FormatOf(int32_t element_type) -> Float8Format {
  switch (element_type) {
    case kFloat8E4M3FN: return {3, -6, 448, false, true};
    case kFloat8E4M3FNUZ: return {3, -7, 240, false, false};
    case kFloat8E5M2: return {2, -14, 57344, true, true};
    default: return {2, -15, 57344, false, false};
  }
}

// Rounds to the nearest number of the format, halves to even. Numbers that are normal in the format are rounded in
// their bits; for smaller ones adding and subtracting a number whose last place is the format's smallest step does it.
auto RoundToFloat8(Emitter& em, ExprId x, const Float8Format& format) -> ExprId {
  const DataType f32 = DataType::Float(32);
  const DataType i32 = DataType::Int(32);
  const auto i = [&](int64_t value) { return em.Scalar(i32, value); };
  const int dropped = 23 - format.mantissa;
  const ExprId bits = em.Call("reinterpret"_op, {x}, {{"dtype", i32}});
  const ExprId odd = em.Call("bitwise_and"_op, {em.Call("right_shift"_op, {bits, i(dropped)}), i(1)});
  const ExprId rounded = Add(em, Add(em, bits, i((int64_t{1} << (dropped - 1)) - 1)), odd);
  const ExprId masked = em.Call("bitwise_and"_op, {rounded, i(-(int64_t{1} << dropped))});
  const ExprId big = em.Call("reinterpret"_op, {masked}, {{"dtype", f32}});
  const ExprId magic = em.Scalar(f32, std::ldexp(1.5, 23 + format.exponent - format.mantissa));
  const ExprId magnitude = em.Call("abs"_op, {x});
  const ExprId sum = Sub(em, Add(em, magnitude, magic), magic);
  const ExprId sign = em.Call("bitwise_and"_op, {bits, i(INT32_MIN)});
  const ExprId signed_bits = em.Call("bitwise_or"_op, {em.Call("reinterpret"_op, {sum}, {{"dtype", i32}}), sign});
  const ExprId small = em.Call("reinterpret"_op, {signed_bits}, {{"dtype", f32}});
  return Where(em, Less(em, magnitude, em.Scalar(f32, std::ldexp(1.0, format.exponent))), small, big);
}

auto ToFloat8(Emitter& em, ExprId x, int32_t element_type, bool saturate) -> ExprId {
  const DataType f32 = DataType::Float(32);
  const Float8Format format = FormatOf(element_type);
  x = CastTo(em, x, f32);
  ExprId y = RoundToFloat8(em, x, format);
  if (saturate) {
    // Not by clip, which may turn NaN into a number.
    const ExprId most = em.Scalar(f32, format.largest);
    const ExprId least = em.Scalar(f32, -format.largest);
    y = Where(em, Greater(em, y, most), most, y);
    y = Where(em, Less(em, y, least), least, y);
  } else {
    const ExprId most = em.Scalar(f32, format.largest);
    const double beyond =
        format.has_infinity ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    y = Where(em, Greater(em, y, most), em.Scalar(f32, beyond), y);
    y = Where(em, Less(em, y, em.Scalar(f32, -format.largest)), em.Scalar(f32, -beyond), y);
  }
  y = Where(em, em.Call("isnan"_op, {x}), x, y);
  return format.has_negative_zero ? y : Add(em, y, em.Scalar(f32, 0.0));
}

auto ToNibble(Emitter& em, ExprId x, int32_t element_type) -> ExprId {
  const bool is_signed = element_type == kInt4;
  const DataType dtype = is_signed ? DataType::Int(8) : DataType::UInt(8);
  const double low = is_signed ? -8 : 0;
  const double high = is_signed ? 7 : 15;
  // Unsigned numbers have nothing to clip at the bottom.
  const bool is_uint = em.dtype(x).is_uint();
  const ExprId numbers = em.dtype(x).is_bool() ? Cast(em, x, dtype) : x;
  return CastTo(em, Clip(em, numbers, is_uint ? 0 : low, high), dtype);
}

auto WithElementType(ExprId expr, int32_t element_type) -> Value {
  Value value(expr);
  value.element_type = element_type;
  return value;
}

auto ElementTypeByName(std::string_view name) -> int32_t {
  for (int32_t type = kFloat; type <= kInt4; ++type) {
    if (ElementTypeName(type) == name) return type;
  }
  return kUndefined;
}

auto ConvertCast(Node& n) -> Results {
  Emitter& em = n.em();
  // Before version 6 the type is named.
  const AttributeProto* to = n.Find("to");
  const bool is_named = to != nullptr && to->type == AttributeType::kString;
  const auto type = is_named ? ElementTypeByName(to->s) : static_cast<int32_t>(n.Int("to"));
  const auto dtype = RelayType(type);
  if (!dtype) return n.Fail("Relay has no tensors of element type {}", ElementTypeName(type));
  if (IsFloat8(type) || type == kInt4 || type == kUint4) {
    return WithElementType(RoundToElementType(em, n.in(0), type, n.Flag("saturate")), type);
  }
  // NaN is true, as everything is that is not zero. Relay's not_equal is false for it.
  if (*dtype == DataType::Bool() && n.keeps_nan(n.in(0))) {
    const ExprId is_zero = em.Call("equal"_op, {n.in(0), em.Scalar(em.dtype(n.in(0)), 0.0)});
    return WithElementType(em.Call("logical_not"_op, {is_zero}), type);
  }
  return WithElementType(Cast(em, n.in(0), *dtype), type);
}

auto ConvertCastLike(Node& n) -> Results {
  const int32_t type = n.value(1).element_type;
  if (IsFloat8(type) || type == kInt4 || type == kUint4) {
    return WithElementType(RoundToElementType(n.em(), n.in(0), type, n.Flag("saturate")), type);
  }
  return WithElementType(n.em().CallBare("cast_like"_op, {n.in(0), n.in(1)}), type);
}

auto ConvertBitCast(Node& n) -> Results {
  Emitter& em = n.em();
  const auto type = static_cast<int32_t>(n.Int("to"));
  const auto dtype = RelayType(type);
  const int32_t from = n.value(0).element_type;
  const auto is_wider = [](int32_t element) { return IsFloat8(element) || element == kInt4 || element == kUint4; };
  if (!dtype || is_wider(type) || is_wider(from) || dtype->bits != em.dtype(n.in(0)).bits || dtype->is_bool()) {
    return n.Fail("Relay cannot reinterpret {} as elements of type {}", em.TypeText(n.in(0)), ElementTypeName(type));
  }
  return WithElementType(em.Call("reinterpret"_op, {n.in(0)}, {{"dtype", *dtype}}), type);
}

constexpr OpRow kCastRows[] = {
    OpRow("Cast", "1 6 9 13 19 21", "input", "any to; int saturate = 1", ConvertCast).ByTypes(),
    {"CastLike", "15 19 21", "input, target_type", "int saturate = 1", ConvertCastLike},
    {"BitCast", "26", "input", "int to", ConvertBitCast},
};

}  // namespace

auto RoundToElementType(Emitter& em, ExprId x, int32_t element_type, bool saturate) -> ExprId {
  if (IsFloat8(element_type)) return ToFloat8(em, x, element_type, saturate);
  if (element_type == kInt4 || element_type == kUint4) return ToNibble(em, x, element_type);
  const auto dtype = RelayType(element_type);
  return dtype ? CastTo(em, x, *dtype) : em.Fail("Relay has no such element type");
}

auto CastRows() -> std::span<const OpRow> { return kCastRows; }

}  // namespace relayopt::onnx
