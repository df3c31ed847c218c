// A hash of short texts, such as names.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace relayopt {

// Combines two words, so that every bit of them changes about half of those of the result.
inline auto MixWords(uint64_t a, uint64_t b) -> uint64_t {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Its address, which systems choose at random for each process, is the seed of HashText.
inline constexpr char kTextHashSeed = 0;

// Returns the hash of a text: a multiplication for each eight bytes. It differs from process to process, so that nobody
// can write a file of names that collide, and nothing visible may depend on the order of a table that uses it.
inline auto HashText(std::string_view text) -> uint64_t {
  constexpr uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
  constexpr size_t kWord = sizeof(uint64_t);
  uint64_t hash = (text.size() + 1) * kFactor ^ reinterpret_cast<uintptr_t>(&kTextHashSeed);
  const char* at = text.data();
  size_t left = text.size();
  for (; left > kWord; at += kWord, left -= kWord) {
    uint64_t word = 0;
    std::memcpy(&word, at, kWord);
    hash = MixWords(hash ^ word, kFactor);
  }
  uint64_t last = 0;
  if (left >= sizeof(uint32_t)) {
    // The first and the last four bytes, which may overlap.
    uint32_t low = 0;
    uint32_t high = 0;
    std::memcpy(&low, at, sizeof low);
    std::memcpy(&high, at + left - sizeof high, sizeof high);
    last = low | uint64_t{high} << 32;
  } else {
    for (size_t i = 0; i < left; ++i) last = last << 8 | static_cast<unsigned char>(at[i]);
  }
  return MixWords(hash ^ last, 0xD6E8FEB86659FD93ULL);
}

// For tables of texts.
struct TextHash {
  using is_transparent = void;
  auto operator()(std::string_view text) const -> size_t { return HashText(text); }
};

}  // namespace relayopt
