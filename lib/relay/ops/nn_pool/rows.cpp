// Type rules and rows of pooling.
#include "relayopt/relay/ops/nn_pool.h"

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/layout_shapes.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction AdaptiveAvgPool1DKernel, AdaptiveAvgPool2DKernel, AdaptiveAvgPool3DKernel, AdaptiveMaxPool1DKernel,
    AdaptiveMaxPool2DKernel, AdaptiveMaxPool3DKernel, AvgPool1DKernel, AvgPool2DGradKernel, AvgPool2DKernel,
    AvgPool3DKernel, GlobalAvgPool2DKernel, GlobalMaxPool2DKernel, MaxPool1DKernel, MaxPool2DGradKernel,
    MaxPool2DKernel, MaxPool3DKernel;
LayoutRuleFunction PoolingLayout;

namespace {

// The letters of the spatial axes, by their number.
constexpr std::string_view kSpatialLetters[] = {"W", "HW", "DHW"};

using Positions = absl::InlinedVector<size_t, 3>;

// Returns the positions of the spatial axes in the data, found by their letters in the layout, which must not be
// packed. Reports an error and returns nothing if one is missing.
auto SpatialPositions(RuleContext& rule, std::string_view layout_name, size_t spatial) -> std::optional<Positions> {
  const auto layout = ParseLayout(rule, "data", layout_name);
  if (!layout) return std::nullopt;
  Positions positions;
  for (const char letter : kSpatialLetters[spatial - 1]) {
    const auto position = layout->Find(letter);
    if (!position || layout->FactorOf(letter)) {
      rule.Error("{}: layout {} must have an axis {} that is not packed", rule.op().name, layout_name, letter);
      return std::nullopt;
    }
    if (*position >= rule.type(0).rank()) {
      rule.ErrorAt(0, "{}: data has shape {}, layout {} requires {} dimensions", rule.op().name,
                   ToString(rule.type(0).shape), layout_name, layout->rank());
      return std::nullopt;
    }
    positions.push_back(*position);
  }
  return positions;
}

// Returns the extent of a pooled axis.
auto PooledExtent(Context& context, const Dim& extent, const Dim& padding, const Dim& window, const Dim& stride,
                  bool ceil_mode) -> Dim {
  Dim room = Sub(context, Add(context, extent, padding), window);
  if (ceil_mode) room = Sub(context, Add(context, room, stride), 1);
  return Add(context, TruncDiv(context, room, stride), 1);
}

template <size_t kSpatial, typename A>
auto Pool(RuleContext& rule, const A& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto positions = SpatialPositions(rule, attrs.layout, kSpatial);
  if (!positions) return RuleStatus::kFailed;
  const auto padding = PaddingSums(rule, attrs.padding, kSpatial);
  if (!padding || !NeedLength(rule, "pool_size", attrs.pool_size, kSpatial) ||
      !NeedSteps(rule, "strides", attrs.strides, kSpatial) || !NeedLength(rule, "dilation", attrs.dilation, kSpatial)) {
    return RuleStatus::kFailed;
  }
  Context& context = rule.context();
  const Type& data = rule.type(0);
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  for (size_t i = 0; i < kSpatial; ++i) {
    Dim& extent = shape[(*positions)[i]];
    if (extent.is_any()) continue;
    const Dim window = DilatedExtent(context, attrs.pool_size[i], attrs.dilation[i]);
    extent = PooledExtent(context, extent, (*padding)[i], window, attrs.strides[i], attrs.ceil_mode);
  }
  return DoneShape(rule, shape, data.dtype);
}

template <size_t kSpatial, typename A>
auto AdaptivePool(RuleContext& rule, const A& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto positions = SpatialPositions(rule, attrs.layout, kSpatial);
  if (!positions) return RuleStatus::kFailed;
  const DimList& sizes = attrs.output_size;
  if (sizes.size() > 1 && sizes.size() != kSpatial) {
    const std::string_view and_all = kSpatial == 3 ? ", 1 or 3" : kSpatial == 2 ? ", 1 or 2" : " or 1";
    return rule.Error("{}: output_size has {}, it must have 0{}", rule.op().name, Counted(sizes.size(), "element"),
                      and_all);
  }
  const Type& data = rule.type(0);
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  for (size_t i = 0; i < kSpatial && !sizes.empty(); ++i) {
    shape[(*positions)[i]] = sizes[sizes.size() == 1 ? 0 : i];
  }
  return DoneShape(rule, shape, data.dtype);
}

auto GlobalPool2D(RuleContext& rule, const GlobalPool2DAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto positions = SpatialPositions(rule, attrs.layout, 2);
  if (!positions) return RuleStatus::kFailed;
  const Type& data = rule.type(0);
  std::vector<Dim> shape(data.shape.begin(), data.shape.end());
  for (const size_t position : *positions) shape[position] = 1;
  return DoneShape(rule, shape, data.dtype);
}

// Windows over the spatial axes of the data. AvgPool2DRule serves every operator with the same attributes whose first
// input is the data.
auto MaxPool1DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<MaxPool1DAttrs>(rule, Pool<1>); }

auto MaxPool2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<MaxPool2DAttrs>(rule, Pool<2>); }

auto MaxPool3DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<MaxPool3DAttrs>(rule, Pool<3>); }

auto AvgPool1DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<AvgPool1DAttrs>(rule, Pool<1>); }

}  // namespace

auto AvgPool2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<AvgPool2DAttrs>(rule, Pool<2>); }

namespace {

auto AvgPool3DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<AvgPool3DAttrs>(rule, Pool<3>); }

// Windows chosen so that the result has given extents, or extent 1.
auto AdaptivePool1DRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<AdaptivePool1DAttrs>(rule, AdaptivePool<1>);
}

auto AdaptivePool2DRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<AdaptivePool2DAttrs>(rule, AdaptivePool<2>);
}

auto AdaptivePool3DRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<AdaptivePool3DAttrs>(rule, AdaptivePool<3>);
}

auto GlobalPool2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<GlobalPool2DAttrs>(rule, GlobalPool2D); }

// The rule of the gradient of pooling, whose inputs are the gradient of the result and the data.
auto PoolGradientRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(1, 2)) return *status;
  return rule.DoneSameAs(1);
}

// Returns the shape that the rows of pooling share.
constexpr auto Pooling(std::string_view name, const AttrsSchema& attrs, TypeRule type, Kernel kernel,
                       std::string_view doc, LayoutConverter convert_layout = nullptr) -> OpDef {
  return {.name = name,
          .inputs = "data",
          .attrs = &attrs,
          .type = type,
          .kernel = kernel,
          .fusion = Fusion::kOutEWiseFusable,
          .layout = PoolingLayout,
          .convert_layout = convert_layout,
          .doc = doc};
}

}  // namespace

constinit const OpRows<OpFamily::kNnPool> kNnPoolOps = NumberedRows<OpFamily::kNnPool>({
    Pooling("nn.adaptive_avg_pool1d", kSchema<AdaptivePool1DAttrs>, AdaptivePool1DRule, AdaptiveAvgPool1DKernel,
            "average over windows along one axis, to a given extent")
        .With(Precision::kNever)
        .On("n"),
    Pooling("nn.adaptive_avg_pool2d", kSchema<AdaptivePool2DAttrs>, AdaptivePool2DRule, AdaptiveAvgPool2DKernel,
            "average over windows along two axes, to a given extent")
        .With(Precision::kNever)
        .On("n"),
    Pooling("nn.adaptive_avg_pool3d", kSchema<AdaptivePool3DAttrs>, AdaptivePool3DRule, AdaptiveAvgPool3DKernel,
            "average over windows along three axes, to a given extent")
        .With(Precision::kNever),
    Pooling("nn.adaptive_max_pool1d", kSchema<AdaptivePool1DAttrs>, AdaptivePool1DRule, AdaptiveMaxPool1DKernel,
            "maximum over windows along one axis, to a given extent")
        .With(Precision::kFollow)
        .On("n"),
    Pooling("nn.adaptive_max_pool2d", kSchema<AdaptivePool2DAttrs>, AdaptivePool2DRule, AdaptiveMaxPool2DKernel,
            "maximum over windows along two axes, to a given extent")
        .With(Precision::kFollow)
        .On("n"),
    Pooling("nn.adaptive_max_pool3d", kSchema<AdaptivePool3DAttrs>, AdaptivePool3DRule, AdaptiveMaxPool3DKernel,
            "maximum over windows along three axes, to a given extent")
        .With(Precision::kFollow),
    Pooling("nn.avg_pool1d", kSchema<AvgPool1DAttrs>, AvgPool1DRule, AvgPool1DKernel,
            "average over windows along one axis")
        .With(Precision::kFollow),
    Pooling("nn.avg_pool2d", kSchema<AvgPool2DAttrs>, AvgPool2DRule, AvgPool2DKernel,
            "average over windows along two axes", ConvertPooling)
        .With(Precision::kFollow),
    {.name = "nn.avg_pool2d_grad",
     .inputs = "data, grad",
     .attrs = &kSchema<AvgPool2DAttrs>,
     .type = PoolGradientRule,
     .kernel = AvgPool2DGradKernel,
     .fusion = Fusion::kOutEWiseFusable,
     // The operator declares MaxPool2DAttrs, which its builder does not attach.
     .attrs_undeclared = true,
     .doc = "gradient of avg_pool2d; called with the gradient first"},
    Pooling("nn.avg_pool3d", kSchema<AvgPool3DAttrs>, AvgPool3DRule, AvgPool3DKernel,
            "average over windows along three axes")
        .With(Precision::kFollow),
    Pooling("nn.global_avg_pool2d", kSchema<GlobalPool2DAttrs>, GlobalPool2DRule, GlobalAvgPool2DKernel,
            "average over all of two axes", ConvertPooling)
        .With(Precision::kNever)
        .On("n"),
    Pooling("nn.global_max_pool2d", kSchema<GlobalPool2DAttrs>, GlobalPool2DRule, GlobalMaxPool2DKernel,
            "maximum over all of two axes", ConvertPooling)
        .With(Precision::kFollow)
        .On("n"),
    Pooling("nn.max_pool1d", kSchema<MaxPool1DAttrs>, MaxPool1DRule, MaxPool1DKernel,
            "maximum over windows along one axis")
        .With(Precision::kFollow),
    Pooling("nn.max_pool2d", kSchema<MaxPool2DAttrs>, MaxPool2DRule, MaxPool2DKernel,
            "maximum over windows along two axes", ConvertPooling)
        .With(Precision::kFollow),
    {.name = "nn.max_pool2d_grad",
     .inputs = "data, grad",
     .attrs = &kSchema<MaxPool2DAttrs>,
     .type = PoolGradientRule,
     .kernel = MaxPool2DGradKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "gradient of max_pool2d; called with the gradient first"},
    Pooling("nn.max_pool3d", kSchema<MaxPool3DAttrs>, MaxPool3DRule, MaxPool3DKernel,
            "maximum over windows along three axes")
        .With(Precision::kFollow),
});

}  // namespace relayopt
