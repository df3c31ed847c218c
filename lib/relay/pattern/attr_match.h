// Compares attributes with the values that a pattern requires.
#pragma once

#include "relayopt/relay/pattern/pattern.h"

namespace relayopt {

// Whether the field of a call's attributes has the value.
auto MatchesField(const Context& context, const RequiredAttr& value, const FieldInfo& field, const void* record)
    -> bool;
// Whether the attribute of a function has the value.
auto MatchesObject(const Context& context, const RequiredAttr& value, ObjectId object) -> bool;
// Whether a map of attributes has the required one.
auto MatchesEntry(const Context& context, const RequiredAttr& value, ObjectId map) -> bool;
// Whether an operator has the registered attribute.
auto MatchesOp(const RequiredAttr& value, const OpDef& op) -> bool;

}  // namespace relayopt
