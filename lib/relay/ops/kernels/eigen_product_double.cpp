// Products of double matrices.
#include "eigen_matrix.h"

namespace relayopt {

void EigenProduct(MatrixRef<const double> a, MatrixRef<const double> b, MatrixRef<double> result) {
  ProductOf(a, b, result);
}

}  // namespace relayopt
