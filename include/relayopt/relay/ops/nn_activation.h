// Bias, activations and losses.
#pragma once

#include "relayopt/relay/ops/kernels_nn.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct BiasAddAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BiasAddAttrs";
  int64_t axis = 1;
  static constexpr auto Fields() {
    return std::array{
        Field<&BiasAddAttrs::axis>("axis", "axis of the channels"),
    };
  }
};

struct DropoutAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DropoutAttrs";
  double rate = 0.5;
  static constexpr auto Fields() {
    return std::array{
        Field<&DropoutAttrs::rate>("rate", "share of elements dropped in training"),
    };
  }
};

struct LeakyReluAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.LeakyReluAttrs";
  double alpha = 0.25;
  static constexpr auto Fields() {
    return std::array{
        Field<&LeakyReluAttrs::alpha>("alpha", "slope for negative elements"),
    };
  }
};

struct NLLLossAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.NLLLossAttrs";
  std::string reduction = "mean";
  int64_t ignore_index = 0;
  static constexpr auto Fields() {
    return std::array{
        Field<&NLLLossAttrs::reduction>("reduction", "mean, sum or none"),
        Required<&NLLLossAttrs::ignore_index>("ignore_index", "class that is left out"),
    };
  }
};

struct PReluAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.PReluAttrs";
  int64_t axis = 1;
  static constexpr auto Fields() {
    return std::array{
        Field<&PReluAttrs::axis>("axis", "axis of the channels"),
    };
  }
};

struct SoftmaxAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SoftmaxAttrs";
  int64_t axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Field<&SoftmaxAttrs::axis>("axis", "axis along which the result sums to 1"),
    };
  }
};

// The bias has an element per position along the axis; its type is learnt.
auto BiasAddRule(RuleContext& rule) -> RuleStatus;
auto PReluRule(RuleContext& rule) -> RuleStatus;
auto SoftmaxRule(RuleContext& rule) -> RuleStatus;
// A tuple of the data and a mask of its type.
auto DropoutRule(RuleContext& rule) -> RuleStatus;
// A scalar from two matrices.
auto CrossEntropyRule(RuleContext& rule) -> RuleStatus;
auto NllLossRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kNnActivationOps[] = {
    {.name = "nn.bias_add",
     .inputs = "data, bias",
     .attrs = &kSchema<BiasAddAttrs>,
     .type = BiasAddRule,
     .kernel = BiasAddKernel,
     .fusion = Fusion::kBroadcast,
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kBias,
     .doc = "adds a vector along one axis"},
    {.name = "nn.cross_entropy",
     .inputs = "x, y",
     .type = CrossEntropyRule,
     .kernel = CrossEntropyKernel,
     .fusion = Fusion::kOpaque,
     .precision = Precision::kNever,
     .doc = "-sum(log(x) * y) / batch"},
    {.name = "nn.cross_entropy_with_logits",
     .inputs = "x, y",
     .type = CrossEntropyRule,
     .kernel = CrossEntropyWithLogitsKernel,
     .fusion = Fusion::kOpaque,
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
     .doc = "softmax with an approximate exponential"},
    {.name = "nn.leaky_relu",
     .inputs = "data",
     .attrs = &kSchema<LeakyReluAttrs>,
     .type = IdentityRule,
     .kernel = LeakyReluKernel,
     .fusion = Fusion::kElemWise,
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
     .precision = Precision::kFollow,
     .layout = PReluLayout,
     .doc = "x where positive, else alpha of its channel * x"},
    {.name = "nn.relu",
     .inputs = "data",
     .type = IdentityRule,
     .kernel = ReluKernel,
     .fusion = Fusion::kElemWise,
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
     .precision = Precision::kNever,
     .doc = "exponentials along an axis divided by their sum"},
};

}  // namespace relayopt
