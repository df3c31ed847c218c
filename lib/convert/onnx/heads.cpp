// Attention over heads that are given as queries, keys and values, and rotary positions.
//
//   q [B, N, S, H], k [B, M, T, H], v [B, M, T, W]  ->  softmax(q * k^T * scale + bias) * v  [B, N, S, W]
//
// N is a multiple of M: heads of keys and values may be shared. Extents need not be known.
#include <algorithm>
#include <cmath>
#include <limits>

#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

constexpr DataType kPosition = DataType::Int(64);

// [B, S, N * H] as [B, N, S, H]; data of rank 4 have that form.
auto ToHeads(Node& n, ExprId x, int64_t count) -> ExprId {
  Emitter& em = n.em();
  if (em.rank(x) == 4) return x;
  if (em.rank(x) != 3 || count < 1) return n.Fail("data of rank {} are not divided into {} heads", em.rank(x), count);
  const auto width = em.Extent(x, 2);
  if (width && *width % count != 0) return n.Fail("{} columns are not a multiple of {} heads", *width, count);
  return Transpose(em, Reshape(em, x, width ? Ints{0, 0, count, *width / count} : Ints{0, 0, count, -1}), {0, 2, 1, 3});
}

auto FromHeads(Emitter& em, ExprId x) -> ExprId { return Reshape(em, Transpose(em, x, {0, 2, 1, 3}), {0, 0, -1}); }

auto ExtentOf(Emitter& em, ExprId x, int64_t axis) -> ExprId {
  if (const auto extent = em.Extent(x, axis)) return em.Scalar(kPosition, *extent);
  return Take(em, em.ShapeOf(x), em.Scalar(kPosition, axis));
}

// 0, 1, ... below the extent of an axis.
auto PositionsOfAxis(Emitter& em, ExprId x, int64_t axis) -> ExprId {
  const ExprId zero = em.Scalar(kPosition, 0);
  const ExprId one = em.Scalar(kPosition, 1);
  const ExprId extent = ExtentOf(em, x, axis);
  return em.Call("arange"_op, {zero, extent, one}, ArangeAttributes(em, zero, extent, one, kPosition));
}

struct AttentionParts {
  ExprId q, k, v;
  // Added to the scores; none if nothing is masked.
  ExprId bias;
  double scale = 1;
  double softcap = 0;
};

struct AttentionResult {
  // The scores after capping, after adding the bias, and after softmax.
  ExprId capped, biased, weights;
  // [B, N, S, W]
  ExprId context;
};

auto Infinite(Emitter& em, DataType dtype) -> ExprId {
  return em.Scalar(dtype, -std::numeric_limits<double>::infinity());
}

// 0 where `allowed`, else -inf.
auto BiasOf(Emitter& em, ExprId allowed, DataType dtype) -> ExprId {
  return Where(em, allowed, em.Scalar(dtype, 0.0), Infinite(em, dtype));
}

auto SumOfBiases(Emitter& em, ExprId a, ExprId b) -> ExprId { return a && b ? Add(em, a, b) : a ? a : b; }

// Which keys a query may see: those up to its own position, which is `offset` keys after the first one. [S, T]
auto CausalBias(Emitter& em, ExprId q, ExprId k, ExprId offset) -> ExprId {
  const ExprId rows = ExpandDims(em, Add(em, PositionsOfAxis(em, q, 2), offset), 1);
  const ExprId columns = ExpandDims(em, PositionsOfAxis(em, k, 2), 0);
  return BiasOf(em, em.Call("less_equal"_op, {columns, rows}), em.dtype(q));
}

// Heads of keys or values as often as queries share them.
auto SharedHeads(Node& n, ExprId x, ExprId q) -> ExprId {
  Emitter& em = n.em();
  const auto have = em.Extent(x, 1);
  const auto want = em.Extent(q, 1);
  if (!have || !want || *have == *want) return x;
  if (*have < 1 || *want % *have != 0)
    return n.Fail("{} heads of queries cannot share {} heads of keys or values", *want, *have);
  return em.Call("repeat"_op, {x}, {{"repeats", *want / *have}, {"axis", 1}});
}

auto WeighValues(Node& n, const AttentionParts& parts) -> AttentionResult {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(parts.q);
  const ExprId keys = Transpose(em, SharedHeads(n, parts.k, parts.q), {0, 1, 3, 2});
  AttentionResult result;
  result.capped = Mul(em, MatMul(n, parts.q, keys), em.Scalar(dtype, parts.scale));
  if (parts.softcap > 0) {
    const ExprId cap = em.Scalar(dtype, parts.softcap);
    result.capped = Mul(em, em.Call("tanh"_op, {Div(em, result.capped, cap)}), cap);
  }
  result.biased = parts.bias ? Add(em, result.capped, parts.bias) : result.capped;
  result.weights = em.Call("nn.softmax"_op, {result.biased}, {{"axis", -1}});
  if (parts.bias) {
    // A query that sees no key has zero weights.
    const ExprId most = Reduce(em, "max"_op, result.biased, {-1}, true);
    const ExprId sees = Greater(em, most, em.Scalar(dtype, -LargestFinite(dtype)));
    result.weights = Where(em, sees, result.weights, em.Scalar(dtype, 0.0));
  }
  result.context = MatMul(n, result.weights, SharedHeads(n, parts.v, parts.q));
  return result;
}

auto ScaleOf(Node& n, ExprId q) -> double {
  if (n.Has("scale") && n.Float("scale") != 0) return n.Float("scale");
  const int64_t depth = n.NeedExtent(q, 3, "the queries, as heads");
  return 1 / std::sqrt(static_cast<double>(std::max<int64_t>(depth, 1)));
}

// Returns a mask of truth values or numbers, for the first keys; the remaining ones are not seen.
auto MaskBias(Node& n, ExprId mask, ExprId q, ExprId k) -> ExprId {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(q);
  ExprId bias = em.dtype(mask).is_bool() ? BiasOf(em, mask, dtype) : CastTo(em, mask, dtype);
  const auto given = em.Extent(bias, -1);
  const auto wanted = em.Extent(k, 2);
  if (!given || !wanted || *given >= *wanted) return bias;
  std::vector<std::pair<int64_t, int64_t>> widths(static_cast<size_t>(em.rank(bias)));
  widths.back().second = *wanted - *given;
  return PadInts(em, bias, widths, Infinite(em, dtype));
}

auto ConvertAttention23(Node& n) -> Results {
  Emitter& em = n.em();
  if (n.has(4) != n.has(5)) return n.Fail("past keys and past values are given together");
  const bool is_flat = em.rank(n.in(0)) == 3;
  const auto heads = [&](const char* name) { return n.Has(name) ? n.Int(name) : int64_t{0}; };
  AttentionParts parts;
  parts.q = ToHeads(n, n.in(0), heads("q_num_heads"));
  parts.k = ToHeads(n, n.in(1), heads("kv_num_heads"));
  parts.v = ToHeads(n, n.in(2), heads("kv_num_heads"));
  ExprId offset = em.Scalar(kPosition, 0);
  if (n.has(4)) {
    offset = ExtentOf(em, n.in(4), 2);
    parts.k = Concat(em, {n.in(4), parts.k}, 2);
    parts.v = Concat(em, {n.in(5), parts.v}, 2);
  }
  parts.scale = ScaleOf(n, parts.q);
  parts.softcap = n.Float("softcap");
  if (n.failed()) return {};
  const DataType dtype = em.dtype(parts.q);
  if (n.has(3)) parts.bias = MaskBias(n, n.in(3), parts.q, parts.k);
  if (n.has(6)) {
    // For each sample, the number of keys that are not padding; the queries are the last of these.
    const ExprId valid = ExpandDims(em, CastTo(em, n.in(6), kPosition), 1, 3);
    const ExprId columns = PositionsOfAxis(em, parts.k, 2);
    parts.bias = SumOfBiases(em, parts.bias, BiasOf(em, Less(em, columns, valid), dtype));
    if (n.Flag("is_causal")) {
      const ExprId rows = ExpandDims(em, PositionsOfAxis(em, parts.q, 2), 1);
      const ExprId last = Add(em, rows, Sub(em, valid, ExtentOf(em, parts.q, 2)));
      parts.bias = SumOfBiases(em, parts.bias, BiasOf(em, em.Call("less_equal"_op, {columns, last}), dtype));
    }
  } else if (n.Flag("is_causal")) {
    parts.bias = SumOfBiases(em, parts.bias, CausalBias(em, parts.q, parts.k, offset));
  }
  const AttentionResult result = WeighValues(n, parts);
  const int64_t mode = n.Int("qk_matmul_output_mode");
  if (mode < 0 || mode > 3) return n.Fail("attribute 'qk_matmul_output_mode' is {}", mode);
  const ExprId seen[] = {result.capped, result.capped, result.biased, result.weights};
  return {is_flat ? FromHeads(em, result.context) : result.context, parts.k, parts.v, seen[mode]};
}

// Bias of queries, keys and values beside each other, for the one that begins at a column.
auto WithBiasOfColumns(Node& n, ExprId x, int64_t begin) -> ExprId {
  Emitter& em = n.em();
  const auto width = em.Extent(x, 2);
  if (!n.has(3)) return x;
  if (!width) return n.NeedsValue("the number of columns of the data");
  return Add(em, x, SliceAxis(em, n.in(3), 0, begin, begin + *width));
}

// Which keys are not masked, as a bias that broadcasts to [B, N, S, T].
auto KeyBias(Node& n, ExprId mask, ExprId k, DataType dtype) -> ExprId {
  Emitter& em = n.em();
  const ExprId zero = em.Scalar(dtype, 0.0);
  const ExprId filter = em.Scalar(dtype, n.Float("mask_filter_value"));
  if (em.rank(mask) == 1) {
    const ExprId lengths = ExpandDims(em, CastTo(em, mask, kPosition), 1, 3);
    return Where(em, Less(em, PositionsOfAxis(em, k, 2), lengths), zero, filter);
  }
  const ExprId seen = em.dtype(mask).is_bool() ? mask : Greater(em, mask, em.Scalar(em.dtype(mask), 0));
  const ExprId bias = Where(em, seen, zero, filter);
  if (em.rank(mask) == 2) return ExpandDims(em, bias, 1, 2);
  return em.rank(mask) == 3 ? ExpandDims(em, bias, 1) : bias;
}

auto ConvertMultiHeadAttention(Node& n) -> Results {
  Emitter& em = n.em();
  const int64_t count = n.Int("num_heads");
  if (!n.has(1) || !n.has(2)) return n.Fail("packed queries, keys and values are not supported");
  AttentionParts parts;
  const auto width = em.Extent(n.in(0), -1);
  if (!width && n.has(3)) return n.NeedsValue("the number of columns of the queries");
  parts.q = ToHeads(n, WithBiasOfColumns(n, n.in(0), 0), count);
  // Keys and values of rank 4 have their heads already, and no bias.
  const auto heads = [&](size_t i, int64_t begin) {
    return em.rank(n.in(i)) == 4 ? n.in(i) : ToHeads(n, WithBiasOfColumns(n, n.in(i), begin), count);
  };
  parts.k = heads(1, width.value_or(0));
  parts.v = heads(2, 2 * width.value_or(0));
  ExprId offset = em.Scalar(kPosition, 0);
  if (n.has(6) && n.has(7)) {
    offset = ExtentOf(em, n.in(6), 2);
    parts.k = Concat(em, {n.in(6), parts.k}, 2);
    parts.v = Concat(em, {n.in(7), parts.v}, 2);
  }
  parts.scale = ScaleOf(n, parts.q);
  if (n.failed()) return {};
  if (n.has(4)) parts.bias = KeyBias(n, n.in(4), parts.k, em.dtype(parts.q));
  if (n.has(5)) parts.bias = SumOfBiases(em, parts.bias, n.in(5));
  if (n.Flag("unidirectional")) parts.bias = SumOfBiases(em, parts.bias, CausalBias(em, parts.q, parts.k, offset));
  return {FromHeads(em, WeighValues(n, parts).context), parts.k, parts.v};
}

// Pairs of columns turned by angles: `cosines` and `sines` are [.., S, R / 2], for x [B, N, S, H] of which R columns
// are turned. Pairs are halves of these columns, or neighbours.
auto Rotate(Node& n, ExprId x, ExprId cosines, ExprId sines, int64_t turned, bool are_neighbours) -> ExprId {
  Emitter& em = n.em();
  const int64_t width = n.NeedExtent(x, 3, "the data, as heads");
  if (n.failed()) return {};
  if (turned == 0) turned = width;
  if (turned < 2 || turned % 2 != 0 || turned > width) return n.Fail("cannot rotate {} of {} columns", turned, width);
  const ExprId part = turned == width ? x : SliceAxis(em, x, 3, 0, turned);
  const int64_t half = turned / 2;
  if (const auto columns = em.Extent(cosines, -1); columns && *columns != half)
    return n.Fail("the caches have {} columns, and {} are needed to rotate {} columns", *columns, half, turned);
  const auto pick = [&](int64_t k) {
    if (are_neighbours) return SliceInts(em, part, {k}, {turned}, {2}, Ints{3});
    return SliceAxis(em, part, 3, k * half, (k + 1) * half);
  };
  const ExprId a = pick(0);
  const ExprId b = pick(1);
  const ExprId real = Sub(em, Mul(em, cosines, a), Mul(em, sines, b));
  const ExprId imaginary = Add(em, Mul(em, sines, a), Mul(em, cosines, b));
  ExprId result = Concat(em, {real, imaginary}, 3);
  if (are_neighbours) result = Reshape(em, Stack(em, {real, imaginary}, 4), {0, 0, 0, turned});
  if (turned == width) return result;
  return Concat(em, {result, SliceAxis(em, x, 3, turned, width)}, 3);
}

// Rows of a table of angles, [B, S, R / 2] or [S, R / 2], with an axis for the heads.
auto AnglesOf(Emitter& em, ExprId table) -> ExprId { return ExpandDims(em, table, em.rank(table) == 3 ? 1 : 0); }

auto ConvertRotaryEmbedding23(Node& n) -> Results {
  Emitter& em = n.em();
  const bool is_flat = em.rank(n.in(0)) == 3;
  const ExprId x = ToHeads(n, n.in(0), n.Int("num_heads"));
  const auto angles = [&](size_t i) { return AnglesOf(em, n.has(3) ? Take(em, n.in(i), n.in(3), 0) : n.in(i)); };
  const ExprId result = Rotate(n, x, angles(1), angles(2), n.Int("rotary_embedding_dim"), n.Flag("interleaved"));
  return is_flat ? FromHeads(em, result) : result;
}

auto ConvertRotaryEmbedding(Node& n) -> Results {
  Emitter& em = n.em();
  if (n.Flag("is_packed_batching")) return n.Fail("packed batches are not supported");
  const bool is_flat = em.rank(n.in(0)) == 3;
  int64_t count = n.Int("num_heads");
  if (is_flat && count == 0) {
    // The width of a head follows from the table.
    const int64_t width = n.NeedExtent(n.in(0), 2, "input");
    const int64_t half = n.NeedExtent(n.in(2), 1, "cos_cache");
    if (n.failed() || half == 0) return {};
    count = width / (2 * half);
  }
  const ExprId x = ToHeads(n, n.in(0), count);
  ExprId places = n.in(1);
  if (em.rank(places) == 1) {
    // One number is the position of the first column of data, [1, S] that of all.
    places = ExpandDims(em, Add(em, PositionsOfAxis(em, x, 2), CastTo(em, places, kPosition)), 0);
  }
  const ExprId cosines = AnglesOf(em, Take(em, n.in(2), places, 0));
  const ExprId sines = AnglesOf(em, Take(em, n.in(3), places, 0));
  const ExprId result = Rotate(n, x, cosines, sines, n.Int("rotary_embedding_dim"), n.Flag("interleaved"));
  return is_flat ? FromHeads(em, result) : result;
}

// A cache of keys or values, and the new ones: [B, M, P, H] and [B, M, S, H] as [B, M, T, H]. The new ones of a sample
// follow its first `past` old ones ([B, 1]); behind them are zeros. `places` are 0 to T - 1, [1, T].
auto Appended(Emitter& em, ExprId old, ExprId fresh, ExprId past, ExprId places) -> ExprId {
  const ExprId count = ExtentOf(em, fresh, 2);
  const ExprId since = Sub(em, places, past);
  const ExprId last = Sub(em, count, em.Scalar(kPosition, 1));
  ExprId from = Minimum(em, Maximum(em, since, em.Scalar(kPosition, 0)), last);
  if (old) from = Where(em, Less(em, places, past), places, Add(em, from, ExtentOf(em, old, 2)));
  const ExprId all = Transpose(em, old ? Concat(em, {old, fresh}, 2) : fresh, {0, 2, 1, 3});
  const ExprId picked =
      em.Call("gather_nd"_op, {all, ExpandDims(em, from, 0)}, {{"batch_dims", 1}, {"index_rank", Dim(1)}});
  const ExprId is_given = ExpandDims(em, Less(em, since, count), 2, 2);
  return Transpose(em, Where(em, is_given, picked, em.Scalar(em.dtype(fresh), 0.0)), {0, 2, 1, 3});
}

// Queries, keys and values of GroupQueryAttention, as heads; they may be beside each other in the first input.
auto GroupedHeads(Node& n) -> AttentionParts {
  Emitter& em = n.em();
  const int64_t heads = n.Int("num_heads");
  const int64_t shared = n.Int("kv_num_heads");
  AttentionParts parts;
  if (n.has(1) && n.has(2)) {
    parts.q = ToHeads(n, n.in(0), heads);
    parts.k = ToHeads(n, n.in(1), shared);
    parts.v = ToHeads(n, n.in(2), shared);
    return parts;
  }
  const int64_t width = n.NeedExtent(n.in(0), 2, "the queries, keys and values");
  const int64_t count = heads + 2 * shared;
  if (n.failed()) return parts;
  if (count < 1 || width % count != 0) {
    n.Fail("{} columns are not a multiple of {} heads", width, count);
    return parts;
  }
  const int64_t depth = width / count;
  const auto pick = [&](int64_t begin, int64_t number) {
    return ToHeads(n, SliceAxis(em, n.in(0), 2, begin * depth, (begin + number) * depth), number);
  };
  parts.q = pick(0, heads);
  parts.k = pick(heads, shared);
  parts.v = pick(heads + shared, shared);
  return parts;
}

auto ConvertGroupQueryAttention(Node& n) -> Results {
  Emitter& em = n.em();
  for (const char* name : {"smooth_softmax", "qk_output", "kv_cache_bit_width"}) {
    if (n.Int(name) > 0) return n.Fail("attribute '{}' is not supported", name);
  }
  if (n.has(11) || n.has(12) || n.has(13)) return n.Fail("sinks and quantized caches are not supported");
  if (!n.has(5) || !n.has(6)) return n.Fail("seqlens_k and total_sequence_length are needed");
  AttentionParts parts = GroupedHeads(n);
  if (n.failed()) return {};
  // The keys of a sample that come before its queries; none when all keys are new.
  const ExprId count = ExtentOf(em, parts.q, 2);
  const ExprId total = Reshape(em, CastTo(em, n.in(6), kPosition), {1});
  const ExprId lengths = Add(em, CastTo(em, Reshape(em, n.in(5), {-1, 1}), kPosition), em.Scalar(kPosition, 1));
  const ExprId is_first = em.Call("equal"_op, {total, count});
  const ExprId past = Where(em, is_first, em.Scalar(kPosition, 0), Sub(em, lengths, count));
  const ExprId steps = ExpandDims(em, PositionsOfAxis(em, parts.q, 2), 0);
  const ExprId rows = Add(em, past, steps);
  if (n.Flag("do_rotary")) {
    if (!n.has(7) || !n.has(8)) return n.Fail("cos_cache and sin_cache are needed");
    const ExprId at = n.has(9) ? n.in(9) : rows;
    const ExprId cosines = AnglesOf(em, Take(em, n.in(7), at, 0));
    const ExprId sines = AnglesOf(em, Take(em, n.in(8), at, 0));
    const int64_t turned = 2 * n.NeedExtent(n.in(7), 1, "cos_cache");
    for (ExprId* x : {&parts.q, &parts.k}) *x = Rotate(n, *x, cosines, sines, turned, n.Flag("rotary_interleaved"));
  }
  // The cache keeps its length if it is long enough.
  const ExprId old = n.in(3);
  const ExprId end = old ? Maximum(em, total, ExtentOf(em, old, 2)) : total;
  const ExprId extent = Squeeze(em, end, {0});
  const ExprId zero = em.Scalar(kPosition, 0);
  const ExprId one = em.Scalar(kPosition, 1);
  const ExprId columns = em.Call("arange"_op, {zero, extent, one}, ArangeAttributes(em, zero, extent, one, kPosition));
  const ExprId places = ExpandDims(em, columns, 0);
  parts.k = Appended(em, old, parts.k, past, places);
  parts.v = Appended(em, n.in(4), parts.v, past, places);
  parts.scale = ScaleOf(n, parts.q);
  parts.softcap = n.Float("softcap");
  const ExprId row = ExpandDims(em, rows, 2);
  ExprId seen = em.Call("less_equal"_op, {columns, row});
  if (const int64_t window = n.Int("local_window_size"); window > 0) {
    const ExprId is_near = Greater(em, columns, Sub(em, row, em.Scalar(kPosition, window)));
    seen = em.Call("logical_and"_op, {seen, is_near});
  }
  if (n.failed()) return {};
  parts.bias = ExpandDims(em, BiasOf(em, seen, em.dtype(parts.q)), 1);
  if (n.has(10)) parts.bias = Add(em, parts.bias, n.in(10));
  return {FromHeads(em, WeighValues(n, parts).context), parts.k, parts.v};
}

constexpr OpRow kHeadRows[] = {
    {"Attention", "23 24", "Q, K, V, attn_mask?, past_key?, past_value?, nonpad_kv_seqlen?",
     "int is_causal = 0; int kv_num_heads; int q_num_heads; int qk_matmul_output_mode = 0; float scale; float softcap "
     "= 0; int softmax_precision",
     ConvertAttention23},
    {"RotaryEmbedding", "23", "X, cos_cache, sin_cache, position_ids?",
     "int interleaved = 0; int num_heads = 0; int rotary_embedding_dim = 0", ConvertRotaryEmbedding23},
    {"com.microsoft::RotaryEmbedding", "1", "input, position_ids, cos_cache, sin_cache",
     "int interleaved = 0; int is_packed_batching = 0; int num_heads = 0; int rotary_embedding_dim = 0; float scale = "
     "1",
     ConvertRotaryEmbedding},
    {"com.microsoft::GroupQueryAttention", "1",
     "query, key?, value?, past_key?, past_value?, seqlens_k, total_sequence_length, cos_cache?, sin_cache?, "
     "position_ids?, attention_bias?, head_sink?, k_scale?, v_scale?",
     "int num_heads; int kv_num_heads; int do_rotary = 0; int kv_cache_bit_width = 0; string k_quant_type = NONE; int "
     "local_window_size = -1; int qk_output = 0; int rotary_interleaved = 0; float scale; int smooth_softmax = 0; "
     "float softcap = 0; string v_quant_type = NONE",
     ConvertGroupQueryAttention},
    {"com.microsoft::MultiHeadAttention", "1",
     "query, key?, value?, bias?, key_padding_mask?, attention_bias?, past_key?, past_value?",
     "int num_heads; float mask_filter_value = -10000; float scale; int unidirectional = 0", ConvertMultiHeadAttention},
};

}  // namespace

auto AttendOpen(Node& n, Ints widths) -> Results {
  Emitter& em = n.em();
  const int64_t count = n.Int("num_heads");
  const int64_t columns = n.NeedExtent(n.in(1), 1, "the weights");
  if (n.failed()) return {};
  if (widths.empty()) widths.assign(3, columns / 3);
  if (widths.size() != 3 || widths[0] + widths[1] + widths[2] != columns)
    return n.Fail("the {} columns of the weights do not match those of queries, keys and values", columns);
  ExprId product = MatMul(n, n.in(0), n.in(1));
  if (n.has(2)) product = Add(em, product, n.in(2));
  if (!em.Extent(product, 2)) product = Reshape(em, product, {0, 0, columns});
  const auto part = [&](int64_t begin, int64_t width) {
    return ToHeads(n, SliceAxis(em, product, 2, begin, begin + width), count);
  };
  AttentionParts parts;
  parts.q = part(0, widths[0]);
  parts.k = part(widths[0], widths[1]);
  parts.v = part(widths[0] + widths[1], widths[2]);
  ExprId offset = em.Scalar(kPosition, 0);
  if (n.has(4)) {
    const Exprs past = Parts(em, Split(em, n.in(4), 2, 0), 2);
    offset = ExtentOf(em, n.in(4), 3);
    parts.k = Concat(em, {Squeeze(em, past[0], {0}), parts.k}, 2);
    parts.v = Concat(em, {Squeeze(em, past[1], {0}), parts.v}, 2);
  }
  parts.scale = ScaleOf(n, parts.q);
  if (n.failed()) return {};
  if (n.has(3)) parts.bias = KeyBias(n, n.in(3), parts.k, em.dtype(parts.q));
  if (n.has(5)) parts.bias = SumOfBiases(em, parts.bias, n.in(5));
  if (n.Flag("unidirectional")) parts.bias = SumOfBiases(em, parts.bias, CausalBias(em, parts.q, parts.k, offset));
  const ExprId result = FromHeads(em, WeighValues(n, parts).context);
  return n.wants(1) ? Results{result, Stack(em, {parts.k, parts.v}, 0)} : Results(result);
}

auto HeadRows() -> std::span<const OpRow> { return kHeadRows; }

}  // namespace relayopt::onnx
