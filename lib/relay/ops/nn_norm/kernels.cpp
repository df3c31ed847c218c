// Kernels of normalisations.
#include "relayopt/relay/ops/nn_norm.h"

#include <algorithm>
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/rows.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

template <typename T>
auto Divided(T a, T b) -> T {
  return T(static_cast<Compute<T>>(a) / static_cast<Compute<T>>(b));
}
template <typename T>
auto Root(T x) -> T {
  return T(std::sqrt(static_cast<Compute<T>>(x)));
}

// The type in which moments are summed: float for float16, as the reduction operators do it.
template <typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, Half>, float, T>;

template <typename T>
auto MeanOf(const T* row, int64_t count) -> T {
  using A = Accumulator<T>;
  A sum(0);
  for (int64_t i = 0; i < count; ++i) sum = Plus(sum, A(row[i]));
  return T(Compute<A>(Quotient(sum, count)));
}
template <typename T>
auto VarianceOf(const T* row, int64_t count, T mean) -> T {
  using A = Accumulator<T>;
  A sum(0);
  for (int64_t i = 0; i < count; ++i) {
    const A difference = A(Minus(row[i], mean));
    sum = Plus(sum, Times(difference, difference));
  }
  return T(Compute<A>(Quotient(sum, count)));
}

// Scale and shift of each channel, if the attributes enable them.
template <typename T>
struct Affine {
  const T* gamma;
  const T* beta;
  auto operator()(T x, int64_t channel) const -> T {
    if (gamma != nullptr) x = Times(x, gamma[channel]);
    return beta != nullptr ? Plus(x, beta[channel]) : x;
  }
};
template <typename T, typename A>
auto AffineOf(const KernelContext& kernel, const A& attrs) -> Affine<T> {
  return {attrs.scale ? kernel.input(1).data<T>() : nullptr, attrs.center ? kernel.input(2).data<T>() : nullptr};
}

// Whether the inputs from 1 on are vectors with an element per channel.
auto AreChannels(KernelContext& kernel, int64_t channels) -> bool {
  for (size_t i = 1; i < kernel.size(); ++i) {
    if (kernel.input(i).size() != channels || kernel.input(i).dtype() != kernel.input(0).dtype()) {
      kernel.Error("operand {} must have one element for each channel", i);
      return false;
    }
  }
  return true;
}

// Normalises each row of `data`, which runs over `axes`, by its own moments; then scales and shifts by the channel,
// which is the position on `channel_axis` of `shape`, a shape of as many elements.
template <typename A>
auto NormalizeRows(KernelContext& kernel, const A& attrs, const Tensor& data, const std::vector<size_t>& axes,
                   size_t channel_axis) -> KernelStatus {
  const Tensor& given = kernel.input(0);
  const AxisView channels = ViewAxis(given.shape(), channel_axis);
  if (!AreChannels(kernel, channels.extent)) return kernel.Failed();
  const Rows rows(data, axes);
  Tensor moved(data.dtype(), ShapeOf(rows.data()));
  Tensor result = kernel.NewResult();
  const KernelStatus status = VisitFloats(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* normalized = moved.mutable_data<T>();
    for (int64_t i = 0; i < rows.count() && rows.length() != 0; ++i) {
      const T* row = rows.row<T>(i);
      const T mean = MeanOf(row, rows.length());
      const T variance = VarianceOf(row, rows.length(), mean);
      const T root = Root(Plus(variance, As<T>(static_cast<float>(attrs.epsilon))));
      for (int64_t k = 0; k < rows.length(); ++k) *normalized++ = Divided(Minus(row[k], mean), root);
    }
    const Tensor restored = rows.Restored(moved);
    const auto affine = AffineOf<T>(kernel, attrs);
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < result.size(); ++i) {
      to[i] = affine(restored.data<T>()[i], i / channels.inner % channels.extent);
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

}  // namespace

auto BatchNormKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<BatchNormAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis, data.rank());
  if (!axis) return kernel.Error("axis {} is out of range", attrs->axis);
  const AxisView view = ViewAxis(data.shape(), *axis);
  if (!AreChannels(kernel, view.extent)) return kernel.Failed();
  Tensor result = kernel.NewResult(0);
  const KernelStatus status = VisitFloats(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* mean = kernel.input(3).data<T>();
    const auto affine = AffineOf<T>(kernel, *attrs);
    const auto roots = MapToVector<T>(kernel.input(4).elements<T>(), [&](T variance) {
      return Root(Plus(variance, As<T>(static_cast<float>(attrs->epsilon))));
    });
    const T* from = data.data<T>();
    T* to = result.mutable_data<T>();
    for (int64_t run = 0; run < view.outer * view.extent; ++run) {
      const int64_t channel = run % view.extent;
      const T root = roots[static_cast<size_t>(channel)];
      for (int64_t i = 0; i < view.inner; ++i) {
        *to++ = affine(Divided(Minus(*from++, mean[channel]), root), channel);
      }
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  return kernel.ReturnTuple({std::move(result), kernel.input(3), kernel.input(4)});
}

auto LayerNormKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<LayerNormAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis, data.rank());
  if (!axis) return kernel.Error("axis {} is out of range", attrs->axis);
  return NormalizeRows(kernel, *attrs, data, {*axis}, *axis);
}

auto InstanceNormKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<InstanceNormAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis, data.rank());
  if (!axis) return kernel.Error("axis {} is out of range", attrs->axis);
  std::vector<size_t> axes;
  for (size_t i = 1; i < data.rank(); ++i) {
    if (i != *axis) axes.push_back(i);
  }
  return NormalizeRows(kernel, *attrs, data, axes, *axis);
}

auto GroupNormKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<GroupNormAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis, data.rank());
  if (!axis) return kernel.Error("axis {} is out of range", attrs->axis);
  const int64_t groups = attrs->num_groups;
  if (groups <= 0 || data.extent(*axis) % groups != 0) {
    return kernel.Error("{} channels cannot be cut into {} groups", data.extent(*axis), groups);
  }
  // The channel axis becomes two, groups and the channels of a group; the latter and all later axes form one row.
  std::vector<int64_t> shape = ShapeOf(data);
  shape[*axis] /= groups;
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(*axis), groups);
  std::vector<size_t> axes;
  for (size_t i = *axis + 1; i < shape.size(); ++i) axes.push_back(i);
  return NormalizeRows(kernel, *attrs, data.Reshaped(shape), axes, *axis);
}

auto L2NormalizeKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<L2NormalizeAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  std::vector<size_t> axes;
  for (const int64_t given : Numbers(attrs->axis)) {
    const auto axis = NormalizeAxis(given, data.rank());
    if (!axis || std::find(axes.begin(), axes.end(), *axis) != axes.end()) {
      return kernel.Error("axis {} is out of range or given twice", given);
    }
    axes.push_back(*axis);
  }
  std::sort(axes.begin(), axes.end());
  if (axes.empty()) {
    for (size_t i = 0; i < data.rank(); ++i) axes.push_back(i);
  }
  const Rows rows(data, axes);
  Tensor result(data.dtype(), ShapeOf(rows.data()));
  const KernelStatus status = VisitFloats(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    const T bound = As<T>(static_cast<float>(attrs->eps));
    for (int64_t i = 0; i < rows.count(); ++i) {
      const T* row = rows.row<T>(i);
      T sum(0);
      for (int64_t k = 0; k < rows.length(); ++k) sum = Plus(sum, Times(row[k], row[k]));
      const T root = Root(static_cast<Compute<T>>(sum) > static_cast<Compute<T>>(bound) ? sum : bound);
      for (int64_t k = 0; k < rows.length(); ++k) *to++ = Divided(row[k], root);
    }
    return KernelStatus::kDone;
  });
  return status == KernelStatus::kDone ? kernel.Return(rows.Restored(result)) : status;
}

auto LRNKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<LRNAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto axis = NormalizeAxis(attrs->axis, data.rank());
  if (!axis) return kernel.Error("axis {} is out of range", attrs->axis);
  if (attrs->size <= 0 || attrs->size % 2 == 0)
    return kernel.Error("a window of {} channels has no centre", attrs->size);
  const AxisView view = ViewAxis(data.shape(), *axis);
  const int64_t radius = attrs->size / 2;
  Tensor result = kernel.NewResult();
  const KernelStatus status = VisitFloats(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = data.data<T>();
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < data.size(); ++i) {
      const int64_t channel = i / view.inner % view.extent;
      T sum(0);
      for (int64_t c = std::max<int64_t>(channel - radius, 0); c <= std::min(channel + radius, view.extent - 1); ++c) {
        const T x = from[i + (c - channel) * view.inner];
        sum = Plus(sum, Times(x, x));
      }
      const T scaled = Quotient(Times(As<T>(attrs->alpha), sum), attrs->size);
      const T base = Plus(As<T>(attrs->bias), scaled);
      const T power = T(std::pow(static_cast<Compute<T>>(base), static_cast<Compute<T>>(As<T>(attrs->beta))));
      to[i] = Divided(from[i], power);
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

}  // namespace relayopt
