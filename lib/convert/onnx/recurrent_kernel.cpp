// One direction of one batch is a row of numbers that each step replaces:
//
//   gates = x_t * W^T + h * R^T + b        4 (LSTM), 3 (GRU) or 1 (RNN) times as long as the state
//   h, c  = what the kind makes of them
//
#include "recurrent_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "lib/relay/ops/kernels/numbers.h"

namespace relayopt::onnx {

namespace {

// f(x) with two numbers.
struct ActivationRow {
  std::string_view name;
  double alpha;
  double beta;
  double (*apply)(double x, double alpha, double beta);
};

constexpr ActivationRow kActivations[] = {
    {"Affine", 1, 0, [](double x, double a, double b) { return a * x + b; }},
    {"Elu", 1, 0, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }},
    {"HardSigmoid", 0.2, 0.5, [](double x, double a, double b) { return std::min(std::max(a * x + b, 0.0), 1.0); }},
    {"LeakyRelu", 0.01, 0, [](double x, double a, double) { return x < 0 ? a * x : x; }},
    {"Relu", 0, 0, [](double x, double, double) { return x < 0 ? 0 : x; }},
    {"ScaledTanh", 1, 1, [](double x, double a, double b) { return a * std::tanh(b * x); }},
    {"Sigmoid", 0, 0, [](double x, double, double) { return 1 / (1 + std::exp(-x)); }},
    {"Softplus", 0, 0, [](double x, double, double) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }},
    {"Softsign", 0, 0, [](double x, double, double) { return x / (1 + std::fabs(x)); }},
    {"Tanh", 0, 0, [](double x, double, double) { return std::tanh(x); }},
    {"ThresholdedRelu", 1, 0, [](double x, double a, double) { return x > a ? x : 0; }},
};

struct BoundActivation {
  const ActivationRow* row = nullptr;
  double alpha = 0;
  double beta = 0;
  double clip = 0;

  auto operator()(double x) const -> double {
    if (clip > 0 && x == x) x = std::clamp(x, -clip, clip);
    return row->apply(x, alpha, beta);
  }
};

auto GatesOf(RecurrentKind kind) -> int64_t {
  return kind == RecurrentKind::kLSTM ? 4 : kind == RecurrentKind::kGRU ? 3 : 1;
}

// The extents of a call, in the layout with the length first.
struct RecurrentExtents {
  int64_t length = 0;
  int64_t batch = 0;
  int64_t columns = 0;
  int64_t hidden = 0;
  int64_t directions = 0;
};

// Checks everything that the steps rely on.
class RecurrentChecker {
 public:
  RecurrentChecker(const RecurrentAttributes& attributes, const RecurrentInputs& inputs)
      : at_(attributes), in_(inputs) {}

  auto Run() -> std::optional<RecurrentExtents> {
    if (in_.x == nullptr || in_.w == nullptr || in_.r == nullptr) return Fail("X, W and R are needed");
    if (in_.x->rank() != 3 || in_.w->rank() != 3 || in_.r->rank() != 3) return Fail("X, W and R have three axes");
    RecurrentExtents e;
    e.length = in_.x->extent(at_.batch_first ? 1 : 0);
    e.batch = in_.x->extent(at_.batch_first ? 0 : 1);
    e.columns = in_.x->extent(2);
    e.hidden = in_.r->extent(2);
    e.directions = at_.direction == "bidirectional" ? 2 : 1;
    const int64_t rows = GatesOf(at_.kind) * e.hidden;
    const std::vector<int64_t> state =
        at_.batch_first ? std::vector{e.batch, e.directions, e.hidden} : std::vector{e.directions, e.batch, e.hidden};
    Expect("W", in_.w, {e.directions, rows, e.columns});
    Expect("R", in_.r, {e.directions, rows, e.hidden});
    Expect("B", in_.b, {e.directions, 2 * rows});
    Expect("initial_h", in_.h, state);
    Expect("initial_c", in_.c, state);
    Expect("P", in_.p, {e.directions, 3 * e.hidden});
    if (in_.lengths != nullptr &&
        (in_.lengths->dtype() != DataType::Int(32) || in_.lengths->rank() != 1 || in_.lengths->extent(0) != e.batch))
      return Fail("sequence_lens is not an int32 for each sequence");
    if (!error_.empty()) return std::nullopt;
    return e;
  }

  auto error() const -> const std::string& { return error_; }

 private:
  auto Fail(std::string why) -> std::nullopt_t {
    if (error_.empty()) error_ = std::move(why);
    return std::nullopt;
  }

  void Expect(std::string_view name, const Tensor* tensor, const std::vector<int64_t>& shape) {
    if (tensor == nullptr) return;
    if (tensor->dtype() != in_.x->dtype()) Fail(fmt::format("the element type of {} differs from that of X", name));
    if (!std::ranges::equal(tensor->shape(), shape)) {
      Fail(fmt::format("{} has shape ({}) instead of ({})", name, fmt::join(tensor->shape(), ", "),
                       fmt::join(shape, ", ")));
    }
  }

  const RecurrentAttributes& at_;
  const RecurrentInputs& in_;
  std::string error_;
};

auto BoundActivations(const RecurrentAttributes& attributes, int64_t directions, std::string& error)
    -> std::optional<std::vector<BoundActivation>> {
  std::vector<RecurrentActivation> given = attributes.activations;
  const std::vector<std::string_view> defaults =
      attributes.kind == RecurrentKind::kRNN   ? std::vector<std::string_view>{"Tanh"}
      : attributes.kind == RecurrentKind::kGRU ? std::vector<std::string_view>{"Sigmoid", "Tanh"}
                                               : std::vector<std::string_view>{"Sigmoid", "Tanh", "Tanh"};
  const size_t count = defaults.size() * static_cast<size_t>(directions);
  if (given.empty()) {
    for (size_t i = 0; i < count; ++i) given.push_back({std::string(defaults[i % defaults.size()])});
  }
  if (given.size() != count) {
    error = fmt::format("{} activations for {} directions", given.size(), directions);
    return std::nullopt;
  }
  std::vector<BoundActivation> activations;
  for (const RecurrentActivation& one : given) {
    const auto* row = std::ranges::find(kActivations, std::string_view(one.name), &ActivationRow::name);
    if (row == std::end(kActivations)) {
      error = fmt::format("'{}' is not an activation", one.name);
      return std::nullopt;
    }
    activations.push_back({row, one.alpha.value_or(row->alpha), one.beta.value_or(row->beta), attributes.clip});
  }
  return activations;
}

// Returns the elements as numbers of type C.
template <typename T, typename C>
auto Widened(const T* data, int64_t count) -> std::vector<C> {
  std::vector<C> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<C>(data[i]);
  return numbers;
}

// The product of a row and a vector. Sums of every eighth element are independent of each other, so that they can be
// computed side by side.
template <typename T, typename C>
auto Dot(const T* row, std::span<const C> x) -> C {
  constexpr size_t kLanes = 8;
  std::array<C, kLanes> sums = {};
  const size_t whole = x.size() / kLanes * kLanes;
  for (size_t k = 0; k < whole; k += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<C>(row[k + lane]) * x[k + lane];
  }
  C sum = 0;
  for (size_t k = whole; k < x.size(); ++k) sum += static_cast<C>(row[k]) * x[k];
  for (const C lane : sums) sum += lane;
  return sum;
}

// to += weights * x, where each row of the weights is as long as `x`; for the rows from `begin` on.
template <typename T, typename C>
void AddProduct(std::span<const C> x, const T* weights, size_t begin, std::span<C> to) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += Dot<T, C>(weights + (begin + i) * x.size(), x);
}

// One direction: its weights, and the vectors that a step works on.
template <typename T, typename C>
class DirectionSteps {
 public:
  DirectionSteps(const RecurrentAttributes& attributes, const RecurrentInputs& in, const RecurrentExtents& e, int64_t d,
                 const BoundActivation* act)
      : at_(attributes),
        hidden_(static_cast<size_t>(e.hidden)),
        width_(GatesOf(attributes.kind) * e.hidden),
        act_(act),
        w_(in.w->data<T>() + d * width_ * e.columns),
        r_(in.r->data<T>() + d * width_ * e.hidden),
        wb_(static_cast<size_t>(width_)),
        rb_(static_cast<size_t>(width_)),
        p_(3 * hidden_),
        gates_(static_cast<size_t>(width_)),
        from_h_(static_cast<size_t>(width_)) {
    if (in.b != nullptr) {
      wb_ = Widened<T, C>(in.b->data<T>() + d * 2 * width_, width_);
      rb_ = Widened<T, C>(in.b->data<T>() + (d * 2 + 1) * width_, width_);
    }
    if (in.p != nullptr) p_ = Widened<T, C>(in.p->data<T>() + d * 3 * e.hidden, 3 * e.hidden);
  }

  // Replaces the state.
  void Step(std::span<const C> x, std::span<C> h, std::span<C> c) {
    gates_ = wb_;
    from_h_ = rb_;
    AddProduct<T, C>(x, w_, 0, gates_);
    switch (at_.kind) {
      case RecurrentKind::kRNN: return StepRNN(h);
      case RecurrentKind::kGRU: return StepGRU(h);
      case RecurrentKind::kLSTM: return StepLSTM(h, c);
    }
  }

 private:
  auto Apply(size_t k, C x) const -> C { return static_cast<C>(act_[k](static_cast<double>(x))); }

  void StepRNN(std::span<C> h) {
    AddProduct<T, C>(h, r_, 0, from_h_);
    for (size_t i = 0; i < hidden_; ++i) h[i] = Apply(0, gates_[i] + from_h_[i]);
  }

  // Gates are z, r, h.
  void StepGRU(std::span<C> h) {
    const bool late = at_.linear_before_reset;
    const size_t all = late ? 3 * hidden_ : 2 * hidden_;
    AddProduct<T, C>(h, r_, 0, std::span(from_h_).first(all));
    reset_.resize(hidden_);
    for (size_t i = 0; i < hidden_; ++i) {
      gates_[i] = Apply(0, gates_[i] + from_h_[i]);
      const C r = Apply(0, gates_[hidden_ + i] + from_h_[hidden_ + i]);
      if (late) from_h_[2 * hidden_ + i] *= r;
      reset_[i] = r * h[i];
    }
    if (!late) {
      AddProduct<T, C>(reset_, r_, 2 * hidden_, std::span(from_h_).subspan(2 * hidden_));
    }
    for (size_t i = 0; i < hidden_; ++i) {
      const C candidate = Apply(1, gates_[2 * hidden_ + i] + from_h_[2 * hidden_ + i]);
      h[i] = (1 - gates_[i]) * candidate + gates_[i] * h[i];
    }
  }

  // Gates are i, o, f, c; peepholes i, o, f.
  void StepLSTM(std::span<C> h, std::span<C> c) {
    AddProduct<T, C>(h, r_, 0, from_h_);
    const auto sum = [&](size_t gate, size_t i) { return gates_[gate * hidden_ + i] + from_h_[gate * hidden_ + i]; };
    for (size_t i = 0; i < hidden_; ++i) {
      const C in = Apply(0, sum(0, i) + p_[i] * c[i]);
      const C forget = at_.input_forget ? 1 - in : Apply(0, sum(2, i) + p_[2 * hidden_ + i] * c[i]);
      c[i] = forget * c[i] + in * Apply(1, sum(3, i));
      const C out = Apply(0, sum(1, i) + p_[hidden_ + i] * c[i]);
      h[i] = out * Apply(2, c[i]);
    }
  }

  const RecurrentAttributes& at_;
  size_t hidden_;
  int64_t width_;
  const BoundActivation* act_;
  const T* w_;
  const T* r_;
  std::vector<C> wb_, rb_, p_;
  std::vector<C> gates_, from_h_, reset_;
};

// All sequences in one direction.
template <typename T, typename C>
void StepThrough(const RecurrentAttributes& at, const RecurrentInputs& in, const RecurrentExtents& e, int64_t d,
                 const BoundActivation* act, RecurrentOutputs& out) {
  DirectionSteps<T, C> direction(at, in, e, d, act);
  const bool backwards = d == 1 || at.direction == "reverse";
  for (int64_t b = 0; b < e.batch; ++b) {
    const int64_t state = (at.batch_first ? b * e.directions + d : d * e.batch + b) * e.hidden;
    const auto first = [&](const Tensor* given) {
      return given == nullptr ? std::vector<C>(static_cast<size_t>(e.hidden))
                              : Widened<T, C>(given->data<T>() + state, e.hidden);
    };
    std::vector<C> h = first(in.h);
    std::vector<C> c = first(in.c);
    const int64_t length = in.lengths == nullptr ? e.length : in.lengths->data<int32_t>()[b];
    for (int64_t step = 0; step < e.length; ++step) {
      const int64_t t = backwards ? e.length - 1 - step : step;
      // After its end a sequence keeps its state and gives zeros.
      if (t >= length) continue;
      const int64_t row = at.batch_first ? b * e.length + t : t * e.batch + b;
      const std::vector<C> x = Widened<T, C>(in.x->data<T>() + row * e.columns, e.columns);
      direction.Step(x, h, c);
      const int64_t place = at.batch_first ? row * e.directions + d : (t * e.directions + d) * e.batch + b;
      T* to = out.y.mutable_data<T>() + place * e.hidden;
      for (size_t i = 0; i < h.size(); ++i) to[i] = T(h[i]);
    }
    const auto keep = [&](const std::vector<C>& from, Tensor& tensor) {
      T* to = tensor.mutable_data<T>() + state;
      for (size_t i = 0; i < from.size(); ++i) to[i] = T(from[i]);
    };
    keep(h, out.h);
    if (out.c) keep(c, *out.c);
  }
}

template <typename T, typename C>
auto StepAllDirections(const RecurrentAttributes& at, const RecurrentInputs& in, const RecurrentExtents& e,
                       const std::vector<BoundActivation>& activations) -> RecurrentOutputs {
  const DataType dtype = in.x->dtype();
  const std::vector<int64_t> all = at.batch_first ? std::vector{e.batch, e.length, e.directions, e.hidden}
                                                  : std::vector{e.length, e.directions, e.batch, e.hidden};
  const std::vector<int64_t> state =
      at.batch_first ? std::vector{e.batch, e.directions, e.hidden} : std::vector{e.directions, e.batch, e.hidden};
  RecurrentOutputs out{Tensor(dtype, all), Tensor(dtype, state), std::nullopt};
  std::fill_n(out.y.mutable_data<T>(), out.y.size(), T(0));
  if (at.kind == RecurrentKind::kLSTM) out.c = Tensor(dtype, state);
  const size_t each = activations.size() / static_cast<size_t>(e.directions);
  for (int64_t d = 0; d < e.directions; ++d)
    StepThrough<T, C>(at, in, e, d, activations.data() + static_cast<size_t>(d) * each, out);
  return out;
}

}  // namespace

auto ActivationHasAlpha(std::string_view name) -> bool {
  constexpr std::string_view kNames[] = {"Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

auto ActivationHasBeta(std::string_view name) -> bool {
  constexpr std::string_view kNames[] = {"Affine", "ScaledTanh", "HardSigmoid"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

auto RunRecurrent(const RecurrentAttributes& attributes, const RecurrentInputs& inputs, std::string& error)
    -> std::optional<RecurrentOutputs> {
  if (attributes.direction != "forward" && attributes.direction != "reverse" &&
      attributes.direction != "bidirectional") {
    error = fmt::format("'{}' is not a direction", attributes.direction);
    return std::nullopt;
  }
  RecurrentChecker checker(attributes, inputs);
  const auto extents = checker.Run();
  if (!extents) {
    error = checker.error();
    return std::nullopt;
  }
  const auto activations = BoundActivations(attributes, extents->directions, error);
  if (!activations) return std::nullopt;
  const DataType dtype = inputs.x->dtype();
  if (dtype == DataType::Float(32)) return StepAllDirections<float, float>(attributes, inputs, *extents, *activations);
  if (dtype == DataType::Float(64))
    return StepAllDirections<double, double>(attributes, inputs, *extents, *activations);
  if (dtype == DataType::Float(16)) return StepAllDirections<Half, float>(attributes, inputs, *extents, *activations);
  error = "elements are not float16, float32 or float64";
  return std::nullopt;
}

}  // namespace relayopt::onnx
