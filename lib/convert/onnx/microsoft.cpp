// Operators of the domain com.microsoft, which ONNX Runtime's exporters write.
#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

auto WithVector(Node& n) -> ExprId { return n.has(1) ? Add(n.em(), n.in(0), n.in(1)) : n.in(0); }

auto ConvertFastGelu(Node& n) -> Results { return Computed(n, kTanhGelu, WithVector(n)); }

auto ConvertBiasGelu(Node& n) -> Results { return Computed(n, kGelu, WithVector(n)); }

// Over the last axis.
auto NormalizeLast(Emitter& em, ExprId x, ExprId scale, ExprId bias, double epsilon) -> ExprId {
  const ExprId mean = Reduce(em, "mean"_op, x, {-1}, true);
  const ExprId variance = em.Call("variance"_op, {x, mean}, {{"axis", Ints{-1}}, {"keepdims", true}});
  const ExprId root = em.Call("sqrt"_op, {Add(em, variance, em.Scalar(em.dtype(x), epsilon))});
  const ExprId normal = Mul(em, Div(em, Sub(em, x, mean), root), scale);
  return bias ? Add(em, normal, bias) : normal;
}

auto ConvertSkipLayerNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = Add(em, n.in(0), n.in(1));
  if (n.has(4)) x = Add(em, x, n.in(4));
  const ExprId unused = em.Scalar(DataType::Float(32), 0.0);
  const ExprId result = NormalizeLast(em, x, n.in(2), n.in(3), n.Float("epsilon"));
  return {result, unused, unused, x};
}

// 0, 1, ... below the second extent of the ids.
auto Positions(Node& n, ExprId ids) -> ExprId {
  Emitter& em = n.em();
  if (const auto count = em.Extent(ids, 1)) return n.Elements({*count}) ? em.Vector(Iota(*count)) : ExprId();
  const DataType i64 = DataType::Int(64);
  const ExprId zero = em.Scalar(i64, 0);
  const ExprId one = em.Scalar(i64, 1);
  const ExprId count = Take(em, em.ShapeOf(ids), one);
  return em.Call("arange"_op, {zero, count, one}, ArangeAttributes(em, zero, count, one, i64));
}

auto ConvertEmbedLayerNormalization(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId ids = n.in(0);
  ExprId x = Take(em, n.in(2), ids, 0);
  const ExprId positions = n.has(8) ? n.in(8) : Positions(n, ids);
  x = Add(em, x, Take(em, n.in(3), positions, 0));
  if (n.has(1) && n.has(4)) x = Add(em, x, Take(em, n.in(4), n.in(1), 0));
  const DataType i32 = DataType::Int(32);
  const auto batch = em.Extent(ids, 0);
  const ExprId shape = batch ? em.Vector({*batch}, i32) : SliceInts(em, em.ShapeOf(ids), {0}, {1}, {1});
  const ExprId lengths = n.has(7) ? Reduce(em, "sum"_op, CastTo(em, n.in(7), i32), {1}, false) : Zeros(em, shape, i32);
  return {NormalizeLast(em, x, n.in(5), n.in(6), n.Float("epsilon")), lengths, x};
}

// Input `i` with its scale and zero point after it, as float.
auto DequantizedInput(Node& n, size_t i) -> ExprId {
  const ExprId scale = ScalarOf(n, n.in(i + 1), DataType::Float(32));
  const ExprId zero = n.has(i + 2) ? ScalarOf(n, n.in(i + 2), DataType::Int(32)) : n.em().Scalar(DataType::Int(32), 0);
  return Dequantize(n.em(), n.in(i), scale, zero);
}

// Returns the result by the scale at `i` and the zero point after it, in the type of the first input.
auto QuantizedResult(Node& n, ExprId x, size_t i, DataType dtype) -> ExprId {
  const ExprId scale = ScalarOf(n, n.in(i), DataType::Float(32));
  const ExprId zero = n.has(i + 1) ? ScalarOf(n, n.in(i + 1), DataType::Int(32)) : n.em().Scalar(DataType::Int(32), 0);
  return Quantize(n, x, scale, zero, dtype);
}

auto ConvertQLinearBinary(Node& n) -> Results {
  const ExprId a = DequantizedInput(n, 0);
  const ExprId b = DequantizedInput(n, 3);
  return QuantizedResult(n, n.em().Call(n.row().relay, {a, b}), 6, n.em().dtype(n.in(0)));
}

auto ConvertQLinearUnary(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = DequantizedInput(n, 0);
  ExprId result;
  if (n.row().name == "QLinearLeakyRelu")
    result = em.Call("nn.leaky_relu"_op, {x}, {{"alpha", n.Decimal("alpha")}});
  else if (n.row().name == "QLinearSoftmax")
    result = em.Call("nn.softmax"_op, {x}, {{"axis", n.Int("axis")}});
  else
    result = em.Call("sigmoid"_op, {x});
  return QuantizedResult(n, result, 3, em.dtype(n.in(0)));
}

auto ConvertQLinearAveragePool(Node& n) -> Results {
  return QuantizedResult(n, AveragePool(n, DequantizedInput(n, 0)), 3, n.em().dtype(n.in(0)));
}

auto ConvertQLinearGlobalAveragePool(Node& n) -> Results {
  if (n.Flag("channels_last")) return n.Fail("only data with the channels as the second axis can be pooled");
  return QuantizedResult(n, GlobalPool(n, DequantizedInput(n, 0), false), 3, n.em().dtype(n.in(0)));
}

// Scale and zero point of the result, then triples.
auto ConvertQLinearConcat(Node& n) -> Results {
  if ((n.num_inputs() - 2) % 3 != 0) return n.Fail("expected 2 + 3n inputs, found {}", n.num_inputs());
  Exprs parts;
  for (size_t i = 2; i + 2 < n.num_inputs(); i += 3) parts.push_back(DequantizedInput(n, i));
  return QuantizedResult(n, Concat(n.em(), parts, n.Int("axis")), 0, n.em().dtype(n.in(2)));
}

constexpr auto Binary(std::string_view name, const OpDef* relay) -> OpRow {
  return OpRow(name, "1", "A, A_scale, A_zero_point?, B, B_scale, B_zero_point?, C_scale, C_zero_point?", "",
               ConvertQLinearBinary)
      .Of(relay);
}

constexpr auto Unary(std::string_view name, std::string_view attributes) -> OpRow {
  return OpRow(name, "1", "X, X_scale, X_zero_point?, Y_scale, Y_zero_point?", attributes, ConvertQLinearUnary);
}

constexpr OpRow kMicrosoftRows[] = {
    OpRow("com.microsoft::FastGelu", "1", "X, bias?", "", ConvertFastGelu).ByTypes(),
    OpRow("com.microsoft::BiasGelu", "1", "A, B", "", ConvertBiasGelu).ByTypes(),
    OpRow("com.microsoft::Gelu", "1", "X", "", ConvertBiasGelu).ByTypes(),
    OpRow("com.microsoft::SkipLayerNormalization", "1", "input, skip, gamma, beta?, bias?", "float epsilon = 1e-12",
          ConvertSkipLayerNormalization)
        .ByTypes(),
    {"com.microsoft::EmbedLayerNormalization", "1",
     "input_ids, segment_ids?, word_embedding, position_embedding, segment_embedding?, gamma, beta, mask?, "
     "position_ids?",
     "float epsilon = 1e-12; int mask_index_type = 0", ConvertEmbedLayerNormalization},
    Binary("com.microsoft::QLinearAdd", "add"_op),
    Binary("com.microsoft::QLinearMul", "multiply"_op),
    Unary("com.microsoft::QLinearLeakyRelu", "float alpha = 0.01"),
    Unary("com.microsoft::QLinearSigmoid", ""),
    Unary("com.microsoft::QLinearSoftmax", "int axis = -1; int opset"),
    {"com.microsoft::QLinearAveragePool", "1", "X, x_scale, x_zero_point?, y_scale, y_zero_point?",
     "string auto_pad = NOTSET; int ceil_mode = 0; int count_include_pad = 0; ints kernel_shape; ints pads; ints "
     "strides; ints dilations",
     ConvertQLinearAveragePool},
    {"com.microsoft::QLinearGlobalAveragePool", "1", "X, x_scale, x_zero_point?, y_scale, y_zero_point?",
     "int channels_last = 0", ConvertQLinearGlobalAveragePool},
    {"com.microsoft::QLinearConcat", "1", "Y_scale, Y_zero_point, inputs...", "int axis", ConvertQLinearConcat},
};

}  // namespace

auto MicrosoftRows() -> std::span<const OpRow> { return kMicrosoftRows; }

}  // namespace relayopt::onnx
