// Names of values in a model that is being written.
//
// A table stores each text once. So names are copied, compared and looked up as pointers, and what is known about
// values is kept in vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "relayopt/support/arena.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

class Name {
 public:
  // The empty name, of an input or output that is left out.
  Name() = default;

  auto text() const -> std::string_view { return entry_->text; }
  auto empty() const -> bool { return entry_ == &kNone; }
  // Differs between the names of a table; 0 for the empty name.
  auto index() const -> size_t { return entry_->index; }
  // Whether the text is v and a number, like the names that the writer gives to values without one.
  auto is_numbered() const -> bool { return entry_->is_numbered; }

  auto operator==(const Name&) const -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H hash, Name name) -> H {
    return H::combine(std::move(hash), name.index());
  }

 private:
  friend class NameTable;
  struct Entry {
    std::string_view text;
    size_t index = 0;
    bool is_numbered = false;
  };
  static const Entry kNone;

  explicit Name(const Entry* entry) : entry_(entry) {}

  const Entry* entry_ = &kNone;
};
inline constexpr Name::Entry Name::kNone = {};

// Most nodes have no more inputs and outputs.
using Names = absl::InlinedVector<Name, 3>;

// The names of a model. They are valid as long as it is.
class NameTable {
 public:
  NameTable() = default;
  NameTable(const NameTable&) = delete;
  auto operator=(const NameTable&) -> NameTable& = delete;

  auto Intern(std::string_view text) -> Name;
  // Returns the name v and a number. Small numbers are found without their text.
  auto Numbered(size_t number) -> Name;
  // Greater than the index of every name.
  auto size() const -> size_t { return entries_.size() + 1; }
  // Returns a copy of a text that lives as long as the table.
  auto Keep(std::string_view text) -> std::string_view { return texts_.Copy(text); }

 private:
  using Entry = Name::Entry;
  auto IsSmall(size_t number) const -> bool;
  auto InternSmall(size_t number, std::string_view text) -> Name;
  auto InternOther(std::string_view text) -> Name;

  Arena texts_;
  std::deque<Entry> entries_;
  // Names that are v and a small number, by this number, and all others by their text.
  std::vector<const Entry*> numbered_;
  TextViewMap<const Entry*> others_;
  // Whether names of the other kind may be v and a number, too.
  bool has_large_ = false;
};

// What is known about values of one graph of a model, which may have as many graphs as it has values.
template <typename T>
using GraphNameMap = absl::flat_hash_map<Name, T>;
using GraphNameSet = absl::flat_hash_set<Name>;

// What is known about each value of a model: the default value for most. Takes room for all names, so that there is one
// for a model, not one for a graph in it.
template <typename T>
class NameMap {
 public:
  // With room for `size` names.
  explicit NameMap(size_t size = 0) : values_(size) {}

  auto operator[](Name name) -> T& {
    if (name.index() >= values_.size()) values_.resize(name.index() + 1);
    return values_[name.index()];
  }
  auto operator[](Name name) const -> const T& { return name.index() < values_.size() ? values_[name.index()] : none_; }

 private:
  std::vector<T> values_;
  T none_ = {};
};

// Takes room for all names, too.
class NameSet {
 public:
  explicit NameSet(size_t size = 0) : is_in_(size) {}

  auto contains(Name name) const -> bool { return name.index() < is_in_.size() && is_in_[name.index()]; }
  // Returns whether the name is new.
  auto insert(Name name) -> bool {
    if (name.index() >= is_in_.size()) is_in_.resize(name.index() + 1);
    return !std::exchange(is_in_[name.index()], 1);
  }
  // Returns whether the name was there.
  auto erase(Name name) -> bool { return contains(name) && std::exchange(is_in_[name.index()], 0); }

 private:
  std::vector<uint8_t> is_in_;
};

}  // namespace relayopt::onnx::out
