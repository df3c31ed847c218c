// Targets as objects, for the attributes of tensor programs.
#pragma once

#include "relayopt/core/context.h"
#include "relayopt/support/result.h"
#include "relayopt/target/target.h"

namespace relayopt::tir {

// Makes the object of a target: a map with everything that Target::Export returns, sorted by key.
auto AddTarget(Context& context, const Target& target) -> ObjectId;

// Returns the target of an object, which is the object of a target, a map, or a string (see Target::Parse).
auto TargetOf(const Context& context, ObjectId from) -> Result<Target>;

// Returns the object of the target in `from`, with the target in `host` as its host, unless `host` is invalid.
auto MakeTarget(Context& context, ObjectId from, ObjectId host) -> Result<ObjectId>;

}  // namespace relayopt::tir
