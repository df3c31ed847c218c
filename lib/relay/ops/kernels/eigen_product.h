// Products of float matrices by Eigen. Only the files that implement them include Eigen, because it takes long to
// compile.
#pragma once

#include "gemm.h"

namespace relayopt {

// The product of matrices with at least one column and row each.
void EigenProduct(MatrixRef<const float> a, MatrixRef<const float> b, MatrixRef<float> result);
void EigenProduct(MatrixRef<const double> a, MatrixRef<const double> b, MatrixRef<double> result);

}  // namespace relayopt
