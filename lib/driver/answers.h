// Options that answer something instead of printing the module.
#pragma once

#include <optional>
#include <string>

#include "options.h"

namespace relayopt {

// The fault of a combination of options: two answers at once, an answer about several modules, or external constants
// for an answer that has none. Nothing when there is no fault.
auto CheckAnswers(const ToolOptions& options) -> std::optional<std::string>;

}  // namespace relayopt
