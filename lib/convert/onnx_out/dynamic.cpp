// Forms of operators whose shapes are operands.
#include <numeric>

#include "forms.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/dyn.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"

namespace relayopt::onnx::out {

namespace {

auto WriteDynReshape(OnnxCall& call, const ReshapeAttrs& attrs) -> CallOutputs {
  return One(call.Add("Reshape", {call.arg(0), call.AsLong(1)},
                      attrs.allowzero ? Attributes{Int("allowzero", 1)} : Attributes()));
}

auto WriteDynBroadcastTo(OnnxCall& call) -> CallOutputs {
  return One(call.Add("Expand", {call.arg(0), call.AsLong(1)}));
}

template <int kValue>
auto WriteDynNew(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr) return std::nullopt;
  return One(call.Add("Expand", {call.Number(kValue, result->dtype), call.AsLong(0)}));
}

auto WriteDynFull(OnnxCall& call) -> CallOutputs {
  const Type* result = call.result();
  if (result == nullptr || call.input(0) == nullptr) return std::nullopt;
  return One(call.Add("Expand", {call.As(0, result->dtype), call.AsLong(1)}));
}

// Axes are a list in ONNX.
auto AsList(OnnxCall& call, size_t i) -> Name {
  const Type* type = call.input(i);
  const Name list = call.AsLong(i);
  return type != nullptr && type->rank() == 0 ? call.Reshape(list, std::vector<int64_t>{1}) : list;
}

auto WriteDynExpandDims(OnnxCall& call, const DynExpandDimsAttrs& attrs) -> CallOutputs {
  if (attrs.num_newaxis != 1) return std::nullopt;
  return One(call.Add("Unsqueeze", {call.arg(0), AsList(call, 1)}));
}

auto WriteDynSqueeze(OnnxCall& call) -> CallOutputs { return One(call.Add("Squeeze", {call.arg(0), AsList(call, 1)})); }

// Relay has a pair of widths for each axis; ONNX has all widths before, then all widths after.
auto WriteDynPad(OnnxCall& call, const PadAttrs& attrs) -> CallOutputs {
  if (call.num_args() < 2) return std::nullopt;
  const Name widths =
      call.Reshape(call.Transpose(call.AsLong(1), std::vector<int64_t>{1, 0}), std::vector<int64_t>{-1});
  Names inputs = {call.arg(0), widths};
  if (attrs.pad_mode == "constant" && call.num_args() > 2) {
    inputs.push_back(call.As(2, call.dtype()));
  }
  return One(call.Add("Pad", std::move(inputs), {String("mode", attrs.pad_mode)}));
}

// The first axes, as many as there are begins: the attribute axes is that of the operator whose numbers are known, and
// nothing reads it here. Lengths in place of ends where they are not negative.
auto WriteDynStridedSlice(OnnxCall& call, const StridedSliceAttrs& attrs) -> CallOutputs {
  const Type* begin = call.input(1);
  if (begin == nullptr || !begin->shape[0].is_int() || call.num_args() < 4) return std::nullopt;
  const int64_t count = begin->shape[0].value();
  std::vector<int64_t> axes(static_cast<size_t>(count));
  std::iota(axes.begin(), axes.end(), 0);
  const Name first = call.AsLong(1);
  Name last = call.AsLong(2);
  Name steps = call.AsLong(3);
  if (attrs.slice_mode == "size") {
    const Name is_open = call.Add("Less", {last, call.Index(0)});
    last = call.Add("Where", {is_open, call.Index(INT64_MAX), call.Add("Add", {first, last})});
    steps = call.List(std::vector<int64_t>(static_cast<size_t>(count), 1));
  }
  return One(call.Add("Slice", {call.arg(0), first, last, call.List(axes), steps}));
}

auto WriteDynTile(OnnxCall& call) -> CallOutputs {
  const Type* type = call.input(0);
  const Type* reps = call.input(1);
  if (type == nullptr || reps == nullptr || !reps->shape[0].is_int()) return std::nullopt;
  const auto rank = static_cast<int64_t>(type->rank());
  Name counts = call.AsLong(1);
  std::vector<int64_t> front;
  for (int64_t i = rank; i < reps->shape[0].value(); ++i) front.push_back(static_cast<int64_t>(front.size()));
  if (const int64_t missing = rank - reps->shape[0].value(); missing > 0) {
    counts = call.Add("Concat", {call.List(std::vector<int64_t>(static_cast<size_t>(missing), 1)), counts},
                      {Int("axis", 0)});
  }
  return One(call.Add("Tile", {call.Unsqueeze(call.arg(0), front), counts}));
}

// where(index == place, on, off)
auto WriteDynOneHot(OnnxCall& call, const OneHotAttrs& attrs) -> CallOutputs {
  const Type* indices = call.input(0);
  const Type* depth = call.input(3);
  const Type* result = call.result();
  if (indices == nullptr || depth == nullptr || result == nullptr) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs.axis, result->rank());
  Name count = call.AsLong(3);
  if (depth->rank() != 0) count = call.Reshape(count, {});
  Name places = call.Add("Range", {call.Index(0), count, call.Index(1)});
  places = call.AsColumn(places, result->rank() - 1 - static_cast<size_t>(axis));
  const Name hits = call.Add("Equal", {call.Unsqueeze(call.AsLong(0), std::vector<int64_t>{axis}), places});
  return One(call.Add("Where", {hits, call.As(1, result->dtype), call.As(2, result->dtype)}));
}

auto WriteDynSparseToDense(OnnxCall& call) -> CallOutputs {
  const Type* indices = call.input(0);
  const Type* values = call.input(1);
  if (indices == nullptr || values == nullptr || indices->rank() > 2 || call.num_args() < 3) return std::nullopt;
  Name places = call.AsLong(0);
  Name updates = call.arg(1);
  const size_t shape_at = call.num_args() == 4 ? 3 : 2;
  if (indices->rank() == 0) places = call.Reshape(places, std::vector<int64_t>{1, 1});
  if (indices->rank() == 1) places = call.Unsqueeze(places, std::vector<int64_t>{1});
  if (values->rank() == 0) {
    const Name count = call.Add("Shape", {places}, {Int("end", 1)});
    updates = call.Add("Expand", {updates, count});
  }
  const Name filler = call.num_args() == 4 ? call.arg(2) : call.Number(0, values->dtype);
  const Name blank = call.Add("Expand", {filler, call.AsLong(shape_at)});
  return One(call.Add("ScatterND", {blank, places, updates}));
}

constexpr OpRule<OnnxForm> kDynamicForms[] = {
    {"dyn.broadcast_to"_op, {"Expand", kAll, WriteDynBroadcastTo}},
    {"dyn.expand_dims"_op, {"Unsqueeze", kAll, WithAttrs<WriteDynExpandDims>}},
    {"dyn.full"_op, {"Expand", kAll, WriteDynFull}},
    {"dyn.nn.pad"_op, {"Pad", kF16 | kF32 | kF64 | kI8 | kU8 | kI32 | kI64 | kU32 | kU64 | kB, WithAttrs<WriteDynPad>}},
    {"dyn.one_hot"_op, {"Range, Equal, Where", kAll, WithAttrs<WriteDynOneHot>}},
    {"dyn.ones"_op, {"Expand", kAll, WriteDynNew<1>}},
    {"dyn.reshape"_op, {"Reshape", kAll, WithAttrs<WriteDynReshape>}},
    {"dyn.squeeze"_op, {"Squeeze", kAll, WriteDynSqueeze}},
    {"dyn.strided_slice"_op, {"Slice", kAll, WithAttrs<WriteDynStridedSlice>}},
    {"dyn.tile"_op, {"Tile", kAll, WriteDynTile}},
    {"dyn.zeros"_op, {"Expand", kAll, WriteDynNew<0>}},
    {"dyn.sparse_to_dense"_op, {"Expand, ScatterND", kAll, WriteDynSparseToDense}},
};

}  // namespace

auto DynamicForms() -> std::span<const OpRule<OnnxForm>> { return kDynamicForms; }

}  // namespace relayopt::onnx::out
