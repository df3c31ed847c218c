// Gathering and scattering.
#include <algorithm>
#include <limits>

#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

auto NormalizedIndices(Emitter& em, ExprId x, ExprId indices, int64_t axis) -> ExprId {
  const DataType dtype = em.dtype(indices);
  const ExprId shape = em.is_constant(x) ? em.ShapeOf(x, dtype) : em.Call("shape_of"_op, {x}, {{"dtype", dtype}});
  const ExprId extent = Take(em, shape, em.Scalar(DataType::Int(64), axis));
  const ExprId is_negative = Less(em, indices, em.Scalar(dtype, 0));
  if (const auto known = em.IntsOf(is_negative); known && known->size() == 1) {
    return known->front() != 0 ? Add(em, indices, extent) : indices;
  }
  return Where(em, is_negative, Add(em, indices, extent), indices);
}

namespace {

// Returns the indices of the last axis, which is called `last`, in front, as Relay wants them.
auto IndicesFirst(Emitter& em, ExprId indices, int64_t last) -> ExprId {
  Ints axes = {last};
  for (int64_t i = 0; i + 1 < em.rank(indices); ++i) axes.push_back(i);
  return Transpose(em, indices, axes);
}

// Tuples of indices, along their last axis, with negative ones counted from the ends of the axes of `x` from `first`
// on. As TVM: only where results have to be exact; negative ones are addresses outside of the tensor otherwise.
auto NormalizedTuples(Node& n, ExprId x, ExprId tuples, int64_t first) -> ExprId {
  Emitter& em = n.em();
  const auto depth = em.Extent(tuples, em.rank(tuples) - 1);
  const auto known = em.IntsOf(tuples);
  const bool are_positive = known && std::ranges::all_of(*known, [](int64_t i) { return i >= 0; });
  if (!n.exact() || are_positive || !depth || first + *depth > em.rank(x)) return tuples;
  const DataType dtype = em.dtype(tuples);
  const ExprId extents = SliceInts(em, em.ShapeOf(x, dtype), {first}, {first + *depth}, {1});
  return Where(em, Less(em, tuples, em.Scalar(dtype, 0)), Add(em, tuples, extents), tuples);
}

// Positions in a list of known length, some of which count from its end, all counted from its front: so passes know the
// parts of a shape. Returns nothing if there are no such positions, or more than one axis of them.
auto FromTheFront(Emitter& em, ExprId list, ExprId positions, Ints known) -> ExprId {
  const auto length = em.Extent(list, 0);
  const bool fits = length && em.rank(positions) < 2 &&
                    std::ranges::all_of(known, [&](int64_t at) { return at >= -*length && at < *length; });
  if (!fits || std::ranges::none_of(known, [](int64_t at) { return at < 0; })) return {};
  for (int64_t& at : known) at += at < 0 ? *length : 0;
  const DataType dtype = em.dtype(positions);
  return em.rank(positions) == 0 ? em.Scalar(dtype, known[0]) : em.Vector(known, dtype);
}

auto ConvertGather(Node& n) -> Results {
  Emitter& em = n.em();
  const int64_t axis = n.Int("axis");
  const int64_t positive = n.Axis(axis, em.rank(n.in(0)));
  if (n.failed()) return {};
  // As TVM: several indices are normalized even if none is negative.
  const auto known = n.exact() ? em.IntsOf(n.in(1)) : std::nullopt;
  if (known && em.rank(n.in(0)) == 1 && !em.dtype(n.in(0)).is_float()) {
    if (const ExprId positive = FromTheFront(em, n.in(0), n.in(1), *known)) return Take(em, n.in(0), positive, axis);
  }
  const bool are_positive = known && std::ranges::all_of(*known, [](int64_t index) { return index >= 0; });
  return Take(em, n.in(0), are_positive ? n.in(1) : NormalizedIndices(em, n.in(0), n.in(1), positive), axis);
}

auto ConvertGatherElements(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const int64_t axis = n.Int("axis");
  const int64_t positive = n.Axis(axis, em.rank(x));
  if (n.failed()) return {};
  const ExprId indices = NormalizedIndices(em, x, n.in(1), positive);
  // Beside the axis the indices may be smaller than the data, and Relay wants both alike.
  bool is_known = true;
  for (int64_t i = 0; i < em.rank(x); ++i) {
    const auto data = em.Extent(x, i);
    const auto index = em.Extent(indices, i);
    is_known = is_known && (i == positive || (data && index));
    if (i != positive && data && index && *index < *data) x = SliceAxis(em, x, i, 0, *index);
  }
  if (!is_known && n.exact()) {
    const auto rank = static_cast<size_t>(em.rank(x));
    Ints whole(rank, 0);
    whole[static_cast<size_t>(positive)] = std::numeric_limits<int32_t>::max();
    const ExprId end = Add(em, em.ShapeOf(indices), em.Vector(whole));
    x = SliceBy(em, x, em.Vector(Ints(rank, 0)), end, em.Vector(Ints(rank, 1)));
  }
  return Gather(em, x, indices, axis);
}

auto ConvertGatherND(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  ExprId indices = n.in(1);
  const int64_t batch_dims = n.opset() < 12 ? 0 : n.Int("batch_dims");
  const auto depth = em.Extent(indices, em.rank(indices) - 1);
  if (!depth) return n.NeedsValue(fmt::format("the last axis of {}", n.InputText(1)));
  if (batch_dims < 0 || batch_dims > em.rank(x) || *depth < 1)
    return n.Fail("batch_dims is {} and indices have {} numbers, which does not match the rank of data", batch_dims,
                  *depth);
  // Negative ones that are known count from the end.
  if (const auto known = em.IntsOf(indices); known && std::ranges::any_of(*known, [](int64_t i) { return i < 0; })) {
    const auto shape = n.NeedShape(x, "data");
    if (!shape || batch_dims + *depth > em.rank(x)) return n.Fail("the indices have more numbers than the data axes");
    Ints fixed = *known;
    for (size_t i = 0; i < fixed.size(); ++i) {
      if (fixed[i] < 0) fixed[i] += (*shape)[static_cast<size_t>(batch_dims) + i % static_cast<size_t>(*depth)];
    }
    indices = em.Array(std::vector<double>(fixed.begin(), fixed.end()), *em.StaticShape(indices), em.dtype(indices));
  }
  indices = NormalizedTuples(n, x, indices, batch_dims);
  return em.Call("gather_nd"_op, {x, IndicesFirst(em, indices, -1)},
                 {{"batch_dims", batch_dims}, {"index_rank", *depth}});
}

auto ConvertCompress(Node& n) -> Results {
  Emitter& em = n.em();
  if (em.rank(n.in(1)) != 1) return n.Fail("a condition has one axis, not {}", em.rank(n.in(1)));
  const ExprId indices = Reshape(em, em.Call("argwhere"_op, {n.in(1)}), {-1});
  if (n.Has("axis")) return Take(em, n.in(0), indices, n.Int("axis"));
  return Take(em, Reshape(em, n.in(0), {-1}), indices, 0);
}

auto ReductionOf(Node& n) -> std::string {
  if (n.opset() < 16) return "update";
  // PyTorch writes min and max, which came with version 18, in version 16, too, and onnxruntime takes them.
  const std::string text = n.Choice("reduction", "none,update,add,mul,min,max");
  return text == "none" ? "update" : text;
}

auto ConvertScatterElements(Node& n) -> Results {
  Emitter& em = n.em();
  const int64_t axis = n.Int("axis");
  n.Axis(axis, em.rank(n.in(0)));
  ExprId indices = n.in(1);
  // Negative indices count from the end. As TVM: only known ones.
  if (em.is_constant(indices) || n.exact())
    indices = NormalizedIndices(em, n.in(0), indices, n.Axis(axis, em.rank(n.in(0))));
  return ScatterElements(em, n.in(0), indices, n.in(2), axis, ReductionOf(n));
}

auto ConvertScatterND(Node& n) -> Results {
  Emitter& em = n.em();
  // As TVM: the axis that gathering calls the last one has its number here.
  const ExprId indices = IndicesFirst(em, NormalizedTuples(n, n.in(0), n.in(1), 0), em.rank(n.in(1)) - 1);
  return em.Call("scatter_nd"_op, {n.in(0), indices, n.in(2)}, {{"mode", ReductionOf(n)}});
}

auto ConvertNonZero(Node& n) -> Results {
  Emitter& em = n.em();
  return Transpose(em, Cast(em, em.Call("argwhere"_op, {n.in(0)}), DataType::Int(64)), {1, 0});
}

auto ConvertReverseSequence(Node& n) -> Results {
  return n.em().Call("reverse_sequence"_op, {n.in(0), n.in(1)},
                     {{"seq_axis", n.Int("time_axis")}, {"batch_axis", n.Int("batch_axis")}});
}

// A cache of keys or values, of which each sample of the batch is overwritten from a position of its own on.
auto ConvertTensorScatter(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId cache = n.in(0);
  const DataType i64 = DataType::Int(64);
  const auto shape = n.NeedShape(n.in(1), "update");
  if (!shape) return {};
  const int64_t rank = em.rank(cache);
  const int64_t axis = n.Axis(n.Int("axis"), rank);
  if (n.failed() || axis == 0 || shape->size() != static_cast<size_t>(rank))
    return n.Fail("the axis is that of the batch");
  const int64_t longest = n.NeedExtent(cache, axis, "past_cache");
  if (n.failed()) return {};
  const Ints steps = Iota((*shape)[static_cast<size_t>(axis)]);
  ExprId places = ExpandDims(em, em.Vector(steps), 1, rank - axis - 1);
  if (n.has(2)) places = Add(em, ExpandDims(em, CastTo(em, n.in(2), i64), 1, rank - 1), places);
  if (n.Choice("mode", "linear,circular") == "circular") {
    places = em.Call("floor_mod"_op, {places, em.Scalar(i64, longest)});
  }
  return ScatterElements(em, cache, BroadcastToInts(em, places, *shape), n.in(1), axis);
}

constexpr OpRow kIndexingRows[] = {
    {"Gather", "1 11 13", "data, indices", "int axis = 0", ConvertGather},
    {"GatherElements", "11 13", "data, indices", "int axis = 0", ConvertGatherElements},
    {"GatherND", "11 12 13", "data, indices", "int batch_dims = 0", ConvertGatherND},
    {"Compress", "9 11", "input, condition", "int axis", ConvertCompress},
    {"Scatter", "9 11", "data, indices, updates", "int axis = 0", ConvertScatterElements},
    {"ScatterElements", "11 13 16 18", "data, indices, updates", "int axis = 0; string reduction = none",
     ConvertScatterElements},
    {"ScatterND", "11 13 16 18", "data, indices, updates", "string reduction = none", ConvertScatterND},
    {"TensorScatter", "24", "past_cache, update, write_indices?", "int axis = -2; string mode = linear",
     ConvertTensorScatter},
    {"NonZero", "9 13", "X", "", ConvertNonZero},
    {"ReverseSequence", "10", "input, sequence_lens", "int time_axis = 0; int batch_axis = 1", ConvertReverseSequence},
};

}  // namespace

auto IndexingRows() -> std::span<const OpRow> { return kIndexingRows; }

}  // namespace relayopt::onnx
