// Pooling.
#pragma once

#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// The attributes of `nn.adaptive_avg_pool1d` and `nn.adaptive_max_pool1d`.
struct AdaptivePool1DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AdaptivePool1DAttrs";
  DimList output_size;
  std::string layout = "NCW";
  std::string out_layout;
  static constexpr auto Fields() {
    return std::array{
        Field<&AdaptivePool1DAttrs::output_size>("output_size",
                                                 "extents of the result; one for all axes, none: as the data"),
        Field<&AdaptivePool1DAttrs::layout>("layout", "layout of the data"),
        Field<&AdaptivePool1DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.adaptive_avg_pool2d` and `nn.adaptive_max_pool2d`.
struct AdaptivePool2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AdaptivePool2DAttrs";
  DimList output_size;
  std::string layout = "NCHW";
  std::string out_layout;
  static constexpr auto Fields() {
    return std::array{
        Field<&AdaptivePool2DAttrs::output_size>("output_size",
                                                 "extents of the result; one for all axes, none: as the data"),
        Field<&AdaptivePool2DAttrs::layout>("layout", "layout of the data"),
        Field<&AdaptivePool2DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.adaptive_avg_pool3d` and `nn.adaptive_max_pool3d`.
struct AdaptivePool3DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AdaptivePool3DAttrs";
  DimList output_size;
  std::string layout = "NCDHW";
  std::string out_layout;
  static constexpr auto Fields() {
    return std::array{
        Field<&AdaptivePool3DAttrs::output_size>("output_size",
                                                 "extents of the result; one for all axes, none: as the data"),
        Field<&AdaptivePool3DAttrs::layout>("layout", "layout of the data"),
        Field<&AdaptivePool3DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.avg_pool1d`.
struct AvgPool1DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AvgPool1DAttrs";
  DimList pool_size;
  DimList strides = {1};
  DimList dilation = {1};
  DimList padding = {0};
  std::string layout = "NCW";
  std::string out_layout;
  bool ceil_mode = false;
  bool count_include_pad = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&AvgPool1DAttrs::pool_size>("pool_size", "extents of the window"),
        Field<&AvgPool1DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&AvgPool1DAttrs::dilation>("dilation", "distance of neighbouring window elements"),
        Field<&AvgPool1DAttrs::padding>("padding", "elements added before and after each spatial axis"),
        Field<&AvgPool1DAttrs::layout>("layout", "layout of the data"),
        Field<&AvgPool1DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&AvgPool1DAttrs::ceil_mode>("ceil_mode", "count the last window even when it is not full"),
        Field<&AvgPool1DAttrs::count_include_pad>("count_include_pad", "padding counts as elements of the average"),
    };
  }
};

// The attributes of `nn.avg_pool2d`, `nn.avg_pool2d_grad` and `qnn.avg_pool2d`.
struct AvgPool2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AvgPool2DAttrs";
  DimList pool_size;
  DimList strides = {1, 1};
  DimList dilation = {1, 1};
  DimList padding = {0, 0};
  std::string layout = "NCHW";
  std::string out_layout;
  bool ceil_mode = false;
  bool count_include_pad = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&AvgPool2DAttrs::pool_size>("pool_size", "extents of the window"),
        Field<&AvgPool2DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&AvgPool2DAttrs::dilation>("dilation", "distance of neighbouring window elements"),
        Field<&AvgPool2DAttrs::padding>("padding", "elements added before and after each spatial axis"),
        Field<&AvgPool2DAttrs::layout>("layout", "layout of the data"),
        Field<&AvgPool2DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&AvgPool2DAttrs::ceil_mode>("ceil_mode", "count the last window even when it is not full"),
        Field<&AvgPool2DAttrs::count_include_pad>("count_include_pad", "padding counts as elements of the average"),
    };
  }
};

// The attributes of `nn.avg_pool3d`.
struct AvgPool3DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AvgPool3DAttrs";
  DimList pool_size;
  DimList strides = {1, 1, 1};
  DimList dilation = {1, 1, 1};
  DimList padding = {0, 0, 0};
  std::string layout = "NCDHW";
  std::string out_layout;
  bool ceil_mode = false;
  bool count_include_pad = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&AvgPool3DAttrs::pool_size>("pool_size", "extents of the window"),
        Field<&AvgPool3DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&AvgPool3DAttrs::dilation>("dilation", "distance of neighbouring window elements"),
        Field<&AvgPool3DAttrs::padding>("padding", "elements added before and after each spatial axis"),
        Field<&AvgPool3DAttrs::layout>("layout", "layout of the data"),
        Field<&AvgPool3DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&AvgPool3DAttrs::ceil_mode>("ceil_mode", "count the last window even when it is not full"),
        Field<&AvgPool3DAttrs::count_include_pad>("count_include_pad", "padding counts as elements of the average"),
    };
  }
};

// The attributes of `nn.global_avg_pool2d` and `nn.global_max_pool2d`.
struct GlobalPool2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GlobalPool2DAttrs";
  std::string layout = "NCHW";
  std::string out_layout;
  static constexpr auto Fields() {
    return std::array{
        Field<&GlobalPool2DAttrs::layout>("layout", "layout of the data"),
        Field<&GlobalPool2DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
    };
  }
};

// The attributes of `nn.max_pool1d`.
struct MaxPool1DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MaxPool1DAttrs";
  DimList pool_size;
  DimList strides = {1};
  DimList dilation = {1};
  DimList padding = {0};
  std::string layout = "NCW";
  std::string out_layout;
  bool ceil_mode = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&MaxPool1DAttrs::pool_size>("pool_size", "extents of the window"),
        Field<&MaxPool1DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&MaxPool1DAttrs::dilation>("dilation", "distance of neighbouring window elements"),
        Field<&MaxPool1DAttrs::padding>("padding", "elements added before and after each spatial axis"),
        Field<&MaxPool1DAttrs::layout>("layout", "layout of the data"),
        Field<&MaxPool1DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&MaxPool1DAttrs::ceil_mode>("ceil_mode", "count the last window even when it is not full"),
    };
  }
};

// The attributes of `nn.max_pool2d` and `nn.max_pool2d_grad`.
struct MaxPool2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MaxPool2DAttrs";
  DimList pool_size;
  DimList strides = {1, 1};
  DimList dilation = {1, 1};
  DimList padding = {0, 0};
  std::string layout = "NCHW";
  std::string out_layout;
  bool ceil_mode = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&MaxPool2DAttrs::pool_size>("pool_size", "extents of the window"),
        Field<&MaxPool2DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&MaxPool2DAttrs::dilation>("dilation", "distance of neighbouring window elements"),
        Field<&MaxPool2DAttrs::padding>("padding", "elements added before and after each spatial axis"),
        Field<&MaxPool2DAttrs::layout>("layout", "layout of the data"),
        Field<&MaxPool2DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&MaxPool2DAttrs::ceil_mode>("ceil_mode", "count the last window even when it is not full"),
    };
  }
};

// The attributes of `nn.max_pool3d`.
struct MaxPool3DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.MaxPool3DAttrs";
  DimList pool_size;
  DimList strides = {1, 1, 1};
  DimList dilation = {1, 1, 1};
  DimList padding = {0, 0, 0};
  std::string layout = "NCDHW";
  std::string out_layout;
  bool ceil_mode = false;
  static constexpr auto Fields() {
    return std::array{
        Required<&MaxPool3DAttrs::pool_size>("pool_size", "extents of the window"),
        Field<&MaxPool3DAttrs::strides>("strides", "step of the window along each spatial axis"),
        Field<&MaxPool3DAttrs::dilation>("dilation", "distance of neighbouring window elements"),
        Field<&MaxPool3DAttrs::padding>("padding", "elements added before and after each spatial axis"),
        Field<&MaxPool3DAttrs::layout>("layout", "layout of the data"),
        Field<&MaxPool3DAttrs::out_layout>("out_layout", "layout of the result; empty: that of the data"),
        Field<&MaxPool3DAttrs::ceil_mode>("ceil_mode", "count the last window even when it is not full"),
    };
  }
};

// The type rule of operators with these attributes whose first input is the data: windows over its spatial axes.
auto AvgPool2DRule(RuleContext& rule) -> RuleStatus;

}  // namespace relayopt
