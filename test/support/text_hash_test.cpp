#include "relayopt/support/text_hash.h"

#include <catch2/catch.hpp>
#include <string>
#include <unordered_set>

namespace relayopt {

// In a hash that rotates by `rotation` and multiplies by an odd number, the change of the uppermost bit of a word is
// undone by that of one bit of the next word, so that 2^n lists of 2n words have one hash, whatever its seed is.
TEST_CASE("WordHash tells apart lists whose differences a product carries on unchanged") {
  constexpr int kPairs = 10;
  for (int rotation = 0; rotation < 64; ++rotation) {
    std::unordered_set<uint64_t> values;
    for (uint64_t list = 0; list < 1 << kPairs; ++list) {
      WordHash hash;
      for (int pair = 0; pair < kPairs; ++pair) {
        const uint64_t differs = list >> pair & 1;
        hash.Add(differs << 63);
        hash.Add(differs << ((63 + rotation) % 64));
      }
      values.insert(hash.value());
    }
    CHECK(values.size() == 1 << kPairs);
  }
}

TEST_CASE("HashText tells apart texts that differ in one character") {
  std::unordered_set<uint64_t> values;
  for (size_t size = 1; size <= 20; ++size) {
    values.insert(HashText(std::string(size, 'a')));
    for (size_t i = 0; i < size; ++i) {
      std::string text(size, 'a');
      text[i] = 'b';
      values.insert(HashText(text));
    }
  }
  CHECK(values.size() == 20 + 20 * 21 / 2);
}

}  // namespace relayopt
