// Type rules and rows of convolutions and transposed convolutions.
#include "relayopt/relay/ops/nn_conv.h"

#include "conv_spec.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction Conv1DKernel, Conv1DTransposeKernel, Conv2DKernel, Conv2DTransposeKernel, Conv3DKernel,
    Conv3DTransposeKernel;

namespace {

// The order of a kernel's two channel axes.
enum class Direction : uint8_t { kForward, kTransposed };

// A convolution whose type is being inferred.
struct ConvCall {
  ConvSpec spec;
  Direction direction;
  // The weight has an axis of groups of its own (GOIHW).
  bool group_axis;
  // The data's shape in the canonical layout.
  std::vector<Dim> data;

  auto kernel_layout() const -> std::string_view {
    if (group_axis) return "GOIHW";
    constexpr std::string_view kTransposed[] = {"IOW", "IOHW", "IODHW"};
    return direction == Direction::kForward ? CanonicalKernelLayout(spec.spatial) : kTransposed[spec.spatial - 1];
  }
  // Number of weight axes that are not spatial.
  auto skip() const -> size_t { return group_axis ? 3 : 2; }
  auto in_channels() const -> const Dim& { return data[1]; }
};

// Returns the weight's shape in the canonical layout, or nothing after a diagnostic. The weight must be a known tensor.
auto WeightShape(RuleContext& rule, const ConvCall& call) -> std::optional<std::vector<Dim>> {
  return ConvertShape(rule, "weight", call.spec.kernel_layout, call.kernel_layout(), rule.type(1).shape);
}

// A depthwise weight: one group per channel of the data, with the multiplier as the weight's second extent.
auto IsDepthwise(const ConvCall& call, Shape weight) -> bool {
  if (call.direction != Direction::kForward || call.spec.groups == 1 || call.spec.spatial == 1 || call.group_axis) {
    return false;
  }
  return call.in_channels().is(call.spec.groups) && weight[0].is(call.spec.groups);
}

// Returns the number of output channels of a weight.
auto WeightChannels(Context& context, const ConvCall& call, Shape weight) -> Dim {
  const bool forward = call.direction == Direction::kForward;
  if (call.group_axis) return Mul(context, weight[0], weight[1]);
  if (forward) return IsDepthwise(call, weight) ? Mul(context, weight[0], weight[1]) : weight[0];
  return Mul(context, weight[1], call.spec.groups);
}

// Returns the weight's extents in the canonical layout, from channels and kernel size.
auto InferredWeight(Context& context, const ConvCall& call, const ConvKernel& kernel, bool depthwise)
    -> std::vector<Dim> {
  const Dim groups = call.spec.groups;
  const Dim& in = call.in_channels();
  const Dim& out = kernel.channels;
  std::vector<Dim> shape;
  if (call.group_axis && call.direction == Direction::kForward) {
    shape = {groups, FloorDiv(context, out, groups), FloorDiv(context, in, groups)};
  } else if (call.group_axis) {
    shape = {groups, FloorDiv(context, in, groups), FloorDiv(context, out, groups)};
  } else if (call.direction == Direction::kTransposed) {
    shape = {in, FloorDiv(context, out, groups)};
  } else if (depthwise) {
    shape = {in, FloorDiv(context, out, in)};
  } else {
    shape = {out, FloorDiv(context, in, groups)};
  }
  shape.insert(shape.end(), kernel.extents.begin(), kernel.extents.end());
  return shape;
}

// Channels and kernel size are given: the weight's type is inferred from them.
auto LearnWeight(RuleContext& rule, const ConvCall& call, ConvKernel& kernel) -> std::optional<RuleStatus> {
  Context& context = rule.context();
  auto from_attrs = KernelFromAttrs(rule, call.spec);
  if (!from_attrs) return RuleStatus::kFailed;
  kernel = *std::move(from_attrs);
  const Type* weight = rule.tensor(1);
  bool depthwise = false;
  if (weight != nullptr) {
    const bool matters = kernel.channels.is_any() || (call.spec.groups > 1 && call.spec.spatial > 1);
    if (matters) {
      const auto shape = WeightShape(rule, call);
      if (!shape) return RuleStatus::kFailed;
      depthwise = IsDepthwise(call, *shape);
      // `channels=?` only means that the importer did not know them; the weight may give them.
      const Dim found = WeightChannels(context, call, *shape);
      if (kernel.channels.is_any() && found.is_int()) kernel.channels = found;
    }
  } else if (call.direction == Direction::kForward && call.spec.groups > 1 && call.spec.spatial > 1) {
    // Only the weight shows whether it is depthwise.
    return rule.NeedTensors(1, 2);
  }
  const std::vector<Dim> learnt = InferredWeight(context, call, kernel, depthwise);
  if (const auto status = CheckExtents(rule, learnt)) return status;
  const auto shape = ConvertShape(rule, "weight", call.kernel_layout(), call.spec.kernel_layout, learnt);
  if (!shape) return RuleStatus::kFailed;
  const DataType dtype = weight != nullptr ? weight->dtype : rule.type(0).dtype;
  if (!AssignShape(rule, 1, *shape, dtype)) return RuleStatus::kFailed;
  return std::nullopt;
}

// Whether the weight's extents agree with the data's and the attributes' channels; reports an error if not.
auto CheckChannels(RuleContext& rule, const ConvCall& call, Shape weight) -> bool {
  Context& context = rule.context();
  const ConvSpec& spec = call.spec;
  const bool forward = call.direction == Direction::kForward;
  // The extents of the weight's two channel axes that the attributes and the data require.
  const Dim in = forward ? FloorDiv(context, call.in_channels(), spec.groups) : call.in_channels();
  const Dim out = forward || spec.channels.is_null() ? spec.channels : FloorDiv(context, spec.channels, spec.groups);
  const Dim& weight_in = weight[forward ? 1 : 0];
  const Dim& weight_out = weight[forward ? 0 : 1];
  if (!out.is_null() && ProvablyDifferent(out, weight_out)) {
    rule.ErrorAt(1, "{}: weight has {} output channels, the attributes require {}", rule.op().name,
                 ToString(weight_out), ToString(out));
    return false;
  }
  if (ProvablyDifferent(in, weight_in)) {
    rule.ErrorAt(1, "{}: weight has {} input channels, it must have {} (data has {}, groups is {})", rule.op().name,
                 ToString(weight_in), ToString(in), ToString(call.in_channels()), spec.groups);
    return false;
  }
  return true;
}

// Channels or kernel size is missing: both are taken from the weight.
auto ReadWeight(RuleContext& rule, const ConvCall& call, ConvKernel& kernel) -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(1, 2)) return status;
  if (call.group_axis) {
    return rule.Error("{}: kernel layout {} needs channels and kernel_size", rule.op().name, call.spec.kernel_layout);
  }
  const auto weight = WeightShape(rule, call);
  if (!weight) return RuleStatus::kFailed;
  if (!CheckKernelSize(rule, call.spec, *weight, call.skip()) || !CheckChannels(rule, call, *weight)) {
    return RuleStatus::kFailed;
  }
  // As TVM: a transposed convolution does not count the groups here.
  kernel.channels = (*weight)[call.direction == Direction::kForward ? 0 : 1];
  kernel.extents.assign(weight->begin() + static_cast<std::ptrdiff_t>(call.skip()), weight->end());
  return std::nullopt;
}

// Returns the result of a transposed convolution in the canonical layout.
auto TransposedResult(RuleContext& rule, const ConvSpec& spec, const DimList& output_padding, Shape data,
                      const ConvKernel& kernel) -> std::optional<std::vector<Dim>> {
  Context& context = rule.context();
  const auto padding = PaddingSums(rule, spec.padding, spec.spatial);
  if (!padding || !NeedLength(rule, "output_padding", output_padding, spec.spatial)) return std::nullopt;
  std::vector<Dim> shape = {data[0], kernel.channels};
  for (size_t i = 0; i < spec.spatial; ++i) {
    const Dim& extent = data[2 + i];
    if (extent.is_any()) {
      shape.push_back(extent);
      continue;
    }
    const Dim window = DilatedExtent(context, kernel.extents[i], spec.dilation[i]);
    const Dim spread = Mul(context, spec.strides[i], Sub(context, extent, 1));
    const Dim whole = Sub(context, Add(context, spread, window), (*padding)[i]);
    shape.push_back(Add(context, whole, output_padding[i]));
  }
  return shape;
}

// Returns the common part of all rules; `output_padding` is null for forward convolutions.
auto Convolve(RuleContext& rule, const ConvSpec& spec, const DimList* output_padding) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (!CheckConvSpec(rule, spec)) return RuleStatus::kFailed;
  auto data = ConvertShape(rule, "data", spec.data_layout, CanonicalDataLayout(spec.spatial), rule.type(0).shape);
  if (!data) return RuleStatus::kFailed;
  const ConvCall call = {
      .spec = spec,
      .direction = output_padding == nullptr ? Direction::kForward : Direction::kTransposed,
      .group_axis = spec.spatial == 2 && spec.groups > 1 && spec.kernel_layout.find('G') != std::string_view::npos,
      .data = *std::move(data)};
  const bool given = !spec.channels.is_null() && !spec.kernel_size.null;
  ConvKernel kernel;
  if (const auto status = given ? LearnWeight(rule, call, kernel) : ReadWeight(rule, call, kernel)) return *status;
  const auto shape = output_padding == nullptr ? ConvResult(rule, spec, call.data, kernel, Rounding::kFloor, true)
                                               : TransposedResult(rule, spec, *output_padding, call.data, kernel);
  if (!shape) return RuleStatus::kFailed;
  return DoneConv(rule, spec, *shape, rule.type(0).dtype);
}

template <typename A, size_t kSpatial>
auto Forward(RuleContext& rule, const A& attrs) -> RuleStatus {
  return Convolve(rule, SpecOf(attrs, kSpatial), nullptr);
}

template <typename A, size_t kSpatial>
auto Transposed(RuleContext& rule, const A& attrs) -> RuleStatus {
  return Convolve(rule, SpecOf(attrs, kSpatial), &attrs.output_padding);
}

// Data and weight give the result; the weight's shape is learnt from `channels` and `kernel_size` when both are given.
// The two-dimensional rules serve every operator with the same attributes whose first inputs are data and weight.
auto Conv1DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<Conv1DAttrs>(rule, Forward<Conv1DAttrs, 1>); }

}  // namespace

auto Conv2DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<Conv2DAttrs>(rule, Forward<Conv2DAttrs, 2>); }

namespace {

auto Conv3DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<Conv3DAttrs>(rule, Forward<Conv3DAttrs, 3>); }

auto Conv1DTransposeRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<Conv1DTransposeAttrs>(rule, Transposed<Conv1DTransposeAttrs, 1>);
}

}  // namespace

auto Conv2DTransposeRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<Conv2DTransposeAttrs>(rule, Transposed<Conv2DTransposeAttrs, 2>);
}

namespace {

auto Conv3DTransposeRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<Conv3DTransposeAttrs>(rule, Transposed<Conv3DTransposeAttrs, 3>);
}

}  // namespace

constinit const OpRows<OpFamily::kNnConv> kNnConvOps = NumberedRows<OpFamily::kNnConv>({
    Convolution("nn.conv1d", kSchema<Conv1DAttrs>, Conv1DRule, Conv1DKernel, "cross-correlation along one axis")
        .With(Precision::kAlways),
    {.name = "nn.conv1d_transpose",
     .inputs = "data, weight",
     .attrs = &kSchema<Conv1DTransposeAttrs>,
     .type = Conv1DTransposeRule,
     .kernel = Conv1DTransposeKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .precision = Precision::kAlways,
     .doc = "transposed convolution along one axis"},
    Convolution("nn.conv2d", kSchema<Conv2DAttrs>, Conv2DRule, Conv2DKernel, "cross-correlation along two axes",
                ConvertConv2D)
        .With(Precision::kAlways)
        .With(ScaleRule::kConvolution),
    Convolution("nn.conv2d_transpose", kSchema<Conv2DTransposeAttrs>, Conv2DTransposeRule, Conv2DTransposeKernel,
                "transposed convolution along two axes", ConvertConv2DTranspose)
        .With(Precision::kAlways),
    Convolution("nn.conv3d", kSchema<Conv3DAttrs>, Conv3DRule, Conv3DKernel, "cross-correlation along three axes",
                ConvertConv3D)
        .With(Precision::kAlways)
        .With(ScaleRule::kConvolution),
    Convolution("nn.conv3d_transpose", kSchema<Conv3DTransposeAttrs>, Conv3DTransposeRule, Conv3DTransposeKernel,
                "transposed convolution along three axes", ConvertConv3DTranspose)
        .With(Precision::kAlways),
});

}  // namespace relayopt
