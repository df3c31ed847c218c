// Kernels of convolutions whose weight has been transformed for Winograd's method, and of these transforms.
#include "winograd.h"

#include <algorithm>
#include <array>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/parallel.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "lib/relay/ops/nn_conv/convolve.h"
#include "relayopt/relay/ops/nn_conv_variants.h"

namespace relayopt {

namespace {

// The transforms along depth, height and width; null if the axis is left as it is.
using Transforms = std::array<const TransformMatrix*, 3>;

auto Transformed(const Transforms& transforms, Triple extents) -> Triple {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (transforms[axis] != nullptr) extents[axis] = transforms[axis]->columns;
  }
  return extents;
}

// Returns the elements of a matrix in the type of the computation.
template <typename T>
auto Rounded(const TransformMatrix* matrix) -> std::vector<T> {
  std::vector<T> elements;
  if (matrix == nullptr) return elements;
  for (const double element : matrix->elements) elements.push_back(As<T>(element));
  return elements;
}

// Transforms blocks of elements; all blocks have the same extents.
template <typename T>
class BlockTransform {
 public:
  BlockTransform(const Transforms& transforms, const Triple& from) : from_(from), to_(Transformed(transforms, from)) {
    for (size_t axis = 0; axis < 3; ++axis) matrices_[axis] = Rounded<T>(transforms[axis]);
  }

  auto from() const -> const Triple& { return from_; }
  auto to() const -> const Triple& { return to_; }

  // Returns the element of the transformed block at `at`; `block(d, h, w)` is that of the block. Summed in the order of
  // the elements.
  template <typename Block>
  auto At(const Triple& at, Block block) const -> T {
    T sum(0);
    for (int64_t d = First(0, at); d < End(0, at); ++d) {
      for (int64_t h = First(1, at); h < End(1, at); ++h) {
        for (int64_t w = First(2, at); w < End(2, at); ++w) {
          T term = block(d, h, w);
          const Triple position = {d, h, w};
          for (size_t axis = 0; axis < 3; ++axis) {
            if (matrices_[axis].empty()) continue;
            term = Times(term, matrices_[axis][static_cast<size_t>(position[axis] * to_[axis] + at[axis])]);
          }
          sum = Plus(sum, term);
        }
      }
    }
    return sum;
  }

 private:
  auto First(size_t axis, const Triple& at) const -> int64_t { return matrices_[axis].empty() ? at[axis] : 0; }
  auto End(size_t axis, const Triple& at) const -> int64_t {
    return matrices_[axis].empty() ? at[axis] + 1 : from_[axis];
  }

  Triple from_;
  Triple to_;
  std::array<std::vector<T>, 3> matrices_;
};

// Position `i` of a block in row-major order.
auto Unraveled(int64_t i, const Triple& extents) -> Triple {
  return {i / extents[2] / extents[1], i / extents[2] % extents[1], i % extents[2]};
}

// Returns the weight (out channels, in channels, kernel...) of three spatial axes with its kernels transformed, as
// (kernel..., out channels, in channels). Returns nothing after an error.
auto TransformedWeight(KernelContext& kernel, const Tensor& weight, int64_t tile, bool with_depth)
    -> std::optional<Tensor> {
  const Triple taps = {weight.extent(2), weight.extent(3), weight.extent(4)};
  if (taps[1] != taps[2] || (with_depth && taps[0] != taps[1])) {
    kernel.Error("the kernel has different extents");
    return std::nullopt;
  }
  const auto transforms = WinogradTransformsFor(kernel, tile, taps[1]);
  if (!transforms) return std::nullopt;
  const TransformMatrix* filter = &transforms->filter;
  const Transforms along = {with_depth ? filter : nullptr, filter, filter};
  const Triple to = Transformed(along, taps);
  const int64_t pairs = weight.extent(0) * weight.extent(1);
  Tensor result(weight.dtype(), {to[0], to[1], to[2], weight.extent(0), weight.extent(1)});
  const KernelStatus status = VisitFloats(kernel, weight.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const BlockTransform<T> transform(along, taps);
    T* elements = result.mutable_data<T>();
    for (int64_t i = 0; i < result.size(); ++i) {
      const T* block = weight.data<T>() + i % pairs * Volume(taps);
      elements[i] = transform.At(Unraveled(i / pairs, to), [&](int64_t d, int64_t h, int64_t w) {
        return block[(d * taps[1] + h) * taps[2] + w];
      });
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return std::nullopt;
  return result;
}

// The sizes of a convolution by tiles. If the depth is not transformed, a tile has one result along it.
struct Tiling {
  ConvGeometry geometry;
  Triple tile;
  Triple tiles;
  auto samples() const -> int64_t { return geometry.batch * Volume(tiles); }
};

template <typename T>
void ConvolveTiles(const Tiling& tiling, const WinogradTransforms& transforms, bool with_depth, const T* data,
                   const T* weight, T* result) {
  const ConvGeometry& g = tiling.geometry;
  const auto along = [&](const TransformMatrix& matrix) {
    return Transforms{with_depth ? &matrix : nullptr, &matrix, &matrix};
  };
  const int64_t size = transforms.data.rows;
  const Triple block = {with_depth ? size : g.kernel[0], size, size};
  const BlockTransform<T> forward(along(transforms.data), block);
  // Without a transform along the depth the products are summed along it, like those of the channels.
  const BlockTransform<T> back(along(transforms.result), {with_depth ? size : 1, size, size});
  const int64_t volume = Volume(block);
  const int64_t products = Volume(back.from());
  const int64_t work = tiling.samples() * volume * (volume * g.in_channels + g.in_channels * g.out_channels);

  SplitWork(tiling.samples(), work, [&](int64_t task) {
    const int64_t sample = task / Volume(tiling.tiles);
    const Triple place = Unraveled(task % Volume(tiling.tiles), tiling.tiles);
    Triple first{};
    for (size_t axis = 0; axis < 3; ++axis)
      first[axis] = place[axis] * tiling.tile[axis] * g.stride[axis] - g.pad[axis];
    // Indexed by position in the block, then by channel.
    std::vector<T> seen(static_cast<size_t>(volume * g.in_channels));
    for (int64_t i = 0; i < volume * g.in_channels; ++i) {
      const T* plane = data + (sample * g.in_channels + i % g.in_channels) * Volume(g.in);
      seen[static_cast<size_t>(i)] =
          forward.At(Unraveled(i / g.in_channels, block), [&](int64_t d, int64_t h, int64_t w) {
            const Triple at = {first[0] + d, first[1] + h, first[2] + w};
            for (size_t axis = 0; axis < 3; ++axis) {
              if (at[axis] < 0 || at[axis] >= g.in[axis]) return T(0);
            }
            return plane[(at[0] * g.in[1] + at[1]) * g.in[2] + at[2]];
          });
    }
    std::vector<T> sums(static_cast<size_t>(products));
    for (int64_t channel = 0; channel < g.out_channels; ++channel) {
      std::fill(sums.begin(), sums.end(), T(0));
      for (int64_t position = 0; position < volume; ++position) {
        T& sum = sums[static_cast<size_t>(position % products)];
        const T* factors = weight + (position * g.out_channels + channel) * g.in_channels;
        const T* elements = seen.data() + position * g.in_channels;
        for (int64_t c = 0; c < g.in_channels; ++c) sum = Plus(sum, Times(elements[c], factors[c]));
      }
      T* plane = result + (sample * g.out_channels + channel) * Volume(g.out);
      for (int64_t i = 0; i < Volume(back.to()); ++i) {
        const Triple in_tile = Unraveled(i, back.to());
        Triple at{};
        bool inside = true;
        for (size_t axis = 0; axis < 3; ++axis) {
          at[axis] = place[axis] * tiling.tile[axis] + in_tile[axis];
          inside &= at[axis] < g.out[axis];
        }
        if (!inside) continue;
        plane[(at[0] * g.out[1] + at[1]) * g.out[2] + at[2]] = back.At(in_tile, [&](int64_t d, int64_t h, int64_t w) {
          return sums[static_cast<size_t>((d * size + h) * size + w)];
        });
      }
    }
  });
}

// Returns the convolution of data in its layout with a weight (kernel..., out channels, in channels) of three spatial
// axes that has been transformed. Returns nothing after an error.
auto ConvolvedByTiles(KernelContext& kernel, const ConvSpec& spec, int64_t tile, const Tensor& weight, bool with_depth)
    -> std::optional<Tensor> {
  const std::string_view canonical = spec.spatial == 2 ? "NCHW" : "NCDHW";
  const DataType dtype = kernel.result_type().dtype;
  const Triple stride = Spatial(spec.strides, spec.spatial, 1);
  const Triple dilation = Spatial(spec.dilation, spec.spatial, 1);
  if (spec.groups != 1 || dilation != Triple{1, 1, 1} || stride[1] != 1 || stride[2] != 1 || stride[0] < 1 ||
      (with_depth && stride[0] != 1)) {
    kernel.Error("needs one group, and strides and dilation of 1");
    return std::nullopt;
  }
  const int64_t taps = weight.extent(1) - tile + 1;
  const auto transforms = WinogradTransformsFor(kernel, tile, taps);
  const auto wide_data = transforms ? Converted(kernel, kernel.input(0), dtype) : std::nullopt;
  const auto data = wide_data ? Relaid(kernel, *wide_data, spec.data_layout, canonical) : std::nullopt;
  const auto wide_weight = data ? Converted(kernel, weight, dtype) : std::nullopt;
  const Tensor empty(dtype, KernelContext::Extents(kernel.result_type()));
  const auto shaped = wide_weight ? Relaid(kernel, empty, spec.out_layout, canonical) : std::nullopt;
  if (!shaped) return std::nullopt;
  Tensor result(dtype, ShapeOf(*shaped));

  Tiling tiling;
  ConvGeometry& g = tiling.geometry;
  const PadPair pads = PaddingOf(spec.padding, spec.spatial);
  g.batch = data->extent(0);
  g.in_channels = data->extent(1);
  g.out_channels = result.extent(1);
  for (size_t axis = spec.spatial == 2 ? 1 : 0; axis < 3; ++axis) {
    g.in[axis] = data->extent(axis + spec.spatial - 1);
    g.out[axis] = result.extent(axis + spec.spatial - 1);
  }
  g.kernel = {with_depth ? taps : weight.extent(0), taps, taps};
  g.stride = stride;
  g.pad = pads.before;
  bool fits = result.extent(0) == g.batch && weight.extent(1) == weight.extent(2) &&
              (!with_depth || weight.extent(0) == weight.extent(1)) && weight.extent(3) == g.out_channels &&
              weight.extent(4) == g.in_channels;
  for (size_t axis = 0; axis < 3; ++axis) {
    fits &= (g.in[axis] + g.pad[axis] + pads.after[axis] - g.kernel[axis]) / g.stride[axis] + 1 == g.out[axis];
    tiling.tile[axis] = axis == 0 && !with_depth ? 1 : tile;
    tiling.tiles[axis] = (g.out[axis] + tiling.tile[axis] - 1) / tiling.tile[axis];
  }
  if (!fits) {
    kernel.Error("the weight does not match the data and the attributes");
    return std::nullopt;
  }
  const KernelStatus status = VisitFloats(kernel, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ConvolveTiles(tiling, *transforms, with_depth, data->template data<T>(), wide_weight->template data<T>(),
                  result.mutable_data<T>());
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return std::nullopt;
  return Relaid(kernel, result, canonical, spec.out_layout);
}

// Returns the weight of a convolution of two spatial axes as (1, kernel..., out channels, in channels). TVM has one
// form for each layout of the data, and one with blocks of output channels.
auto WeightByTiles(KernelContext& kernel, std::string_view data_layout) -> std::optional<Tensor> {
  const Tensor& weight = kernel.input(1);
  const std::span<const int64_t> shape = weight.shape();
  if (weight.rank() == 5) {
    const Tensor joined = Permuted(weight, std::array<size_t, 5>{0, 1, 2, 4, 3});
    return joined.Reshaped({1, shape[0], shape[1], shape[2] * shape[4], shape[3]});
  }
  if (weight.rank() == 4 && data_layout == "NCHW") {
    return Permuted(weight, std::array<size_t, 4>{0, 1, 3, 2}).Reshaped({1, shape[0], shape[1], shape[3], shape[2]});
  }
  if (weight.rank() == 4 && data_layout == "NHWC") {
    return weight.Reshaped({1, shape[0], shape[1], shape[2], shape[3]});
  }
  kernel.Error("a weight of {} axes for data of layout {}", weight.rank(), data_layout);
  return std::nullopt;
}

// Whether the depth of a kernel is transformed, too, as in the type rule of the weight's transform.
auto TransformsDepth(int64_t depth) -> bool { return depth > 2 && depth < 8; }

}  // namespace

auto Conv2DWinogradWeightTransformKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ConvWinogradWeightTransformAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& weight = kernel.input(0);
  const std::span<const int64_t> shape = weight.shape();
  const auto result =
      TransformedWeight(kernel, weight.Reshaped({shape[0], shape[1], 1, shape[2], shape[3]}), attrs->tile_size, false);
  return result ? kernel.Return(result->Reshaped({result->extent(1), result->extent(2), shape[0], shape[1]}))
                : kernel.Failed();
}

auto Conv3DWinogradWeightTransformKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ConvWinogradWeightTransformAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const bool with_depth = TransformsDepth(kernel.input(0).extent(2));
  const auto result = TransformedWeight(kernel, kernel.input(0), attrs->tile_size, with_depth);
  if (!result) return kernel.Failed();
  return kernel.Return(with_depth ? *result : Permuted(*result, std::array<size_t, 5>{1, 2, 0, 3, 4}));
}

auto Conv2DWinogradKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Conv2DWinogradAttrs>(kernel);
  const auto weight = attrs == nullptr ? std::nullopt : WeightByTiles(kernel, attrs->data_layout);
  if (!weight) return kernel.Failed();
  auto result = ConvolvedByTiles(kernel, SpecOf(*attrs, 2), attrs->tile_size, *weight, false);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

auto Conv3DWinogradKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Conv3DWinogradAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& weight = kernel.input(1);
  const std::vector<int64_t> extents = Numbers(attrs->kernel_size);
  if (weight.rank() != 5 || extents.empty())
    return kernel.Error("the weight does not match the data and the attributes");
  const bool with_depth = TransformsDepth(extents[0]);
  auto result =
      ConvolvedByTiles(kernel, SpecOf(*attrs, 3), attrs->tile_size,
                       with_depth ? weight : Permuted(weight, std::array<size_t, 5>{2, 0, 1, 3, 4}), with_depth);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

}  // namespace relayopt
