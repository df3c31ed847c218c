// Type rules and rows of padding, resampling and rearrangement.
#include "relayopt/relay/ops/nn_spatial.h"

#include <cmath>

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/arith/expr_object.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/layout_shapes.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction BatchToSpaceNDKernel, CorrelationKernel, DepthToSpaceKernel, DilateKernel, FifoBufferKernel,
    MirrorPadKernel, PadKernel, SameElementsKernel, SpaceToBatchNDKernel, SpaceToDepthKernel, UpSampling3DKernel,
    UpSamplingKernel;
LayoutRuleFunction CorrelationLayout, PadLayout;

namespace {

auto ExtentsOf(const Type& type) -> std::vector<Dim> { return {type.shape.begin(), type.shape.end()}; }

// Returns the two constants of entry `i` of a list of pairs such as pad_width; reports and returns nothing if they are
// missing.
auto PairOf(RuleContext& rule, std::string_view field, const DimLists& lists, size_t i)
    -> std::optional<std::array<Dim, 2>> {
  const DimList& pair = lists[i];
  if (!pair.null && pair.size() == 2 && pair[0].is_int() && pair[1].is_int()) return std::array{pair[0], pair[1]};
  rule.Error("{}: element {} of {} must be two constants", rule.op().name, i, field);
  return std::nullopt;
}

// Whether a list of pairs has one per axis; reports an error if not.
auto NeedPairs(RuleContext& rule, std::string_view field, const DimLists& lists, size_t count) -> bool {
  const size_t size = lists.null ? 0 : lists.size();
  if (size == count) return true;
  rule.Error("{}: {} has {}, it must have {}", rule.op().name, field, Counted(size, "element"), count);
  return false;
}

auto Pad(RuleContext& rule, const PadAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  Context& context = rule.context();
  const Type& data = rule.type(0);
  if (!NeedPairs(rule, "pad_width", attrs.pad_width, data.rank())) return RuleStatus::kFailed;
  std::vector<Dim> shape = ExtentsOf(data);
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto width = PairOf(rule, "pad_width", attrs.pad_width, i);
    if (!width) return RuleStatus::kFailed;
    if (shape[i].is_any()) continue;
    const Dim padded = Add(context, shape[i], Add(context, (*width)[0], (*width)[1]));
    // The extents keep the width of the data's, whatever that of pad_width is.
    const bool fits = shape[i].is_int() && padded.is_int() && Dim(padded.value()).bits() <= shape[i].bits();
    shape[i] = fits ? Dim(padded.value(), shape[i].bits()) : padded;
  }
  return DoneShape(rule, shape, data.dtype);
}

auto MirrorPad(RuleContext& rule, const MirrorPadAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  Context& context = rule.context();
  const Type& data = rule.type(0);
  if (!NeedPairs(rule, "pad_width", attrs.pad_width, data.rank())) return RuleStatus::kFailed;
  std::vector<Dim> shape = ExtentsOf(data);
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto width = PairOf(rule, "pad_width", attrs.pad_width, i);
    if (!width) return RuleStatus::kFailed;
    if ((*width)[0].value() < 0 || (*width)[1].value() < 0) {
      return rule.Error("{}: element {} of pad_width is negative", rule.op().name, i);
    }
    shape[i] = Add(context, shape[i], Add(context, (*width)[0], (*width)[1]));
  }
  return DoneShape(rule, shape, data.dtype);
}

// Whether blocks and pairs of space_to_batch_nd and batch_to_space_nd match the data; reports an error if not.
auto CheckBlocks(RuleContext& rule, const DimList& blocks, std::string_view field, const DimLists& pairs) -> bool {
  const Type& data = rule.type(0);
  if (blocks.null || data.rank() < 2 || blocks.size() >= data.rank()) {
    rule.ErrorAt(0, "{}: data of shape {} must have more dimensions than block_shape has elements, {}", rule.op().name,
                 ToString(data.shape), blocks.size());
    return false;
  }
  return NeedPairs(rule, field, pairs, blocks.size()) && NeedSteps(rule, "block_shape", blocks, blocks.size());
}

auto SpaceToBatchND(RuleContext& rule, const SpaceToBatchNDAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (!CheckBlocks(rule, attrs.block_shape, "paddings", attrs.paddings)) return RuleStatus::kFailed;
  Context& context = rule.context();
  const Type& data = rule.type(0);
  std::vector<Dim> shape = ExtentsOf(data);
  for (size_t i = 0; i < attrs.block_shape.size(); ++i) {
    const auto pad = PairOf(rule, "paddings", attrs.paddings, i);
    if (!pad) return RuleStatus::kFailed;
    const Dim& block = attrs.block_shape[i];
    const Dim padded = Add(context, shape[i + 1], Add(context, (*pad)[0], (*pad)[1]));
    shape[0] = Mul(context, shape[0], block);
    shape[i + 1] = TruncDiv(context, padded, block);
  }
  return DoneShape(rule, shape, data.dtype);
}

auto BatchToSpaceND(RuleContext& rule, const BatchToSpaceNDAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (!CheckBlocks(rule, attrs.block_shape, "crops", attrs.crops)) return RuleStatus::kFailed;
  Context& context = rule.context();
  const Type& data = rule.type(0);
  std::vector<Dim> shape = ExtentsOf(data);
  Dim blocks = 1;
  for (size_t i = 0; i < attrs.block_shape.size(); ++i) {
    const auto crop = PairOf(rule, "crops", attrs.crops, i);
    if (!crop) return RuleStatus::kFailed;
    const Dim& block = attrs.block_shape[i];
    const Dim whole = Mul(context, shape[i + 1], block);
    blocks = Mul(context, blocks, block);
    shape[i + 1] = Sub(context, Sub(context, whole, (*crop)[0]), (*crop)[1]);
  }
  shape[0] = TruncDiv(context, shape[0], blocks);
  return DoneShape(rule, shape, data.dtype);
}

enum class Move : uint8_t { kDepthToSpace, kSpaceToDepth };

template <Move kMove>
auto SubPixel(RuleContext& rule, const SubPixelAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  if (!NeedPositive(rule, "block_size", attrs.block_size)) return RuleStatus::kFailed;
  Context& context = rule.context();
  const Type& data = rule.type(0);
  auto shape = ConvertShape(rule, "data", attrs.layout, "NCHW", data.shape);
  if (!shape) return RuleStatus::kFailed;
  const Dim block = attrs.block_size;
  const Dim area = Mul(context, block, block);
  constexpr bool kToSpace = kMove == Move::kDepthToSpace;
  for (size_t i = 1; i < 4; ++i) {
    Dim& extent = (*shape)[i];
    if (extent.is_any()) continue;
    // The number of channels falls by as much as space grows.
    const bool grows = (i == 1) != kToSpace;
    const Dim& factor = i == 1 ? area : block;
    extent = grows ? Mul(context, extent, factor) : FloorDiv(context, extent, factor);
  }
  if (const auto status = CheckExtents(rule, *shape)) return *status;
  const auto out = ConvertShape(rule, "the result", "NCHW", attrs.layout, *shape);
  if (!out) return RuleStatus::kFailed;
  return DoneShape(rule, *out, data.dtype);
}

// Returns a node of an index expression with these operands.
auto AddNode(Context& context, arith::PrimKind kind, DataType dtype, std::span<const ObjectField> operands)
    -> ObjectId {
  std::vector<ObjectField> fields = {{context.Intern("dtype"), context.Intern(ToString(dtype)), {}}};
  fields.insert(fields.end(), operands.begin(), operands.end());
  fields.push_back({context.Intern("span"), {}, {}});
  Object object;
  object.kind = ObjectKind::kNode;
  object.type_key = context.Intern(arith::TypeKey(kind));
  object.dtype = dtype;
  object.fields = fields;
  return context.Add(object);
}

auto AddCast(Context& context, DataType dtype, ObjectId value) -> ObjectId {
  const ObjectField operands[] = {{context.Intern("value"), {}, value}};
  return AddNode(context, arith::PrimKind::kCast, dtype, operands);
}

// Scales extents by index expressions, as TVM does.
class Scaler {
 public:
  explicit Scaler(Context& context) : context_(context) {}

  // Returns the extent times the factor, rounded half to even, or null if the result is not a valid extent.
  auto operator()(const Dim& extent, double factor) -> Dim {
    if (extent.is_null()) return extent;
    if (!extent.is_int()) return Symbolic(extent, factor);
    const double scaled = std::nearbyint(static_cast<double>(extent.value()) * factor);
    // Also false for NaN.
    const bool fits = scaled >= 0 && scaled < static_cast<double>(INT64_MAX);
    return fits ? Dim(static_cast<int64_t>(scaled)) : Dim::Null();
  }

 private:
  auto Symbolic(const Dim& extent, double factor) -> Dim {
    constexpr DataType kFloat64 = DataType::Float(64);
    const ObjectId real = AddCast(context_, kFloat64, AsObject(context_, extent));
    const ObjectId scaled =
        arith::AddOperator(context_, arith::PrimKind::kMul, kFloat64, real, context_.AddFloat(factor, kFloat64));
    const ObjectField operands[] = {{context_.Intern("op"), {}, RoundOperator()},
                                    {context_.Intern("args"), {}, context_.AddArray(std::array{scaled})}};
    const ObjectId rounded = AddNode(context_, arith::PrimKind::kCall, kFloat64, operands);
    return Dim::Expr(AddCast(context_, DataType::Int(32), rounded));
  }

  // One object serves all extents, because operators are shared.
  auto RoundOperator() -> ObjectId {
    if (!round_) {
      Object object;
      object.kind = ObjectKind::kOp;
      object.text = context_.Intern("tir.round");
      round_ = context_.Add(object);
    }
    return round_;
  }

  Context& context_;
  ObjectId round_;
};

auto Scale(RuleContext& rule, std::string_view layout, std::string_view canonical, std::span<const double> factors)
    -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  auto shape = ConvertShape(rule, "data", layout, canonical, rule.type(0).shape);
  if (!shape) return RuleStatus::kFailed;
  Scaler scale(rule.context());
  for (size_t i = 0; i < factors.size(); ++i) (*shape)[2 + i] = scale((*shape)[2 + i], factors[i]);
  if (const auto status = CheckExtents(rule, *shape)) return *status;
  const auto out = ConvertShape(rule, "the result", canonical, layout, *shape);
  if (!out) return RuleStatus::kFailed;
  return DoneShape(rule, *out, rule.type(0).dtype);
}

auto UpSampling(RuleContext& rule, const UpSamplingAttrs& attrs) -> RuleStatus {
  return Scale(rule, attrs.layout, "NCHW", std::array{attrs.scale_h, attrs.scale_w});
}

auto UpSampling3D(RuleContext& rule, const UpSampling3DAttrs& attrs) -> RuleStatus {
  return Scale(rule, attrs.layout, "NCDHW", std::array{attrs.scale_d, attrs.scale_h, attrs.scale_w});
}

auto Dilate(RuleContext& rule, const DilateAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  Context& context = rule.context();
  const Type& x = rule.type(0);
  if (!NeedExactLength(rule, "strides", attrs.strides, x.rank())) return RuleStatus::kFailed;
  std::vector<Dim> shape = ExtentsOf(x);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].is_any()) shape[i] = Add(context, Mul(context, Sub(context, shape[i], 1), attrs.strides[i]), 1);
  }
  return DoneShape(rule, shape, x.dtype);
}

// Number of positions of patches along one axis.
auto WindowCount(Context& context, const Dim& extent, const Dim& padding, const Dim& border, const Dim& stride) -> Dim {
  const Dim room = Sub(context, Add(context, extent, padding), Mul(context, border, 2));
  return FloorDiv(context, Sub(context, Add(context, room, stride), 1), stride);
}

auto Correlation(RuleContext& rule, const CorrelationAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  for (size_t i = 0; i < 2; ++i) {
    if (const auto status = NeedRank(rule, i, 4)) return *status;
  }
  if (attrs.layout != "NCHW") return rule.Error("{}: layout is {}, it must be NCHW", rule.op().name, attrs.layout);
  const auto padding = PaddingSums(rule, attrs.padding, 2);
  if (!padding || !NeedPositive(rule, "stride1", attrs.stride1) || !NeedPositive(rule, "stride2", attrs.stride2)) {
    return RuleStatus::kFailed;
  }
  Context& context = rule.context();
  const Type& first = rule.type(0);
  const Type& second = rule.type(1);
  const Dim radius = TruncDiv(context, Sub(context, attrs.kernel_size, 1), 2);
  const Dim border = Add(context, attrs.max_displacement, radius);
  const Dim steps = TruncDiv(context, attrs.max_displacement, attrs.stride2);
  const Dim displacements = Add(context, Mul(context, steps, 2), 1);
  // As TVM: the width is that of the second input; the inputs should have one shape.
  const std::array shape = {first.shape[0], Mul(context, displacements, displacements),
                            WindowCount(context, first.shape[2], (*padding)[0], border, attrs.stride1),
                            WindowCount(context, second.shape[3], (*padding)[1], border, attrs.stride1)};
  return DoneShape(rule, shape, first.dtype);
}

// The types follow from the data and the attributes; see the rows.
auto BatchFlattenRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& data = rule.type(0);
  if (data.shape.empty()) return rule.ErrorAt(0, "{}: data must not be a scalar", rule.op().name);
  Dim rest = 1;
  for (const Dim& extent : data.shape.subspan(1)) {
    if (extent.is_any()) {
      rest = extent;
      break;
    }
    rest = Mul(rule.context(), rest, extent);
  }
  return DoneShape(rule, std::array{data.shape[0], rest}, data.dtype);
}

auto BatchToSpaceNDRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<BatchToSpaceNDAttrs>(rule, BatchToSpaceND);
}

auto CorrelationRule(RuleContext& rule) -> RuleStatus { return WithAttrs<CorrelationAttrs>(rule, Correlation); }

auto DepthToSpaceRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<SubPixelAttrs>(rule, SubPixel<Move::kDepthToSpace>);
}

auto DilateRule(RuleContext& rule) -> RuleStatus { return WithAttrs<DilateAttrs>(rule, Dilate); }

auto FifoBufferRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedRank(rule, 0, rule.type(1).rank())) return *status;
  return rule.Done(rule.input(1));
}

auto MirrorPadRule(RuleContext& rule) -> RuleStatus { return WithAttrs<MirrorPadAttrs>(rule, MirrorPad); }

auto PadRule(RuleContext& rule) -> RuleStatus { return WithAttrs<PadAttrs>(rule, Pad); }

auto SpaceToBatchNDRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<SpaceToBatchNDAttrs>(rule, SpaceToBatchND);
}

auto SpaceToDepthRule(RuleContext& rule) -> RuleStatus {
  return WithAttrs<SubPixelAttrs>(rule, SubPixel<Move::kSpaceToDepth>);
}

auto UpSamplingRule(RuleContext& rule) -> RuleStatus { return WithAttrs<UpSamplingAttrs>(rule, UpSampling); }

auto UpSampling3DRule(RuleContext& rule) -> RuleStatus { return WithAttrs<UpSampling3DAttrs>(rule, UpSampling3D); }

}  // namespace

constinit const OpRows<OpFamily::kNnSpatial> kNnSpatialOps = NumberedRows<OpFamily::kNnSpatial>({
    {.name = "nn.batch_flatten",
     .inputs = "data",
     .type = BatchFlattenRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .precision = Precision::kFollow,
     .doc = "all axes but the first become one"},
    {.name = "nn.batch_to_space_nd",
     .inputs = "data",
     .attrs = &kSchema<BatchToSpaceNDAttrs>,
     .type = BatchToSpaceNDRule,
     .kernel = BatchToSpaceNDKernel,
     .fusion = Fusion::kInjective,
     .doc = "moves blocks from the batch back to space, then crops"},
    {.name = "nn.correlation",
     .inputs = "data1, data2",
     .attrs = &kSchema<CorrelationAttrs>,
     .type = CorrelationRule,
     .kernel = CorrelationKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .layout = CorrelationLayout,
     .doc = "correlation of patches of two inputs, one channel per displacement"},
    {.name = "nn.depth_to_space",
     .inputs = "data",
     .attrs = &kSchema<SubPixelAttrs>,
     .type = DepthToSpaceRule,
     .kernel = DepthToSpaceKernel,
     .fusion = Fusion::kInjective,
     .precision = Precision::kFollow,
     .doc = "moves channels to blocks of space"},
    {.name = "nn.dilate",
     .inputs = "x",
     .attrs = &kSchema<DilateAttrs>,
     .type = DilateRule,
     .kernel = DilateKernel,
     .fusion = Fusion::kInjective,
     .attrs_undeclared = true,
     .doc = "puts elements between elements"},
    {.name = "nn.fifo_buffer",
     .inputs = "data, buffer",
     .attrs = &kSchema<FIFOBufferAttrs>,
     .type = FifoBufferRule,
     .kernel = FifoBufferKernel,
     .fusion = Fusion::kOpaque,
     .doc = "the buffer with its first elements dropped and the data appended"},
    {.name = "nn.mirror_pad",
     .inputs = "data",
     .attrs = &kSchema<MirrorPadAttrs>,
     .type = MirrorPadRule,
     .kernel = MirrorPadKernel,
     .fusion = Fusion::kInjective,
     .doc = "pads with the mirror image of the data"},
    {.name = "nn.pad",
     .inputs = "data, pad_val",
     .attrs = &kSchema<PadAttrs>,
     .type = PadRule,
     .kernel = PadKernel,
     .fusion = Fusion::kInjective,
     .precision = Precision::kFollow,
     .layout = PadLayout,
     .doc = "pads with a value, the edge or the mirror image; negative widths crop"},
    {.name = "nn.space_to_batch_nd",
     .inputs = "data",
     .attrs = &kSchema<SpaceToBatchNDAttrs>,
     .type = SpaceToBatchNDRule,
     .kernel = SpaceToBatchNDKernel,
     .fusion = Fusion::kInjective,
     .doc = "pads, then moves blocks of space to the batch"},
    {.name = "nn.space_to_depth",
     .inputs = "data",
     .attrs = &kSchema<SubPixelAttrs>,
     .type = SpaceToDepthRule,
     .kernel = SpaceToDepthKernel,
     .fusion = Fusion::kInjective,
     .doc = "moves blocks of space to channels"},
    {.name = "nn.upsampling",
     .inputs = "data",
     .attrs = &kSchema<UpSamplingAttrs>,
     .type = UpSamplingRule,
     .kernel = UpSamplingKernel,
     .fusion = Fusion::kInjective,
     .layout = UpsamplingLayout,
     .doc = "scales height and width"},
    {.name = "nn.upsampling3d",
     .inputs = "data",
     .attrs = &kSchema<UpSampling3DAttrs>,
     .type = UpSampling3DRule,
     .kernel = UpSampling3DKernel,
     .fusion = Fusion::kInjective,
     .layout = UpsamplingLayout,
     .doc = "scales depth, height and width"},
});

}  // namespace relayopt
