// Constant tensors.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "relayopt/core/data_type.h"
#include "relayopt/support/ids.h"

namespace relayopt {

// Bytes of elements in memory of their own, aligned for every type of element.
class ElementBuffer {
 public:
  // Takes the bytes over.
  explicit ElementBuffer(std::vector<std::byte> bytes);
  // `size` bytes that hold any value until they are written. Throws std::bad_alloc if there is no memory for them.
  explicit ElementBuffer(size_t size) : size_(size), own_(std::make_unique_for_overwrite<std::byte[]>(size)) {}

  auto data() -> std::byte* { return own_ != nullptr ? own_.get() : taken_->data(); }
  auto data() const -> const std::byte* { return own_ != nullptr ? own_.get() : taken_->data(); }
  auto size() const -> size_t { return size_; }
  auto begin() const -> const std::byte* { return data(); }
  auto end() const -> const std::byte* { return data() + size_; }

 private:
  size_t size_;
  // One of them.
  std::unique_ptr<std::byte[]> own_;
  std::unique_ptr<std::vector<std::byte>> taken_;
};

// Row-major little-endian elements, at any alignment: owned together with others, or a view of bytes that are part of a
// file that was read. Those of a constant are valid as long as the constant, and owned ones as long as this object.
class ElementBytes {
 public:
  ElementBytes() = default;
  ElementBytes(std::vector<std::byte> elements);
  explicit ElementBytes(std::shared_ptr<const ElementBuffer> elements);
  static auto View(std::span<const std::byte> elements) -> ElementBytes;

  auto data() const -> const std::byte* { return bytes_.data(); }
  auto size() const -> size_t { return bytes_.size(); }
  auto empty() const -> bool { return bytes_.empty(); }
  auto begin() const { return bytes_.begin(); }
  auto end() const { return bytes_.end(); }
  auto operator[](size_t i) const -> std::byte { return bytes_[i]; }
  auto text() const -> std::string_view { return {reinterpret_cast<const char*>(data()), size()}; }
  // Returns the i-th element, which is of type T.
  template <typename T>
  auto At(size_t i) const -> T {
    T element{};
    std::memcpy(&element, data() + i * sizeof element, sizeof element);
    return element;
  }
  // Returns all elements as numbers of type T.
  template <typename T>
  auto ToVector() const -> std::vector<T> {
    std::vector<T> elements(size() / sizeof(T));
    if (!elements.empty()) std::memcpy(elements.data(), data(), elements.size() * sizeof(T));
    return elements;
  }
  // Whether the elements are part of a file.
  auto is_view() const -> bool { return owner_ == nullptr && !empty(); }

  friend auto operator==(const ElementBytes& a, const ElementBytes& b) -> bool;

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const ElementBuffer> owner_;
};

// An immutable tensor. One that was read from a file stays the base64 text of its record, a view of the mapped input,
// until someone asks for the numbers; it is written back by copying that text.
class Constant {
 public:
  // Row-major little-endian elements; bool takes one byte an element. `data` has NumElements(shape) * dtype.bytes()
  // bytes.
  Constant(DataType dtype, std::vector<int64_t> shape, std::vector<std::byte> data);
  // Shares elements with other owners, none of whom writes to them any more.
  Constant(DataType dtype, std::vector<int64_t> shape, std::shared_ptr<const ElementBuffer> data);
  // Returns a scalar of at most 8 bytes, given by the low bytes of `bits`.
  static auto Scalar(DataType dtype, uint64_t bits) -> Constant;
  // Returns a record of a metadata section, already checked by the caller; `base64` must outlive the constant.
  static auto Encoded(DataType dtype, std::vector<int64_t> shape, std::string_view base64) -> Constant;

  auto dtype() const -> DataType { return dtype_; }
  auto shape() const -> std::span<const int64_t> { return shape_; }
  auto is_scalar() const -> bool { return shape_.empty(); }
  auto num_elements() const -> size_t;
  auto num_bytes() const -> size_t { return num_elements() * dtype_.bytes(); }

  // Returns the elements. Copies nothing, except that an encoded constant is decoded.
  auto Elements() const -> ElementBytes;
  // Returns the elements in an aligned buffer of their own or shared with other owners. Those of an encoded constant
  // are decoded, those of a file copied.
  auto Bytes() const -> std::shared_ptr<const ElementBuffer>;
  // Returns the base64 text of the whole record while the constant is still encoded; nothing otherwise.
  auto encoded() const -> std::optional<std::string_view>;

  // Returns the only element of a scalar, or of any tensor with one element, as a number, or nothing if its type is not
  // a number. As an integer, uint64 wraps around.
  auto ScalarAsInt() const -> std::optional<int64_t>;
  auto ScalarAsDouble() const -> std::optional<double>;

 private:
  Constant() = default;

  DataType dtype_;
  std::vector<int64_t> shape_;
  std::shared_ptr<const ElementBuffer> data_;
  std::string_view base64_;
};

// Row-major record of a tensor as the metadata section holds it: magic, device, shape, dtype, bytes.
auto EncodeRecord(const Constant& constant) -> std::string;

// Conversions between floats and the bits of float16 and bfloat16.
auto HalfToFloat(uint16_t bits) -> float;
auto FloatToHalf(float value) -> uint16_t;
auto BFloatToFloat(uint16_t bits) -> float;
auto FloatToBFloat(float value) -> uint16_t;
// Rounds the double directly, so that no value is rounded twice (first to float, then to half).
auto DoubleToHalf(double value) -> uint16_t;

}  // namespace relayopt
