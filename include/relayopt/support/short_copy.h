// Copies of texts so short that a call of memcpy would cost more than it does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace relayopt {

inline constexpr size_t kMostShort = 64;

// Copies the first and the last bytes of a text that has at most twice as many as a word; they may overlap.
template <typename Word>
void CopyEnds(char* to, const char* from, size_t size) {
  Word first;
  Word last;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, from + size - sizeof last, sizeof last);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + size - sizeof last, &last, sizeof last);
}

// Copies at most kMostShort bytes.
inline void CopyShort(char* to, const char* from, size_t size) {
  if (size >= 32) {
    CopyEnds<std::array<uint64_t, 4>>(to, from, size);
  } else if (size >= 16) {
    CopyEnds<unsigned __int128>(to, from, size);
  } else if (size >= 8) {
    CopyEnds<uint64_t>(to, from, size);
  } else if (size >= 4) {
    CopyEnds<uint32_t>(to, from, size);
  } else if (size >= 2) {
    CopyEnds<uint16_t>(to, from, size);
  } else if (size == 1) {
    *to = *from;
  }
}

}  // namespace relayopt
