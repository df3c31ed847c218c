// Expressions as objects, as symbolic extents and attributes of Relay contain them. TVM distinguishes them by
// identity, which is why they are not interned terms; but they have the same kinds as terms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "relayopt/arith/prim_expr.h"
#include "relayopt/core/context.h"

namespace relayopt::arith {

// TVM's type key of such expressions: `tir.Add`.
auto TypeKey(PrimKind kind) -> std::string;

// Returns the kind of expression that the object is, or nothing for other objects and an invalid id.
auto KindOf(const Context& context, ObjectId id) -> std::optional<PrimKind>;

// Returns the field of a node with this name: `a` and `b` of binary operators, `name` of variables. Returns invalid if
// there is no such field.
auto FieldOf(const Context& context, ObjectId node, std::string_view name) -> ObjectId;

// Makes a binary operator.
auto AddOperator(Context& context, PrimKind kind, DataType dtype, ObjectId a, ObjectId b) -> ObjectId;

}  // namespace relayopt::arith
