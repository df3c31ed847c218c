// Tags: the numbers that identify the constructors of algebraic data types at run time.
#pragma once

#include <cstdint>
#include <string_view>

namespace relayopt {

// As TVM: the top byte is a hash of the type's name (a CRC of eight bits), the rest is the position among its
// constructors.
constexpr auto ConstructorTag(std::string_view type, uint32_t position) -> int32_t {
  uint32_t crc = 0;
  for (const char c : type) {
    crc ^= static_cast<uint8_t>(c);
    for (int i = 0; i < 8; ++i) crc = (crc << 1) ^ ((crc & 0x80) != 0 ? 0x107 : 0);
  }
  return static_cast<int32_t>((crc & 0xff) << 24 | position);
}

}  // namespace relayopt
