// WASI has no zlib: archives are read when their files are stored, and not when they are deflated.
#include "lib/relay/eval/deflate.h"

namespace relayopt {

auto Inflate(std::string_view, std::string&) -> bool { return false; }

auto Crc(std::string_view text) -> uint32_t {
  constexpr uint32_t kPolynomial = 0xedb88320;
  uint32_t crc = ~uint32_t{0};
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
  }
  return ~crc;
}

}  // namespace relayopt
