// Kernels that resample images.
#include <algorithm>
#include <array>
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/layout_transform/layouts.h"
#include "lib/relay/ops/nn_conv/convolve.h"
#include "relayopt/relay/ops/image.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "resize.h"

namespace relayopt {

namespace {

enum class Method : uint8_t { kNearest, kLinear, kCubic };

auto MethodOf(std::string_view name) -> std::optional<Method> {
  if (name == "nearest_neighbor" || name == "nearest") return Method::kNearest;
  if (name == "linear" || name == "bilinear" || name == "trilinear") return Method::kLinear;
  if (name == "cubic" || name == "bicubic" || name == "tricubic") return Method::kCubic;
  return std::nullopt;
}

// The elements of the data along one axis that make one position of the result.
struct Taps {
  int count = 1;
  std::array<int64_t, 4> at{};
  std::array<float, 4> weight{1, 0, 0, 0};
  // Whether the position is outside of the region.
  bool outside = false;
};

auto RoundedBy(std::string_view rounding, float x) -> std::optional<float> {
  constexpr float kEpsilon = 1e-5F;
  if (rounding == "round") return std::round(x);
  if (rounding == "round_prefer_floor") return std::ceil(x - 0.5F);
  if (rounding == "round_prefer_ceil") return std::floor(x + 0.5F);
  if (rounding == "floor") return std::floor(x + kEpsilon);
  if (rounding == "ceil") return std::ceil(x - kEpsilon);
  return std::nullopt;
}

// The position in `in` elements that position `i` of `out` comes from; nothing for a mode that does not exist.
auto Coordinate(const Resampling& how, size_t axis, int64_t i, int64_t in, int64_t out) -> std::optional<float> {
  const auto x = static_cast<float>(i);
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  if (how.coordinates == "half_pixel") return (x + 0.5F) * scale - 0.5F;
  if (how.coordinates == "align_corners") {
    return out == 1 ? 0.0F : static_cast<float>(in - 1) / static_cast<float>(out - 1) * x;
  }
  if (how.coordinates == "asymmetric") return scale * x;
  if (how.coordinates == "pytorch_half_pixel") return out > 1 ? (x + 0.5F) * scale - 0.5F : 0.0F;
  if (how.coordinates == "tf_half_pixel_for_nn") return (x + 0.5F) * scale;
  if (how.coordinates == "tf_crop_and_resize") {
    const size_t axes = how.region.size() / 2;
    if (axis >= axes) return std::nullopt;
    const auto start = static_cast<float>(how.region[axis]);
    const auto end = static_cast<float>(how.region[axes + axis]);
    const auto last = static_cast<float>(in - 1);
    if (out == 1) return 0.5F * (start + end) * last;
    return start * last + x * (end - start) * last / static_cast<float>(out - 1);
  }
  return std::nullopt;
}

auto Clamped(float index, int64_t extent) -> int64_t {
  // NaN, which results only from invalid regions, counts as 0.
  if (!(index > 0)) return 0;
  return index >= static_cast<float>(extent) ? extent - 1 : std::min(static_cast<int64_t>(index), extent - 1);
}

auto CubicTaps(const Resampling& how, float x, int64_t in) -> Taps {
  Taps taps{.count = 4};
  const float base = std::floor(x);
  taps.weight = CubicWeights(x - base, static_cast<float>(how.cubic_alpha));
  float sum = 0;
  for (size_t k = 0; k < 4; ++k) {
    const float index = base + static_cast<float>(k) - 1;
    taps.at[k] = Clamped(index, in);
    if (how.cubic_exclude && (index < 0 || index >= static_cast<float>(in))) taps.weight[k] = 0;
    sum += taps.weight[k];
  }
  if (how.cubic_exclude) {
    for (float& weight : taps.weight) weight /= sum;
  }
  return taps;
}

auto TapsOf(const Resampling& how, Method method, size_t axis, int64_t i, int64_t in, int64_t out)
    -> std::optional<Taps> {
  const auto x = Coordinate(how, axis, i, in, out);
  if (!x) return std::nullopt;
  Taps taps;
  switch (method) {
    case Method::kNearest: {
      const bool aligned = how.coordinates == "align_corners";
      const std::string_view rounding = how.rounding.empty() ? (aligned ? "round" : "floor") : how.rounding;
      const auto index = RoundedBy(rounding, *x);
      if (!index) return std::nullopt;
      // With an integral factor, integer arithmetic is exact.
      const bool integral = how.coordinates == "asymmetric" && out % in == 0;
      taps.at[0] = integral ? i / (out / in) : Clamped(*index, in);
      break;
    }
    case Method::kLinear: {
      const float base = std::floor(*x);
      taps.count = 2;
      taps.at = {Clamped(base, in), Clamped(base + 1, in)};
      taps.weight = {1 - (*x - base), *x - base};
      break;
    }
    case Method::kCubic: taps = CubicTaps(how, *x, in); break;
  }
  taps.outside = how.coordinates == "tf_crop_and_resize" && (*x < 0 || *x > static_cast<float>(in - 1));
  return taps;
}

// For each of three axes, the taps from which each position of the result is computed.
using AllTaps = std::array<std::vector<Taps>, 3>;

// Returns the value that the taps along the three axes give, the last axis innermost.
auto Interpolated(const float* plane, const Triple& in, const Taps& d, const Taps& h, const Taps& w) -> float {
  float volume = 0;
  for (size_t z = 0; z < static_cast<size_t>(d.count); ++z) {
    float area = 0;
    for (size_t y = 0; y < static_cast<size_t>(h.count); ++y) {
      const float* line = plane + (d.at[z] * in[1] + h.at[y]) * in[2];
      float sum = 0;
      for (size_t x = 0; x < static_cast<size_t>(w.count); ++x) sum += line[w.at[x]] * w.weight[x];
      area += sum * h.weight[y];
    }
    volume += area * d.weight[z];
  }
  return volume;
}

void Interpolate(const float* data, const Triple& in, int64_t planes, const AllTaps& taps, float outside, float* to) {
  for (int64_t p = 0; p < planes; ++p, data += in[0] * in[1] * in[2]) {
    for (const Taps& d : taps[0]) {
      for (const Taps& h : taps[1]) {
        for (const Taps& w : taps[2]) {
          *to++ = d.outside || h.outside || w.outside ? outside : Interpolated(data, in, d, h, w);
        }
      }
    }
  }
}

// Copies the elements that single taps select, without converting them to float, which cannot represent all integers.
auto Picked(const Tensor& data, const AllTaps& taps, size_t spatial, const Tensor& outside) -> Tensor {
  std::vector<std::vector<int64_t>> positions = {Iota(data.extent(0)), Iota(data.extent(1))};
  for (size_t i = 0; i < spatial; ++i) {
    positions.emplace_back();
    for (const Taps& tap : taps[3 - spatial + i]) positions.back().push_back(tap.outside ? -1 : tap.at[0]);
  }
  return Chosen(data, positions, &outside);
}

constexpr std::string_view kCanonical[] = {"NCW", "NCHW", "NCDHW"};

}  // namespace

auto CubicWeights(float t, float alpha) -> std::array<float, 4> {
  const float t2 = t * t;
  const float t3 = t * t * t;
  return {alpha * (t3 - 2 * t2 + t), (alpha + 2) * t3 - (3 + alpha) * t2 + 1,
          -(alpha + 2) * t3 + (3 + 2 * alpha) * t2 - alpha * t, -alpha * t3 + alpha * t2};
}

auto RealsOf(const Context& context, ObjectId array) -> std::optional<std::vector<double>> {
  if (!array || context.object(array).kind != ObjectKind::kArray) return std::nullopt;
  std::vector<double> numbers;
  for (const ObjectId item : context.object(array).items) {
    if (!item) return std::nullopt;
    const Object& object = context.object(item);
    if (object.kind == ObjectKind::kFloat)
      numbers.push_back(object.real);
    else if (object.kind == ObjectKind::kInt)
      numbers.push_back(static_cast<double>(object.integer));
    else
      return std::nullopt;
  }
  return numbers;
}

auto Resampled(KernelContext& kernel, const Tensor& given, const Resampling& how, const std::vector<int64_t>& size,
               DataType dtype) -> std::optional<Tensor> {
  const auto method = MethodOf(how.method);
  if (!method) {
    kernel.Error("there is no method {}", how.method);
    return std::nullopt;
  }
  const size_t spatial = size.size();
  const auto data = Relaid(kernel, given, how.layout, kCanonical[spatial - 1]);
  if (!data) return std::nullopt;
  std::vector<int64_t> shape = {data->extent(0), data->extent(1)};
  shape.insert(shape.end(), size.begin(), size.end());
  if (!kernel.Fits(shape, dtype) || !kernel.Fits(shape, DataType::Float(32))) return std::nullopt;
  if (Product(shape) == 0) return Relaid(kernel, Tensor(dtype, shape), kCanonical[spatial - 1], how.layout);
  if (data->size() == 0) {
    kernel.Error("the image has no elements");
    return std::nullopt;
  }

  Triple in{1, 1, 1};
  AllTaps taps = {std::vector<Taps>(1), std::vector<Taps>(1), std::vector<Taps>(1)};
  for (size_t i = 0; i < spatial; ++i) {
    const size_t axis = 3 - spatial + i;
    in[axis] = data->extent(2 + i);
    taps[axis].clear();
    for (int64_t at = 0; at < size[i]; ++at) {
      const auto of_position = TapsOf(how, *method, i, at, in[axis], size[i]);
      if (!of_position) {
        kernel.Error("there is no coordinate mode {} with rounding {}", how.coordinates, how.rounding);
        return std::nullopt;
      }
      taps[axis].push_back(*of_position);
    }
  }
  const Tensor outside = Tensor::Scalar<double>(DataType::Float(64), how.extrapolation_value);
  if (*method == Method::kNearest) {
    const auto cast = Converted(kernel, *data, dtype);
    const auto fill = cast ? Converted(kernel, outside, dtype) : std::nullopt;
    if (!fill) return std::nullopt;
    return Relaid(kernel, Picked(*cast, taps, spatial, *fill), kCanonical[spatial - 1], how.layout);
  }
  const auto cast = Converted(kernel, *data, DataType::Float(32));
  if (!cast) return std::nullopt;
  Tensor real(DataType::Float(32), shape);
  Interpolate(cast->data<float>(), in, shape[0] * shape[1], taps, static_cast<float>(how.extrapolation_value),
              real.mutable_data<float>());
  const auto result = Converted(kernel, real, dtype);
  if (!result) return std::nullopt;
  return Relaid(kernel, *result, kCanonical[spatial - 1], how.layout);
}

namespace {

template <typename A>
auto ResizeTo(KernelContext& kernel, const A& attrs, const std::vector<int64_t>& size,
              const std::vector<double>& region) -> KernelStatus {
  const Resampling how = {.layout = attrs.layout,
                          .method = attrs.method,
                          .coordinates = attrs.coordinate_transformation_mode,
                          .rounding = attrs.rounding_method,
                          .cubic_alpha = attrs.cubic_alpha,
                          .cubic_exclude = attrs.cubic_exclude != 0,
                          .region = region,
                          .extrapolation_value = attrs.extrapolation_value};
  const DataType dtype = kernel.result_type().dtype;
  return ReturnIt(kernel, Resampled(kernel, kernel.input(0), how, size, dtype));
}

template <typename A>
auto Resize(KernelContext& kernel) -> KernelStatus {
  const A* attrs = AttrsOf<A>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  std::vector<double> region = RealsOf(kernel.context(), attrs->roi).value_or(std::vector<double>());
  // As TVM: in three dimensions the region's axes are counted from the innermost one on.
  if (attrs->size.size() == 3 && region.size() == 6) {
    std::reverse(region.begin(), region.begin() + 3);
    std::reverse(region.begin() + 3, region.end());
  }
  return ResizeTo(kernel, *attrs, Numbers(attrs->size), std::move(region));
}

// Returns the extents of `data` along the axes that `letters` name, each times its factor.
auto ScaledSize(KernelContext& kernel, const Tensor& data, std::string_view layout, std::string_view letters,
                const std::vector<double>& factors) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> size;
  for (size_t i = 0; i < letters.size(); ++i) {
    const auto axis = PlainAxis(kernel, layout, letters[i], data.rank());
    if (!axis) return std::nullopt;
    const double extent = std::nearbyint(static_cast<double>(data.extent(*axis)) * factors[i]);
    if (!(extent >= 0) || extent > 1e12) {
      kernel.Error("a factor of {}", factors[i]);
      return std::nullopt;
    }
    size.push_back(static_cast<int64_t>(extent));
  }
  return size;
}

auto Upsample2D(KernelContext& kernel, double scale_h, double scale_w) -> KernelStatus {
  const auto* attrs = AttrsOf<UpSamplingAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto size = ScaledSize(kernel, data, attrs->layout, "HW", {scale_h, scale_w});
  if (!size) return kernel.Failed();
  const Resampling how = {.layout = attrs->layout,
                          .method = attrs->method,
                          .coordinates = attrs->align_corners ? "align_corners" : "asymmetric"};
  return ReturnIt(kernel, Resampled(kernel, data, how, *size, data.dtype()));
}

auto Upsample3D(KernelContext& kernel, double scale_d, double scale_h, double scale_w) -> KernelStatus {
  const auto* attrs = AttrsOf<UpSampling3DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto size = ScaledSize(kernel, data, attrs->layout, "DHW", {scale_d, scale_h, scale_w});
  if (!size) return kernel.Failed();
  const Resampling how = {
      .layout = attrs->layout, .method = attrs->method, .coordinates = attrs->coordinate_transformation_mode};
  return ReturnIt(kernel, Resampled(kernel, data, how, *size, data.dtype()));
}

// Returns a number that is an operand, or 0 for none.
auto NumberOf(KernelContext& kernel, const Tensor& tensor) -> double {
  const auto wide = Converted(kernel, tensor, DataType::Float(64));
  return wide && wide->size() > 0 ? wide->data<double>()[0] : 0;
}

}  // namespace

auto Resize1DKernel(KernelContext& kernel) -> KernelStatus { return Resize<Resize1DAttrs>(kernel); }
auto Resize2DKernel(KernelContext& kernel) -> KernelStatus { return Resize<Resize2DAttrs>(kernel); }
auto Resize3DKernel(KernelContext& kernel) -> KernelStatus { return Resize<Resize3DAttrs>(kernel); }

auto DynResize2DKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<Resize2DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  // The size may be of a float type; it is rounded towards zero.
  const auto size = Converted(kernel, kernel.input(1), DataType::Int(64));
  const auto region = Converted(kernel, kernel.input(2), DataType::Float(64));
  if (!size || !region) return kernel.Failed();
  if (size->size() != 2) return kernel.Error("the size needs two extents");
  const auto numbers = region->elements<double>();
  return ResizeTo(kernel, *attrs, Integers(*size), {numbers.begin(), numbers.end()});
}

auto UpSamplingKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<UpSamplingAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  return Upsample2D(kernel, attrs->scale_h, attrs->scale_w);
}
auto UpSampling3DKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<UpSampling3DAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  return Upsample3D(kernel, attrs->scale_d, attrs->scale_h, attrs->scale_w);
}
auto DynUpSamplingKernel(KernelContext& kernel) -> KernelStatus {
  return Upsample2D(kernel, NumberOf(kernel, kernel.input(1)), NumberOf(kernel, kernel.input(2)));
}
auto DynUpSampling3DKernel(KernelContext& kernel) -> KernelStatus {
  return Upsample3D(kernel, NumberOf(kernel, kernel.input(1)), NumberOf(kernel, kernel.input(2)),
                    NumberOf(kernel, kernel.input(3)));
}

}  // namespace relayopt
