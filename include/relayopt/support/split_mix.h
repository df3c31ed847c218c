// Random numbers that depend on a seed alone, on every machine.
#pragma once

#include <cstdint>

namespace relayopt {

// The generator splitmix64. Its numbers are well mixed, so that those of seeds that follow each other are independent.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}

  auto Next() -> uint64_t {
    uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

}  // namespace relayopt
