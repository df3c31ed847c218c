// Convolutions and transposed convolutions.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The attributes of `nn.conv1d`.
struct Conv1DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv1DAttrs";
  DimList strides = {1};
  DimList padding = {0, 0};
  DimList dilation = {1};
  int64_t groups = 1;
  Dim channels;
  DimList kernel_size = DimList::Null();
  std::string data_layout = "NCW";
  std::string kernel_layout = "OIW";
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&Conv1DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&Conv1DAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&Conv1DAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&Conv1DAttrs::groups>("groups", "number of groups of channels"),
        Field<&Conv1DAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&Conv1DAttrs::kernel_size>("kernel_size", "spatial extents of the kernel; None: from the weight"),
        Field<&Conv1DAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&Conv1DAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&Conv1DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&Conv1DAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.contrib_conv2d_NCHWc`, `nn.contrib_conv2d_gemm_without_weight_transform`,
// `nn.contrib_depthwise_conv2d_NCHWc` and 3 more operators.
struct Conv2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv2DAttrs";
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
        Field<&Conv2DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&Conv2DAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&Conv2DAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&Conv2DAttrs::groups>("groups", "number of groups of channels"),
        Field<&Conv2DAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&Conv2DAttrs::kernel_size>("kernel_size", "spatial extents of the kernel; None: from the weight"),
        Field<&Conv2DAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&Conv2DAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&Conv2DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&Conv2DAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.conv3d`.
struct Conv3DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv3DAttrs";
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
        Field<&Conv3DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&Conv3DAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&Conv3DAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&Conv3DAttrs::groups>("groups", "number of groups of channels"),
        Field<&Conv3DAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&Conv3DAttrs::kernel_size>("kernel_size", "spatial extents of the kernel; None: from the weight"),
        Field<&Conv3DAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&Conv3DAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&Conv3DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&Conv3DAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.conv1d_transpose`.
struct Conv1DTransposeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv1DTransposeAttrs";
  Dim channels;
  DimList kernel_size = DimList::Null();
  DimList strides = {1};
  DimList output_padding = {0};
  DimList padding = {0};
  DimList dilation = {1};
  int64_t groups = 1;
  std::string data_layout = "NCW";
  std::string kernel_layout = "IOW";
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&Conv1DTransposeAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&Conv1DTransposeAttrs::kernel_size>("kernel_size",
                                                  "spatial extents of the kernel; None: from the weight"),
        Field<&Conv1DTransposeAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&Conv1DTransposeAttrs::output_padding>("output_padding",
                                                     "extra extent of the result at the end of each spatial axis"),
        Field<&Conv1DTransposeAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&Conv1DTransposeAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&Conv1DTransposeAttrs::groups>("groups", "number of groups of channels"),
        Field<&Conv1DTransposeAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&Conv1DTransposeAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&Conv1DTransposeAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&Conv1DTransposeAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.conv2d_transpose` and `qnn.conv2d_transpose`.
struct Conv2DTransposeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv2DTransposeAttrs";
  Dim channels;
  DimList kernel_size = DimList::Null();
  DimList strides = {1, 1};
  DimList output_padding = {0, 0};
  DimList padding = {0, 0};
  DimList dilation = {1, 1};
  int64_t groups = 1;
  std::string data_layout = "NCHW";
  std::string kernel_layout = "IOHW";
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&Conv2DTransposeAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&Conv2DTransposeAttrs::kernel_size>("kernel_size",
                                                  "spatial extents of the kernel; None: from the weight"),
        Field<&Conv2DTransposeAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&Conv2DTransposeAttrs::output_padding>("output_padding",
                                                     "extra extent of the result at the end of each spatial axis"),
        Field<&Conv2DTransposeAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&Conv2DTransposeAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&Conv2DTransposeAttrs::groups>("groups", "number of groups of channels"),
        Field<&Conv2DTransposeAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&Conv2DTransposeAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&Conv2DTransposeAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&Conv2DTransposeAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.conv3d_transpose`.
struct Conv3DTransposeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.Conv3DTransposeAttrs";
  Dim channels;
  DimList kernel_size = DimList::Null();
  DimList strides = {1, 1, 1};
  DimList output_padding = {0, 0, 0};
  DimList padding = {0, 0, 0};
  DimList dilation = {1, 1, 1};
  int64_t groups = 1;
  std::string data_layout = "NCDHW";
  std::string kernel_layout = "IODHW";
  std::string out_layout;
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&Conv3DTransposeAttrs::channels>("channels", "number of output channels; None: from the weight"),
        Field<&Conv3DTransposeAttrs::kernel_size>("kernel_size",
                                                  "spatial extents of the kernel; None: from the weight"),
        Field<&Conv3DTransposeAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&Conv3DTransposeAttrs::output_padding>("output_padding",
                                                     "extra extent of the result at the end of each spatial axis"),
        Field<&Conv3DTransposeAttrs::padding>("padding", "zeros added before and after each spatial axis"),
        Field<&Conv3DTransposeAttrs::dilation>("dilation", "distance of neighbouring kernel elements"),
        Field<&Conv3DTransposeAttrs::groups>("groups", "number of groups of channels"),
        Field<&Conv3DTransposeAttrs::data_layout>("data_layout", "layout of the data"),
        Field<&Conv3DTransposeAttrs::kernel_layout>("kernel_layout", "layout of the weight"),
        Field<&Conv3DTransposeAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&Conv3DTransposeAttrs::out_dtype>("out_dtype", "element type of the result; empty: that of the data"),
    };
  }
};

// Returns the type rule of operators with these attributes whose first inputs are data and weight. The weight's shape
// is inferred from `channels` and `kernel_size` when both are given.
auto Conv2DRule(RuleContext& rule) -> RuleStatus;
auto Conv2DTransposeRule(RuleContext& rule) -> RuleStatus;

}  // namespace relayopt
