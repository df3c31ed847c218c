// Branches that Relax needs as separate functions.
#pragma once

#include "relayopt/module/module.h"

namespace relayopt::relax {

// TVM 0.27 plans the memory of a function as if both branches of an `if` ran: what follows, the other branch included,
// uses storage that the first branch would have allocated, and crashes where that branch was not taken. So branches
// that allocate become functions of the module, whose memory is planned by itself:
//
//   if (%c) { let %a = exp(%x); %a } else { %x }    =>    if (%c) { let %a = @main_branch0(%x); %a } else { %x }
//
// But where nothing is allocated afterwards, as in the last `if` of a loop. Functions are let chains (ToANormalForm).
// Whether there were such branches; types have to be inferred then.
auto OutlineBranches(Module& module) -> bool;

}  // namespace relayopt::relax
