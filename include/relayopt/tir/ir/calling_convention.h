// The runtime's calling conventions: packed functions, which get an array of 8-byte values and an array of their type
// codes, and kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace relayopt::tir {

// Values of a function's attribute calling_conv; 0 when it is missing.
inline constexpr int64_t kPackedConvention = 1;
inline constexpr int64_t kKernelConvention = 2;

// The attribute of a function that lists the packed functions which copy tensors, as tir.InjectCopyIntrin calls them.
inline constexpr std::string_view kCopyFunctions = "tir.copy_functions";

// The parameters of a packed function, in order.
enum PackedParam : size_t { kArgs, kArgCodes, kNumArgs, kResultValue, kResultCode, kResource, kNumPackedParams };

// The type code of a packed value.
enum ArgCode : int {
  kArgInt = 0,
  kArgFloat = 2,
  kArgHandle = 3,
  kArgNull = 4,
  kArgDLTensor = 7,
  kArgString = 11,
  kArgNDArray = 13
};

// The fields of a DLTensor, and of a packed value, as `tvm_struct_get` numbers them.
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
