// Convolutions and transposed convolutions.
#pragma once

#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/ops/spatial_attrs.h"

namespace relayopt {

// The attributes of `nn.conv1d`, `nn.conv2d` and `nn.conv3d`, and of `nn.contrib_conv2d_NCHWc`,
// `nn.contrib_conv2d_gemm_without_weight_transform`, `nn.contrib_depthwise_conv2d_NCHWc` and 3 more operators.
template <size_t kSpatial>
struct ConvAttrs {
  static constexpr std::string_view kTypeKey =
      BySpatial<kSpatial>("relay.attrs.Conv1DAttrs", "relay.attrs.Conv2DAttrs", "relay.attrs.Conv3DAttrs");
  DimList strides = EachAxis<kSpatial>(1);
  // As TVM: both sides for a single axis.
  DimList padding = EachAxis < kSpatial == 1 ? 2 : kSpatial > (0);
  DimList dilation = EachAxis<kSpatial>(1);
  int64_t groups = 1;
  Dim channels;
  DimList kernel_size = DimList::Null();
  std::string data_layout = kChannelsFirst<kSpatial>;
  std::string kernel_layout = BySpatial<kSpatial>("OIW", "OIHW", "OIDHW");
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() { return JoinFields(ConvWindowFields<ConvAttrs>(), ConvKernelFields<ConvAttrs>()); }
};
using Conv1DAttrs = ConvAttrs<1>;
using Conv2DAttrs = ConvAttrs<2>;
using Conv3DAttrs = ConvAttrs<3>;

// The attributes of `nn.conv1d_transpose`, `nn.conv2d_transpose`, `qnn.conv2d_transpose` and `nn.conv3d_transpose`.
template <size_t kSpatial>
struct ConvTransposeAttrs {
  static constexpr std::string_view kTypeKey = BySpatial<kSpatial>(
      "relay.attrs.Conv1DTransposeAttrs", "relay.attrs.Conv2DTransposeAttrs", "relay.attrs.Conv3DTransposeAttrs");
  Dim channels;
  DimList kernel_size = DimList::Null();
  DimList strides = EachAxis<kSpatial>(1);
  DimList output_padding = EachAxis<kSpatial>(0);
  DimList padding = EachAxis<kSpatial>(0);
  DimList dilation = EachAxis<kSpatial>(1);
  int64_t groups = 1;
  std::string data_layout = kChannelsFirst<kSpatial>;
  std::string kernel_layout = BySpatial<kSpatial>("IOW", "IOHW", "IODHW");
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    using A = ConvTransposeAttrs;
    return std::array{
        Field<&A::channels>("number of output channels; None: from the weight"),
        Field<&A::kernel_size>("spatial extents of the kernel; None: from the weight"),
        Field<&A::strides>("step of the window along each spatial axis"),
        Field<&A::output_padding>("extra extent of the result at the end of each spatial axis"),
        Field<&A::padding>("zeros added before and after each spatial axis"),
        Field<&A::dilation>("distance of neighbouring kernel elements"),
        Field<&A::groups>("number of groups of channels"),
        Field<&A::data_layout>("layout of the data"),
        Field<&A::kernel_layout>("layout of the weight"),
        Field<&A::out_layout>("layout of the result; empty: that of the data"),
        Field<&A::out_dtype>("element type of the result; empty: that of the data"),
    };
  }
};
using Conv1DTransposeAttrs = ConvTransposeAttrs<1>;
using Conv2DTransposeAttrs = ConvTransposeAttrs<2>;
using Conv3DTransposeAttrs = ConvTransposeAttrs<3>;

// Returns the type rule of operators with these attributes whose first inputs are data and weight. The weight's shape
// is inferred from `channels` and `kernel_size` when both are given.
auto Conv2DRule(RuleContext& rule) -> RuleStatus;
auto Conv2DTransposeRule(RuleContext& rule) -> RuleStatus;

}  // namespace relayopt
