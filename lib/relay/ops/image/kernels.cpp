// Kernels that sample images at computed positions, and that compare or dilate them.
#include "relayopt/relay/ops/image.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "lib/relay/ops/nn_conv/convolve.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "resize.h"

namespace relayopt {

namespace {

enum class Border : uint8_t { kZeros, kEdge, kReflect };

// Returns the element at integral coordinates (depth, height, width); 0 outside of the image.
auto ElementOrZero(const float* plane, const Triple& extents, const Triple& at) -> float {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (at[axis] < 0 || at[axis] >= extents[axis]) return 0;
  }
  return plane[(at[0] * extents[1] + at[1]) * extents[2] + at[2]];
}

// Rounds a coordinate to an integer that is outside of the image if the coordinate is.
auto Whole(float x, int64_t extent) -> int64_t {
  if (!(x >= -8)) return -8;
  return x > static_cast<float>(extent) + 8 ? extent + 8 : static_cast<int64_t>(x);
}

// Returns a coordinate mirrored at the borders until it is between them.
auto Reflected(float x, int64_t extent, bool align_corners) -> float {
  const float low = align_corners ? 0 : -0.5F;
  const float size = align_corners ? static_cast<float>(extent - 1) : static_cast<float>(extent);
  if (!(size > 0)) return 0;
  const float distance = std::fabs(x - low);
  const float rest = std::fmod(distance, size);
  const bool back = std::fmod(std::floor(distance / size), 2.0F) != 0;
  return back ? size - rest + low : rest + low;
}

struct Sampler {
  std::string_view method;
  Border border;
  bool align_corners;

  // Returns the position in elements of a coordinate in [-1, 1].
  auto Position(float x, int64_t extent) const -> float {
    const auto size = static_cast<float>(extent);
    return align_corners ? (x + 1) * (size - 1) / 2 : (x + 1) * size / 2 - 0.5F;
  }
  auto Bounded(float x, int64_t extent) const -> float {
    if (border == Border::kZeros) return x;
    if (border == Border::kReflect) x = Reflected(x, extent, align_corners);
    return std::clamp(x, 0.0F, static_cast<float>(extent - 1));
  }
};

// Returns the value at a position, by `method`: nearest (halves to even), bilinear along all axes of more than one
// element, bicubic along the last two.
auto SampleAt(const Sampler& sampler, const float* plane, const Triple& extents, const std::array<float, 3>& given)
    -> float {
  const bool cubic = sampler.method == "bicubic";
  std::array<float, 3> position{};
  for (size_t axis = 0; axis < 3; ++axis) {
    position[axis] = cubic ? given[axis] : sampler.Bounded(given[axis], extents[axis]);
  }
  if (sampler.method == "nearest") {
    Triple at{};
    for (size_t axis = 0; axis < 3; ++axis) at[axis] = Whole(std::nearbyint(position[axis]), extents[axis]);
    return ElementOrZero(plane, extents, at);
  }
  std::array<std::array<float, 4>, 3> weights{};
  Triple first{};
  const int64_t taps = cubic ? 4 : 2;
  for (size_t axis = 0; axis < 3; ++axis) {
    const float base = std::floor(position[axis]);
    const float t = position[axis] - base;
    weights[axis] = cubic ? CubicWeights(t, -0.75F) : std::array<float, 4>{1 - t, t, 0, 0};
    first[axis] = Whole(base, extents[axis]) - (cubic ? 1 : 0);
  }
  const bool flat = extents[0] == 1 && given[0] == 0;
  float volume = 0;
  for (int64_t z = 0; z < (flat ? 1 : taps); ++z) {
    float area = 0;
    for (int64_t y = 0; y < taps; ++y) {
      float line = 0;
      for (int64_t x = 0; x < taps; ++x) {
        Triple at = {flat ? 0 : first[0] + z, first[1] + y, first[2] + x};
        if (cubic && sampler.border != Border::kZeros) {
          for (size_t axis = 1; axis < 3; ++axis) {
            at[axis] = static_cast<int64_t>(sampler.Bounded(static_cast<float>(at[axis]), extents[axis]));
          }
        }
        line += ElementOrZero(plane, extents, at) * weights[2][static_cast<size_t>(x)];
      }
      area += line * weights[1][static_cast<size_t>(y)];
    }
    volume += flat ? area : area * weights[0][static_cast<size_t>(z)];
  }
  return volume;
}

}  // namespace

auto GridSampleKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<GridSampleAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const size_t spatial = kernel.input(0).rank() - 2;
  const std::string_view canonical = spatial == 2 ? "NCHW" : "NCDHW";
  const auto moved = Relaid(kernel, kernel.input(0), attrs->layout, canonical);
  const auto data = moved ? Converted(kernel, *moved, DataType::Float(32)) : std::nullopt;
  const auto grid = data ? Converted(kernel, kernel.input(1), DataType::Float(32)) : std::nullopt;
  if (!grid) return kernel.Failed();
  const bool known =
      attrs->method == "nearest" || attrs->method == "bilinear" || (attrs->method == "bicubic" && spatial == 2);
  if (!known || grid->rank() != spatial + 2 || grid->extent(0) != data->extent(0) ||
      grid->extent(1) != static_cast<int64_t>(spatial)) {
    return kernel.Error("the grid does not match the data, or there is no method {}", attrs->method);
  }
  Border border = Border::kZeros;
  if (attrs->padding_mode == "border") border = Border::kEdge;
  if (attrs->padding_mode == "reflection") border = Border::kReflect;
  const Sampler sampler = {attrs->method, border, attrs->align_corners};
  Triple extents{1, 1, 1};
  for (size_t i = 0; i < spatial; ++i) extents[3 - spatial + i] = data->extent(2 + i);
  if (data->size() == 0 && grid->size() != 0) return kernel.Error("the image has no elements");

  std::vector<int64_t> shape = {data->extent(0), data->extent(1)};
  for (size_t i = 0; i < spatial; ++i) shape.push_back(grid->extent(2 + i));
  const int64_t points = Product(std::span(shape).subspan(2));
  const int64_t plane = extents[0] * extents[1] * extents[2];
  if (!kernel.Fits(shape, DataType::Float(32))) return kernel.Failed();
  Tensor real(DataType::Float(32), shape);
  auto* to = real.mutable_data<float>();
  for (int64_t i = 0; i < real.size(); ++i) {
    const int64_t sample = i / points / shape[1];
    std::array<float, 3> position{};
    // The grid's channels are x, y, z; the axes of the tensor are in reverse order.
    for (size_t k = 0; k < spatial; ++k) {
      const float x =
          grid->data<float>()[(sample * static_cast<int64_t>(spatial) + static_cast<int64_t>(k)) * points + i % points];
      position[2 - k] = sampler.Position(x, extents[2 - k]);
    }
    to[i] = SampleAt(sampler, data->data<float>() + i / points * plane, extents, position);
  }
  const auto cast = Converted(kernel, real, kernel.result_type().dtype);
  return ReturnIt(kernel, cast ? Relaid(kernel, *cast, canonical, attrs->layout) : std::nullopt);
}

auto AffineGridKernel(KernelContext& kernel) -> KernelStatus {
  const auto theta = Converted(kernel, kernel.input(0), DataType::Float(32));
  if (!theta) return kernel.Failed();
  const std::vector<int64_t> shape = KernelContext::Extents(kernel.result_type());
  Tensor real(DataType::Float(32), shape);
  auto* to = real.mutable_data<float>();
  const auto along = [](int64_t i, int64_t count) {
    return count == 1 ? -1.0F : -1.0F + static_cast<float>(i) * ((2.0F - 1e-7F) / static_cast<float>(count - 1));
  };
  for (int64_t i = 0; i < real.size(); ++i) {
    const float x = along(i % shape[3], shape[3]);
    const float y = along(i / shape[3] % shape[2], shape[2]);
    const float* row = theta->data<float>() + i / shape[3] / shape[2] * 3;
    to[i] = row[0] * x + row[1] * y + row[2];
  }
  return ReturnIt(kernel, Converted(kernel, real, kernel.result_type().dtype));
}

auto CropAndResizeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<CropAndResizeAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto data = Relaid(kernel, kernel.input(0), attrs->layout, "NCHW");
  const auto boxes = data ? Converted(kernel, kernel.input(1), DataType::Float(32)) : std::nullopt;
  const auto chosen = boxes ? Converted(kernel, kernel.input(2), DataType::Int(64)) : std::nullopt;
  if (!chosen) return kernel.Failed();
  const std::vector<int64_t> size = Numbers(attrs->crop_size);
  const int64_t count = chosen->size();
  // The type rule looks at the first extent of the boxes only.
  if (size.size() != 2 || boxes->rank() != 2 || boxes->extent(0) != count || boxes->size() != 4 * count)
    return kernel.Error("boxes must have shape ({}, 4) and crop_size two values", count);
  const DataType dtype = kernel.result_type().dtype;
  std::vector<int64_t> shape = {count, data->extent(1), size[0], size[1]};
  if (!kernel.Fits(shape, dtype)) return kernel.Failed();
  Tensor result(dtype, shape);
  const int64_t image = data->size() / std::max<int64_t>(data->extent(0), 1);
  const int64_t crop = Product(std::span(shape).subspan(1));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = chosen->data<int64_t>()[i];
    if (index < 0 || index >= data->extent(0)) return kernel.Error("there is no image {}", index);
    Tensor one(data->dtype(), {1, data->extent(1), data->extent(2), data->extent(3)});
    if (image != 0) CopyElements(*data, index * image, one, 0, image);
    const float* box = boxes->data<float>() + 4 * i;
    const Resampling how = {.layout = "NCHW",
                            .method = attrs->method,
                            .coordinates = "tf_crop_and_resize",
                            .rounding = "round",
                            .region = {box[0], box[1], box[2], box[3]},
                            .extrapolation_value = attrs->extrapolation_value};
    const auto resized = Resampled(kernel, one, how, size, dtype);
    if (!resized) return kernel.Failed();
    if (crop != 0) CopyElements(*resized, 0, result, i * crop, crop);
  }
  return ReturnIt(kernel, Relaid(kernel, result, "NCHW", attrs->layout));
}

auto Dilation2DKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Dilation2DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const DataType dtype = kernel.result_type().dtype;
  const auto moved = Relaid(kernel, kernel.input(0), attrs->data_layout, "NCHW");
  const auto window = moved ? Relaid(kernel, kernel.input(1), attrs->kernel_layout, "IHW") : std::nullopt;
  const auto data = window ? Converted(kernel, *moved, dtype) : std::nullopt;
  const auto weight = data ? Converted(kernel, *window, dtype) : std::nullopt;
  if (!weight) return kernel.Failed();
  const Tensor empty(dtype, KernelContext::Extents(kernel.result_type()));
  const auto shaped = Relaid(kernel, empty, attrs->data_layout, "NCHW");
  if (!shaped) return kernel.Failed();
  Tensor result(dtype, ShapeOf(*shaped));
  if (weight->extent(0) != data->extent(1) || result.extent(1) != data->extent(1) ||
      result.extent(0) != data->extent(0)) {
    return kernel.Error("the weight does not match the channels");
  }
  const Triple stride = Spatial(attrs->strides, 2, 1);
  const Triple dilation = Spatial(attrs->dilations, 2, 1);
  const Triple pad = PaddingOf(attrs->padding, 2).before;
  const KernelStatus status = VisitNumbers(kernel, dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < result.size(); ++i) {
      const int64_t plane = i / result.extent(3) / result.extent(2);
      const T* from = data->template data<T>() + plane * data->extent(2) * data->extent(3);
      const T* added = weight->template data<T>() + plane % data->extent(1) * weight->extent(1) * weight->extent(2);
      T greatest = Lowest<T>();
      for (int64_t k = 0; k < weight->extent(1) * weight->extent(2); ++k) {
        const int64_t y =
            i / result.extent(3) % result.extent(2) * stride[1] - pad[1] + k / weight->extent(2) * dilation[1];
        const int64_t x = i % result.extent(3) * stride[2] - pad[2] + k % weight->extent(2) * dilation[2];
        const bool inside = y >= 0 && y < data->extent(2) && x >= 0 && x < data->extent(3);
        const T sum = Plus(inside ? from[y * data->extent(3) + x] : T(0), added[k]);
        greatest = static_cast<C>(greatest) > static_cast<C>(sum) ? greatest : sum;
      }
      to[i] = greatest;
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  return ReturnIt(kernel, Relaid(kernel, result, "NCHW", attrs->data_layout));
}

auto CorrelationKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<CorrelationAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& a = kernel.input(0);
  const Tensor& b = kernel.input(1);
  Tensor result = kernel.NewResult();
  if (ShapeOf(a) != ShapeOf(b) || a.dtype() != b.dtype() || attrs->stride2 <= 0) {
    return kernel.Error("the operands differ in shape or type");
  }
  const Triple pad = PaddingOf(attrs->padding, 2).before;
  const int64_t radius = (attrs->kernel_size - 1) / 2;
  const int64_t steps = attrs->max_displacement / attrs->stride2;
  const int64_t border = attrs->max_displacement + radius;
  const int64_t height = a.extent(2);
  const int64_t width = a.extent(3);
  const KernelStatus status = VisitNumbers(kernel, a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto at = [&](const Tensor& tensor, int64_t plane, int64_t y, int64_t x) {
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      return inside ? tensor.data<T>()[(plane * height + y) * width + x] : T(0);
    };
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < result.size(); ++i) {
      const int64_t x = i % result.extent(3) * attrs->stride1 + border - pad[2];
      const int64_t y = i / result.extent(3) % result.extent(2) * attrs->stride1 + border - pad[1];
      const int64_t q = i / result.extent(3) / result.extent(2) % result.extent(1);
      const int64_t sample = i / result.extent(3) / result.extent(2) / result.extent(1);
      const int64_t dy = (q / (2 * steps + 1) - steps) * attrs->stride2;
      const int64_t dx = (q % (2 * steps + 1) - steps) * attrs->stride2;
      T sum(0);
      for (int64_t c = 0; c < a.extent(1); ++c) {
        const int64_t plane = sample * a.extent(1) + c;
        for (int64_t ky = -radius; ky < attrs->kernel_size - radius; ++ky) {
          for (int64_t kx = -radius; kx < attrs->kernel_size - radius; ++kx) {
            const T one = at(a, plane, y + ky, x + kx);
            const T other = at(b, plane, y + dy + ky, x + dx + kx);
            const bool less = static_cast<Compute<T>>(one) < static_cast<Compute<T>>(other);
            sum = Plus(sum, attrs->is_multiply ? Times(one, other) : less ? Minus(other, one) : Minus(one, other));
          }
        }
      }
      to[i] = Quotient(sum, std::max<int64_t>(attrs->kernel_size * attrs->kernel_size * a.extent(1), 1));
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

}  // namespace relayopt
