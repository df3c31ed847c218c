// Convolutions for particular machines: packed or transformed weights, deformable, and the gradient.
#pragma once

#include "relayopt/relay/ops/kernels_nn.h"
#include "relayopt/relay/ops/nn_conv.h"

namespace relayopt {

struct Conv2DWinogradAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv2DWinogradAttrs";
  int64_t tile_size = 0;
  DimList strides = {1, 1};
  DimList padding = {0, 0};
  DimList dilation = {1, 1};
  int64_t groups = 1;
  Dim channels;
  DimList kernel_size = DimList::Null();
  std::string data_layout = "NCHW";
  std::string kernel_layout = "OIHW";
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Required<&Conv2DWinogradAttrs::tile_size>("tile_size", "extent of the output tile of the transform"),
        Field<&Conv2DWinogradAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&Conv2DWinogradAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&Conv2DWinogradAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&Conv2DWinogradAttrs::groups>("groups", "number of groups of channels"),
        Field<&Conv2DWinogradAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&Conv2DWinogradAttrs::kernel_size>("kernel_size", "spatial extents of the kernel; None: from the weight"),
        Field<&Conv2DWinogradAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&Conv2DWinogradAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&Conv2DWinogradAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&Conv2DWinogradAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

struct Conv3DWinogradAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv3DWinogradAttrs";
  int64_t tile_size = 0;
  DimList strides = {1, 1, 1};
  DimList padding = {0, 0, 0};
  DimList dilation = {1, 1, 1};
  int64_t groups = 1;
  Dim channels;
  DimList kernel_size = DimList::Null();
  std::string data_layout = "NCDHW";
  std::string kernel_layout = "OIDHW";
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Required<&Conv3DWinogradAttrs::tile_size>("tile_size", "extent of the output tile of the transform"),
        Field<&Conv3DWinogradAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&Conv3DWinogradAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&Conv3DWinogradAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&Conv3DWinogradAttrs::groups>("groups", "number of groups of channels"),
        Field<&Conv3DWinogradAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&Conv3DWinogradAttrs::kernel_size>("kernel_size", "spatial extents of the kernel; None: from the weight"),
        Field<&Conv3DWinogradAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&Conv3DWinogradAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&Conv3DWinogradAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&Conv3DWinogradAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

struct DeformableConv2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DeformableConv2DAttrs";
  DimList strides = {1, 1};
  DimList padding = {0, 0};
  DimList dilation = {1, 1};
  int64_t deformable_groups = 1;
  int64_t groups = 1;
  Dim channels;
  DimList kernel_size = DimList::Null();
  std::string data_layout = "NCHW";
  std::string kernel_layout = "OIHW";
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&DeformableConv2DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&DeformableConv2DAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&DeformableConv2DAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&DeformableConv2DAttrs::deformable_groups>("deformable_groups", "number of groups of offsets"),
        Field<&DeformableConv2DAttrs::groups>("groups", "number of groups of channels"),
        Field<&DeformableConv2DAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&DeformableConv2DAttrs::kernel_size>("kernel_size",
                                                   "spatial extents of the kernel; None: from the weight"),
        Field<&DeformableConv2DAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&DeformableConv2DAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&DeformableConv2DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&DeformableConv2DAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

struct ConvWinogradWeightTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ConvWinogradWeightTransformAttrs";
  int64_t tile_size = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&ConvWinogradWeightTransformAttrs::tile_size>("tile_size",
                                                               "extent of the output tile of the transform"),
    };
  }
};

struct Conv2DWinogradNNPACKWeightTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv2DWinogradNNPACKWeightTransformAttrs";
  int64_t convolution_algorithm = 0;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Required<&Conv2DWinogradNNPACKWeightTransformAttrs::convolution_algorithm>("convolution_algorithm",
                                                                                   "number of the NNPACK algorithm"),
        Field<&Conv2DWinogradNNPACKWeightTransformAttrs::out_dtype>(
            "out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

struct ConvGemmWeightTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ConvGemmWeightTransformAttrs";
  int64_t tile_N = 0;
  int64_t tile_K = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&ConvGemmWeightTransformAttrs::tile_N>("tile_N", "tile along output channels"),
        Required<&ConvGemmWeightTransformAttrs::tile_K>("tile_K", "tile along the reduction"),
    };
  }
};

// Convolutions that take a weight in a form of their own: the weight's type is not looked at.
auto Conv2DPackedRule(RuleContext& rule) -> RuleStatus;
auto Conv2DWinogradRule(RuleContext& rule) -> RuleStatus;
auto Conv3DWinogradRule(RuleContext& rule) -> RuleStatus;
// The transforms that bring a weight into such a form.
auto Conv2DWinogradWeightRule(RuleContext& rule) -> RuleStatus;
auto Conv3DWinogradWeightRule(RuleContext& rule) -> RuleStatus;
auto NnpackWeightRule(RuleContext& rule) -> RuleStatus;
auto GemmWeightRule(RuleContext& rule) -> RuleStatus;
// Data, offsets and weight give the result; the types of offsets and weight are learnt.
auto DeformableConv2DRule(RuleContext& rule) -> RuleStatus;
// The gradient of conv2d with respect to the weight, from the gradient of its result and its data. The attributes are
// read shifted: data_layout is the gradient's, kernel_layout the data's and out_layout the weight's.
auto Conv2DBackwardWeightRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kNnConvVariantOps[] = {
    Convolution("nn.contrib_conv2d_NCHWc", kSchema<Conv2DAttrs>, Conv2DPackedRule, Conv2DKernel,
                "conv2d with a packed weight"),
    {.name = "nn.contrib_conv2d_gemm_weight_transform",
     .inputs = "weights",
     .attrs = &kSchema<ConvGemmWeightTransformAttrs>,
     .type = GemmWeightRule,
     .kernel = ConvGemmWeightTransformKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "weight of conv2d as padded tiles of a matrix"},
    Convolution("nn.contrib_conv2d_gemm_without_weight_transform", kSchema<Conv2DAttrs>, Conv2DPackedRule,
                Conv2DGemmKernel, "conv2d as a matrix product, with a transformed weight"),
    {.name = "nn.contrib_conv2d_winograd_nnpack_weight_transform",
     .inputs = "weight",
     .attrs = &kSchema<Conv2DWinogradNNPACKWeightTransformAttrs>,
     .type = NnpackWeightRule,
     .fusion = Fusion::kOpaque,
     .doc = "weight of conv2d as NNPACK wants it"},
    {.name = "nn.contrib_conv2d_winograd_weight_transform",
     .inputs = "weight",
     .attrs = &kSchema<ConvWinogradWeightTransformAttrs>,
     .type = Conv2DWinogradWeightRule,
     .kernel = Conv2DWinogradWeightTransformKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "Winograd transform of a conv2d weight"},
    Convolution("nn.contrib_conv2d_winograd_without_weight_transform", kSchema<Conv2DWinogradAttrs>, Conv2DWinogradRule,
                Conv2DWinogradKernel, "conv2d by Winograd's method, with a transformed weight"),
    {.name = "nn.contrib_conv3d_winograd_weight_transform",
     .inputs = "weight",
     .attrs = &kSchema<ConvWinogradWeightTransformAttrs>,
     .type = Conv3DWinogradWeightRule,
     .kernel = Conv3DWinogradWeightTransformKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "Winograd transform of a conv3d weight"},
    Convolution("nn.contrib_conv3d_winograd_without_weight_transform", kSchema<Conv3DWinogradAttrs>, Conv3DWinogradRule,
                Conv3DWinogradKernel, "conv3d by Winograd's method, with a transformed weight"),
    Convolution("nn.contrib_depthwise_conv2d_NCHWc", kSchema<Conv2DAttrs>, Conv2DRule, Conv2DKernel,
                "depthwise conv2d with a packed weight"),
    {.name = "nn.conv2d_backward_weight",
     .inputs = "grad, data",
     .attrs = &kSchema<Conv2DAttrs>,
     .type = Conv2DBackwardWeightRule,
     .kernel = Conv2DBackwardWeightKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .layout = ConvolutionLayout,
     .convert_layout = ConvertConv2DBackwardWeight,
     .doc = "gradient of conv2d with respect to its weight"},
    {.name = "nn.deformable_conv2d",
     .inputs = "data, offset, weight",
     .attrs = &kSchema<DeformableConv2DAttrs>,
     .type = DeformableConv2DRule,
     .kernel = DeformableConv2DKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .layout = ConvolutionLayout,
     .convert_layout = ConvertDeformableConv2D,
     .doc = "conv2d at positions shifted by offsets"},
};

}  // namespace relayopt
