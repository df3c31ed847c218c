// Type rules and rows of bias, activations and losses.
#include "relayopt/relay/ops/nn_activation.h"

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction BiasAddKernel, CrossEntropyKernel, CrossEntropyWithLogitsKernel, DropoutKernel, FastSoftmaxKernel,
    LeakyReluKernel, LogSoftmaxKernel, NllLossKernel, PReluKernel, ReluKernel, SoftmaxKernel;
LayoutRuleFunction DropoutLayout, PReluLayout;

namespace {

auto BiasAdd(RuleContext& rule, const BiasAddAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  const auto axis = AxisOf(rule, "axis", attrs.axis, data.rank());
  if (!axis) return RuleStatus::kFailed;
  if (!rule.AssignInput(1, std::array{data.shape[*axis]}, data.dtype)) return RuleStatus::kFailed;
  return rule.DoneSameAs(0);
}

auto PRelu(RuleContext& rule, const PReluAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  const auto axis = attrs.axis >= 0 ? NormalizeAxis(attrs.axis, data.rank()) : std::nullopt;
  if (!axis) {
    return rule.Error("{}: axis {} is outside the range of data of shape {}; it must not be negative", rule.op().name,
                      attrs.axis, ToString(data.shape));
  }
  if (!rule.AssignInput(1, std::array{data.shape[*axis]}, data.dtype)) return RuleStatus::kFailed;
  return rule.Done(rule.input(0));
}

auto Softmax(RuleContext& rule, const SoftmaxAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (!AxisOf(rule, "axis", attrs.axis, rule.type(0).rank())) return RuleStatus::kFailed;
  return rule.DoneSameAs(0);
}

// Checks the inputs of nll_loss.
auto CheckNllLoss(RuleContext& rule) -> std::optional<RuleStatus> {
  const std::string_view op = rule.op().name;
  const Type& predictions = rule.type(0);
  const Type& targets = rule.type(1);
  const Type& weights = rule.type(2);
  if (predictions.rank() < 2 || predictions.rank() - 1 != targets.rank()) {
    return rule.ErrorAt(1, "{}: targets must have one dimension less than predictions; shapes are {} and {}", op,
                        ToString(targets.shape), ToString(predictions.shape));
  }
  if (const auto status = NeedRank(rule, 2, 1)) return status;
  if (ProvablyDifferent(predictions.shape[1], weights.shape[0])) {
    return rule.ErrorAt(2, "{}: predictions have {} classes, there are {} weights", op, ToString(predictions.shape[1]),
                        ToString(weights.shape[0]));
  }
  if (!predictions.dtype.is_float() || predictions.dtype != weights.dtype) {
    return rule.ErrorAt(2, "{}: predictions and weights must be of one float type, found {} and {}", op,
                        ToString(predictions.dtype), ToString(weights.dtype));
  }
  if (!targets.dtype.is_int()) {
    return rule.ErrorAt(1, "{}: targets must be signed integers, found {}", op, ToString(targets.dtype));
  }
  return std::nullopt;
}

auto NllLoss(RuleContext& rule, const NLLLossAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  if (const auto status = CheckNllLoss(rule)) return *status;
  return rule.Done(attrs.reduction == "none" ? rule.type(1).shape : Shape(), rule.type(0).dtype);
}

// The bias has an element per position along the axis; its type is inferred.
auto BiasAddRule(RuleContext& rule) -> RuleStatus { return WithAttrs<BiasAddAttrs>(rule, BiasAdd); }

auto PReluRule(RuleContext& rule) -> RuleStatus { return WithAttrs<PReluAttrs>(rule, PRelu); }

auto SoftmaxRule(RuleContext& rule) -> RuleStatus { return WithAttrs<SoftmaxAttrs>(rule, Softmax); }

// Result: a tuple of the data and a mask of its type.
auto DropoutRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const std::array fields = {rule.input(0), rule.input(0)};
  return rule.DoneTuple(fields);
}

// Result: a scalar; inputs: two matrices.
auto CrossEntropyRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  for (size_t i = 0; i < 2; ++i) {
    if (const auto status = NeedRank(rule, i, 2)) return *status;
  }
  const Type& x = rule.type(0);
  const Type& y = rule.type(1);
  if (ProvablyDifferent(x.shape[0], y.shape[0]) || ProvablyDifferent(x.shape[1], y.shape[1])) {
    return rule.ErrorAt(1, "{}: x has shape {}, y has {}", rule.op().name, ToString(x.shape), ToString(y.shape));
  }
  return rule.Done(Shape(), x.dtype);
}

auto NllLossRule(RuleContext& rule) -> RuleStatus { return WithAttrs<NLLLossAttrs>(rule, NllLoss); }

}  // namespace

constinit const OpRows<OpFamily::kNnActivation> kNnActivationOps = NumberedRows<OpFamily::kNnActivation>({
    {.name = "nn.bias_add",
     .inputs = "data, bias",
     .attrs = &kSchema<BiasAddAttrs>,
     .type = BiasAddRule,
     .kernel = BiasAddKernel,
     .fusion = Fusion::kBroadcast,
     .element_types = "n",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kBias,
     .doc = "adds a vector along one axis"},
    {.name = "nn.cross_entropy",
     .inputs = "x, y",
     .type = CrossEntropyRule,
     .kernel = CrossEntropyKernel,
     .fusion = Fusion::kOpaque,
     .element_types = "f",
     .precision = Precision::kNever,
     .doc = "-sum(log(x) * y) / batch"},
    {.name = "nn.cross_entropy_with_logits",
     .inputs = "x, y",
     .type = CrossEntropyRule,
     .kernel = CrossEntropyWithLogitsKernel,
     .fusion = Fusion::kOpaque,
     .element_types = "f",
     .precision = Precision::kNever,
     .doc = "-sum(x * y) / batch"},
    {.name = "nn.dropout",
     .inputs = "data",
     .attrs = &kSchema<DropoutAttrs>,
     .type = DropoutRule,
     .kernel = DropoutKernel,
     .fusion = Fusion::kOpaque,
     .stateful = true,
     .precision = Precision::kFollow,
     .layout = DropoutLayout,
     .doc = "drops elements in training; a tuple of the result and the mask"},
    {.name = "nn.fast_softmax",
     .inputs = "data",
     .attrs = &kSchema<SoftmaxAttrs>,
     .type = SoftmaxRule,
     .kernel = FastSoftmaxKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .element_types = "f",
     .doc = "softmax with an approximate exponential"},
    {.name = "nn.leaky_relu",
     .inputs = "data",
     .attrs = &kSchema<LeakyReluAttrs>,
     .type = IdentityRule,
     .kernel = LeakyReluKernel,
     .fusion = Fusion::kElemWise,
     .element_types = "n",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kThrough,
     .layout = ElementwiseLayout,
     .doc = "x where positive, else alpha * x"},
    {.name = "nn.log_softmax",
     .inputs = "data",
     .attrs = &kSchema<SoftmaxAttrs>,
     .type = SoftmaxRule,
     .kernel = LogSoftmaxKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .element_types = "f",
     .doc = "logarithm of softmax"},
    {.name = "nn.nll_loss",
     .inputs = "predictions, targets, weights",
     .attrs = &kSchema<NLLLossAttrs>,
     .type = NllLossRule,
     .kernel = NllLossKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "negative log likelihood of the target classes, weighted"},
    {.name = "nn.prelu",
     .inputs = "data, alpha",
     .attrs = &kSchema<PReluAttrs>,
     .type = PReluRule,
     .kernel = PReluKernel,
     .fusion = Fusion::kBroadcast,
     .element_types = "n",
     .precision = Precision::kFollow,
     .layout = PReluLayout,
     .doc = "x where positive, else alpha of its channel * x"},
    {.name = "nn.relu",
     .inputs = "data",
     .type = IdentityRule,
     .kernel = ReluKernel,
     .fusion = Fusion::kElemWise,
     .element_types = "n",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kThrough,
     .layout = ElementwiseLayout,
     .doc = "max(x, 0)"},
    {.name = "nn.softmax",
     .inputs = "data",
     .attrs = &kSchema<SoftmaxAttrs>,
     .type = SoftmaxRule,
     .kernel = SoftmaxKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .element_types = "f",
     .precision = Precision::kNever,
     .doc = "exponentials along an axis divided by their sum"},
});

}  // namespace relayopt
