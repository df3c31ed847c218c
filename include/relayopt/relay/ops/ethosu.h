// Operators of the Arm Ethos-U NPU: commands of the accelerator as Relay calls.
#pragma once

#include "relayopt/relay/ops/spatial_attrs.h"

namespace relayopt {

// The attributes of `contrib.ethosu.binary_elementwise`.
struct EthosuBinaryElementwiseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.EthosuBinaryElementwiseAttrs";
  std::string operator_type;
  double ifm_scale = 0;
  int64_t ifm_zero_point = 0;
  double ifm2_scale = 0;
  int64_t ifm2_zero_point = 0;
  double ofm_scale = 0;
  int64_t ofm_zero_point = 0;
  Dim ifm_channels;
  Dim ifm2_channels;
  bool reversed_operands = false;
  std::string activation = "NONE";
  int64_t clip_min = 0;
  int64_t clip_max = 0;
  std::string rounding_mode = "TFL";
  std::string ifm_layout = "NHWC";
  std::string ifm2_layout = "NHWC";
  std::string ofm_layout = "NHWC";
  std::string ofm_dtype;
  bool use_rescale = false;
  int64_t rescale_scale = 0;
  int64_t rescale_shift = 0;
  static constexpr auto Fields() {
    using A = EthosuBinaryElementwiseAttrs;
    return std::array{
        Required<&A::operator_type>("ADD, SUB, MUL, MIN, MAX, SHR or SHL"),
        Required<&A::ifm_scale>("scale of the input"),
        Required<&A::ifm_zero_point>("zero point of the input"),
        Required<&A::ifm2_scale>("scale of the second input"),
        Required<&A::ifm2_zero_point>("zero point of the second input"),
        Required<&A::ofm_scale>("scale of the result"),
        Required<&A::ofm_zero_point>("zero point of the result"),
        Required<&A::ifm_channels>("channels of the input"),
        Required<&A::ifm2_channels>("channels of the second input"),
        Field<&A::reversed_operands>("the second input is the left operand"),
        Field<&A::activation>("NONE, CLIP, TANH, SIGMOID or LUT"),
        Field<&A::clip_min>("least value for CLIP"),
        Field<&A::clip_max>("greatest value for CLIP"),
        Field<&A::rounding_mode>("TFL, TRUNCATE or NATURAL"),
        Field<&A::ifm_layout>("NHWC or NHCWB16"),
        Field<&A::ifm2_layout>("NHWC or NHCWB16"),
        Field<&A::ofm_layout>("NHWC or NHCWB16"),
        Required<&A::ofm_dtype>("element type of the result"),
        Field<&A::use_rescale>("scale with rescale_scale and rescale_shift"),
        Field<&A::rescale_scale>("multiplier of the result"),
        Field<&A::rescale_shift>("right shift of the result"),
    };
  }
};

// The attributes of `contrib.ethosu.conv2d`.
struct EthosuConv2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.EthosuConv2DAttrs";
  double ifm_scale = 0;
  int64_t ifm_zero_point = 0;
  int64_t weight_zero_point = 0;
  double ofm_scale = 0;
  int64_t ofm_zero_point = 0;
  DimList kernel_shape = DimList::Null();
  Dim ofm_channels;
  DimList strides = {1, 1};
  DimList padding = {0, 0, 0, 0};
  DimList dilation = {1, 1};
  std::string activation = "NONE";
  int64_t clip_min = 0;
  int64_t clip_max = 0;
  std::string rounding_mode = "TFL";
  std::string upscale = "NONE";
  std::string ifm_layout = "NHWC";
  std::string ofm_layout = "NHWC";
  static constexpr auto Fields() {
    using A = EthosuConv2DAttrs;
    return std::array{
        Required<&A::ifm_scale>("scale of the input"),
        Required<&A::ifm_zero_point>("zero point of the input"),
        Required<&A::weight_zero_point>("zero point of the weight"),
        Required<&A::ofm_scale>("scale of the result"),
        Required<&A::ofm_zero_point>("zero point of the result"),
        Field<&A::kernel_shape>("height and width of the kernel"),
        Field<&A::ofm_channels>("channels of the result"),
        Field<&A::strides>("steps along height and width"),
        Field<&A::padding>("top, left, bottom, right"),
        Field<&A::dilation>("distance of kernel elements along height and width"),
        Field<&A::activation>("NONE, CLIP, TANH, SIGMOID or LUT"),
        Field<&A::clip_min>("least value for CLIP"),
        Field<&A::clip_max>("greatest value for CLIP"),
        Field<&A::rounding_mode>("TFL, TRUNCATE or NATURAL"),
        Field<&A::upscale>("NONE, NEAREST or ZEROS: the input is doubled first"),
        Field<&A::ifm_layout>("NHWC or NHCWB16"),
        Field<&A::ofm_layout>("NHWC or NHCWB16"),
    };
  }
};

// The attributes of `contrib.ethosu.depthwise_conv2d`.
struct EthosuDepthwiseConv2DAttrs : EthosuConv2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.EthosuDepthwiseConv2DAttrs";
  std::string ofm_dtype = "int8";
  static constexpr auto Fields() {
    return JoinFields(EthosuConv2DAttrs::Fields(),
                      std::array{Field<&EthosuDepthwiseConv2DAttrs::ofm_dtype>("element type of the result")});
  }
};

// The attributes of `contrib.ethosu.identity`.
struct EthosuIdentityAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.EthosuIdentityAttrs";
  double ifm_scale = 0;
  int64_t ifm_zero_point = 0;
  double ofm_scale = 0;
  int64_t ofm_zero_point = 0;
  std::string activation = "NONE";
  std::string rounding_mode = "TFL";
  static constexpr auto Fields() {
    using A = EthosuIdentityAttrs;
    return std::array{
        Required<&A::ifm_scale>("scale of the input"),       Required<&A::ifm_zero_point>("zero point of the input"),
        Required<&A::ofm_scale>("scale of the result"),      Required<&A::ofm_zero_point>("zero point of the result"),
        Field<&A::activation>("NONE, TANH, SIGMOID or LUT"), Field<&A::rounding_mode>("TFL, TRUNCATE or NATURAL"),
    };
  }
};

// The attributes of `contrib.ethosu.pooling`.
struct EthosuPoolingAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.EthosuPoolingAttrs";
  std::string pooling_type;
  double ifm_scale = 0;
  int64_t ifm_zero_point = 0;
  double ofm_scale = 0;
  int64_t ofm_zero_point = 0;
  DimList pool_shape = DimList::Null();
  Dim ofm_channels;
  std::string ofm_dtype;
  DimList strides = {1, 1};
  DimList padding = {0, 0, 0, 0};
  std::string activation = "NONE";
  int64_t clip_min = 0;
  int64_t clip_max = 0;
  std::string rounding_mode = "TFL";
  std::string upscale = "NONE";
  std::string ifm_layout = "NHWC";
  std::string ofm_layout = "NHWC";
  static constexpr auto Fields() {
    using A = EthosuPoolingAttrs;
    return std::array{
        Required<&A::pooling_type>("AVG, MAX or SUM"),
        Required<&A::ifm_scale>("scale of the input"),
        Required<&A::ifm_zero_point>("zero point of the input"),
        Required<&A::ofm_scale>("scale of the result"),
        Required<&A::ofm_zero_point>("zero point of the result"),
        Field<&A::pool_shape>("height and width of the window"),
        Field<&A::ofm_channels>("channels of the result"),
        Required<&A::ofm_dtype>("element type of the result"),
        Field<&A::strides>("steps along height and width"),
        Field<&A::padding>("top, left, bottom, right"),
        Field<&A::activation>("NONE, CLIP, TANH, SIGMOID or LUT"),
        Field<&A::clip_min>("least value for CLIP"),
        Field<&A::clip_max>("greatest value for CLIP"),
        Field<&A::rounding_mode>("TFL, TRUNCATE or NATURAL"),
        Field<&A::upscale>("NONE, NEAREST or ZEROS: the input is doubled first"),
        Field<&A::ifm_layout>("NHWC or NHCWB16"),
        Field<&A::ofm_layout>("NHWC or NHCWB16"),
    };
  }
};

// The attributes of `contrib.ethosu.unary_elementwise`.
struct EthosuUnaryElementwiseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.EthosuUnaryElementwiseAttrs";
  std::string operator_type;
  double ifm_scale = 0;
  int64_t ifm_zero_point = 0;
  double ofm_scale = 0;
  int64_t ofm_zero_point = 0;
  Dim ofm_channels;
  std::string activation = "NONE";
  int64_t clip_min = 0;
  int64_t clip_max = 0;
  std::string rounding_mode = "TFL";
  std::string ifm_layout = "NHWC";
  std::string ofm_layout = "NHWC";
  static constexpr auto Fields() {
    using A = EthosuUnaryElementwiseAttrs;
    return std::array{
        Required<&A::operator_type>("ABS or CLZ"),
        Required<&A::ifm_scale>("scale of the input"),
        Required<&A::ifm_zero_point>("zero point of the input"),
        Required<&A::ofm_scale>("scale of the result"),
        Required<&A::ofm_zero_point>("zero point of the result"),
        Required<&A::ofm_channels>("channels of the result"),
        Field<&A::activation>("NONE, CLIP, TANH, SIGMOID or LUT"),
        Field<&A::clip_min>("least value for CLIP"),
        Field<&A::clip_max>("greatest value for CLIP"),
        Field<&A::rounding_mode>("TFL, TRUNCATE or NATURAL"),
        Field<&A::ifm_layout>("NHWC or NHCWB16"),
        Field<&A::ofm_layout>("NHWC or NHCWB16"),
    };
  }
};

}  // namespace relayopt
