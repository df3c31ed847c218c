// Lowering of convolutions of quantized tensors.
#include <algorithm>
#include <string>

#include "lib/relay/transforms/expand_bias.h"
#include "lowering.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_pool.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

// Padding before and after each spatial axis; nothing if its length fits no legal form or an entry is not known.
struct Padding {
  int64_t top = 0;
  int64_t left = 0;
  int64_t bottom = 0;
  int64_t right = 0;

  auto is_zero() const -> bool { return top == 0 && left == 0 && bottom == 0 && right == 0; }
};
auto PaddingOf(const DimList& padding) -> std::optional<Padding> {
  if (!AllKnown(padding.values)) return std::nullopt;
  const auto at = [&](size_t i) { return padding[i].value(); };
  if (padding.size() == 1) return Padding{at(0), at(0), at(0), at(0)};
  if (padding.size() == 2) return Padding{at(0), at(1), at(0), at(1)};
  if (padding.size() == 4) return Padding{at(0), at(1), at(2), at(3)};
  return std::nullopt;
}

auto IsOne(const DimList& list) -> bool {
  for (const Dim& dim : list) {
    if (!dim.is(1)) return false;
  }
  return true;
}

// With x and w without their zero points, a and b:
//
//   conv(x - a, w - b) = conv(x, w) - b * windows(x) - a * sum(w) + a * b * elements
//
// where windows(x) is the sum of each window of x, which average pooling gives when its input is multiplied by the
// number of elements of a window first (it divides integers). Padding must be with a, not with 0, so it is explicit.
class ConvolutionLowering {
 public:
  ConvolutionLowering(QnnCall& call, const Conv2DAttrs& attrs)
      : emit_(call.emit),
        attrs_(attrs),
        data_(call.args[0]),
        weight_(call.args[1]),
        data_zero_point_(call.args[2]),
        weight_zero_point_(call.args[3]),
        known_(emit_, data_zero_point_, weight_zero_point_),
        data_type_(call.input(0)),
        weight_type_(call.input(1)) {}

  auto Run() -> ExprId {
    if (!ReadShapes()) return {};
    const bool is_depthwise = attrs_.groups != 1 && attrs_.channels.is(attrs_.groups);
    const bool is_dilated = !IsOne(attrs_.dilation);
    const bool is_supported = (!is_dilated || !known_.weight_counts()) && (attrs_.groups == 1 || is_depthwise);
    if (known_.is_dynamic()) SpreadWeightZeroPoint(is_supported);
    if (!is_supported) return Direct();
    PadData();
    ProductTerms terms{.product = Product()};
    if (known_.weight_counts()) terms.weight_zero_point_term = is_depthwise ? DepthwiseWindows() : Windows();
    if (known_.data_counts()) terms.data_zero_point_term = KernelSums(is_depthwise);
    const int64_t elements = kernel_height_ * kernel_width_ * (is_depthwise ? 1 : in_channels_);
    terms.constant_term =
        known_.is_dynamic() ? emit_.Multiply(emit_.Int(elements), emit_.Multiply(data_zero_point_, weight_zero_point_))
                            : emit_.Int(*known_.data * *known_.weight * elements);
    return EmitProduct(emit_, terms);
  }

 private:
  // Returns false if a layout is not supported or a relevant extent is not known.
  auto ReadShapes() -> bool {
    if (data_type_ == nullptr || weight_type_ == nullptr) return false;
    if (data_type_->rank() != 4 || weight_type_->rank() != 4) return false;
    if (attrs_.data_layout != "NCHW" && attrs_.data_layout != "NHWC") return false;
    const std::string& kernel = attrs_.kernel_layout;
    if (kernel != "OIHW" && kernel != "HWIO" && kernel != "HWOI" && kernel != "OHWI") return false;
    if (attrs_.kernel_size.null || attrs_.kernel_size.size() != 2) return false;
    channel_axis_ = static_cast<int64_t>(attrs_.data_layout.find('C'));
    const auto extent = [&](const Type& type, const std::string& layout, char letter) -> int64_t {
      const Dim& dim = type.shape[layout.find(letter)];
      return dim.is_int() ? dim.value() : -1;
    };
    in_channels_ = extent(*data_type_, attrs_.data_layout, 'C');
    out_channels_ = extent(*weight_type_, kernel, 'O');
    multiplier_ = extent(*weight_type_, kernel, 'I');
    kernel_height_ = extent(*weight_type_, kernel, 'H');
    kernel_width_ = extent(*weight_type_, kernel, 'W');
    const auto padding = PaddingOf(attrs_.padding);
    if (!padding) return false;
    padding_ = *padding;
    return in_channels_ >= 0 && out_channels_ >= 0 && multiplier_ >= 0 && kernel_height_ >= 0 && kernel_width_ >= 0;
  }

  // A zero point for each output channel lies along the kernel's O axis where it is subtracted from the kernel, and
  // along the result's C axis where terms are.
  void SpreadWeightZeroPoint(bool is_supported) {
    weight_zero_point_ = emit_.Reshape(weight_zero_point_, {-1});
    const auto out_axis = static_cast<int64_t>(attrs_.kernel_layout.find('O'));
    weight_zero_point_ = ExpandBias(emit_.to(), weight_zero_point_, 4, is_supported ? channel_axis_ : out_axis);
  }

  // Subtracts first: for dilated and grouped convolutions, whose windows average pooling does not give.
  auto Direct() -> ExprId {
    const auto shifted = [&](ExprId value, ExprId zero_point) {
      const ExprId wide = emit_.Cast(value, wide_);
      return emit_.IsInt(zero_point, 0) ? wide : emit_.Subtract(wide, emit_.Cast(zero_point, wide_));
    };
    return emit_.CallWith("nn.conv2d"_op, attrs_,
                          {shifted(data_, data_zero_point_), shifted(weight_, weight_zero_point_)});
  }

  void PadData() {
    if (padding_.is_zero()) return;
    const DimList none = {0, 0};
    const DimList height = {padding_.top, padding_.bottom};
    const DimList width = {padding_.left, padding_.right};
    PadAttrs pad;
    pad.pad_width.values =
        attrs_.data_layout == "NCHW" ? std::vector{none, none, height, width} : std::vector{none, height, width, none};
    data_ = emit_.CallWith("nn.pad"_op, pad, {data_, data_zero_point_});
  }

  auto Product() -> ExprId {
    Conv2DAttrs attrs = attrs_;
    attrs.padding = {0, 0, 0, 0};
    return emit_.CallWith("nn.conv2d"_op, attrs, {data_, weight_});
  }

  // Returns the sum of each window, for `sums` that have no other axes to reduce.
  auto Pool(ExprId sums) -> ExprId {
    const int64_t window = kernel_height_ * kernel_width_;
    if (window == 1 && IsOne(attrs_.strides)) return sums;
    if (window != 1) sums = emit_.Multiply(sums, emit_.Int(window));
    const AvgPool2DAttrs pool{.pool_size = attrs_.kernel_size,
                              .strides = attrs_.strides,
                              .dilation = attrs_.dilation,
                              .padding = {0, 0},
                              .layout = attrs_.data_layout};
    return emit_.CallWith("nn.avg_pool2d"_op, pool, {sums});
  }

  auto Repeat(ExprId data, int64_t times) -> ExprId {
    return emit_.CallWith("repeat"_op, RepeatAttrs{.repeats = times, .axis = channel_axis_}, {data});
  }

  auto TimesWeightZeroPoint(ExprId sums) -> ExprId {
    return emit_.IsInt(weight_zero_point_, 1) ? sums : emit_.Multiply(weight_zero_point_, sums);
  }

  auto Windows() -> ExprId {
    ExprId sums = Pool(emit_.Sum(emit_.Cast(data_, kInt32), {channel_axis_}, true));
    if (known_.is_dynamic()) sums = Repeat(sums, out_channels_);
    return TimesWeightZeroPoint(sums);
  }

  auto DepthwiseWindows() -> ExprId {
    const ExprId sums = TimesWeightZeroPoint(Pool(emit_.Cast(data_, kInt32)));
    return multiplier_ == 1 ? sums : Repeat(sums, multiplier_);
  }

  auto KernelSums(bool is_depthwise) -> ExprId {
    const std::string& layout = attrs_.kernel_layout;
    DimList axes;
    for (size_t i = 0; i < layout.size(); ++i) {
      if (layout[i] == 'O' || (is_depthwise && layout[i] == 'I')) continue;
      axes.values.emplace_back(static_cast<int64_t>(i));
    }
    const int64_t channels = is_depthwise ? out_channels_ * multiplier_ : out_channels_;
    const DimList shape = attrs_.data_layout == "NCHW" ? DimList{1, channels, 1, 1} : DimList{1, 1, 1, channels};
    const ExprId sums = emit_.Reshape(emit_.Sum(emit_.Cast(weight_, kInt32), std::move(axes), false), shape);
    return emit_.IsInt(data_zero_point_, 1) ? sums : emit_.Multiply(data_zero_point_, sums);
  }

  QnnEmitter& emit_;
  const Conv2DAttrs& attrs_;
  ExprId data_;
  ExprId weight_;
  ExprId data_zero_point_;
  ExprId weight_zero_point_;
  // Before the weight's zero point is spread.
  const ProductZeroPoints known_;
  const Type* data_type_;
  const Type* weight_type_;
  // The type in which Direct computes.
  const DataType wide_ = DataType::Int(std::max<int>(32, attrs_.out_dtype.bits));
  Padding padding_;
  int64_t channel_axis_ = 0;
  int64_t in_channels_ = 0;
  int64_t out_channels_ = 0;
  int64_t multiplier_ = 0;
  int64_t kernel_height_ = 0;
  int64_t kernel_width_ = 0;
};

auto LowerConv2D(QnnCall& call, const Conv2DAttrs& attrs) -> ExprId { return ConvolutionLowering(call, attrs).Run(); }

constexpr QnnRuleOf kConvolutionLowerings[] = {
    {"qnn.conv2d"_op, WithAttrs<LowerConv2D>},
};

}  // namespace

auto QnnConvolutionLowerings() -> std::span<const QnnRuleOf> { return kConvolutionLowerings; }

}  // namespace relayopt
