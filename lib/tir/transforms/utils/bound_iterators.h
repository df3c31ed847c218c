// The ranges of the variables that statements iterate.
#pragma once

#include "relayopt/arith/analyzer.h"
#include "relayopt/tir/ir/stmt.h"

namespace relayopt::tir {

// Tells the analyzer the ranges of the variables of a loop, of the axes of a block, or of a thread that is launched.
// Other statements have none.
void BindIterators(arith::Analyzer& analyzer, const Tables& tables, Stmt stmt);

}  // namespace relayopt::tir
