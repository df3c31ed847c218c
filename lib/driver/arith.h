// --arith: terms of integers, simplified.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "flags.h"
#include "options.h"
#include "reporter.h"

namespace relayopt {

auto ArithFlags() -> std::span<const FlagDef>;

auto WantsArith(const ToolOptions& options) -> bool;

// Returns the simplified term and the rules that were used, a line each. Returns nothing after an error, which is
// reported with its position in the option's text.
auto ArithText(const ToolOptions& options, Reporter& reporter) -> std::optional<std::string>;

}  // namespace relayopt
