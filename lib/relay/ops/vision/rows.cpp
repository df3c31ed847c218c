// Type rules and rows of the vision operators.
#include "relayopt/relay/ops/vision.h"

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction AllClassNonMaxSuppressionKernel, GetValidCountsKernel, MultiBoxPriorKernel, MultiBoxTransformLocKernel,
    NonMaxSuppressionKernel, ProposalKernel, ROIAlignKernel, ROIPoolKernel, RegularNonMaxSuppressionKernel,
    YoloReorgKernel;
LayoutRuleFunction RegionLayout;

namespace {

// Inputs 0 to ranks.size() are tensors of these ranks.
auto NeedRanks(RuleContext& rule, std::initializer_list<size_t> ranks) -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(0, ranks.size())) return status;
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (const auto status = NeedRank(rule, i, ranks.begin()[i])) return status;
  }
  return std::nullopt;
}

// Returns nothing unless extent `axis` of input `i` certainly differs from `expected`.
auto NeedExtent(RuleContext& rule, size_t i, size_t axis, const Dim& expected) -> std::optional<RuleStatus> {
  const Dim& found = rule.type(i).shape[axis];
  if (expected.is_null()) return rule.Error("{}: an extent overflows 64 bits", rule.op().name);
  if (!ProvablyDifferent(found, expected)) return std::nullopt;
  return rule.ErrorAt(i, "{}: extent {} of {} must be {}, found {}", rule.op().name, axis, InputName(rule.op(), i),
                      ToString(expected), ToString(found));
}

// Returns the length of an array of floats; `otherwise` is that of the declared default.
auto NumFloats(RuleContext& rule, ObjectId array, size_t otherwise) -> int64_t {
  if (!array) return static_cast<int64_t>(otherwise);
  return static_cast<int64_t>(rule.context().object(array).items.size());
}

// Computes the result of the two operators on regions of interest.
auto Regions(RuleContext& rule, const DimList& pooled, const std::string& layout) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {4, 2})) return *status;
  if (!NeedLength(rule, "pooled_size", pooled, 2)) return RuleStatus::kFailed;
  const Type& data = rule.type(0);
  const Dim& regions = rule.type(1).shape[0];
  if (layout == "NCHW") {
    return DoneShape(rule, std::array{regions, data.shape[1], pooled[0], pooled[1]}, data.dtype);
  }
  if (layout == "NHWC") {
    return DoneShape(rule, std::array{regions, pooled[0], pooled[1], data.shape[3]}, data.dtype);
  }
  return rule.Error("{}: layout must be NCHW or NHWC, found {}", rule.op().name, layout);
}

auto AllClassNonMaxSuppression(RuleContext& rule, const AllClassNonMaximumSuppressionAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {3, 3})) return *status;
  Context& context = rule.context();
  const Dim& batch = rule.type(0).shape[0];
  const Dim& boxes = rule.type(0).shape[1];
  const Dim& classes = rule.type(1).shape[1];
  if (attrs.output_format == "onnx") {
    Dim rows = Dim::Any();
    if (!batch.is_any() && !boxes.is_any()) rows = Mul(context, Mul(context, batch, classes), boxes);
    if (const auto status = CheckExtents(rule, std::array{rows})) return *status;
    return rule.DoneTuple(std::array{context.Tensor({rows, 3}, kInt64), context.Tensor({1}, kInt64)});
  }
  const Dim rows = boxes.is_any() ? Dim::Any() : Mul(context, classes, boxes);
  if (const auto status = CheckExtents(rule, std::array{rows})) return *status;
  return rule.DoneTuple(std::array{context.Tensor({batch, rows, 2}, kInt64), context.Tensor({batch, rows}, kFloat32),
                                   context.Tensor({batch}, kInt64)});
}

auto MultiBoxPrior(RuleContext& rule, const MultiBoxPriorAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {4})) return *status;
  Context& context = rule.context();
  const Type& data = rule.type(0);
  const int64_t to_a_cell = NumFloats(rule, attrs.sizes, std::size(kMultiBoxSizes)) +
                            NumFloats(rule, attrs.ratios, std::size(kMultiBoxRatios)) - 1;
  const Dim boxes = Mul(context, Mul(context, data.shape[2], data.shape[3]), to_a_cell);
  return DoneShape(rule, std::array{Dim(1), boxes, Dim(4)}, data.dtype);
}

auto NonMaxSuppression(RuleContext& rule, const NonMaximumSuppressionAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {3, 1})) return *status;
  if (!attrs.return_indices) return rule.Done(rule.input(0));
  Context& context = rule.context();
  const Shape shape = rule.type(0).shape;
  return rule.DoneTuple(
      std::array{context.Tensor({shape[0], shape[1]}, kInt32), context.Tensor({shape[0], 1}, kInt32)});
}

auto Proposal(RuleContext& rule, const ProposalAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {4, 4, 2})) return *status;
  if (const auto status = NeedExtent(rule, 2, 1, 3)) return *status;
  const Type& classes = rule.type(0);
  const Dim rows = Mul(rule.context(), classes.shape[0], attrs.rpn_post_nms_top_n);
  return DoneShape(rule, std::array{rows, Dim(5)}, classes.dtype);
}

auto RegularNonMaxSuppression(RuleContext& rule, const RegularNonMaximumSuppressionAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {3, 3})) return *status;
  const Dim& batch = rule.type(0).shape[0];
  const Dim kept = attrs.max_detections;
  if (const auto status = CheckExtents(rule, std::array{kept})) return *status;
  Context& context = rule.context();
  const TypeId flat = context.Tensor({batch, kept}, kFloat32);
  return rule.DoneTuple(
      std::array{context.Tensor({batch, kept, 4}, kFloat32), flat, flat, context.Tensor({batch}, kInt32)});
}

auto ROIAlign(RuleContext& rule, const ROIAlignAttrs& attrs) -> RuleStatus {
  return Regions(rule, attrs.pooled_size, attrs.layout);
}

auto ROIPool(RuleContext& rule, const ROIPoolAttrs& attrs) -> RuleStatus {
  return Regions(rule, attrs.pooled_size, attrs.layout);
}

auto YoloReorg(RuleContext& rule, const YoloReorgAttrs& attrs) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {4})) return *status;
  const Dim& stride = attrs.stride;
  if (!stride.is_int() || stride.value() <= 0) {
    return rule.Error("{}: stride must be positive, found {}", rule.op().name, ToString(stride));
  }
  Context& context = rule.context();
  const Type& data = rule.type(0);
  // As TVM: in a symbolic extent both factors are one object.
  const Dim factor = data.shape[1].is_int() ? stride : Dim::Expr(AsObject(context, stride));
  const Dim channels = Mul(context, Mul(context, data.shape[1], factor), factor);
  return DoneShape(rule,
                   std::array{data.shape[0], channels, FloorDiv(context, data.shape[2], stride),
                              FloorDiv(context, data.shape[3], stride)},
                   data.dtype);
}

auto GetValidCountsRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {3})) return *status;
  Context& context = rule.context();
  const Shape shape = rule.type(0).shape;
  return rule.DoneTuple(
      std::array{context.Tensor({shape[0]}, kInt32), rule.input(0), context.Tensor({shape[0], shape[1]}, kInt32)});
}

auto MultiBoxTransformLocRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = NeedRanks(rule, {3, 2, 3})) return *status;
  Context& context = rule.context();
  const Type& classes = rule.type(0);
  const Dim& anchors = rule.type(2).shape[1];
  if (const auto status = NeedExtent(rule, 2, 1, classes.shape[2])) return *status;
  if (const auto status = NeedExtent(rule, 1, 1, Mul(context, classes.shape[2], 4))) return *status;
  if (anchors.is_int() && anchors.value() <= 0) return rule.ErrorAt(2, "{}: there are no anchors", rule.op().name);
  if (const auto status = NeedExtent(rule, 2, 2, 4)) return *status;
  const Dim& batch = classes.shape[0];
  return rule.DoneTuple(
      std::array{context.Tensor({batch, anchors, 6}, classes.dtype), context.Tensor({batch}, kInt32)});
}

auto AllClassNonMaxSuppressionRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs(rule, AllClassNonMaxSuppression);
}

auto MultiBoxPriorRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, MultiBoxPrior); }

auto NonMaxSuppressionRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, NonMaxSuppression); }

auto ProposalRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Proposal); }

auto RegularNonMaxSuppressionRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, RegularNonMaxSuppression); }

auto ROIAlignRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, ROIAlign); }

auto ROIPoolRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, ROIPool); }

auto YoloReorgRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, YoloReorg); }

}  // namespace

constinit const OpRows<OpFamily::kVision> kVisionOps = NumberedRows<OpFamily::kVision>({
    {.name = "vision.all_class_non_max_suppression",
     .inputs = "boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold",
     .attrs = &kSchema<AllClassNonMaximumSuppressionAttrs>,
     .type = AllClassNonMaxSuppressionRule,
     .kernel = AllClassNonMaxSuppressionKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .doc = "non-maximum suppression of every class by itself"},
    {.name = "vision.get_valid_counts",
     .inputs = "data, score_threshold",
     .attrs = &kSchema<GetValidCountsAttrs>,
     .type = GetValidCountsRule,
     .kernel = GetValidCountsKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .doc = "moves the boxes above a score to the front and counts them"},
    {.name = "vision.multibox_prior",
     .inputs = "data",
     .attrs = &kSchema<MultiBoxPriorAttrs>,
     .type = MultiBoxPriorRule,
     .kernel = MultiBoxPriorKernel,
     .fusion = Fusion::kOpaque,
     .doc = "anchor boxes for each cell of a feature map"},
    {.name = "vision.multibox_transform_loc",
     .inputs = "cls_prob, loc_pred, anchor",
     .attrs = &kSchema<MultiBoxTransformLocAttrs>,
     .type = MultiBoxTransformLocRule,
     .kernel = MultiBoxTransformLocKernel,
     .fusion = Fusion::kOpaque,
     .doc = "decodes predicted boxes relative to anchors"},
    {.name = "vision.non_max_suppression",
     .inputs = "data, valid_count, indices, max_output_size, iou_threshold",
     .attrs = &kSchema<NonMaximumSuppressionAttrs>,
     .type = NonMaxSuppressionRule,
     .kernel = NonMaxSuppressionKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .shape_function = "s",
     .doc = "drops boxes that overlap a better one"},
    {.name = "vision.proposal",
     .inputs = "cls_prob, bbox_pred, im_info",
     .attrs = &kSchema<ProposalAttrs>,
     .type = ProposalRule,
     .kernel = ProposalKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .doc = "region proposals of a region proposal network"},
    {.name = "vision.regular_non_max_suppression",
     .inputs = "boxes, scores",
     .attrs = &kSchema<RegularNonMaximumSuppressionAttrs>,
     .type = RegularNonMaxSuppressionRule,
     .kernel = RegularNonMaxSuppressionKernel,
     .fusion = Fusion::kOpaque,
     .attrs_undeclared = true,
     .doc = "non-maximum suppression of every class, then the best of all"},
    {.name = "vision.roi_align",
     .inputs = "data, rois",
     .attrs = &kSchema<ROIAlignAttrs>,
     .type = ROIAlignRule,
     .kernel = ROIAlignKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .attrs_undeclared = true,
     .shape_function = "s",
     .layout = RegionLayout,
     .convert_layout = ConvertRegion,
     .doc = "samples regions to a fixed size, with interpolation"},
    {.name = "vision.roi_pool",
     .inputs = "data, rois",
     .attrs = &kSchema<ROIPoolAttrs>,
     .type = ROIPoolRule,
     .kernel = ROIPoolKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .attrs_undeclared = true,
     .layout = RegionLayout,
     .convert_layout = ConvertRegion,
     .doc = "pools regions to a fixed size"},
    {.name = "vision.yolo_reorg",
     .inputs = "data",
     .attrs = &kSchema<YoloReorgAttrs>,
     .type = YoloReorgRule,
     .kernel = YoloReorgKernel,
     .fusion = Fusion::kInjective,
     .doc = "moves blocks of cells into channels"},
});

}  // namespace relayopt
