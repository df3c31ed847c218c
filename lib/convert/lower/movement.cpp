// Lowering of operators that only move elements.
#include <algorithm>
#include <numeric>
#include <string>

#include "relayopt/core/extents.h"
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/support/map_to_vector.h"
#include "rules.h"

namespace relayopt {

namespace {

// More positions than this are not stored as a constant.
constexpr int64_t kMostPlaces = 1 << 17;

// Reshapes to the result type of the call, one extent of which may be unknown.
auto LowerToReshape(LowerCall& call) -> ExprId {
  const Type* result = call.result();
  if (result == nullptr) return {};
  if (KnownExtents(result->shape)) return call.Reshape(call.args[0], result->shape);
  // The shape of all of the second argument.
  const auto* attrs = call.attrs<ReshapeLikeAttrs>();
  const bool is_whole = attrs != nullptr && attrs->lhs_begin == 0 && attrs->rhs_begin == 0 &&
                        !attrs->lhs_end.is_int() && !attrs->rhs_end.is_int();
  if (!is_whole || call.args.size() != 2) return {};
  const ExprId shape = call.CallWith("shape_of"_op, ShapeOfAttrs{.dtype = kInt64}, {call.args[1]});
  return call.CallWith("dyn.reshape"_op, ReshapeAttrs{.newshape = DimList(), .allowzero = true}, {call.args[0], shape});
}

auto LowerToBroadcast(LowerCall& call) -> ExprId {
  const Type* result = call.result();
  if (result == nullptr || !KnownExtents(result->shape)) return {};
  const DimList shape(std::vector<Dim>(result->shape.begin(), result->shape.end()));
  return call.CallWith("broadcast_to"_op, InitOpAttrs{.shape = shape}, {call.args[0]});
}

// Applies the same movement to positions, in order to know where each element of the result comes from.
auto LowerToTake(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr || call.args.empty()) return {};
  const auto from = KnownExtents(type->shape);
  const auto into = KnownExtents(result->shape);
  if (!from || !into) return {};
  const int64_t size = Product(*from);
  if (size > kMostPlaces || Product(*into) > kMostPlaces) return {};
  std::vector<Tensor> tensors;
  tensors.emplace_back(kInt64, *from);
  // Positions are counted from 1; elements added by padding come from no position, which is 0.
  std::iota(tensors[0].mutable_data<int64_t>(), tensors[0].mutable_data<int64_t>() + size, int64_t{1});
  for (size_t i = 1; i < call.args.size(); ++i) {
    const Constant* constant = call.constant(i);
    if (constant == nullptr) return {};
    tensors.emplace_back(*constant);
  }
  const auto inputs =
      MapToVector<KernelInput>(tensors, [&](const Tensor& tensor) { return KernelInput{std::span(&tensor, 1)}; });
  auto moved = RunKernel(call.context(), call.instance(), inputs, {});
  if (!moved || moved->is_tuple || moved->tensors.size() != 1) return {};
  if (moved->tensors[0].dtype() != kInt64) return {};
  const auto counted = moved->tensors[0].elements<int64_t>();
  std::vector<int64_t> places(counted.begin(), counted.end());
  for (int64_t& place : places) {
    if (--place < 0) return {};
  }
  const ExprId flat = call.Reshape(call.args[0], std::vector<int64_t>{size});
  const ExprId taken = call.Take(flat, places, 0);
  return call.Reshape(taken, *into);
}

// Returns the positions of an axis with its ends mirrored: SYMMETRIC repeats the last element, edge repeats it for all
// padding, REFLECT does not. Returns nothing if there are too few elements, which is an error when the program runs.
auto MirroredPlaces(std::string_view mode, int64_t extent, int64_t before, int64_t after)
    -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> places;
  const int64_t twice = mode == "SYMMETRIC" ? 1 : 0;
  for (int64_t i = -before; i < extent + after; ++i) {
    int64_t at = i;
    if (mode == "edge") {
      at = std::clamp<int64_t>(i, 0, extent - 1);
    } else if (i < 0) {
      at = -i - twice;
    } else if (i >= extent) {
      at = 2 * (extent - 1) - i + twice;
    }
    if (at < 0 || at >= extent) return std::nullopt;
    places.push_back(at);
  }
  return places;
}

auto PadWithTakes(LowerCall& call, const DimLists& widths, std::string_view mode) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr || widths.size() != type->rank()) return {};
  ExprId data = call.args[0];
  for (size_t axis = 0; axis < widths.size(); ++axis) {
    const DimList& width = widths[axis];
    const Dim extent = type->shape[axis];
    if (width.size() != 2 || !width[0].is_int() || !width[1].is_int()) return {};
    if (width[0].is(0) && width[1].is(0)) continue;
    if (!extent.is_int() || extent.value() > kMostPlaces) return {};
    const auto places = MirroredPlaces(mode, extent.value(), width[0].value(), width[1].value());
    if (!places) return {};
    data = call.Take(data, *places, static_cast<int64_t>(axis));
  }
  return data;
}

auto LowerMirrorPad(LowerCall& call, const MirrorPadAttrs& attrs) -> ExprId {
  return PadWithTakes(call, attrs.pad_width, attrs.mode);
}

// Slices off what negative widths remove, and sets these widths to 0; returns invalid if such a width or its extent is
// unknown.
auto CutOff(LowerCall& call, DimLists& widths) -> ExprId {
  const Type* type = call.input(0);
  ExprId data = call.args[0];
  for (size_t axis = 0; axis < widths.size(); ++axis) {
    if (widths.values[axis].size() != 2) return {};
    Dim& before = widths.values[axis].values[0];
    Dim& after = widths.values[axis].values[1];
    if (!before.is_int() || !after.is_int()) return {};
    if (before.value() >= 0 && after.value() >= 0) continue;
    const Dim extent = type->shape[axis];
    if (!extent.is_int()) return {};
    const int64_t begin = std::max<int64_t>(-before.value(), 0);
    const int64_t end = extent.value() - std::max<int64_t>(-after.value(), 0);
    // More cut off than there is leaves padding of one side cut from the other.
    if (begin > end) return {};
    data = call.Slice(data, static_cast<int64_t>(axis), begin, end);
    before = std::max<int64_t>(before.value(), 0);
    after = std::max<int64_t>(after.value(), 0);
  }
  return data;
}

// Relax silently pads with zeros in any mode except the constant one, and accepts only numbers to pad with, so that a
// computed value is put where ones were padded with zeros.
auto LowerPad(LowerCall& call, const PadAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr) return {};
  if (attrs.pad_mode != "constant") return PadWithTakes(call, attrs.pad_width, attrs.pad_mode);
  if (call.target == LowerTarget::kOnnx || attrs.pad_width.size() != type->rank()) return {};
  PadAttrs written = attrs;
  const ExprId data = CutOff(call, written.pad_width);
  if (!data.has_value()) return {};
  const bool is_number = call.constant(1) != nullptr;
  if (is_number) return data == call.args[0] ? ExprId() : call.CallWith(call.op(), written, {data, call.args[1]});
  const ExprId zero = call.Real(0, type->dtype);
  const ExprId padded = call.CallWith(call.op(), written, {data, zero});
  const ExprId ones = call.Call("ones_like"_op, {data});
  const ExprId is_data = call.Cast(call.CallWith(call.op(), written, {ones, zero}), kBool);
  const ExprId value = call.Cast(call.Reshape(call.args[1], std::vector<int64_t>{}), type->dtype);
  return call.Where(is_data, padded, value);
}

// Blocks of the spatial axes go to the batch: reshape, transpose, reshape.
auto LowerSpaceToBatch(LowerCall& call, const SpaceToBatchNDAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr) return {};
  const size_t blocks = attrs.block_shape.size();
  const auto shape = KnownExtents(type->shape);
  const auto into = KnownExtents(result->shape);
  if (!shape || !into || attrs.paddings.size() != blocks) return {};
  PadAttrs pad;
  std::vector<int64_t> split = {(*shape)[0]};
  std::vector<int64_t> order;
  pad.pad_width.values.push_back({0, 0});
  for (size_t i = 0; i < blocks; ++i) {
    const DimList& width = attrs.paddings[i];
    const int64_t block = attrs.block_shape[i].value();
    pad.pad_width.values.push_back(width);
    split.push_back(((*shape)[i + 1] + width[0].value() + width[1].value()) / block);
    split.push_back(block);
    order.push_back(static_cast<int64_t>(2 * i + 2));
  }
  order.push_back(0);
  for (size_t i = 0; i < blocks; ++i) order.push_back(static_cast<int64_t>(2 * i + 1));
  for (size_t i = blocks + 1; i < shape->size(); ++i) {
    pad.pad_width.values.push_back({0, 0});
    order.push_back(static_cast<int64_t>(split.size()));
    split.push_back((*shape)[i]);
  }
  const ExprId padded = call.CallWith("nn.pad"_op, pad, {call.args[0], call.Real(attrs.pad_value, type->dtype)});
  return call.Reshape(call.Transpose(call.Reshape(padded, split), order), *into);
}

auto LowerBatchToSpace(LowerCall& call, const BatchToSpaceNDAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  if (type == nullptr) return {};
  const size_t blocks = attrs.block_shape.size();
  const auto shape = KnownExtents(type->shape);
  if (!shape || attrs.crops.size() != blocks) return {};
  std::vector<int64_t> split;
  int64_t batch = (*shape)[0];
  for (const Dim& block : attrs.block_shape) {
    split.push_back(block.value());
    batch /= block.value();
  }
  split.push_back(batch);
  split.insert(split.end(), shape->begin() + 1, shape->end());
  std::vector<int64_t> order = {static_cast<int64_t>(blocks)};
  std::vector<int64_t> joined = {batch};
  for (size_t i = 0; i < blocks; ++i) {
    order.push_back(static_cast<int64_t>(blocks + 1 + i));
    order.push_back(static_cast<int64_t>(i));
    joined.push_back((*shape)[i + 1] * attrs.block_shape[i].value());
  }
  for (size_t i = blocks + 1; i < shape->size(); ++i) {
    order.push_back(static_cast<int64_t>(blocks + i));
    joined.push_back((*shape)[i]);
  }
  ExprId data = call.Reshape(call.Transpose(call.Reshape(call.args[0], split), order), joined);
  for (size_t i = 0; i < blocks; ++i) {
    const DimList& crop = attrs.crops[i];
    if (crop[0].is(0) && crop[1].is(0)) continue;
    data = call.Slice(data, static_cast<int64_t>(i + 1), crop[0].value(), joined[i + 1] - crop[1].value());
  }
  return data;
}

// Channels and blocks of pixels are exchanged.
// The same for extents that are not known, by codes of reshape: 0 keeps an extent, -4 splits one in two, of which -1 is
// what is left, -3 joins two, and -2 keeps all others.
auto LowerOpenSubPixel(LowerCall& call, const SubPixelAttrs& attrs, Dim channels, bool to_space) -> ExprId {
  const int64_t b = attrs.block_size;
  const auto coded = [&](ExprId data, std::initializer_list<int64_t> codes) {
    const DimList newshape(std::vector<Dim>(codes.begin(), codes.end()));
    return call.CallWith("reshape"_op, ReshapeAttrs{.newshape = newshape}, {data});
  };
  if (!to_space) {
    const ExprId split = coded(coded(call.args[0], {0, 0, -4, -1, b, -2}), {0, 0, 0, 0, -4, -1, b});
    const std::vector<int64_t> order = {0, 3, 5, 1, 2, 4};
    return coded(coded(call.Transpose(split, order), {0, -3, -2}), {0, -3, -2});
  }
  if (!channels.is_int()) return {};
  const int64_t kept = channels.value() / (b * b);
  const bool blocks_first = attrs.mode == "DCR";
  const ExprId outer = coded(call.args[0], {0, -4, blocks_first ? b : kept, blocks_first ? b * kept : b * b, -2});
  const ExprId split = coded(outer, {0, 0, -4, b, blocks_first ? kept : b, -2});
  const std::vector<int64_t> order =
      blocks_first ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
  return coded(call.Transpose(split, order), {0, 0, -3, -3});
}

auto LowerSubPixel(LowerCall& call, bool to_space) -> ExprId {
  const auto* attrs = call.attrs<SubPixelAttrs>();
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (attrs == nullptr || type == nullptr || result == nullptr || attrs->layout != "NCHW") return {};
  const auto shape = KnownExtents(type->shape);
  const auto into = KnownExtents(result->shape);
  if (!shape || !into) {
    if (call.target != LowerTarget::kRelax || type->rank() != 4 || attrs->block_size < 1) return {};
    return LowerOpenSubPixel(call, *attrs, type->shape[1], to_space);
  }
  const int64_t b = attrs->block_size;
  const int64_t n = (*shape)[0];
  const int64_t c = (*shape)[1];
  const int64_t h = (*shape)[2];
  const int64_t w = (*shape)[3];
  std::vector<int64_t> split;
  std::vector<int64_t> order;
  if (!to_space) {
    split = {n, c, h / b, b, w / b, b};
    order = {0, 3, 5, 1, 2, 4};
  } else if (attrs->mode == "DCR") {
    split = {n, b, b, c / (b * b), h, w};
    order = {0, 3, 4, 1, 5, 2};
  } else {
    split = {n, c / (b * b), b, b, h, w};
    order = {0, 1, 4, 2, 5, 3};
  }
  return call.Reshape(call.Transpose(call.Reshape(call.args[0], split), order), *into);
}
auto LowerDepthToSpace(LowerCall& call) -> ExprId { return LowerSubPixel(call, true); }
auto LowerSpaceToDepth(LowerCall& call) -> ExprId { return LowerSubPixel(call, false); }

// Keeps the newest rows.
auto LowerFifoBuffer(LowerCall& call, const FIFOBufferAttrs& attrs) -> ExprId {
  const Type* data = call.input(0);
  const Type* buffer = call.input(1);
  if (data == nullptr || buffer == nullptr) return {};
  const int64_t axis = NormalizedAxis(attrs.axis, data->rank());
  if (axis < 0 || axis >= static_cast<int64_t>(std::min(data->rank(), buffer->rank()))) return {};
  const Dim extra = data->shape[static_cast<size_t>(axis)];
  const Dim kept = buffer->shape[static_cast<size_t>(axis)];
  if (!extra.is_int() || !kept.is_int()) return {};
  const ExprId parts[] = {call.args[1], call.args[0]};
  return call.Slice(call.Concatenate(parts, axis), axis, extra.value(), extra.value() + kept.value());
}

// As much of the first as the second has along the axes.
auto LowerSliceLike(LowerCall& call) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr) return {};
  ExprId data = call.args[0];
  for (size_t i = 0; i < type->rank(); ++i) {
    if (SameExtent(type->shape[i], result->shape[i])) continue;
    if (!result->shape[i].is_int()) return {};
    data = call.Slice(data, static_cast<int64_t>(i), 0, result->shape[i].value());
  }
  return data;
}

// Returns a window along some axes by taking a matrix of positions along each.
auto LowerSlidingWindow(LowerCall& call, const SlidingWindowAttrs& attrs) -> ExprId {
  const Type* type = call.input(0);
  const Type* result = call.result();
  if (type == nullptr || result == nullptr) return {};
  const auto into = KnownExtents(result->shape);
  if (!into) return {};
  const auto first = static_cast<size_t>(NormalizedAxis(attrs.axis, type->rank()));
  const size_t windows = type->rank() - first;
  ExprId data = call.args[0];
  // Taking along axis 2i splits it into two axes: the windows, and the positions inside.
  for (size_t i = 0; i < windows; ++i) {
    const int64_t count = (*into)[first + i];
    const int64_t width = attrs.window_shape[i].value();
    std::vector<int64_t> places;
    for (int64_t window = 0; window < count; ++window) {
      for (int64_t j = 0; j < width; ++j) places.push_back(window * attrs.strides[i].value() + j);
    }
    const TakeAttrs take{.axis = static_cast<int64_t>(first + 2 * i), .mode = "clip"};
    data = call.CallWith("take"_op, take, {data, call.Indices(places, {count, width})});
  }
  std::vector<int64_t> order(first);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = 0; i < windows; ++i) order.push_back(static_cast<int64_t>(first + 2 * i));
  for (size_t i = 0; i < windows; ++i) order.push_back(static_cast<int64_t>(first + 2 * i + 1));
  return call.Transpose(data, order);
}

auto LowerLayoutTransform(LowerCall& call, const LayoutTransformAttrs& attrs) -> ExprId {
  const ExprId moved = ConvertLayout(call, call.args[0], attrs.src_layout, attrs.dst_layout);
  return moved.has_value() ? moved : LowerToTake(call);
}

auto DropMark(LowerCall& call) -> ExprId { return call.args[0]; }

constexpr OpRule<LowerRule> kMovementRules[] = {
    {"copy"_op, DropMark},
    {"reshape_like"_op, LowerToReshape},
    {"contrib_reverse_reshape"_op, LowerToReshape},
    {"vm.reshape_tensor"_op, LowerToReshape},
    {"broadcast_to_like"_op, LowerToBroadcast},
    {"reverse_sequence"_op, LowerToTake},
    {"vision.yolo_reorg"_op, LowerToTake},
    {"nn.mirror_pad"_op, WithAttrs<LowerMirrorPad>},
    {"nn.pad"_op, WithAttrs<LowerPad>},
    {"nn.space_to_batch_nd"_op, WithAttrs<LowerSpaceToBatch>},
    {"nn.batch_to_space_nd"_op, WithAttrs<LowerBatchToSpace>},
    {"nn.depth_to_space"_op, LowerDepthToSpace},
    {"nn.space_to_depth"_op, LowerSpaceToDepth},
    {"nn.fifo_buffer"_op, WithAttrs<LowerFifoBuffer>},
    {"slice_like"_op, LowerSliceLike},
    {"sliding_window"_op, WithAttrs<LowerSlidingWindow>},
    {"layout_transform"_op, WithAttrs<LowerLayoutTransform>},
};

}  // namespace

auto ConvertLayout(LowerCall& call, ExprId data, std::string_view from, std::string_view to) -> ExprId {
  const auto src = Layout::Parse(from);
  const auto dst = Layout::Parse(to);
  const Type* type = call.tensor(data);
  if (!src || !dst || type == nullptr || !src->ConvertibleTo(*dst) || src->rank() != type->rank()) return {};
  const bool is_plain = src->rank() == src->primal_rank() && dst->rank() == dst->primal_rank();
  const auto extents = KnownExtents(type->shape);
  if (!is_plain && !extents) return {};
  // The parts of each axis one after the other, the most significant first.
  std::vector<int64_t> order;
  std::vector<int64_t> joined;
  std::vector<char> names;
  for (const LayoutAxis& axis : src->axes()) {
    if (!axis.is_primal()) continue;
    names.push_back(axis.name);
    joined.push_back(1);
    for (const bool primal : {true, false}) {
      for (size_t i = 0; i < src->rank(); ++i) {
        const LayoutAxis& part = src->axes()[i];
        if (part.primal() != axis.name || part.is_primal() != primal) continue;
        order.push_back(static_cast<int64_t>(i));
        if (extents) joined.back() *= (*extents)[i];
      }
    }
  }
  if (is_plain) {
    const auto axes = MapToVector<int64_t>(
        dst->axes(), [&](const LayoutAxis& axis) { return static_cast<int64_t>(*src->Find(axis.name)); });
    return call.Transpose(data, axes);
  }
  const ExprId whole = call.Reshape(call.Transpose(data, order), joined);
  // The inverse: how each axis of `to` is split, and where its parts go.
  std::vector<int64_t> split;
  std::vector<int64_t> places(dst->rank());
  for (size_t name = 0; name < names.size(); ++name) {
    const int64_t factor = dst->FactorOf(names[name]).value_or(1);
    if (joined[name] % factor != 0) return {};
    for (const bool primal : {true, false}) {
      for (size_t i = 0; i < dst->rank(); ++i) {
        const LayoutAxis& part = dst->axes()[i];
        if (part.primal() != names[name] || part.is_primal() != primal) continue;
        places[i] = static_cast<int64_t>(split.size());
        split.push_back(primal ? joined[name] / factor : part.factor);
      }
    }
  }
  return call.Transpose(call.Reshape(whole, split), places);
}

auto Unpacked(std::string_view layout) -> std::string {
  std::string letters;
  for (const char c : layout) {
    if (c >= 'A' && c <= 'Z') letters += c;
  }
  return letters;
}

auto TransposeMatrix(LowerCall& call, ExprId matrix, size_t rank) -> ExprId {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[rank - 1], axes[rank - 2]);
  return call.Transpose(matrix, axes);
}

auto LowerMovementRules() -> std::span<const OpRule<LowerRule>> { return kMovementRules; }

}  // namespace relayopt
