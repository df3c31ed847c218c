#include "lib/tir/script/name_table.h"

#include <bit>
#include <cstring>
#include <utility>

namespace relayopt::tir {

namespace {

// Returns a text of up to eight bytes as a word.
auto WordOf(std::string_view text) -> uint64_t {
  uint64_t word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), text.size());
  return word;
}

}  // namespace

NameTable::NameTable(Context& context)
    : context_(context), short_(256), short_shift_(64 - std::countr_zero(short_.size())), long_(256) {
  for (const Keyword& keyword : Keywords()) {
    const NameIndex name = AddEntry(keyword.text);
    entries_[name].keyword = keyword.kind;
    PlaceShort({WordOf(keyword.text), name, keyword.kind});
  }
}

auto NameTable::Find(std::string_view text) -> NameIndex {
  // Words that end in a zero are those of shorter texts.
  const bool is_short = text.size() <= 8 && !text.empty() && text.back() != '\0';
  return is_short ? FindShort(WordOf(text)).name : FindLong(text);
}

auto NameTable::AddEntry(std::string_view text) -> NameIndex {
  const StringId id = context_.Intern(text);
  entries_.push_back({context_.text(id), id});
  return static_cast<NameIndex>(entries_.size() - 1);
}

auto NameTable::AddShort(uint64_t word) -> const Short& {
  char bytes[sizeof word];
  std::memcpy(bytes, &word, sizeof word);
  const auto size = sizeof word - static_cast<size_t>(std::countl_zero(word)) / 8;
  const Short added{word, AddEntry({bytes, size})};
  if (2 * (num_short_ + 1) > short_.size()) {
    const std::vector<Short> old = std::exchange(short_, std::vector<Short>(2 * short_.size()));
    --short_shift_;
    num_short_ = 0;
    for (const Short& name : old) {
      if (name.word != 0) PlaceShort(name);
    }
  }
  PlaceShort(added);
  return FindShort(word);
}

// Puts a name that is not in the table into a free slot, of which there is one.
void NameTable::PlaceShort(const Short& added) {
  size_t at = SlotOf(added.word);
  while (short_[at].word != 0) at = (at + 1) & (short_.size() - 1);
  short_[at] = added;
  ++num_short_;
}

auto NameTable::FindLong(std::string_view text) -> NameIndex {
  const uint64_t hash = HashText(text);
  const size_t mask = long_.size() - 1;
  size_t at = static_cast<size_t>(hash) & mask;
  for (; long_[at].entry != 0; at = (at + 1) & mask) {
    const Slot slot = long_[at];
    if (slot.hash == hash >> 32 && entries_[slot.entry - 1].text == text) return slot.entry - 1;
  }
  const NameIndex name = AddEntry(text);
  long_[at] = {name + 1, static_cast<uint32_t>(hash >> 32)};
  if (2 * ++num_long_ > long_.size()) GrowLong();
  return name;
}

void NameTable::GrowLong() {
  const std::vector<Slot> old = std::exchange(long_, std::vector<Slot>(2 * long_.size()));
  const size_t mask = long_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.entry == 0) continue;
    size_t at = static_cast<size_t>(HashText(entries_[slot.entry - 1].text)) & mask;
    while (long_[at].entry != 0) at = (at + 1) & mask;
    long_[at] = slot;
  }
}

}  // namespace relayopt::tir
