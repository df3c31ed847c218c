// Interned strings: equal text, equal id.
#pragma once

#include <mutex>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/append_table.h"
#include "relayopt/support/arena.h"
#include "relayopt/support/ids.h"

namespace relayopt {

// Thread-safe. The texts live as long as the table.
class StringTable {
 public:
  auto Intern(std::string_view text) -> StringId;
  auto operator[](StringId id) const -> std::string_view { return texts_[id]; }

 private:
  std::mutex mutex_;
  Arena arena_;
  AppendTable<StringId, std::string_view> texts_;
  absl::flat_hash_map<std::string_view, StringId> ids_;
};

}  // namespace relayopt
