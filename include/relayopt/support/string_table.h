// Interned strings: equal text, equal id.
#pragma once

#include <mutex>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "relayopt/support/append_table.h"
#include "relayopt/support/arena.h"
#include "relayopt/support/ids.h"

namespace relayopt {

// A table of interned strings. Thread-safe. The texts live as long as the table.
class StringTable {
 public:
  auto Intern(std::string_view text) -> StringId;
  auto operator[](StringId id) const -> std::string_view { return texts_[id]; }
  auto size() const -> size_t { return texts_.size(); }
  auto bytes() const -> size_t { return arena_.bytes() + texts_.size() * sizeof(std::string_view); }

 private:
  // Keeps the hash beside the id, so that growing the table and most comparisons need not read the text.
  struct Entry {
    StringId id;
    uint32_t hash;
  };
  struct Candidate {
    std::string_view text;
    uint32_t hash;
  };
  struct Hash {
    using is_transparent = void;
    auto operator()(const auto& entry) const -> size_t { return entry.hash * 0x9E3779B97F4A7C15ULL; }
  };
  struct Equal {
    using is_transparent = void;
    const AppendTable<StringId, std::string_view>* texts;
    auto operator()(const Entry& a, const Entry& b) const -> bool { return a.id == b.id; }
    auto operator()(const Entry& a, const Candidate& b) const -> bool {
      return a.hash == b.hash && (*texts)[a.id] == b.text;
    }
  };

  std::mutex mutex_;
  Arena arena_;
  AppendTable<StringId, std::string_view> texts_;
  absl::flat_hash_set<Entry, Hash, Equal> entries_{0, Hash(), Equal{&texts_}};
};

}  // namespace relayopt
