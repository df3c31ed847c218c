// Slices and padding.
#include <algorithm>
#include <limits>

#include "builders.h"
#include "families.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// A slice whose bounds are known, fitted to the axes of known extent as ONNX limits them. As TVM: bounds stay as they
// are where Relay's operator means the same by them; it takes no begin after the end, and a begin before the first
// element is no element for it when the stride is negative.
void FitBounds(Emitter& em, ExprId x, const Ints& axes, Ints& begin, Ints& end, const Ints& strides) {
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto extent = em.Extent(x, axes[i]);
    if (!extent && strides[i] > 0 && begin[i] > end[i] && (begin[i] < 0) == (end[i] < 0)) begin[i] = end[i] = 0;
    if (!extent || strides[i] == 0) continue;
    const auto clamp = [&](int64_t at) {
      const int64_t last = strides[i] > 0 ? *extent : *extent - 1;
      return std::clamp<int64_t>(at < 0 ? at + *extent : at, strides[i] > 0 ? 0 : -1, std::max<int64_t>(last, 0));
    };
    const bool is_before = strides[i] < 0 && begin[i] < -*extent;
    const int64_t from = is_before ? 0 : clamp(begin[i]);
    const int64_t to = clamp(end[i]);
    if (*extent == 0 || (strides[i] > 0 ? from >= to : from <= to)) {
      if (from == to && !is_before && *extent != 0) continue;
      begin[i] = 0;
      end[i] = 0;
    } else if (is_before) {
      begin[i] = 0;
    }
  }
}

// Slices by bounds that are not known, limited as ONNX does: one number for each of the first axes.
auto SliceExactly(Emitter& em, ExprId x, ExprId begin, ExprId end, ExprId strides) -> ExprId {
  const DataType i64 = DataType::Int(64);
  const auto count = em.Extent(begin, 0);
  if (!count) return em.Fail("the number of axes that are sliced is not known");
  if (em.Extent(strides, 0) != count) strides = SliceInts(em, strides, {0}, {*count}, {1});
  const ExprId zero = em.Scalar(i64, 0);
  const ExprId one = em.Scalar(i64, 1);
  const ExprId extents = SliceInts(em, em.ShapeOf(x), {0}, {*count}, {1});
  const ExprId backwards = Less(em, CastTo(em, strides, i64), zero);
  const ExprId last = Where(em, backwards, Maximum(em, Sub(em, extents, one), zero), extents);
  const auto from_begin = [&](ExprId bound) {
    const ExprId wide = CastTo(em, bound, i64);
    return Where(em, Less(em, wide, zero), Add(em, wide, extents), wide);
  };
  const ExprId from = Minimum(em, Maximum(em, from_begin(begin), zero), last);
  const ExprId to = from_begin(end);
  // Backwards, the end may be before the first element; a negative number would count from the end.
  const ExprId before_all = Sub(em, Sub(em, zero, extents), one);
  const ExprId down = Minimum(em, to, from);
  const ExprId forward = Maximum(em, Minimum(em, to, extents), from);
  const ExprId until = Where(em, backwards, Where(em, Less(em, down, zero), before_all, down), forward);
  return em.Call("dyn.strided_slice"_op, {x, from, until, CastTo(em, strides, i64)});
}

auto HaveExtents(const Emitter& em, ExprId x, const Ints& axes) -> bool {
  return std::ranges::all_of(axes, [&](int64_t axis) { return em.Extent(x, axis).has_value(); });
}

// Whether Relay's operator limits the bounds as ONNX does, whatever the extents are.
auto AreForward(const Ints& begin, const Ints& end, const Ints& strides) -> bool {
  const auto is_at_front = [](int64_t at) { return at >= 0; };
  return std::ranges::all_of(begin, is_at_front) && std::ranges::all_of(end, is_at_front) &&
         std::ranges::all_of(strides, [](int64_t stride) { return stride > 0; });
}

// Whether bounds of the first axes are limited as ONNX does only by computing them.
auto WantsExactBounds(Node& n, ExprId x, const Ints& begin, const Ints& end, const Ints& strides) -> bool {
  const Ints axes = Iota(static_cast<int64_t>(begin.size()));
  return n.exact() && !HaveExtents(n.em(), x, axes) && !AreForward(begin, end, strides);
}

// Slices the first axes by bounds that are known, without steps.
auto SliceFront(Node& n, Ints begin, Ints end) -> ExprId {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const Ints strides(begin.size(), 1);
  const DataType i64 = DataType::Int(64);
  if (WantsExactBounds(n, x, begin, end, strides))
    return SliceExactly(em, x, em.Vector(begin, i64), em.Vector(end, i64), em.Vector(strides, i64));
  FitBounds(em, x, Iota(static_cast<int64_t>(begin.size())), begin, end, strides);
  return SliceInts(em, x, begin, end, {1});
}

auto OldSlice(Node& n) -> Results {
  Emitter& em = n.em();
  const auto starts = n.IntList("starts");
  const auto ends = n.IntList("ends");
  if (!starts || !ends || starts->size() != ends->size())
    return n.Fail("attributes 'starts' and 'ends' must have the same length");
  const auto axes = n.IntList("axes");
  if (!axes) {
    if (static_cast<int64_t>(starts->size()) > em.rank(n.in(0))) return n.Fail("there are more bounds than axes");
    return SliceFront(n, *starts, *ends);
  }
  if (axes->size() != starts->size()) return n.Fail("attributes 'starts' and 'axes' must have the same length");
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
  return SliceFront(n, begin, end);
}

// Returns the numbers with their type, which attributes show.
auto Like(Emitter& em, ExprId constant, const Ints& values) -> DimList {
  return em.dtype(constant) == DataType::Int(64) ? WideDims(values) : PlainDims(values);
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
    auto from = em.IntsOf(starts);
    auto to = em.IntsOf(ends);
    const bool are_constant = known && from && to && (!n.has(4) || em.IntsOf(steps));
    const Ints by = n.has(4) && are_constant ? *em.IntsOf(steps) : Ints(from ? from->size() : 0, 1);
    if (are_constant && (HaveExtents(em, x, *known) || (n.exact() && AreForward(*from, *to, by)))) {
      if (from->size() != known->size() || to->size() != known->size() || by.size() != known->size())
        return n.Fail("starts, ends, axes and steps differ in length");
      FitBounds(em, x, *known, *from, *to, by);
      const DimList strides = n.has(4) ? DimsOf(em, steps) : WideDims(by);
      return em.Call("strided_slice"_op, {x},
                     {{"begin", Like(em, starts, *from)},
                      {"end", Like(em, ends, *to)},
                      {"strides", strides},
                      {"axes", DimsOf(em, axes)}});
    }
    const auto spread = [&](ExprId values, ExprId base) { return ScatterElements(em, base, axes, values, 0); };
    starts = spread(starts, em.Vector(Ints(static_cast<size_t>(rank), 0), em.dtype(starts)));
    ends = spread(ends, em.ShapeOf(x, em.dtype(ends)));
    if (n.has(4)) steps = spread(steps, em.Vector(Ints(static_cast<size_t>(rank), 1), em.dtype(steps)));
  }
  if (!n.has(4)) steps = em.Vector(Ints(static_cast<size_t>(rank), 1), DataType::Int(32));
  auto from = em.IntsOf(starts);
  auto to = em.IntsOf(ends);
  const auto by = em.IntsOf(steps);
  const bool are_constant = from && to && by;
  if (!are_constant) return n.exact() ? SliceExactly(em, x, starts, ends, steps) : SliceBy(em, x, starts, ends, steps);
  const auto count = static_cast<int64_t>(from->size());
  if (count > rank || from->size() != to->size() || by->size() < from->size())
    return n.Fail("starts, ends and steps do not match the data");
  if (WantsExactBounds(n, x, *from, *to, *by)) return SliceExactly(em, x, starts, ends, steps);
  FitBounds(em, x, Iota(count), *from, *to, *by);
  return em.Call("strided_slice"_op, {x},
                 {{"begin", Like(em, starts, *from)}, {"end", Like(em, ends, *to)}, {"strides", DimsOf(em, steps)}});
}

// Negative pads cut.
auto CutByPads(Emitter& em, ExprId x, Ints& pads) -> ExprId {
  const auto rank = static_cast<int64_t>(pads.size() / 2);
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t& before = pads[static_cast<size_t>(axis)];
    int64_t& after = pads[static_cast<size_t>(axis + rank)];
    const auto extent = em.Extent(x, axis);
    if ((before >= 0 && after >= 0) || !extent) continue;
    const auto cut = [&](int64_t pad) { return -std::clamp<int64_t>(pad, -*extent, 0); };
    x = SliceAxis(em, x, axis, cut(before), *extent - cut(after));
    before = std::max<int64_t>(before, 0);
    after = std::max<int64_t>(after, 0);
  }
  return x;
}

// Returns the elements from -before to extent + after of an axis, where each extent begins again.
auto WrapAround(Emitter& em, ExprId x, int64_t axis, ExprId before, ExprId after, ExprId extent) -> ExprId {
  const DataType i64 = DataType::Int(64);
  const ExprId one = em.Scalar(i64, 1);
  const ExprId from = em.Call("negative"_op, {before});
  const ExprId to = Add(em, extent, after);
  const ExprId positions = em.Call("arange"_op, {from, to, one}, ArangeAttributes(em, from, to, one, i64));
  return Take(em, x, em.Call("floor_mod"_op, {positions, extent}), axis);
}

// Returns the data with wrap-around padding.
auto WrapPad(Node& n, ExprId x, const Ints& pads) -> ExprId {
  Emitter& em = n.em();
  const auto rank = static_cast<int64_t>(pads.size() / 2);
  for (int64_t axis = 0; axis < rank; ++axis) {
    const int64_t before = pads[static_cast<size_t>(axis)];
    const int64_t after = pads[static_cast<size_t>(axis + rank)];
    if (before == 0 && after == 0) continue;
    const auto extent = em.Extent(x, axis);
    if (!extent) {
      const DataType i64 = DataType::Int(64);
      const ExprId computed = Take(em, em.ShapeOf(x), em.Scalar(i64, axis));
      x = WrapAround(em, x, axis, em.Scalar(i64, before), em.Scalar(i64, after), computed);
      continue;
    }
    if (*extent == 0) return n.Fail("axis {} has no elements that could be repeated", axis);
    int64_t length = 0;
    const bool is_finite =
        !__builtin_add_overflow(before, *extent, &length) && !__builtin_add_overflow(length, after, &length);
    if (!n.Elements({is_finite ? length : -1})) return {};
    Ints indices;
    for (int64_t i = -before; i < *extent + after; ++i) indices.push_back(((i % *extent) + *extent) % *extent);
    x = Take(em, x, em.Vector(indices), axis);
  }
  return x;
}

// The same for pads that are not known.
auto WrapPadBy(Emitter& em, ExprId x, ExprId pads) -> ExprId {
  const DataType i64 = DataType::Int(64);
  const int64_t rank = em.rank(x);
  for (int64_t axis = 0; axis < rank; ++axis) {
    const auto width = [&](int64_t i) { return Take(em, pads, em.Scalar(i64, i)); };
    const ExprId extent = Take(em, em.ShapeOf(x), em.Scalar(i64, axis));
    x = WrapAround(em, x, axis, width(axis), width(axis + rank), extent);
  }
  return x;
}

auto PadKnown(Node& n, ExprId x, Ints pads, ExprId value, const std::string& mode, int bits) -> Results {
  Emitter& em = n.em();
  if (pads.size() != static_cast<size_t>(2 * em.rank(x))) return n.Fail("{} pads for rank {}", pads.size(), em.rank(x));
  x = CutByPads(em, x, pads);
  if (mode == "wrap") return WrapPad(n, x, pads);
  std::vector<std::pair<int64_t, int64_t>> widths;
  widths.reserve(pads.size() / 2);
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
  ExprId computed = n.in(1);
  if (n.has(3) && (!em.IntsOf(n.Known(3)) || !em.IntsOf(n.Known(1)))) {
    // Widths that are not known are inserted at their axes among those of all axes.
    const DataType dtype = em.dtype(computed);
    const ExprId rank = em.Scalar(dtype, em.rank(x));
    const ExprId given = CastTo(em, n.in(3), dtype);
    const ExprId axes = Where(em, Less(em, given, em.Scalar(dtype, 0)), Add(em, given, rank), given);
    const ExprId places = Concat(em, {axes, Add(em, axes, rank)}, 0);
    const ExprId none = em.Vector(Ints(static_cast<size_t>(2 * em.rank(x)), 0), dtype);
    computed = ScatterElements(em, none, places, computed, 0);
    pads = em.IntsOf(computed);
  } else if (n.has(3)) {
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
  if (mode == "wrap") return WrapPadBy(em, x, CastTo(em, computed, DataType::Int(64)));
  const ExprId widths = em.Call("transpose"_op, {Reshape(em, computed, {2, -1})});
  return PadBy(em, x, widths, value, mode);
}

constexpr OpRow kSliceRows[] = {
    {"Slice", "1 10 11 13", "data, starts?, ends?, axes?, steps?", "ints axes; ints starts; ints ends", ConvertSlice},
    {"Pad", "1 2 11 13 18 19 21", "data, pads?, constant_value?, axes?",
     "string mode = constant; ints pads; ints paddings; float value = 0", ConvertPad},
};

}  // namespace

auto SliceRows() -> std::span<const OpRow> { return kSliceRows; }

}  // namespace relayopt::onnx
