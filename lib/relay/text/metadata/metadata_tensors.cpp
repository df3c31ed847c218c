// Reads the base64 records of tensors in a metadata section.
#include "metadata_tensors.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

#include "relayopt/support/base64.h"

namespace relayopt {

namespace {

constexpr uint64_t kMagic = 0xDD5E40F096B4A13F;
constexpr int32_t kCpu = 1;
// Magic, reserved word, device type and number, rank, element type.
constexpr size_t kFixedSize = 32;
// The number of bytes, which follows the shape.
constexpr size_t kCountSize = 8;

template <typename T>
auto Load(const std::byte* bytes) -> T {
  T value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

auto IsElementType(uint8_t code, uint8_t bits) -> bool {
  switch (static_cast<TypeCode>(code)) {
    case TypeCode::kInt:
    case TypeCode::kUInt: return bits == 1 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
    case TypeCode::kFloat: return bits == 16 || bits == 32 || bits == 64;
    case TypeCode::kBFloat: return bits == 16;
    case TypeCode::kE4M3:
    case TypeCode::kE5M2: return bits == 8;
    case TypeCode::kHandle: return bits == 64;
  }
  return false;
}

// Returns the bytes of a tensor, or nothing if they cannot be counted in 64 bits.
auto SizeInBytes(const std::vector<int64_t>& shape, size_t element) -> std::optional<uint64_t> {
  uint64_t size = element;
  for (const int64_t extent : shape) {
    if (extent == 0) return 0;
  }
  for (const int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(size, static_cast<uint64_t>(extent), &size)) return std::nullopt;
  }
  return size;
}

auto FirstBadCharacter(std::string_view text) -> size_t {
  const auto is_good = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  };
  size_t at = 0;
  while (at < text.size() && is_good(text[at])) ++at;
  return at;
}

}  // namespace

auto TensorTypeText(const Constant& constant) -> std::string {
  return fmt::format("Tensor[({}), {}]", fmt::join(constant.shape(), ", "), ToString(constant.dtype()));
}

auto ReadTensor(std::string_view base64) -> std::variant<Constant, TensorFault> {
  size_t skipped = 0;
  while (skipped < base64.size() && (base64[skipped] == ' ' || base64[skipped] == '\n' || base64[skipped] == '\t'))
    ++skipped;
  base64.remove_prefix(skipped);
  const auto fault = [&](std::string what) { return TensorFault{std::move(what), 0, skipped + base64.size()}; };

  if (!IsBase64(base64)) {
    const size_t bad = FirstBadCharacter(base64);
    const size_t padding = base64.size() - bad;
    if (padding > 2 || base64.substr(bad) != std::string_view("==").substr(0, padding)) {
      return TensorFault{"a character that base64 does not have", skipped + bad, skipped + bad + 1};
    }
    return fault("its base64 text is cut short");
  }
  const size_t size = Base64Size(base64).value_or(0);
  std::array<std::byte, kFixedSize> fixed{};
  if (!DecodeBase64(base64, 0, fixed)) return fault("the record is cut short");

  if (Load<uint64_t>(&fixed[0]) != kMagic) return fault("it does not start like a tensor record");
  if (const auto device = Load<int32_t>(&fixed[16]); device != kCpu) {
    return fault(fmt::format("it belongs to device type {}, not to the CPU", device));
  }
  const auto rank = Load<int32_t>(&fixed[24]);
  if (rank < 0) return fault(fmt::format("its rank is {}", rank));
  if (size < kFixedSize + kCountSize || static_cast<size_t>(rank) > (size - kFixedSize - kCountSize) / 8) {
    return fault(fmt::format("the record is too short for a rank of {}", rank));
  }
  const auto code = Load<uint8_t>(&fixed[28]);
  const auto bits = Load<uint8_t>(&fixed[29]);
  const auto lanes = Load<uint16_t>(&fixed[30]);
  if (!IsElementType(code, bits) || lanes != 1) {
    return fault(fmt::format("there is no element type with code {}, {} bits and {} lanes", code, bits, lanes));
  }
  const DataType dtype{static_cast<TypeCode>(code), bits, lanes};

  std::vector<std::byte> tail(8 * static_cast<size_t>(rank) + kCountSize);
  if (!DecodeBase64(base64, kFixedSize, tail)) return fault("the record is cut short");
  std::vector<int64_t> shape(static_cast<size_t>(rank));
  for (size_t i = 0; i < shape.size(); ++i) {
    shape[i] = Load<int64_t>(&tail[8 * i]);
    if (shape[i] < 0) return fault(fmt::format("extent {} of its shape is {}", i, shape[i]));
  }
  const auto claimed = Load<int64_t>(&tail[8 * shape.size()]);
  const auto expected = SizeInBytes(shape, dtype.bytes());
  if (!expected) return fault("its shape has more elements than 64 bits can count");
  if (claimed < 0 || static_cast<uint64_t>(claimed) != *expected) {
    return fault(fmt::format("its shape needs {} bytes, the record says {}", *expected, claimed));
  }
  const uint64_t present = size - kFixedSize - tail.size();
  if (present != *expected) {
    return fault(fmt::format("its shape needs {} bytes, the record has {}", *expected, present));
  }
  return Constant::Encoded(dtype, std::move(shape), base64);
}

}  // namespace relayopt
