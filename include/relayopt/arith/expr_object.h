// Expressions as objects: what symbolic extents and attributes of Relay hold. The reference tells them apart by
// identity, so that they are no interned terms; but they are of the same kinds as terms, and are read and made here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "relayopt/arith/prim_expr.h"
#include "relayopt/core/context.h"

namespace relayopt::arith {

// `tir.Add`: what the reference calls the class of such expressions.
auto TypeKey(PrimKind kind) -> std::string;

// What kind of expression the object is; none of other objects. `id` may be none.
auto KindOf(const Context& context, ObjectId id) -> std::optional<PrimKind>;

// The field of a node by its name: `a` and `b` of operators with two operands, `name` of variables. None where there is
// no such field.
auto FieldOf(const Context& context, ObjectId node, std::string_view name) -> ObjectId;

// An operator with two operands.
auto AddOperator(Context& context, PrimKind kind, DataType dtype, ObjectId a, ObjectId b) -> ObjectId;

}  // namespace relayopt::arith
