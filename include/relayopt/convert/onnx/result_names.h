// Names of the tensors in the result of a program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayopt {

// The fields of a result: for a sequence the number of its tensors, nullopt for a tensor.
using ResultFields = std::vector<std::optional<size_t>>;

// Returns a name for each tensor of a result, in order. Fields have the names of the model's outputs, the tensors of a
// sequence `name_0`, `name_1`, ...; without one output for each field, all tensors are `output_0`, `output_1`, ...
auto ResultNames(std::span<const std::string_view> outputs, const ResultFields& fields) -> std::vector<std::string>;

}  // namespace relayopt
