// Chains of calls of constants that take more bytes in a model than their result.
#pragma once

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Returns which calls to fold although their results are larger than their operands, because they are part of a chain
// of calls whose last result is not larger than its nodes and the constants that nothing else uses:
//
//   dense(w1: 8 KiB) -> relu (460 KiB) -> dense(w2: 32 KiB) -> 14 KiB        all three
auto ShrinkingCalls(const Function& function, const FoldOptions& options) -> SideTable<ExprId, bool>;

}  // namespace relayopt
