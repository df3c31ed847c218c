// Matrix products of tensors.
#pragma once

#include <optional>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// Returns the product of `a` (batch axes, rows, depth) and the matrix `b` (depth, columns), each transposed or not,
// computed in the element type of the result of the call, whose shape it has. Returns nothing, with the error reported,
// if extents do not match.
auto Product2D(KernelContext& kernel, const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b)
    -> std::optional<Tensor>;

// Returns the products of the pairs of matrices in two batches; a batch of one matrix is paired with every other.
auto BatchProduct(KernelContext& kernel, const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b)
    -> std::optional<Tensor>;

}  // namespace relayopt
