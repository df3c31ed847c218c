// Matrix products in blocks and vectors are those of a plain loop, bit for bit.
#include "lib/relay/ops/kernels/gemm.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "lib/check/random/random.h"
#include "relayopt/core/tensor.h"

namespace relayopt {

namespace {

template <typename T>
auto RandomMatrix(Random& random, int64_t elements) -> std::vector<T> {
  std::vector<T> matrix;
  for (int64_t i = 0; i < elements; ++i) matrix.push_back(static_cast<T>(random.Below(2000)) / T(997) - T(1));
  return matrix;
}

// The sum of products for one element, in order, each rounded before it is added.
template <typename T>
auto Expected(MatrixRef<const T> a, MatrixRef<const T> b, int64_t row, int64_t column) -> T {
  T sum = 0;
  for (int64_t k = 0; k < a.columns; ++k) {
    const T left = a.data[a.transposed ? k * a.stride + row : row * a.stride + k];
    const T right = b.data[b.transposed ? column * b.stride + k : k * b.stride + column];
    volatile T product = left * right;
    sum += product;
  }
  return sum;
}

// Whether all products of matrices of these extents are as expected, and nothing beside the result is written.
template <typename T>
auto IsExact(Random& random, int64_t rows, int64_t columns, int64_t depth) -> bool {
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      // Rows are longer than what they hold.
      constexpr int64_t kGap = 3;
      const int64_t a_stride = (left ? rows : depth) + kGap;
      const int64_t b_stride = (right ? depth : columns) + kGap;
      const auto a_data = RandomMatrix<T>(random, (left ? depth : rows) * a_stride);
      const auto b_data = RandomMatrix<T>(random, (right ? columns : depth) * b_stride);
      const MatrixRef<const T> a{a_data.data(), rows, depth, a_stride, left};
      const MatrixRef<const T> b{b_data.data(), depth, columns, b_stride, right};
      std::vector<T> result(static_cast<size_t>(rows * (columns + kGap)), T(77));
      MultiplyParallel<T>(a, b, {result.data(), rows, columns, columns + kGap});
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns + kGap; ++j) {
          const T expected = j < columns ? Expected(a, b, i, j) : T(77);
          if (result[static_cast<size_t>(i * (columns + kGap) + j)] != expected) return false;
        }
      }
    }
  }
  return true;
}

// Halves of all kinds: infinities, those that are no numbers, and those below the least normal one.
auto AnyHalves(Random& random, int64_t count) -> std::vector<Half> {
  std::vector<Half> halves(static_cast<size_t>(count));
  for (Half& half : halves) half.bits = static_cast<uint16_t>(random.Below(1 << 16));
  return halves;
}

// The sum of products for one element, each operation rounded to a half.
auto ExpectedHalf(MatrixRef<const Half> a, MatrixRef<const Half> b, int64_t row, int64_t column) -> Half {
  Half sum(0.0F);
  for (int64_t k = 0; k < a.columns; ++k) {
    const Half product(float{a.data[row * a.stride + k]} * float{b.data[k * b.stride + column]});
    sum = Half(float{sum} + float{product});
  }
  return sum;
}

}  // namespace

TEST_CASE("A product of float matrices is the sum of its products in order, whatever the extents", "[kernels]") {
  Random random(1);
  for (const int64_t rows : {1, 2, 5, 6, 7, 12, 13, 30, 131}) {
    for (const int64_t columns : {1, 7, 8, 16, 31, 32, 33, 65}) {
      for (const int64_t depth : {1, 3, 255, 257}) {
        INFO(rows << " x " << depth << " x " << columns);
        CHECK(IsExact<float>(random, rows, columns, depth));
        CHECK(IsExact<double>(random, rows, columns, depth));
      }
    }
  }
}

TEST_CASE("A product of halves is rounded after every operation, whatever its elements are", "[kernels]") {
  Random random(1);
  constexpr int64_t kRows = 40;
  constexpr int64_t kDepth = 3;
  for (const int64_t columns : {1, 7, 8, 31, 400}) {
    const std::vector<Half> a_data = AnyHalves(random, kRows * kDepth);
    const std::vector<Half> b_data = AnyHalves(random, kDepth * columns);
    const MatrixRef<const Half> a{a_data.data(), kRows, kDepth, kDepth};
    const MatrixRef<const Half> b{b_data.data(), kDepth, columns, columns};
    std::vector<Half> result(static_cast<size_t>(kRows * columns));
    MultiplyParallel<Half>(a, b, {result.data(), kRows, columns, columns});
    int64_t wrong = 0;
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const Half expected = ExpectedHalf(a, b, i, j);
        const Half actual = result[static_cast<size_t>(i * columns + j)];
        if (std::isnan(float{expected}) ? !std::isnan(float{actual}) : actual.bits != expected.bits) ++wrong;
      }
    }
    INFO(columns << " columns");
    CHECK(wrong == 0);
  }
}

TEST_CASE("A product of matrices without depth is zero", "[kernels]") {
  Random random(1);
  CHECK(IsExact<float>(random, 3, 20, 0));
  CHECK(IsExact<double>(random, 1, 5, 0));
}

}  // namespace relayopt
