// How the runtime calls functions: packed, with an array of values of 8 bytes and an array of their codes, or as
// kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relayopt::tir {

// Attribute calling_conv of a function; 0 where it is missing.
inline constexpr int64_t kPackedConvention = 1;
inline constexpr int64_t kKernelConvention = 2;

// The parameters of a packed function, in their order.
enum PackedParam : size_t { kArgs, kArgCodes, kNumArgs, kResultValue, kResultCode, kResource, kNumPackedParams };

// What a packed value is.
enum ArgCode : int {
  kArgInt = 0,
  kArgFloat = 2,
  kArgHandle = 3,
  kArgNull = 4,
  kArgDLTensor = 7,
  kArgString = 11,
  kArgNDArray = 13
};

// Fields of a DLTensor, and the content of a packed value, as `tvm_struct_get` numbers them.
enum class StructField : int {
  kAddress = 0,
  kData = 1,
  kShape = 2,
  kStrides = 3,
  kNdim = 4,
  kTypeCode = 5,
  kTypeBits = 6,
  kTypeLanes = 7,
  kByteOffset = 8,
  kDeviceId = 9,
  kDeviceType = 10,
  kValue = 12,
};

}  // namespace relayopt::tir
