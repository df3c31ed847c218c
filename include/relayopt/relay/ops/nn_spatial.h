// Padding, resampling and rearrangement of elements.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `nn.batch_to_space_nd`.
struct BatchToSpaceNDAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BatchToSpaceNDAttrs";
  DimList block_shape = {1, 1};
  DimLists crops;
  static constexpr auto Fields() {
    return std::array{
        Field<&BatchToSpaceNDAttrs::block_shape>("block extents of the axes after the batch"),
        Required<&BatchToSpaceNDAttrs::crops>("elements removed before and after each of these axes"),
    };
  }
};

// The attributes of `nn.correlation`.
struct CorrelationAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.CorrelationAttrs";
  int64_t kernel_size = 1;
  int64_t max_displacement = 1;
  int64_t stride1 = 1;
  int64_t stride2 = 1;
  DimList padding = {0, 0};
  bool is_multiply = true;
  std::string layout = "NCHW";
  static constexpr auto Fields() {
    return std::array{
        Field<&CorrelationAttrs::kernel_size>("extent of a patch"),
        Field<&CorrelationAttrs::max_displacement>("largest displacement of patches"),
        Field<&CorrelationAttrs::stride1>("step over the first input"),
        Field<&CorrelationAttrs::stride2>("step of displacements"),
        Field<&CorrelationAttrs::padding>("zeros added around both inputs"),
        Field<&CorrelationAttrs::is_multiply>("products of elements, else absolute differences"),
        Field<&CorrelationAttrs::layout>("layout of the data"),
    };
  }
};

// The attributes of `nn.dilate`.
struct DilateAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DilateAttrs";
  DimList strides = {1, 1};
  double dilation_value = 0.0;
  static constexpr auto Fields() {
    return std::array{
        Field<&DilateAttrs::strides>("distance of neighbouring elements in the result, per axis"),
        Field<&DilateAttrs::dilation_value>("value of the elements between"),
    };
  }
};

// The attributes of `nn.fifo_buffer`.
struct FIFOBufferAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.FIFOBufferAttrs";
  int64_t axis = 0;
  static constexpr auto Fields() {
    return std::array{
        Field<&FIFOBufferAttrs::axis>("axis along which data moves through the buffer"),
    };
  }
};

// The attributes of `nn.mirror_pad`.
struct MirrorPadAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MirrorPadAttrs";
  std::string mode = "SYMMETRIC";
  DimLists pad_width;
  static constexpr auto Fields() {
    return std::array{
        Field<&MirrorPadAttrs::mode>("SYMMETRIC or REFLECT"),
        Required<&MirrorPadAttrs::pad_width>("elements added before and after each axis"),
    };
  }
};

// The attributes of `dyn.nn.pad` and `nn.pad`.
struct PadAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.PadAttrs";
  DimLists pad_width;
  std::string pad_mode = "constant";
  static constexpr auto Fields() {
    return std::array{
        Required<&PadAttrs::pad_width>("elements added before and after each axis"),
        Field<&PadAttrs::pad_mode>("constant, edge or reflect"),
    };
  }
};

// The attributes of `nn.space_to_batch_nd`.
struct SpaceToBatchNDAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SpaceToBatchNDAttrs";
  DimList block_shape = {1, 1};
  DimLists paddings;
  double pad_value = 0.0;
  static constexpr auto Fields() {
    return std::array{
        Field<&SpaceToBatchNDAttrs::block_shape>("block extents of the axes after the batch"),
        Required<&SpaceToBatchNDAttrs::paddings>("elements added before and after each of these axes"),
        Field<&SpaceToBatchNDAttrs::pad_value>("value of the added elements"),
    };
  }
};

// The attributes of `nn.depth_to_space` and `nn.space_to_depth`.
struct SubPixelAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SubPixelAttrs";
  int64_t block_size = 1;
  std::string layout = "NCHW";
  std::string mode = "DCR";
  static constexpr auto Fields() {
    return std::array{
        Field<&SubPixelAttrs::block_size>("extent of a block along height and width"),
        Field<&SubPixelAttrs::layout>("layout of the data"),
        Field<&SubPixelAttrs::mode>("order of the channels: DCR or CRD"),
    };
  }
};

// The attributes of `dyn.nn.upsampling` and `nn.upsampling`.
struct UpSamplingAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.UpSamplingAttrs";
  double scale_h = 0;
  double scale_w = 0;
  std::string layout = "NCHW";
  std::string method = "nearest_neighbor";
  bool align_corners = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&UpSamplingAttrs::scale_h>("factor of the height"),
        Required<&UpSamplingAttrs::scale_w>("factor of the width"),
        Field<&UpSamplingAttrs::layout>("layout of the data"),
        Field<&UpSamplingAttrs::method>("how values are interpolated"),
        Field<&UpSamplingAttrs::align_corners>("corner elements keep their positions"),
    };
  }
};

// The attributes of `dyn.nn.upsampling3d` and `nn.upsampling3d`.
struct UpSampling3DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.UpSampling3DAttrs";
  double scale_d = 0;
  double scale_h = 0;
  double scale_w = 0;
  std::string layout = "NCDHW";
  std::string method = "nearest_neighbor";
  std::string coordinate_transformation_mode = "half_pixel";
  static constexpr auto Fields() {
    return std::array{
        Required<&UpSampling3DAttrs::scale_d>("factor of the depth"),
        Required<&UpSampling3DAttrs::scale_h>("factor of the height"),
        Required<&UpSampling3DAttrs::scale_w>("factor of the width"),
        Field<&UpSampling3DAttrs::layout>("layout of the data"),
        Field<&UpSampling3DAttrs::method>("how values are interpolated"),
        Field<&UpSampling3DAttrs::coordinate_transformation_mode>("how positions of the result map to the data"),
    };
  }
};

}  // namespace relayopt
