// How much a compressed file may become.
#pragma once

#include <cstddef>
#include <string_view>

namespace relayopt {

// Models and their weights become less than this many times as large, unless they are small.
inline constexpr size_t kLargestExpansion = 200;

// Whether a compressed file of `packed` bytes may become `unpacked` bytes. A reader asks before it has so much in
// memory: a file of a few megabytes can become gigabytes.
constexpr auto MayBecome(size_t packed, size_t unpacked) -> bool {
  constexpr size_t kAlways = size_t{128} << 20;
  return unpacked <= kAlways || unpacked / kLargestExpansion <= packed;
}

// The end of a sentence about a file that may not.
inline constexpr std::string_view kExpandsTooMuch = "holds more than 128 MiB and 200 times its size; unpack it first";

}  // namespace relayopt
