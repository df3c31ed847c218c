// The names that a printed program uses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace relayopt::tir {

// Gives every definition a name that nothing else has at that moment.
class NamePool {
 public:
  // Returns a unique name that is no word of TVMScript: the hint, with `_` for invalid characters, or the first of
  // hint_1, hint_2, ... that is free. The text stays valid as long as the pool.
  auto Take(std::string_view hint) -> std::string_view;
  // The name may be taken again.
  void Release(std::string_view name);

 private:
  struct Entry {
    std::string text;
    bool used = false;
    // No smaller number is free for this name.
    uint32_t next = 1;
  };
  auto Get(std::string_view text) -> Entry&;

  absl::flat_hash_map<std::string_view, std::unique_ptr<Entry>> entries_;
};

}  // namespace relayopt::tir
