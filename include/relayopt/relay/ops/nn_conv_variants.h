// Convolutions for particular machines: packed or transformed weights, deformable, and the gradient.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `nn.contrib_conv2d_winograd_without_weight_transform`.
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

// The attributes of `nn.contrib_conv3d_winograd_without_weight_transform`.
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

// The attributes of `nn.deformable_conv2d`.
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

// The attributes of `nn.contrib_conv2d_winograd_weight_transform` and `nn.contrib_conv3d_winograd_weight_transform`.
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

// The attributes of `nn.contrib_conv2d_winograd_nnpack_weight_transform`.
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

// The attributes of `nn.contrib_conv2d_gemm_weight_transform`.
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

}  // namespace relayopt
