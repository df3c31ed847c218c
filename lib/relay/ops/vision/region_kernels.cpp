// Kernels of object detection that pool regions of an image, and of two rearrangements.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "relayopt/relay/ops/nn_packed.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/relay/ops/vision.h"

namespace relayopt {

namespace {

constexpr DataType kFloat = DataType::Float(32);

// The common inputs of both operators on regions: the image as NCHW, the regions (batch, x1, y1, x2, y2), and the
// result.
struct Regions {
  Tensor data;
  Tensor rois;
  Tensor result;
  // Maps the coordinates of regions to those of the data.
  float scale;
};
auto RegionsOf(KernelContext& kernel, std::string_view layout, const DimList& pooled, double scale)
    -> std::optional<Regions> {
  const auto moved = Relaid(kernel, kernel.input(0), layout, "NCHW");
  const auto data = moved ? Converted(kernel, *moved, kFloat) : std::nullopt;
  const auto rois = data ? Converted(kernel, kernel.input(1), kFloat) : std::nullopt;
  if (!rois) return std::nullopt;
  const std::vector<int64_t> size = Numbers(pooled);
  if (size.size() != 2 || rois->rank() != 2 || rois->extent(1) != 5 || size[0] <= 0 || size[1] <= 0) {
    kernel.Error("the regions must have five numbers");
    return std::nullopt;
  }
  for (int64_t i = 0; i < rois->extent(0); ++i) {
    const float batch = rois->data<float>()[5 * i];
    if (!(batch >= 0) || batch >= static_cast<float>(data->extent(0))) {
      kernel.Error("there is no image {}", batch);
      return std::nullopt;
    }
    for (int64_t k = 1; k < 5; ++k) {
      if (std::fabs(rois->data<float>()[5 * i + k]) < 1e6F) continue;
      kernel.Error("a region ends at {}", rois->data<float>()[5 * i + k]);
      return std::nullopt;
    }
  }
  std::vector<int64_t> shape = {rois->extent(0), data->extent(1), size[0], size[1]};
  if (!kernel.Fits(shape, kFloat)) return std::nullopt;
  if (!(std::fabs(scale) <= 1000)) {
    kernel.Error("a scale of {}", scale);
    return std::nullopt;
  }
  return Regions{*data, *rois, Tensor(kFloat, shape), static_cast<float>(scale)};
}

auto Finished(KernelContext& kernel, const Regions& regions, std::string_view layout) -> KernelStatus {
  const auto cast = Converted(kernel, regions.result, kernel.input(0).dtype());
  auto result = cast ? Relaid(kernel, *cast, "NCHW", layout) : std::nullopt;
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

// Returns the elements around a position, each times its weight: their sum is the value between them. Coordinates up to
// one element outside count as the border, others as 0.
auto WeightedCorners(const float* plane, int64_t height, int64_t width, float y, float x) -> std::array<float, 4> {
  if (!(y >= -1) || !(x >= -1) || y > static_cast<float>(height) || x > static_cast<float>(width)) return {};
  y = std::clamp(y, 0.0F, static_cast<float>(height - 1));
  x = std::clamp(x, 0.0F, static_cast<float>(width - 1));
  const auto top = static_cast<int64_t>(y);
  const auto left = static_cast<int64_t>(x);
  const int64_t bottom = std::min(top + 1, height - 1);
  const int64_t right = std::min(left + 1, width - 1);
  const float down = y - static_cast<float>(top);
  const float across = x - static_cast<float>(left);
  return {plane[top * width + left] * (1 - across) * (1 - down), plane[top * width + right] * across * (1 - down),
          plane[bottom * width + left] * (1 - across) * down, plane[bottom * width + right] * across * down};
}

constexpr std::string_view kAligned = "aligned_";

}  // namespace

auto RegionMode::Of(std::string_view text) -> RegionMode {
  RegionMode mode;
  mode.is_aligned = text.starts_with(kAligned);
  if (mode.is_aligned) text.remove_prefix(kAligned.size());
  mode.of_corners = text == "max_corner";
  mode.is_max = mode.of_corners || text == "max";
  return mode;
}

auto RegionMode::text() const -> std::string {
  return fmt::format("{}{}", is_aligned ? kAligned : "", of_corners ? "max_corner" : is_max ? "max" : "avg");
}

auto ROIAlignKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ROIAlignAttrs>(kernel);
  auto regions =
      attrs == nullptr ? std::nullopt : RegionsOf(kernel, attrs->layout, attrs->pooled_size, attrs->spatial_scale);
  if (!regions) return kernel.Failed();
  const Tensor& data = regions->data;
  const float scale = regions->scale;
  const int64_t height = data.extent(2);
  const int64_t width = data.extent(3);
  Tensor& result = regions->result;
  if (result.size() != 0 && height * width == 0) return kernel.Error("the image has no elements");
  auto* to = result.mutable_data<float>();
  const RegionMode mode = RegionMode::Of(attrs->mode);
  const float least = mode.is_aligned ? -std::numeric_limits<float>::infinity() : 1.0F;
  const auto samples_of = [&](float bin) -> int64_t {
    if (attrs->sample_ratio > 0) return std::min<int64_t>(attrs->sample_ratio, 4096);
    return std::clamp<int64_t>(static_cast<int64_t>(std::ceil(bin)), 0, 4096);
  };
  for (int64_t i = 0; i < result.size(); ++i) {
    const float* roi = regions->rois.data<float>() + i / Product(result.shape().subspan(1)) * 5;
    const float x1 = roi[1] * scale;
    const float y1 = roi[2] * scale;
    const float roi_width = std::max(roi[3] * scale - x1, least);
    const float roi_height = std::max(roi[4] * scale - y1, least);
    const float bin_width = roi_width / static_cast<float>(result.extent(3));
    const float bin_height = roi_height / static_cast<float>(result.extent(2));
    const int64_t rows = samples_of(bin_height);
    const int64_t columns = samples_of(bin_width);
    const int64_t channel =
        static_cast<int64_t>(roi[0]) * data.extent(1) + i / result.extent(3) / result.extent(2) % data.extent(1);
    const float* plane = data.data<float>() + channel * height * width;
    const float top = y1 + static_cast<float>(i / result.extent(3) % result.extent(2)) * bin_height;
    const float left = x1 + static_cast<float>(i % result.extent(3)) * bin_width;
    float sum = 0;
    float greatest = Lowest<float>();
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        const float y = top + (static_cast<float>(row) + 0.5F) * bin_height / static_cast<float>(rows);
        const float x = left + (static_cast<float>(column) + 0.5F) * bin_width / static_cast<float>(columns);
        const std::array<float, 4> corners = WeightedCorners(plane, height, width, y, x);
        const float value = corners[0] + corners[1] + corners[2] + corners[3];
        sum += value / static_cast<float>(rows * columns);
        greatest = std::max(greatest, mode.of_corners ? std::ranges::max(corners) : value);
      }
    }
    to[i] = mode.is_max && rows > 0 && columns > 0 ? greatest : sum;
  }
  return Finished(kernel, *regions, attrs->layout);
}

auto ROIPoolKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<ROIPoolAttrs>(kernel);
  auto regions =
      attrs == nullptr ? std::nullopt : RegionsOf(kernel, attrs->layout, attrs->pooled_size, attrs->spatial_scale);
  if (!regions) return kernel.Failed();
  const Tensor& data = regions->data;
  const float scale = regions->scale;
  const int64_t height = data.extent(2);
  const int64_t width = data.extent(3);
  Tensor& result = regions->result;
  auto* to = result.mutable_data<float>();
  // The positions that bin `k` of `bins` covers from `start` on, a number of elements in all, inside of [0, extent).
  struct Span {
    int64_t begin;
    int64_t end;
  };
  const auto bin = [](int64_t k, int64_t bins, int64_t start, int64_t size, int64_t extent) -> Span {
    const float step = static_cast<float>(size) / static_cast<float>(bins);
    const auto begin = static_cast<int64_t>(std::floor(static_cast<float>(k) * step + 1e-5F)) + start;
    const auto end = static_cast<int64_t>(std::ceil(static_cast<float>(k + 1) * step - 1e-5F)) + start;
    return {std::clamp<int64_t>(begin, 0, extent), std::clamp<int64_t>(end, 0, extent)};
  };
  for (int64_t i = 0; i < result.size(); ++i) {
    const float* roi = regions->rois.data<float>() + i / Product(result.shape().subspan(1)) * 5;
    const auto rounded = [&](int k) { return static_cast<int64_t>(std::round(roi[k] * scale)); };
    const int64_t roi_height = std::max<int64_t>(rounded(4) - rounded(2) + 1, 1);
    const int64_t roi_width = std::max<int64_t>(rounded(3) - rounded(1) + 1, 1);
    const Span rows = bin(i / result.extent(3) % result.extent(2), result.extent(2), rounded(2), roi_height, height);
    const Span columns = bin(i % result.extent(3), result.extent(3), rounded(1), roi_width, width);
    const int64_t channel =
        static_cast<int64_t>(roi[0]) * data.extent(1) + i / result.extent(3) / result.extent(2) % data.extent(1);
    const float* plane = data.data<float>() + channel * height * width;
    const bool empty = rows.begin >= rows.end || columns.begin >= columns.end;
    float greatest = empty ? 0 : Lowest<float>();
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      for (int64_t x = columns.begin; x < columns.end; ++x) greatest = std::max(greatest, plane[y * width + x]);
    }
    to[i] = greatest;
  }
  return Finished(kernel, *regions, attrs->layout);
}

auto YoloReorgKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<YoloReorgAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const int64_t s = attrs->stride.is_int() ? attrs->stride.value() : 0;
  const int64_t channels = data.extent(1);
  const int64_t height = data.extent(2);
  const int64_t width = data.extent(3);
  if (s <= 0 || s > 1'000'000 || channels % (s * s) != 0 || height % s != 0 || width % s != 0) {
    return kernel.Error("the data cannot be cut into blocks of {}", s);
  }
  // The darknet's formula, which looks at the data as an image of fewer channels that is larger by the stride.
  Tensor result(data.dtype(), {data.extent(0), channels * s * s, height / s, width / s});
  const int64_t out_channels = channels / (s * s);
  const int64_t per_image = channels * height * width;
  for (int64_t i = 0; i < result.size(); ++i) {
    const int64_t in_image = i % per_image;
    const int64_t x = in_image % width;
    const int64_t y = in_image / width % height;
    const int64_t c = in_image / width / height;
    const int64_t block = c / out_channels;
    const int64_t from = (c % out_channels * height * s + y * s + block / s) * width * s + x * s + block % s;
    CopyElements(data, i / per_image * per_image + from, result, i, 1);
  }
  return kernel.Return(std::move(result));
}

auto BitPackKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<BitPackAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const DataType word = kernel.result_type().dtype;
  const std::vector<int64_t> shape = KernelContext::Extents(kernel.result_type());
  if (!word.is_uint() && !word.is_int())
    return kernel.Error("bits can only be packed into integers, found {}", ToString(word));
  const auto axis = NormalizeAxis(attrs->pack_axis, data.rank());
  if (!axis || attrs->bit_axis < 0 || attrs->bit_axis > static_cast<int64_t>(data.rank()) ||
      shape.size() != data.rank() + 1 || attrs->bits <= 0 || attrs->bits > 64 || data.extent(*axis) % word.bits != 0) {
    return kernel.Error("the data cannot be packed along the axis");
  }
  const auto bit_axis = static_cast<size_t>(attrs->bit_axis);
  std::vector<int64_t> packed = ShapeOf(data);
  packed[*axis] /= word.bits;
  std::vector<int64_t> planes = packed;
  planes.insert(planes.begin() + attrs->bit_axis, attrs->bits);
  // TVM's type rule does not support axes that are counted from the end.
  if (planes != shape) return kernel.Error("the data cannot be packed along the axis");
  const auto numbers = Converted(kernel, data, DataType::UInt(64));
  if (!numbers) return kernel.Failed();
  const AxisView view = ViewAxis(data.shape(), *axis);
  const int64_t behind = Product(std::span(packed).subspan(bit_axis));
  Tensor wide(DataType::UInt(64), shape);
  auto* to = wide.mutable_data<uint64_t>();
  for (int64_t i = 0; i < wide.size(); ++i) {
    // The position among the words, without the axis of bits.
    const int64_t bit = i / behind % attrs->bits;
    const int64_t at = i / behind / attrs->bits * behind + i % behind;
    const int64_t words = view.extent / word.bits;
    const int64_t outer = at / view.inner / words;
    const int64_t first = at / view.inner % words * word.bits;
    for (int64_t k = 0; k < word.bits; ++k) {
      const uint64_t element =
          numbers->data<uint64_t>()[(outer * view.extent + first + k) * view.inner + at % view.inner];
      to[i] = to[i] << 1 | (element >> bit & 1);
    }
  }
  auto result = Converted(kernel, wide, word);
  return result ? kernel.Return(std::move(*result)) : kernel.Failed();
}

}  // namespace relayopt
