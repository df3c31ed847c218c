// Forms of operators that create and reshape tensors.
#include <algorithm>
#include <numeric>

#include "forms.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/core/extents.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::onnx::out {

namespace {

// An extent of a result: a number, that of an axis of the data, or one that follows from the others.
struct NewExtent {
  int64_t number = -1;
  std::optional<size_t> axis = {};
};

// Interprets the codes of reshape: 0 and -2 keep extents, -3 merges two, -4 splits one.
auto NewExtents(std::span<const int64_t> codes, size_t rank) -> std::optional<std::vector<NewExtent>> {
  std::vector<NewExtent> extents;
  size_t source = 0;
  for (size_t i = 0; i < codes.size(); ++i, ++source) {
    if (codes[i] == 0) {
      extents.push_back({.axis = source});
    } else if (codes[i] == -2) {
      for (; source < rank; ++source) extents.push_back({.axis = source});
    } else if (codes[i] == -3) {
      extents.push_back({});
      ++source;
    } else if (codes[i] == -4) {
      if (i + 2 >= codes.size()) return std::nullopt;
      // Beside 1, the other factor of an extent is the extent.
      const auto factor = [&](int64_t code, int64_t other) {
        return code == -1 && other == 1 ? NewExtent{.axis = source} : NewExtent{.number = code};
      };
      extents.push_back(factor(codes[i + 1], codes[i + 2]));
      extents.push_back(factor(codes[i + 2], codes[i + 1]));
      i += 2;
    } else {
      extents.push_back({.number = codes[i]});
    }
  }
  const bool is_known = std::ranges::all_of(extents, [&](const NewExtent& e) { return !e.axis || *e.axis < rank; });
  return is_known ? std::optional(std::move(extents)) : std::nullopt;
}

// ONNX keeps extents at their own axes only: others are taken from the shape of the data, but one may be inferred.
auto WriteMovedExtents(OnnxCall& call, std::span<const int64_t> codes, size_t rank) -> CallOutputs {
  auto extents = NewExtents(codes, rank);
  if (!extents) return std::nullopt;
  const auto is_inferred = [](const NewExtent& extent) { return !extent.axis && extent.number == -1; };
  const auto inferred = std::ranges::count_if(*extents, is_inferred);
  if (inferred > 1) return std::nullopt;
  bool may_infer = inferred == 0;
  Names parts;
  std::vector<int64_t> numbers;
  const auto finish_numbers = [&] {
    if (!numbers.empty()) parts.push_back(call.List(numbers));
    numbers.clear();
  };
  for (size_t i = 0; i < extents->size(); ++i) {
    const auto [number, axis] = (*extents)[i];
    if (!axis || axis == i) {
      numbers.push_back(axis ? 0 : number);
    } else if (may_infer) {
      may_infer = false;
      numbers.push_back(-1);
    } else {
      finish_numbers();
      const auto at = static_cast<int64_t>(*axis);
      // Neighbouring extents are taken by one slice.
      auto end = at + 1;
      while (i + 1 < extents->size() && (*extents)[i + 1].axis == static_cast<size_t>(end)) ++end, ++i;
      parts.push_back(call.Extents(call.arg(0), at, end));
    }
  }
  finish_numbers();
  if (parts.size() == 1) return One(call.Add("Reshape", {call.arg(0), parts[0]}));
  return One(call.Add("Reshape", {call.arg(0), call.Add("Concat", parts, {Int("axis", 0)})}));
}

// Uses the shape of the type, or the attribute if both systems interpret it in the same way.
auto WriteReshape(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  if (const auto shape = KnownExtents(result->shape)) {
    const bool is_same = call.input(0) != nullptr && KnownExtents(call.input(0)->shape) == shape;
    return One(is_same ? call.arg(0) : call.Reshape(call.arg(0), *shape));
  }
  const auto* attrs = call.attrs<ReshapeAttrs>();
  std::vector<int64_t> shape;
  size_t unknown = 0;
  for (const Dim& dim : result->shape) {
    if (!dim.is_int()) ++unknown;
    shape.push_back(dim.is_int() ? dim.value() : -1);
  }
  const bool has_zero = std::ranges::find(shape, 0) != shape.end();
  if (unknown == 1 && !has_zero) return One(call.Reshape(call.arg(0), shape));
  if (attrs == nullptr) return std::nullopt;
  const auto given = KnownExtents(attrs->newshape.values);
  const Type* data = call.input(0);
  if (!given || data == nullptr) return std::nullopt;
  if (attrs->allowzero && std::ranges::find(*given, 0) != given->end()) return std::nullopt;
  // In both systems, 0 keeps an extent and -1 infers one.
  const bool is_plain = std::ranges::all_of(*given, [](int64_t extent) { return extent >= -1; });
  return is_plain ? One(call.Add("Reshape", {call.arg(0), call.List(*given)}))
                  : WriteMovedExtents(call, *given, data->rank());
}

auto WriteExpandDims(OnnxCall& call, const ExpandDimsAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  if (attrs.num_newaxis == 0) return One(call.arg(0));
  const int64_t axis = attrs.axis < 0 ? attrs.axis + static_cast<int64_t>(type->rank()) + 1 : attrs.axis;
  std::vector<int64_t> axes(static_cast<size_t>(attrs.num_newaxis));
  std::iota(axes.begin(), axes.end(), axis);
  return One(call.Unsqueeze(call.arg(0), axes));
}

auto WriteSqueeze(OnnxCall& call, const SqueezeAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  std::vector<int64_t> axes;
  if (!attrs.axis.null) {
    const auto given = KnownExtents(attrs.axis.values);
    if (!given) return std::nullopt;
    for (const int64_t axis : *given) axes.push_back(NormalizedAxis(axis, type->rank()));
  } else {
    for (size_t i = 0; i < type->rank(); ++i) {
      if (type->shape[i].is(1)) axes.push_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return One(call.arg(0));
  return One(call.Add("Squeeze", {call.arg(0), call.List(axes)}));
}

auto WriteTranspose(OnnxCall& call, const TransposeAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  std::vector<int64_t> axes;
  const size_t rank = type->rank();
  const bool is_reversed = attrs.axes.null || attrs.axes.empty();
  for (size_t i = 0; i < rank; ++i) {
    if (!is_reversed && !attrs.axes[i].is_int()) return std::nullopt;
    axes.push_back(is_reversed ? static_cast<int64_t>(rank - 1 - i) : NormalizedAxis(attrs.axes[i].value(), rank));
  }
  return One(call.Transpose(call.arg(0), axes));
}

auto WriteConcatenate(OnnxCall& call, const ConcatenateAttrs& attrs) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  if (call.args[0].size() == 1) return One(call.arg(0));
  return One(call.Add("Concat", call.args[0], {Int("axis", NormalizedAxis(attrs.axis, result->rank()))}));
}

auto WriteStack(OnnxCall& call, const StackAttrs& attrs) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr || !attrs.axis.is_int()) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs.axis.value(), result->rank());
  Names parts;
  for (const Name part : call.args[0]) parts.push_back(call.Unsqueeze(part, std::vector<int64_t>{axis}));
  return One(parts.size() == 1 ? parts[0] : call.Add("Concat", std::move(parts), {Int("axis", axis)}));
}

// Parts of an axis whose extent is not known: equal ones, or slices between positions.
auto WriteUnknownParts(OnnxCall& call, const SplitAttrs& attrs, int64_t axis, size_t count) -> CallOutputs {
  const auto& parts = call.context().object(attrs.indices_or_sections);
  if (parts.kind != ObjectKind::kArray) {
    Attributes attributes = {Int("axis", axis)};
    if (call.opset() >= 18) attributes.push_back(Int("num_outputs", static_cast<int64_t>(count)));
    return call.AddMany("Split", {call.arg(0)}, std::move(attributes), count);
  }
  Values slices;
  int64_t begin = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool is_last = i + 1 == count;
    const int64_t end = is_last ? INT64_MAX : call.context().object(parts.items[i]).integer;
    if (end < begin) return std::nullopt;
    slices.push_back(
        call.Add("Slice", {call.arg(0), call.List({begin}), call.List({end}), call.List({axis}), call.List({1})}));
    begin = end;
  }
  return slices;
}

auto WriteSplit(OnnxCall& call, const SplitAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs.axis, type->rank());
  const Type& result = call.context().type(call.function().type(call.id()));
  std::vector<int64_t> sizes;
  for (const TypeId field : result.args) {
    const Dim extent = call.context().type(field).shape[static_cast<size_t>(axis)];
    if (!extent.is_int()) return WriteUnknownParts(call, attrs, axis, result.args.size());
    sizes.push_back(extent.value());
  }
  if (sizes.size() == 1) return One(call.arg(0));
  return call.AddMany("Split", {call.arg(0), call.List(sizes)}, {Int("axis", axis)}, sizes.size());
}

// Writes all numbers explicitly, for the axes that are named.
auto WriteStridedSlice(OnnxCall& call, const StridedSliceAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  const auto slices = type == nullptr ? std::nullopt : SlicesOf(attrs, type->rank());
  if (!slices) return std::nullopt;
  std::vector<int64_t> axes;
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  std::vector<int64_t> steps;
  for (const AxisSlice& slice : *slices) {
    const Dim whole = type->shape[slice.axis];
    const bool has_end = slice.end < INT32_MAX && (!whole.is_int() || slice.end < whole.value());
    if (slice.begin == 0 && slice.stride == 1 && !has_end) continue;
    axes.push_back(static_cast<int64_t>(slice.axis));
    begin.push_back(slice.begin);
    end.push_back(slice.end);
    steps.push_back(slice.stride);
  }
  if (axes.empty()) return One(call.arg(0));
  return One(call.Add("Slice", {call.arg(0), call.List(begin), call.List(end), call.List(axes), call.List(steps)}));
}

auto WriteReverse(OnnxCall& call, const ReverseAttrs& attrs) -> CallOutputs {
  if (!attrs.axis.is_int()) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs.axis.value(), call.input(0)->rank());
  return One(
      call.Add("Slice", {call.arg(0), call.List({-1}), call.List({-INT64_MAX}), call.List({axis}), call.List({-1})}));
}

auto WriteTile(OnnxCall& call, const TileAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  auto reps = KnownExtents(attrs.reps.values);
  if (!reps) return std::nullopt;
  std::vector<int64_t> front;
  for (size_t i = type->rank(); i < reps->size(); ++i) front.push_back(static_cast<int64_t>(front.size()));
  while (reps->size() < type->rank()) reps->insert(reps->begin(), 1);
  return One(call.Add("Tile", {call.Unsqueeze(call.arg(0), front), call.List(*reps)}));
}

// Repeats each element: a new axis after it, tiled and merged again.
auto WriteRepeat(OnnxCall& call, const RepeatAttrs& attrs) -> CallOutputs {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr || !attrs.repeats.is_int()) return std::nullopt;
  // One extent may follow from the others.
  const auto shape =
      MapToVector<int64_t>(result->shape, [&](const Dim& dim) { return dim.is_int() ? dim.value() : -1; });
  const auto unknown = std::ranges::count(shape, -1);
  if (unknown > 1 || (unknown == 1 && std::ranges::find(shape, 0) != shape.end())) return std::nullopt;
  Name data = call.arg(0);
  int64_t axis = 0;
  size_t rank = 1;
  if (attrs.axis.is_int()) {
    axis = NormalizedAxis(attrs.axis.value(), type->rank());
    rank = type->rank();
  } else {
    data = call.Reshape(data, std::vector<int64_t>{-1});
  }
  std::vector<int64_t> reps(rank + 1, 1);
  reps[static_cast<size_t>(axis) + 1] = attrs.repeats.value();
  const Name tiled = call.Add("Tile", {call.Unsqueeze(data, std::vector<int64_t>{axis + 1}), call.List(reps)});
  return One(call.Reshape(tiled, shape));
}

auto WriteBroadcastTo(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  const Type* type = call.input(0);
  if (result == nullptr || type == nullptr) return std::nullopt;
  const auto shape = KnownExtents(result->shape);
  if (!shape) return std::nullopt;
  return One(call.Add("Expand", {call.arg(0), call.List(*shape)}));
}

// Sums over the axes that were broadcast.
auto WriteCollapseSum(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  const Type* type = call.input(0);
  if (result == nullptr || type == nullptr) return std::nullopt;
  const auto shape = KnownExtents(result->shape);
  const auto from = KnownExtents(type->shape);
  if (!shape || !from || shape->size() > from->size()) return std::nullopt;
  std::vector<int64_t> axes;
  const size_t extra = from->size() - shape->size();
  for (size_t i = 0; i < from->size(); ++i) {
    if (i < extra || ((*shape)[i - extra] == 1 && (*from)[i] != 1)) axes.push_back(static_cast<int64_t>(i));
  }
  if (axes.empty()) return One(call.arg(0));
  return One(call.Reshape(call.Add("ReduceSum", {call.arg(0), call.List(axes)}, {Int("keepdims", 1)}), *shape));
}

auto WriteFlatten(OnnxCall& call) -> CallOutputs { return One(call.Add("Flatten", {call.arg(0)}, {Int("axis", 1)})); }

// -- new tensors --

// Returns a tensor of the result's extents filled with the value, as a constant if it is small.
auto Fill(OnnxCall& call, Name value) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  const auto shape = KnownExtents(result->shape);
  if (!shape) return std::nullopt;
  return One(call.Add("Expand", {value, call.List(*shape)}));
}

auto WriteFull(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  const Type* type = call.input(0);
  if (result == nullptr || type == nullptr || type->rank() != 0) return std::nullopt;
  return Fill(call, call.As(0, result->dtype));
}

// Has the shape of the first argument.
auto Like(OnnxCall& call, Name value) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  if (const auto shape = KnownExtents(result->shape)) return One(call.Add("Expand", {value, call.List(*shape)}));
  return One(call.Add("Expand", {value, call.Add("Shape", {call.arg(0)})}));
}

auto WriteFullLike(OnnxCall& call) -> CallOutputs {
  const Type* value = call.input(1);
  const Type* result = call.result();
  if (value == nullptr || result == nullptr) return std::nullopt;
  return Like(call, call.As(1, result->dtype));
}
template <int kValue>
auto WriteLike(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  return result == nullptr ? std::nullopt : Like(call, call.Number(kValue, result->dtype));
}
template <int kValue>
auto WriteNew(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  return result == nullptr ? std::nullopt : Fill(call, call.Number(kValue, result->dtype));
}

auto WriteArange(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  const Type* type = call.input(0);
  if (result == nullptr || type == nullptr || call.num_args() != 3) return std::nullopt;
  constexpr Types kKernels = kF32 | kF64 | kI16 | kI32 | kI64;
  const DataType dtype = (SetOf(result->dtype) & kKernels) != 0 ? result->dtype
                         : result->dtype.is_float()             ? DataType::Float(32)
                                                                : kIndexType;
  Names parts;
  for (size_t i = 0; i < 3; ++i) {
    const Type* part = call.input(i);
    Name value = call.As(i, dtype);
    if (part != nullptr && part->rank() != 0) value = call.Reshape(value, {});
    parts.push_back(value);
  }
  const Name range = call.Add("Range", std::move(parts));
  return One(dtype == result->dtype ? range : call.Cast(range, result->dtype));
}

// Writes each operand along its own axis, broadcast over the others.
auto WriteMeshgrid(OnnxCall& call, const MeshgridAttrs& attrs) -> CallOutputs {
  const Type& result = call.context().type(call.function().type(call.id()));
  Values grids;
  const size_t count = call.args[0].size();
  for (size_t i = 0; i < count; ++i) {
    const auto shape = KnownExtents(call.context().type(result.args[i]).shape);
    if (!shape) return std::nullopt;
    const size_t axis = attrs.indexing == "xy" && i < 2 && count > 1 ? 1 - i : i;
    std::vector<int64_t> own(count, 1);
    own[axis] = (*shape)[axis];
    grids.push_back(call.Add("Expand", {call.Reshape(call.args[0][i], own), call.List(*shape)}));
  }
  return grids;
}

auto WriteTrilu(OnnxCall& call, const TriluAttrs& attrs) -> CallOutputs {
  const Type* k = call.input(1);
  if (k == nullptr) return std::nullopt;
  const Name diagonal = call.As(1, kIndexType);
  return One(call.Add("Trilu", {call.arg(0), diagonal}, {Int("upper", attrs.upper ? 1 : 0)}));
}

auto WriteShapeOf(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  const Name shape = call.Add("Shape", {call.arg(0)});
  return One(result->dtype == kIndexType ? shape : call.Cast(shape, result->dtype));
}

auto WriteSize(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  const Name size = call.Add("Size", {call.arg(0)});
  return One(result->dtype == kIndexType ? size : call.Cast(size, result->dtype));
}

// Reinterprets bits as integers of the same width, through 64 bits.
auto WriteReinterpret(OnnxCall& call) -> CallOutputs {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr || type->dtype.is_float() || result->dtype.is_float()) return std::nullopt;
  if (type->dtype.bits != result->dtype.bits || type->dtype.bits < 8) return std::nullopt;
  return One(call.Cast(call.arg(0), result->dtype));
}

auto WriteStridedSet(OnnxCall& call) -> CallOutputs {
  const Type* type = call.input(0);
  const Type* update = call.input(1);
  if (type == nullptr || update == nullptr) return std::nullopt;
  const auto shape = KnownExtents(type->shape);
  const auto extents = KnownExtents(update->shape);
  const Constant* begin = call.constant(2);
  const Constant* strides = call.num_args() > 4 ? call.constant(4) : nullptr;
  if (!shape || !extents || begin == nullptr || strides == nullptr || shape->size() != extents->size()) {
    return std::nullopt;
  }
  // The destination of each element of the update.
  const auto numbers = [](const Constant& constant) {
    std::vector<int64_t> values;
    values.reserve(constant.num_elements());
    const ElementBytes elements = constant.Elements();
    for (size_t i = 0; i < constant.num_elements(); ++i) {
      values.push_back(constant.dtype().bits == 64 ? elements.At<int64_t>(i) : elements.At<int32_t>(i));
    }
    return values;
  };
  std::vector<int64_t> first = numbers(*begin);
  std::vector<int64_t> steps = numbers(*strides);
  const size_t rank = shape->size();
  first.resize(rank, 0);
  steps.resize(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    if (first[i] < 0) first[i] += (*shape)[i];
    first[i] = std::clamp<int64_t>(first[i], 0, steps[i] < 0 ? (*shape)[i] - 1 : (*shape)[i]);
  }
  const int64_t count = Product(*extents);
  constexpr int64_t kMost = 1 << 16;
  if (count > kMost || rank == 0) return std::nullopt;
  Tensor places(kIndexType, {count, static_cast<int64_t>(rank)});
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t axis = rank; axis-- > 0;) {
      const int64_t at = rest % (*extents)[axis];
      rest /= (*extents)[axis];
      places.mutable_data<int64_t>()[i * static_cast<int64_t>(rank) + static_cast<int64_t>(axis)] =
          first[axis] + at * steps[axis];
    }
  }
  const auto bytes = places.bytes();
  const Name indices = call.model().Initializer(
      {kIndexType, {count, static_cast<int64_t>(rank)}, std::vector<std::byte>(bytes.begin(), bytes.end())});
  return One(call.Add("ScatterND", {call.arg(0), indices, call.Reshape(call.arg(1), std::vector<int64_t>{count})}));
}

constexpr Types kTriluTypes = kF32 | kF64 | kI64 | kB;

constexpr OpRule<OnnxForm> kShapeForms[] = {
    {"arange"_op, {"Range", kAll, WriteArange}},
    {"broadcast_to"_op, {"Expand", kAll, WriteBroadcastTo}},
    {"collapse_sum_like"_op, {"ReduceSum, Reshape", kF16 | kF32 | kF64 | kI32 | kI64, WriteCollapseSum}},
    {"collapse_sum_to"_op, {"ReduceSum, Reshape", kF16 | kF32 | kF64 | kI32 | kI64, WriteCollapseSum}},
    {"concatenate"_op, {"Concat", kAll, WithAttrs<WriteConcatenate>}},
    {"expand_dims"_op, {"Unsqueeze", kAll, WithAttrs<WriteExpandDims>}},
    {"full"_op, {"Expand", kAll, WriteFull}},
    {"full_like"_op, {"Expand", kAll, WriteFullLike}},
    {"meshgrid"_op, {"Reshape, Expand", kAll, WithAttrs<WriteMeshgrid>}},
    {"ndarray_size"_op, {"Size", kAll, WriteSize}},
    {"nn.batch_flatten"_op, {"Flatten", kAll, WriteFlatten}},
    {"ones"_op, {"Expand", kAll, WriteNew<1>}},
    {"ones_like"_op, {"Expand", kAll, WriteLike<1>}},
    {"reinterpret"_op, {"Cast", kAll, WriteReinterpret}},
    {"repeat"_op, {"Unsqueeze, Tile, Reshape", kAll, WithAttrs<WriteRepeat>}},
    {"reshape"_op, {"Reshape", kAll, WriteReshape}},
    {"reverse"_op, {"Slice", kAll, WithAttrs<WriteReverse>}},
    {"shape_of"_op, {"Shape", kAll, WriteShapeOf}},
    {"vm.shape_of"_op, {"Shape", kAll, WriteShapeOf}},
    {"split"_op, {"Split", kAll, WithAttrs<WriteSplit>}},
    {"squeeze"_op, {"Squeeze", kAll, WithAttrs<WriteSqueeze>}},
    {"stack"_op, {"Unsqueeze, Concat", kAll, WithAttrs<WriteStack>}},
    {"strided_set"_op, {"ScatterND", kAll, WriteStridedSet}},
    {"strided_slice"_op, {"Slice", kAll, WithAttrs<WriteStridedSlice>}},
    {"tile"_op, {"Tile", kAll, WithAttrs<WriteTile>}},
    {"transpose"_op, {"Transpose", kAll, WithAttrs<WriteTranspose>}},
    {"trilu"_op, {"Trilu", kTriluTypes, WithAttrs<WriteTrilu>}},
    {"zeros"_op, {"Expand", kAll, WriteNew<0>}},
    {"zeros_like"_op, {"Expand", kAll, WriteLike<0>}},
};

}  // namespace

auto ShapeForms() -> std::span<const OpRule<OnnxForm>> { return kShapeForms; }

}  // namespace relayopt::onnx::out
