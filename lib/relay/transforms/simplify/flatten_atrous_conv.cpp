// FlattenAtrousConv: replaces a convolution between space_to_batch and batch_to_space by a dilated convolution.
#include <array>
#include <optional>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// The three calls of a match, with their attributes.
struct AtrousConv {
  ExprId to_batch;
  ExprId conv;
  const SpaceToBatchNDAttrs* split;
  const Conv2DAttrs* attrs;
  const BatchToSpaceNDAttrs* join;
};

auto AllAre(const DimList& list, int64_t value) -> bool {
  return !list.null && std::all_of(list.begin(), list.end(), [&](const Dim& dim) { return dim.is(value); });
}

// Whether `lists` is two pairs of integers.
auto IsTwoPairs(const DimLists& lists) -> bool {
  if (lists.null || lists.size() != 2) return false;
  for (const DimList& pair : lists.values) {
    if (pair.size() != 2 || !pair[0].is_int() || !pair[1].is_int()) return false;
  }
  return true;
}

class Flattener {
 public:
  explicit Flattener(const Function& function) : function_(function), rebuild_(function) {}

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) {
      if (!Advance(id)) return ExprId();
      const auto match = Match(id);
      const auto attrs = match ? Flatten(*match) : std::nullopt;
      return attrs ? Emit(*match, *attrs) : ExprId();
    });
  }

 private:
  auto IsConv(ExprId id) const -> bool {
    return IsCallOf(function_, id, "nn.conv2d"_op) || IsCallOf(function_, id, "qnn.conv2d"_op);
  }

  // As TVM: three calls that follow each other in post-order are looked for. True when `id` is the last of them.
  auto Advance(ExprId id) -> bool {
    const ExprKind kind = function_.kind(id);
    if (kind != ExprKind::kOpCall && kind != ExprKind::kCall) return false;
    const bool fits = (stage_ == 0 && IsCallOf(function_, id, "nn.space_to_batch_nd"_op)) ||
                      (stage_ == 1 && IsConv(id)) ||
                      (stage_ == 2 && IsCallOf(function_, id, "nn.batch_to_space_nd"_op));
    stage_ = fits ? (stage_ + 1) % 3 : 0;
    return fits && stage_ == 0;
  }

  auto Match(ExprId from_batch) const -> std::optional<AtrousConv> {
    AtrousConv match{};
    const Context& context = function_.context();
    match.conv = function_.operand(from_batch, 0);
    if (!IsConv(match.conv)) return std::nullopt;
    match.to_batch = function_.operand(match.conv, 0);
    if (!IsCallOf(function_, match.to_batch, "nn.space_to_batch_nd"_op)) return std::nullopt;
    match.split = context.As<SpaceToBatchNDAttrs>(function_.attrs(match.to_batch));
    match.attrs = context.As<Conv2DAttrs>(function_.attrs(match.conv));
    match.join = context.As<BatchToSpaceNDAttrs>(function_.attrs(from_batch));
    if (match.split == nullptr || match.attrs == nullptr || match.join == nullptr) return std::nullopt;
    return match;
  }

  // Returns the attributes of the dilated convolution, or nothing if there is none that computes the same.
  auto Flatten(const AtrousConv& match) const -> std::optional<Conv2DAttrs> {
    const Conv2DAttrs& conv = *match.attrs;
    const DimList& block = match.split->block_shape;
    if (conv.data_layout != "NHWC" || (!conv.out_layout.empty() && conv.out_layout != "NHWC")) return std::nullopt;
    if (conv.kernel_size.null || conv.kernel_size.size() != 2) return std::nullopt;
    if (!AllAre(conv.strides, 1) || !AllAre(conv.dilation, 1) || !AllAre(conv.padding, 0)) return std::nullopt;
    if (block.size() != 2 || match.join->block_shape.size() != 2) return std::nullopt;
    if (!IsTwoPairs(match.split->paddings) || !IsTwoPairs(match.join->crops)) return std::nullopt;
    std::array<int64_t, 4> padding{};
    for (size_t i = 0; i < 2; ++i) {
      if (!block[i].is_int() || !SameExtent(block[i], match.join->block_shape[i])) return std::nullopt;
      // The dilated convolution need not compute what batch_to_space_nd crops.
      for (size_t side = 0; side < 2; ++side) {
        const int64_t added = match.split->paddings[i][side].value();
        const int64_t cropped = match.join->crops[i][side].value();
        if (added < 0 || cropped < 0 || added < cropped) return std::nullopt;
        padding[2 * side + i] = added - cropped;
      }
    }
    if (padding != std::array<int64_t, 4>{} && !PadsWithZero(match)) return std::nullopt;
    Conv2DAttrs result = conv;
    result.strides = {1, 1};
    result.padding = {padding[0], padding[1], padding[2], padding[3]};
    result.dilation = {block[0].value(), block[1].value()};
    return result;
  }

  // Whether the elements that space_to_batch_nd adds are those that the padding of the convolution would be: zero, or
  // the zero point of quantized data.
  auto PadsWithZero(const AtrousConv& match) const -> bool {
    if (IsCallOf(function_, match.conv, "nn.conv2d"_op)) return match.split->pad_value == 0;
    const ExprId zero_point = function_.operand(match.conv, 2);
    if (function_.kind(zero_point) != ExprKind::kConstant) return false;
    const auto value = function_.constant(zero_point).ScalarAsInt();
    return value && static_cast<double>(*value) == match.split->pad_value;
  }

  auto Emit(const AtrousConv& match, const Conv2DAttrs& attrs) -> ExprId {
    auto args = MapToVector<ExprId>(function_.operands(match.conv), [&](ExprId arg) { return rebuild_.New(arg); });
    args[0] = rebuild_.New(function_.operand(match.to_batch, 0));
    return EmitCall(rebuild_.to(), function_.op(match.conv), args, function_.context().InternAttrs(attrs));
  }

  const Function& function_;
  Rebuild rebuild_;
  // How many of the three calls have been seen.
  int stage_ = 0;
};

struct FlattenAtrousConv {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Flattener(function).Run();
  }
};

}  // namespace

constinit const PassDef kFlattenAtrousConvPass = DescribePass<FlattenAtrousConv>({
    .name = "FlattenAtrousConv",
    .opt_level = 0,
    .required = "InferType",
    .summary = "turns convolutions between space_to_batch_nd and batch_to_space_nd into dilated ones",
    .details = R"(An atrous convolution that was written as a plain one on sub-images becomes one dilated convolution:

  %0 = nn.space_to_batch_nd(%x, block_shape=[2, 2], paddings=[[2, 2], [2, 2]]);
  %1 = nn.conv2d(%0, %w, kernel_size=[3, 3], data_layout="NHWC", ...);
  nn.batch_to_space_nd(%1, block_shape=[2, 2], crops=[[0, 0], [0, 0]])
    =>
  nn.conv2d(%x, %w, padding=[2, 2, 2, 2], dilation=[2, 2], kernel_size=[3, 3], data_layout="NHWC", ...)

The padding of the result is what space_to_batch_nd adds less what batch_to_space_nd crops. qnn.conv2d is handled
likewise when the added elements are its zero point.

The three calls must follow each other in post-order, as they do when nothing is computed on the weight. Left alone:
other layouts than NHWC, blocks that differ, convolutions with strides, dilation or padding of their own, crops
larger than paddings.)",
    // The same products, but matrix products sum in an order that depends on how many windows there are.
    .exactness = Exactness::kApproximate,
    .idempotent = true,
});

}  // namespace relayopt
