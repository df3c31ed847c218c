// Reductions along axes.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct ReduceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReduceAttrs";
  DimList axis = DimList::Null();
  bool keepdims = false;
  bool exclude = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&ReduceAttrs::axis>("axis", "axes to reduce; None or empty: all"),
        Field<&ReduceAttrs::keepdims>("keepdims", "keep reduced axes with extent 1"),
        Field<&ReduceAttrs::exclude>("exclude", "reduce all axes but those given"),
    };
  }
};

struct ArgReduceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ArgReduceAttrs";
  DimList axis = DimList::Null();
  bool keepdims = false;
  bool select_last_index = false;
  bool exclude = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&ArgReduceAttrs::axis>("axis", "axes to reduce; None or empty: all"),
        Field<&ArgReduceAttrs::keepdims>("keepdims", "keep reduced axes with extent 1"),
        Field<&ArgReduceAttrs::select_last_index>("select_last_index", "the last of equal elements, not the first"),
        Field<&ArgReduceAttrs::exclude>("exclude", "reduce all axes but those given"),
    };
  }
};

struct VarianceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.VarianceAttrs";
  DimList axis = DimList::Null();
  bool keepdims = false;
  bool exclude = false;
  bool unbiased = false;
  static constexpr auto Fields() {
    return std::array{
        Field<&VarianceAttrs::axis>("axis", "axes to reduce; None or empty: all"),
        Field<&VarianceAttrs::keepdims>("keepdims", "keep reduced axes with extent 1"),
        Field<&VarianceAttrs::exclude>("exclude", "reduce all axes but those given"),
        Field<&VarianceAttrs::unbiased>("unbiased", "divide by the count less one"),
    };
  }
};

// The axes, ascending, that a reduction of data of `rank` axes with these attributes reduces; nothing, with a
// diagnostic, when an entry is no axis or is given twice.
auto ReducedAxes(RuleContext& rule, const DimList& axis, bool exclude, size_t rank)
    -> std::optional<std::vector<size_t>>;

auto ReduceRule(RuleContext& rule) -> RuleStatus;
auto ArgReduceRule(RuleContext& rule) -> RuleStatus;
auto VarianceRule(RuleContext& rule) -> RuleStatus;

// The shape that most rows of this family share.
constexpr auto Reduction(std::string_view name, Kernel kernel, std::string_view doc,
                         const AttrsSchema* attrs = &kSchema<ReduceAttrs>, TypeRule type = ReduceRule) -> OpDef {
  return {.name = name,
          .inputs = "data",
          .attrs = attrs,
          .type = type,
          .kernel = kernel,
          .fusion = Fusion::kCommReduce,
          .shape_function = "s",
          .layout = ReduceLayout,
          .doc = doc};
}

inline constexpr OpDef kReduceOps[] = {
    Reduction("all", AllKernel, "whether all elements are true"),
    // The reference gives this reduction alone neither a shape function nor a layout rule.
    {.name = "any",
     .inputs = "data",
     .attrs = &kSchema<ReduceAttrs>,
     .type = ReduceRule,
     .kernel = AnyKernel,
     .fusion = Fusion::kCommReduce,
     .doc = "whether an element is true"},
    Reduction("argmax", ArgmaxKernel, "row-major position of the largest element", &kSchema<ArgReduceAttrs>,
              ArgReduceRule)
        .With(Precision::kFollow),
    Reduction("argmin", ArgminKernel, "row-major position of the smallest element", &kSchema<ArgReduceAttrs>,
              ArgReduceRule)
        .With(Precision::kFollow),
    Reduction("max", MaxKernel, "the largest element").With(Precision::kFollow),
    Reduction("mean", MeanKernel, "the mean; of integers rounded toward zero").With(Precision::kNever),
    Reduction("min", MinKernel, "the smallest element").With(Precision::kFollow),
    Reduction("prod", ProdKernel, "the product"),
    Reduction("sum", SumKernel, "the sum").With(Precision::kNever),
    {.name = "variance",
     .inputs = "data, mean",
     .attrs = &kSchema<VarianceAttrs>,
     .type = VarianceRule,
     .kernel = VarianceKernel,
     .fusion = Fusion::kCommReduce,
     .shape_function = "s",
     .precision = Precision::kNever,
     .layout = ReduceLayout,
     .doc = "mean squared distance from a given mean"},
};

}  // namespace relayopt
