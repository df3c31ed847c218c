// Kernels of pooling.
#include <algorithm>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/parallel.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "lib/relay/ops/nn_conv/convolve.h"
#include "pooling.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// The positions along one axis that a window covers, and by how much a sum over them is divided.
struct Window {
  std::vector<int64_t> positions;
  int64_t count = 0;
};
// For each axis depth, height and width, the window of each position of the result.
using Windows = std::array<std::vector<Window>, 3>;

enum class PoolKind : uint8_t { kMax, kAverage };

// The attributes of max and average pooling in a common form.
struct PoolParams {
  size_t spatial;
  const DimList& pool_size;
  const DimList& strides;
  const DimList& dilation;
  const DimList& padding;
  std::string_view layout;
  bool count_include_pad;
};

// Returns the axes of the data over which windows move.
auto PoolAxes(KernelContext& kernel, std::string_view layout, size_t spatial, size_t rank)
    -> std::optional<std::vector<size_t>> {
  constexpr std::string_view kLetters = "DHW";
  std::vector<size_t> axes;
  for (const char letter : kLetters.substr(3 - spatial)) {
    const auto axis = PlainAxis(kernel, layout, letter, rank);
    if (!axis) return std::nullopt;
    axes.push_back(*axis);
  }
  return axes;
}

// Returns the windows of ordinary pooling along one axis. The additional padding at the end that comes from rounding up
// the number of windows never counts.
auto WindowsAlong(const PoolParams& params, const PadPair& pads, size_t axis, int64_t in, int64_t out)
    -> std::vector<Window> {
  const int64_t size = Spatial(params.pool_size, params.spatial, 1)[axis];
  const int64_t stride = Spatial(params.strides, params.spatial, 1)[axis];
  const int64_t dilation = Spatial(params.dilation, params.spatial, 1)[axis];
  std::vector<Window> windows(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    Window& window = windows[static_cast<size_t>(o)];
    const int64_t start = o * stride - pads.before[axis];
    // The number of the window's elements before position `end`.
    const auto before = [&](int64_t end) {
      return end <= start ? 0 : std::min(size, (end - start + dilation - 1) / dilation);
    };
    for (int64_t k = before(0); k < before(in); ++k) window.positions.push_back(start + k * dilation);
    window.count =
        params.count_include_pad ? before(in + pads.after[axis]) : static_cast<int64_t>(window.positions.size());
  }
  return windows;
}

// Returns the windows that give a result of `out` positions: as equal in size as possible.
auto AdaptiveWindows(int64_t in, int64_t out) -> std::vector<Window> {
  std::vector<Window> windows(static_cast<size_t>(out));
  for (int64_t o = 0; o < out; ++o) {
    Window& window = windows[static_cast<size_t>(o)];
    const int64_t end = ((o + 1) * in + out - 1) / out;
    for (int64_t position = o * in / out; position < end; ++position) window.positions.push_back(position);
    window.count = static_cast<int64_t>(window.positions.size());
  }
  return windows;
}

template <typename T>
void PoolPlane(PoolKind kind, const Windows& windows, const Triple& in, const T* data, T* result) {
  for (const Window& d : windows[0]) {
    for (const Window& h : windows[1]) {
      for (const Window& w : windows[2]) {
        using C = Compute<T>;
        T sum(0);
        T greatest = Lowest<T>();
        for (const int64_t z : d.positions) {
          for (const int64_t y : h.positions) {
            const T* line = data + (z * in[1] + y) * in[2];
            for (const int64_t x : w.positions) {
              if (kind == PoolKind::kAverage)
                sum = Plus(sum, line[x]);
              else
                greatest = static_cast<C>(greatest) > static_cast<C>(line[x]) ? greatest : line[x];
            }
          }
        }
        // An empty window counts as one element.
        const int64_t count = std::max<int64_t>(d.count * h.count * w.count, 1);
        *result++ = kind == PoolKind::kMax ? greatest : Quotient(sum, count);
      }
    }
  }
}

// Pools over `axes` of the data with the windows that `windows_along(axis of three, in, out)` returns.
template <typename WindowsOf>
auto Pool(KernelContext& kernel, const Tensor& given, PoolKind kind, const std::vector<size_t>& axes,
          WindowsOf windows_along) -> std::optional<Tensor> {
  const std::vector<size_t> order = AxesLast(given.rank(), axes);
  const Tensor data = Permuted(given, order);
  const std::vector<int64_t> out = KernelContext::Extents(kernel.result_type());
  const auto shape = MapToVector<int64_t>(order, [&](size_t axis) { return out[axis]; });
  Tensor result(data.dtype(), shape);
  // Its axes may be longer than any tensor, if one of them is empty.
  if (result.size() == 0) return Permuted(result, InversePermutation(order));

  Triple in{1, 1, 1};
  const std::vector<Window> single(1, Window{{0}, 1});
  Windows windows = {single, single, single};
  int64_t out_plane = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t axis = 3 - axes.size() + i;
    in[axis] = given.extent(axes[i]);
    windows[axis] = windows_along(axis, in[axis], out[axes[i]]);
    out_plane *= out[axes[i]];
  }
  const int64_t in_plane = in[0] * in[1] * in[2];
  const KernelStatus status = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = data.data<T>();
    T* to = result.mutable_data<T>();
    SplitWork(result.size() / out_plane, result.size() * 9,
              [&](int64_t plane) { PoolPlane<T>(kind, windows, in, from + plane * in_plane, to + plane * out_plane); });
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return std::nullopt;
  return Permuted(result, InversePermutation(order));
}

template <typename A>
auto ParamsOfPool(const A& attrs, size_t spatial) -> PoolParams {
  bool count_include_pad = false;
  if constexpr (requires { attrs.count_include_pad; }) count_include_pad = attrs.count_include_pad;
  return {spatial, attrs.pool_size, attrs.strides, attrs.dilation, attrs.padding, attrs.layout, count_include_pad};
}

auto PooledWindows(KernelContext& kernel, const Tensor& data, PoolKind kind, const PoolParams& params)
    -> std::optional<Tensor> {
  const auto axes = PoolAxes(kernel, params.layout, params.spatial, data.rank());
  if (!axes) return std::nullopt;
  // Type rules accept what TVM accepts.
  if (!ArePositive(params.pool_size) || !ArePositive(params.strides) || !ArePositive(params.dilation)) {
    kernel.Error("pool_size, strides and dilation must be positive");
    return std::nullopt;
  }
  const PadPair pads = PaddingOf(params.padding, params.spatial);
  return Pool(kernel, data, kind, *axes,
              [&](size_t axis, int64_t in, int64_t out) { return WindowsAlong(params, pads, axis, in, out); });
}

template <typename A>
auto PoolWindows(KernelContext& kernel, PoolKind kind, size_t spatial) -> KernelStatus {
  const A* attrs = AttrsOf<A>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  return ReturnIt(kernel, PooledWindows(kernel, kernel.input(0), kind, ParamsOfPool(*attrs, spatial)));
}

template <typename A>
auto PoolAdaptively(KernelContext& kernel, PoolKind kind, size_t spatial) -> KernelStatus {
  const A* attrs = AttrsOf<A>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto axes = PoolAxes(kernel, attrs->layout, spatial, kernel.input(0).rank());
  if (!axes) return kernel.Failed();
  return ReturnIt(kernel, Pool(kernel, kernel.input(0), kind, *axes,
                               [](size_t, int64_t in, int64_t out) { return AdaptiveWindows(in, out); }));
}

// Gradient of pooling over one plane: each element of `grad` goes to the first greatest element of its window, or in
// equal parts to all of it.
template <typename T>
void SpreadPlane(PoolKind kind, const Windows& windows, const Triple& in, const T* data, const T* grad, T* result) {
  for (const Window& h : windows[1]) {
    for (const Window& w : windows[2]) {
      const T part = kind == PoolKind::kAverage ? Quotient(*grad, std::max<int64_t>(h.count * w.count, 1)) : *grad;
      ++grad;
      int64_t best = -1;
      for (const int64_t y : h.positions) {
        for (const int64_t x : w.positions) {
          const int64_t at = y * in[2] + x;
          if (kind == PoolKind::kAverage)
            result[at] = Plus(result[at], part);
          else if (best < 0 || static_cast<Compute<T>>(data[at]) > static_cast<Compute<T>>(data[best]))
            best = at;
        }
      }
      if (kind == PoolKind::kMax && best >= 0) result[best] = Plus(result[best], part);
    }
  }
}

template <typename A>
auto PoolGradient(KernelContext& kernel, PoolKind kind) -> KernelStatus {
  const A* attrs = AttrsOf<A>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const PoolParams params = ParamsOfPool(*attrs, 2);
  const Tensor& given = kernel.input(1);
  const auto axes = PoolAxes(kernel, params.layout, 2, given.rank());
  if (!axes) return kernel.Failed();
  const std::vector<size_t> order = AxesLast(given.rank(), *axes);
  if (kernel.input(0).rank() != given.rank() || kernel.input(0).dtype() != given.dtype()) {
    return kernel.Error("the gradient does not match the data");
  }
  const Tensor grad = Permuted(kernel.input(0), order);
  const Tensor data = Permuted(given, order);
  const size_t rank = data.rank();
  const int64_t planes = Product(data.shape().first(rank - 2));
  if (planes != Product(grad.shape().first(rank - 2))) return kernel.Error("the gradient does not match the data");
  if (!ArePositive(params.pool_size) || !ArePositive(params.strides) || !ArePositive(params.dilation)) {
    return kernel.Error("pool_size, strides and dilation must be positive");
  }
  Tensor result(data.dtype(), ShapeOf(data));
  if (result.size() == 0) return kernel.Return(Permuted(result, InversePermutation(order)));
  const PadPair pads = PaddingOf(params.padding, 2);
  const Triple in = {1, data.extent(rank - 2), data.extent(rank - 1)};
  const Windows windows = {std::vector<Window>{}, WindowsAlong(params, pads, 1, in[1], grad.extent(rank - 2)),
                           WindowsAlong(params, pads, 2, in[2], grad.extent(rank - 1))};
  const KernelStatus status = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t in_plane = in[1] * in[2];
    const int64_t out_plane = grad.extent(rank - 2) * grad.extent(rank - 1);
    T* to = result.mutable_data<T>();
    for (int64_t plane = 0; plane < planes; ++plane) {
      SpreadPlane<T>(kind, windows, in, data.data<T>() + plane * in_plane, grad.data<T>() + plane * out_plane,
                     to + plane * in_plane);
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  return kernel.Return(Permuted(result, InversePermutation(order)));
}

}  // namespace

auto AveragePooled2D(KernelContext& kernel, const Tensor& data, const AvgPool2DAttrs& attrs) -> std::optional<Tensor> {
  return PooledWindows(kernel, data, PoolKind::kAverage, ParamsOfPool(attrs, 2));
}

auto AdaptiveAvgPool1DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolAdaptively<AdaptivePool1DAttrs>(kernel, PoolKind::kAverage, 1);
}
auto AdaptiveAvgPool2DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolAdaptively<AdaptivePool2DAttrs>(kernel, PoolKind::kAverage, 2);
}
auto AdaptiveAvgPool3DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolAdaptively<AdaptivePool3DAttrs>(kernel, PoolKind::kAverage, 3);
}
auto AdaptiveMaxPool1DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolAdaptively<AdaptivePool1DAttrs>(kernel, PoolKind::kMax, 1);
}
auto AdaptiveMaxPool2DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolAdaptively<AdaptivePool2DAttrs>(kernel, PoolKind::kMax, 2);
}
auto AdaptiveMaxPool3DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolAdaptively<AdaptivePool3DAttrs>(kernel, PoolKind::kMax, 3);
}
auto GlobalAvgPool2DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolAdaptively<GlobalPool2DAttrs>(kernel, PoolKind::kAverage, 2);
}
auto GlobalMaxPool2DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolAdaptively<GlobalPool2DAttrs>(kernel, PoolKind::kMax, 2);
}
auto AvgPool1DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolWindows<AvgPool1DAttrs>(kernel, PoolKind::kAverage, 1);
}
auto AvgPool2DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolWindows<AvgPool2DAttrs>(kernel, PoolKind::kAverage, 2);
}
auto AvgPool3DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolWindows<AvgPool3DAttrs>(kernel, PoolKind::kAverage, 3);
}
auto MaxPool1DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolWindows<MaxPool1DAttrs>(kernel, PoolKind::kMax, 1);
}
auto MaxPool2DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolWindows<MaxPool2DAttrs>(kernel, PoolKind::kMax, 2);
}
auto MaxPool3DKernel(KernelContext& kernel) -> KernelStatus {
  return PoolWindows<MaxPool3DAttrs>(kernel, PoolKind::kMax, 3);
}
auto AvgPool2DGradKernel(KernelContext& kernel) -> KernelStatus {
  return PoolGradient<AvgPool2DAttrs>(kernel, PoolKind::kAverage);
}
auto MaxPool2DGradKernel(KernelContext& kernel) -> KernelStatus {
  return PoolGradient<MaxPool2DAttrs>(kernel, PoolKind::kMax);
}

}  // namespace relayopt
