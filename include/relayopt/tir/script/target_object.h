// Targets as TVMScript writes them: maps that name a kind.
#pragma once

#include <string>

#include "relayopt/core/context.h"

namespace relayopt::tir {

// The target object of a map or of a string `kind -option=value ...`; what the map leaves out is filled in from the
// defaults of its kind. `host` may be none. None, with the reason in `fault`, when it is no target.
auto MakeTarget(Context& context, ObjectId from, ObjectId host, std::string& fault) -> ObjectId;

}  // namespace relayopt::tir
