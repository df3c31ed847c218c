#include "moves.h"

#include <algorithm>
#include <limits>

#include "lib/convert/onnx/foreign.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

auto MoveOfReshape(const ReshapeAttrs& attrs) -> std::optional<Move> {
  const auto list = KnownExtents(attrs.newshape);
  if (!list || std::ranges::any_of(*list, [](int64_t extent) { return extent < -1; })) return std::nullopt;
  if (attrs.allowzero && std::ranges::find(*list, 0) != list->end()) return std::nullopt;
  Move move{*list, {}};
  for (size_t i = 0; i < list->size(); ++i) move.same_as.push_back((*list)[i] == 0 ? static_cast<int64_t>(i) : -1);
  return move;
}

// Returns the reshape whose axis i is axis same_as[i] of the data, or a new axis of extent 1 where same_as[i] is -1.
auto MoveOfAxes(const Type& data, std::vector<int64_t> same_as) -> std::optional<Move> {
  Move move{{}, std::move(same_as)};
  bool has_inferred = false;
  for (size_t i = 0; i < move.same_as.size(); ++i) {
    const int64_t from = move.same_as[i];
    const Dim extent = from < 0 ? Dim(1) : data.shape[static_cast<size_t>(from)];
    if (from == static_cast<int64_t>(i) && !extent.is_int()) {
      move.newshape.push_back(0);
    } else if (extent.is_int() && extent.value() != 0) {
      move.newshape.push_back(extent.value());
    } else if (!has_inferred && !extent.is_int()) {
      has_inferred = true;
      move.newshape.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  return move;
}

auto MoveOfSqueeze(const Type& data, const SqueezeAttrs& attrs) -> std::optional<Move> {
  std::vector<bool> dropped(data.rank());
  if (attrs.axis.null) {
    for (size_t i = 0; i < data.rank(); ++i) {
      if (!data.shape[i].is_int()) return std::nullopt;
      dropped[i] = data.shape[i].is(1);
    }
  } else {
    const auto axes = KnownExtents(attrs.axis);
    if (!axes) return std::nullopt;
    for (const int64_t axis : *axes) {
      const int64_t at = NormalizedAxis(axis, data.rank());
      if (at < 0 || at >= static_cast<int64_t>(data.rank())) return std::nullopt;
      dropped[static_cast<size_t>(at)] = true;
    }
  }
  std::vector<int64_t> same_as;
  for (size_t i = 0; i < data.rank(); ++i) {
    if (!dropped[i]) same_as.push_back(static_cast<int64_t>(i));
  }
  return MoveOfAxes(data, std::move(same_as));
}

auto MoveOfExpandDims(const Type& data, const ExpandDimsAttrs& attrs) -> std::optional<Move> {
  const auto rank = static_cast<int64_t>(data.rank());
  const int64_t axis = attrs.axis < 0 ? attrs.axis + rank + 1 : attrs.axis;
  if (axis < 0 || axis > rank || attrs.num_newaxis < 0) return std::nullopt;
  std::vector<int64_t> same_as;
  same_as.reserve(static_cast<size_t>(axis));
  for (int64_t i = 0; i < axis; ++i) same_as.push_back(i);
  same_as.insert(same_as.end(), static_cast<size_t>(attrs.num_newaxis), -1);
  for (int64_t i = axis; i < rank; ++i) same_as.push_back(i);
  return MoveOfAxes(data, std::move(same_as));
}

auto MoveOfTranspose(const Type& data, const TransposeAttrs& attrs) -> std::optional<Move> {
  const auto axes = KnownExtents(attrs.axes);
  if (!axes || axes->size() != data.rank()) return std::nullopt;
  std::vector<int64_t> same_as;
  int64_t last = -1;
  for (const int64_t axis : *axes) {
    const int64_t from = NormalizedAxis(axis, data.rank());
    if (from < 0 || from >= static_cast<int64_t>(data.rank())) return std::nullopt;
    same_as.push_back(from);
    if (data.shape[static_cast<size_t>(from)].is(1)) continue;
    if (from < last) return std::nullopt;
    last = from;
  }
  return MoveOfAxes(data, std::move(same_as));
}

}  // namespace

auto IsReshape(const Function& function, ExprId id) -> bool {
  if (function.kind(id) != ExprKind::kOpCall || function.operands(id).empty()) return false;
  const OpDef* op = function.op(id);
  if (const onnx::OpRow* row = onnx::RowOfOp(op))
    return row->domain.empty() &&
           (row->name == "Flatten" || row->name == "Reshape" || row->name == "Squeeze" || row->name == "Unsqueeze");
  return op == "reshape"_op || op == "dyn.reshape"_op || op == "squeeze"_op || op == "dyn.squeeze"_op ||
         op == "expand_dims"_op || op == "dyn.expand_dims"_op || op == "nn.batch_flatten"_op;
}

auto MoveOf(const Function& function, ExprId id) -> std::optional<Move> {
  if (function.kind(id) != ExprKind::kOpCall || function.operands(id).empty()) return std::nullopt;
  const Type* data = TensorType(function, function.operand(id, 0));
  if (data == nullptr) return std::nullopt;
  const Context& context = function.context();
  const AttrsId attrs = function.attrs(id);
  const OpDef* op = function.op(id);
  if (op == "reshape"_op) return MoveOfReshape(*context.As<ReshapeAttrs>(attrs));
  if (op == "squeeze"_op) return MoveOfSqueeze(*data, *context.As<SqueezeAttrs>(attrs));
  if (op == "expand_dims"_op) return MoveOfExpandDims(*data, *context.As<ExpandDimsAttrs>(attrs));
  if (op == "transpose"_op) return MoveOfTranspose(*data, *context.As<TransposeAttrs>(attrs));
  return std::nullopt;
}

auto Joined(const Move& inner, const Type& middle, const Move& outer, const Type* result)
    -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> shape = outer.newshape;
  auto inferred = std::ranges::find(shape, -1);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 0) continue;
    if (i >= middle.rank() || i >= inner.same_as.size()) return std::nullopt;
    if (middle.shape[i].is_int()) {
      if (middle.shape[i].is(0)) return std::nullopt;
      shape[i] = middle.shape[i].value();
    } else if (inner.same_as[i] != static_cast<int64_t>(i)) {
      // Only one extent may be inferred; another one that was may be a known number.
      if (inferred != shape.end()) {
        const auto place = static_cast<size_t>(inferred - shape.begin());
        if (result == nullptr || place >= result->rank() || !result->shape[place].is_int()) return std::nullopt;
        if (result->shape[place].value() <= 0) return std::nullopt;
        *inferred = result->shape[place].value();
      }
      shape[i] = -1;
      inferred = shape.begin() + static_cast<std::ptrdiff_t>(i);
    }
  }
  return shape;
}

auto JoinedTranspose(const std::vector<int64_t>& axes, const Type& middle, const Type& result)
    -> std::optional<std::vector<int64_t>> {
  if (middle.rank() != result.rank() || axes.size() != middle.rank()) return std::nullopt;
  std::vector<int64_t> joined(result.rank(), -1);
  // Axes of extent 1 of `middle` that are still to be placed.
  std::vector<int64_t> units;
  std::vector<size_t> kept;
  size_t unknown = 0;
  for (size_t i = 0; i < middle.rank(); ++i) {
    if (middle.shape[i].is(1)) {
      units.push_back(axes[i]);
    } else {
      kept.push_back(i);
    }
    unknown += middle.shape[i].is_int() ? 0 : 1;
  }
  // Two unknown extents may become two others.
  if (unknown > 1) return std::nullopt;
  size_t next_kept = 0;
  size_t next_unit = 0;
  for (size_t i = 0; i < result.rank(); ++i) {
    if (result.shape[i].is(1)) {
      if (next_unit == units.size()) return std::nullopt;
      joined[i] = units[next_unit++];
      continue;
    }
    if (next_kept == kept.size()) return std::nullopt;
    const Dim extent = middle.shape[kept[next_kept]];
    if (extent.is_int() != result.shape[i].is_int() || (extent.is_int() && !(extent == result.shape[i])))
      return std::nullopt;
    joined[i] = axes[kept[next_kept++]];
  }
  return joined;
}

auto SliceParts(const Function& function, ExprId id) -> std::optional<std::vector<AxisSlice>> {
  if (function.kind(id) != ExprKind::kOpCall || function.op(id) != "strided_slice"_op) return std::nullopt;
  const auto* attrs = function.context().As<StridedSliceAttrs>(function.attrs(id));
  const Type* data = TensorType(function, function.operand(id, 0));
  if (attrs == nullptr || data == nullptr || attrs->slice_mode != "end") return std::nullopt;
  auto slices = SlicesOf(*attrs, data->rank());
  if (!slices || !attrs->axes.null) return slices;
  std::erase_if(*slices,
                [](const AxisSlice& slice) { return slice.begin == 0 && slice.stride == 1 && slice.end == INT64_MAX; });
  return slices;
}

namespace {

auto IsFar(int64_t end) -> bool { return end >= std::numeric_limits<int32_t>::max(); }

// A slice of a slice of one axis, both forwards and from the front.
auto JoinedPart(const AxisSlice& inner, const AxisSlice& outer) -> std::optional<AxisSlice> {
  const bool is_forward =
      inner.begin >= 0 && inner.end >= 0 && inner.stride > 0 && outer.begin >= 0 && outer.end >= 0 && outer.stride > 0;
  if (!is_forward || IsFar(inner.begin) || IsFar(outer.begin) || IsFar(inner.stride) || IsFar(outer.stride))
    return std::nullopt;
  AxisSlice joined{inner.axis, inner.begin + outer.begin * inner.stride, inner.end, inner.stride * outer.stride};
  if (!IsFar(outer.end)) joined.end = std::min(joined.end, inner.begin + outer.end * inner.stride);
  return joined;
}

}  // namespace

auto JoinedSlices(const std::vector<AxisSlice>& inner, const std::vector<AxisSlice>& outer, const Type& whole)
    -> std::optional<std::vector<AxisSlice>> {
  std::vector<AxisSlice> parts = inner;
  for (const AxisSlice& part : outer) {
    const auto same = std::ranges::find(parts, part.axis, &AxisSlice::axis);
    if (same == parts.end()) {
      parts.push_back(part);
      continue;
    }
    const auto joined = JoinedPart(*same, part);
    if (!joined) return std::nullopt;
    *same = *joined;
  }
  std::erase_if(parts, [&](const AxisSlice& part) {
    const Dim extent = whole.shape[part.axis];
    return part.begin == 0 && part.stride == 1 && (IsFar(part.end) || (extent.is_int() && part.end >= extent.value()));
  });
  return parts;
}

}  // namespace relayopt
