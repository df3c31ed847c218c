// Legalize: replaces operators that targets do not implement by operators that they do.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "legalize_call.h"
#include "legalize_int8.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

auto EmitTranspose(FunctionBuilder& to, ExprId data, std::span<const int64_t> axes) -> ExprId {
  const bool identity = std::is_sorted(axes.begin(), axes.end());
  if (identity) return data;
  TransposeAttrs attrs;
  attrs.axes = DimList(std::vector<Dim>(axes.begin(), axes.end()));
  return EmitCallWith(to, "transpose"_op, attrs, {data});
}

// Returns the axes of `from` in the order of `to`, or nothing if the letters differ.
auto Permutation(std::string_view from, std::string_view to) -> std::optional<std::vector<int64_t>> {
  std::vector<int64_t> axes;
  for (const char letter : to) {
    const size_t position = from.find(letter);
    if (position == std::string_view::npos || from.size() != to.size()) return std::nullopt;
    axes.push_back(static_cast<int64_t>(position));
  }
  return axes;
}

auto LegalizeConv2DTranspose(const LegalizeCall& call) -> ExprId {
  const auto* old_attrs = call.attrs<Conv2DTransposeAttrs>();
  if (old_attrs == nullptr || call.target.Get("libs").find("cudnn") != std::string_view::npos) return {};
  Conv2DTransposeAttrs attrs = *old_attrs;
  const bool channels_last = attrs.data_layout == "NHWC";
  if (!channels_last && attrs.data_layout != "NCHW") return {};
  // A result whose layout differs from the data's would be transposed twice.
  if (channels_last && !attrs.out_layout.empty() && attrs.out_layout != "NHWC") return {};
  const auto kernel_axes = Permutation(attrs.kernel_layout, "IOHW");
  if (!kernel_axes) return {};
  SpellOutPadding(attrs.padding, 2);
  attrs.kernel_layout = "IOHW";
  if (!channels_last) {
    const ExprId kernel = EmitTranspose(call.to, call.args[1], *kernel_axes);
    return EmitCallWith(call.to, "nn.conv2d_transpose"_op, attrs, {call.args[0], kernel});
  }
  attrs.data_layout = "NCHW";
  attrs.out_layout.clear();
  const ExprId data = EmitTranspose(call.to, call.args[0], std::array<int64_t, 4>{0, 3, 1, 2});
  const ExprId kernel = EmitTranspose(call.to, call.args[1], *kernel_axes);
  const ExprId conv = EmitCallWith(call.to, "nn.conv2d_transpose"_op, attrs, {data, kernel});
  return EmitTranspose(call.to, conv, std::array<int64_t, 4>{0, 2, 3, 1});
}

auto LegalizeConv3DTranspose(const LegalizeCall& call) -> ExprId {
  const auto* old_attrs = call.attrs<Conv3DTransposeAttrs>();
  if (old_attrs == nullptr || old_attrs->data_layout != "NDHWC") return {};
  if (!old_attrs->out_layout.empty() && old_attrs->out_layout != "NDHWC") return {};
  constexpr std::string_view kKernels[] = {"DHWIO", "DHWOI", "OIDHW", "IODHW"};
  if (std::find(std::begin(kKernels), std::end(kKernels), old_attrs->kernel_layout) == std::end(kKernels)) return {};
  Conv3DTransposeAttrs attrs = *old_attrs;
  SpellOutPadding(attrs.padding, 3);
  attrs.data_layout = "NCDHW";
  attrs.kernel_layout = "IODHW";
  attrs.out_layout.clear();
  const ExprId kernel = EmitTranspose(call.to, call.args[1], *Permutation(old_attrs->kernel_layout, "IODHW"));
  const ExprId data = EmitTranspose(call.to, call.args[0], std::array<int64_t, 5>{0, 4, 1, 2, 3});
  const ExprId conv = EmitCallWith(call.to, "nn.conv3d_transpose"_op, attrs, {data, kernel});
  return EmitTranspose(call.to, conv, std::array<int64_t, 5>{0, 2, 3, 4, 1});
}

// Returns the extents of a tensor of rank 4, or nothing if one is not known.
auto FourExtents(const Type* type) -> std::optional<std::vector<int64_t>> {
  if (type == nullptr || type->rank() != 4) return std::nullopt;
  return KnownExtents(type->shape);
}

auto EmitReshape(FunctionBuilder& to, ExprId data, std::vector<Dim> shape) -> ExprId {
  ReshapeAttrs attrs;
  attrs.newshape = DimList(std::move(shape));
  return EmitCallWith(to, "reshape"_op, attrs, {data});
}

// One convolution for each pair of a sample and a channel, summed over the samples.
auto LegalizeConv2DBackwardWeight(const LegalizeCall& call) -> ExprId {
  const auto* old_attrs = call.attrs<Conv2DAttrs>();
  const auto grad = FourExtents(call.input(0));
  const auto data = FourExtents(call.input(1));
  const auto weight = FourExtents(call.result());
  if (old_attrs == nullptr || !grad || !data || !weight || old_attrs->groups < 1) return {};
  // The fields hold the layouts of gradient, data and weight, in this order.
  if (old_attrs->data_layout != "NCHW" || old_attrs->kernel_layout != "NCHW" || old_attrs->out_layout != "OIHW") {
    return {};
  }
  Conv2DAttrs attrs;
  attrs.padding = old_attrs->padding;
  SpellOutPadding(attrs.padding, 2);
  attrs.strides = old_attrs->dilation;
  attrs.dilation = old_attrs->strides;
  attrs.out_dtype = old_attrs->out_dtype;
  const auto all_ints = [](const DimList& list, size_t size) { return list.size() == size && AllKnown(list.values); };
  if (!all_ints(attrs.padding, 4) || !all_ints(attrs.strides, 2) || !all_ints(attrs.dilation, 2)) return {};
  const int64_t group_channels = (*data)[1] / old_attrs->groups;
  attrs.groups = (*data)[0] * (*data)[1];
  // The padding that remains for height and width.
  std::array<int64_t, 2> left{};
  for (size_t i = 0; i < 2; ++i) {
    if (attrs.strides[i].value() <= 0) return {};
    const int64_t reach = ((*grad)[2 + i] - 1) * attrs.dilation[i].value() + 1;
    const int64_t padded = (*data)[2 + i] + attrs.padding[i].value() + attrs.padding[2 + i].value();
    left[i] = (padded - reach) / attrs.strides[i].value() + 1;
    if (left[i] < (*weight)[2 + i]) return {};
  }
  FunctionBuilder& to = call.to;
  TileAttrs reps;
  reps.reps = {1, group_channels, 1, 1};
  const ExprId tiled = EmitCallWith(to, "tile"_op, reps, {call.args[0]});
  const ExprId kernel = EmitReshape(to, tiled, {-1, 1, 0, 0});
  const ExprId samples = EmitReshape(to, call.args[1], {1, -1, 0, 0});
  const ExprId conv = EmitCallWith(to, "nn.conv2d"_op, attrs, {samples, kernel});
  const ExprId apart = EmitReshape(to, conv, {(*data)[0], group_channels, (*grad)[1], left[0], left[1]});
  ReduceAttrs over_samples;
  over_samples.axis = {0};
  const ExprId sum = EmitCallWith(to, "sum"_op, over_samples, {apart});
  const ExprId whole = EmitTranspose(to, sum, std::array<int64_t, 4>{1, 0, 2, 3});
  if (left[0] == (*weight)[2] && left[1] == (*weight)[3]) return whole;
  StridedSliceAttrs slice;
  slice.begin = {0, 0, 0, 0};
  slice.end = {(*grad)[1], group_channels, (*weight)[2], (*weight)[3]};
  slice.strides = {1};
  return EmitCallWith(to, "strided_slice"_op, slice, {whole});
}

// Data of unknown extents is computed once before elements are taken from it, not once per element.
auto LegalizeTake(const LegalizeCall& call) -> ExprId {
  const Type* data = call.input(0);
  if (data == nullptr) return {};
  if (AllKnown(data->shape)) return {};
  const ExprId stopped = EmitCall(call.to, "annotation.stop_fusion"_op, {call.args[0]});
  return EmitCall(call.to, "take"_op, {stopped, call.args[1]}, call.function().attrs(call.id()));
}

// A clip to the range of the element type does nothing after qnn.requantize, which stays in it.
auto LegalizeClip(const LegalizeCall& call) -> ExprId {
  const auto* attrs = call.attrs<ClipAttrs>();
  const Type* data = call.input(0);
  const Function& made = call.to.function();
  if (attrs == nullptr || data == nullptr || made.kind(call.args[0]) != ExprKind::kOpCall ||
      made.op(call.args[0]) != "qnn.requantize"_op) {
    return {};
  }
  if ((!data->dtype.is_int() && !data->dtype.is_uint()) || data->dtype.bits > 32) return {};
  const int bits = data->dtype.is_int() ? data->dtype.bits - 1 : data->dtype.bits;
  const auto span = static_cast<double>(int64_t{1} << bits);
  const double low = data->dtype.is_int() ? -span : 0;
  return attrs->a_min == low && attrs->a_max == span - 1 ? call.args[0] : ExprId();
}

// CPUs have erf of float32 only.
auto LegalizeErf(const LegalizeCall& call) -> ExprId {
  const Type* data = call.input(0);
  if (data == nullptr || data->dtype == DataType::Float(32) || !call.target.HasKey("cpu")) return {};
  CastAttrs attrs;
  attrs.dtype = DataType::Float(32);
  const ExprId wide = EmitCallWith(call.to, "cast"_op, attrs, {call.args[0]});
  const ExprId erf = EmitCall(call.to, "erf"_op, {wide});
  attrs.dtype = data->dtype;
  return EmitCallWith(call.to, "cast"_op, attrs, {erf});
}

// A rule returns the replacement of the call, or an invalid id when the call stays.
using LegalizeRule = auto(*)(const LegalizeCall& call) -> ExprId;

constexpr OpRule<LegalizeRule> kRules[] = {
    {"clip"_op, LegalizeClip},
    {"erf"_op, LegalizeErf},
    {"nn.batch_matmul"_op, LegalizeInt8BatchMatmul},
    {"nn.conv2d"_op, LegalizeInt8Conv2D},
    {"nn.conv2d_backward_weight"_op, LegalizeConv2DBackwardWeight},
    {"nn.conv2d_transpose"_op, LegalizeConv2DTranspose},
    {"nn.conv3d_transpose"_op, LegalizeConv3DTranspose},
    {"nn.dense"_op, LegalizeInt8Dense},
    {"take"_op, LegalizeTake},
};

struct Legalize {
  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    if (context.target().empty()) return std::nullopt;
    RELAYOPT_TRY(const Target target, Target::Parse(context.target()));
    return relayopt::Rewrite(function,
                             [&](Rebuild& rebuild, ExprId id) { return Rewrite(function, id, rebuild, target); });
  }

  // Returns the replacement of the call, or invalid if it stays.
  static auto Rewrite(const Function& function, ExprId id, Rebuild& rebuild, const Target& target) -> ExprId {
    if (function.kind(id) != ExprKind::kOpCall) return {};
    static const OpRules<LegalizeRule> rules = {kRules};
    const LegalizeRule* rule = rules.Find(function.op(id));
    if (rule == nullptr) return {};
    const auto operands = rebuild.NewOperands(id);
    const LegalizeCall call{{function, id}, rebuild.to(), {operands.begin(), operands.end()}, target};
    const ExprId made = (*rule)(call);
    if (made && made != call.args[0]) rebuild.to().SetRange(made, function.range(id));
    return made;
  }
};

}  // namespace

constinit const PassDef kLegalizePass = DescribePass<Legalize>({
    .name = "Legalize",
    .opt_level = 1,
    .required = "InferType",
    .summary = "replaces operators that the target does not implement",
    .details = R"(Calls that code generators do not take become ones that they do. With a target, for each:

  nn.conv2d_transpose           data in NCHW, kernel in IOHW: both are transposed, and the result back
  nn.conv3d_transpose           data in NDHWC likewise to NCDHW and IODHW
  nn.conv2d_backward_weight     a grouped nn.conv2d of data and gradient, summed over the batch
  take                          from data of unknown extents: annotation.stop_fusion in front of it
  clip                          to the range of its type behind qnn.requantize: dropped
  erf                           on CPUs, of other types than float32: computed in float32
  nn.conv2d                     of 8-bit integers, on x86 CPUs with SSE4.2: see below
  nn.dense, nn.batch_matmul     the same, on x86 CPUs with AVX512BW or AMX

  nn.conv2d_transpose(%x, %w,         %0 = transpose(%x, axes=[0, 3, 1, 2]);
    data_layout="NHWC", ...)    =>    %1 = nn.conv2d_transpose(%0, %w, ...);
                                      transpose(%1, axes=[0, 2, 3, 1])

The instructions for 8-bit integers multiply uint8 by int8, four at a time into sixteen sums of 32 bits. So int8 data becomes uint8 by
an added 128, 128 times the sum of the weights is taken off the result, and channels are filled up with zeros to multiples
of 4 and 16, of which the result drops what is too much:

  nn.dense(%x, %w,                    %0 = cast(add(cast(%x, dtype="int32"), 128), dtype="uint8");
    out_dtype="int32")          =>    %1 = multiply(128, sum(cast(%w, dtype="int32"), axis=[-1]));
                                      subtract(nn.dense(%0, %w, out_dtype="int32"), %1)

All of it computes with integers that wrap around, so that the result is the same bit for bit. It needs a result of int32, and of
convolutions no groups or dilation, and NCHW with OIHW or NHWC with HWIO.

What a rule makes is not looked at again. Left alone: everything without a target, layouts that are not listed, and
extents that a rule needs and that are not known.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
