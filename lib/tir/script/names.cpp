// Unique names.
#include "lib/tir/script/names.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/tir/script/token.h"

namespace relayopt::tir {

namespace {

// Names that mean something else where a program is read. TVM reserves the first four, and prints variables that are
// called otherwise, or like a word of Python, as what it cannot read.
constexpr auto kReserved = std::to_array<std::string_view>({"I", "R", "T", "cls", "metadata", "range"});

}  // namespace

auto NamePool::Get(std::string_view text) -> Entry& {
  const auto found = entries_.find(text);
  if (found != entries_.end()) return *found->second;
  auto entry = std::make_unique<Entry>();
  entry->text = text;
  entry->used = IsKeyword(text) || std::ranges::find(kReserved, text) != kReserved.end();
  Entry& made = *entry;
  entries_.emplace(std::string_view(made.text), std::move(entry));
  return made;
}

auto NamePool::Take(std::string_view hint) -> std::string_view {
  std::string clean;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (const char c : hint) {
    if (fits(c)) continue;
    clean = hint;
    for (char& d : clean) d = fits(d) ? d : '_';
    hint = clean;
    break;
  }
  Entry& base = Get(hint);
  if (!base.used) {
    base.used = true;
    return base.text;
  }
  for (;; ++base.next) {
    Entry& entry = Get(base.text + "_" + std::to_string(base.next));
    if (entry.used) continue;
    entry.used = true;
    ++base.next;
    return entry.text;
  }
}

void NamePool::Release(std::string_view name) {
  Get(name).used = false;
  // When the name ends in a number, that number becomes free for the rest of the name.
  const size_t line = name.rfind('_');
  if (line == std::string_view::npos || line + 1 == name.size() || name[line + 1] == '0') return;
  uint32_t number = 0;
  const char* end = name.data() + name.size();
  if (const auto [stop, fault] = std::from_chars(name.data() + line + 1, end, number);
      fault != std::errc() || stop != end)
    return;
  const auto found = entries_.find(name.substr(0, line));
  if (found != entries_.end() && number < found->second->next) found->second->next = number;
}

}  // namespace relayopt::tir
