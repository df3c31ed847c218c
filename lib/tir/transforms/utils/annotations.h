// Maps of annotations of loops, blocks and allocations.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "relayopt/core/context.h"

namespace relayopt::tir {

// Returns the value of a key of a map of annotations, or the invalid id if the map, which may be invalid, lacks it.
auto FindAnnotation(const Context& context, ObjectId annotations, std::string_view key) -> ObjectId;
inline auto HasAnnotation(const Context& context, ObjectId annotations, std::string_view key) -> bool {
  return static_cast<bool>(FindAnnotation(context, annotations, key));
}
// Returns the map without these keys; invalid if nothing remains.
auto WithoutAnnotations(Context& context, ObjectId annotations, std::span<const std::string_view> keys) -> ObjectId;
// Returns the value of a key as an integer, or nullopt if it is missing or not an integer.
auto IntAnnotation(const Context& context, ObjectId annotations, std::string_view key) -> std::optional<int64_t>;
// Returns the elements of a list of integers, or nullopt if the value is anything else.
auto IntList(const Context& context, ObjectId value) -> std::optional<std::vector<int64_t>>;

}  // namespace relayopt::tir
