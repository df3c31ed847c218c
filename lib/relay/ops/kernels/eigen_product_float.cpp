// Products of float matrices.
#include "eigen_matrix.h"

namespace relayopt {

void EigenProduct(MatrixRef<const float> a, MatrixRef<const float> b, MatrixRef<float> result) {
  ProductOf(a, b, result);
}

}  // namespace relayopt
