#include "lib/tir/script/name_table.h"

#include <cstring>

namespace relayopt::tir {

namespace {

auto LoadWord(const char* p) -> uint64_t {
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Returns the first eight bytes of a text, or all of them padded with zeros.
inline auto HeadOf(std::string_view text) -> uint64_t {
  const char* p = text.data();
  const size_t size = text.size();
  if (size >= 8) return LoadWord(p);
  if (size >= 4) {
    uint32_t low, high;
    std::memcpy(&low, p, 4);
    std::memcpy(&high, p + size - 4, 4);
    return low | uint64_t{high} << 8 * (size - 4);
  }
  if (size == 0) return 0;
  const auto byte = [&](size_t i) { return uint64_t{static_cast<unsigned char>(p[i])} << 8 * i; };
  return byte(0) | byte(size / 2) | byte(size - 1);
}

inline auto HashOf(std::string_view text, uint64_t head, uint64_t tail) -> uint64_t {
  constexpr uint64_t kFactor = 0x9FB21C651E98DF25ULL;
  uint64_t h = (text.size() * 0x9E3779B97F4A7C15ULL ^ head) * kFactor;
  if (text.size() <= 8) return h ^ (h >> 32);
  for (size_t i = 8; i + 8 < text.size(); i += 8) h = ((h ^ h >> 29) ^ LoadWord(text.data() + i)) * kFactor;
  h = ((h ^ h >> 29) ^ tail) * kFactor;
  return h ^ (h >> 32);
}

}  // namespace

NameTable::NameTable(Context& context) : context_(context), slots_(256), mask_(slots_.size() - 1) {
  for (const Keyword& keyword : Keywords()) entries_[Find(keyword.text)].keyword = keyword.kind;
}

auto NameTable::Find(std::string_view text) -> NameIndex { return Find(text, HeadOf(text)); }

auto NameTable::FindIn(std::string_view text, size_t at, size_t size) -> NameIndex {
  if (size == 1) return FindLetter(text[at]);
  const std::string_view name = text.substr(at, size);
  if (size >= 8 || at + 8 > text.size()) return Find(name);
  return Find(name, LoadWord(name.data()) & ((uint64_t{1} << 8 * size) - 1));
}

auto NameTable::FindLetter(char letter) -> NameIndex {
  NameIndex& known = letters_[static_cast<unsigned char>(letter)];
  if (known == 0) known = Find({&letter, 1}) + 1;
  return known - 1;
}

auto NameTable::Find(std::string_view text, uint64_t head) -> NameIndex {
  const uint64_t tail = text.size() > 8 ? LoadWord(text.data() + text.size() - 8) : 0;
  const uint64_t hash = HashOf(text, head, tail);
  const Slot* const slots = slots_.data();
  for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
    const Slot slot = slots[at];
    if (slot.entry == 0) return Add(text, head, tail, at, hash);
    if (slot.hash != hash >> 32) continue;
    const Entry& entry = entries_[slot.entry - 1];
    if (entry.text.size() != text.size() || entry.head != head || entry.tail != tail) continue;
    if (text.size() <= 16 || entry.text == text) return slot.entry - 1;
  }
}

auto NameTable::Add(std::string_view text, uint64_t head, uint64_t tail, size_t at, uint64_t hash) -> NameIndex {
  const auto index = static_cast<NameIndex>(entries_.size());
  const StringId id = context_.Intern(text);
  entries_.push_back({context_.text(id), head, tail, id});
  slots_[at] = {index + 1, static_cast<uint32_t>(hash >> 32)};
  if (2 * entries_.size() > slots_.size()) Grow();
  return index;
}

void NameTable::Grow() {
  std::vector<Slot> slots(2 * slots_.size());
  const size_t mask = slots.size() - 1;
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    const uint64_t hash = HashOf(entries_[i].text, entries_[i].head, entries_[i].tail);
    size_t at = hash & mask;
    while (slots[at].entry != 0) at = (at + 1) & mask;
    slots[at] = {i + 1, static_cast<uint32_t>(hash >> 32)};
  }
  slots_ = std::move(slots);
  mask_ = mask;
}

}  // namespace relayopt::tir
