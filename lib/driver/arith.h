// --arith: terms of integers, simplified.
#pragma once

#include <optional>
#include <string>

#include "options.h"
#include "reporter.h"

namespace relayopt {

// The simplified term and the rules that were used, a line each. Nothing after an error, which is reported with its
// place in the option's text.
auto ArithText(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string>;

}  // namespace relayopt
