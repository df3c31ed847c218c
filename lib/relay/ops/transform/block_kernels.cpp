// Kernels of operators that move blocks of space to channels and back, concatenate pieces, and repeat elements.
#include <algorithm>
#include <cstring>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// `data` of shape (n, c, h, w) in the layout of the attributes, as NCHW; its reshaped form is permuted by `order`, and
// the result brought back to the layout.
auto Rearranged(KernelContext& kernel, const SubPixelAttrs& attrs, const Tensor& nchw, std::vector<int64_t> shape,
                const std::vector<size_t>& order, std::vector<int64_t> joined) -> KernelStatus {
  const Tensor moved = Permuted(nchw.Reshaped(std::move(shape)), order);
  auto result = Relaid(kernel, moved.Reshaped(std::move(joined)), "NCHW", attrs.layout);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

}  // namespace

auto DepthToSpaceKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SubPixelAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto data = Relaid(kernel, kernel.input(0), attrs->layout, "NCHW");
  if (!data) return kernel.Failed();
  const int64_t b = attrs->block_size;
  const int64_t n = data->extent(0);
  const int64_t h = data->extent(2);
  const int64_t w = data->extent(3);
  // Fewer channels than a block has elements give an empty result.
  if (b > 0 && b <= 1'000'000 && data->extent(1) < b * b) {
    const auto none = Relaid(kernel, Tensor(data->dtype(), {n, 0, h * b, w * b}), "NCHW", attrs->layout);
    return none ? kernel.Return(*none) : kernel.Failed();
  }
  if (b <= 0 || b > 1'000'000 || data->extent(1) % (b * b) != 0) {
    return kernel.Error("{} channels cannot be cut into blocks of {}x{}", data->extent(1), b, b);
  }
  const int64_t c = data->extent(1) / (b * b);
  if (attrs->mode == "DCR") {
    return Rearranged(kernel, *attrs, *data, {n, b, b, c, h, w}, {0, 3, 4, 1, 5, 2}, {n, c, h * b, w * b});
  }
  return Rearranged(kernel, *attrs, *data, {n, c, b, b, h, w}, {0, 1, 4, 2, 5, 3}, {n, c, h * b, w * b});
}

auto SpaceToDepthKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SubPixelAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  auto data = Relaid(kernel, kernel.input(0), attrs->layout, "NCHW");
  if (!data) return kernel.Failed();
  const int64_t b = attrs->block_size;
  if (b <= 0 || b > 1'000'000) return kernel.Error("a block of {} elements", b);
  const int64_t n = data->extent(0);
  const int64_t c = data->extent(1);
  const int64_t h = data->extent(2) / b;
  const int64_t w = data->extent(3) / b;
  // Elements that do not fill a block are left out.
  data = Chosen(*data, {Iota(n), Iota(c), Iota(h * b), Iota(w * b)});
  return Rearranged(kernel, *attrs, *data, {n, c, h, b, w, b}, {0, 3, 5, 1, 2, 4}, {n, c * b * b, h, w});
}

auto SplitKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SplitAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis, data.rank());
  if (!axis) return kernel.Error("axis {} is out of range", attrs->axis);
  const AxisView view = ViewAxis(data.shape(), *axis);
  std::vector<Tensor> parts;
  int64_t begin = 0;
  for (size_t i = 0; i < kernel.result_type().args.size(); ++i) {
    Tensor part = kernel.NewResult(i);
    const int64_t extent = part.extent(*axis);
    if (begin + extent > view.extent) return kernel.Error("the parts are more than the data");
    for (int64_t row = 0; row < view.outer && part.size() != 0; ++row) {
      CopyElements(data, (row * view.extent + begin) * view.inner, part, row * extent * view.inner,
                   extent * view.inner);
    }
    begin += extent;
    parts.push_back(std::move(part));
  }
  return kernel.ReturnTuple(std::move(parts));
}

auto StackKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<StackAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  Tensor result = kernel.NewResult();
  const auto axis = NormalizeAxis(attrs->axis.is_int() ? attrs->axis.value() : 0, result.rank());
  if (!axis) return kernel.Error("the axis is out of range");
  const AxisView view = ViewAxis(result.shape(), *axis);
  for (int64_t k = 0; k < view.extent; ++k) {
    const Tensor& field = kernel.tuple(0)[static_cast<size_t>(k)];
    if (field.size() != view.outer * view.inner) return kernel.Error("the fields have different shapes");
    for (int64_t row = 0; row < view.outer && result.size() != 0; ++row) {
      CopyElements(field, row * view.inner, result, (row * view.extent + k) * view.inner, view.inner);
    }
  }
  return kernel.Return(std::move(result));
}

auto RepeatKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<RepeatAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis.is_int() ? attrs->axis.value() : 0, data.rank());
  if (!axis || !attrs->repeats.is_int() || attrs->repeats.value() <= 0) return kernel.Error("the axis is out of range");
  const std::vector<int64_t> shape = KernelContext::Extents(kernel.result_type());
  if (Product(shape) == 0) return kernel.Return(kernel.NewResult());
  auto positions = MapToVector<std::vector<int64_t>>(shape, [&](int64_t extent) { return Iota(extent); });
  for (int64_t& position : positions[*axis]) position /= attrs->repeats.value();
  return kernel.Return(Chosen(data, positions));
}

namespace {

// Returns the data repeated to `shape`, aligned from the right.
auto Tiled(KernelContext& kernel, const std::vector<int64_t>& shape) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  if (!kernel.Fits(shape, data.dtype())) return kernel.Failed();
  if (Product(shape) == 0) return kernel.Return(Tensor(data.dtype(), shape));
  std::vector<int64_t> padded(shape.size() - data.rank(), 1);
  padded.insert(padded.end(), data.shape().begin(), data.shape().end());
  std::vector<std::vector<int64_t>> positions;
  positions.reserve(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    positions.push_back(Iota(shape[axis]));
    for (int64_t& position : positions.back()) position %= padded[axis];
  }
  return kernel.Return(Chosen(data.Reshaped(padded), positions));
}

// How often to repeat along each axis. TVM takes floats, too, and cuts off their fractions; -1: no number of times.
auto Repetitions(const Tensor& tensor) -> std::vector<int64_t> {
  const DataType dtype = tensor.dtype();
  if (!dtype.is_float()) return Integers(tensor);
  std::vector<int64_t> reps;
  const auto bytes = tensor.ToConstant().Bytes();
  for (size_t offset = 0; offset < bytes->size(); offset += dtype.bytes()) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes->data() + offset, std::min(dtype.bytes(), sizeof bits));
    const double value = Constant::Scalar(dtype, bits).ScalarAsDouble().value_or(-1);
    constexpr double kMost = 1LL << 53;
    reps.push_back(value >= 0 && value <= kMost ? static_cast<int64_t>(value) : -1);
  }
  return reps;
}

}  // namespace

auto TileKernel(KernelContext& kernel) -> KernelStatus {
  return Tiled(kernel, KernelContext::Extents(kernel.result_type()));
}

auto DynTileKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  std::vector<int64_t> reps = Repetitions(kernel.input(1));
  while (reps.size() < data.rank()) reps.insert(reps.begin(), 1);
  const size_t skipped = reps.size() - data.rank();
  for (size_t i = 0; i < reps.size(); ++i) {
    const int64_t extent = i < skipped ? 1 : data.extent(i - skipped);
    if (reps[i] < 0 || __builtin_mul_overflow(reps[i], extent, &reps[i])) {
      return kernel.Error("the data cannot be repeated {} times", reps[i]);
    }
  }
  return Tiled(kernel, reps);
}

auto ReverseKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ReverseAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis.is_int() ? attrs->axis.value() : 0, data.rank());
  if (!axis) return kernel.Error("the axis is out of range");
  if (data.size() == 0) return kernel.Return(data);
  auto positions = MapToVector<std::vector<int64_t>>(data.shape(), [&](int64_t extent) { return Iota(extent); });
  std::reverse(positions[*axis].begin(), positions[*axis].end());
  return kernel.Return(Chosen(data, positions));
}

auto ReverseSequenceKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ReverseSequenceAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const std::vector<int64_t> lengths = Integers(kernel.input(1));
  const auto seq = NormalizeAxis(attrs->seq_axis.is_int() ? attrs->seq_axis.value() : 1, data.rank());
  const auto batch = NormalizeAxis(attrs->batch_axis.is_int() ? attrs->batch_axis.value() : 0, data.rank());
  if (!seq || !batch || static_cast<int64_t>(lengths.size()) != data.extent(*batch)) {
    return kernel.Error("the lengths do not match the data");
  }
  const AxisView along_seq = ViewAxis(data.shape(), *seq);
  const AxisView along_batch = ViewAxis(data.shape(), *batch);
  Tensor result = kernel.NewResult();
  return VisitSizes(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < data.size(); ++i) {
      const int64_t at = i / along_seq.inner % along_seq.extent;
      const int64_t length = lengths[static_cast<size_t>(i / along_batch.inner % along_batch.extent)];
      int64_t from = at;
      if (length > 1 && at < length) from = std::min(length, along_seq.extent) - 1 - at;
      to[i] = data.data<T>()[i + (from - at) * along_seq.inner];
    }
    return kernel.Return(std::move(result));
  });
}

auto SlidingWindowKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<SlidingWindowAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const std::vector<int64_t> window = Numbers(attrs->window_shape);
  const std::vector<int64_t> strides = Numbers(attrs->strides);
  if (attrs->axis < 0 || attrs->axis > static_cast<int64_t>(data.rank()) || window.size() != strides.size() ||
      window.size() != data.rank() - static_cast<size_t>(attrs->axis)) {
    return kernel.Error("the window does not fit the data");
  }
  const auto first = static_cast<size_t>(attrs->axis);
  const std::vector<int64_t> own = RowMajorStrides(data.shape());
  Tensor result = kernel.NewResult();
  std::vector<int64_t> steps(own.begin(), own.begin() + static_cast<ptrdiff_t>(first));
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t windows = result.extent(first + i);
    if (window[i] <= 0 || strides[i] <= 0 ||
        (windows > 0 && (windows - 1) * strides[i] + window[i] > data.extent(first + i))) {
      return kernel.Error("the window does not fit the data");
    }
    steps.push_back(own[first + i] * strides[i]);
  }
  steps.insert(steps.end(), own.begin() + static_cast<ptrdiff_t>(first), own.end());
  return CopyStrided(kernel, data, 0, std::move(steps), std::move(result));
}

auto SliceLikeKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  return CopyStrided(kernel, data, 0, RowMajorStrides(data.shape()), kernel.NewResult());
}

}  // namespace relayopt
