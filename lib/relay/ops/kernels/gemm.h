// Matrix products on raw elements.
#pragma once

#include <cstdint>

namespace relayopt {

// A matrix of `rows` times `columns` elements, row-major with `stride` elements from row to row; when `transposed`, it
// is stored as its transpose.
template <typename T>
struct MatrixRef {
  T* data;
  int64_t rows;
  int64_t columns;
  int64_t stride;
  bool transposed = false;
};

// result = a * b, one product after the other, rounded or wrapped around after every operation. Runs on this thread.
template <typename T>
void Multiply(MatrixRef<const T> a, MatrixRef<const T> b, MatrixRef<T> result);

// The same, divided into blocks that several threads compute.
template <typename T>
void MultiplyParallel(MatrixRef<const T> a, MatrixRef<const T> b, MatrixRef<T> result);

}  // namespace relayopt
