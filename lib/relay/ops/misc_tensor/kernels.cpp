// Kernels of sums over named axes and of Fourier transforms.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "lib/relay/ops/kernels/arrange.h"
#include "lib/relay/ops/kernels/loops.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// The labels of an operand's or the result's axes; an ellipsis is expanded into labels of its own, from kFirstEllipsis
// on, counted from its right end.
constexpr int kFirstEllipsis = 256;
using Labels = std::vector<int>;

// Returns a term of an equation for an operand of `rank` axes, or nothing if it has another number of labels.
auto LabelsOf(std::string_view term, size_t rank) -> std::optional<Labels> {
  size_t letters = 0;
  for (const char c : term) letters += std::isalpha(static_cast<unsigned char>(c)) != 0 ? 1 : 0;
  if (letters > rank) return std::nullopt;
  Labels labels;
  bool ellipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] != '.') {
      labels.push_back(static_cast<unsigned char>(term[i]));
    } else if (!ellipsis) {
      ellipsis = true;
      for (size_t k = rank - letters; k-- > 0;) labels.push_back(kFirstEllipsis + static_cast<int>(k));
    }
  }
  if (labels.size() != rank) return std::nullopt;
  return labels;
}

struct KernelEquation {
  std::vector<Labels> operands;
  Labels result;
};

auto ParseEquation(KernelContext& kernel, std::string text, std::span<const Tensor> operands)
    -> std::optional<KernelEquation> {
  std::erase(text, ' ');
  const size_t arrow = text.find("->");
  const std::string inputs = text.substr(0, arrow);
  KernelEquation equation;
  size_t begin = 0;
  for (const Tensor& operand : operands) {
    const size_t end = std::min(inputs.find(',', begin), inputs.size());
    const auto labels =
        begin <= inputs.size() ? LabelsOf(inputs.substr(begin, end - begin), operand.rank()) : std::nullopt;
    if (!labels) {
      kernel.Error("the equation {} does not match the operands", text);
      return std::nullopt;
    }
    equation.operands.push_back(*labels);
    begin = end + 1;
  }
  std::map<int, int> occurrences;
  size_t ellipsis = 0;
  for (const Labels& labels : equation.operands) {
    for (const int label : labels) {
      ++occurrences[label];
      if (label >= kFirstEllipsis) ellipsis = std::max(ellipsis, static_cast<size_t>(label - kFirstEllipsis) + 1);
    }
  }
  if (arrow != std::string::npos) {
    const std::string_view term = std::string_view(text).substr(arrow + 2);
    size_t rank = term.find('.') == std::string_view::npos ? 0 : ellipsis;
    for (const char c : term) rank += c != '.' ? 1 : 0;
    equation.result = LabelsOf(term, rank).value_or(Labels());
    return equation;
  }
  for (size_t k = ellipsis; k-- > 0;) equation.result.push_back(kFirstEllipsis + static_cast<int>(k));
  for (const auto& [label, count] : occurrences) {
    if (label < kFirstEllipsis && count == 1) equation.result.push_back(label);
  }
  return equation;
}

// Returns for each label in `order` the stride in a tensor with the given labels; 0 for an axis of extent 1.
auto StridesFor(const Tensor& tensor, const Labels& labels, const Labels& order) -> std::vector<int64_t> {
  const std::vector<int64_t> own = RowMajorStrides(tensor.shape());
  std::vector<int64_t> strides(order.size(), 0);
  for (size_t axis = 0; axis < labels.size(); ++axis) {
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] == labels[axis] && tensor.extent(axis) != 1) strides[i] += own[axis];
    }
  }
  return strides;
}

// The real and imaginary parts of sum over n of (re, im)[n] * exp(sign * 2 pi i k n / length), in double.
struct Complex {
  double re = 0;
  double im = 0;
};

auto Angle(double sign, int64_t k, int64_t n, int64_t length) -> double {
  // Whole periods are subtracted first, because large angles lose precision.
  const auto turns = static_cast<double>(static_cast<int64_t>(static_cast<__int128>(k) * n % length));
  return sign * 2 * std::numbers::pi * turns / static_cast<double>(length);
}

}  // namespace

auto EinsumKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<EinsumAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const auto operands = kernel.tuple(0);
  const auto equation = ParseEquation(kernel, attrs->equation, operands);
  if (!equation) return kernel.Failed();
  // The axes of the result, then those that are summed over.
  Labels order = equation->result;
  std::map<int, int64_t> extents;
  for (size_t k = 0; k < operands.size(); ++k) {
    for (size_t axis = 0; axis < operands[k].rank(); ++axis) {
      const int label = equation->operands[k][axis];
      int64_t& extent = extents.try_emplace(label, 1).first->second;
      if (operands[k].extent(axis) != 1) extent = operands[k].extent(axis);
      if (std::find(order.begin(), order.end(), label) == order.end()) order.push_back(label);
    }
  }
  const auto shape = MapToVector<int64_t>(order, [&](int label) { return extents[label]; });
  Tensor result = kernel.NewResult();
  const size_t kept = equation->result.size();
  if (Product(std::span(shape).first(kept)) != result.size())
    return kernel.Error("the equation does not match the result");
  const int64_t summed = Product(std::span(shape).subspan(kept));
  std::vector<std::vector<int64_t>> strides;
  strides.reserve(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) strides.push_back(StridesFor(operands[k], equation->operands[k], order));

  const KernelStatus status = VisitNumbers(kernel, result.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    if (summed == 0) return KernelStatus::kDone;
    std::vector<int64_t> at(shape.size(), 0);
    std::vector<int64_t> offsets(operands.size(), 0);
    for (int64_t i = 0; i < result.size() * summed; ++i) {
      T product(1);
      for (size_t k = 0; k < operands.size(); ++k) product = Times(product, operands[k].data<T>()[offsets[k]]);
      to[i / summed] = Plus(to[i / summed], product);
      for (size_t axis = shape.size(); axis-- > 0;) {
        const bool wraps = ++at[axis] == shape[axis];
        for (size_t k = 0; k < operands.size(); ++k) {
          offsets[k] += wraps ? strides[k][axis] * (1 - shape[axis]) : strides[k][axis];
        }
        if (!wraps) break;
        at[axis] = 0;
      }
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

auto DFTKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<DFTAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const bool inverse = attrs->inverse.is_int() && attrs->inverse.value() != 0;
  const Tensor& re = kernel.input(0);
  const Tensor& im = kernel.input(1);
  if (re.dtype() != im.dtype() || re.size() != im.size() || re.rank() == 0) {
    return kernel.Error("the real and imaginary parts differ in type or shape");
  }
  const int64_t length = re.extent(re.rank() - 1);
  const double sign = inverse ? 1 : -1;
  Tensor re_result = kernel.NewResult(0);
  Tensor im_result = kernel.NewResult(1);
  const KernelStatus status = VisitFloats(kernel, re.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < re.size(); ++i) {
      const int64_t row = i / length * length;
      Complex sum;
      for (int64_t n = 0; n < length; ++n) {
        const double angle = Angle(sign, i - row, n, length);
        const auto x = static_cast<double>(re.data<T>()[row + n]);
        const auto y = static_cast<double>(im.data<T>()[row + n]);
        sum.re += x * std::cos(angle) - y * std::sin(angle);
        sum.im += x * std::sin(angle) + y * std::cos(angle);
      }
      const double factor = inverse ? 1 / static_cast<double>(length) : 1;
      re_result.mutable_data<T>()[i] = As<T>(sum.re * factor);
      im_result.mutable_data<T>()[i] = As<T>(sum.im * factor);
    }
    return KernelStatus::kDone;
  });
  if (status != KernelStatus::kDone) return status;
  return kernel.ReturnTuple({std::move(re_result), std::move(im_result)});
}

auto StftKernel(KernelContext& kernel) -> KernelStatus {
  const auto* attrs = AttrsOf<StftAttrs>(kernel);
  if (attrs == nullptr) return kernel.Failed();
  const Tensor& data = kernel.input(0);
  const auto window = Converted(kernel, kernel.input(1), DataType::Float(64));
  if (!window) return kernel.Failed();
  Tensor result = kernel.NewResult();
  const size_t rank = result.rank();
  if (rank < 3 || data.rank() == 0) return kernel.Error("the data is not a signal");
  const int64_t frequencies = result.extent(rank - 3);
  const int64_t frames = result.extent(rank - 2);
  const int64_t length = data.extent(data.rank() - 1);
  const int64_t hop = attrs->hop_length;
  const int64_t size = attrs->win_length;
  if (hop <= 0 || size <= 0 || window->size() < size || (frames > 0 && (frames - 1) * hop + size > length)) {
    return kernel.Error("the window does not fit the signal");
  }
  const KernelStatus status = VisitFloats(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (int64_t i = 0; i < result.size() / 2; ++i) {
      const int64_t k = i / frames % frequencies;
      const T* signal = data.data<T>() + i / frames / frequencies * length + i % frames * hop;
      Complex sum;
      for (int64_t w = 0; w < size; ++w) {
        const double angle = Angle(-1, k, w, size);
        const double x = window->template data<double>()[w] * static_cast<double>(signal[w]);
        sum.re += x * std::cos(angle);
        sum.im += x * std::sin(angle);
      }
      const double factor = attrs->normalized ? 1 / std::sqrt(static_cast<double>(attrs->n_fft)) : 1;
      to[2 * i] = As<T>(sum.re * factor);
      to[2 * i + 1] = As<T>(sum.im * factor);
    }
    return KernelStatus::kDone;
  });
  return Finish(kernel, status, std::move(result));
}

}  // namespace relayopt
