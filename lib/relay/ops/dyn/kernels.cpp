// Kernels of the operators whose shapes or counts are operands.
#include "relayopt/relay/ops/dyn.h"

#include <algorithm>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/runtime.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Returns the data broadcast to a shape.
auto BroadcastData(KernelContext& kernel, const Tensor& data, const std::vector<int64_t>& shape) -> KernelStatus {
  if (!BroadcastsTo(data.shape(), shape)) return kernel.Error("the data does not broadcast to the shape");
  if (!kernel.Fits(shape, data.dtype())) return kernel.Failed();
  return CopyStrided(kernel, data, 0, BroadcastStrides(data.shape(), shape), Tensor(data.dtype(), shape));
}

// Returns a tensor of the shape that operand `i` holds, full of `value`.
auto Filled(KernelContext& kernel, size_t i, const Tensor& value) -> KernelStatus {
  const auto fill = Converted(kernel, value, kernel.result_type().dtype);
  if (!fill) return kernel.Failed();
  if (fill->size() != 1) return kernel.Error("the value must be a single number");
  return BroadcastData(kernel, fill->Reshaped({}), Integers(kernel.input(i)));
}

// Returns the number of elements of a computed shape.
auto Reshape(KernelContext& kernel, std::vector<int64_t> shape) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  if (!kernel.Fits(shape, data.dtype())) return kernel.Failed();
  if (Product(shape) != data.size()) return kernel.Error("the shape does not match {} elements", data.size());
  return kernel.Return(data.Reshaped(std::move(shape)));
}

// Replaces the only -1 by `size` divided by the product of the other extents, rounded down.
auto InferExtent(std::vector<int64_t>& shape, int64_t size) -> bool {
  const auto open = std::find(shape.begin(), shape.end(), -1);
  if (open == shape.end()) return true;
  int64_t known = 1;
  for (const int64_t& extent : shape) {
    if (&extent != &*open && (extent < 0 || __builtin_mul_overflow(known, extent, &known))) return false;
  }
  if (known == 0) return false;
  *open = size / known;
  return true;
}

}  // namespace

auto DynBroadcastToKernel(KernelContext& kernel) -> KernelStatus {
  return BroadcastData(kernel, kernel.input(0), Integers(kernel.input(1)));
}
auto DynFullKernel(KernelContext& kernel) -> KernelStatus { return Filled(kernel, 1, kernel.input(0)); }
auto DynOnesKernel(KernelContext& kernel) -> KernelStatus {
  return Filled(kernel, 0, Tensor::Scalar<int32_t>(DataType::Int(32), 1));
}
auto DynZerosKernel(KernelContext& kernel) -> KernelStatus {
  return Filled(kernel, 0, Tensor::Scalar<int32_t>(DataType::Int(32), 0));
}

auto DynExpandDimsKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<DynExpandDimsAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const std::vector<int64_t> given = Integers(kernel.input(1));
  const auto axis = given.empty() ? std::nullopt : NormalizeAxis(given[0], data.rank() + 1);
  if (!axis || attrs->num_newaxis < 0 || attrs->num_newaxis > 1000) return kernel.Error("the axis is out of range");
  std::vector<int64_t> shape = ShapeOf(data);
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(*axis), static_cast<size_t>(attrs->num_newaxis), 1);
  return Reshape(kernel, std::move(shape));
}

auto DynSqueezeKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  std::vector<bool> dropped(data.rank(), false);
  for (const int64_t given : Integers(kernel.input(1))) {
    const auto axis = NormalizeAxis(given, data.rank());
    if (!axis || data.extent(*axis) != 1) return kernel.Error("axis {} is not of extent 1", given);
    dropped[*axis] = true;
  }
  std::vector<int64_t> shape;
  for (size_t axis = 0; axis < data.rank(); ++axis) {
    if (!dropped[axis]) shape.push_back(data.extent(axis));
  }
  return Reshape(kernel, std::move(shape));
}

auto DynReshapeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ReshapeAttrs>(kernel);
  const bool allow_zero = attrs != nullptr && attrs->allowzero;
  const Tensor& data = kernel.input(0);
  std::vector<int64_t> shape;
  size_t at = 0;
  for (const int64_t code : Integers(kernel.input(1))) {
    const size_t taken = code == -3 ? 2 : 1;
    const bool copies = code == -3 || (code == 0 && !allow_zero);
    if (code < -1 && code != -3) return kernel.Error("an extent of {}", code);
    if (copies && at + taken > data.rank()) return kernel.Error("there is no axis {} to copy", at);
    if (code == -3)
      shape.push_back(data.extent(at) * data.extent(at + 1));
    else
      shape.push_back(copies ? data.extent(at) : code);
    at += taken;
  }
  if (!InferExtent(shape, data.size())) return kernel.Error("the shape does not match {} elements", data.size());
  // When the shape holds fewer elements than there are, the first ones are used.
  if (!kernel.Fits(shape, data.dtype())) return kernel.Failed();
  const int64_t size = Product(shape);
  if (size >= data.size()) return Reshape(kernel, std::move(shape));
  Tensor result(data.dtype(), std::move(shape));
  CopyElements(data, 0, result, 0, size);
  return kernel.Return(std::move(result));
}

auto ReshapeTensorKernel(KernelContext& kernel) -> KernelStatus {
  std::vector<int64_t> shape = Integers(kernel.input(1));
  const Shape promised = kernel.result_type().shape;
  const bool kept = std::equal(shape.begin(), shape.end(), promised.begin(), promised.end(),
                               [](int64_t extent, const Dim& dim) { return !dim.is_int() || dim.is(extent); });
  if (!kept) return kernel.Error("the shape differs from the attributes");
  return Reshape(kernel, std::move(shape));
}

auto DynStridedSliceKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<StridedSliceAttrs>(kernel);
  const bool sizes = attrs != nullptr && attrs->slice_mode == "size";
  const Tensor& data = kernel.input(0);
  const std::vector<int64_t> begins = Integers(kernel.input(1));
  const std::vector<int64_t> ends = Integers(kernel.input(2));
  const std::vector<int64_t> steps = Integers(kernel.input(3));
  if (begins.size() > data.rank() || ends.size() < begins.size() || (!sizes && steps.size() < begins.size())) {
    return kernel.Error("the bounds do not match the data");
  }
  std::vector<int64_t> shape = ShapeOf(data);
  auto positions = MapToVector<std::vector<int64_t>>(shape, [&](int64_t extent) { return Iota(extent); });
  for (size_t axis = 0; axis < begins.size(); ++axis) {
    const int64_t extent = data.extent(axis);
    const int64_t step = sizes ? 1 : steps[axis];
    if (step == 0) return kernel.Error("a stride of 0");
    const int64_t low = step > 0 ? 0 : -1;
    const int64_t high = step > 0 ? extent : extent - 1;
    const auto bound = [&](int64_t index) { return std::clamp(index < 0 ? index + extent : index, low, high); };
    const int64_t begin = bound(begins[axis]);
    int64_t end = extent;
    if (!sizes)
      end = bound(ends[axis]);
    else if (ends[axis] >= 0)
      end = begin + std::min(ends[axis], extent - begin);
    positions[axis].clear();
    for (int64_t i = begin; step > 0 ? i < end : i > end;) {
      positions[axis].push_back(i);
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    shape[axis] = static_cast<int64_t>(positions[axis].size());
  }
  if (Product(shape) == 0) return kernel.Return(Tensor(data.dtype(), shape));
  return kernel.Return(Chosen(data, positions));
}

auto StridedSetKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  const Tensor& values = kernel.input(1);
  const std::vector<int64_t> begins = Integers(kernel.input(2));
  const std::vector<int64_t> ends = Integers(kernel.input(3));
  const std::vector<int64_t> steps = Integers(kernel.input(4));
  if (values.rank() != data.rank() || values.dtype() != data.dtype())
    return kernel.Error("the values do not match the data");
  // For each axis the index in `values` for every position of the data; -1 outside of the slice.
  std::vector<std::vector<int64_t>> places;
  for (size_t axis = 0; axis < data.rank(); ++axis) {
    const int64_t extent = data.extent(axis);
    const int64_t step = axis < steps.size() ? steps[axis] : 1;
    if (step == 0) return kernel.Error("a stride of 0");
    int64_t begin = axis < begins.size() ? begins[axis] : (step > 0 ? 0 : extent - 1);
    int64_t end = axis < ends.size() ? ends[axis] : (step > 0 ? extent : -1 - extent);
    begin += begin < 0 ? extent : 0;
    end += end < 0 ? extent : 0;
    places.emplace_back(static_cast<size_t>(extent), -1);
    begin = std::clamp<int64_t>(begin, step > 0 ? 0 : -1, step > 0 ? extent : extent - 1);
    int64_t place = 0;
    for (int64_t i = begin; (step > 0 ? i < end : i > end) && i >= 0 && i < extent; ++place) {
      if (place >= values.extent(axis)) return kernel.Error("there are fewer values than the slice has elements");
      places.back()[static_cast<size_t>(i)] = place;
      if (__builtin_add_overflow(i, step, &i)) break;
    }
  }
  Tensor result(data.dtype(), ShapeOf(data));
  const std::vector<int64_t> data_strides = RowMajorStrides(data.shape());
  const std::vector<int64_t> strides = RowMajorStrides(values.shape());
  for (int64_t i = 0; i < data.size(); ++i) {
    int64_t from = 0;
    for (size_t axis = 0; axis < data.rank() && from >= 0; ++axis) {
      const int64_t place = places[axis][static_cast<size_t>(i / data_strides[axis] % data.extent(axis))];
      from = place < 0 ? -1 : from + place * strides[axis];
    }
    CopyElements(from < 0 ? data : values, from < 0 ? i : from, result, i, 1);
  }
  return kernel.Return(std::move(result));
}

}  // namespace relayopt
