// The functions of zlib that zip archives need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace relayopt {

// Unpacks deflated bytes into `text`, which has the size of the result. Returns false if they are damaged, or if this
// platform cannot unpack.
auto Inflate(std::string_view packed, std::string& text) -> bool;

// Returns the CRC-32 of the bytes.
auto Crc(std::string_view text) -> uint32_t;

}  // namespace relayopt
