// Operators of several tensors that work element by element.
#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// Before version 7 the second operand is aligned with the axes of the first from `axis` on, not with the last axes.
auto LegacyOperand(Node& n) -> ExprId {
  Emitter& em = n.em();
  const ExprId y = n.in(1);
  if (n.opset() >= 7 || !n.Has("broadcast") || !n.Flag("broadcast") || !n.Has("axis")) return y;
  const int64_t axis = n.Axis(n.Int("axis"), em.rank(n.in(0)));
  const int64_t missing = em.rank(n.in(0)) - axis - em.rank(y);
  return missing <= 0 ? y : ExpandDims(em, y, em.rank(y), missing);
}

auto ConvertArithmetic(Node& n) -> Results { return n.em().Call(n.row().relay, {n.in(0), LegacyOperand(n)}); }

auto ConvertPow(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  ExprId y = LegacyOperand(n);
  const DataType original = em.dtype(x);
  // As TVM: integers go through floats.
  if (!original.is_float()) x = Cast(em, x, DataType::Float(32));
  if (em.dtype(y) != em.dtype(x)) y = Cast(em, y, em.dtype(x));
  const ExprId power = em.Call("power"_op, {x, y});
  return em.dtype(x) == original ? power : Cast(em, power, original);
}

auto ConvertMod(Node& n) -> Results {
  Emitter& em = n.em();
  const bool truncates = n.Flag("fmod");
  const ExprId x = n.in(0);
  const ExprId y = n.in(1);
  const ExprId result = em.Call(truncates ? "mod"_op : "floor_mod"_op, {x, y});
  const DataType dtype = em.dtype(x);
  if (truncates || !n.exact() || !dtype.is_float()) return result;
  // Relay's quotient is NaN where the divisor is infinite: the remainder is x, or the divisor where signs differ.
  const ExprId zero = em.Scalar(dtype, 0);
  const auto is_finite = [&](ExprId value) { return em.Call("isfinite"_op, {value}); };
  const ExprId is_infinite = em.Call("isinf"_op, {y});
  const ExprId is_whole = em.Call("logical_and"_op, {is_infinite, is_finite(x)});
  const ExprId differ = Less(em, Mul(em, x, em.Call("sign"_op, {y})), zero);
  return Where(em, is_whole, Where(em, differ, y, x), result);
}

// Max, Min and Sum of any number of tensors.
auto ConvertFold(Node& n) -> Results {
  ExprId result = n.in(0);
  for (size_t i = 1; i < n.num_inputs(); ++i) {
    // If an operand is NaN the operator returns the right one, so only a NaN on the left needs care.
    const ExprId left = result;
    result = n.em().Call(n.row().relay, {left, n.in(i)});
    if (n.row().name != "Sum") result = KeepNaN(n, left, result);
  }
  return result;
}

auto ConvertMean(Node& n) -> Results {
  Emitter& em = n.em();
  if (n.num_inputs() == 1) return n.in(0);
  bool are_equal = true;
  for (size_t i = 1; i < n.num_inputs(); ++i) are_equal &= em.StaticShape(n.in(i)) == em.StaticShape(n.in(0));
  if (!are_equal || !em.StaticShape(n.in(0))) {
    const ExprId sum = [&] {
      ExprId total = n.in(0);
      for (size_t i = 1; i < n.num_inputs(); ++i) total = Add(em, total, n.in(i));
      return total;
    }();
    return Div(em, sum, em.Scalar(em.dtype(sum), static_cast<int64_t>(n.num_inputs())));
  }
  Exprs parts;
  for (const ExprId x : n.ins()) parts.push_back(ExpandDims(em, x, 0));
  return Reduce(em, "mean"_op, Concat(em, parts, 0), {0}, false);
}

auto ConvertPRelu(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  ExprId slope = n.in(1);
  // Before version 7 a vector has one slope for each channel.
  const bool has_channels = em.rank(slope) == 1 && em.rank(x) > 2 && em.Extent(slope, 0) != 1;
  if (n.opset() < 7 && has_channels) slope = ExpandDims(em, slope, 1, em.rank(x) - 2);
  if (n.exact()) {
    const ExprId zero = em.Scalar(em.dtype(x), 0);
    return Where(em, Less(em, x, zero), Mul(em, x, slope), x);
  }
  const ExprId alpha = Reshape(em, em.Call("broadcast_to_like"_op, {slope, x}), {-1});
  const ExprId flat = em.Call("nn.prelu"_op, {Reshape(em, x, {-1}), alpha}, {{"axis", 0}});
  return ReshapeBy(em, flat, em.ShapeOf(x));
}

auto ConvertBitShift(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(n.in(0));
  const bool is_left = n.Choice("direction", "LEFT,RIGHT") == "LEFT";
  const OpDef* op = is_left ? "left_shift"_op : "right_shift"_op;
  if (n.opset() < 28 && !dtype.is_uint()) return n.Fail("only unsigned integers are shifted before version 28");
  if (!n.exact() && dtype.is_uint()) return em.Call(op, {n.in(0), n.in(1)});
  // A shift by all bits or more, or by a negative number, leaves the sign: that by all but one bit, which is the last
  // that Relay defines, does so for negative numbers.
  const auto number = [&](int64_t value) { return em.Scalar(dtype, value); };
  const ExprId y = n.in(1);
  ExprId is_beyond = Greater(em, y, number(dtype.bits - 1));
  if (!dtype.is_uint()) is_beyond = em.Call("logical_or"_op, {is_beyond, Less(em, y, number(0))});
  const ExprId shifted = em.Call(op, {n.in(0), Where(em, is_beyond, number(dtype.bits - 1), y)});
  if (!dtype.is_uint() && !is_left) return shifted;
  return Where(em, is_beyond, number(0), shifted);
}

auto ConvertEinsum(Node& n) -> Results {
  return n.em().Call("einsum"_op, {n.em().Tuple(n.ins())}, {{"equation", n.Text("equation")}});
}

constexpr auto Arithmetic(std::string_view name, std::string_view versions, const OpDef* relay, Types kernels = 0)
    -> OpRow {
  return OpRow(name, versions, "A, B", "int axis; int broadcast = 0; ints consumed_inputs", ConvertArithmetic)
      .Of(relay, kernels)
      .ByTypes();
}

constexpr auto Fold(std::string_view name, const OpDef* relay, Types kernels = 0) -> OpRow {
  return OpRow(name, "1 6 8 12 13", "data_0, data...", "ints consumed_inputs", ConvertFold)
      .Of(relay, kernels)
      .ByTypes();
}

constexpr OpRow kBinaryRows[] = {
    Arithmetic("Add", "1 6 7 13 14", "add"_op, kArithmetic),
    Arithmetic("Sub", "1 6 7 13 14", "subtract"_op, kReals | kI8 | kI32 | kI64 | kU8 | kU32 | kU64),
    Arithmetic("Mul", "1 6 7 13 14", "multiply"_op, kReals | kI8 | kI32 | kI64 | kU8 | kU32 | kU64),
    Arithmetic("Div", "1 6 7 13 14", "divide"_op, kReals | kI8 | kI32 | kI64 | kU8 | kU32 | kU64),
    Arithmetic("Equal", "1 7 11 13 19", "equal"_op, kReals | kB | kI8 | kI32 | kI64 | kU8),
    Arithmetic("Greater", "1 7 9 13", "greater"_op, kReals | kI32 | kI64),
    Arithmetic("Less", "1 7 9 13", "less"_op, kReals | kI32 | kI64),
    Arithmetic("GreaterOrEqual", "12 16", "greater_equal"_op, kReals | kI32 | kI64),
    Arithmetic("LessOrEqual", "12 16", "less_equal"_op, kReals | kI32 | kI64),
    Arithmetic("And", "1 7", "logical_and"_op, kB),
    Arithmetic("Or", "1 7", "logical_or"_op, kB),
    Arithmetic("Xor", "1 7", "logical_xor"_op, kB),
    Arithmetic("BitwiseAnd", "18", "bitwise_and"_op),
    Arithmetic("BitwiseOr", "18", "bitwise_or"_op),
    Arithmetic("BitwiseXor", "18", "bitwise_xor"_op),
    Fold("Max", "maximum"_op, kReals | kI32 | kI64 | kU32 | kU64),
    Fold("Min", "minimum"_op, kReals | kI32 | kI64 | kU32 | kU64),
    Fold("Sum", "add"_op),
    OpRow("Pow", "1 7 12 13 15", "X, Y", "int axis; int broadcast = 0", ConvertPow)
        .Of("power"_op, kReals | kI32 | kI64)
        .ByTypes(),
    {"Mod", "10 13 28", "A, B", "int fmod = 0", ConvertMod},
    {"Mean", "1 6 8 13", "data_0, data...", "ints consumed_inputs", ConvertMean},
    OpRow("Where", "9 16", "condition, X, Y", "", ConvertRename).Of("where"_op).ByTypes(),
    {"PRelu", "1 6 7 9 16", "X, slope", "ints consumed_inputs", ConvertPRelu},
    {"BitShift", "11 28", "X, Y", "string direction", ConvertBitShift},
    {"Einsum", "12", "Inputs...", "string equation", ConvertEinsum},
};

}  // namespace

auto BinaryRows() -> std::span<const OpRow> { return kBinaryRows; }

}  // namespace relayopt::onnx
