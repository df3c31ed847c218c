// Rows of flags as options of CLI11.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "flags.h"

namespace relayopt {

// Adds the option that the row describes: its names, group, type, checks and what repeating it means. Parsing writes
// into the row's member of `options`.
auto AddOption(CLI::App& app, const FlagDef& flag, ToolOptions& options) -> CLI::Option*;

}  // namespace relayopt
