// The remarks of FuseOps.
#pragma once

#include "fusion_groups.h"
#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"

namespace relayopt {

// Reports which operators have become one kernel, and for every other one why it is not fused with its users. Call it
// only if remarks are wanted.
void ReportFusion(const Module& module, GlobalId id, const Function& function, const FusionLimits& limits,
                  PassContext& context);

}  // namespace relayopt
