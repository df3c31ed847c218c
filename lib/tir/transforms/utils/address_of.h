// Addresses of elements, and the null pointer.
#pragma once

#include "relayopt/tir/ir/buffer.h"

namespace relayopt::tir {

// `address_of(buffer[offset])` of the element of this type, `offset` elements after the pointer variable `data`. The
// buffer is created for this: it has the name of the variable, the type of one lane and only the extent that is needed.
auto AddressOf(Tables& tables, PrimExpr data, DataType dtype, PrimExpr offset) -> PrimExpr;

// Returns the null pointer, `reinterpret("handle", 0)`.
auto NullHandle(Terms& terms) -> PrimExpr;

// Returns a literal as a pointer.
auto HandleOf(Terms& terms, uint64_t address) -> PrimExpr;

}  // namespace relayopt::tir
