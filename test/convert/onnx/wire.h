// Writing the wire format, as far as tests need it.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace relayopt::wire {

inline auto Varint(uint64_t value) -> std::string {
  std::string text;
  for (; value > 127; value >>= 7) text += static_cast<char>(value | 128);
  return text + static_cast<char>(value);
}
inline auto Number(uint32_t field, uint64_t value) -> std::string { return Varint(field << 3) + Varint(value); }
inline auto Block(uint32_t field, std::string_view data) -> std::string {
  return Varint(field << 3 | 2) + Varint(data.size()) + std::string(data);
}
inline auto Float(uint32_t field, float value) -> std::string {
  const auto bits = std::bit_cast<uint32_t>(value);
  std::string text = Varint(field << 3 | 5);
  for (int i = 0; i < 4; ++i) text += static_cast<char>(bits >> (8 * i));
  return text;
}

// A name with a type: ONNX's element type and extents, of which negative ones are not known.
inline auto ValueInfo(std::string_view name, uint64_t element_type, std::span<const int64_t> shape) -> std::string {
  std::string dims;
  for (const int64_t extent : shape) dims += Block(1, extent < 0 ? "" : Number(1, static_cast<uint64_t>(extent)));
  return Block(1, name) + Block(2, Block(1, Number(1, element_type) + Block(2, dims)));
}

}  // namespace relayopt::wire
