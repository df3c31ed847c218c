// Recognizes activations and reductions that models spell out.
#include <numbers>
#include <tuple>

#include "readers.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"

namespace relayopt::onnx::out {

namespace {

auto Activation(std::string_view op_type, const Place& x, Attributes attributes = {}) -> std::optional<RestoredNode> {
  if (!IsSingle(x)) return std::nullopt;
  // The version that introduced the operator, if it is newer than the oldest version that is written.
  const int64_t opset = op_type == "Gelu" ? 20 : 0;
  return RestoredNode{op_type, {x.id()}, std::move(attributes), opset};
}

// Returns the operand of a clip between two numbers.
auto Clipped(const Place& place, double low, double high) -> Place {
  if (!place.is("clip"_op)) return place.None();
  const auto* attrs = place.attrs<ClipAttrs>();
  const bool fits = attrs != nullptr && IsNear(attrs->a_min, low) && IsNear(attrs->a_max, high);
  return fits ? place.Operand(0) : place.None();
}

// Returns the node of another reduction that replaces a sum over known axes. It needs version 18, with axes as input.
auto Reduced(std::string_view op_type, const Place& sum, const Place& x) -> std::optional<RestoredNode> {
  const auto* attrs = sum.attrs<ReduceAttrs>();
  if (attrs == nullptr || attrs->exclude || !IsSingle(x)) return std::nullopt;
  const auto axes = KnownExtents(attrs->axis.values);
  if (!axes || axes->empty()) return std::nullopt;
  return RestoredNode{op_type, {x.id()}, {Ints("axes", *axes), Int("keepdims", attrs->keepdims ? 1 : 0)}, 18};
}

}  // namespace

// -- activations --

// 0.5 * x * (1 + erf(x / sqrt(2))), its factors in any order.
auto ReadGelu(const Place& root) -> std::optional<RestoredNode> {
  double half = 0;
  double one = 0;
  double root_of_two = 0;
  Place sum = root.None();
  Place x = root.None();
  if (const Place scaled = root.Beside("multiply"_op, half)) {
    std::tie(sum, x) = scaled.Split("multiply"_op, "add"_op);
  } else {
    const auto [bracket, product] = root.Split("multiply"_op, "add"_op);
    sum = bracket;
    x = product.Beside("multiply"_op, half);
  }
  if (!sum || !x || !IsNear(half, 0.5)) return std::nullopt;
  const Place inner = sum.Beside("add"_op, one);
  if (!inner || !IsNear(one, 1)) return std::nullopt;
  const Place argument = inner.Of("erf"_op, 0);
  Place y = argument.Beside("divide"_op, root_of_two, 1);
  if (!y) {
    y = argument.Beside("multiply"_op, root_of_two);
    root_of_two = 1 / root_of_two;
  }
  if (!y || !(y == x) || !IsNear(root_of_two, std::numbers::sqrt2)) return std::nullopt;
  return Activation("Gelu", x);
}

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * x + sqrt(2 / pi) * 0.044715 * x^3))
auto ReadTanhGelu(const Place& root) -> std::optional<RestoredNode> {
  double half = 0;
  double one = 0;
  double linear = 0;
  double cubic = 0;
  double three = 0;
  const auto [bracket, product] = root.Split("multiply"_op, "add"_op);
  const Place x = product.Beside("multiply"_op, half);
  const Place sum = bracket.Beside("add"_op, one).Of("tanh"_op, 0);
  if (!x || !sum.is("add"_op)) return std::nullopt;
  const Place a = sum.Operand(0).Beside("multiply"_op, linear);
  const Place b = sum.Operand(1).Beside("multiply"_op, cubic).Beside("power"_op, three, 1);
  const bool is_gelu = a == x && b == x && IsNear(half, 0.5) && IsNear(one, 1) && IsNear(three, 3) &&
                       IsNear(linear, 0.7978846) && IsNear(cubic, 0.0356774);
  if (!is_gelu) return std::nullopt;
  return Activation("Gelu", x, {String("approximate", "tanh")});
}

// x * clip(x / 6 + 1 / 2, 0, 1), or x * clip(x + 3, 0, 6) / 6
auto ReadHardSwish(const Place& root) -> std::optional<RestoredNode> {
  double sixth = 0;
  double offset = 0;
  Place product = root.Beside("divide"_op, sixth, 1);
  if (product) sixth = 1 / sixth;
  if (!product) product = root.Beside("multiply"_op, sixth);
  const bool is_divided = static_cast<bool>(product);
  const auto [clip, x] = (is_divided ? product : root).Split("multiply"_op, "clip"_op);
  if (!clip) return std::nullopt;
  Place y = Clipped(clip, 0, is_divided ? 6 : 1).Beside("add"_op, offset);
  if (!is_divided) y = y.Beside("multiply"_op, sixth);
  if (!y || !(y == x) || !IsNear(sixth, 1.0 / 6) || !IsNear(offset, is_divided ? 3 : 0.5)) return std::nullopt;
  return Activation("HardSwish", x);
}

auto ReadHardSigmoid(const Place& root) -> std::optional<RestoredNode> {
  double alpha = 0;
  double beta = 0;
  const Place x = Clipped(root, 0, 1).Beside("add"_op, beta).Beside("multiply"_op, alpha);
  if (!x) return std::nullopt;
  return Activation("HardSigmoid", x, {Float("alpha", alpha), Float("beta", beta)});
}

auto ReadMish(const Place& root) -> std::optional<RestoredNode> {
  double one = 0;
  const auto [tanh, x] = root.Split("multiply"_op, "tanh"_op);
  const Place y = tanh.Of("tanh"_op, 0).Of("log"_op, 0).Beside("add"_op, one).Of("exp"_op, 0);
  if (!y || !(y == x) || !IsNear(one, 1)) return std::nullopt;
  return Activation("Mish", x);
}

// relu(x) - alpha * relu(1 - exp(x))
auto ReadElu(const Place& root) -> std::optional<RestoredNode> {
  double alpha = 0;
  double one = 0;
  const auto [positive, negative] = root.Split("add"_op, "nn.relu"_op);
  const Place x = positive.Of("nn.relu"_op, 0);
  const Place y =
      negative.Beside("multiply"_op, alpha).Of("nn.relu"_op, 0).Beside("subtract"_op, one, 0).Of("exp"_op, 0);
  if (!x || !(x == y) || !IsNear(one, 1)) return std::nullopt;
  return Activation("Elu", x, {Float("alpha", -alpha)});
}

auto ReadSelu(const Place& root) -> std::optional<RestoredNode> {
  double gamma = 0;
  const Place inner = root.Beside("multiply"_op, gamma);
  if (!inner) return std::nullopt;
  auto found = ReadElu(inner);
  if (!found) return std::nullopt;
  found->op_type = "Selu";
  found->attributes.push_back(Float("gamma", gamma));
  return found;
}

// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
auto ReadCelu(const Place& root) -> std::optional<RestoredNode> {
  double zero = 1;
  double other_zero = 1;
  double alpha = 0;
  double one = 0;
  double divisor = 0;
  const auto [positive, negative] = root.Split("add"_op, "maximum"_op);
  const Place x = positive.Beside("maximum"_op, zero);
  const Place y = negative.Beside("minimum"_op, other_zero)
                      .Beside("multiply"_op, alpha)
                      .Beside("subtract"_op, one, 1)
                      .Of("exp"_op, 0)
                      .Beside("divide"_op, divisor, 1);
  const bool is_celu = x && x == y && zero == 0 && other_zero == 0 && IsNear(one, 1) && IsNear(alpha, divisor);
  if (!is_celu) return std::nullopt;
  return Activation("Celu", x, {Float("alpha", alpha)});
}

auto ReadSoftplus(const Place& root) -> std::optional<RestoredNode> {
  double one = 0;
  const Place x = root.Of("log"_op, 0).Beside("add"_op, one).Of("exp"_op, 0);
  return x && IsNear(one, 1) ? Activation("Softplus", x) : std::nullopt;
}

auto ReadSoftsign(const Place& root) -> std::optional<RestoredNode> {
  double one = 0;
  const Place x = root.Of("divide"_op, 0);
  if (!x) return std::nullopt;
  const Place y = root.Operand(1).Beside("add"_op, one).Of("abs"_op, 0);
  return x == y && IsNear(one, 1) ? Activation("Softsign", x) : std::nullopt;
}

auto ReadLogSoftmax(const Place& root) -> std::optional<RestoredNode> {
  const Place softmax = root.Of("log"_op, 0);
  const Place x = softmax.Of("nn.softmax"_op, 0);
  if (!x || x.type() == nullptr) return std::nullopt;
  const auto* attrs = softmax.attrs<SoftmaxAttrs>();
  return Activation("LogSoftmax", x, {Int("axis", NormalizedAxis(attrs->axis, x.type()->rank()))});
}

// -- reductions --

auto ReadReduceL1(const Place& root) -> std::optional<RestoredNode> {
  const Place x = root.Of("sum"_op, 0).Of("abs"_op, 0);
  return x ? Reduced("ReduceL1", root, x) : std::nullopt;
}

auto ReadSumSquare(const Place& root) -> std::optional<RestoredNode> {
  const Place square = root.Of("sum"_op, 0);
  const Place x = square.Of("multiply"_op, 0);
  return x && square.Operand(1) == x ? Reduced("ReduceSumSquare", root, x) : std::nullopt;
}

auto ReadReduceL2(const Place& root) -> std::optional<RestoredNode> {
  const Place sum = root.Of("sqrt"_op, 0);
  if (!sum) return std::nullopt;
  auto found = ReadSumSquare(sum);
  if (found) found->op_type = "ReduceL2";
  return found;
}

}  // namespace relayopt::onnx::out
