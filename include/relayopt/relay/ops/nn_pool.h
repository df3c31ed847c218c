// Pooling.
#pragma once

#include "relayopt/relay/ops/kernels_nn.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

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

// Windows over the spatial axes of the data. AvgPool2DRule serves every operator with the same attributes whose first
// input is the data.
auto MaxPool1DRule(RuleContext& rule) -> RuleStatus;
auto MaxPool2DRule(RuleContext& rule) -> RuleStatus;
auto MaxPool3DRule(RuleContext& rule) -> RuleStatus;
auto AvgPool1DRule(RuleContext& rule) -> RuleStatus;
auto AvgPool2DRule(RuleContext& rule) -> RuleStatus;
auto AvgPool3DRule(RuleContext& rule) -> RuleStatus;
// Windows chosen so that the result has given extents, or extent 1.
auto AdaptivePool1DRule(RuleContext& rule) -> RuleStatus;
auto AdaptivePool2DRule(RuleContext& rule) -> RuleStatus;
auto AdaptivePool3DRule(RuleContext& rule) -> RuleStatus;
auto GlobalPool2DRule(RuleContext& rule) -> RuleStatus;
// The gradient of pooling; the inputs are the gradient of the result and the data.
auto PoolGradientRule(RuleContext& rule) -> RuleStatus;

// The shape that the rows of pooling share.
constexpr auto Pooling(std::string_view name, const AttrsSchema& attrs, TypeRule type, Kernel kernel,
                       std::string_view doc, LayoutConverter convert_layout = nullptr) -> OpDef {
  return {.name = name,
          .inputs = "data",
          .attrs = &attrs,
          .type = type,
          .kernel = kernel,
          .fusion = Fusion::kOutEWiseFusable,
          .layout = PoolingLayout,
          .convert_layout = convert_layout,
          .doc = doc};
}

inline constexpr OpDef kNnPoolOps[] = {
    Pooling("nn.adaptive_avg_pool1d", kSchema<AdaptivePool1DAttrs>, AdaptivePool1DRule, AdaptiveAvgPool1DKernel,
            "average over windows along one axis, to a given extent")
        .With(Precision::kNever),
    Pooling("nn.adaptive_avg_pool2d", kSchema<AdaptivePool2DAttrs>, AdaptivePool2DRule, AdaptiveAvgPool2DKernel,
            "average over windows along two axes, to a given extent")
        .With(Precision::kNever),
    Pooling("nn.adaptive_avg_pool3d", kSchema<AdaptivePool3DAttrs>, AdaptivePool3DRule, AdaptiveAvgPool3DKernel,
            "average over windows along three axes, to a given extent")
        .With(Precision::kNever),
    Pooling("nn.adaptive_max_pool1d", kSchema<AdaptivePool1DAttrs>, AdaptivePool1DRule, AdaptiveMaxPool1DKernel,
            "maximum over windows along one axis, to a given extent")
        .With(Precision::kFollow),
    Pooling("nn.adaptive_max_pool2d", kSchema<AdaptivePool2DAttrs>, AdaptivePool2DRule, AdaptiveMaxPool2DKernel,
            "maximum over windows along two axes, to a given extent")
        .With(Precision::kFollow),
    Pooling("nn.adaptive_max_pool3d", kSchema<AdaptivePool3DAttrs>, AdaptivePool3DRule, AdaptiveMaxPool3DKernel,
            "maximum over windows along three axes, to a given extent")
        .With(Precision::kFollow),
    Pooling("nn.avg_pool1d", kSchema<AvgPool1DAttrs>, AvgPool1DRule, AvgPool1DKernel,
            "average over windows along one axis")
        .With(Precision::kFollow),
    Pooling("nn.avg_pool2d", kSchema<AvgPool2DAttrs>, AvgPool2DRule, AvgPool2DKernel,
            "average over windows along two axes", ConvertPooling)
        .With(Precision::kFollow),
    Pooling("nn.avg_pool3d", kSchema<AvgPool3DAttrs>, AvgPool3DRule, AvgPool3DKernel,
            "average over windows along three axes")
        .With(Precision::kFollow),
    {.name = "nn.avg_pool2d_grad",
     .inputs = "data, grad",
     .attrs = &kSchema<AvgPool2DAttrs>,
     .type = PoolGradientRule,
     .kernel = AvgPool2DGradKernel,
     .fusion = Fusion::kOutEWiseFusable,
     // The operator declares MaxPool2DAttrs, which its builder does not attach.
     .attrs_undeclared = true,
     .doc = "gradient of avg_pool2d; called with the gradient first"},
    Pooling("nn.max_pool1d", kSchema<MaxPool1DAttrs>, MaxPool1DRule, MaxPool1DKernel,
            "maximum over windows along one axis")
        .With(Precision::kFollow),
    Pooling("nn.max_pool2d", kSchema<MaxPool2DAttrs>, MaxPool2DRule, MaxPool2DKernel,
            "maximum over windows along two axes", ConvertPooling)
        .With(Precision::kFollow),
    Pooling("nn.max_pool3d", kSchema<MaxPool3DAttrs>, MaxPool3DRule, MaxPool3DKernel,
            "maximum over windows along three axes")
        .With(Precision::kFollow),
    {.name = "nn.max_pool2d_grad",
     .inputs = "data, grad",
     .attrs = &kSchema<MaxPool2DAttrs>,
     .type = PoolGradientRule,
     .kernel = MaxPool2DGradKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "gradient of max_pool2d; called with the gradient first"},
    Pooling("nn.global_avg_pool2d", kSchema<GlobalPool2DAttrs>, GlobalPool2DRule, GlobalAvgPool2DKernel,
            "average over all of two axes", ConvertPooling)
        .With(Precision::kNever),
    Pooling("nn.global_max_pool2d", kSchema<GlobalPool2DAttrs>, GlobalPool2DRule, GlobalMaxPool2DKernel,
            "maximum over all of two axes", ConvertPooling)
        .With(Precision::kFollow),
};

}  // namespace relayopt
