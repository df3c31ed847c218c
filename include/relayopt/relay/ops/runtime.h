// Operators that lowering introduces: calls of compiled kernels, storage, instructions of the virtual machine.
#pragma once

#include "relayopt/relay/ops/kernels_dyn.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct CallLoweredAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.CallLoweredAttrs";
  // A map from strings to anything; none stands for the empty one.
  ObjectId metadata = {};
  static constexpr auto Fields() {
    return std::array{Field<&CallLoweredAttrs::metadata>("metadata", "notes on the kernel by name")};
  }
};

struct AllocStorageAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AllocStorageAttrs";
  DataType dtype = DataType::Float(32);
  // A VirtualDevice.
  ObjectId virtual_device = {};
  static constexpr auto Fields() {
    return std::array{
        Field<&AllocStorageAttrs::dtype>("dtype", "type of what the storage will hold"),
        Required<&AllocStorageAttrs::virtual_device>("virtual_device", "where the storage lies"),
    };
  }
};

struct AllocTensorAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.AllocTensorAttrs";
  DataType dtype = DataType::Float(32);
  // A constant; may be null.
  ObjectId const_shape = {};
  DimList assert_shape = DimList::Null();
  static constexpr auto Fields() {
    return std::array{
        Field<&AllocTensorAttrs::dtype>("dtype", "element type"),
        Required<&AllocTensorAttrs::const_shape>("const_shape", "the shape as a constant"),
        Required<&AllocTensorAttrs::assert_shape>("assert_shape", "the shape where it is no constant"),
    };
  }
};

struct ReshapeTensorAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.ReshapeTensorAttrs";
  DimList newshape = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&ReshapeTensorAttrs::newshape>("newshape", "shape of the result")};
  }
};

// Attributes without a declared class. Text gives them as one map.
struct DictAttrs {
  static constexpr std::string_view kTypeKey = "DictAttrs";
  // A map from strings to anything; none stands for the empty one.
  ObjectId dict = {};
  static constexpr auto Fields() { return std::array{Field<&DictAttrs::dict>("__dict__", "all attributes by name")}; }
};

auto AllocStorageRule(RuleContext& rule) -> RuleStatus;
auto AllocTensorRule(RuleContext& rule) -> RuleStatus;
auto CallLoweredRule(RuleContext& rule) -> RuleStatus;
auto InvokeTvmOpRule(RuleContext& rule) -> RuleStatus;
auto KillRule(RuleContext& rule) -> RuleStatus;
auto ReshapeTensorRule(RuleContext& rule) -> RuleStatus;

// The shape that these rows share.
constexpr auto RuntimeOp(std::string_view name, std::string_view inputs, const AttrsSchema* attrs, TypeRule type,
                         Kernel kernel, bool stateful, std::string_view doc) -> OpDef {
  return {.name = name,
          .inputs = inputs,
          .attrs = attrs,
          .type = type,
          .kernel = kernel,
          .fusion = Fusion::kOpaque,
          .stateful = stateful,
          .non_computational = true,
          .layout = ElementwiseLayout,
          .doc = doc};
}

inline constexpr OpDef kRuntimeOps[] = {
    RuntimeOp("call_lowered", "func, call_args", &kSchema<CallLoweredAttrs>, CallLoweredRule, nullptr, false,
              "calls a compiled function with a tuple of arguments"),
    RuntimeOp("memory.alloc_storage", "size, shape, alignment", &kSchema<AllocStorageAttrs>, AllocStorageRule, nullptr,
              false, "allocates storage"),
    RuntimeOp("memory.alloc_tensor", "storage, offset, shape", &kSchema<AllocTensorAttrs>, AllocTensorRule, nullptr,
              false, "a tensor inside a storage"),
    RuntimeOp("memory.kill", "to_free", nullptr, KillRule, nullptr, true, "ends the life of a value"),
    RuntimeOp("vm.invoke_tvm_op", "op, ins, outs", &kSchema<DictAttrs>, InvokeTvmOpRule, nullptr, true,
              "calls a kernel that writes its results into given tensors"),
    RuntimeOp("vm.reshape_tensor", "data, shape", &kSchema<ReshapeTensorAttrs>, ReshapeTensorRule, ReshapeTensorKernel,
              false, "the same storage with another shape"),
};

}  // namespace relayopt
