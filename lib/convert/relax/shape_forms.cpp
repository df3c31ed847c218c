// Forms of operators that create or change shapes, and of indexing.
#include "forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "extents.h"
#include "python.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt::relax {

namespace {

auto WriteWithExtents(const RelaxCall& call) -> Text {
  const Text extents = ResultExtents(call);
  return extents ? Text(fmt::format("R.{}({}, {})", call.name(), call.args[0], *extents)) : std::nullopt;
}

// Relax wants two axes.
auto WriteReverseSequence(const RelaxCall& call, const ReverseSequenceAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  const auto axis_of = [&](const Dim& axis) { return NormalizedAxis(axis.value(), type->rank()); };
  return axis_of(attrs.seq_axis) == axis_of(attrs.batch_axis) ? std::nullopt : Text(call.Write());
}

// TVM 0.27 compiles no sum of truth values, and leaves the sum of nothing as the memory is.
auto WriteCollapsed(const RelaxCall& call) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr || type->dtype.is_bool()) return std::nullopt;
  const bool is_of_nothing = std::ranges::any_of(type->shape, [](const Dim& extent) { return extent.is(0); });
  return is_of_nothing ? ZerosOfResult(call) : WriteWithExtents(call);
}

// ones, zeros, full: only the type of the result matters.
auto WriteFilled(const RelaxCall& call) -> Text {
  const Text extents = ResultExtents(call);
  if (!extents) return std::nullopt;
  const std::string value = call.num_inputs() == 1 ? ", " + call.args[0] : "";
  return fmt::format("R.{}({}{}, dtype={})", call.name(), *extents, value, DtypeText(call.result()->dtype));
}

auto WriteExpandDims(const RelaxCall& call, const ExpandDimsAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  const int64_t axis = attrs.axis < 0 ? attrs.axis + static_cast<int64_t>(type->rank()) + 1 : attrs.axis;
  DimList axes;
  for (int64_t i = 0; i < attrs.num_newaxis; ++i) axes.values.emplace_back(axis + i);
  return fmt::format("R.expand_dims({}, axis={})", call.args[0], *PythonList(axes));
}

auto WriteSqueeze(const RelaxCall& call, const SqueezeAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  DimList axes;
  if (!attrs.axis.null) {
    axes = attrs.axis;
  } else {
    for (size_t i = 0; i < type->rank(); ++i) {
      if (type->shape[i].is(1)) axes.values.emplace_back(static_cast<int64_t>(i));
    }
  }
  if (axes.empty()) return call.args[0];
  const Text list = PythonList(axes);
  return list ? Text(fmt::format("R.squeeze({}, axis={})", call.args[0], *list)) : std::nullopt;
}

auto WriteTranspose(const RelaxCall& call, const TransposeAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  if (type == nullptr) return std::nullopt;
  DimList axes;
  const size_t rank = type->rank();
  for (size_t i = 0; i < rank; ++i) {
    const bool is_reversed = attrs.axes.null || attrs.axes.empty();
    if (!is_reversed && !attrs.axes[i].is_int()) return std::nullopt;
    axes.values.emplace_back(is_reversed ? static_cast<int64_t>(rank - 1 - i)
                                         : NormalizedAxis(attrs.axes[i].value(), rank));
  }
  const Extents given = call.extents(0);
  Extents extents;
  for (const Dim& axis : axes) extents.push_back(given[static_cast<size_t>(axis.value())]);
  return Shaped(call, fmt::format("R.permute_dims({}, axes={})", call.args[0], *PythonList(axes)), std::move(extents));
}

auto WriteTake(const RelaxCall& call, const TakeAttrs& attrs) -> Text {
  if (!attrs.batch_dims.is(0)) return std::nullopt;
  const std::string data = attrs.axis.is_int() ? call.args[0] : fmt::format("R.reshape({}, (-1,))", call.args[0]);
  // Relax takes no truth values, and of integers without a sign not those of 64 bits.
  const Type* places = call.input(1);
  const bool is_wide = places != nullptr && places->dtype == DataType::UInt(64);
  std::string indices = call.args[1];
  if (is_wide) indices = fmt::format("R.minimum({}, R.const(9223372036854775807, \"uint64\"))", indices);
  if (is_wide || (places != nullptr && places->dtype.is_bool()))
    indices = fmt::format("R.astype({}, \"int64\")", indices);
  const int64_t axis = attrs.axis.is_int() ? attrs.axis.value() : 0;
  // No place wraps around an axis without elements.
  const Type* type = call.input(0);
  const bool is_empty = type != nullptr && type->rank() != 0 &&
                        type->shape[static_cast<size_t>(NormalizedAxis(axis, type->rank()))].is(0);
  return fmt::format("R.take({}, {}, axis={}, mode={})", data, indices, axis,
                     PythonString(is_empty ? "clip" : attrs.mode));
}

// The indices of one element are along the first axis in Relay, and along the last in Relax, which requires int64.
auto IndicesLast(const RelaxCall& call) -> Text {
  const Type* type = call.input(1);
  if (type == nullptr || type->rank() == 0) return std::nullopt;
  DimList order;
  for (size_t i = 1; i < type->rank(); ++i) order.values.emplace_back(static_cast<int64_t>(i));
  order.values.emplace_back(0);
  return fmt::format("R.permute_dims(R.astype({}, \"int64\"), axes={})", call.args[1], *PythonList(order));
}

auto WriteGatherNd(const RelaxCall& call, const GatherNDAttrs& attrs) -> Text {
  const Text indices = IndicesLast(call);
  if (!indices || !attrs.batch_dims.is_int()) return std::nullopt;
  return fmt::format("R.gather_nd({}, {}, batch_dims={})", call.args[0], *indices, attrs.batch_dims.value());
}

// TVM requires that the numbers of updates and indices agree by name: updates get the names of the indices, followed by
// those of the data.
void AlignUpdates(const RelaxCall& call) {
  const auto data = call.extents(0);
  const auto indices = call.extents(1);
  const Type* type = call.input(1);
  if (data.empty() || indices.empty() || !type->shape[0].is_int()) return;
  const auto named = static_cast<size_t>(std::clamp<int64_t>(type->shape[0].value(), 0, INT32_MAX));
  if (named > data.size()) return;
  std::vector<std::string> wanted(indices.begin() + 1, indices.end());
  wanted.insert(wanted.end(), data.begin() + static_cast<std::ptrdiff_t>(named), data.end());
  const auto given = call.extents(2);
  if (given.size() != wanted.size()) return;
  for (size_t i = 0; i < given.size(); ++i) {
    // Numbers stay.
    if (given[i].find_first_not_of("0123456789") == std::string::npos) wanted[i] = given[i];
  }
  call.lines().Recast(call.operand(2), wanted);
}

auto WriteScatterNd(const RelaxCall& given) -> Text {
  RelaxCall call = given;
  const auto* attrs = call.attrs<ScatterNDAttrs>();
  AlignUpdates(call);
  call.args[2] = call.lines().TextOf(call.operand(2));
  const Text indices = IndicesLast(call);
  if (attrs == nullptr || !indices) return std::nullopt;
  return fmt::format("R.scatter_nd({}, {}, {}, reduction={})", call.args[0], *indices, call.args[2],
                     PythonString(attrs->mode));
}

auto WriteScatterElements(const RelaxCall& call, const ScatterElementsAttrs& attrs) -> Text {
  return fmt::format("R.scatter_elements({}, R.astype({}, \"int64\"), {}, axis={}, reduction={})", call.args[0],
                     call.args[1], call.args[2], attrs.axis.value(), PythonString(attrs.reduction));
}

// Relax takes places of int32 and int64.
auto WriteGather(const RelaxCall& call, const GatherAttrs& attrs) -> Text {
  const Type* places = call.input(1);
  if (!attrs.axis.is_int() || places == nullptr) return std::nullopt;
  const bool is_place = places->dtype == kInt32 || places->dtype == kInt64;
  const std::string indices = is_place ? call.args[1] : fmt::format("R.astype({}, \"int64\")", call.args[1]);
  return fmt::format("R.gather_elements({}, {}, axis={})", call.args[0], indices, attrs.axis.value());
}

auto WriteStridedSlice(const RelaxCall& call, const StridedSliceAttrs& attrs) -> Text {
  const Type* type = call.input(0);
  const auto slices = type == nullptr ? std::nullopt : SlicesOf(attrs, type->rank());
  if (!slices) return std::nullopt;
  DimList axes;
  DimList begin;
  DimList end;
  DimList strides;
  constexpr int64_t kFar = INT32_MAX;
  for (const AxisSlice& slice : *slices) {
    if (attrs.axes.null && slice.begin == 0 && slice.stride == 1 && slice.end >= kFar) continue;
    axes.values.emplace_back(static_cast<int64_t>(slice.axis));
    begin.values.emplace_back(std::clamp(slice.begin, -kFar, kFar));
    end.values.emplace_back(std::clamp(slice.end, -kFar, kFar));
    strides.values.emplace_back(slice.stride);
  }
  return fmt::format("R.strided_slice({}, axes={}, begin={}, end={}, strides={})", call.args[0], *PythonList(axes),
                     *PythonList(begin), *PythonList(end), *PythonList(strides));
}

// A tuple of one tensor is what Relay gives for one section; Relax gives the tensor.
auto WriteSplit(const RelaxCall& call, const SplitAttrs& attrs) -> Text {
  if (!attrs.indices_or_sections) return std::nullopt;
  const Context& context = call.context();
  const Object& object = context.object(attrs.indices_or_sections);
  std::string sections;
  if (object.kind == ObjectKind::kInt) {
    if (object.integer == 1) return fmt::format("R.tuple({})", call.args[0]);
    sections = std::to_string(object.integer);
  } else {
    DimList places;
    for (const ObjectId item : object.items) places.values.emplace_back(context.object(item).integer);
    if (places.empty()) return fmt::format("R.tuple({})", call.args[0]);
    sections = *PythonList(places);
  }
  return fmt::format("R.split({}, {}, axis={})", call.args[0], sections, attrs.axis);
}

auto WriteTrilu(const RelaxCall& call, const TriluAttrs& attrs) -> Text {
  const Constant* k = call.constant(1);
  if (k == nullptr || !k->ScalarAsInt()) return std::nullopt;
  return fmt::format("R.{}({}, {})", attrs.upper ? "triu" : "tril", call.args[0], *k->ScalarAsInt());
}

// The data and the indices are fields of one tuple in Relay.
auto WriteAdvIndex(const RelaxCall& call) -> Text {
  const std::vector<ExprId> fields = call.lines().FieldsOf(call.operand(0));
  if (fields.size() < 2) return std::nullopt;
  std::string indices;
  for (size_t i = 1; i < fields.size(); ++i) indices += call.lines().TextOf(fields[i]) + ", ";
  return fmt::format("R.index_tensor({}, ({}))", call.lines().TextOf(fields[0]), indices);
}

// TVM 0.27 gives grids of scalars an axis when it infers types, but not before.
auto WriteMeshgrid(const RelaxCall& call, const MeshgridAttrs& attrs) -> Text {
  std::string fields;
  bool has_scalars = false;
  for (const ExprId field : call.lines().FieldsOf(call.operand(0))) {
    const Type* type = TensorType(call.function(), field);
    const bool is_scalar = type != nullptr && type->rank() == 0;
    has_scalars |= is_scalar;
    const std::string text = call.lines().TextOf(field);
    fields += is_scalar ? fmt::format("R.reshape({}, (1,)), ", text) : text + ", ";
  }
  if (!has_scalars) return call.Write("indexing");
  return fmt::format("R.meshgrid(({}), indexing={})", fields, PythonString(attrs.indexing));
}

constexpr OpRule<RelaxForm> kShapeForms[] = {
    // Shapes.
    {"broadcast_to"_op, {"broadcast_to", "", WriteWithExtents}},
    {"collapse_sum_like"_op, {"collapse_sum_to", "", WriteCollapsed}},
    {"collapse_sum_to"_op, {"collapse_sum_to", "", WriteCollapsed}},
    {"expand_dims"_op, {"expand_dims", "", WithAttrs<WriteExpandDims>}},
    {"repeat"_op, {"repeat", "repeats axis"}},
    {"reverse"_op, {"flip", "axis"}},
    {"reverse_sequence"_op, {"reverse_sequence", "seq_axis batch_axis", WithAttrs<WriteReverseSequence>}},
    {"split"_op, {"split", "", WithAttrs<WriteSplit>}},
    {"squeeze"_op, {"squeeze", "", WithAttrs<WriteSqueeze>}},
    {"strided_slice"_op, {"strided_slice", "", WithAttrs<WriteStridedSlice>}},
    {"tile"_op, {"tile", "reps=repeats"}},
    {"transpose"_op, {"permute_dims", "", WithAttrs<WriteTranspose>}},
    {"trilu"_op, {"triu, tril", "", WithAttrs<WriteTrilu>}},
    // Takes elements by position.
    {"adv_index"_op, {"index_tensor", "", WriteAdvIndex}},
    {"gather"_op, {"gather_elements", "", WithAttrs<WriteGather>}},
    {"gather_nd"_op, {"gather_nd", "", WithAttrs<WriteGatherNd>}},
    {"scatter_elements"_op, {"scatter_elements", "", WithAttrs<WriteScatterElements>}},
    {"scatter_nd"_op, {"scatter_nd", "", WriteScatterNd}},
    {"take"_op, {"take", "", WithAttrs<WriteTake>}},
    // New tensors.
    {"full"_op, {"full", "", WriteFilled}},
    {"meshgrid"_op, {"meshgrid", "", WithAttrs<WriteMeshgrid>}},
    {"ones"_op, {"ones", "", WriteFilled}},
    {"zeros"_op, {"zeros", "", WriteFilled}},
};

}  // namespace

auto ShapeForms() -> std::span<const OpRule<RelaxForm>> { return kShapeForms; }

}  // namespace relayopt::relax
