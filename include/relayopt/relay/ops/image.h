// Operators on images: resizing, sampling and dilation.
#pragma once

#include "relayopt/relay/ops/spatial_attrs.h"

namespace relayopt {

// The attributes of `image.affine_grid`.
struct AffineGridAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AffineGridAttrs";
  DimList target_shape;
  static constexpr auto Fields() {
    return std::array{Required<&AffineGridAttrs::target_shape>("height and width of the grid")};
  }
};

// The attributes of `image.crop_and_resize`.
struct CropAndResizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.CropAndResizeAttrs";
  DimList crop_size = DimList::Null();
  std::string layout = "NCHW";
  std::string method = "bilinear";
  double extrapolation_value = 0;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&CropAndResizeAttrs::crop_size>("height and width of the result"),
        Field<&CropAndResizeAttrs::layout>("layout of data"),
        Field<&CropAndResizeAttrs::method>("bilinear or nearest_neighbor"),
        Field<&CropAndResizeAttrs::extrapolation_value>("value outside of the image"),
        Field<&CropAndResizeAttrs::out_dtype>("element type of the result; none: that of data"),
    };
  }
};

// The attributes of `image.dilation2d`.
struct Dilation2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Dilation2DAttrs";
  DimList strides = {1, 1};
  DimList padding = {0, 0};
  DimList dilations = {1, 1};
  std::string data_layout = "NCHW";
  std::string kernel_layout = "IHW";
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&Dilation2DAttrs::strides>("steps along height and width"),
        Field<&Dilation2DAttrs::padding>("both; height, width; or top, left, bottom, right"),
        Field<&Dilation2DAttrs::dilations>("distance of kernel elements along height and width"),
        Field<&Dilation2DAttrs::data_layout>("layout of data and result"),
        Field<&Dilation2DAttrs::kernel_layout>("layout of weight"),
        Field<&Dilation2DAttrs::out_dtype>("element type of the result; none: that of data"),
    };
  }
};

// The attributes of `image.grid_sample`.
struct GridSampleAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GridSampleAttrs";
  std::string method = "bilinear";
  std::string layout = "NCHW";
  std::string padding_mode = "zeros";
  bool align_corners = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&GridSampleAttrs::method>("nearest, bilinear or bicubic"),
        Field<&GridSampleAttrs::layout>("layout of data"),
        Field<&GridSampleAttrs::padding_mode>("outside of data: zeros, border or reflection"),
        Field<&GridSampleAttrs::align_corners>("-1 and 1 are the centres of the outer elements"),
    };
  }
};

// The attributes of `image.resize1d`, `image.resize2d`, `dyn.image.resize2d` and `image.resize3d`.
template <size_t kSpatial>
struct ResizeAttrs {
  static constexpr std::string_view kTypeKey =
      BySpatial<kSpatial>("relay.attrs.Resize1DAttrs", "relay.attrs.Resize2DAttrs", "relay.attrs.Resize3DAttrs");
  DimList size = DimList::Null();
  ObjectId roi;
  std::string layout = kChannelsFirst<kSpatial>;
  std::string method = "linear";
  std::string coordinate_transformation_mode = "half_pixel";
  std::string rounding_method = "round";
  double cubic_alpha = -0.5;
  int64_t cubic_exclude = 0;
  double extrapolation_value = 0;
  DataType out_dtype;
  static constexpr auto Fields() {
    using A = ResizeAttrs;
    return std::array{
        Field<&A::size>("spatial extents of the result"),
        Field<&A::roi>("region for tf_crop_and_resize: starts, then ends"),
        Field<&A::layout>("layout of data"),
        Field<&A::method>("nearest_neighbor, linear or cubic"),
        Field<&A::coordinate_transformation_mode>("from result to input positions: half_pixel, align_corners, ..."),
        Field<&A::rounding_method>("for nearest_neighbor: round, floor, ceil, ..."),
        Field<&A::cubic_alpha>("coefficient of the cubic kernel"),
        Field<&A::cubic_exclude>("1: cubic leaves out elements outside of the input"),
        Field<&A::extrapolation_value>("value outside of the region"),
        Field<&A::out_dtype>("element type of the result; none: that of data"),
    };
  }
};
using Resize1DAttrs = ResizeAttrs<1>;
using Resize2DAttrs = ResizeAttrs<2>;
using Resize3DAttrs = ResizeAttrs<3>;

}  // namespace relayopt
