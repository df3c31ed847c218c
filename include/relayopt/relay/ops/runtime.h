// Operators that lowering introduces: calls of compiled kernels, storage, instructions of the virtual machine.
#pragma once

#include "relayopt/core/attrs.h"

namespace relayopt {

// The attributes of `call_lowered`.
struct CallLoweredAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.CallLoweredAttrs";
  // A map from strings to anything; invalid stands for the empty map.
  ObjectId metadata = {};
  static constexpr auto Fields() {
    return std::array{Field<&CallLoweredAttrs::metadata>("notes on the kernel by name")};
  }
};

// The attributes of `memory.alloc_storage`.
struct AllocStorageAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AllocStorageAttrs";
  DataType dtype = DataType::Float(32);
  // A VirtualDevice.
  ObjectId virtual_device = {};
  static constexpr auto Fields() {
    return std::array{
        Field<&AllocStorageAttrs::dtype>("type of what the storage will hold"),
        Required<&AllocStorageAttrs::virtual_device>("where the storage lies"),
    };
  }
};

// The attributes of `memory.alloc_tensor`.
struct AllocTensorAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AllocTensorAttrs";
  DataType dtype = DataType::Float(32);
  // A constant; may be null.
  ObjectId const_shape = {};
  DimList assert_shape = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Field<&AllocTensorAttrs::dtype>("element type"),
        Required<&AllocTensorAttrs::const_shape>("the shape as a constant"),
        Required<&AllocTensorAttrs::assert_shape>("the shape where it is not constant"),
    };
  }
};

// The attributes of `vm.reshape_tensor`.
struct ReshapeTensorAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReshapeTensorAttrs";
  DimList newshape = DimList::Null();
  static constexpr auto Fields() { return std::array{Required<&ReshapeTensorAttrs::newshape>("shape of the result")}; }
};

// Attributes without a declared class, which the text writes as one map.
struct DictAttrs {
  static constexpr std::string_view kTypeKey = "DictAttrs";
  // A map from strings to anything; invalid stands for the empty map.
  ObjectId dict = {};
  static constexpr auto Fields() { return std::array{Field<&DictAttrs::dict>("__dict__", "all attributes by name")}; }
};

}  // namespace relayopt
