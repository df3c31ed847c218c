// Attention of com.microsoft, of floats and of quantized numbers.
//
//   x [B, S, H] * weight [H, 3K] + bias  ->  q, k, v  ->  [B, heads, S, K / heads] each
//   softmax(q * k^T * scale + masks) * v ->  [B, S, K]
#include <cmath>

#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

struct Heads {
  int64_t batch = 0;
  int64_t length = 0;
  int64_t count = 0;
  // Keys that were seen in earlier calls.
  int64_t past = 0;

  auto total() const -> int64_t { return past + length; }
};

auto SplitHeads(Emitter& em, ExprId x, const Heads& heads, int64_t width) -> ExprId {
  return Transpose(em, Reshape(em, x, {heads.batch, heads.length, heads.count, width / heads.count}), {0, 2, 1, 3});
}

// Returns the mask as numbers to add to the scores, with a shape that broadcasts to [B, heads, S, T].
auto MaskScores(Node& n, size_t input, const Heads& heads, DataType dtype) -> ExprId {
  Emitter& em = n.em();
  const double filter = n.Float("mask_filter_value");
  const ExprId mask = n.in(input);
  const auto shape = n.NeedShape(mask, "the mask");
  if (!shape) return {};
  const auto blocked = [&](ExprId is_key, const Ints& as) {
    const ExprId kept = CastTo(em, is_key, dtype);
    return Reshape(em, Mul(em, Sub(em, em.Scalar(dtype, 1.0), kept), em.Scalar(dtype, filter)), as);
  };
  // A mask with one number for each sample gives its number of keys.
  if (*shape == Ints{heads.batch} && n.Elements({heads.total()})) {
    const ExprId places = Reshape(em, em.Vector(Iota(heads.total()), em.dtype(mask)), {1, heads.total()});
    return blocked(Less(em, places, ExpandDims(em, mask, 1)), {heads.batch, 1, 1, heads.total()});
  }
  if (*shape == Ints{heads.batch, heads.total()}) return blocked(mask, {heads.batch, 1, 1, heads.total()});
  if (*shape == Ints{heads.batch, heads.length, heads.total()})
    return blocked(mask, {heads.batch, 1, heads.length, heads.total()});
  return n.Fail("{} has type {}, which is not the shape of a supported mask", n.InputText(input), em.TypeText(mask));
}

// A query does not see later keys.
auto FutureScores(Node& n, const Heads& heads, DataType dtype) -> ExprId {
  std::vector<double> scores;
  for (int64_t i = 0; i < heads.length; ++i) {
    for (int64_t k = 0; k < heads.total(); ++k) scores.push_back(k > i + heads.past ? n.Float("mask_filter_value") : 0);
  }
  return n.em().Array(scores, {1, 1, heads.length, heads.total()}, dtype);
}

struct AttentionInputs {
  // Queries, keys and values beside each other: [B * S, widths].
  ExprId product;
  Ints widths;
  Heads heads;
  // Positions of inputs.
  size_t mask = 0;
  size_t past = 0;
  std::optional<size_t> bias;
};

auto Attend(Node& n, AttentionInputs in) -> Results {
  Emitter& em = n.em();
  Heads& heads = in.heads;
  for (const int64_t width : in.widths) {
    if (width < 1 || width % heads.count != 0)
      return n.Fail("{} columns cannot be divided into {} heads", width, heads.count);
  }
  const ExprId parts = SplitAt(em, in.product, {in.widths[0], in.widths[0] + in.widths[1]}, 1);
  const DataType dtype = em.dtype(in.product);
  const ExprId q = SplitHeads(em, em.Get(parts, 0), heads, in.widths[0]);
  ExprId k = SplitHeads(em, em.Get(parts, 1), heads, in.widths[1]);
  ExprId v = SplitHeads(em, em.Get(parts, 2), heads, in.widths[2]);
  if (n.has(in.past)) {
    heads.past = n.NeedExtent(n.in(in.past), 3, "past");
    const ExprId before = Split(em, n.in(in.past), 2, 0);
    k = Concat(em, {Squeeze(em, em.Get(before, 0), {0}), k}, 2);
    v = Concat(em, {Squeeze(em, em.Get(before, 1), {0}), v}, 2);
  }
  const int64_t width = in.widths[0] / heads.count;
  const auto depth = static_cast<double>(width);
  const double scale = n.Has("scale") && n.Float("scale") != 0 ? n.Float("scale") : 1 / std::sqrt(depth);
  ExprId scores = Mul(em, MatMul(n, q, Transpose(em, k, {0, 1, 3, 2})), em.Scalar(dtype, scale));
  if (n.failed() || !n.Elements({heads.length, heads.total()})) return {};
  if (n.Flag("unidirectional")) scores = Add(em, scores, FutureScores(n, heads, dtype));
  if (n.has(in.mask)) scores = Add(em, scores, MaskScores(n, in.mask, heads, dtype));
  if (in.bias && n.has(*in.bias)) scores = Add(em, scores, n.in(*in.bias));
  const ExprId weights = em.Call("nn.softmax"_op, {scores}, {{"axis", -1}});
  const ExprId context = Transpose(em, MatMul(n, weights, v), {0, 2, 1, 3});
  const ExprId result = Reshape(em, context, {heads.batch, heads.length, in.widths[2]});
  if (!n.wants(1)) return result;
  return {result, Stack(em, {k, v}, 0)};
}

// Batch, length and heads; nothing, with an error, when they are not known.
auto ReadHeads(Node& n, ExprId weight, Ints widths) -> std::optional<AttentionInputs> {
  AttentionInputs in;
  const auto x = n.NeedShape(n.in(0), "input");
  const auto w = n.NeedShape(weight, "weight");
  if (!x || !w) return std::nullopt;
  in.heads.count = n.Int("num_heads");
  if (x->size() != 3 || w->size() != 2 || in.heads.count < 1) {
    n.Fail("input and weight must be [batch, length, width] and [width, columns], and num_heads must be positive");
    return std::nullopt;
  }
  if (widths.empty()) widths.assign(3, (*w)[1] / 3);
  if (widths.size() != 3 || widths[0] != widths[1] || widths[0] + widths[1] + widths[2] != (*w)[1]) {
    n.Fail("the {} columns of the weight do not match those of queries, keys and values", (*w)[1]);
    return std::nullopt;
  }
  in.heads.batch = (*x)[0];
  in.heads.length = (*x)[1];
  in.widths = widths;
  return in;
}

auto ConvertAttention(Node& n) -> Results {
  Emitter& em = n.em();
  if (n.has(6)) return n.Fail("the input past_sequence_length is not supported");
  if (n.Flag("do_rotary")) return n.Fail("rotary embeddings are not supported");
  if (!em.StaticShape(n.in(0))) return AttendOpen(n, n.IntList("qkv_hidden_sizes").value_or(Ints()));
  auto in = ReadHeads(n, n.in(1), n.IntList("qkv_hidden_sizes").value_or(Ints()));
  if (!in) return {};
  const ExprId x = Reshape(em, n.in(0), {-1, em.StaticShape(n.in(1))->front()});
  in->product = em.Call("nn.matmul"_op, {x, n.in(1)});
  if (n.has(2)) in->product = Add(em, in->product, n.in(2));
  in->mask = 3;
  in->past = 4;
  in->bias = 5;
  return Attend(n, *in);
}

auto ConvertQAttention(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const DataType i32 = DataType::Int(32);
  auto in = ReadHeads(n, n.in(1), {});
  if (!in) return {};
  const auto zero = [&](size_t i) { return n.has(i) ? ScalarOf(n, n.in(i), i32) : em.Scalar(i32, 0); };
  const ExprId x_scale = ScalarOf(n, n.in(3), f32);
  // Each column may have a scale of its own.
  const ExprId one = em.Scalar(f32, 1.0);
  const ExprId x = Reshape(em, n.in(0), {-1, em.StaticShape(n.in(1))->front()});
  const ExprId weight = Transpose(em, n.in(1), {1, 0});
  const ExprId product = em.Call("qnn.dense"_op, {x, weight, zero(6), zero(7), one, one},
                                 {{"units", em.StaticShape(n.in(1))->back()}, {"out_dtype", i32}});
  in->product = Add(em, Mul(em, Cast(em, product, f32), Mul(em, x_scale, CastTo(em, n.in(4), f32))), n.in(2));
  in->mask = 5;
  in->past = 8;
  return Attend(n, *in);
}

// alpha * a * b + c, where the sum is computed in integers.
auto ConvertQGemm(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType f32 = DataType::Float(32);
  const DataType i32 = DataType::Int(32);
  const ExprId a = n.Flag("transA") ? Transpose(em, n.in(0), {1, 0}) : n.in(0);
  const ExprId b = n.Flag("transB") ? n.in(3) : Transpose(em, n.in(3), {1, 0});
  const auto vector = [&](size_t i, DataType dtype) {
    const ExprId x = n.in(i);
    return CastTo(em, em.rank(x) == 1 && em.Extent(x, 0) == 1 ? Squeeze(em, x, {0}) : x, dtype);
  };
  const ExprId a_scale = ScalarOf(n, n.in(1), f32);
  const ExprId b_scale = vector(4, f32);
  if (n.failed()) return {};
  ExprId sum = em.Call("qnn.dense"_op, {a, b, ScalarOf(n, n.in(2), i32), vector(5, i32), a_scale, b_scale},
                       {{"units", FirstExtent(em, b)}, {"out_dtype", i32}});
  if (n.has(6)) sum = Add(em, sum, n.in(6));
  ExprId scale = Mul(em, a_scale, b_scale);
  if (n.Float("alpha") != 1) scale = Mul(em, scale, em.Scalar(f32, n.Float("alpha")));
  if (!n.has(7)) return Mul(em, Cast(em, sum, f32), scale);
  const ExprId zero = em.Scalar(i32, 0);
  const ExprId y_scale = ScalarOf(n, n.in(7), f32);
  const ExprId y_zero = n.has(8) ? ScalarOf(n, n.in(8), i32) : em.Scalar(i32, 0);
  const DataType out = n.has(8) ? em.dtype(n.in(8)) : em.dtype(n.in(0));
  if (em.is_constant(y_scale) && em.is_constant(y_zero) && !n.exact()) {
    return em.Call("qnn.requantize"_op, {sum, scale, zero, y_scale, y_zero},
                   {{"axis", -1}, {"rounding", "TONEAREST"}, {"out_dtype", out}});
  }
  return Requantize(n, sum, scale, y_scale, y_zero, out);
}

constexpr OpRow kAttentionRows[] = {
    {"com.microsoft::Attention", "1",
     "input, weights, bias?, mask_index?, past?, relative_position_bias?, past_sequence_length?",
     "int num_heads; int unidirectional = 0; ints qkv_hidden_sizes; float scale; int do_rotary = 0; float "
     "mask_filter_value = -10000; int past_present_share_buffer",
     ConvertAttention},
    {"com.microsoft::QAttention", "1",
     "input, weight, bias, input_scale, weight_scale, mask_index?, input_zero_point?, weight_zero_point?, past?",
     "int num_heads; int unidirectional = 0; float scale; float mask_filter_value = -10000; int do_rotary; int "
     "past_present_share_buffer",
     ConvertQAttention},
    {"com.microsoft::QGemm", "1", "A, a_scale, a_zero_point, B, b_scale, b_zero_point, C?, y_scale?, y_zero_point?",
     "float alpha = 1; int transA = 0; int transB = 0", ConvertQGemm},
};

}  // namespace

auto AttentionRows() -> std::span<const OpRow> { return kAttentionRows; }

}  // namespace relayopt::onnx
