// Pooling.
#pragma once

#include "relayopt/relay/ops/op_def.h"
#include "relayopt/relay/ops/spatial_attrs.h"

namespace relayopt {

// The attributes of `nn.adaptive_avg_pool1d`, `nn.adaptive_max_pool1d` and the same with 2 and 3 spatial axes.
template <size_t kSpatial>
struct AdaptivePoolAttrs {
  static constexpr std::string_view kTypeKey = BySpatial<kSpatial>(
      "relay.attrs.AdaptivePool1DAttrs", "relay.attrs.AdaptivePool2DAttrs", "relay.attrs.AdaptivePool3DAttrs");
  DimList output_size;
  std::string layout = kChannelsFirst<kSpatial>;
  std::string out_layout;
  static constexpr auto Fields() {
    using A = AdaptivePoolAttrs;
    return std::array{
        Field<&A::output_size>("extents of the result; one for all axes, none: as the data"),
        Field<&A::layout>("layout of the data"),
        Field<&A::out_layout>("layout of the result; empty: that of the data"),
    };
  }
};
using AdaptivePool1DAttrs = AdaptivePoolAttrs<1>;
using AdaptivePool2DAttrs = AdaptivePoolAttrs<2>;
using AdaptivePool3DAttrs = AdaptivePoolAttrs<3>;

// The fields of windows that move over the data; A is the struct with the members.
template <typename A>
constexpr auto PoolFields() {
  return std::array{
      Required<&A::pool_size>("extents of the window"),
      Field<&A::strides>("step of the window along each spatial axis"),
      Field<&A::dilation>("distance of neighbouring window elements"),
      Field<&A::padding>("elements added before and after each spatial axis"),
      Field<&A::layout>("layout of the data"),
      Field<&A::out_layout>("layout of the result; empty: that of the data"),
      Field<&A::ceil_mode>("count the last window even when it is not full"),
  };
}

// The attributes of `nn.max_pool1d`, `nn.max_pool2d`, `nn.max_pool2d_grad` and `nn.max_pool3d`.
template <size_t kSpatial>
struct MaxPoolAttrs {
  static constexpr std::string_view kTypeKey =
      BySpatial<kSpatial>("relay.attrs.MaxPool1DAttrs", "relay.attrs.MaxPool2DAttrs", "relay.attrs.MaxPool3DAttrs");
  DimList pool_size;
  DimList strides = EachAxis<kSpatial>(1);
  DimList dilation = EachAxis<kSpatial>(1);
  DimList padding = EachAxis<kSpatial>(0);
  std::string layout = kChannelsFirst<kSpatial>;
  std::string out_layout;
  bool ceil_mode = false;
  static constexpr auto Fields() { return PoolFields<MaxPoolAttrs>(); }
};
using MaxPool1DAttrs = MaxPoolAttrs<1>;
using MaxPool2DAttrs = MaxPoolAttrs<2>;
using MaxPool3DAttrs = MaxPoolAttrs<3>;

// The attributes of `nn.avg_pool1d`, `nn.avg_pool2d`, `nn.avg_pool2d_grad`, `qnn.avg_pool2d` and `nn.avg_pool3d`.
template <size_t kSpatial>
struct AvgPoolAttrs {
  static constexpr std::string_view kTypeKey =
      BySpatial<kSpatial>("relay.attrs.AvgPool1DAttrs", "relay.attrs.AvgPool2DAttrs", "relay.attrs.AvgPool3DAttrs");
  DimList pool_size;
  DimList strides = EachAxis<kSpatial>(1);
  DimList dilation = EachAxis<kSpatial>(1);
  DimList padding = EachAxis<kSpatial>(0);
  std::string layout = kChannelsFirst<kSpatial>;
  std::string out_layout;
  bool ceil_mode = false;
  bool count_include_pad = false;
  static constexpr auto Fields() {
    return JoinFields(PoolFields<AvgPoolAttrs>(),
                      std::array{Field<&AvgPoolAttrs::count_include_pad>("padding counts as elements of the average")});
  }
};
using AvgPool1DAttrs = AvgPoolAttrs<1>;
using AvgPool2DAttrs = AvgPoolAttrs<2>;
using AvgPool3DAttrs = AvgPoolAttrs<3>;

// The attributes of `nn.global_avg_pool2d` and `nn.global_max_pool2d`.
struct GlobalPool2DAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GlobalPool2DAttrs";
  std::string layout = "NCHW";
  std::string out_layout;
  static constexpr auto Fields() {
    return std::array{
        Field<&GlobalPool2DAttrs::layout>("layout of the data"),
        Field<&GlobalPool2DAttrs::out_layout>("layout of the result; empty: that of the data"),
    };
  }
};

// The type rule of operators with these attributes whose first input is the data: windows over its spatial axes.
auto AvgPool2DRule(RuleContext& rule) -> RuleStatus;

}  // namespace relayopt
