// The names of a text, by numbers.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "lib/tir/script/token.h"
#include "relayopt/core/context.h"

namespace relayopt::tir {

// The distinct names of a text. Looking one up costs a hash and a comparison.
class NameTable {
 public:
  explicit NameTable(Context& context);

  auto Find(std::string_view text) -> NameIndex;
  // Returns the name of `size` characters, at least one, at an offset of a text. Faster: most names are short, and not
  // at the end.
  auto FindIn(std::string_view text, size_t at, size_t size) -> NameIndex;
  auto text(NameIndex name) const -> std::string_view { return entries_[name].text; }
  auto id(NameIndex name) const -> StringId { return entries_[name].id; }
  auto keyword(NameIndex name) const -> TokenKind { return entries_[name].keyword; }
  auto size() const -> size_t { return entries_.size(); }

 private:
  struct Entry {
    std::string_view text;
    // The first and the last eight bytes, which is all of most names.
    uint64_t head = 0;
    uint64_t tail = 0;
    StringId id;
    // kName for those that are none.
    TokenKind keyword = TokenKind::kName;
  };
  // `head`: its first eight bytes, padded with zeros.
  auto Find(std::string_view text, uint64_t head) -> NameIndex;
  // Returns the name of one character.
  auto FindLetter(char letter) -> NameIndex;
  // At a free slot.
  auto Add(std::string_view text, uint64_t head, uint64_t tail, size_t at, uint64_t hash) -> NameIndex;
  void Grow();

  Context& context_;
  std::vector<Entry> entries_;
  // Index + 1 of an entry with the upper half of its hash, or 0.
  struct Slot {
    uint32_t entry = 0;
    uint32_t hash = 0;
  };
  std::vector<Slot> slots_;
  size_t mask_;
  // Index + 1 of the names of one character, or 0.
  std::array<NameIndex, 256> letters_{};
};

}  // namespace relayopt::tir
