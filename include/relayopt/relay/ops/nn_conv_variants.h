// Convolutions for particular machines: packed or transformed weights, deformable, and the gradient.
#pragma once

#include "relayopt/relay/ops/spatial_attrs.h"

namespace relayopt {

// The attributes of `nn.contrib_conv2d_winograd_without_weight_transform` and
// `nn.contrib_conv3d_winograd_without_weight_transform`.
template <size_t kSpatial>
struct ConvWinogradAttrs {
  static constexpr std::string_view kTypeKey =
      BySpatial<kSpatial>("", "relay.attrs.Conv2DWinogradAttrs", "relay.attrs.Conv3DWinogradAttrs");
  int64_t tile_size = 0;
  DimList strides = EachAxis<kSpatial>(1);
  DimList padding = EachAxis<kSpatial>(0);
  DimList dilation = EachAxis<kSpatial>(1);
  int64_t groups = 1;
  Dim channels;
  DimList kernel_size = DimList::Null();
  std::string data_layout = kChannelsFirst<kSpatial>;
  std::string kernel_layout = BySpatial<kSpatial>("", "OIHW", "OIDHW");
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    using A = ConvWinogradAttrs;
    return JoinFields(std::array{Required<&A::tile_size>("extent of the output tile of the transform")},
                      ConvWindowFields<A>(), ConvKernelFields<A>());
  }
};
using Conv2DWinogradAttrs = ConvWinogradAttrs<2>;
using Conv3DWinogradAttrs = ConvWinogradAttrs<3>;

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
    using A = DeformableConv2DAttrs;
    return JoinFields(ConvWindowFields<A>(), std::array{Field<&A::deformable_groups>("number of groups of offsets")},
                      ConvKernelFields<A>());
  }
};

// The attributes of `nn.contrib_conv2d_winograd_weight_transform` and `nn.contrib_conv3d_winograd_weight_transform`.
struct ConvWinogradWeightTransformAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ConvWinogradWeightTransformAttrs";
  int64_t tile_size = 0;
  static constexpr auto Fields() {
    return std::array{
        Required<&ConvWinogradWeightTransformAttrs::tile_size>("extent of the output tile of the transform"),
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
        Required<&Conv2DWinogradNNPACKWeightTransformAttrs::convolution_algorithm>("number of the NNPACK algorithm"),
        Field<&Conv2DWinogradNNPACKWeightTransformAttrs::out_dtype>(
            "element type of the result; empty: that of the data"),
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
        Required<&ConvGemmWeightTransformAttrs::tile_N>("tile along output channels"),
        Required<&ConvGemmWeightTransformAttrs::tile_K>("tile along the reduction"),
    };
  }
};

}  // namespace relayopt
