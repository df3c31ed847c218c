// Kernels of bias, activations and losses.
#include "relayopt/relay/ops/nn_activation.h"

#include <algorithm>
#include <cmath>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/fast_math.h"
#include "lib/relay/ops/kernels/loops.h"
#include "lib/relay/ops/kernels/rows.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

namespace {

// Computes f(element, its channel's element) for every element, with the channels along `axis`.
template <typename F>
auto MapChannels(KernelContext& kernel, int64_t given_axis, F f) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  const Tensor& channels = kernel.input(1);
  const auto axis = NormalizeAxis(given_axis, data.rank());
  if (!axis || channels.dtype() != data.dtype() || channels.size() != data.extent(*axis)) {
    return kernel.Error("the second operand must have one element for each channel");
  }
  const AxisView view = ViewAxis(data.shape(), *axis);
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = data.data<T>();
    const T* of_channel = channels.data<T>();
    T* to = result.mutable_data<T>();
    for (int64_t run = 0; run < view.outer * view.extent; ++run) {
      const T channel = of_channel[run % view.extent];
      for (int64_t i = 0; i < view.inner; ++i) *to++ = f(*from++, channel);
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

template <typename T>
auto IsPositive(T x) -> bool {
  return static_cast<Compute<T>>(x) > 0;
}

enum class SoftmaxKind : uint8_t { kSoftmax, kFast, kLog };

template <typename T>
auto Exponential(T x, SoftmaxKind kind) -> T {
  if constexpr (std::is_same_v<T, float>) {
    if (kind == SoftmaxKind::kFast) return FastExp(x);
  }
  return T(std::exp(static_cast<Compute<T>>(x)));
}

template <typename T>
void SoftmaxRow(SoftmaxKind kind, const T* row, int64_t count, T* to) {
  using C = Compute<T>;
  T greatest = Lowest<T>();
  for (int64_t i = 0; i < count; ++i) greatest = static_cast<C>(greatest) > static_cast<C>(row[i]) ? greatest : row[i];
  T sum(0);
  for (int64_t i = 0; i < count; ++i) {
    const T exponential = Exponential(Minus(row[i], greatest), kind);
    sum = Plus(sum, exponential);
    to[i] = exponential;
  }
  if (kind == SoftmaxKind::kLog) {
    const T log_sum = T(std::log(static_cast<C>(sum)));
    for (int64_t i = 0; i < count; ++i) to[i] = Minus(Minus(row[i], greatest), log_sum);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = T(static_cast<C>(to[i]) / static_cast<C>(sum));
  }
}

auto Softmax(KernelContext& kernel, SoftmaxKind kind) -> KernelStatus {
  const auto* attrs = AttrsOf<SoftmaxAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto axis = NormalizeAxis(attrs->axis, kernel.input(0).rank());
  if (!axis) return kernel.Error("axis {} is out of range", attrs->axis);
  const Rows rows(kernel.input(0), std::vector<size_t>{*axis});
  Tensor result = Tensor::Unset(rows.data().dtype(), ShapeOf(rows.data()));
  const KernelStatus status = VisitFloats(kernel, result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (int64_t row = 0; row < rows.count(); ++row) {
      SoftmaxRow<T>(kind, rows.row<T>(row), rows.length(), to + row * rows.length());
    }
    return KernelStatus::kDone;
  });
  return status == KernelStatus::kDone ? kernel.Return(rows.Restored(result)) : status;
}

// -sum(term(x, y)) / batch
template <typename Term>
auto CrossEntropy(KernelContext& kernel, Term term) -> KernelStatus {
  const Tensor& x = kernel.input(0);
  const Tensor& y = kernel.input(1);
  if (x.dtype() != y.dtype() || x.size() != y.size()) return kernel.Error("the operands differ in type or shape");
  return VisitFloats(kernel, x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T sum(0);
    for (int64_t i = 0; i < x.size(); ++i) sum = Plus(sum, term(x.data<T>()[i], y.data<T>()[i]));
    const T negative = Minus(T(0), sum);
    return kernel.Return(
        Tensor::Scalar<T>(x.dtype(), T(static_cast<Compute<T>>(negative) / static_cast<Compute<T>>(x.extent(0)))));
  });
}

}  // namespace

auto BiasAddKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<BiasAddAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  return MapChannels(kernel, attrs->axis, [](auto x, auto bias) { return Plus(x, bias); });
}

auto PReluKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<PReluAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  return MapChannels(kernel, attrs->axis, [](auto x, auto alpha) { return IsPositive(x) ? x : Times(x, alpha); });
}

auto LeakyReluKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<LeakyReluAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T alpha = As<T>(attrs->alpha);
    Map<T, T>(data, result, [&](T x) { return IsPositive(x) ? x : Times(x, alpha); });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

auto ReluKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  Tensor result = kernel.UnsetResult();
  const KernelStatus status = VisitNumbers(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    // As TVM: NaN becomes 0.
    Map<T, T>(data, result, [](T x) { return IsPositive(x) ? x : T(0); });
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

auto DropoutKernel(KernelContext& kernel) -> KernelStatus {
  // Outside of training nothing is dropped: the mask is all ones.
  Tensor mask = kernel.NewResult(1);
  const KernelStatus status = VisitAll(kernel, mask.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(mask.mutable_data<T>(), mask.size(), T(1));
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  return kernel.ReturnTuple({kernel.input(0), std::move(mask)});
}

auto SoftmaxKernel(KernelContext& kernel) -> KernelStatus { return Softmax(kernel, SoftmaxKind::kSoftmax); }
auto FastSoftmaxKernel(KernelContext& kernel) -> KernelStatus { return Softmax(kernel, SoftmaxKind::kFast); }
auto LogSoftmaxKernel(KernelContext& kernel) -> KernelStatus { return Softmax(kernel, SoftmaxKind::kLog); }

auto CrossEntropyKernel(KernelContext& kernel) -> KernelStatus {
  return CrossEntropy(kernel, [](auto x, auto y) {
    using T = decltype(x);
    return Times(T(std::log(static_cast<Compute<T>>(x))), y);
  });
}
auto CrossEntropyWithLogitsKernel(KernelContext& kernel) -> KernelStatus {
  return CrossEntropy(kernel, [](auto x, auto y) { return Times(x, y); });
}

auto NllLossKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<NLLLossAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& predictions = kernel.input(0);
  const Tensor& weights = kernel.input(2);
  const std::vector<int64_t> targets = Integers(kernel.input(1));
  // predictions: (batch, classes, rest...), targets: (batch, rest...)
  const AxisView view = ViewAxis(predictions.shape(), 1);
  if (view.outer * view.inner != static_cast<int64_t>(targets.size()) || weights.size() != view.extent) {
    return kernel.Error("the targets do not match the predictions");
  }
  for (const int64_t target : targets) {
    if (target != attrs->ignore_index && (target < 0 || target >= view.extent)) {
      return kernel.Error("target {} is not a class", target);
    }
  }
  const bool whole = attrs->reduction == "mean" || attrs->reduction == "sum";
  return VisitFloats(kernel, predictions.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Tensor result = kernel.NewResult();
    T sum(0);
    T weight_sum(0);
    for (size_t i = 0; i < targets.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      if (targets[i] == attrs->ignore_index) continue;
      const T weight = weights.data<T>()[targets[i]];
      const T prediction =
          predictions.data<T>()[(at / view.inner * view.extent + targets[i]) * view.inner + at % view.inner];
      const T loss = Times(Minus(T(0), prediction), weight);
      if (!whole) result.mutable_data<T>()[at] = loss;
      sum = Plus(sum, loss);
      weight_sum = Plus(weight_sum, weight);
    }
    if (attrs->reduction == "mean") sum = T(static_cast<Compute<T>>(sum) / static_cast<Compute<T>>(weight_sum));
    if (whole) result.mutable_data<T>()[0] = sum;
    return kernel.Return(std::move(result));
  });
}

}  // namespace relayopt
