// What values of options of passes over Relay must be; see OptionValues::check.
#pragma once

#include "relayopt/pass/options.h"

namespace relayopt {

// The names of all operators.
auto OperatorNames() -> std::vector<std::string_view>;

// A list of names of operators.
auto CheckOperators(const OptionValue& value) -> std::optional<OptionFault>;

// Patterns in the notation of relayopt/relay/pattern/pattern_text.h, by the names of composites.
auto CheckPatterns(const OptionValue& value) -> std::optional<OptionFault>;

// Layouts by the names of operators.
auto CheckLayouts(const OptionValue& value) -> std::optional<OptionFault>;

}  // namespace relayopt
