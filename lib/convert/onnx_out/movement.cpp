// Forms of operators that move elements: padding, blocks between channels and space, reversed sequences.
#include "layers.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt::onnx::out {

auto InverseOf(std::span<const int64_t> order) -> std::vector<int64_t> {
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return inverse;
}

namespace {

auto WritePad(OnnxCall& call, const PadAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  const Type* value = call.input(1);
  if (data == nullptr || attrs.pad_width.size() != data->rank()) return std::nullopt;
  if (data->rank() == 0) return One(call.arg(0));
  std::vector<int64_t> pads;
  for (const size_t side : {0, 1}) {
    for (const DimList& width : attrs.pad_width.values) {
      if (width.size() != 2 || !width[side].is_int()) return std::nullopt;
      pads.push_back(width[side].value());
    }
  }
  Names inputs = {call.arg(0), call.List(pads)};
  if (attrs.pad_mode == "constant") {
    const auto number = call.constant(1) == nullptr ? std::nullopt : call.constant(1)->ScalarAsDouble();
    if (value == nullptr) return std::nullopt;
    if (number) {
      inputs.push_back(call.Number(*number));
    } else {
      inputs.push_back(call.As(1, call.dtype()));
    }
  }
  return One(call.Add("Pad", std::move(inputs), {String("mode", attrs.pad_mode)}));
}

// Dilates along each axis: inserts new elements after each element, and cuts off those after the last.
auto WriteDilate(OnnxCall& call, const DilateAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr) return std::nullopt;
  auto shape = KnownExtents(data->shape);
  const auto strides = KnownExtents(attrs.strides.values);
  if (!shape || !strides || strides->size() != shape->size()) return std::nullopt;
  Name x = call.arg(0);
  for (size_t axis = 0; axis < shape->size(); ++axis) {
    const int64_t stride = (*strides)[axis];
    if (stride == 1 || (*shape)[axis] == 0) continue;
    const auto at = static_cast<int64_t>(axis);
    std::vector<int64_t> pads(2 * (shape->size() + 1), 0);
    pads[shape->size() + 1 + axis + 1] = stride - 1;
    x = call.Add("Pad",
                 {call.Unsqueeze(x, std::vector<int64_t>{at + 1}), call.List(pads), call.Number(attrs.dilation_value)},
                 {String("mode", "constant")});
    (*shape)[axis] *= stride;
    x = call.Reshape(x, *shape);
    (*shape)[axis] -= stride - 1;
    x = call.Add("Slice", {x, call.List({0}), call.List({(*shape)[axis]}), call.List({at}), call.List({1})});
  }
  return One(x);
}

// Relay drops what is left of an extent that is no multiple; ONNX has no form for that.
auto IsMultiple(Dim extent, int64_t factor) -> bool { return !extent.is_int() || extent.value() % factor == 0; }

auto WriteDepthToSpace(OnnxCall& call, const SubPixelAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (attrs.layout != "NCHW" || data == nullptr) return std::nullopt;
  if (!IsMultiple(data->shape[1], attrs.block_size * attrs.block_size)) return std::nullopt;
  const std::string_view mode = attrs.mode == "DCR" ? "DCR" : "CRD";
  return One(call.Add("DepthToSpace", {call.arg(0)}, {Int("blocksize", attrs.block_size), String("mode", mode)}));
}

auto WriteSpaceToDepth(OnnxCall& call, const SubPixelAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (attrs.layout != "NCHW" || data == nullptr) return std::nullopt;
  if (!IsMultiple(data->shape[2], attrs.block_size) || !IsMultiple(data->shape[3], attrs.block_size))
    return std::nullopt;
  return One(call.Add("SpaceToDepth", {call.arg(0)}, {Int("blocksize", attrs.block_size)}));
}

auto WriteReverseSequence(OnnxCall& call, const ReverseSequenceAttrs& attrs) -> CallOutputs {
  const Type* data = call.input(0);
  if (data == nullptr || !attrs.seq_axis.is_int() || !attrs.batch_axis.is_int()) return std::nullopt;
  const int64_t time = NormalizedAxis(attrs.seq_axis.value(), data->rank());
  const int64_t batch = NormalizedAxis(attrs.batch_axis.value(), data->rank());
  if (time == batch) return std::nullopt;
  // The two axes come first.
  std::vector<int64_t> order = {time, batch};
  for (size_t i = 0; i < data->rank(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (axis != time && axis != batch) order.push_back(axis);
  }
  const bool is_first = time < 2 && batch < 2;
  const Name x = is_first ? call.arg(0) : call.Transpose(call.arg(0), order);
  const Name reversed = call.Add("ReverseSequence", {x, call.AsLong(1)},
                                 {Int("time_axis", is_first ? time : 0), Int("batch_axis", is_first ? batch : 1)});
  return One(is_first ? reversed : call.Transpose(reversed, InverseOf(order)));
}

constexpr Types kPadTypes = kF16 | kF32 | kF64 | kI8 | kU8 | kI32 | kI64 | kU32 | kU64 | kB;

constexpr OpRule<OnnxForm> kMovementForms[] = {
    {"nn.depth_to_space"_op, {"DepthToSpace", kF32 | kF64 | kU8, WithAttrs<WriteDepthToSpace>}},
    {"nn.dilate"_op, {"Pad, Reshape, Slice", kPadTypes, WithAttrs<WriteDilate>}},
    {"nn.pad"_op, {"Pad", kPadTypes, WithAttrs<WritePad>}},
    {"nn.space_to_depth"_op, {"SpaceToDepth", kF32 | kF64 | kU8, WithAttrs<WriteSpaceToDepth>}},
    {"reverse_sequence"_op, {"ReverseSequence", kAll, WithAttrs<WriteReverseSequence>}},
};

}  // namespace

auto MovementForms() -> std::span<const OpRule<OnnxForm>> { return kMovementForms; }

}  // namespace relayopt::onnx::out
