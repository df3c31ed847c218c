// Kernels of convolutions.
#include "relayopt/relay/ops/nn_conv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convolve.h"
#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "relayopt/relay/ops/nn_conv_variants.h"

namespace relayopt {

namespace {

template <typename A>
auto Convolution(KernelContext& kernel, size_t spatial) -> KernelStatus {
  const A* attrs = AttrsOf<A>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  auto result = Convolved(kernel, SpecOf(*attrs, spatial), kernel.input(0), kernel.input(1));
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

// Returns the layout of a packed weight. As TVM: the extents decide where kernel_layout has no packed axes.
auto PackedLayout(const Tensor& weight, std::string_view named) -> std::string {
  const auto layout = Layout::Parse(named);
  if (layout && layout->rank() == layout->primal_rank()) {
    if (weight.rank() == 6) return fmt::format("OIHW{}i{}o", weight.extent(4), weight.extent(5));
    if (weight.rank() == 7) return fmt::format("OIHW{}i{}o{}i", weight.extent(4), weight.extent(5), weight.extent(6));
  }
  return std::string(named);
}

template <typename A>
auto TransposedConvolution(KernelContext& kernel, size_t spatial) -> KernelStatus {
  const A* attrs = AttrsOf<A>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  auto result = ConvolvedTransposed(kernel, SpecOf(*attrs, spatial), kernel.input(0), kernel.input(1));
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

// Returns the value of a channel of height x width elements at a position between them, bilinearly; 0 outside of it.
template <typename C, typename T>
auto SampleOrZero(const T* channel, int64_t height, int64_t width, C y, C x) -> C {
  if (!(y >= 0) || !(x >= 0) || y >= static_cast<C>(height) || x >= static_cast<C>(width)) return 0;
  const auto top = static_cast<int64_t>(std::floor(y));
  const auto left = static_cast<int64_t>(std::floor(x));
  const int64_t bottom = std::min(top + 1, height - 1);
  const int64_t right = std::min(left + 1, width - 1);
  const C down = y - static_cast<C>(top);
  const C across = x - static_cast<C>(left);
  const auto at = [&](int64_t row, int64_t column) { return static_cast<C>(channel[row * width + column]); };
  const C upper = at(top, left) * (1 - across) + at(top, right) * across;
  const C lower = at(bottom, left) * (1 - across) + at(bottom, right) * across;
  return upper * (1 - down) + lower * down;
}

// The data that the shifted windows see, as the data of an ordinary convolution whose windows do not overlap: along
// height and width the kernel's extents for every position of the result.
template <typename T>
void Deform(const ConvGeometry& g, int64_t offset_groups, const T* data, const T* offsets, T* windows) {
  const int64_t out = g.out[1] * g.out[2];
  const int64_t taps = g.kernel[1] * g.kernel[2];
  for (int64_t plane = 0; plane < g.batch * g.in_channels; ++plane) {
    const int64_t sample = plane / g.in_channels;
    const int64_t group = plane % g.in_channels / (g.in_channels / offset_groups);
    const T* shifts = offsets + (sample * offset_groups + group) * taps * 2 * out;
    const T* channel = data + plane * g.in[1] * g.in[2];
    for (int64_t position = 0; position < out; ++position) {
      const int64_t row = position / g.out[2];
      const int64_t column = position % g.out[2];
      for (int64_t tap = 0; tap < taps; ++tap) {
        using C = Compute<T>;
        const int64_t ky = tap / g.kernel[2];
        const int64_t kx = tap % g.kernel[2];
        const C y = static_cast<C>(row * g.stride[1] - g.pad[1] + ky * g.dilation[1]) +
                    static_cast<C>(shifts[(tap * 2) * out + position]);
        const C x = static_cast<C>(column * g.stride[2] - g.pad[2] + kx * g.dilation[2]) +
                    static_cast<C>(shifts[(tap * 2 + 1) * out + position]);
        const int64_t to = (plane * g.out[1] * g.kernel[1] + row * g.kernel[1] + ky) * g.out[2] * g.kernel[2] +
                           column * g.kernel[2] + kx;
        windows[to] = T(SampleOrZero<C>(channel, g.in[1], g.in[2], y, x));
      }
    }
  }
}

}  // namespace

auto Conv1DKernel(KernelContext& kernel) -> KernelStatus { return Convolution<Conv1DAttrs>(kernel, 1); }
auto Conv2DKernel(KernelContext& kernel) -> KernelStatus { return Convolution<Conv2DAttrs>(kernel, 2); }
auto Conv2DPackedKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Conv2DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  ConvSpec spec = SpecOf(*attrs, 2);
  const std::string packed = PackedLayout(kernel.input(1), spec.kernel_layout);
  spec.kernel_layout = packed;
  auto result = Convolved(kernel, spec, kernel.input(0), kernel.input(1));
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}
auto Conv3DKernel(KernelContext& kernel) -> KernelStatus { return Convolution<Conv3DAttrs>(kernel, 3); }
auto Conv1DTransposeKernel(KernelContext& kernel) -> KernelStatus {
  return TransposedConvolution<Conv1DTransposeAttrs>(kernel, 1);
}
auto Conv2DTransposeKernel(KernelContext& kernel) -> KernelStatus {
  return TransposedConvolution<Conv2DTransposeAttrs>(kernel, 2);
}
auto Conv3DTransposeKernel(KernelContext& kernel) -> KernelStatus {
  return TransposedConvolution<Conv3DTransposeAttrs>(kernel, 3);
}

auto DeformableConv2DKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<DeformableConv2DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const ConvSpec spec = SpecOf(*attrs, 2);
  const auto data = Relaid(kernel, kernel.input(0), spec.data_layout, "NCHW");
  if (!data) return kernel.Failed();
  const auto offsets = Relaid(kernel, kernel.input(1), spec.data_layout, "NCHW");
  if (!offsets) return kernel.Failed();
  const auto weight = Relaid(kernel, kernel.input(2), spec.kernel_layout, "OIHW");
  if (!weight) return kernel.Failed();

  ConvGeometry g;
  g.batch = data->extent(0);
  g.in_channels = data->extent(1);
  g.in = {1, data->extent(2), data->extent(3)};
  g.out = {1, offsets->extent(2), offsets->extent(3)};
  g.kernel = {1, weight->extent(2), weight->extent(3)};
  g.stride = Spatial(spec.strides, 2, 1);
  g.dilation = Spatial(spec.dilation, 2, 1);
  g.pad = PaddingOf(spec.padding, 2).before;
  const int64_t groups = attrs->deformable_groups;
  if (groups <= 0 || g.in_channels % groups != 0 || data->dtype() != offsets->dtype() ||
      offsets->extent(0) != g.batch || offsets->extent(1) != 2 * g.kernel[1] * g.kernel[2] * groups) {
    return kernel.Error("the offsets do not match {} groups of a {}x{} kernel", groups, g.kernel[1], g.kernel[2]);
  }
  std::vector<int64_t> shape = {g.batch, g.in_channels, g.out[1] * g.kernel[1], g.out[2] * g.kernel[2]};
  if (!kernel.Fits(shape, data->dtype())) return kernel.Failed();
  Tensor windows(data->dtype(), std::move(shape));
  const KernelStatus status = VisitFloats(kernel, data->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Deform(g, groups, data->data<T>(), offsets->data<T>(), windows.mutable_data<T>());
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  const DimList strides = {g.kernel[1], g.kernel[2]};
  const DimList padding = {0};
  const DimList dilation = {1, 1};
  auto result = Convolved(kernel,
                          {.spatial = 2,
                           .strides = strides,
                           .padding = padding,
                           .dilation = dilation,
                           .groups = spec.groups,
                           .channels = spec.channels,
                           .kernel_size = spec.kernel_size,
                           .data_layout = "NCHW",
                           .kernel_layout = "OIHW",
                           .out_layout = spec.out_layout,
                           .out_dtype = spec.out_dtype},
                          windows, *weight);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

namespace {

// The gradient of the weight of a convolution, all tensors in canonical layouts: for each element of the weight, the
// sum over all windows of the data that it is multiplied with times the gradient of the result there.
template <typename T>
void AddWeightGradient(const Tensor& grad, const Tensor& data, const Conv2DAttrs& attrs, Tensor& weight) {
  const Triple stride = Spatial(attrs.strides, 2, 1);
  const Triple dilation = Spatial(attrs.dilation, 2, 1);
  const Triple pad = PaddingOf(attrs.padding, 2).before;
  const int64_t in_channels = data.extent(1);
  const int64_t out_channels = grad.extent(1);
  const T* gradient = grad.data<T>();
  const T* from = data.data<T>();
  T* to = weight.mutable_data<T>();
  const int64_t per_group = in_channels / attrs.groups;
  const int64_t height = weight.extent(2);
  const int64_t width = weight.extent(3);
  for (int64_t i = 0; i < weight.size(); ++i) {
    const int64_t kx = i % width;
    const int64_t ky = i / width % height;
    const int64_t out = i / width / height / per_group;
    const int64_t in = out / (out_channels / attrs.groups) * per_group + i / width / height % per_group;
    T sum(0);
    for (int64_t n = 0; n < grad.extent(0); ++n) {
      for (int64_t y = 0; y < grad.extent(2); ++y) {
        const int64_t row = y * stride[1] - pad[1] + ky * dilation[1];
        if (row < 0 || row >= data.extent(2)) continue;
        for (int64_t x = 0; x < grad.extent(3); ++x) {
          const int64_t column = x * stride[2] - pad[2] + kx * dilation[2];
          if (column < 0 || column >= data.extent(3)) continue;
          sum = Plus(sum, Times(gradient[((n * out_channels + out) * grad.extent(2) + y) * grad.extent(3) + x],
                                from[((n * in_channels + in) * data.extent(2) + row) * data.extent(3) + column]));
        }
      }
    }
    to[i] = sum;
  }
}

}  // namespace

auto Conv2DBackwardWeightKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Conv2DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  // The layouts are those of gradient, data and weight.
  const auto grad = Relaid(kernel, kernel.input(0), attrs->data_layout, "NCHW");
  if (!grad) return kernel.Failed();
  const auto data = Relaid(kernel, kernel.input(1), attrs->kernel_layout, "NCHW");
  if (!data) return kernel.Failed();
  const std::string_view out_layout = attrs->out_layout.empty() ? std::string_view("OIHW") : attrs->out_layout;
  const Tensor empty(kernel.result_type().dtype, KernelContext::Extents(kernel.result_type()));
  const auto shaped = Relaid(kernel, empty, out_layout, "OIHW");
  if (!shaped) return kernel.Failed();
  Tensor weight(empty.dtype(), ShapeOf(*shaped));

  const int64_t groups = attrs->groups;
  const int64_t in_channels = data->extent(1);
  const int64_t out_channels = grad->extent(1);
  if (groups <= 0 || in_channels % groups != 0 || out_channels % groups != 0 || grad->extent(0) != data->extent(0) ||
      weight.extent(0) * weight.extent(1) != out_channels * (in_channels / groups)) {
    return kernel.Error("a gradient of {} channels does not match data of {} channels in {} groups", out_channels,
                        in_channels, groups);
  }
  const auto wide_grad = Converted(kernel, *grad, weight.dtype());
  const auto wide_data = Converted(kernel, *data, weight.dtype());
  if (!wide_grad || !wide_data) return kernel.Failed();
  const KernelStatus status = VisitNumbers(kernel, weight.dtype(), [&](auto tag) {
    AddWeightGradient<typename decltype(tag)::type>(*wide_grad, *wide_data, *attrs, weight);
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  auto result = Relaid(kernel, weight, "OIHW", out_layout);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

}  // namespace relayopt
