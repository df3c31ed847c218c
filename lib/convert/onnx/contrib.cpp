// Operators of com.microsoft that quantize at run time, or that are variants of standard operators.
#include <utility>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// Integers times a scale, or a scale for each column of [.., rows, columns].
auto Scaled(Emitter& em, ExprId integers, ExprId scale) -> ExprId {
  return Mul(em, Cast(em, integers, em.dtype(scale)), scale);
}

// A scale or zero point of a matrix: a number, one for each column, or [.., 1, columns].
auto ForColumns(Emitter& em, ExprId x) -> ExprId {
  return em.rank(x) == 1 && em.Extent(x, 0) == 1 ? Squeeze(em, x, {0}) : x;
}

// A matrix of bytes minus its zero point.
auto Shifted(Emitter& em, ExprId matrix, ExprId zero) -> ExprId {
  const DataType i32 = DataType::Int(32);
  const ExprId wide = Cast(em, matrix, i32);
  return zero ? Sub(em, wide, Cast(em, ForColumns(em, zero), i32)) : wide;
}

auto WithBiasAt(Node& n, ExprId x, size_t i) -> ExprId { return n.has(i) ? Add(n.em(), x, n.in(i)) : x; }

auto ConvertMatMulIntegerToFloat(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId sums = MatMul(n, Shifted(em, n.in(0), n.in(4)), Shifted(em, n.in(1), n.in(5)));
  const ExprId scale = Mul(em, ForColumns(em, n.in(2)), ForColumns(em, n.in(3)));
  return WithBiasAt(n, Scaled(em, sums, scale), 6);
}

auto ConvertDynamicQuantizeMatMul(Node& n) -> Results {
  Emitter& em = n.em();
  const Results quantized = n.importer().ConvertAs(n, "DynamicQuantizeLinear", {n.value(0)}, {}, 11);
  if (quantized.values.size() != 3) return {};
  const ExprId bytes = quantized.values[0].expr;
  const ExprId a_scale = quantized.values[1].expr;
  const ExprId a_zero = quantized.values[2].expr;
  const ExprId sums = MatMul(n, Shifted(em, bytes, a_zero), Shifted(em, n.in(1), n.in(3)));
  return WithBiasAt(n, Scaled(em, sums, Mul(em, a_scale, ForColumns(em, n.in(2)))), 4);
}

// Weights of an LSTM, [directions, inputs, 4 * hidden] bytes, as those that ONNX's has. A scale is one number for each
// direction, or one for each column.
auto WeightsOf(Node& n, size_t weight, size_t scale) -> ExprId {
  Emitter& em = n.em();
  const auto spread = [&](ExprId x) {
    if (em.rank(x) == 1) return ExpandDims(em, x, 1, 2);
    return em.rank(x) == 2 ? ExpandDims(em, x, 1) : x;
  };
  const DataType i32 = DataType::Int(32);
  ExprId bytes = Cast(em, n.in(weight), i32);
  if (n.has(scale + 1)) bytes = Sub(em, bytes, Cast(em, spread(n.in(scale + 1)), i32));
  return Transpose(em, Scaled(em, bytes, spread(n.in(scale))), {0, 2, 1});
}

// As an LSTM with these weights: what ONNX Runtime rounds of data and states to bytes stays float.
auto ConvertDynamicQuantizeLSTM(Node& n) -> Results {
  n.Warn("data and states are not rounded to 8 bits");
  std::vector<Value> inputs = {n.value(0), WeightsOf(n, 1, 8), WeightsOf(n, 2, 10)};
  for (size_t i = 3; i < 8; ++i) inputs.push_back(n.value(i));
  while (inputs.back().is_absent()) inputs.pop_back();
  if (n.failed()) return {};
  return n.importer().ConvertAs(n, "LSTM", std::move(inputs), n.proto().attributes, 7);
}

// Half of the columns times the Gelu of the others.
auto ConvertBiasSplitGelu(Node& n) -> Results {
  Emitter& em = n.em();
  const Exprs halves = Parts(em, Split(em, Add(em, n.in(0), n.in(1)), 2, -1), 2);
  return Mul(em, halves[0], Computed(n, kGelu, halves[1]));
}

auto ConvertNhwcMaxPool(Node& n) -> Results {
  Emitter& em = n.em();
  if (em.rank(n.in(0)) != 4) return n.Fail("the data has rank {} instead of 4", em.rank(n.in(0)));
  const Value planes(Transpose(em, n.in(0), {0, 3, 1, 2}));
  const Results pool = n.importer().ConvertAs(n, "MaxPool", {planes}, n.proto().attributes, 12);
  if (pool.values.empty()) return {};
  return Transpose(em, pool.values[0].expr, {0, 2, 3, 1});
}

// The same as the operator of ONNX with this name.
auto ConvertSame(Node& n) -> Results {
  std::vector<Value> inputs;
  inputs.reserve(n.num_inputs());
  for (size_t i = 0; i < n.num_inputs(); ++i) inputs.push_back(n.value(i));
  constexpr int64_t kVersion = 14;
  return n.importer().ConvertAs(n, n.row().name, std::move(inputs), n.proto().attributes, kVersion);
}

// The step is 1 where it is left out.
auto ConvertContribRange(Node& n) -> Results {
  std::vector<Value> inputs = {n.value(0), n.value(1)};
  inputs.push_back(n.has(2) ? n.value(2) : Value(n.em().Scalar(n.em().dtype(n.in(0)), 1)));
  constexpr int64_t kVersion = 11;
  return n.importer().ConvertAs(n, "Range", std::move(inputs), {}, kVersion);
}

constexpr OpRow kContribRows[] = {
    {"com.microsoft::MatMulIntegerToFloat", "1", "A, B, a_scale, b_scale, a_zero_point?, b_zero_point?, bias?", "",
     ConvertMatMulIntegerToFloat},
    {"com.microsoft::DynamicQuantizeMatMul", "1", "A, B, b_scale, b_zero_point?, bias?", "",
     ConvertDynamicQuantizeMatMul},
    OpRow("com.microsoft::DynamicQuantizeLSTM", "1",
          "X, W, R, B?, sequence_lens?, initial_h?, initial_c?, P?, W_scale, W_zero_point?, R_scale, R_zero_point?",
          "floats activation_alpha; floats activation_beta; strings activations; float clip; string direction = "
          "forward; int hidden_size; int input_forget = 0",
          ConvertDynamicQuantizeLSTM)
        .WithShapes("X[l b i], W[d i 4h], R[d h 4h] -> Y[l d b h], Y_h[d b h], Y_c[d b h]"),
    {"com.microsoft::BiasSplitGelu", "1", "X, bias", "", ConvertBiasSplitGelu},
    {"com.microsoft::NhwcMaxPool", "1", "x",
     "string auto_pad = NOTSET; int ceil_mode = 0; ints dilations; ints kernel_shape; ints pads; ints strides",
     ConvertNhwcMaxPool},
    {"com.microsoft::Trilu", "1", "X, k?", "int upper = 1", ConvertSame},
    {"com.microsoft::Range", "1", "start, limit, delta?", "", ConvertContribRange},
    {"com.microsoft::GatherND", "1", "data, indices", "", ConvertSame},
    {"com.microsoft::Pad", "1", "data, pads, value?", "string mode = constant", ConvertSame},
};

}  // namespace

auto ContribRows() -> std::span<const OpRow> { return kContribRows; }

}  // namespace relayopt::onnx
