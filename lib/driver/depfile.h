// --depfile: what a run has read, for make and Ninja.
#pragma once

#include <string>

#include "options.h"
#include "reporter.h"

namespace relayopt {

// Returns a rule that makes the output depend on every file that was read until now: input, pipelines, words of
// options, tensors, tables and plugins; empty without --depfile. A run may have no memory left when its output is
// written.
auto DependencyRule(const ToolOptions& options) -> std::string;

// Writes the file of --depfile, if there is one. Returns the exit status.
auto WriteDepfile(const ToolOptions& options, const std::string& rules, Reporter& reporter) -> int;

}  // namespace relayopt
