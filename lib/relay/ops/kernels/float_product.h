// Products of matrices of floats, in blocks that fit the caches and in the widest vectors that the processor has.
#pragma once

#include <functional>

#include "gemm.h"

namespace relayopt {

// Writes rows [k, k + depth) of columns [column, column + count) of a matrix to `to`, row by row, `step` elements from
// row to row. What lies between the rows stays as it is.
template <typename T>
using WriteColumns = std::function<void(int64_t k, int64_t depth, int64_t column, int64_t count, int64_t step, T* to)>;

// Each element of the result is the sum of its products in ascending order, rounded after every operation, as a plain
// loop computes it. Blocks and vectors only decide which elements are computed at the same time, so that neither the
// processor nor the number of threads shows in the result.
void MultiplyFloats(MatrixRef<const float> a, MatrixRef<const float> b, MatrixRef<float> result);
void MultiplyFloats(MatrixRef<const double> a, MatrixRef<const double> b, MatrixRef<double> result);

// The same for a right matrix that is made where it is needed, and is nowhere as a whole.
void MultiplyFloats(MatrixRef<const float> a, const WriteColumns<float>& b, MatrixRef<float> result);
void MultiplyFloats(MatrixRef<const double> a, const WriteColumns<double>& b, MatrixRef<double> result);

}  // namespace relayopt
