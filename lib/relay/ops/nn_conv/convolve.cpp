// Convolutions as correlations of tensors in canonical layouts.
#include "convolve.h"

#include <algorithm>
#include <utility>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/layout_transform/layouts.h"

namespace relayopt {

namespace {

struct CanonicalLayouts {
  std::string_view data;
  std::string_view kernel;
  std::string_view grouped_kernel;
  std::string_view transposed_kernel;
  std::string_view grouped_transposed_kernel;
};
constexpr CanonicalLayouts kCanonical[] = {
    {"NCW", "OIW", "GOIW", "IOW", "GIOW"},
    {"NCHW", "OIHW", "GOIHW", "IOHW", "GIOHW"},
    {"NCDHW", "OIDHW", "GOIDHW", "IODHW", "GIODHW"},
};

// Returns the last `spatial` extents of a shape as those of three axes.
auto LastExtents(std::span<const int64_t> shape, size_t spatial) -> Triple {
  Triple extents{1, 1, 1};
  for (size_t i = 0; i < spatial; ++i) extents[3 - spatial + i] = shape[shape.size() - spatial + i];
  return extents;
}

// Data and weight in canonical layouts and the element type of the result, and the shape of the canonical result.
struct Operands {
  Tensor data;
  Tensor weight;
  Tensor result;
  ConvGeometry geometry;
};

// Returns the canonical shape of the result: only its extents matter, which a transform of a tensor without elements
// would not preserve.
auto CanonicalResult(KernelContext& kernel, const ConvSpec& spec, DataType dtype) -> std::optional<Tensor> {
  const std::string_view canonical = kCanonical[spec.spatial - 1].data;
  const Tensor result = Tensor::Unset(dtype, KernelContext::Extents(kernel.result_type()));
  auto relaid = Relaid(kernel, result, spec.out_layout, canonical);
  if (!relaid) return std::nullopt;
  // Makes a copy: if the layout does not change, the elements are still shared.
  return Tensor::Unset(dtype, ShapeOf(*relaid));
}

auto Prepare(KernelContext& kernel, const ConvSpec& spec, const Tensor& data, const Tensor& weight,
             std::string_view kernel_layout) -> std::optional<Operands> {
  if (!ArePositive(spec.strides) || !ArePositive(spec.dilation)) {
    kernel.Error("strides and dilation must be positive");
    return std::nullopt;
  }
  const DataType dtype = kernel.result_type().dtype;
  const std::string_view canonical = kCanonical[spec.spatial - 1].data;
  const auto wide_data = Converted(kernel, data, dtype);
  if (!wide_data) return std::nullopt;
  const auto wide_weight = Converted(kernel, weight, dtype);
  if (!wide_weight) return std::nullopt;
  auto relaid_data = Relaid(kernel, *wide_data, spec.data_layout, canonical);
  if (!relaid_data) return std::nullopt;
  auto relaid_weight = Relaid(kernel, *wide_weight, spec.kernel_layout, kernel_layout);
  if (!relaid_weight) return std::nullopt;
  auto result = CanonicalResult(kernel, spec, dtype);
  if (!result) return std::nullopt;

  ConvGeometry geometry;
  geometry.batch = relaid_data->extent(0);
  geometry.in_channels = relaid_data->extent(1);
  geometry.out_channels = result->extent(1);
  geometry.groups = spec.groups;
  geometry.in = LastExtents(relaid_data->shape(), spec.spatial);
  geometry.out = LastExtents(result->shape(), spec.spatial);
  geometry.kernel = LastExtents(relaid_weight->shape(), spec.spatial);
  geometry.stride = Spatial(spec.strides, spec.spatial, 1);
  geometry.dilation = Spatial(spec.dilation, spec.spatial, 1);
  geometry.pad = PaddingOf(spec.padding, spec.spatial).before;
  const bool fits = geometry.groups > 0 && geometry.in_channels % geometry.groups == 0 &&
                    geometry.out_channels % geometry.groups == 0 && result->extent(0) == geometry.batch &&
                    relaid_weight->size() ==
                        geometry.out_channels * (geometry.in_channels / geometry.groups) * Volume(geometry.kernel);
  if (!fits) {
    kernel.Error("a weight of {} elements does not match {} input and {} output channels in {} groups",
                 relaid_weight->size(), geometry.in_channels, geometry.out_channels, spec.groups);
    return std::nullopt;
  }
  return Operands{std::move(*relaid_data), std::move(*relaid_weight), std::move(*result), geometry};
}

auto Finished(KernelContext& kernel, const ConvSpec& spec, const KernelStatus status, const Operands& operands)
    -> std::optional<Tensor> {
  if (status != KernelStatus::kDone) return std::nullopt;
  return Relaid(kernel, operands.result, kCanonical[spec.spatial - 1].data, spec.out_layout);
}

// Returns the weight (in channels, out channels / groups, kernel...) of a transposed convolution as that of the
// correlation which computes the same: mirrored, with the two channels exchanged.
auto Mirrored(const Tensor& weight, const ConvGeometry& g) -> Tensor {
  const int64_t in = g.in_channels / g.groups;
  const int64_t out = g.out_channels / g.groups;
  const int64_t window = Volume(g.kernel);
  const Tensor grouped = weight.Reshaped({g.groups, in, out, window});
  std::vector<int64_t> backwards = Iota(window);
  std::reverse(backwards.begin(), backwards.end());
  const Tensor mirrored = Chosen(grouped, {Iota(g.groups), Iota(in), Iota(out), backwards});
  return Permuted(mirrored, std::vector<size_t>{0, 2, 1, 3});
}

}  // namespace

auto ArePositive(const DimList& list) -> bool {
  return std::all_of(list.begin(), list.end(), [](const Dim& dim) { return dim.is_int() && dim.value() > 0; });
}

auto Spatial(const DimList& list, size_t spatial, int64_t otherwise) -> Triple {
  Triple numbers{otherwise, otherwise, otherwise};
  for (size_t i = 0; i < spatial && i < list.size(); ++i) {
    if (list[i].is_int()) numbers[3 - spatial + i] = list[i].value();
  }
  return numbers;
}

auto PaddingOf(const DimList& padding, size_t spatial) -> PadPair {
  const std::vector<int64_t> given = Numbers(padding);
  PadPair pads;
  if (given.empty()) return pads;
  for (size_t i = 0; i < spatial; ++i) {
    const size_t axis = 3 - spatial + i;
    const bool both = given.size() >= 2 * spatial;
    pads.before[axis] = given.size() < spatial ? given[0] : given[i];
    pads.after[axis] = both ? given[spatial + i] : pads.before[axis];
  }
  return pads;
}

auto Convolved(KernelContext& kernel, const ConvSpec& spec, const Tensor& data, const Tensor& weight)
    -> std::optional<Tensor> {
  const CanonicalLayouts& canonical = kCanonical[spec.spatial - 1];
  const bool grouped = spec.kernel_layout.find('G') != std::string_view::npos;
  auto operands = Prepare(kernel, spec, data, weight, grouped ? canonical.grouped_kernel : canonical.kernel);
  if (!operands) return std::nullopt;
  const KernelStatus status = Correlate(kernel, operands->geometry, operands->data, operands->weight, operands->result);
  return Finished(kernel, spec, status, *operands);
}

auto ConvolvedTransposed(KernelContext& kernel, const ConvSpec& spec, const Tensor& data, const Tensor& weight)
    -> std::optional<Tensor> {
  const CanonicalLayouts& canonical = kCanonical[spec.spatial - 1];
  const bool grouped = spec.kernel_layout.find('G') != std::string_view::npos;
  auto operands =
      Prepare(kernel, spec, data, weight, grouped ? canonical.grouped_transposed_kernel : canonical.transposed_kernel);
  if (!operands) return std::nullopt;
  ConvGeometry& g = operands->geometry;
  const Tensor weights = Mirrored(operands->weight, g);
  const Triple spread = std::exchange(g.stride, {1, 1, 1});
  for (size_t axis = 0; axis < 3; ++axis) g.pad[axis] = (g.kernel[axis] - 1) * g.dilation[axis] - g.pad[axis];
  const KernelStatus status = CorrelateSpread(kernel, g, spread, operands->data, weights, operands->result);
  return Finished(kernel, spec, status, *operands);
}

}  // namespace relayopt
