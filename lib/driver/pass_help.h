// --help-pass: what a pass or a named pipeline does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "relayopt/pass/pass.h"

namespace relayopt {

// Returns how exactly the pass preserves values, as a clause.
auto Explain(Exactness exactness) -> std::string_view;

// Returns the help on the pass, or on the pipeline (`default<O3>`), of this name, or nothing if there is none.
auto PassHelp(std::string_view name) -> std::optional<std::string>;

}  // namespace relayopt
