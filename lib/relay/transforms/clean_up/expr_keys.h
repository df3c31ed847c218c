// Keys by which equal expressions are found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/support/ids.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

// A map from sequences of words to expressions. All sequences are stored in one pool, to avoid an allocation for each.
class ExprKeys {
 public:
  using Key = std::span<const uint32_t>;

  ExprKeys() : entries_(0, Hash{&pool_}, Equal{&pool_}) {}
  ExprKeys(const ExprKeys&) = delete;
  auto operator=(const ExprKeys&) -> ExprKeys& = delete;

  // Returns the expression for a key, or invalid if there is none.
  auto Find(Key key) const -> ExprId {
    const auto found = entries_.find(key);
    return found == entries_.end() ? ExprId() : found->value;
  }
  // Adds `value` unless the key exists; returns the value of the key.
  auto TryEmplace(Key key, ExprId value) -> ExprId {
    if (const ExprId found = Find(key)) return found;
    const size_t begin = pool_.size();
    pool_.insert(pool_.end(), key.begin(), key.end());
    entries_.insert({begin, static_cast<uint32_t>(key.size()), value});
    return value;
  }

 private:
  struct Entry {
    size_t begin;
    uint32_t size;
    ExprId value;
  };
  struct Hash {
    using is_transparent = void;
    const std::vector<uint32_t>* pool;
    auto operator()(Key key) const -> size_t {
      return HashText({reinterpret_cast<const char*>(key.data()), key.size_bytes()});
    }
    auto operator()(const Entry& entry) const -> size_t { return (*this)(Key(pool->data() + entry.begin, entry.size)); }
  };
  struct Equal {
    using is_transparent = void;
    const std::vector<uint32_t>* pool;
    auto KeyOf(Key key) const -> Key { return key; }
    auto KeyOf(const Entry& entry) const -> Key { return {pool->data() + entry.begin, entry.size}; }
    template <typename A, typename B>
    auto operator()(const A& a, const B& b) const -> bool {
      return std::ranges::equal(KeyOf(a), KeyOf(b));
    }
  };

  std::vector<uint32_t> pool_;
  absl::flat_hash_set<Entry, Hash, Equal> entries_;
};

}  // namespace relayopt
