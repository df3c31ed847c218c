// Operators on quantized tensors: integers that stand for scale * (value - zero_point).
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `qnn.add`, `qnn.mul` and `qnn.subtract`.
struct BroadcastAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.BroadcastAttrs";
  int64_t lhs_axis = -1;
  int64_t rhs_axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Field<&BroadcastAttrs::lhs_axis>("axis of lhs along which its scale and zero point vary"),
        Field<&BroadcastAttrs::rhs_axis>("axis of rhs along which its scale and zero point vary"),
    };
  }
};

// The attributes of `qnn.quantize`.
struct QuantizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.QuantizeAttrs";
  DataType out_dtype;
  int64_t axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Required<&QuantizeAttrs::out_dtype>("element type of the result"),
        Field<&QuantizeAttrs::axis>("axis along which scale and zero point vary"),
    };
  }
};

// The attributes of `qnn.dequantize` and `qnn.simulated_dequantize`.
struct DequantizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DequantizeAttrs";
  DataType out_dtype;
  int64_t axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Required<&DequantizeAttrs::out_dtype>("element type of the result"),
        Field<&DequantizeAttrs::axis>("axis along which scale and zero point vary"),
    };
  }
};

// The attributes of `qnn.requantize`.
struct RequantizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.RequantizeAttrs";
  int64_t axis = -1;
  std::string rounding = "None";
  std::string compute_dtype = "None";
  DataType out_dtype;
  static constexpr auto Fields() {
    return std::array{
        Field<&RequantizeAttrs::axis>("axis along which the input's scale and zero point vary"),
        Field<&RequantizeAttrs::rounding>("UPWARD or TONEAREST; None: as configured"),
        Field<&RequantizeAttrs::compute_dtype>("int64, float32 or float64; None: as configured"),
        Field<&RequantizeAttrs::out_dtype>("element type of the result"),
    };
  }
};

// The attributes of `qnn.simulated_quantize`.
struct SimulatedQuantizeAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SimulatedQuantizeAttrs";
  int64_t axis = -1;
  static constexpr auto Fields() {
    return std::array{
        Field<&SimulatedQuantizeAttrs::axis>("axis along which scale and zero point vary"),
    };
  }
};

}  // namespace relayopt
