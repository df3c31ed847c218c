// Convolutions as matrix products: for a block of output positions, the inputs in each window become a column of a
// matrix, which is multiplied by the weight.
#include "convolve.h"

#include <algorithm>
#include <memory>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/gemm.h"
#include "lib/relay/ops/kernels/parallel.h"
#include "lib/relay/ops/layout_transform/layouts.h"

namespace relayopt {

namespace {

auto Volume(const Triple& extents) -> int64_t { return extents[0] * extents[1] * extents[2]; }

// Returns the position in the data for position `at` of the result and `k` of the kernel, or -1 if it is outside, or
// between elements of dilated data.
auto SourceOf(const ConvGeometry& g, size_t axis, int64_t at, int64_t k) -> int64_t {
  const int64_t position = at * g.stride[axis] - g.pad[axis] + k * g.dilation[axis];
  if (position < 0 || position % g.spread[axis] != 0) return -1;
  const int64_t index = position / g.spread[axis];
  return index < g.in[axis] ? index : -1;
}

// The elements of `line` under position `k` of the kernel for `count` positions of the result along the last axis.
template <typename T>
void FillRun(const ConvGeometry& g, const T* line, int64_t k, int64_t first, int64_t count, T* to) {
  if (g.spread[2] != 1) {
    for (int64_t x = 0; x < count; ++x) {
      const int64_t w = SourceOf(g, 2, first + x, k);
      to[x] = w < 0 ? T(0) : line[w];
    }
    return;
  }
  // The same for data that is not dilated, without divisions: first the positions before the line, then those on it,
  // then those after it.
  const int64_t step = g.stride[2];
  const int64_t w = first * step - g.pad[2] + k * g.dilation[2];
  const int64_t begin = w >= 0 ? 0 : std::min(count, (-w + step - 1) / step);
  const int64_t end = w >= g.in[2] ? begin : std::clamp((g.in[2] - w + step - 1) / step, begin, count);
  std::fill(to, to + begin, T(0));
  if (begin == end) {
    // Nothing of the line.
  } else if (step == 1) {
    std::copy(line + w + begin, line + w + end, to + begin);
  } else {
    for (int64_t x = begin; x < end; ++x) to[x] = line[w + x * step];
  }
  std::fill(to + end, to + count, T(0));
}

// One row of the matrix: the element under kernel position `k` of the channel `data` for each of `count` positions.
template <typename T>
void FillRow(const ConvGeometry& g, const T* data, const Triple& k, int64_t first, int64_t count, T* row) {
  Triple at = {first / (g.out[1] * g.out[2]), first / g.out[2] % g.out[1], first % g.out[2]};
  for (int64_t i = 0; i < count;) {
    const int64_t d = SourceOf(g, 0, at[0], k[0]);
    const int64_t h = SourceOf(g, 1, at[1], k[1]);
    const int64_t run = std::min(count - i, g.out[2] - at[2]);
    if (d < 0 || h < 0) {
      std::fill_n(row + i, run, T(0));
    } else {
      FillRun(g, data + (d * g.in[1] + h) * g.in[2], k[2], at[2], run, row + i);
    }
    i += run;
    at[2] = 0;
    if (++at[1] == g.out[1]) {
      at[1] = 0;
      ++at[0];
    }
  }
}

// How the work is divided; depends on the geometry only.
struct Blocks {
  int64_t positions;
  int64_t channels;
};
auto BlocksOf(int64_t depth, int64_t positions, int64_t channels) -> Blocks {
  constexpr int64_t kMatrixElements = int64_t{1} << 18;
  constexpr int64_t kChannels = 128;
  const int64_t fitting = kMatrixElements / std::max<int64_t>(depth, 1);
  return {std::clamp<int64_t>(fitting, 16, std::max<int64_t>(positions, 16)), std::min(kChannels, channels)};
}

// Whether each position of the result has the one element of the data at the same position in its window.
auto IsPointwise(const ConvGeometry& g) -> bool {
  constexpr Triple kOnes{1, 1, 1};
  return g.kernel == kOnes && g.stride == kOnes && g.spread == kOnes && g.pad == Triple{0, 0, 0} && g.in == g.out;
}

template <typename T>
void CorrelateElements(const ConvGeometry& g, const T* data, const T* weight, T* result) {
  const int64_t per_group = g.in_channels / g.groups;
  const int64_t out_per_group = g.out_channels / g.groups;
  const int64_t window = Volume(g.kernel);
  const int64_t depth = per_group * window;
  const int64_t in_size = Volume(g.in);
  const int64_t positions = Volume(g.out);
  if (positions == 0 || out_per_group == 0) return;
  const Blocks block = BlocksOf(depth, positions, out_per_group);
  const int64_t across = (positions + block.positions - 1) / block.positions;
  const int64_t down = (out_per_group + block.channels - 1) / block.channels;
  const bool is_pointwise = IsPointwise(g);

  SplitWork(g.batch * g.groups * down * across, g.batch * g.out_channels * positions * depth, [&](int64_t task) {
    const int64_t first = task % across * block.positions;
    const int64_t channel = task / across % down * block.channels;
    const int64_t group = task / across / down % g.groups;
    const int64_t sample = task / across / down / g.groups;
    const int64_t count = std::min(block.positions, positions - first);
    const int64_t out_channel = group * out_per_group + channel;
    const int64_t channels = std::min(block.channels, out_per_group - channel);
    const MatrixRef<const T> weights{weight + out_channel * depth, channels, depth, depth};
    const MatrixRef<T> out{result + (sample * g.out_channels + out_channel) * positions + first, channels, count,
                           positions};
    if (is_pointwise) {
      const T* const from = data + (sample * g.in_channels + group * per_group) * in_size + first;
      return Multiply<T>(weights, {from, depth, count, in_size}, out);
    }
    const auto matrix = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(depth * count));
    for (int64_t row = 0; row < depth; ++row) {
      const int64_t in_channel = sample * g.in_channels + group * per_group + row / window;
      const int64_t at = row % window;
      const Triple k = {at / (g.kernel[1] * g.kernel[2]), at / g.kernel[2] % g.kernel[1], at % g.kernel[2]};
      FillRow(g, data + in_channel * in_size, k, first, count, matrix.get() + row * count);
    }
    Multiply<T>(weights, {matrix.get(), depth, count, count}, out);
  });
}

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
  const Tensor result(dtype, KernelContext::Extents(kernel.result_type()));
  auto relaid = Relaid(kernel, result, spec.out_layout, canonical);
  if (!relaid) return std::nullopt;
  // Makes a copy: if the layout does not change, the elements are still shared.
  return Tensor(dtype, ShapeOf(*relaid));
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

auto Finished(KernelContext& kernel, const ConvSpec& spec, Operands& operands) -> std::optional<Tensor> {
  const KernelStatus status = Correlate(kernel, operands.geometry, operands.data, operands.weight, operands.result);
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

auto Correlate(KernelContext& kernel, const ConvGeometry& geometry, const Tensor& data, const Tensor& weight,
               Tensor& result) -> KernelStatus {
  return VisitNumbers(kernel, result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    CorrelateElements(geometry, data.data<T>(), weight.data<T>(), result.mutable_data<T>());
    return KernelStatus::kDone;
  });
}

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
  return Finished(kernel, spec, *operands);
}

auto ConvolvedTransposed(KernelContext& kernel, const ConvSpec& spec, const Tensor& data, const Tensor& weight)
    -> std::optional<Tensor> {
  const CanonicalLayouts& canonical = kCanonical[spec.spatial - 1];
  const bool grouped = spec.kernel_layout.find('G') != std::string_view::npos;
  auto operands =
      Prepare(kernel, spec, data, weight, grouped ? canonical.grouped_transposed_kernel : canonical.transposed_kernel);
  if (!operands) return std::nullopt;
  ConvGeometry& g = operands->geometry;
  operands->weight = Mirrored(operands->weight, g);
  g.spread = g.stride;
  g.stride = {1, 1, 1};
  for (size_t axis = 0; axis < 3; ++axis) g.pad[axis] = (g.kernel[axis] - 1) * g.dilation[axis] - g.pad[axis];
  return Finished(kernel, spec, *operands);
}

}  // namespace relayopt
