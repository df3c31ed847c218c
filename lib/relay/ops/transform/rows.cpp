// Type rules and rows of the operators that convert element types, and that add, drop, permute or repeat axes and
// elements.
#include <algorithm>

#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction CastKernel, ReinterpretKernel, RepeatKernel, ReverseKernel, ReverseSequenceKernel, SameElementsKernel,
    SlidingWindowKernel, TileKernel, TransposeKernel;
LayoutRuleFunction SqueezeLayout, TransposeLayout;

namespace {

// More axes than any tensor has in practice: limits the shapes that an attribute can ask for.
constexpr int64_t kMaxExpandedRank = 1024;

// (extent - (window - 1) + stride - 1) / stride rounded down. As TVM: the operations are in this order, which
// is visible where the extent is symbolic.
auto WindowCount(Context& context, const Dim& extent, const Dim& window, const Dim& stride) -> Dim {
  const Dim starts = Sub(context, extent, Sub(context, window, 1));
  return FloorDiv(context, Sub(context, Add(context, starts, stride), 1), stride);
}

auto CastRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  return rule.Done(rule.type(0).shape, rule.attrs<CastAttrs>().dtype);
}

auto CastLikeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  return rule.Done(rule.type(0).shape, rule.type(1).dtype);
}

auto ExpandDimsRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<ExpandDimsAttrs>();
  const Type& data = rule.type(0);
  const auto rank = static_cast<int64_t>(data.rank());
  if (attrs.axis < -rank - 1 || attrs.axis > rank) {
    return rule.Error("expand_dims: axis must be in [{}, {}] for data with {}, found {}", -rank - 1, rank,
                      Counted(static_cast<size_t>(rank), "axis"), attrs.axis);
  }
  if (attrs.num_newaxis < 0) {
    return rule.Error("expand_dims: num_newaxis must not be negative, found {}", attrs.num_newaxis);
  }
  if (attrs.num_newaxis > kMaxExpandedRank - rank) {
    return rule.Error("expand_dims: {} new axes would make more than {}", attrs.num_newaxis, kMaxExpandedRank);
  }
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  const int64_t position = attrs.axis < 0 ? rank + attrs.axis + 1 : attrs.axis;
  shape.insert(shape.begin() + position, static_cast<size_t>(attrs.num_newaxis), Dim(1));
  return rule.Done(shape, data.dtype);
}

auto RepeatRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<RepeatAttrs>();
  const Type& data = rule.type(0);
  const auto repeats = IntegerOf(rule, "repeats", attrs.repeats);
  const auto value = repeats ? IntegerOf(rule, "axis", attrs.axis) : std::nullopt;
  const auto axis = value ? AxisOf(rule, "axis", *value, data.rank()) : std::nullopt;
  if (!axis) return RuleStatus::kFailed;
  if (*repeats < 1) return rule.Error("repeat: repeats must be at least 1, found {}", *repeats);
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  if (!shape[*axis].is_any()) shape[*axis] = Mul(rule.context(), shape[*axis], *repeats);
  return DoneShape(rule, shape, data.dtype);
}

auto ReverseRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto axis = IntegerOf(rule, "axis", rule.attrs<ReverseAttrs>().axis);
  if (!axis || !AxisOf(rule, "axis", *axis, rule.type(0).rank())) return RuleStatus::kFailed;
  return rule.DoneSameAs(0);
}

auto ReverseSequenceRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const auto& attrs = rule.attrs<ReverseSequenceAttrs>();
  const Type& data = rule.type(0);
  const Type& lengths = rule.type(1);
  if (const auto status = NeedRank(rule, 1, 1)) return *status;
  if (!lengths.dtype.is_int()) {
    return rule.ErrorAt(1, "reverse_sequence: seq_lengths must be signed integers, found {}", ToString(lengths.dtype));
  }
  const auto axes = AxesOf(rule, "seq_axis or batch_axis", {attrs.seq_axis, attrs.batch_axis}, data.rank());
  if (!axes) return RuleStatus::kFailed;
  const Dim& batch = data.shape[(*axes)[1]];
  if (ProvablyDifferent(lengths.shape[0], batch)) {
    return rule.ErrorAt(1, "reverse_sequence: seq_lengths must have {} elements, one for each batch, found {}",
                        ToString(batch), ToString(lengths.shape[0]));
  }
  return rule.DoneSameAs(0);
}

auto SlidingWindowRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<SlidingWindowAttrs>();
  const Type& data = rule.type(0);
  const auto window = IntegersOf(rule, "window_shape", attrs.window_shape);
  const auto strides = window ? IntegersOf(rule, "strides", attrs.strides) : std::nullopt;
  if (!strides) return RuleStatus::kFailed;
  const auto rank = static_cast<int64_t>(data.rank());
  if (attrs.axis < 0 || attrs.axis >= rank) {
    return rule.Error("sliding_window: axis must be in [0, {}), found {}", rank, attrs.axis);
  }
  const auto first = static_cast<size_t>(attrs.axis);
  const size_t count = data.rank() - first;
  if (window->size() != count || strides->size() != count) {
    return rule.Error("sliding_window: window_shape and strides must have {}, found {} and {}",
                      Counted(count, "element"), window->size(), strides->size());
  }
  std::vector<Dim> shape(data.shape.begin(), data.shape.begin() + attrs.axis);
  for (size_t i = 0; i < count; ++i) {
    if ((*window)[i] < 1 || (*strides)[i] < 1) {
      return rule.Error("sliding_window: windows and strides must be positive, found {} and {}", (*window)[i],
                        (*strides)[i]);
    }
    shape.push_back(WindowCount(rule.context(), data.shape[first + i], attrs.window_shape[i], attrs.strides[i]));
  }
  shape.insert(shape.end(), attrs.window_shape.begin(), attrs.window_shape.end());
  return DoneShape(rule, shape, data.dtype);
}

auto SqueezeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<SqueezeAttrs>();
  const Type& data = rule.type(0);
  std::vector<bool> dropped(data.rank(), false);
  if (attrs.axis.null) {
    for (size_t i = 0; i < data.rank(); ++i) {
      if (!data.shape[i].is_int()) {
        return rule.Error("squeeze: axis must be given for data of shape {}", ToString(data.shape));
      }
      dropped[i] = data.shape[i].is(1);
    }
  } else {
    const auto axes = AxesOf(rule, "axis", attrs.axis, data.rank());
    if (!axes) return RuleStatus::kFailed;
    for (const size_t axis : *axes) {
      if (ProvablyDifferent(data.shape[axis], 1)) {
        return rule.Error("squeeze: axis {} must have extent 1 to be dropped, found {}", axis,
                          ToString(data.shape[axis]));
      }
      dropped[axis] = true;
    }
  }
  std::vector<Dim> shape;
  for (size_t i = 0; i < data.rank(); ++i) {
    if (!dropped[i]) shape.push_back(data.shape[i]);
  }
  return rule.Done(shape, data.dtype);
}

auto TileRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<TileAttrs>();
  const Type& data = rule.type(0);
  const auto reps = IntegersOf(rule, "reps", attrs.reps);
  if (!reps) return RuleStatus::kFailed;
  for (const int64_t rep : *reps) {
    if (rep < 1) return rule.Error("tile: reps must be positive, found {}", rep);
  }
  // The shorter of shape and reps is padded with leading ones.
  const size_t rank = std::max(data.rank(), reps->size());
  const size_t shape_fill = rank - data.rank();
  const size_t reps_fill = rank - reps->size();
  std::vector<Dim> shape;
  shape.reserve(rank);
  for (size_t i = 0; i < rank; ++i) {
    const Dim extent = i < shape_fill ? Dim(1) : data.shape[i - shape_fill];
    const Dim rep = i < reps_fill ? Dim(1) : attrs.reps[i - reps_fill];
    shape.push_back(extent.is_int() ? Mul(rule.context(), extent, rep) : Dim::Any());
  }
  return DoneShape(rule, shape, data.dtype);
}

auto TransposeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<TransposeAttrs>();
  const Type& data = rule.type(0);
  if (attrs.axes.null) {
    return rule.Done(std::vector<Dim>(data.shape.rbegin(), data.shape.rend()), data.dtype);
  }
  if (attrs.axes.size() != data.rank()) {
    return rule.Error("transpose: axes must have {}, one for each axis of the data, found {}",
                      Counted(data.rank(), "element"), attrs.axes.size());
  }
  const auto axes = AxesOf(rule, "axes", attrs.axes, data.rank());
  if (!axes) return RuleStatus::kFailed;
  std::vector<bool> seen(data.rank(), false);
  std::vector<Dim> shape;
  shape.reserve(axes->size());
  for (const size_t axis : *axes) {
    if (seen[axis]) return rule.Error("transpose: axis {} is given twice", axis);
    seen[axis] = true;
    shape.push_back(data.shape[axis]);
  }
  return rule.Done(shape, data.dtype);
}

}  // namespace

constinit const OpRows<OpFamily::kTransform> kTransformOps = NumberedRows<OpFamily::kTransform>({
    {.name = "cast",
     .inputs = "data",
     .attrs = &kSchema<CastAttrs>,
     .type = CastRule,
     .kernel = CastKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = ElementwiseLayout,
     .doc = "converts elements to another type"},
    {.name = "cast_like",
     .inputs = "data, dtype_like",
     .type = CastLikeRule,
     .kernel = CastKernel,
     .fusion = Fusion::kElemWise,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .layout = ElementwiseLayout,
     .doc = "converts elements to the type of another tensor's"},
    {.name = "expand_dims",
     .inputs = "data",
     .attrs = &kSchema<ExpandDimsAttrs>,
     .type = ExpandDimsRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kBroadcast,
     .reshape_only = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kRearranges,
     .doc = "inserts axes of extent 1"},
    {.name = "reinterpret",
     .inputs = "data",
     .attrs = &kSchema<CastAttrs>,
     .type = CastRule,
     .kernel = ReinterpretKernel,
     .fusion = Fusion::kElemWise,
     .layout = ElementwiseLayout,
     .doc = "reads the bits of each element as another type"},
    {.name = "repeat",
     .inputs = "data",
     .attrs = &kSchema<RepeatAttrs>,
     .type = RepeatRule,
     .kernel = RepeatKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "s",
     .scale_rule = ScaleRule::kRearranges,
     .doc = "repeats each element along an axis"},
    {.name = "reverse",
     .inputs = "data",
     .attrs = &kSchema<ReverseAttrs>,
     .type = ReverseRule,
     .kernel = ReverseKernel,
     .fusion = Fusion::kInjective,
     .doc = "reverses the order of elements along an axis"},
    {.name = "reverse_sequence",
     .inputs = "data, seq_lengths",
     .attrs = &kSchema<ReverseSequenceAttrs>,
     .type = ReverseSequenceRule,
     .kernel = ReverseSequenceKernel,
     .fusion = Fusion::kInjective,
     .element_types = "*i",
     .doc = "reverses the first elements along an axis, as many as seq_lengths says for each batch"},
    {.name = "sliding_window",
     .inputs = "data",
     .attrs = &kSchema<SlidingWindowAttrs>,
     .type = SlidingWindowRule,
     .kernel = SlidingWindowKernel,
     .fusion = Fusion::kOpaque,
     .doc = "all positions of a window, each as a block of new axes"},
    {.name = "squeeze",
     .inputs = "data",
     .attrs = &kSchema<SqueezeAttrs>,
     .type = SqueezeRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kRearranges,
     .layout = SqueezeLayout,
     .doc = "drops axes of extent 1"},
    {.name = "tile",
     .inputs = "data",
     .attrs = &kSchema<TileAttrs>,
     .type = TileRule,
     .kernel = TileKernel,
     .fusion = Fusion::kBroadcast,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .doc = "repeats the whole data along each axis"},
    {.name = "transpose",
     .inputs = "data",
     .attrs = &kSchema<TransposeAttrs>,
     .type = TransposeRule,
     .kernel = TransposeKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kRearranges,
     .layout = TransposeLayout,
     .doc = "permutes axes"},
});

}  // namespace relayopt
