// Constant tensors, their file records, and half-precision numbers.
#include "relayopt/core/constant.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "relayopt/core/constant_view.h"
#include "relayopt/core/same_tensor.h"
#include "relayopt/support/base64.h"
#include "relayopt/support/check.h"

namespace relayopt {

namespace {

constexpr uint64_t kMagic = 0xDD5E40F096B4A13F;
// magic, reserved, device type and id, rank, dtype.
constexpr size_t kFixedHeader = 8 + 8 + 8 + 4 + 4;

auto HeaderSize(size_t rank) -> size_t { return kFixedHeader + 8 * rank + 8; }

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

ElementBuffer::ElementBuffer(std::vector<std::byte> bytes) : size_(bytes.size()) {
  // A copy of a few bytes is smaller than a vector that holds them.
  constexpr size_t kFew = 64;
  if (size_ <= kFew) {
    own_ = std::make_unique_for_overwrite<std::byte[]>(size_);
    std::copy_n(bytes.data(), size_, own_.get());
  } else {
    taken_ = std::make_unique<std::vector<std::byte>>(std::move(bytes));
  }
}

ElementBytes::ElementBytes(std::vector<std::byte> elements)
    : ElementBytes(std::make_shared<const ElementBuffer>(std::move(elements))) {}

ElementBytes::ElementBytes(std::shared_ptr<const ElementBuffer> elements)
    : bytes_(elements->data(), elements->size()), owner_(std::move(elements)) {}

auto ElementBytes::View(std::span<const std::byte> elements) -> ElementBytes {
  ElementBytes view;
  view.bytes_ = elements;
  return view;
}

auto operator==(const ElementBytes& a, const ElementBytes& b) -> bool {
  return (a.data() == b.data() && a.size() == b.size()) || a.text() == b.text();
}

Constant::Constant(DataType dtype, std::vector<int64_t> shape, std::vector<std::byte> data)
    : Constant(dtype, std::move(shape), std::make_shared<const ElementBuffer>(std::move(data))) {}

Constant::Constant(DataType dtype, std::vector<int64_t> shape, std::shared_ptr<const ElementBuffer> data)
    : dtype_(dtype), shape_(std::move(shape)), data_(std::move(data)) {
  RELAYOPT_CHECK(data_->size() == num_bytes(), "a constant has as many bytes as its shape says");
}

auto Constant::Scalar(DataType dtype, uint64_t bits) -> Constant {
  std::vector<std::byte> data(dtype.bytes());
  std::memcpy(data.data(), &bits, std::min(data.size(), sizeof bits));
  return {dtype, {}, std::move(data)};
}

auto Constant::Encoded(DataType dtype, std::vector<int64_t> shape, std::string_view base64) -> Constant {
  Constant constant;
  constant.dtype_ = dtype;
  constant.shape_ = std::move(shape);
  constant.base64_ = base64;
  return constant;
}

// A view is kept where the text of a record would be. A record holds a header too, so text of as many bytes as the
// elements have is never one.
auto ViewOfElements(DataType dtype, std::vector<int64_t> shape, std::span<const std::byte> data) -> Constant {
  Constant view = Constant::Encoded(dtype, std::move(shape), {reinterpret_cast<const char*>(data.data()), data.size()});
  RELAYOPT_CHECK(!data.empty() && data.size() == view.num_bytes(), "a constant has as many bytes as its shape says");
  return view;
}

auto Constant::num_elements() const -> size_t {
  size_t count = 1;
  for (const int64_t extent : shape_) count *= static_cast<size_t>(extent);
  return count;
}

auto Constant::Elements() const -> ElementBytes {
  const bool is_view = data_ == nullptr && base64_.size() == num_bytes();
  return is_view ? ElementBytes::View(std::as_bytes(std::span(base64_))) : ElementBytes(Bytes());
}

auto Constant::Bytes() const -> std::shared_ptr<const ElementBuffer> {
  if (data_ != nullptr) return data_;
  auto bytes = std::make_shared<ElementBuffer>(num_bytes());
  if (base64_.size() == num_bytes()) {
    std::copy_n(reinterpret_cast<const std::byte*>(base64_.data()), bytes->size(), bytes->data());
    return bytes;
  }
  const bool ok = DecodeBase64(base64_, HeaderSize(shape_.size()), {bytes->data(), bytes->size()});
  RELAYOPT_CHECK(ok, "the record was checked when it was read");
  return bytes;
}

auto Constant::encoded() const -> std::optional<std::string_view> {
  if (data_ != nullptr || base64_.size() == num_bytes()) return std::nullopt;
  return base64_;
}

auto Constant::ScalarAsInt() const -> std::optional<int64_t> {
  if (num_elements() != 1 || dtype_.lanes != 1 || (!dtype_.is_int() && !dtype_.is_uint())) return std::nullopt;
  const ElementBytes elements = Elements();
  const bool is_signed = dtype_.is_int();
  switch (elements.size()) {
    case 1: return is_signed ? elements.At<int8_t>(0) : elements.At<uint8_t>(0);
    case 2: return is_signed ? elements.At<int16_t>(0) : elements.At<uint16_t>(0);
    case 4: return is_signed ? int64_t{elements.At<int32_t>(0)} : int64_t{elements.At<uint32_t>(0)};
    case 8: return elements.At<int64_t>(0);
    default: return std::nullopt;
  }
}

auto Constant::ScalarAsDouble() const -> std::optional<double> {
  if (num_elements() != 1 || dtype_.lanes != 1) return std::nullopt;
  if (const auto integer = ScalarAsInt()) {
    return dtype_.is_uint() ? static_cast<double>(static_cast<uint64_t>(*integer)) : static_cast<double>(*integer);
  }
  const ElementBytes elements = Elements();
  if (dtype_ == DataType::Float(64)) return elements.At<double>(0);
  if (dtype_ == DataType::Float(32)) return elements.At<float>(0);
  if (dtype_ == DataType::Float(16)) return HalfToFloat(elements.At<uint16_t>(0));
  if (dtype_ == DataType::BFloat(16)) return BFloatToFloat(elements.At<uint16_t>(0));
  return std::nullopt;
}

auto EncodeRecord(const Constant& constant) -> std::string {
  std::string record;
  const ElementBytes elements = constant.Elements();
  record.reserve(HeaderSize(constant.shape().size()) + elements.size());
  Append(record, kMagic);
  Append(record, uint64_t{0});
  Append(record, int32_t{1});
  Append(record, int32_t{0});
  Append(record, static_cast<int32_t>(constant.shape().size()));
  Append(record, static_cast<uint8_t>(constant.dtype().code));
  Append(record, constant.dtype().bits);
  Append(record, constant.dtype().lanes);
  for (const int64_t extent : constant.shape()) Append(record, extent);
  // As TVM: the bytes of one lane are counted.
  Append(record, static_cast<int64_t>(constant.num_elements() * ((size_t{constant.dtype().bits} + 7) / 8)));
  record.append(elements.text());
  return record;
}

auto HalfToFloat(uint16_t bits) -> float {
  const uint32_t sign = uint32_t{bits & 0x8000U} << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13));
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

auto DoubleToHalf(double value) -> uint16_t {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 48) & 0x8000);
  if (std::isnan(value)) {
    const auto payload = static_cast<uint16_t>((bits >> 42) & 0x3ff);
    return static_cast<uint16_t>(sign | 0x7c00 | (payload == 0 ? 0x200 : payload));
  }
  const double magnitude = std::fabs(value);
  // Zero has no exponent to scale by.
  if (magnitude == 0) return sign;
  // Halfway between the largest finite half and the next step rounds to infinity.
  if (magnitude >= 65520.0) return static_cast<uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // Units in the last place: 2^-24 for subnormals, 11 significant bits otherwise.
  const int scale = std::max(exponent - 11, -24);
  const double units = std::nearbyint(std::ldexp(magnitude, -scale));
  const auto count = static_cast<uint32_t>(units);
  if (scale == -24) return static_cast<uint16_t>(sign | count);
  // `count` is in [1024, 2048]; 2048 carries into the exponent by itself.
  return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(scale + 24) << 10) + count));
}

auto FloatToHalf(float value) -> uint16_t { return DoubleToHalf(value); }

auto BFloatToFloat(uint16_t bits) -> float { return std::bit_cast<float>(uint32_t{bits} << 16); }

auto FloatToBFloat(float value) -> uint16_t {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

auto SameTensor(const Constant& a, const Constant& b) -> bool {
  if (a.dtype() != b.dtype() || !std::ranges::equal(a.shape(), b.shape())) return false;
  const auto left = a.encoded();
  const auto right = b.encoded();
  if (left && right && *left == *right) return true;
  return a.Elements() == b.Elements();
}

}  // namespace relayopt
