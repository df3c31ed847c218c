// Matrix products on raw elements.
#include "gemm.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "arrange.h"
#include "float_product.h"
#include "parallel.h"

namespace relayopt {

namespace {

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

// Rounds to float16 and back. Has no branches, so that it can be vectorized.
inline auto RoundedToHalf(float x) -> float {
  constexpr uint32_t kSign = 0x80000000;
  constexpr float kLeastNormal = 0x1p-14F;
  // Halfway from the largest float16 to what would come next.
  constexpr float kOverflow = 65520.0F;
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = bits & kSign;
  const float magnitude = std::bit_cast<float>(bits ^ sign);
  // Keeps ten bits of the fraction, ties to even.
  const float normal = std::bit_cast<float>(((bits ^ sign) + 0xfff + ((bits >> 13) & 1)) & ~uint32_t{0x1fff});
  // Below, rounds to multiples of 2^-24, the distance of floats in [0.5, 1).
  const float small = (magnitude + 0.5F) - 0.5F;
  const float finite = magnitude < kLeastNormal ? small : normal;
  const float rounded = magnitude >= kOverflow ? std::numeric_limits<float>::infinity() : finite;
  const float result = magnitude == magnitude ? rounded : magnitude;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(result) | sign);
}

// Returns the matrix as floats, row by row.
auto AsFloats(MatrixRef<const Half> m) -> std::vector<float> {
  std::vector<float> floats;
  floats.reserve(static_cast<size_t>(m.rows * m.columns));
  for (int64_t i = 0; i < m.rows; ++i) {
    for (int64_t k = 0; k < m.columns; ++k) {
      floats.push_back(m.transposed ? m.data[k * m.stride + i] : m.data[i * m.stride + k]);
    }
  }
  return floats;
}

// Adds `factor` times each element to a row, rounded to float16 after every operation.
[[gnu::always_inline]] inline void AddHalves(float factor, std::span<const float> from, std::span<float> row) {
  for (size_t j = 0; j < row.size(); ++j) row[j] = RoundedToHalf(row[j] + RoundedToHalf(factor * from[j]));
}

void AddHalvesHere(float factor, std::span<const float> from, std::span<float> row) { AddHalves(factor, from, row); }

#if defined(__x86_64__)
// The same in wider vectors.
__attribute__((target("avx2"))) void AddHalves32(float factor, std::span<const float> from, std::span<float> row) {
  AddHalves(factor, from, row);
}
#endif

// As MultiplyPlainly, in floats that are rounded after every operation.
void MultiplyHalves(MatrixRef<const Half> a, MatrixRef<const Half> b, MatrixRef<Half> result) {
  auto* add = AddHalvesHere;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) add = AddHalves32;
#endif
  const std::vector<float> left = AsFloats(a);
  const std::vector<float> right = AsFloats(b);
  const auto columns = static_cast<size_t>(result.columns);
  std::vector<float> row(columns);
  for (int64_t i = 0; i < result.rows; ++i) {
    std::fill(row.begin(), row.end(), 0.0F);
    for (int64_t k = 0; k < a.columns; ++k) {
      const float factor = left[static_cast<size_t>(i * a.columns + k)];
      add(factor, std::span(right).subspan(static_cast<size_t>(k) * columns, columns), row);
    }
    std::copy(row.begin(), row.end(), result.data + i * result.stride);
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
    MultiplyFloats(a, b, result);
  } else if constexpr (std::is_same_v<T, Half>) {
    MultiplyHalves(a, b, result);
  } else {
    MultiplyPlainly(a, b, result);
  }
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

// Instantiates the function for all element types.
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
