// The remarks of FuseOps.
#pragma once

#include "fusion_groups.h"
#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"

namespace relayopt {

// Reports which operators have become one kernel, and of every other one why it is not computed with what uses it.
// Only to be called where remarks are wanted.
void ReportFusion(const Module& module, GlobalId id, const Function& function, const FusionLimits& limits,
                  PassContext& context);

}  // namespace relayopt
