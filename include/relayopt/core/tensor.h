// Tensors that programs compute with: typed, contiguous, row-major.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "relayopt/core/constant.h"
#include "relayopt/core/data_type.h"
#include "relayopt/support/check.h"
#include "relayopt/support/ids.h"

namespace relayopt {

class Context;

// The C++ types of tensor elements are int8_t to int64_t, uint8_t to uint64_t, float, double, and the structs below.
// These have the size of the element in memory and convert to and from the type used for computing.

// An element of type `bool`. Any byte but 0 is true, because memory written by others may hold such bytes.
struct Bool {
  uint8_t byte = 0;
  constexpr Bool() = default;
  constexpr Bool(bool value) : byte(value ? 1 : 0) {}
  constexpr operator bool() const { return byte != 0; }
};
// An element of type `float16`. Computations convert it to float, and round their result to nearest even.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  Half(float value) : bits(FloatToHalf(value)) {}
  operator float() const { return HalfToFloat(bits); }
};
// An element of type `bfloat16`. Computations convert it to float, and round their result to nearest even.
struct BFloat {
  uint16_t bits = 0;
  BFloat() = default;
  BFloat(float value) : bits(FloatToBFloat(value)) {}
  operator float() const { return BFloatToFloat(bits); }
};

// A tensor with its elements. Copies share the elements: only the code that made the tensor may write to them, and only
// before it hands the tensor on. A default-constructed tensor may only be assigned to.
class Tensor {
 public:
  Tensor() = default;
  // A tensor of zeros. The extents must not be negative and the elements must fit in memory; see KernelContext::Fits.
  Tensor(DataType dtype, std::vector<int64_t> shape);
  // The same, but the elements hold any value until they are written, all of them.
  static auto Unset(DataType dtype, std::vector<int64_t> shape) -> Tensor;
  // A tensor that shares the elements of a constant.
  explicit Tensor(const Constant& constant);
  // Returns the same, without a copy of elements that are part of a file. It is valid as long as the constant.
  static auto View(const Constant& constant) -> Tensor;
  // Returns a tensor of rank 0.
  template <typename T>
  static auto Scalar(DataType dtype, T value) -> Tensor {
    Tensor tensor(dtype, {});
    *tensor.mutable_data<T>() = value;
    return tensor;
  }

  auto dtype() const -> DataType { return dtype_; }
  auto shape() const -> std::span<const int64_t> { return shape_; }
  auto extent(size_t axis) const -> int64_t { return shape_[axis]; }
  auto rank() const -> size_t { return shape_.size(); }
  // Returns the number of elements.
  auto size() const -> int64_t { return size_; }
  auto num_bytes() const -> size_t { return bytes_.size(); }

  // Returns the elements; T is the C++ type of the element type.
  template <typename T>
  auto data() const -> const T* {
    RELAYOPT_DCHECK(sizeof(T) == dtype_.bytes(), "elements are read as what they are");
    return reinterpret_cast<const T*>(bytes_.data());
  }
  template <typename T>
  auto elements() const -> std::span<const T> {
    return {data<T>(), static_cast<size_t>(size_)};
  }
  auto bytes() const -> std::span<const std::byte> { return bytes_; }

  // Returns the elements, for writing. They must not be shared yet.
  template <typename T>
  auto mutable_data() -> T* {
    return reinterpret_cast<T*>(MutableBytes());
  }
  auto MutableBytes() -> std::byte*;

  // Returns a tensor that shares the elements, seen with another shape of the same size or another element type of the
  // same width.
  auto Reshaped(std::vector<int64_t> shape) const -> Tensor;
  auto Reinterpreted(DataType dtype) const -> Tensor;

  // Whether another tensor or a constant shares the elements.
  auto is_shared() const -> bool { return buffer_.use_count() != 1; }
  // Whether the elements are part of a file; see View.
  auto is_view() const -> bool { return buffer_ == nullptr; }
  // Returns the tensor as a constant. Shared elements are copied, because constants that share their elements would be
  // written as one array in a metadata section.
  auto ToConstant() const -> Constant;

 private:
  DataType dtype_;
  std::vector<int64_t> shape_;
  int64_t size_ = 0;
  std::span<const std::byte> bytes_;
  // Owns them, but those of a view.
  std::shared_ptr<const ElementBuffer> buffer_;
};

// Returns the extents as a list of its own, for another tensor.
inline auto ShapeOf(const Tensor& tensor) -> std::vector<int64_t> {
  return {tensor.shape().begin(), tensor.shape().end()};
}

// Returns the tensor type (element type and shape) of a tensor.
auto TypeOf(Context& context, const Tensor& tensor) -> TypeId;

}  // namespace relayopt
