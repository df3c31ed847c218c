// Products of matrices of floats, in blocks that fit the caches and in the widest vectors that the processor has.
#pragma once

#include "gemm.h"

namespace relayopt {

// Each element of the result is the sum of its products in ascending order, rounded after every operation, as a plain
// loop computes it. Blocks and vectors only decide which elements are computed at the same time, so that neither the
// processor nor the number of threads shows in the result.
void MultiplyFloats(MatrixRef<const float> a, MatrixRef<const float> b, MatrixRef<float> result);
void MultiplyFloats(MatrixRef<const double> a, MatrixRef<const double> b, MatrixRef<double> result);

}  // namespace relayopt
