// Bias, activations and losses.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `nn.bias_add`.
struct BiasAddAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BiasAddAttrs";
  int64_t axis = 1;
  static constexpr auto Fields() {
    return std::array{
        Field<&BiasAddAttrs::axis>("axis of the channels"),
    };
  }
};

// The attributes of `nn.dropout`.
struct DropoutAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DropoutAttrs";
  double rate = 0.5;
  static constexpr auto Fields() {
    return std::array{
        Field<&DropoutAttrs::rate>("share of elements dropped in training"),
    };
  }
};

// The attributes of `nn.leaky_relu` and `qnn.leaky_relu`.
struct LeakyReluAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.LeakyReluAttrs";
  double alpha = 0.25;
  static constexpr auto Fields() {
    return std::array{
        Field<&LeakyReluAttrs::alpha>("slope for negative elements"),
    };
  }
};

// The attributes of `nn.nll_loss`.
struct NLLLossAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.NLLLossAttrs";
  std::string reduction = "mean";
  int64_t ignore_index = 0;
  static constexpr auto Fields() {
    return std::array{
        Field<&NLLLossAttrs::reduction>("mean, sum or none"),
        Required<&NLLLossAttrs::ignore_index>("class that is left out"),
    };
  }
};

// The attributes of `nn.prelu`.
struct PReluAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.PReluAttrs";
  int64_t axis = 1;
  static constexpr auto Fields() {
    return std::array{
        Field<&PReluAttrs::axis>("axis of the channels"),
    };
  }
};

// The attributes of `nn.fast_softmax`, `nn.log_softmax`, `nn.softmax` and `qnn.softmax`.
struct SoftmaxAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SoftmaxAttrs";
  int64_t axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Field<&SoftmaxAttrs::axis>("axis along which the result sums to 1"),
    };
  }
};

}  // namespace relayopt
