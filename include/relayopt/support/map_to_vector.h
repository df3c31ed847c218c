// MapToVector: what a function makes of each element of a range.
#pragma once

#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace relayopt {

// Returns `map(element)` for each element of a range, in its order. `map` may be a member: `&Row::name`.
template <typename T, std::ranges::input_range Range, typename Map>
constexpr auto MapToVector(Range&& range, Map map) -> std::vector<T> {
  using Made = std::invoke_result_t<Map&, std::ranges::range_reference_t<Range>>;
  static_assert(!(std::is_same_v<T, std::string_view> && std::is_same_v<Made, std::string>), "the text would be gone");
  std::vector<T> made;
  if constexpr (std::ranges::sized_range<Range>) made.reserve(static_cast<size_t>(std::ranges::size(range)));
  for (auto&& element : range) made.push_back(std::invoke(map, std::forward<decltype(element)>(element)));
  return made;
}

}  // namespace relayopt
