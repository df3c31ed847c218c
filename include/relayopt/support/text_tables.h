// Hash tables whose keys are texts, such as the names of values.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/support/text_hash.h"

namespace relayopt {

// They own their keys, which are found by any kind of text.
template <typename T>
using TextMap = absl::flat_hash_map<std::string, T, TextHash, std::equal_to<>>;
using TextSet = absl::flat_hash_set<std::string, TextHash, std::equal_to<>>;

// Their keys are views of texts that must not move while they are in use.
template <typename T>
using TextViewMap = absl::flat_hash_map<std::string_view, T, TextHash>;
using TextViewSet = absl::flat_hash_set<std::string_view, TextHash>;

}  // namespace relayopt
