// Kernels of the element-wise operators of one operand.
#include <algorithm>
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/fast_math.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/numbers.h"
#include "relayopt/relay/ops/elementwise.h"

namespace relayopt {

KernelFunction LogicalNotKernel;
// Defined in creation/kernels.cpp.
KernelFunction OnesKernel, ZerosKernel;

namespace {

// Applies f to floats in their compute type; other element types have no kernel.
template <typename F>
auto MapFloats(KernelContext& kernel, F f) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = VisitFloats(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Map<T, T>(data, result, [&](T x) { return f(static_cast<Compute<T>>(x)); });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

// Applies f to integers and floats in their compute type.
template <typename F>
auto MapNumbers(KernelContext& kernel, F f) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Map<T, T>(data, result, [&](T x) { return f(static_cast<Compute<T>>(x)); });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

// f rounds floats to integers; integers stay.
template <typename F>
auto RoundWith(KernelContext& kernel, F f) -> KernelStatus {
  return kernel.input(0).dtype().is_float() ? MapFloats(kernel, f) : kernel.Return(kernel.input(0));
}

// f classifies floats; the result for integers is given.
template <typename F>
auto Classify(KernelContext& kernel, bool of_integers, F f) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = VisitAll(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kIsFloat<T>) {
      Map<T, Bool>(data, result, [&](T x) { return f(static_cast<Compute<T>>(x)); });
    } else {
      std::fill_n(result.mutable_data<Bool>(), result.size(), Bool(of_integers));
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

// x p(x^2) / q(x^2), an approximation of a function whose values are within [-1, 1]. `x` is not NaN.
template <size_t P, size_t Q>
auto FastSigmoidal(float x, const float (&p)[P], const float (&q)[Q]) -> float {
  const float numerator = Polynomial(p, x * x);
  const float denominator = Polynomial(q, x * x);
  // Below it, the product with the numerator underflows, so that digits and finally the sign get lost.
  constexpr float kTiny = 0x1p-100F;
  const float y = std::fabs(x) < kTiny ? x * (numerator / denominator) : x * numerator / denominator;
  // Rounding leaves the interval.
  return std::clamp(y, -1.0F, 1.0F);
}

auto FastTanh(float value) -> float {
  constexpr float kP[] = {4.89352455891786e-03F,  6.37261928875436e-04F, 1.48572235717979e-05F, 5.12229709037114e-08F,
                          -8.60467152213735e-11F, 2.00018790482477e-13F, -2.76076847742355e-16F};
  constexpr float kQ[] = {4.89352518554385e-03F, 2.26843463243900e-03F, 1.18534705686654e-04F, 1.19825839466702e-06F};
  if (std::isnan(value)) return value;
  const float x = std::fmax(std::fmin(value, 9.0F), -9.0F);
  return FastSigmoidal(x, kP, kQ);
}

auto FastErf(float value) -> float {
  constexpr float kP[] = {-1.60960333262415e-02F, -2.95459980854025e-03F, -7.34990630326855e-04F,
                          -5.69250639462346e-05F, -2.10102402082508e-06F, 2.77068142495902e-08F,
                          -2.72614225801306e-10F};
  constexpr float kQ[] = {-1.42647390514189e-02F, -7.37332916720468e-03F, -1.68282697438203e-03F,
                          -2.13374055278905e-04F, -1.45660718464996e-05F};
  if (std::isnan(value)) return value;
  const float x = std::fmax(std::fmin(value, 4.0F), -4.0F);
  return FastSigmoidal(x, kP, kQ);
}

}  // namespace

auto AcosKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::acos(x); });
}
auto AcoshKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::acosh(x); });
}
auto AsinKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::asin(x); });
}
auto AsinhKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::asinh(x); });
}
auto AtanKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::atan(x); });
}
auto AtanhKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::atanh(x); });
}
auto CosKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::cos(x); });
}
auto CoshKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::cosh(x); });
}
auto ErfKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::erf(x); });
}
auto ExpKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::exp(x); });
}
auto LogKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::log(x); });
}
auto Log10Kernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::log10(x); });
}
auto Log2Kernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::log2(x); });
}
auto RsqrtKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return 1 / std::sqrt(x); });
}
auto SigmoidKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return 1 / (1 + std::exp(-x)); });
}
auto SinKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::sin(x); });
}
auto SinhKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::sinh(x); });
}
auto SqrtKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::sqrt(x); });
}
auto TanKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::tan(x); });
}
auto TanhKernel(KernelContext& kernel) -> KernelStatus {
  return MapFloats(kernel, [](auto x) { return std::tanh(x); });
}

auto FastErfKernel(KernelContext& kernel) -> KernelStatus {
  const DataType dtype = kernel.input(0).dtype();
  if (dtype != DataType::Float(32) && dtype != DataType::Float(16)) return ErfKernel(kernel);
  return MapFloats(kernel, [](auto x) { return FastErf(static_cast<float>(x)); });
}
auto FastExpKernel(KernelContext& kernel) -> KernelStatus {
  if (kernel.input(0).dtype() != DataType::Float(32)) return ExpKernel(kernel);
  return MapFloats(kernel, [](auto x) { return FastExp(static_cast<float>(x)); });
}
auto FastTanhKernel(KernelContext& kernel) -> KernelStatus {
  if (kernel.input(0).dtype() != DataType::Float(32)) return TanhKernel(kernel);
  return MapFloats(kernel, [](auto x) { return FastTanh(static_cast<float>(x)); });
}

auto CeilKernel(KernelContext& kernel) -> KernelStatus {
  return RoundWith(kernel, [](auto x) { return std::ceil(x); });
}
auto FloorKernel(KernelContext& kernel) -> KernelStatus {
  return RoundWith(kernel, [](auto x) { return std::floor(x); });
}
auto RoundKernel(KernelContext& kernel) -> KernelStatus {
  // Halves go away from zero.
  return RoundWith(kernel, [](auto x) { return std::round(x); });
}
auto TruncKernel(KernelContext& kernel) -> KernelStatus {
  return RoundWith(kernel, [](auto x) { return std::trunc(x); });
}

auto IsfiniteKernel(KernelContext& kernel) -> KernelStatus {
  return Classify(kernel, true, [](auto x) { return std::isfinite(x); });
}
auto IsinfKernel(KernelContext& kernel) -> KernelStatus {
  return Classify(kernel, false, [](auto x) { return std::isinf(x); });
}
auto IsnanKernel(KernelContext& kernel) -> KernelStatus {
  return Classify(kernel, false, [](auto x) { return std::isnan(x); });
}

auto AbsKernel(KernelContext& kernel) -> KernelStatus {
  return MapNumbers(kernel, [](auto x) {
    using T = decltype(x);
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(x);
    else
      return x < 0 ? WrapSubtract<T>(0, x) : x;
  });
}
auto NegativeKernel(KernelContext& kernel) -> KernelStatus {
  // Zero minus the element, so that no result is -0.
  return MapNumbers(kernel, [](auto x) { return WrapSubtract<decltype(x)>(0, x); });
}
auto SignKernel(KernelContext& kernel) -> KernelStatus {
  return MapNumbers(kernel, [](auto x) {
    using T = decltype(x);
    return static_cast<T>(static_cast<int>(x > 0) - static_cast<int>(x < 0));
  });
}

auto ClipKernel(KernelContext& kernel) -> KernelStatus {
  const auto& attrs = kernel.attrs<ClipAttrs>();
  const Tensor& data = kernel.input(0);
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    // A bound outside of the type's range does not limit anything, and neither does the nearest number of the type.
    bool outside = false;
    const auto low = static_cast<C>(CastElement<T>(attrs.a_min, outside));
    const auto high = static_cast<C>(CastElement<T>(attrs.a_max, outside));
    // The comparisons are false for NaN, which becomes the upper bound.
    Map<T, T>(data, result, [&](T element) {
      const auto x = static_cast<C>(element);
      const C below = x < high ? x : high;
      return below > low ? below : low;
    });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

auto FixedPointMultiplyKernel(KernelContext& kernel) -> KernelStatus {
  const auto& attrs = kernel.attrs<FixedPointMultiplyAttrs>();
  const Tensor& data = kernel.input(0);
  if (attrs.shift < -31 || attrs.shift > 31) return kernel.Error("a shift of {} is out of range", attrs.shift);
  const int64_t left = std::max<int64_t>(attrs.shift, 0);
  const int64_t right = std::max<int64_t>(-attrs.shift, 0);
  const auto multiply = [&](int64_t x) {
    const auto shifted = static_cast<int64_t>(static_cast<uint64_t>(x) << left);
    const int64_t product = WrapMultiply(shifted, attrs.multiplier);
    // As TVM: 32 bits whatever the operand has.
    return static_cast<int32_t>(WrapAdd(product, int64_t{1} << (30 + right)) >> (31 + right));
  };
  Tensor result = kernel.UnsetResult();
  if (data.dtype() == DataType::Int(32)) {
    Map<int32_t, int32_t>(data, result, multiply);
  } else if (data.dtype() == DataType::Int(64)) {
    Map<int64_t, int64_t>(data, result, multiply);
  } else {
    return kernel.Error("there is no kernel for {}", ToString(data.dtype()));
  }
  return kernel.Return(std::move(result));
}

auto BitwiseNotKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  if (data.dtype().is_bool()) return LogicalNotKernel(kernel);
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = VisitInts(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Map<T, T>(data, result, [](T x) { return static_cast<T>(~x); });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}
auto LogicalNotKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  if (!data.dtype().is_bool()) return kernel.Error("there is no kernel for {}", ToString(data.dtype()));
  Tensor result = kernel.UnsetResult();
  Map<Bool, Bool>(data, result, [](Bool x) { return !x; });
  return kernel.Return(std::move(result));
}

auto CopyKernel(KernelContext& kernel) -> KernelStatus {
  if (kernel.result_type().is_tensor()) return kernel.Return(kernel.input(0));
  const auto fields = kernel.tuple(0);
  return kernel.ReturnTuple({fields.begin(), fields.end()});
}
auto OnesLikeKernel(KernelContext& kernel) -> KernelStatus { return OnesKernel(kernel); }
auto ZerosLikeKernel(KernelContext& kernel) -> KernelStatus { return ZerosKernel(kernel); }

}  // namespace relayopt
