// Targets as objects, which functions and attributes of tensor programs hold.
#pragma once

#include "relayopt/core/context.h"
#include "relayopt/support/result.h"
#include "relayopt/target/target.h"

namespace relayopt::tir {

// The object of a target: a map of everything that Target::Export says, sorted by key.
auto AddTarget(Context& context, const Target& target) -> ObjectId;

// The target of an object: of a target's own, of a map, or of a string (see Target::Parse).
auto TargetOf(const Context& context, ObjectId from) -> Result<Target>;

// The object of the target of an object, with `host` (likewise an object) for its host unless that is none.
auto MakeTarget(Context& context, ObjectId from, ObjectId host) -> Result<ObjectId>;

}  // namespace relayopt::tir
