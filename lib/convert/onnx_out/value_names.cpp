#include "value_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "relayopt/support/characters.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt::onnx::out {

namespace {

// Returns the number of a name that is v and a number, without zeros before it.
auto NumberOf(std::string_view text) -> std::optional<size_t> {
  const bool may_be = text.starts_with('v') && (text.size() == 2 || !text.starts_with("v0"));
  return may_be ? ParseNumber<size_t>(text.substr(1)) : std::nullopt;
}

}  // namespace

auto NameTable::Intern(std::string_view text) -> Name {
  if (text.empty()) return {};
  const auto number = NumberOf(text);
  return number && IsSmall(*number) ? InternSmall(*number, text) : InternOther(text);
}

auto NameTable::Numbered(size_t number) -> Name {
  constexpr size_t kMostDigits = 20;
  if (number < numbered_.size() && numbered_[number] != nullptr) return Name(numbered_[number]);
  std::array<char, 1 + kMostDigits> text = {'v'};
  const char* end = std::to_chars(text.data() + 1, text.data() + text.size(), number).ptr;
  const std::string_view name(text.data(), static_cast<size_t>(end - text.data()));
  return IsSmall(number) ? InternSmall(number, name) : InternOther(name);
}

// There are no more numbers to be kept than names.
auto NameTable::IsSmall(size_t number) const -> bool {
  constexpr size_t kFew = 1024;
  return number < 2 * size() + kFew;
}

auto NameTable::InternSmall(size_t number, std::string_view text) -> Name {
  if (number >= numbered_.size()) numbered_.resize(number + 1);
  const Entry*& entry = numbered_[number];
  // It may have been too large when it was first seen.
  if (entry == nullptr && has_large_) {
    const auto found = others_.find(text);
    if (found != others_.end()) entry = found->second;
  }
  if (entry == nullptr) entry = &entries_.emplace_back(Entry{texts_.Copy(text), size(), true});
  return Name(entry);
}

auto NameTable::InternOther(std::string_view text) -> Name {
  const auto entry = others_.lazy_emplace(text, [&](const auto& emplace) {
    const bool is_numbered = text.size() > 1 && text[0] == 'v' && std::ranges::all_of(text.substr(1), IsDigit);
    has_large_ |= is_numbered;
    const Entry& made = entries_.emplace_back(Entry{texts_.Copy(text), size(), is_numbered});
    emplace(made.text, &made);
  });
  return Name(entry->second);
}

}  // namespace relayopt::onnx::out
