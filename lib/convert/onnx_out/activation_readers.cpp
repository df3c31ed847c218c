// Recognizes reductions and LogSoftmax where models spell them out.
#include "readers.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"

namespace relayopt::onnx::out {

namespace {

// Returns the node of another reduction that replaces a sum over known axes. It needs version 18, with axes as input.
auto Reduced(std::string_view op_type, const Place& sum, const Place& x) -> std::optional<RestoredNode> {
  const auto* attrs = sum.attrs<ReduceAttrs>();
  if (attrs == nullptr || attrs->exclude || !IsSingle(x)) return std::nullopt;
  const auto axes = KnownExtents(attrs->axis.values);
  if (!axes || axes->empty()) return std::nullopt;
  return RestoredNode{op_type, {x.id()}, {Ints("axes", *axes), Int("keepdims", attrs->keepdims ? 1 : 0)}, 18};
}

}  // namespace

auto ReadLogSoftmax(const Place& root) -> std::optional<RestoredNode> {
  const Place softmax = root.Of("log"_op, 0);
  const Place x = softmax.Of("nn.softmax"_op, 0);
  if (!x || !IsSingle(x)) return std::nullopt;
  const auto* attrs = softmax.attrs<SoftmaxAttrs>();
  return RestoredNode{"LogSoftmax", {x.id()}, {Int("axis", NormalizedAxis(attrs->axis, x.type()->rank()))}};
}

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
