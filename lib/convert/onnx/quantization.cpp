// Quantization: numbers as integers with a scale and a zero point.

#include "builders.h"
#include "families.h"
#include "shared.h"
#include "tensor_data.h"

namespace relayopt::onnx {

auto Dequantize(Emitter& em, ExprId x, ExprId scale, ExprId zero, int64_t axis) -> ExprId {
  return em.Call("qnn.dequantize"_op, {x, scale, zero}, {{"axis", axis}, {"out_dtype", DataType::Float(32)}});
}

namespace {

// Returns a vector along `axis` of data of this rank; a single number stays one.
auto AlongAxis(Emitter& em, ExprId x, int64_t rank, int64_t axis) -> ExprId {
  if (em.rank(x) == 0 || rank == 0) return x;
  if (em.rank(x) == 1 && em.Extent(x, 0) == 1) return Squeeze(em, x, {0});
  if (axis < 0) axis += rank;
  return axis + 1 < rank ? ExpandDims(em, x, 1, rank - axis - 1) : x;
}

struct IntegerRange {
  double least;
  double most;
};

auto RangeOf(int32_t type, DataType dtype) -> IntegerRange {
  if (type == kUint4) return {0, 15};
  if (type == kInt4) return {-8, 7};
  if (dtype.is_uint()) return {0, static_cast<double>((uint64_t{1} << dtype.bits) - 1)};
  const auto half = static_cast<double>(uint64_t{1} << (dtype.bits - 1));
  return {-half, half - 1};
}

// round(x) + zero, limited to the range of the type; without `zero` as it is.
auto ToInteger(Emitter& em, ExprId x, ExprId zero, int32_t type, DataType dtype) -> ExprId {
  ExprId q = RoundHalfEven(em, x);
  if (zero) q = Add(em, q, Cast(em, zero, em.dtype(q)));
  const IntegerRange range = RangeOf(type, dtype);
  return Cast(em, Clip(em, q, range.least, range.most), dtype);
}

}  // namespace

auto Quantize(Node& n, ExprId x, ExprId scale, ExprId zero, DataType dtype, int64_t axis) -> ExprId {
  Emitter& em = n.em();
  // As TVM: halves are rounded away from zero.
  if (!n.exact()) return em.Call("qnn.quantize"_op, {x, scale, zero}, {{"axis", axis}, {"out_dtype", dtype}});
  const int64_t rank = em.rank(x);
  const ExprId scaled = Div(em, x, AlongAxis(em, scale, rank, axis));
  return ToInteger(em, scaled, AlongAxis(em, zero, rank, axis), kUndefined, dtype);
}

auto Requantize(Node& n, ExprId sums, ExprId scale, ExprId y_scale, ExprId y_zero, DataType dtype, int64_t axis)
    -> ExprId {
  Emitter& em = n.em();
  if (!n.exact()) {
    return Quantize(n, Dequantize(em, sums, scale, em.Scalar(DataType::Int(32), 0), axis), y_scale, y_zero, dtype,
                    axis);
  }
  const int64_t rank = em.rank(sums);
  const ExprId ratio = AlongAxis(em, Div(em, scale, y_scale), rank, axis);
  const ExprId scaled = Mul(em, Cast(em, sums, DataType::Float(32)), ratio);
  return ToInteger(em, scaled, AlongAxis(em, y_zero, rank, axis), kUndefined, dtype);
}

auto ScalarOf(Node& n, ExprId x, DataType dtype) -> ExprId {
  Emitter& em = n.em();
  if (em.rank(x) == 1) x = Squeeze(em, x, {0});
  if (em.rank(x) != 0) return n.Fail("a scale or zero point has rank {} instead of 0", em.rank(x));
  return Cast(em, x, dtype);
}

namespace {

// Returns a scale or zero point as the data have it: a number, a vector along `axis`, or shared by blocks of elements.
auto SpreadOver(Node& n, ExprId x, ExprId data, int64_t axis, int64_t block) -> ExprId {
  Emitter& em = n.em();
  if (block <= 0) return AlongAxis(em, x, em.rank(data), axis);
  ExprId spread = em.Call("repeat"_op, {x}, {{"repeats", block}, {"axis", axis}});
  const auto extent = em.Extent(data, axis);
  if (extent && em.Extent(spread, axis) != extent) spread = SliceAxis(em, spread, axis, 0, *extent);
  return spread;
}

// Quantizes by elementary operators, for cases that Relay's operator does not support: rounding half to even, other
// types, blocks, no zero point.
auto QuantizeByParts(Node& n, int64_t axis, int64_t block, int32_t type) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const auto dtype = RelayType(type);
  if (!dtype) return n.Fail("Relay has no tensors of element type {}", ElementTypeName(type));
  const ExprId wide = em.dtype(x).is_float() ? x : Cast(em, x, DataType::Float(32));
  const DataType compute = em.dtype(wide);
  const ExprId scale = CastTo(em, SpreadOver(n, n.in(1), x, axis, block), compute);
  ExprId q = Div(em, wide, scale);
  Value result;
  if (IsFloat8(type)) {
    result = RoundToElementType(em, q, type, n.Flag("saturate"));
  } else {
    result = ToInteger(em, q, n.has(2) ? SpreadOver(n, n.in(2), x, axis, block) : ExprId(), type, *dtype);
  }
  result.element_type = type;
  return result;
}

auto ConvertQuantizeLinear(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  const int64_t block = n.opset() < 21 ? 0 : n.Int("block_size");
  int64_t axis = n.opset() < 13 || rank < 2 ? 0 : n.Int("axis");
  if (rank > 0) axis = n.Axis(axis, rank);
  int32_t type = n.has(2)                ? n.value(2).element_type
                 : n.Has("output_dtype") ? static_cast<int32_t>(n.Int("output_dtype"))
                                         : int32_t{kUndefined};
  if (type == kUndefined) type = n.has(2) ? ElementTypeOf(em.dtype(n.in(2))) : int32_t{kUint8};
  if (n.failed()) return {};
  const bool is_plain = n.has(2) && block == 0 && !IsFloat8(type) && type != kInt4 && type != kUint4 &&
                        em.dtype(n.in(1)) == DataType::Float(32) && em.dtype(x) == DataType::Float(32) &&
                        em.dtype(n.in(2)).bits <= 16;
  if (!is_plain) return QuantizeByParts(n, axis, block, type);
  const ExprId zero = Cast(em, n.in(2), DataType::Int(32));
  return Quantize(n, x, n.in(1), zero, em.dtype(n.in(2)), axis);
}

auto DequantizeAsScale(Node& n) -> Value {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  const int64_t block = n.opset() < 21 ? 0 : n.Int("block_size");
  int64_t axis = n.opset() < 13 || rank <= 1 ? 0 : n.Int("axis");
  if (rank > 0) axis = n.Axis(axis, rank);
  if (n.failed()) return {};
  const DataType scale_type = em.dtype(n.in(1));
  const bool is_plain = n.has(2) && block == 0 && !em.dtype(x).is_float() && scale_type == DataType::Float(32);
  if (is_plain) {
    Value value = Dequantize(em, x, n.in(1), Cast(em, n.in(2), DataType::Int(32)), axis);
    value.element_type = kFloat;
    return value;
  }
  ExprId numbers = em.dtype(x).is_float() ? x : Cast(em, x, DataType::Int(32));
  if (n.has(2)) numbers = Sub(em, numbers, CastTo(em, SpreadOver(n, n.in(2), x, axis, block), em.dtype(numbers)));
  const ExprId scaled = Mul(em, CastTo(em, numbers, scale_type), SpreadOver(n, n.in(1), x, axis, block));
  Value value(scaled);
  value.element_type = ElementTypeOf(scale_type);
  return value;
}

auto ConvertDequantizeLinear(Node& n) -> Results {
  Value value = DequantizeAsScale(n);
  if (n.failed() || n.opset() < 23 || !n.Has("output_dtype") || n.Int("output_dtype") == kUndefined) return value;
  const auto type = static_cast<int32_t>(n.Int("output_dtype"));
  const auto dtype = RelayType(type);
  if (!dtype || !dtype->is_float())
    return n.Fail("attribute 'output_dtype' must be a float type, found {}", ElementTypeName(type));
  value.expr = CastTo(n.em(), value.expr, *dtype);
  value.element_type = type;
  return value;
}

auto ConvertDynamicQuantizeLinear(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const DataType u8 = DataType::UInt(8);
  const ExprId zero = em.Scalar(dtype, 0.0);
  const ExprId most = Maximum(em, zero, ReduceAll(em, "max"_op, x));
  const ExprId least = Minimum(em, zero, ReduceAll(em, "min"_op, x));
  const ExprId range = Sub(em, most, least);
  ExprId scale = Div(em, range, em.Scalar(dtype, 255.0));
  // Data that are all zero have a scale, too.
  if (n.exact()) scale = Where(em, em.Call("equal"_op, {range, zero}), em.Scalar(dtype, 1.0), scale);
  const ExprId point = Sub(em, zero, Div(em, ReduceAll(em, "min"_op, x), scale));
  const ExprId clipped = Clip(em, point, 0, 255);
  const ExprId rounded = n.exact() ? RoundHalfEven(em, clipped) : em.Call("round"_op, {clipped});
  const ExprId zero_point = Cast(em, rounded, u8);
  return {Quantize(n, x, scale, Cast(em, zero_point, DataType::Int(32)), u8, 0), scale, zero_point};
}

constexpr OpRow kQuantizationRows[] = {
    OpRow("QuantizeLinear", "10 13 19 21 23", "x, y_scale, y_zero_point?",
          "int axis = 1; int block_size = 0; int output_dtype; int precision; int saturate = 1", ConvertQuantizeLinear)
        .ByTypes(),
    OpRow("DequantizeLinear", "10 13 19 21 23", "x, x_scale, x_zero_point?",
          "int axis = 1; int block_size = 0; int output_dtype", ConvertDequantizeLinear)
        .ByTypes(),
    OpRow("DynamicQuantizeLinear", "11", "x", "", ConvertDynamicQuantizeLinear).ByTypes(),
};

}  // namespace

auto QuantizationRows() -> std::span<const OpRow> { return kQuantizationRows; }

}  // namespace relayopt::onnx
