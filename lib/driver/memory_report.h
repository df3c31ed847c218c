// --mem-report: what a module holds in memory.
#pragma once

#include <string>

#include "relayopt/module/module.h"

namespace relayopt {

// Returns a table for people: the peak and the present memory of the process, the expressions of the module by kind,
// and what its context keeps.
auto MemoryReport(const Module& module) -> std::string;

}  // namespace relayopt
