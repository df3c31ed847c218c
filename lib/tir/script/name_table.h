// The names of a text, by numbers.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "lib/tir/script/token.h"
#include "relayopt/core/context.h"
#include "relayopt/support/text_hash.h"

namespace relayopt::tir {

// The distinct names of a text. Looking one up costs a hash and a comparison.
class NameTable {
 public:
  explicit NameTable(Context& context);

  auto Find(std::string_view text) -> NameIndex;
  auto text(NameIndex name) const -> std::string_view { return entries_[name].text; }
  auto id(NameIndex name) const -> StringId { return entries_[name].id; }
  auto keyword(NameIndex name) const -> TokenKind { return entries_[name].keyword; }
  auto size() const -> size_t { return entries_.size(); }

  // A name of up to eight bytes, which are a word: the first is the lowest, and zeros follow the last.
  struct Short {
    // 0 where the table has a free slot.
    uint64_t word = 0;
    NameIndex name = 0;
    // kName for those that are none.
    TokenKind keyword = TokenKind::kName;
  };
  // The most common way to look up a name. The result is valid until the next name is looked up.
  auto FindShort(uint64_t word) -> const Short& {
    const Short* const slots = short_.data();
    for (size_t at = SlotOf(word);; at = (at + 1) & (short_.size() - 1)) {
      if (slots[at].word == word) return slots[at];
      if (slots[at].word == 0) return AddShort(word);
    }
  }
  // The same for a name of one character, as half of the names are.
  auto FindLetter(char letter) -> const Short& {
    Short& known = letters_[static_cast<unsigned char>(letter)];
    if (known.word == 0) known = FindShort(static_cast<unsigned char>(letter));
    return known;
  }

 private:
  struct Entry {
    std::string_view text;
    StringId id;
    // kName for those that are none.
    TokenKind keyword = TokenKind::kName;
  };
  // The upper bits of a product depend on all bytes.
  auto SlotOf(uint64_t word) const -> size_t {
    return static_cast<size_t>((word ^ word >> 32) * short_factor_ >> short_shift_);
  }
  auto AddShort(uint64_t word) -> const Short&;
  void PlaceShort(const Short& added);
  auto FindLong(std::string_view text) -> NameIndex;
  auto AddEntry(std::string_view text) -> NameIndex;
  void GrowLong();

  Context& context_;
  std::vector<Entry> entries_;
  // At most half full, as the other one.
  std::vector<Short> short_;
  int short_shift_;
  // Odd, and another one in each process, so that nobody can choose names that share their slots.
  uint64_t short_factor_ = MixWords(HashSeed(), kHashFactor) | 1;
  size_t num_short_ = 0;
  // Index + 1 of an entry with the upper half of its hash, or 0.
  struct Slot {
    uint32_t entry = 0;
    uint32_t hash = 0;
  };
  std::vector<Slot> long_;
  // By the character; those that were not looked for yet have no word.
  std::array<Short, 256> letters_{};
  size_t num_long_ = 0;
};

}  // namespace relayopt::tir
