// Multiplies MatrixRefs with Eigen.
#pragma once

// Limits Eigen's stack buffers: threads may have small stacks.
#define EIGEN_STACK_ALLOCATION_LIMIT 16384
#include <Eigen/Core>

#include "eigen_product.h"

namespace relayopt {

template <typename T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The matrix as it is stored.
template <typename T>
auto Stored(MatrixRef<const T> m) {
  const int64_t rows = m.transposed ? m.columns : m.rows;
  const int64_t columns = m.transposed ? m.rows : m.columns;
  return Eigen::Map<const RowMajor<T>, 0, Eigen::OuterStride<>>(m.data, rows, columns, Eigen::OuterStride<>(m.stride));
}

template <typename T>
void ProductOf(MatrixRef<const T> a, MatrixRef<const T> b, MatrixRef<T> result) {
  Eigen::Map<RowMajor<T>, 0, Eigen::OuterStride<>> to(result.data, result.rows, result.columns,
                                                      Eigen::OuterStride<>(result.stride));
  const auto left = Stored(a);
  const auto right = Stored(b);
  if (a.transposed && b.transposed)
    to.noalias() = left.transpose() * right.transpose();
  else if (a.transposed)
    to.noalias() = left.transpose() * right;
  else if (b.transposed)
    to.noalias() = left * right.transpose();
  else
    to.noalias() = left * right;
}

}  // namespace relayopt
