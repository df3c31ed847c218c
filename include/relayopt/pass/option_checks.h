// What values of options must be that several passes have: see OptionValues::check.
#pragma once

#include "relayopt/pass/options.h"

namespace relayopt {

// Names of data types in one lane: of floats, of signed integers.
auto CheckFloatType(const OptionValue& value) -> std::optional<OptionFault>;
auto CheckIntType(const OptionValue& value) -> std::optional<OptionFault>;

// A number above 0.
auto CheckPositive(const OptionValue& value) -> std::optional<OptionFault>;

// The text of a target; may be empty.
auto CheckTarget(const OptionValue& value) -> std::optional<OptionFault>;

}  // namespace relayopt
