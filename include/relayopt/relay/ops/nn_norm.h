// Normalisations.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The fields that normalisations share; A is the struct with the members.
template <typename A>
constexpr auto NormFields(std::string_view axis_doc) {
  return std::array{
      Field<&A::axis>(axis_doc),
      Field<&A::epsilon>("added to the variance"),
      Field<&A::center>("add beta"),
      Field<&A::scale>("multiply by gamma"),
  };
}

// The attributes of `nn.batch_norm`.
struct BatchNormAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BatchNormAttrs";
  int64_t axis = 1;
  double epsilon = 1e-05;
  bool center = true;
  bool scale = true;
  static constexpr auto Fields() { return NormFields<BatchNormAttrs>("axis of the channels"); }
};

// The attributes of `nn.group_norm`.
struct GroupNormAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.GroupNormAttrs";
  int64_t num_groups = 0;
  int64_t axis = 1;
  double epsilon = 1e-05;
  bool center = true;
  bool scale = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&GroupNormAttrs::num_groups>("number of groups of channels"),
        Field<&GroupNormAttrs::axis>("axis of the channels"),
        Field<&GroupNormAttrs::epsilon>("added to the variance"),
        Field<&GroupNormAttrs::center>("add beta"),
        Field<&GroupNormAttrs::scale>("multiply by gamma"),
    };
  }
};

// The attributes of `nn.instance_norm`.
struct InstanceNormAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.InstanceNormAttrs";
  int64_t axis = 1;
  double epsilon = 1e-05;
  bool center = true;
  bool scale = true;
  static constexpr auto Fields() { return NormFields<InstanceNormAttrs>("axis of the channels"); }
};

// The attributes of `nn.layer_norm`.
struct LayerNormAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.LayerNormAttrs";
  int64_t axis = -1;
  double epsilon = 1e-05;
  bool center = true;
  bool scale = true;
  static constexpr auto Fields() { return NormFields<LayerNormAttrs>("axis to normalise"); }
};

// The attributes of `nn.l2_normalize`.
struct L2NormalizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.L2NormalizeAttrs";
  double eps = 0;
  DimList axis = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Required<&L2NormalizeAttrs::eps>("lower bound of the sum of squares"),
        Required<&L2NormalizeAttrs::axis>("axes to sum over; None: all"),
    };
  }
};

// The attributes of `nn.lrn`.
struct LRNAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.LRNAttrs";
  int64_t size = 5;
  int64_t axis = 1;
  double bias = 2.0;
  double alpha = 0.0001;
  double beta = 0.75;
  static constexpr auto Fields() {
    return std::array{
        Field<&LRNAttrs::size>("number of neighbouring channels, odd"),
        Field<&LRNAttrs::axis>("axis of the channels"),
        Field<&LRNAttrs::bias>("constant of the denominator"),
        Field<&LRNAttrs::alpha>("scale of the sum of squares"),
        Field<&LRNAttrs::beta>("exponent of the denominator"),
    };
  }
};

}  // namespace relayopt
