// Choices that depend on a seed alone, on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "relayopt/support/check.h"

namespace relayopt {

// The engine is the standard's, whose numbers are the same everywhere; the distributions are not, so they are
// implemented here.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  // 0 <= result < n.
  auto Below(size_t n) -> size_t {
    RELAYOPT_CHECK(n != 0, "there is nothing to choose from");
    return static_cast<size_t>(engine_() % n);
  }
  // first <= result <= last.
  auto Between(int64_t first, int64_t last) -> int64_t {
    return first + static_cast<int64_t>(Below(static_cast<size_t>(last - first) + 1));
  }
  auto Chance(int percent) -> bool { return Below(100) < static_cast<size_t>(percent); }
  template <typename T>
  auto Pick(std::span<const T> from) -> const T& {
    return from[Below(from.size())];
  }
  template <typename T>
  auto Pick(std::initializer_list<T> from) -> T {
    return from.begin()[Below(from.size())];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace relayopt
