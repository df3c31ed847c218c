// Type rules and rows of the reductions.
#include <algorithm>
#include <limits>

#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

KernelFunction AllKernel, AnyKernel, ArgmaxKernel, ArgminKernel, MaxKernel, MeanKernel, MinKernel, ProdKernel,
    SumKernel, VarianceKernel;
LayoutRuleFunction ReduceLayout;

namespace {

// A reduction over an extent that is not known yet is allowed only if positions fit into int32.
auto IndexesFit(Shape shape, const std::vector<size_t>& axes) -> bool {
  int64_t known = 1;
  for (const size_t axis : axes) {
    if (!shape[axis].is_int()) return known < std::numeric_limits<int32_t>::max();
    if (__builtin_mul_overflow(known, shape[axis].value(), &known)) known = INT64_MAX;
  }
  return true;
}

auto ReducedShape(Shape shape, const std::vector<size_t>& axes, bool keep) -> std::vector<Dim> {
  std::vector<Dim> out;
  out.reserve(shape.size());
  auto next = axes.begin();
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool reduced = next != axes.end() && *next == i;
    if (reduced) ++next;
    if (!reduced)
      out.push_back(shape[i]);
    else if (keep)
      out.emplace_back(1);
  }
  return out;
}

auto Reduce(RuleContext& rule, const DimList& axis, bool keepdims, bool exclude, DataType dtype) -> RuleStatus {
  const Shape shape = rule.type(0).shape;
  const auto axes = ReducedAxes(rule, axis, exclude, shape.size());
  if (!axes) return RuleStatus::kFailed;
  if (!IndexesFit(shape, *axes)) {
    return rule.ErrorAt(0, "{}: the reduced part of shape {} may have more than 2^31 - 1 elements", rule.op().name,
                        ToString(shape));
  }
  return DoneShape(rule, ReducedShape(shape, *axes, keepdims), dtype);
}

// Returns the integer type of an extent.
auto ExtentType(Context& context, const Dim& dim) -> DataType {
  if (dim.is_expr()) return context.object(dim.object()).dtype;
  return DataType::Int(dim.is_int() ? dim.bits() : 32);
}

}  // namespace

auto ReducedAxes(RuleContext& rule, const DimList& axis, bool exclude, size_t rank)
    -> std::optional<std::vector<size_t>> {
  std::vector<size_t> axes;
  if (axis.null || axis.empty()) {
    // As TVM: all axes, whatever `exclude` is, because an empty list excludes none.
    exclude = true;
  } else {
    auto given = AxesOf(rule, "axis", axis, rank);
    if (!given) return std::nullopt;
    axes = std::move(*given);
  }
  std::sort(axes.begin(), axes.end());
  const auto twice = std::adjacent_find(axes.begin(), axes.end());
  if (twice != axes.end()) {
    rule.Error("{}: axis {} is given twice", rule.op().name, *twice);
    return std::nullopt;
  }
  if (!exclude) return axes;
  std::vector<size_t> rest;
  auto next = axes.begin();
  for (size_t i = 0; i < rank; ++i) {
    if (next != axes.end() && *next == i)
      ++next;
    else
      rest.push_back(i);
  }
  return rest;
}

namespace {

auto ReduceRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<ReduceAttrs>();
  return Reduce(rule, attrs.axis, attrs.keepdims, attrs.exclude, rule.type(0).dtype);
}

auto ArgReduceRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<ArgReduceAttrs>();
  const Shape shape = rule.type(0).shape;
  if (shape.empty()) return rule.ErrorAt(0, "{}: data must have at least one axis", rule.op().name);
  // Positions have the integer type of the first extent: int32 unless the shape was written with int64 extents.
  return Reduce(rule, attrs.axis, attrs.keepdims, attrs.exclude, ExtentType(rule.context(), shape[0]));
}

auto VarianceRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const auto& attrs = rule.attrs<VarianceAttrs>();
  const Type& data = rule.type(0);
  if (data.shape.empty()) return rule.ErrorAt(0, "{}: data must have at least one axis", rule.op().name);
  if (const auto status = NeedRank(rule, 1, data.rank())) return *status;
  return Reduce(rule, attrs.axis, attrs.keepdims, attrs.exclude, data.dtype);
}

// Returns the shape that most rows of this family share.
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

}  // namespace

constinit const OpRows<OpFamily::kReduce> kReduceOps = NumberedRows<OpFamily::kReduce>({
    Reduction("all", AllKernel, "whether all elements are true").On("b"),
    // As TVM: this reduction alone has neither a shape function nor a layout rule.
    {.name = "any",
     .inputs = "data",
     .attrs = &kSchema<ReduceAttrs>,
     .type = ReduceRule,
     .kernel = AnyKernel,
     .fusion = Fusion::kCommReduce,
     .element_types = "b",
     .doc = "whether an element is true"},
    Reduction("argmax", ArgmaxKernel, "row-major position of the largest element", &kSchema<ArgReduceAttrs>,
              ArgReduceRule)
        .With(Precision::kFollow)
        .On("n"),
    Reduction("argmin", ArgminKernel, "row-major position of the smallest element", &kSchema<ArgReduceAttrs>,
              ArgReduceRule)
        .With(Precision::kFollow)
        .On("n"),
    Reduction("max", MaxKernel, "the largest element").With(Precision::kFollow),
    Reduction("mean", MeanKernel, "the mean; of integers rounded toward zero").With(Precision::kNever).On("n"),
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
     .element_types = "n",
     .precision = Precision::kNever,
     .layout = ReduceLayout,
     .doc = "mean squared distance from a given mean"},
});

}  // namespace relayopt
