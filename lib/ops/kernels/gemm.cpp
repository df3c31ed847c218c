// Matrix products on raw elements. The only file that sees Eigen.
#include "gemm.h"

// Stacks may be small: larger buffers come from the heap.
#define EIGEN_STACK_ALLOCATION_LIMIT 16384
#include <Eigen/Core>
#include <algorithm>

#include "arrange.h"
#include "parallel.h"

namespace relayopt {

namespace {

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
void MultiplyWithEigen(MatrixRef<const T> a, MatrixRef<const T> b, MatrixRef<T> result) {
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

template <typename T>
void MultiplyPlainly(MatrixRef<const T> a, MatrixRef<const T> b, MatrixRef<T> result) {
  const int64_t a_step = a.transposed ? a.stride : 1;
  const int64_t b_step = b.transposed ? 1 : b.stride;
  for (int64_t i = 0; i < result.rows; ++i) {
    T* row = result.data + i * result.stride;
    const T* left = a.data + i * (a.transposed ? 1 : a.stride);
    std::fill_n(row, result.columns, T(0));
    if (b.transposed) {
      for (int64_t j = 0; j < result.columns; ++j) {
        const T* right = b.data + j * b.stride;
        for (int64_t k = 0; k < a.columns; ++k) row[j] = Plus(row[j], Times(left[k * a_step], right[k]));
      }
    } else {
      for (int64_t k = 0; k < a.columns; ++k) {
        const T factor = left[k * a_step];
        const T* right = b.data + k * b_step;
        for (int64_t j = 0; j < result.columns; ++j) row[j] = Plus(row[j], Times(factor, right[j]));
      }
    }
  }
}

// The extents of the blocks that threads compute; the same for every number of threads.
constexpr int64_t kBlockRows = 128;
constexpr int64_t kBlockColumns = 512;

}  // namespace

template <typename T>
void Multiply(MatrixRef<const T> a, MatrixRef<const T> b, MatrixRef<T> result) {
  if (result.rows == 0 || result.columns == 0) return;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (a.columns != 0) return MultiplyWithEigen(a, b, result);
  }
  MultiplyPlainly(a, b, result);
}

template <typename T>
void MultiplyParallel(MatrixRef<const T> a, MatrixRef<const T> b, MatrixRef<T> result) {
  const int64_t down = (result.rows + kBlockRows - 1) / kBlockRows;
  const int64_t across = (result.columns + kBlockColumns - 1) / kBlockColumns;
  SplitWork(down * across, result.rows * result.columns * a.columns, [&](int64_t block) {
    const int64_t row = block / across * kBlockRows;
    const int64_t column = block % across * kBlockColumns;
    const int64_t rows = std::min(kBlockRows, result.rows - row);
    const int64_t columns = std::min(kBlockColumns, result.columns - column);
    Multiply<T>({a.data + row * (a.transposed ? 1 : a.stride), rows, a.columns, a.stride, a.transposed},
                {b.data + column * (b.transposed ? b.stride : 1), b.rows, columns, b.stride, b.transposed},
                {result.data + row * result.stride + column, rows, columns, result.stride});
  });
}

// For all element types.
#define RELAYOPT_GEMM(T)                                                           \
  template void Multiply<T>(MatrixRef<const T>, MatrixRef<const T>, MatrixRef<T>); \
  template void MultiplyParallel<T>(MatrixRef<const T>, MatrixRef<const T>, MatrixRef<T>)
RELAYOPT_GEMM(int8_t);
RELAYOPT_GEMM(int16_t);
RELAYOPT_GEMM(int32_t);
RELAYOPT_GEMM(int64_t);
RELAYOPT_GEMM(uint8_t);
RELAYOPT_GEMM(uint16_t);
RELAYOPT_GEMM(uint32_t);
RELAYOPT_GEMM(uint64_t);
RELAYOPT_GEMM(float);
RELAYOPT_GEMM(double);
RELAYOPT_GEMM(Half);
RELAYOPT_GEMM(BFloat);
#undef RELAYOPT_GEMM

}  // namespace relayopt
