// Interned strings.
#include "relayopt/support/string_table.h"

#include <algorithm>

#include "relayopt/support/text_hash.h"

namespace relayopt {

namespace {

// Names that passes generate end in a number and are looked up in ascending order. Eight consecutive ones are stored
// next to each other, which avoids most cache misses when a million names are made; the blocks themselves are
// scattered.
constexpr uint32_t kBlock = 8;

// Undoes the set's multiplication as far as it decides the place.
constexpr uint32_t kInverse = 0x9937733D;
static_assert(kInverse * uint32_t{0x7F4A7C15} == 1);
// The set keeps the low bits to compare, and finds the place by those above.
constexpr int kComparedBits = 7;

auto HashName(std::string_view text) -> uint32_t {
  constexpr size_t kMostDigits = 9;
  size_t digits = 0;
  uint32_t number = 0;
  uint32_t unit = 1;
  for (; digits < std::min(text.size(), kMostDigits); ++digits, unit *= 10) {
    const char c = text[text.size() - 1 - digits];
    if (c < '0' || c > '9') break;
    number += static_cast<uint32_t>(c - '0') * unit;
  }
  if (digits == 0) return static_cast<uint32_t>(HashText(text));
  const std::string_view prefix = text.substr(0, text.size() - digits);
  const uint64_t block = MixWords(HashText(prefix) + digits, (uint64_t{number} / kBlock) ^ 0x9E3779B97F4A7C15ULL);
  const auto compared = static_cast<uint32_t>(block >> 32) + number;
  const uint32_t place = (static_cast<uint32_t>(block) & ~(kBlock - 1)) | (number % kBlock);
  return kInverse * ((place << kComparedBits) | (compared & ((1U << kComparedBits) - 1)));
}

}  // namespace

auto StringTable::Intern(std::string_view text) -> StringId {
  const std::lock_guard lock(mutex_);
  const Candidate candidate{text, HashName(text)};
  const auto entry = entries_.lazy_emplace(candidate, [&](const auto& construct) {
    construct(Entry{texts_.Append(arena_.Copy(text)), candidate.hash});
  });
  return entry->id;
}

}  // namespace relayopt
