// Operators that mark, place or observe a value and pass it through.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `annotation.cast_hint`.
struct CastHintAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.CastHintAttrs";
  DataType dtype = {};
  static constexpr auto Fields() {
    return std::array{Required<&CastHintAttrs::dtype>("element type that the value should get")};
  }
};

// The attributes of `annotation.compiler_begin` and `annotation.compiler_end`.
struct CompilerAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.CompilerAttrs";
  std::string compiler;
  static constexpr auto Fields() {
    return std::array{Required<&CompilerAttrs::compiler>("name of the external compiler")};
  }
};

// The attributes of `on_device`.
struct OnDeviceAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.OnDeviceAttrs";
  // A VirtualDevice; invalid stands for the fully unconstrained one.
  ObjectId virtual_device = {};
  bool constrain_result = false;
  bool constrain_body = true;
  static constexpr auto Fields() {
    return std::array{
        Field<&OnDeviceAttrs::virtual_device>("where the value lies"),
        Field<&OnDeviceAttrs::constrain_result>("whether the result must lie there"),
        Field<&OnDeviceAttrs::constrain_body>("whether the operand must be computed there"),
    };
  }
};

// The attributes of `device_copy`.
struct DeviceCopyAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DeviceCopyAttrs";
  // Both are VirtualDevices.
  ObjectId src_virtual_device = {};
  ObjectId dst_virtual_device = {};
  static constexpr auto Fields() {
    return std::array{
        Required<&DeviceCopyAttrs::src_virtual_device>("where the operand lies"),
        Required<&DeviceCopyAttrs::dst_virtual_device>("where the result lies"),
    };
  }
};

// The attributes of `debug`.
struct DebugAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.DebugAttrs";
  // An EnvFunc; may be null.
  ObjectId debug_func = {};
  static constexpr auto Fields() {
    return std::array{Required<&DebugAttrs::debug_func>("function to call with the value")};
  }
};

// The role of a quantized value, which determines its number of bits.
enum class QuantizedKind : uint8_t { kIdentity = 0, kInput = 1, kWeight = 2, kActivation = 3 };

// The attributes of relay.op.annotation.simulated_quantize. qnn.simulated_quantize has other attributes with the same
// type key.
struct QuantizationAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SimulatedQuantizeAttrs";
  // A QuantizedKind.
  int64_t kind = 0;
  bool sign = true;
  std::string rounding = "round";
  static constexpr auto Fields() {
    return std::array{
        Required<&QuantizationAttrs::kind>("0: pass on, 1: input, 2: weight, 3: activation"),
        Field<&QuantizationAttrs::sign>("whether the integers are signed"),
        Field<&QuantizationAttrs::rounding>("floor, ceil or round"),
    };
  }
};

}  // namespace relayopt
