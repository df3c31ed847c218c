// SideTable: data kept beside a table, one value for each id.
#pragma once

#include <vector>

#include "relayopt/support/check.h"

namespace relayopt {

// A vector indexed by one kind of id.
template <typename IdT, typename T>
class SideTable {
 public:
  SideTable() = default;
  explicit SideTable(size_t size, const T& value = T()) : values_(size, value) {}

  auto operator[](IdT id) -> typename std::vector<T>::reference {
    RELAYOPT_DCHECK(id.value() < values_.size(), "id outside its side table");
    return values_[id.value()];
  }
  auto operator[](IdT id) const -> typename std::vector<T>::const_reference {
    RELAYOPT_DCHECK(id.value() < values_.size(), "id outside its side table");
    return values_[id.value()];
  }

  auto size() const -> size_t { return values_.size(); }
  auto empty() const -> bool { return values_.empty(); }
  void resize(size_t size, T value = T()) { values_.resize(size, value); }
  void reserve(size_t size) { values_.reserve(size); }
  void push_back(T value) { values_.push_back(std::move(value)); }

 private:
  std::vector<T> values_;
};

}  // namespace relayopt
