// Options that answer something instead of printing the module.
#pragma once

#include <optional>
#include <string>

#include "options.h"

namespace relayopt {

// What is wrong with the options as a whole: two answers at once, an answer about several modules, or constants beside
// an answer that has none. Nothing when all is well.
auto CheckAnswers(const ToolOptions& options) -> std::optional<std::string>;

}  // namespace relayopt
