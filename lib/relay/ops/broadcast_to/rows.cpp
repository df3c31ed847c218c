// Type rules and rows of the operators that broadcast to a shape.

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction BroadcastToKernel, CollapseSumLikeKernel, CollapseSumToKernel;

namespace {

// Returns the type that the result was known to have before this rule ran, when it is a tensor. As TVM: whether shapes
// fit is checked against such a type (an annotation) only, never against the one that the rule itself computes.
auto AnnotatedResult(RuleContext& rule) -> const Type* {
  if (!rule.known_result()) return nullptr;
  const Type& type = rule.context().type(rule.known_result());
  return type.is_tensor() ? &type : nullptr;
}

auto BroadcastTo(RuleContext& rule, const InitOpAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  const auto shape = ShapeOf(rule, "shape", attrs.shape);
  if (!shape) return RuleStatus::kFailed;
  // TVM does not check this, and fails when the program runs.
  if (!MayBroadcastTo(data.shape, *shape)) {
    return rule.Error("{}: data of shape {} cannot be repeated to {}", rule.op().name, ToString(data.shape),
                      ToString(Shape(*shape)));
  }
  const Type* annotated = AnnotatedResult(rule);
  if (annotated != nullptr) {
    const auto wider = BroadcastOf(rule, data.shape, annotated->shape);
    if (!wider) return RuleStatus::kFailed;
    if (rule.Done(*wider, data.dtype) == RuleStatus::kFailed) return RuleStatus::kFailed;
  }
  return rule.Done(*shape, data.dtype);
}

auto CollapseSumTo(RuleContext& rule, const InitOpAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& data = rule.type(0);
  const auto rank = StaticLength(rule, 1);
  if (!rank) return RuleStatus::kFailed;
  std::vector<Dim> shape(*rank, Dim::Any());
  if (!attrs.shape.null) {
    const auto given = ShapeOf(rule, "shape", attrs.shape);
    if (!given) return RuleStatus::kFailed;
    shape = *given;
  }
  if (!MayBroadcastTo(shape, data.shape)) {
    return rule.Error("{}: data of shape {} cannot be summed to {}", rule.op().name, ToString(data.shape),
                      ToString(Shape(shape)));
  }
  const Type* annotated = AnnotatedResult(rule);
  if (annotated != nullptr) {
    const auto wider = BroadcastOf(rule, data.shape, annotated->shape);
    if (!wider || !rule.AssignInput(0, *wider, data.dtype)) return RuleStatus::kFailed;
  }
  return rule.Done(shape, data.dtype);
}

// Returns the broadcast of both inputs, which must be tensors with one element type, or nothing after a diagnostic.
auto BroadcastInputs(RuleContext& rule) -> std::optional<std::vector<Dim>> {
  const Type& data = rule.type(0);
  const Type& like = rule.type(1);
  if (data.dtype == like.dtype) return BroadcastOf(rule, data.shape, like.shape);
  rule.ErrorAt(1, "{}: data is {} but {} is {}", rule.op().name, ToString(data.dtype), InputName(rule.op(), 1),
               ToString(like.dtype));
  return std::nullopt;
}

auto BroadcastToRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, BroadcastTo); }

auto CollapseSumToRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, CollapseSumTo); }

auto BroadcastToLikeRule(RuleContext& rule) -> RuleStatus {
  // The result is known as soon as the second type is, whatever the first one is.
  if (rule.DoneSameAs(1) == RuleStatus::kFailed) return RuleStatus::kFailed;
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const auto shape = BroadcastInputs(rule);
  if (!shape) return RuleStatus::kFailed;
  return rule.Done(*shape, rule.type(0).dtype);
}

auto CollapseSumLikeRule(RuleContext& rule) -> RuleStatus {
  if (rule.DoneSameAs(1) == RuleStatus::kFailed) return RuleStatus::kFailed;
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const auto shape = BroadcastInputs(rule);
  if (!shape || !rule.AssignInput(0, *shape, rule.type(0).dtype)) return RuleStatus::kFailed;
  return RuleStatus::kDone;
}

}  // namespace

constinit const OpRows<OpFamily::kBroadcastTo> kBroadcastToOps = NumberedRows<OpFamily::kBroadcastTo>({
    {.name = "broadcast_to",
     .inputs = "data",
     .attrs = &kSchema<InitOpAttrs>,
     .type = BroadcastToRule,
     .kernel = BroadcastToKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "d",
     .doc = "broadcasts to a shape"},
    {.name = "broadcast_to_like",
     .inputs = "data, broadcast_type",
     .type = BroadcastToLikeRule,
     .kernel = BroadcastToKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "broadcasts to the shape of another tensor"},
    {.name = "collapse_sum_like",
     .inputs = "data, collapse_type",
     .type = CollapseSumLikeRule,
     .kernel = CollapseSumLikeKernel,
     .fusion = Fusion::kCommReduce,
     .doc = "sums over the axes along which another tensor would be broadcast"},
    {.name = "collapse_sum_to",
     .inputs = "data, shape",
     .attrs = &kSchema<InitOpAttrs>,
     .type = CollapseSumToRule,
     .kernel = CollapseSumToKernel,
     .fusion = Fusion::kCommReduce,
     .attrs_undeclared = true,
     .doc = "sums over the axes along which a tensor of a shape would be broadcast"},
});

}  // namespace relayopt
