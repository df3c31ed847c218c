// Checks of option values that several passes share: see OptionValues::check.
#pragma once

#include "relayopt/pass/options.h"

namespace relayopt {

// The value must name a data type with one lane: a float, or a signed integer.
auto CheckFloatType(const OptionValue& value) -> std::optional<OptionFault>;
auto CheckIntType(const OptionValue& value) -> std::optional<OptionFault>;

// The value must be a number above 0.
auto CheckPositive(const OptionValue& value) -> std::optional<OptionFault>;

// The value must be the text of a target, or empty.
auto CheckTarget(const OptionValue& value) -> std::optional<OptionFault>;

}  // namespace relayopt
