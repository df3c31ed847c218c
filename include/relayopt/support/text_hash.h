// Hashes of short texts, such as names, and of lists of words.
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

// Its address, which systems choose at random for each process, is the seed of the hashes below. They differ from
// process to process, so that nobody can write a file of names, types or attributes that collide, and nothing visible
// may depend on the order of a table that uses them.
inline constexpr char kHashSeed = 0;
inline auto HashSeed() -> uint64_t { return reinterpret_cast<uintptr_t>(&kHashSeed); }

inline constexpr uint64_t kHashFactor = 0x9E3779B97F4A7C15ULL;

// The hash of a list of words, each of which costs a multiplication.
class WordHash {
 public:
  void Add(uint64_t word) { hash_ = MixWords(hash_ ^ word, kHashFactor); }
  auto value() const -> uint64_t { return hash_; }

 private:
  uint64_t hash_ = HashSeed() * kHashFactor;
};

// Returns the hash of a text: a multiplication for each eight bytes.
inline auto HashText(std::string_view text) -> uint64_t {
  constexpr size_t kWord = sizeof(uint64_t);
  uint64_t hash = (text.size() + 1) * kHashFactor ^ HashSeed();
  const char* at = text.data();
  size_t left = text.size();
  for (; left > kWord; at += kWord, left -= kWord) {
    uint64_t word = 0;
    std::memcpy(&word, at, kWord);
    hash = MixWords(hash ^ word, kHashFactor);
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
