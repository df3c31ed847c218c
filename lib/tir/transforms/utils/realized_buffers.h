// Prepares buffers that T.realize makes for flattening.
#pragma once

#include <optional>

#include "relayopt/support/result.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// Gives each buffer that a T.realize makes its final form: the extents of the bounds as its shape, the strides that
// attributes buffer_dim_align ask for, the memory of the threads around it if it names none, and a small alignment if
// it is small. Indices count from the beginning of the bounds. What is realized for buffers of parameters is compared
// with their shapes. Returns nullopt if there is no T.realize.
//
//   for i in range(4):                            for i in range(4):
//       with T.realize(B[i * 2:i * 2 + 3], ""):       with T.realize(B_1[0:3], ""):
//           B[i * 2 + 1] = A[i]              ->           B_1[i * 2 + 1 - i * 2] = A[i]
auto LegalizeRealizedBuffers(const PrimFunc& func) -> Result<std::optional<PrimFunc>>;

}  // namespace relayopt::tir
