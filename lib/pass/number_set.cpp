// Reads sets of ordinals.
#include "relayopt/pass/number_set.h"

#include <algorithm>

#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

auto ReadNumber(std::string_view text) -> std::optional<uint64_t> {
  const auto number = ParseNumber<uint64_t>(text);
  return number == 0 ? std::nullopt : number;
}

}  // namespace

auto NumberSet::Parse(std::string_view text) -> std::optional<NumberSet> {
  NumberSet set;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, comma - begin);
    begin = comma + 1;
    const size_t dash = item.find('-');
    const auto first = ReadNumber(item.substr(0, dash));
    auto last = first;
    if (dash != std::string_view::npos) {
      last = dash + 1 == item.size() ? std::optional(UINT64_MAX) : ReadNumber(item.substr(dash + 1));
    }
    if (!first || !last || *last < *first) return std::nullopt;
    if (!set.ranges_.empty() && set.ranges_.back().second >= *first) return std::nullopt;
    set.ranges_.emplace_back(*first, *last);
  }
  return set;
}

auto NumberSet::UpTo(uint64_t last) -> NumberSet {
  NumberSet set;
  if (last != 0) set.ranges_.emplace_back(1, last);
  return set;
}

auto NumberSet::Contains(uint64_t number) const -> bool {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [=](const auto& range) { return range.first <= number && number <= range.second; });
}

}  // namespace relayopt
