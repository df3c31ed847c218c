// --assert: conditions on the numbers of the summary.
#pragma once

#include <string>
#include <string_view>

#include "options.h"
#include "relayopt/module/module.h"
#include "reporter.h"

namespace relayopt {

// Returns an error message if a condition such as `kernels <= 31` cannot be read, or an empty text.
auto CheckAssertion(std::string_view text) -> std::string;

// Reports each condition that the module does not meet; returns whether it meets all.
auto MeetsAssertions(const Module& module, const ToolOptions& options, Reporter& reporter) -> bool;

}  // namespace relayopt
