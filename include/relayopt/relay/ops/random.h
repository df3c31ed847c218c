// Random numbers from an explicit key, which each operator takes and returns advanced.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct ThreefryGenerateAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ThreefryGenerateAttrs";
  DimList out_shape = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&ThreefryGenerateAttrs::out_shape>("out_shape", "shape of the numbers")};
  }
};

struct UniformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.UniformAttrs";
  DimList out_shape = DimList::Null();
  DataType out_dtype = {};
  static constexpr auto Fields() {
    return std::array{
        Required<&UniformAttrs::out_shape>("out_shape", "shape of the numbers"),
        Field<&UniformAttrs::out_dtype>("out_dtype", "their type, float32 or float64"),
    };
  }
};

struct NormalAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.NormalAttrs";
  DimList out_shape = DimList::Null();
  DataType out_dtype = {};
  static constexpr auto Fields() {
    return std::array{
        Required<&NormalAttrs::out_shape>("out_shape", "shape of the numbers"),
        Field<&NormalAttrs::out_dtype>("out_dtype", "their type, float32 or float64"),
    };
  }
};

struct MultinomialAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MultinomialAttrs";
  Dim num_samples = 1;
  static constexpr auto Fields() {
    return std::array{Field<&MultinomialAttrs::num_samples>("num_samples", "how often to draw")};
  }
};

auto MultinomialRule(RuleContext& rule) -> RuleStatus;
auto NormalRule(RuleContext& rule) -> RuleStatus;
auto ThreefryGenerateRule(RuleContext& rule) -> RuleStatus;
auto ThreefrySplitRule(RuleContext& rule) -> RuleStatus;
auto UniformRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kRandomOps[] = {
    {.name = "random.multinomial",
     .inputs = "key, probs",
     .attrs = &kSchema<MultinomialAttrs>,
     .type = MultinomialRule,
     .kernel = MultinomialKernel,
     .fusion = Fusion::kOpaque,
     .doc = "positions drawn with the given probabilities"},
    {.name = "random.normal",
     .inputs = "key, mean, scale",
     .attrs = &kSchema<NormalAttrs>,
     .type = NormalRule,
     .kernel = NormalKernel,
     .fusion = Fusion::kOpaque,
     .doc = "normally distributed numbers"},
    {.name = "random.threefry_generate",
     .inputs = "key",
     .attrs = &kSchema<ThreefryGenerateAttrs>,
     .type = ThreefryGenerateRule,
     .kernel = ThreefryGenerateKernel,
     .fusion = Fusion::kOpaque,
     .doc = "random words"},
    {.name = "random.threefry_split",
     .inputs = "key",
     .type = ThreefrySplitRule,
     .kernel = ThreefrySplitKernel,
     .fusion = Fusion::kOpaque,
     .doc = "two independent keys from one"},
    {.name = "random.uniform",
     .inputs = "key, low, high",
     .attrs = &kSchema<UniformAttrs>,
     .type = UniformRule,
     .kernel = UniformKernel,
     .fusion = Fusion::kOpaque,
     .doc = "numbers distributed evenly between two bounds"},
};

}  // namespace relayopt
