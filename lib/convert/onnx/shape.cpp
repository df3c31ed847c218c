// Operators that change or query shapes.
#include <algorithm>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "relayopt/core/extents.h"
#include "shared.h"

namespace relayopt::onnx {

auto FlattenAt(Node& n, ExprId x, int64_t axis) -> ExprId {
  Emitter& em = n.em();
  // The extents before and after the axis are multiplied. One of them may be 0, which a shape takes for the extent of
  // the data.
  const ExprId shape = em.ShapeOf(x);
  const auto product = [&](int64_t begin, int64_t end) {
    return Reduce(em, "prod"_op, SliceInts(em, shape, {begin}, {end}, {1}), {0}, true);
  };
  const auto known = em.StaticShape(x);
  const bool may_be_empty = known ? Product(*known) == 0 : n.exact();
  return ReshapeBy(em, x, Concat(em, {product(0, axis), product(axis, em.rank(x))}, 0), may_be_empty);
}

auto SplitBy(Node& n, ExprId x, const Ints& lengths, int64_t axis, int bits) -> Exprs {
  Emitter& em = n.em();
  const auto positive = static_cast<size_t>(n.Axis(axis, em.rank(x)));
  if (n.failed()) return {};
  int64_t sum = 0;
  for (const int64_t length : lengths) {
    if (length < 0 || __builtin_add_overflow(sum, length, &sum)) {
      n.Fail("a part has {} elements", length);
      return {};
    }
  }
  const auto extent = em.Extent(x, axis);
  if (extent && *extent != sum) {
    n.Fail("the parts have {} elements together, and axis {} has {}", sum, axis, *extent);
    return {};
  }
  if (std::ranges::find(lengths, 0) == lengths.end()) {
    Ints positions;
    int64_t at = 0;
    for (size_t i = 0; i + 1 < lengths.size(); ++i) positions.push_back(at += lengths[i]);
    return Parts(em, SplitAt(em, x, positions, axis, bits), static_cast<int64_t>(lengths.size()));
  }
  // The positions of `split` rise, so that an empty part needs a slice of its own.
  Exprs parts;
  int64_t begin = 0;
  for (const int64_t length : lengths) {
    auto shape = n.NeedShape(x, "data");
    if (!shape) return {};
    (*shape)[positive] = length;
    if (length == 0)
      parts.push_back(em.Array({}, *shape, em.dtype(x)));
    else
      parts.push_back(SliceAxis(em, x, static_cast<int64_t>(positive), begin, begin + length));
    begin += length;
  }
  return parts;
}

namespace {

auto ConvertReshape(Node& n) -> Results {
  if (n.opset() < 5) {
    const auto shape = n.IntList("shape");
    return shape ? Reshape(n.em(), n.in(0), *shape) : n.Fail("attribute 'shape' is missing");
  }
  if (!n.has(1)) return n.Fail("{} is missing", n.InputText(1));
  return ReshapeBy(n.em(), n.in(0), n.Known(1), n.Flag("allowzero"));
}

// Whether an extent is known to be 0.
auto HasNoElements(Emitter& em, ExprId x) -> bool {
  return std::ranges::any_of(em.dims(x), [](const Dim& dim) { return dim.is_int() && dim.value() == 0; });
}

auto ConvertFlatten(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  int64_t axis = n.Int("axis");
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return n.Fail("axis {} lies outside of rank {}", axis, rank);
  if (axis == 1 && !HasNoElements(em, x)) return em.Call("nn.batch_flatten"_op, {x});
  return FlattenAt(n, x, axis);
}

auto ConvertTranspose(Node& n) -> Results {
  const auto perm = n.IntList("perm");
  if (!perm) return n.em().Call("transpose"_op, {n.in(0)});
  return Transpose(n.em(), n.in(0), *perm);
}

// Returns the axes: an attribute, or from version 13 an input.
auto ConvertSqueeze(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const auto attribute = n.opset() < 13 ? n.IntList("axes") : std::nullopt;
  if (attribute) return Squeeze(em, x, *attribute);
  if (n.opset() < 13 || !n.has(1)) {
    Ints ones;
    for (int64_t i = 0; i < em.rank(x); ++i) {
      const auto extent = em.Extent(x, i);
      if (!extent) return n.NeedsValue(fmt::format("axis {} of {}", i, n.InputText(0)));
      if (*extent == 1) ones.push_back(i);
    }
    if (n.opset() < 13) return em.Call("squeeze"_op, {x});
    return em.rank(x) == 0 ? x : Squeeze(em, x, ones);
  }
  if (const auto axes = em.IntsOf(n.in(1))) return Squeeze(em, x, *axes);
  const DataType dtype = em.dtype(n.in(1));
  const ExprId rank = em.ShapeOf(em.ShapeOf(x, dtype), dtype);
  const ExprId zero = em.Scalar(dtype, 0);
  const ExprId axes = Where(em, Less(em, n.in(1), zero), Add(em, n.in(1), rank), n.in(1));
  return em.Call("dyn.squeeze"_op, {x, axes}, {{"axis", DimList()}});
}

auto ConvertUnsqueeze(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  std::optional<Ints> axes = n.opset() < 13 ? n.IntList("axes") : em.IntsOf(n.in(1));
  // Each axis is inserted by itself.
  constexpr int64_t kMostAxes = 256;
  if (axes) {
    if (axes->size() > kMostAxes) return n.Fail("{} axes are inserted", axes->size());
    const int64_t rank = em.rank(x) + static_cast<int64_t>(axes->size());
    for (int64_t& axis : *axes) axis = n.Axis(axis, rank);
    std::ranges::sort(*axes);
    // As TVM: one after the other. A node that is kept becomes one call.
    const bool is_row = !axes->empty() && axes->back() - axes->front() + 1 == static_cast<int64_t>(axes->size()) &&
                        std::ranges::adjacent_find(*axes) == axes->end();
    if (n.exact() && is_row) return ExpandDims(em, x, axes->front(), static_cast<int64_t>(axes->size()));
    for (const int64_t axis : *axes) x = ExpandDims(em, x, axis);
    return x;
  }
  if (n.opset() < 13) return n.Fail("attribute 'axes' is missing");
  if (!n.has(1)) return n.Fail("{} is missing", n.InputText(1));
  ExprId vector = n.in(1);
  if (em.rank(vector) == 0) vector = ExpandDims(em, vector, 0);
  const int64_t count = n.NeedExtent(vector, 0, "axes");
  if (n.failed()) return {};
  if (count > kMostAxes) return n.Fail("{} axes are inserted", count);
  const int64_t rank = em.rank(x) + count;
  const ExprId sorted = em.Call("sort"_op, {vector});
  const ExprId parts = Split(em, sorted, count, 0);
  for (int64_t i = 0; i < count; ++i) {
    const DataType i64 = DataType::Int(64);
    ExprId axis = Reshape(em, em.Get(parts, static_cast<size_t>(i)), {});
    const ExprId is_positive = em.Call("greater_equal"_op, {axis, em.Scalar(i64, 0)});
    axis = Where(em, is_positive, axis, Add(em, axis, em.Scalar(i64, rank)));
    x = em.Call("dyn.expand_dims"_op, {x, axis}, {{"num_newaxis", 1}});
  }
  return x;
}

auto ConvertConcat(Node& n) -> Results {
  const bool has_axis = n.Has("axis");
  if (!has_axis && n.opset() >= 4) return n.Fail("attribute 'axis' is missing");
  // As TVM: the only part is concatenated, too.
  if (n.exact() && n.num_inputs() == 1) return n.in(0);
  return Concat(n.em(), n.ins(), has_axis ? n.Int("axis") : 1);
}

// Returns the parts of lengths that are not known.
auto SplitByComputed(Node& n, ExprId x, ExprId lengths, int64_t axis, int64_t count) -> Results {
  Emitter& em = n.em();
  const DataType i64 = DataType::Int(64);
  axis = n.Axis(axis, em.rank(x));
  if (!n.CheckIterations(count)) return {};
  const ExprId one = em.Scalar(i64, 1);
  ExprId begin = em.Scalar(i64, 0);
  Exprs parts;
  for (int64_t i = 0; i < count; ++i) {
    const ExprId end = Add(em, begin, CastTo(em, Take(em, lengths, em.Scalar(i64, i)), i64));
    const ExprId places = em.Call("arange"_op, {begin, end, one}, ArangeAttributes(em, begin, end, one, i64));
    parts.push_back(Take(em, x, places, axis));
    begin = end;
  }
  return parts;
}

// The lengths of equal parts; the last part is smaller if the extent is not a multiple.
auto LengthsOfParts(Emitter& em, ExprId x, int64_t axis, int64_t count) -> ExprId {
  const DataType i64 = DataType::Int(64);
  const ExprId extent = Take(em, em.ShapeOf(x), em.Scalar(i64, axis < 0 ? axis + em.rank(x) : axis));
  const ExprId rounded = Add(em, extent, em.Scalar(i64, count - 1));
  const ExprId part = em.Call("floor_divide"_op, {rounded, em.Scalar(i64, count)});
  const ExprId rest = Sub(em, extent, Mul(em, em.Vector(Iota(count)), part));
  return Maximum(em, Minimum(em, rest, part), em.Scalar(i64, 0));
}

auto ConvertSplit(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t axis = n.Int("axis");
  auto count = static_cast<int64_t>(n.num_outputs());
  std::optional<Ints> lengths;
  int bits = 32;
  if (n.has(1) && !em.IntsOf(n.Known(1))) return SplitByComputed(n, x, n.in(1), axis, count);
  if (n.opset() < 13) {
    lengths = n.has(1) ? n.NeedInts(1) : n.IntList("split");
  } else if (n.has(1)) {
    lengths = n.NeedInts(1);
    bits = 64;
  }
  if (n.failed()) return {};
  if (lengths) {
    if (static_cast<int64_t>(lengths->size()) != count)
      return n.Fail("{} lengths are given for {} parts", lengths->size(), count);
    if (count > 1) return SplitBy(n, x, *lengths, axis, bits);
  }
  if (n.Has("num_outputs")) count = n.Int("num_outputs");
  if (count < 1) return n.Fail("there are no outputs");
  if (!n.CheckIterations(count)) return {};
  const auto extent = em.Extent(x, axis);
  if (!extent && n.opset() >= 18 && n.importer().options().keeps_nan && count > 1) {
    return SplitByComputed(n, x, LengthsOfParts(em, x, axis, count), axis, count);
  }
  if (extent && *extent % count != 0) {
    // The last part is the smaller one.
    const int64_t part = (*extent + count - 1) / count;
    Ints uneven;
    for (int64_t i = 0; i < count; ++i) uneven.push_back(std::clamp<int64_t>(*extent - i * part, 0, part));
    return SplitBy(n, x, uneven, axis, 32);
  }
  return Parts(em, Split(em, x, count, axis), count);
}

auto ConvertShape(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  const int64_t begin = n.opset() < 15 ? 0 : n.Int("start");
  const int64_t end = n.opset() < 15 || !n.Has("end") ? rank : n.Int("end");
  const auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const int64_t from = clamp(begin);
  const int64_t to = std::max(clamp(end), from);
  if (const auto shape = em.StaticShape(x)) {
    return em.Vector(std::span(*shape).subspan(static_cast<size_t>(from), static_cast<size_t>(to - from)));
  }
  const ExprId shape = em.ShapeOf(x);
  return from == 0 && to == rank ? shape : SliceInts(em, shape, {from}, {to}, {1});
}

auto ConvertSize(Node& n) -> Results {
  Emitter& em = n.em();
  if (const auto shape = em.StaticShape(n.in(0)); shape && (shape->empty() || em.is_constant(n.in(0)))) {
    return em.Scalar(DataType::Int(64), Product(*shape));
  }
  return em.Call("ndarray_size"_op, {n.in(0)}, {{"dtype", DataType::Int(64)}});
}

auto ConvertTile(Node& n) -> Results {
  Emitter& em = n.em();
  if (n.opset() >= 6) return Tile(em, n.in(0), n.in(1));
  // Repeats as often along one axis as a number says.
  const auto tiles = n.NeedInts(1);
  const auto axis = n.NeedInts(2);
  if (!tiles || !axis || tiles->size() != 1 || axis->size() != 1) return n.Fail("tiles and axis must be numbers");
  Ints reps(static_cast<size_t>(em.rank(n.in(0))), 1);
  const int64_t at = n.Axis(axis->front(), em.rank(n.in(0)));
  if (n.failed()) return {};
  reps[static_cast<size_t>(at)] = tiles->front();
  return em.Call("tile"_op, {n.in(0)}, {{"reps", reps}});
}

auto ConvertExpand(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId target = n.in(1);
  const DataType dtype = em.dtype(target);
  ExprId shape = em.ShapeOf(n.in(0), dtype);
  const int64_t given = n.NeedExtent(target, 0, "shape");
  const int64_t rank = em.rank(n.in(0));
  // Each axis is a separate scalar.
  if (n.failed() || !n.CheckIterations(given)) return {};
  const auto longer = [&](ExprId vector, int64_t by) {
    return Concat(em, {em.Vector(Ints(static_cast<size_t>(by), 1), dtype), vector}, 0);
  };
  if (rank < given) shape = longer(shape, given - rank);
  if (given < rank) target = longer(target, rank - given);
  const auto known = em.IntsOf(target);
  if (n.exact() && known && std::ranges::all_of(*known, [](int64_t extent) { return extent == 1; }) && given <= rank)
    return n.in(0);
  // An extent 0 is not the smaller one.
  const bool has_numbers = em.IntsOf(shape) && em.IntsOf(target);
  if (n.exact() || has_numbers) {
    return BroadcastTo(em, n.in(0), Where(em, em.Call("equal"_op, {target, em.Scalar(dtype, 1)}), shape, target));
  }
  return BroadcastTo(em, n.in(0), Maximum(em, shape, target));
}

auto ConvertDepthToSpace(Node& n) -> Results {
  return n.em().Call("nn.depth_to_space"_op, {n.in(0)},
                     {{"block_size", n.Int("blocksize")}, {"layout", "NCHW"}, {"mode", n.Text("mode")}});
}

// Blocks whose channels are next to each other: (n, c, h/b, b, w/b, b) to (n, c * b * b, h/b, w/b).
auto ColumnsToDepth(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const auto shape = n.NeedShape(x, "input");
  const int64_t block = n.Int("blocksize");
  if (!shape) return {};
  const bool fits = shape->size() == 4 && block > 0 && (*shape)[2] % block == 0 && (*shape)[3] % block == 0;
  if (!fits) return n.Fail("input, which is {}, does not consist of blocks of {}", em.TypeText(x), block);
  const int64_t height = (*shape)[2] / block;
  const int64_t width = (*shape)[3] / block;
  const ExprId blocks = Reshape(em, x, {(*shape)[0], (*shape)[1], height, block, width, block});
  return Reshape(em, Transpose(em, blocks, {0, 1, 3, 5, 2, 4}),
                 {(*shape)[0], (*shape)[1] * block * block, height, width});
}

auto ConvertSpaceToDepth(Node& n) -> Results {
  if (n.Choice("mode", "DCR,CRD") == "CRD") return ColumnsToDepth(n);
  return n.em().Call("nn.space_to_depth"_op, {n.in(0)},
                     {{"block_size", n.Int("blocksize")}, {"layout", "NCHW"}, {"mode", ""}});
}

auto ConvertIdentity(Node& n) -> Results {
  if (!n.value(0).expr) return n.value(0);
  // Weights are large; as TVM, they are copied where Relay is wanted.
  if (n.exact() && n.em().is_constant(n.in(0))) return n.value(0);
  return n.em().Call("copy"_op, {n.in(0)});
}

// Crops or pads the middle of each axis.
auto ConvertCenterCropPad(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const auto target = n.NeedInts(1);
  const auto shape = n.NeedShape(x, "input_data");
  if (!target || !shape) return {};
  const Ints axes = n.IntList("axes").value_or(Iota(em.rank(x)));
  if (axes.size() != target->size()) return n.Fail("{} axes have {} extents", axes.size(), target->size());
  std::vector<std::pair<int64_t, int64_t>> pads(shape->size());
  bool pads_any = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = n.Axis(axes[i], em.rank(x));
    if (n.failed()) return {};
    const int64_t extent = (*shape)[static_cast<size_t>(axis)];
    const int64_t wanted = (*target)[i];
    if (wanted < extent) {
      const int64_t begin = (extent - wanted) / 2;
      x = SliceAxis(em, x, axis, begin, begin + wanted);
    } else if (wanted > extent) {
      const int64_t before = (wanted - extent) / 2;
      pads[static_cast<size_t>(axis)] = {before, wanted - extent - before};
      pads_any = true;
    }
  }
  if (pads_any) x = PadInts(em, x, pads, em.Scalar(em.dtype(x), 0));
  return x;
}

constexpr OpRow kShapeRows[] = {
    {"Reshape", "1 5 13 14 19 21", "data, shape?", "ints shape; int allowzero = 0; ints consumed_inputs",
     ConvertReshape},
    OpRow("Flatten", "1 9 11 13 21", "input", "int axis = 1", ConvertFlatten).ByTypes(),
    OpRow("Transpose", "1 13 21", "data", "ints perm", ConvertTranspose).ByTypes(),
    {"Squeeze", "1 11 13 21", "data, axes?", "ints axes", ConvertSqueeze},
    {"Unsqueeze", "1 11 13 21", "data, axes?", "ints axes", ConvertUnsqueeze},
    OpRow("Concat", "1 4 11 13", "input, inputs...", "int axis", ConvertConcat).ByTypes(),
    {"Split", "1 2 11 13 18", "input, split?", "int axis = 0; ints split; int num_outputs", ConvertSplit},
    {"Shape", "1 13 15 19 21", "data", "int start = 0; int end", ConvertShape},
    {"Size", "1 13 19 21", "data", "", ConvertSize},
    {"Tile", "1 6 13", "input, repeats, axis?", "", ConvertTile},
    {"Expand", "8 13", "input, shape", "", ConvertExpand},
    {"DepthToSpace", "1 11 13", "input", "int blocksize; string mode = DCR", ConvertDepthToSpace},
    {"SpaceToDepth", "1 13 28", "input", "int blocksize; string mode = DCR", ConvertSpaceToDepth},
    {"Identity", "1 13 14 16 19 21", "input", "", ConvertIdentity},
    {"CenterCropPad", "18", "input_data, shape", "ints axes", ConvertCenterCropPad},
};

}  // namespace

auto ShapeRows() -> std::span<const OpRow> { return kShapeRows; }

}  // namespace relayopt::onnx
