// Functions that take their arguments packed, as the runtime calls them: an array of values of 8 bytes and an array of
// their codes. tir.MakePackedAPI makes such functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "relayopt/tir/ir/calling_convention.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Structs that T.tvm_struct_get and T.tvm_struct_set know, as they lie in memory: tensors and packed values.
inline constexpr size_t kTensorBytes = 48;
inline constexpr size_t kValueBytes = 8;
// The offset of a field in its struct and the size of the struct, or nothing if there is no field with this number.
struct FieldPlace {
  size_t offset = 0;
  size_t bytes = 0;
  size_t stride = 0;
};
auto PlaceOfField(uint32_t field) -> std::optional<FieldPlace>;

// An argument of a packed function, as the function unpacks it.
struct PackedArg {
  // The variable of the argument itself; none if the function does not look at it.
  PrimExpr var;
  // For a tensor: the pointer to its data, the buffer it is declared as, and the required element type.
  PrimExpr data;
  BufferId buffer;
  DataType dtype = DataType::Void();
  // The required type code, if the function checks nothing else of the argument.
  int code = 0;
};

struct PackedSignature {
  std::vector<PackedArg> args;
  int64_t num_args = 0;
  // The device on which tensors must be.
  int64_t device_type = 1;
};

// How the function takes its arguments, derived from the statements that unpack them; returns nothing if it is not a
// packed function.
auto ReadPackedSignature(const PrimFunc& func) -> std::optional<PackedSignature>;

}  // namespace relayopt::tir
