// Attributes as target tables write them.
#pragma once

#include <string>
#include <string_view>

#include "relayopt/core/attrs.h"

namespace relayopt {

// Returns the value of a field of `record`: `[1, 1]` for lists, `None` for missing values, or empty for kinds that
// tables do not use.
auto AttributeText(const FieldInfo& field, const void* record) -> std::string;

// Writes such a text into a field of `record`; returns false if it is none for the field.
auto SetAttribute(const FieldInfo& field, void* record, std::string_view text) -> bool;

// Whether `text` matches `pattern`, in which `#` stands for any number.
auto MatchesText(std::string_view text, std::string_view pattern) -> bool;

}  // namespace relayopt
