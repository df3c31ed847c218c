// Normalisations.
#pragma once

#include "relayopt/relay/ops/kernels_nn.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct BatchNormAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BatchNormAttrs";
  int64_t axis = 1;
  double epsilon = 1e-05;
  bool center = true;
  bool scale = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&BatchNormAttrs::axis>("axis", "axis of the channels"),
        Field<&BatchNormAttrs::epsilon>("epsilon", "added to the variance"),
        Field<&BatchNormAttrs::center>("center", "add beta"),
        Field<&BatchNormAttrs::scale>("scale", "multiply by gamma"),
    };
  }
};

struct GroupNormAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GroupNormAttrs";
  int64_t num_groups = 0;
  int64_t axis = 1;
  double epsilon = 1e-05;
  bool center = true;
  bool scale = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&GroupNormAttrs::num_groups>("num_groups", "number of groups of channels"),
        Field<&GroupNormAttrs::axis>("axis", "axis of the channels"),
        Field<&GroupNormAttrs::epsilon>("epsilon", "added to the variance"),
        Field<&GroupNormAttrs::center>("center", "add beta"),
        Field<&GroupNormAttrs::scale>("scale", "multiply by gamma"),
    };
  }
};

struct InstanceNormAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.InstanceNormAttrs";
  int64_t axis = 1;
  double epsilon = 1e-05;
  bool center = true;
  bool scale = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&InstanceNormAttrs::axis>("axis", "axis of the channels"),
        Field<&InstanceNormAttrs::epsilon>("epsilon", "added to the variance"),
        Field<&InstanceNormAttrs::center>("center", "add beta"),
        Field<&InstanceNormAttrs::scale>("scale", "multiply by gamma"),
    };
  }
};

struct LayerNormAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.LayerNormAttrs";
  int64_t axis = -1;
  double epsilon = 1e-05;
  bool center = true;
  bool scale = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&LayerNormAttrs::axis>("axis", "axis to normalise"),
        Field<&LayerNormAttrs::epsilon>("epsilon", "added to the variance"),
        Field<&LayerNormAttrs::center>("center", "add beta"),
        Field<&LayerNormAttrs::scale>("scale", "multiply by gamma"),
    };
  }
};

struct L2NormalizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.L2NormalizeAttrs";
  double eps = 0;
  DimList axis = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Required<&L2NormalizeAttrs::eps>("eps", "lower bound of the sum of squares"),
        Required<&L2NormalizeAttrs::axis>("axis", "axes to sum over; None: all"),
    };
  }
};

struct LRNAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.LRNAttrs";
  int64_t size = 5;
  int64_t axis = 1;
  double bias = 2.0;
  double alpha = 0.0001;
  double beta = 0.75;
  static constexpr auto Fields() {
    return std::array{
        Field<&LRNAttrs::size>("size", "number of neighbouring channels, odd"),
        Field<&LRNAttrs::axis>("axis", "axis of the channels"),
        Field<&LRNAttrs::bias>("bias", "constant of the denominator"),
        Field<&LRNAttrs::alpha>("alpha", "scale of the sum of squares"),
        Field<&LRNAttrs::beta>("beta", "exponent of the denominator"),
    };
  }
};

// Normalisations: the types of scales, shifts and moments are learnt from the data.
auto BatchNormRule(RuleContext& rule) -> RuleStatus;
auto GroupNormRule(RuleContext& rule) -> RuleStatus;
auto InstanceNormRule(RuleContext& rule) -> RuleStatus;
auto LayerNormRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kNnNormOps[] = {
    {.name = "nn.batch_norm",
     .inputs = "data, gamma, beta, moving_mean, moving_var",
     .attrs = &kSchema<BatchNormAttrs>,
     .type = BatchNormRule,
     .kernel = BatchNormKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .precision = Precision::kFollow,
     .layout = BatchNormLayout,
     .doc = "normalises each channel by given moments; a tuple with the moments"},
    {.name = "nn.group_norm",
     .inputs = "data, gamma, beta",
     .attrs = &kSchema<GroupNormAttrs>,
     .type = GroupNormRule,
     .kernel = GroupNormKernel,
     .doc = "normalises groups of channels by their moments"},
    {.name = "nn.instance_norm",
     .inputs = "data, gamma, beta",
     .attrs = &kSchema<InstanceNormAttrs>,
     .type = InstanceNormRule,
     .kernel = InstanceNormKernel,
     .layout = InstanceNormLayout,
     .doc = "normalises each channel of each sample by its moments"},
    {.name = "nn.l2_normalize",
     .inputs = "data",
     .attrs = &kSchema<L2NormalizeAttrs>,
     .type = IdentityRule,
     .kernel = L2NormalizeKernel,
     .precision = Precision::kNever,
     .layout = L2NormalizeLayout,
     .doc = "divides by the root of the sum of squares"},
    {.name = "nn.layer_norm",
     .inputs = "data, gamma, beta",
     .attrs = &kSchema<LayerNormAttrs>,
     .type = LayerNormRule,
     .kernel = LayerNormKernel,
     .precision = Precision::kNever,
     .layout = NormalizationLayout,
     .doc = "normalises along one axis by its moments"},
    {.name = "nn.lrn",
     .inputs = "data",
     .attrs = &kSchema<LRNAttrs>,
     .type = IdentityRule,
     .kernel = LRNKernel,
     .fusion = Fusion::kOpaque,
     .doc = "divides by a power of the sum of squares of neighbouring channels"},
};

}  // namespace relayopt
