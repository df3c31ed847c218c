// JSON from outside: with members in the order of the text, found in constant time, and not too deep for functions that
// copy or print it.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

// The members of an object, in the order in which they were added. nlohmann::ordered_map compares a new key with all
// others, and copies all values when it grows.
template <typename Key, typename T, typename = void, typename = void>
class JsonMembers : std::vector<std::pair<Key, T>> {
  using Base = std::vector<std::pair<Key, T>>;

 public:
  using key_type = Key;
  using mapped_type = T;
  using key_compare = std::equal_to<>;
  using typename Base::const_iterator;
  using typename Base::iterator;
  using typename Base::size_type;
  using typename Base::value_type;

  JsonMembers() = default;
  template <typename It>
  JsonMembers(It first, It last) {
    for (; first != last; ++first) emplace(first->first, first->second);
  }

  using Base::begin;
  using Base::cbegin;
  using Base::cend;
  using Base::empty;
  using Base::end;
  using Base::max_size;
  using Base::size;

  // Adds a member unless there is one of that name.
  auto emplace(const Key& key, T value) -> std::pair<iterator, bool> {
    const size_t known = PositionOf(key);
    if (known != size()) return {begin() + static_cast<std::ptrdiff_t>(known), false};
    Base::emplace_back(key, std::move(value));
    if (size() > kFew) Index();
    return {std::prev(end()), true};
  }
  auto insert(value_type member) -> std::pair<iterator, bool> {
    return emplace(member.first, std::move(member.second));
  }
  // Takes time in proportion to the members.
  auto erase(const_iterator position) -> iterator {
    const auto next = Base::erase(position);
    positions_.clear();
    if (size() > kFew) Index();
    return next;
  }
  void clear() {
    Base::clear();
    positions_.clear();
  }
  auto operator[](const Key& key) -> T& { return emplace(key, T()).first->second; }
  auto find(std::string_view key) -> iterator { return begin() + static_cast<std::ptrdiff_t>(PositionOf(key)); }
  auto find(std::string_view key) const -> const_iterator {
    return begin() + static_cast<std::ptrdiff_t>(PositionOf(key));
  }
  auto count(std::string_view key) const -> size_type { return PositionOf(key) == size() ? 0 : 1; }
  auto at(std::string_view key) -> T& { return find(key)->second; }
  auto at(std::string_view key) const -> const T& { return find(key)->second; }

  // As objects of nlohmann::ordered_json, those with members in another order differ.
  auto operator==(const JsonMembers& other) const -> bool {
    return static_cast<const Base&>(*this) == static_cast<const Base&>(other);
  }

 private:
  // So many are compared one by one.
  static constexpr size_t kFew = 16;

  // Returns size() if there is none.
  auto PositionOf(std::string_view key) const -> size_t {
    if (size() > kFew) {
      const auto found = positions_.find(key);
      return found == positions_.end() ? size() : found->second;
    }
    size_t i = 0;
    while (i < size() && Base::operator[](i).first != key) ++i;
    return i;
  }
  void Index() {
    for (size_t i = positions_.size(); i < size(); ++i) positions_.emplace(Base::operator[](i).first, i);
  }

  // Empty if there are few.
  absl::flat_hash_map<Key, size_t, TextHash, std::equal_to<>> positions_;
};

using OrderedJson = nlohmann::basic_json<JsonMembers>;

// Whether arrays and objects nest too deep in a JSON text for functions that call themselves for what is inside.
auto NestsTooDeep(std::string_view json) -> bool;

// Parses a JSON text. The result is discarded (is_discarded()) if it is not JSON or nests too deep.
template <typename Json = OrderedJson>
auto ParseJson(std::string_view text) -> Json {
  if (NestsTooDeep(text)) return Json(nlohmann::json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace relayopt
