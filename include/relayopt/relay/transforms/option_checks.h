// Checks of option values for passes over Relay; see OptionValues::check.
#pragma once

#include "relayopt/pass/options.h"

namespace relayopt {

// Returns the names of all operators.
auto OperatorNames() -> std::vector<std::string_view>;

// The value must be a list of names of operators.
auto CheckOperators(const OptionValue& value) -> std::optional<OptionFault>;

// The value must map names of composites to patterns, in the notation of relayopt/relay/pattern/pattern_text.h.
auto CheckPatterns(const OptionValue& value) -> std::optional<OptionFault>;

// The value must map names of operators to layouts.
auto CheckLayouts(const OptionValue& value) -> std::optional<OptionFault>;

}  // namespace relayopt
