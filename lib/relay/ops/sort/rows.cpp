// Type rules and rows of sorting and searching.
#include "relayopt/relay/ops/sort.h"

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction ArgsortKernel, SearchSortedKernel, SortKernel, TopkKernel;
LayoutRuleFunction TopkLayout;

namespace {

auto Argsort(RuleContext& rule, const ArgsortAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Shape shape = rule.type(0).shape;
  if (!AxisOf(rule, "axis", attrs.axis, shape.size())) return RuleStatus::kFailed;
  return rule.Done(shape, attrs.dtype);
}

auto Sort(RuleContext& rule, const ArgsortAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (!AxisOf(rule, "axis", attrs.axis, rule.type(0).rank())) return RuleStatus::kFailed;
  return rule.Done(rule.input(0));
}

auto Topk(RuleContext& rule, const TopkAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto k = IntegerOf(rule, "k", attrs.k);
  if (!k) return RuleStatus::kFailed;
  const Shape shape = rule.type(0).shape;
  const auto axis = AxisOf(rule, "axis", attrs.axis, shape.size());
  if (!axis) return RuleStatus::kFailed;
  return TopkResult(rule, attrs, *k < 1 ? shape[*axis] : attrs.k);
}

auto SearchSorted(RuleContext& rule, const SearchSortedAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Shape sequence = rule.type(0).shape;
  const Shape values = rule.type(1).shape;
  if (sequence.empty() || values.empty()) {
    return rule.Error("searchsorted: both inputs must have an axis, found shapes {} and {}", ToString(sequence),
                      ToString(values));
  }
  if (sequence.size() > 1) {
    if (const auto status = NeedRank(rule, 1, sequence.size())) return *status;
    for (size_t i = 0; i + 1 < sequence.size(); ++i) {
      if (!ProvablyDifferent(sequence[i], values[i])) continue;
      return rule.ErrorAt(1, "searchsorted: values of shape {} do not match sequences of shape {}", ToString(values),
                          ToString(sequence));
    }
  }
  return rule.Done(values, attrs.dtype);
}

}  // namespace

auto TopkResult(RuleContext& rule, const TopkAttrs& attrs, const Dim& k) -> RuleStatus {
  const Type& data = rule.type(0);
  const auto axis = AxisOf(rule, "axis", attrs.axis, data.rank());
  if (!axis) return RuleStatus::kFailed;
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  shape[*axis] = k;
  if (const auto status = CheckExtents(rule, shape)) return *status;
  if (attrs.ret_type == "values") return rule.Done(shape, data.dtype);
  if (attrs.ret_type == "indices") return rule.Done(shape, attrs.dtype);
  if (attrs.ret_type != "both") {
    return rule.Error("{}: ret_type must be both, values or indices, found \"{}\"", rule.op().name, attrs.ret_type);
  }
  Context& context = rule.context();
  return rule.DoneTuple(std::array{context.Tensor(shape, data.dtype), context.Tensor(shape, attrs.dtype)});
}

namespace {

auto ArgsortRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Argsort); }
auto SearchSortedRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, SearchSorted); }
auto SortRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Sort); }
auto TopkRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Topk); }

}  // namespace

constinit const OpRows<OpFamily::kSort> kSortOps = NumberedRows<OpFamily::kSort>({
    {.name = "argsort",
     .inputs = "data",
     .attrs = &kSchema<ArgsortAttrs>,
     .type = ArgsortRule,
     .kernel = ArgsortKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "s",
     .doc = "the positions of the elements in sorted order along an axis"},
    {.name = "searchsorted",
     .inputs = "sorted_sequence, values",
     .attrs = &kSchema<SearchSortedAttrs>,
     .type = SearchSortedRule,
     .kernel = SearchSortedKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "s",
     .element_types = "n",
     .doc = "where values belong in a sorted sequence"},
    {.name = "sort",
     .inputs = "data",
     .attrs = &kSchema<ArgsortAttrs>,
     .type = SortRule,
     .kernel = SortKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "s",
     .doc = "sorts along an axis"},
    {.name = "topk",
     .inputs = "data",
     .attrs = &kSchema<TopkAttrs>,
     .type = TopkRule,
     .kernel = TopkKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "s",
     .layout = TopkLayout,
     .doc = "the largest or smallest elements along an axis, in order, and their positions"},
});

}  // namespace relayopt
