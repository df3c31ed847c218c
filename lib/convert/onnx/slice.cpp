// Slices and padding.
#include <algorithm>
#include <limits>

#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

auto OldSlice(Node& n) -> Results {
  Emitter& em = n.em();
  const auto starts = n.IntList("starts");
  const auto ends = n.IntList("ends");
  if (!starts || !ends || starts->size() != ends->size()) return n.Fail("attributes 'starts' and 'ends' do not fit");
  const auto axes = n.IntList("axes");
  if (!axes) return SliceInts(em, n.in(0), *starts, *ends, {1});
  if (axes->size() != starts->size()) return n.Fail("attributes 'starts' and 'axes' do not fit");
  Ints positive;
  for (const int64_t axis : *axes) positive.push_back(n.Axis(axis, em.rank(n.in(0))));
  if (n.failed() || positive.empty()) return n.in(0);
  const auto count = static_cast<size_t>(*std::ranges::max_element(positive)) + 1;
  Ints begin(count, 0);
  Ints end(count, std::numeric_limits<int32_t>::max());
  for (size_t i = 0; i < positive.size(); ++i) {
    begin[static_cast<size_t>(positive[i])] = (*starts)[i];
    end[static_cast<size_t>(positive[i])] = (*ends)[i];
  }
  return SliceInts(em, n.in(0), begin, end, {1});
}

auto ConvertSlice(Node& n) -> Results {
  if (n.opset() < 10) return OldSlice(n);
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const int64_t rank = em.rank(x);
  if (!n.has(1) || !n.has(2)) return n.Fail("starts and ends are needed");
  ExprId starts = n.in(1);
  ExprId ends = n.in(2);
  ExprId steps = n.in(4);
  if (n.has(3)) {
    ExprId axes = n.in(3);
    const DataType dtype = em.dtype(axes);
    const ExprId below = Less(em, axes, em.Scalar(dtype, 0));
    axes = Where(em, below, Add(em, axes, em.Scalar(dtype, rank)), axes);
    const auto known = em.IntsOf(axes);
    const bool are_constant = known && em.IntsOf(starts) && em.IntsOf(ends) && (!n.has(4) || em.IntsOf(steps));
    if (are_constant && std::ranges::all_of(*known, [&](int64_t axis) { return em.Extent(x, axis).has_value(); })) {
      const DimList strides = n.has(4) ? DimsOf(em, steps) : WideDims(Ints(em.IntsOf(starts)->size(), 1));
      return em.Call(
          "strided_slice"_op, {x},
          {{"begin", DimsOf(em, starts)}, {"end", DimsOf(em, ends)}, {"strides", strides}, {"axes", DimsOf(em, axes)}});
    }
    const auto spread = [&](ExprId values, ExprId base) { return ScatterElements(em, base, axes, values, 0); };
    starts = spread(starts, em.Vector(Ints(static_cast<size_t>(rank), 0), em.dtype(starts)));
    ends = spread(ends, em.ShapeOf(x, em.dtype(ends)));
    if (n.has(4)) steps = spread(steps, em.Vector(Ints(static_cast<size_t>(rank), 1), em.dtype(steps)));
  }
  if (!n.has(4)) steps = em.Vector(Ints(static_cast<size_t>(rank), 1), DataType::Int(32));
  return SliceBy(em, x, starts, ends, steps);
}

// Negative pads cut.
auto CutByPads(Emitter& em, ExprId x, Ints& pads) -> ExprId {
  const auto rank = static_cast<int64_t>(pads.size() / 2);
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t& before = pads[static_cast<size_t>(axis)];
    int64_t& after = pads[static_cast<size_t>(axis + rank)];
    const auto extent = em.Extent(x, axis);
    if ((before >= 0 && after >= 0) || !extent) continue;
    x = SliceAxis(em, x, axis, std::max<int64_t>(-before, 0), *extent - std::max<int64_t>(-after, 0));
    before = std::max<int64_t>(before, 0);
    after = std::max<int64_t>(after, 0);
  }
  return x;
}

// The data repeated around itself.
auto WrapPad(Node& n, ExprId x, const Ints& pads) -> ExprId {
  Emitter& em = n.em();
  const auto rank = static_cast<int64_t>(pads.size() / 2);
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t before = pads[static_cast<size_t>(axis)];
    const int64_t after = pads[static_cast<size_t>(axis + rank)];
    if (before == 0 && after == 0) continue;
    const int64_t extent = n.NeedExtent(x, axis, "data");
    if (n.failed() || extent == 0) return {};
    Ints indices;
    for (int64_t i = -before; i < extent + after; ++i) indices.push_back(((i % extent) + extent) % extent);
    x = Take(em, x, em.Vector(indices), axis);
  }
  return x;
}

auto PadKnown(Node& n, ExprId x, Ints pads, ExprId value, const std::string& mode, int bits) -> Results {
  Emitter& em = n.em();
  if (pads.size() != static_cast<size_t>(2 * em.rank(x))) return n.Fail("{} pads for rank {}", pads.size(), em.rank(x));
  x = CutByPads(em, x, pads);
  if (mode == "wrap") return WrapPad(n, x, pads);
  std::vector<std::pair<int64_t, int64_t>> widths;
  for (size_t i = 0; i < pads.size() / 2; ++i) widths.emplace_back(pads[i], pads[i + pads.size() / 2]);
  return PadInts(em, x, widths, value, mode, bits);
}

auto ConvertPad(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const std::string mode = n.Choice("mode", "constant,reflect,edge,wrap");
  if (n.failed()) return {};
  if (n.opset() < 11) {
    const auto pads = n.IntList(n.Has("pads") ? "pads" : "paddings");
    if (!pads) return n.Fail("attribute 'pads' is missing");
    // As TVM: a value that is not used is an integer.
    const ExprId value = mode == "constant" ? em.Scalar(dtype, n.Float("value")) : em.Scalar(DataType::Int(32), 0);
    return PadKnown(n, x, *pads, value, mode, 32);
  }
  if (!n.has(1)) return n.Fail("{} is missing", n.InputText(1));
  // As TVM: the number is taken out of what may be a vector of one.
  const ExprId value = n.has(2)             ? Take(em, n.in(2), em.Scalar(DataType::Int(32), 0))
                       : mode == "constant" ? em.Scalar(dtype, 0.0)
                                            : em.Scalar(DataType::Float(32), 0.0);
  auto pads = em.IntsOf(n.in(1));
  if (n.has(3)) {
    const auto axes = n.NeedInts(3);
    pads = n.NeedInts(1);
    if (!axes || !pads) return {};
    if (pads->size() != 2 * axes->size()) return n.Fail("{} pads for {} axes", pads->size(), axes->size());
    const auto rank = static_cast<size_t>(em.rank(x));
    Ints all(2 * rank, 0);
    for (size_t i = 0; i < axes->size(); ++i) {
      const auto axis = static_cast<size_t>(n.Axis((*axes)[i], em.rank(x)));
      if (n.failed()) return {};
      all[axis] = (*pads)[i];
      all[axis + rank] = (*pads)[i + axes->size()];
    }
    pads = all;
  }
  if (pads) return PadKnown(n, x, *pads, value, mode, 64);
  if (mode == "wrap") return n.NeedsValue(n.InputText(1));
  const ExprId widths = em.Call("transpose"_op, {Reshape(em, n.in(1), {2, -1})});
  return PadBy(em, x, widths, value, mode);
}

constexpr OpRow kSliceRows[] = {
    {.name = "Slice",
     .versions = "1 10 11 13",
     .inputs = "data, starts?, ends?, axes?, steps?",
     .attributes = "ints axes; ints starts; ints ends",
     .convert = ConvertSlice},
    {.name = "Pad",
     .versions = "1 2 11 13 18 19 21",
     .inputs = "data, pads?, constant_value?, axes?",
     .attributes = "string mode = constant; ints pads; ints paddings; float value = 0",
     .convert = ConvertPad},
};

}  // namespace

auto SliceRows() -> std::span<const OpRow> { return kSliceRows; }

}  // namespace relayopt::onnx
