// Sets of element types, for which onnxruntime has kernels.
#pragma once

#include <cstdint>

namespace relayopt::onnx {

// Element types as a set.
using Types = uint16_t;
enum : Types {
  kF16 = 1 << 0,
  kF32 = 1 << 1,
  kF64 = 1 << 2,
  kBf16 = 1 << 3,
  kI8 = 1 << 4,
  kI16 = 1 << 5,
  kI32 = 1 << 6,
  kI64 = 1 << 7,
  kU8 = 1 << 8,
  kU16 = 1 << 9,
  kU32 = 1 << 10,
  kU64 = 1 << 11,
  kB = 1 << 12,
  kFloats = kF16 | kF32 | kF64 | kBf16,
  kSmallFloats = kF16 | kF32,
  kReals = kF16 | kF32 | kF64,
  // Most kernels of arithmetic.
  kNumbers = kF16 | kF32 | kF64 | kI32 | kI64,
  kIntegers = kI8 | kI16 | kI32 | kI64 | kU8 | kU16 | kU32 | kU64,
  kArithmetic = kReals | kIntegers,
  kAll = 0xffff,
};

}  // namespace relayopt::onnx
