// Deformable convolutions for a system that has none: the elements that the shifted windows see are gathered from the
// data, and an ordinary convolution with windows that do not overlap is applied to them.
//
//   at = offset + place      top = floor(at)      down = at - top
//   seen = (data[top] * (1 - down) + data[top + 1] * down) where at is inside, and 0 elsewhere
//   nn.conv2d(seen, weight, strides=kernel)
#include <algorithm>
#include <array>

#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/op_table.h"
#include "rules.h"

namespace relayopt {

namespace {

// The geometry of data and weight with channels first. [0] is height, [1] is width.
struct DeformedGeometry {
  int64_t batch;
  int64_t channels;
  // The number of groups of channels with common offsets.
  int64_t groups;
  std::array<int64_t, 2> in;
  std::array<int64_t, 2> out;
  std::array<int64_t, 2> kernel;
  std::array<int64_t, 2> strides;
  std::array<int64_t, 2> dilation;
  std::array<int64_t, 2> padding;
};

// The first two numbers of an attribute, which may be one for both.
auto BothNumbers(const DimList& list, std::array<int64_t, 2>& numbers) -> bool {
  const auto given = KnownExtents(list.values);
  if (!given || given->empty()) return false;
  numbers = {given->front(), (*given)[given->size() > 1 ? 1 : 0]};
  return true;
}

auto ReadGeometry(const LowerCall& call, const DeformableConv2DAttrs& attrs, std::span<const ExprId> operands)
    -> std::optional<DeformedGeometry> {
  std::array<std::vector<int64_t>, 3> shapes;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Type* type = call.tensor(operands[i]);
    const auto shape = type == nullptr ? std::nullopt : KnownExtents(type->shape);
    if (!shape || shape->size() != 4 || std::ranges::find(*shape, 0) != shape->end()) return std::nullopt;
    shapes[i] = *shape;
  }
  const auto& [data, offsets, weight] = shapes;
  DeformedGeometry g{data[0],
                     data[1],
                     attrs.deformable_groups,
                     {data[2], data[3]},
                     {offsets[2], offsets[3]},
                     {weight[2], weight[3]},
                     {},
                     {},
                     {}};
  if (!BothNumbers(attrs.strides, g.strides) || !BothNumbers(attrs.dilation, g.dilation) ||
      !BothNumbers(attrs.padding, g.padding)) {
    return std::nullopt;
  }
  return g;
}

// Emits the windows. What is computed for each tap has the axes (batch, group, row, kernel row, column, kernel column).
class DeformedWindows {
 public:
  DeformedWindows(LowerCall& call, const DeformedGeometry& geometry, DataType dtype)
      : call_(call), g_(geometry), dtype_(dtype) {}

  auto Emit(ExprId data, ExprId offsets) -> ExprId {
    const ExprId shifts =
        call_.Reshape(call_.Cast(offsets, dtype_),
                      std::vector<int64_t>{g_.batch, g_.groups, g_.kernel[0], g_.kernel[1], 2, g_.out[0], g_.out[1]});
    std::array<ExprId, 2> at;
    ExprId is_inside;
    for (const size_t axis : {0, 1}) {
      at[axis] = call_.Add(Places(axis), Shifts(shifts, axis));
      const ExprId is_behind = call_.Call("greater_equal"_op, {at[axis], call_.Real(0, dtype_)});
      const ExprId is_before = call_.Call("less"_op, {at[axis], call_.Real(static_cast<double>(g_.in[axis]), dtype_)});
      const ExprId is_on_axis = call_.Call("logical_and"_op, {is_behind, is_before});
      is_inside = axis == 0 ? is_on_axis : call_.Call("logical_and"_op, {is_inside, is_on_axis});
    }
    for (ExprId& position : at) position = call_.Where(is_inside, position, call_.Real(0, dtype_));
    const ExprId seen = Mixed(Rows(data), at);
    const ExprId kept = call_.Where(Widened(is_inside), seen, call_.Real(0, dtype_));
    return call_.Reshape(
        call_.Transpose(kept, std::vector<int64_t>{0, 1, 6, 2, 3, 4, 5}),
        std::vector<int64_t>{g_.batch, g_.channels, g_.out[0] * g_.kernel[0], g_.out[1] * g_.kernel[1]});
  }

 private:
  // Returns the position of each tap along an axis, without its offset.
  auto Places(size_t axis) -> ExprId {
    std::vector<double> places;
    for (int64_t i = 0; i < g_.out[axis]; ++i) {
      for (int64_t k = 0; k < g_.kernel[axis]; ++k)
        places.push_back(static_cast<double>(i * g_.strides[axis] - g_.padding[axis] + k * g_.dilation[axis]));
    }
    std::vector<int64_t> shape = {g_.out[axis], g_.kernel[axis]};
    if (axis == 0) shape.insert(shape.end(), {1, 1});
    return call_.Cast(call_.Numbers(places, std::move(shape)), dtype_);
  }

  auto Shifts(ExprId shifts, size_t axis) -> ExprId {
    const auto at = static_cast<int64_t>(axis);
    const ExprId own =
        call_.Reshape(call_.Slice(shifts, 4, at, at + 1),
                      std::vector<int64_t>{g_.batch, g_.groups, g_.kernel[0], g_.kernel[1], g_.out[0], g_.out[1]});
    return call_.Transpose(own, std::vector<int64_t>{0, 1, 4, 2, 5, 3});
  }

  // Returns the channels of a group for each element of its planes, one after the other.
  auto Rows(ExprId data) -> ExprId {
    const int64_t plane = g_.in[0] * g_.in[1];
    const int64_t channels = g_.channels / g_.groups;
    const ExprId planes =
        call_.Reshape(call_.Cast(data, dtype_), std::vector<int64_t>{g_.batch * g_.groups, channels, plane});
    return call_.Reshape(call_.Transpose(planes, std::vector<int64_t>{0, 2, 1}),
                         std::vector<int64_t>{g_.batch * g_.groups * plane, channels});
  }

  // With an axis for channels after the others.
  auto Widened(ExprId value) -> ExprId {
    return call_.Reshape(
        value, std::vector<int64_t>{g_.batch, g_.groups, g_.out[0], g_.kernel[0], g_.out[1], g_.kernel[1], 1});
  }

  auto Number(int64_t value) -> ExprId { return EmitScalar(call_.to(), kInt64, value); }

  // Returns the four elements around each position; those after the last row or column are those on it.
  auto Mixed(ExprId rows, std::span<const ExprId> at) -> ExprId {
    std::array<ExprId, 2> rest;
    std::array<std::array<ExprId, 2>, 2> places;
    for (const size_t axis : {0, 1}) {
      const ExprId low = call_.Call("floor"_op, {at[axis]});
      rest[axis] = Widened(call_.Subtract(at[axis], low));
      const ExprId first = call_.Cast(low, kInt64);
      const ExprId next = call_.Call("minimum"_op, {call_.Add(first, Number(1)), Number(g_.in[axis] - 1)});
      places[axis] = {first, next};
    }
    std::vector<int64_t> begins;
    begins.reserve(static_cast<size_t>(g_.batch * g_.groups));
    for (int64_t i = 0; i < g_.batch * g_.groups; ++i) begins.push_back(i * g_.in[0] * g_.in[1]);
    const ExprId begin = call_.Indices(begins, {g_.batch, g_.groups, 1, 1, 1, 1});
    std::array<ExprId, 2> lines;
    for (const size_t i : {0, 1}) {
      const ExprId line = call_.Add(begin, call_.Multiply(places[0][i], Number(g_.in[1])));
      std::array<ExprId, 2> elements;
      for (const size_t j : {0, 1}) {
        elements[j] = call_.Take(rows, call_.Add(line, places[1][j]));
      }
      lines[i] = Between(elements, rest[1]);
    }
    return Between(lines, rest[0]);
  }

  auto Between(std::span<const ExprId> ends, ExprId rest) -> ExprId {
    const ExprId one = call_.Real(1, dtype_);
    return call_.Add(call_.Multiply(ends[0], call_.Subtract(one, rest)), call_.Multiply(ends[1], rest));
  }

  LowerCall& call_;
  const DeformedGeometry g_;
  // The type in which positions are computed.
  const DataType dtype_;
};

}  // namespace

auto LowerDeformableToWindows(LowerCall& call, const DeformableConv2DAttrs& attrs) -> ExprId {
  const Type* data = call.input(0);
  if (data == nullptr || !data->dtype.is_float()) return {};
  const std::array operands = {ConvertLayout(call, call.args[0], attrs.data_layout, "NCHW"),
                               ConvertLayout(call, call.args[1], attrs.data_layout, "NCHW"),
                               ConvertLayout(call, call.args[2], attrs.kernel_layout, "OIHW")};
  if (!std::ranges::all_of(operands, &ExprId::has_value)) return {};
  const auto geometry = ReadGeometry(call, attrs, operands);
  if (!geometry) return {};
  DeformedWindows windows(call, *geometry, data->dtype.bits < 32 ? DataType::Float(32) : data->dtype);
  const ExprId seen = call.Cast(windows.Emit(operands[0], operands[1]), data->dtype);
  const DimList kernel = {geometry->kernel[0], geometry->kernel[1]};
  const Conv2DAttrs conv{.strides = kernel,
                         .groups = attrs.groups,
                         .channels = attrs.channels,
                         .kernel_size = kernel,
                         .out_dtype = attrs.out_dtype};
  const ExprId result = call.CallWith("nn.conv2d"_op, conv, {seen, operands[2]});
  return ConvertLayout(call, result, "NCHW", attrs.out_layout.empty() ? attrs.data_layout : attrs.out_layout);
}

}  // namespace relayopt
