// Products of matrices of floats.
//
// The depth is cut into slices. For a slice, both matrices are copied into panels: a few rows of the left one, a few
// columns of the right one, element by element in the order in which they are needed. A tile of the result, one panel
// of each, stays in registers while the slice is added to it:
//
//             columns 0..15   16..31           for each k of the slice:
//   rows 0..5   tile (0, 0)   tile (0, 1)        the tile += column k of its left panel * row k of its right panel
//   rows 6..11  tile (1, 0)   tile (1, 1)
//
// A tile at the edge is computed whole, beside the result, with zeros for what is missing. Every element starts from 0
// and gets its products one by one, in order; a product is rounded before it is added, also by processors that could do
// both at once.
#include "float_product.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace relayopt {

namespace {

// Elements of the depth in a slice: panels of this depth fit the first-level cache.
constexpr int64_t kSlice = 256;

// Elements of the right matrix that a product with one row copies at a time, which fit that cache, too.
constexpr int64_t kStrip = 4096;

// Adds the products of a slice to a tile of `kRows` rows and two vectors of BYTES. `left` holds kRows elements for each
// k, `right` two vectors, every `step` elements. A product passes through a register of its own, which keeps the
// compiler from fusing it with the sum.
// Each kind of processor has a function of its own, because vectors of a size that a function may not use are split
// before it is inlined elsewhere.
#define RELAYOPT_TILE(NAME, BYTES, ATTRIBUTES, REGISTER)                                                      \
  template <typename T, int kRows>                                                                            \
  ATTRIBUTES void NAME(const T* left, const T* right, int64_t step, int64_t depth, T* tile, int64_t stride) { \
    typedef T Vector __attribute__((vector_size(BYTES), aligned(alignof(T)), may_alias));                     \
    constexpr int kWidth = BYTES / sizeof(T);                                                                 \
    Vector sums[kRows][2];                                                                                    \
    _Pragma("GCC unroll 16") for (int i = 0; i < kRows; ++i) {                                                \
      sums[i][0] = *reinterpret_cast<const Vector*>(tile + i * stride);                                       \
      sums[i][1] = *reinterpret_cast<const Vector*>(tile + i * stride + kWidth);                              \
    }                                                                                                         \
    for (int64_t k = 0; k < depth; ++k, left += kRows, right += step) {                                       \
      const Vector first = *reinterpret_cast<const Vector*>(right);                                           \
      const Vector second = *reinterpret_cast<const Vector*>(right + kWidth);                                 \
      _Pragma("GCC unroll 16") for (int i = 0; i < kRows; ++i) {                                              \
        Vector product = first * left[i];                                                                     \
        __asm__("" : "+" REGISTER(product));                                                                  \
        sums[i][0] += product;                                                                                \
        product = second * left[i];                                                                           \
        __asm__("" : "+" REGISTER(product));                                                                  \
        sums[i][1] += product;                                                                                \
      }                                                                                                       \
    }                                                                                                         \
    _Pragma("GCC unroll 16") for (int i = 0; i < kRows; ++i) {                                                \
      *reinterpret_cast<Vector*>(tile + i * stride) = sums[i][0];                                             \
      *reinterpret_cast<Vector*>(tile + i * stride + kWidth) = sums[i][1];                                    \
    }                                                                                                         \
  }

#if defined(__x86_64__)
RELAYOPT_TILE(AddTile16, 16, , "x")
RELAYOPT_TILE(AddTile32, 32, __attribute__((target("avx2"))), "x")
RELAYOPT_TILE(AddTile64, 64, __attribute__((target("avx512f"))), "v")
#elif defined(__aarch64__)
RELAYOPT_TILE(AddTile16, 16, , "w")
#else
// Such a register does not exist everywhere; memory does.
RELAYOPT_TILE(AddTile16, 16, , "m")
#endif
#undef RELAYOPT_TILE

// How tiles are computed on this processor.
template <typename T>
struct Tiles {
  void (*add)(const T* left, const T* right, int64_t step, int64_t depth, T* tile, int64_t stride);
  int64_t rows;
  int64_t columns;
};

constexpr int64_t kMostTileElements = int64_t{12} * 2 * 64;

// Those of matrices with one row, or with several.
template <typename T, bool kOneRow>
auto TilesHere() -> Tiles<T> {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {AddTile64 < T, kOneRow ? 1 : 12 >, kOneRow ? 1 : 12, int64_t{2} * 64 / kSize};
  if (__builtin_cpu_supports("avx2"))
    return {AddTile32 < T, kOneRow ? 1 : 6 >, kOneRow ? 1 : 6, int64_t{2} * 32 / kSize};
#endif
  return {AddTile16 < T, kOneRow ? 1 : 6 >, kOneRow ? 1 : 6, int64_t{2} * 16 / kSize};
}

// Copies `depth` columns of `count` rows of a matrix from (row, k) on into a panel: for each column `width` elements,
// the last of which are 0.
template <typename T>
void Pack(MatrixRef<const T> m, int64_t row, int64_t count, int64_t k, int64_t depth, int64_t width, T* panel) {
  const int64_t row_step = m.transposed ? 1 : m.stride;
  const int64_t column_step = m.transposed ? m.stride : 1;
  const T* from = m.data + row * row_step + k * column_step;
  if (row_step == 1) {
    for (int64_t j = 0; j < depth; ++j, from += column_step, panel += width) {
      std::memcpy(panel, from, static_cast<size_t>(count) * sizeof(T));
      std::fill(panel + count, panel + width, T(0));
    }
    return;
  }
  if (count < width) std::fill_n(panel, depth * width, T(0));
  // A few columns at a time, so that what is written stays in the cache.
  constexpr int64_t kFew = 8;
  for (int64_t j = 0; j < depth; j += kFew, from += kFew * column_step, panel += kFew * width) {
    const int64_t few = std::min(kFew, depth - j);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t n = 0; n < few; ++n) panel[n * width + i] = from[i * row_step + n * column_step];
    }
  }
}

template <typename T>
auto PanelsOf(int64_t count, int64_t width, int64_t depth) -> std::unique_ptr<T[]> {
  return std::make_unique_for_overwrite<T[]>(static_cast<size_t>((count + width - 1) / width * width * depth));
}

// Computes the tile at (row, column) of the result beside it, where it is not whole.
template <typename T>
void AddEdge(const Tiles<T>& tiles, const T* left, const T* right, int64_t depth, MatrixRef<T> part) {
  std::array<T, kMostTileElements / sizeof(T)> whole;
  std::fill_n(whole.data(), tiles.rows * tiles.columns, T(0));
  const size_t bytes = static_cast<size_t>(part.columns) * sizeof(T);
  for (int64_t i = 0; i < part.rows; ++i)
    std::memcpy(whole.data() + i * tiles.columns, part.data + i * part.stride, bytes);
  tiles.add(left, right, tiles.columns, depth, whole.data(), tiles.columns);
  for (int64_t i = 0; i < part.rows; ++i)
    std::memcpy(part.data + i * part.stride, whole.data() + i * tiles.columns, bytes);
}

// The right matrix of a product, if it is in memory.
template <typename T>
struct StoredColumns {
  MatrixRef<const T> matrix;

  void Write(int64_t k, int64_t depth, int64_t column, int64_t count, int64_t step, T* to) const {
    Pack<T>({matrix.data, matrix.columns, matrix.rows, matrix.stride, !matrix.transposed}, column, count, k, depth,
            step, to);
  }
  // Returns where row k of the columns from `column` on is, and sets `step` to the distance of rows. A copy is made in
  // `buffer` where it is needed: in a product with one row each element is used once.
  auto Rows(int64_t k, int64_t depth, int64_t column, int64_t count, T* buffer, int64_t& step) const -> const T* {
    step = matrix.transposed ? count : matrix.stride;
    if (!matrix.transposed) return matrix.data + k * matrix.stride + column;
    Write(k, depth, column, count, step, buffer);
    return buffer;
  }
};

// The same, if it is made where it is needed.
template <typename T>
struct WrittenColumns {
  const WriteColumns<T>& write;

  void Write(int64_t k, int64_t depth, int64_t column, int64_t count, int64_t step, T* to) const {
    write(k, depth, column, count, step, to);
  }
  auto Rows(int64_t k, int64_t depth, int64_t column, int64_t count, T* buffer, int64_t& step) const -> const T* {
    step = count;
    write(k, depth, column, count, step, buffer);
    return buffer;
  }
};

// Writes a panel of `width` columns, of which `count` are in the matrix.
template <typename T, typename Columns>
void WritePanel(const Columns& b, int64_t k, int64_t depth, int64_t column, int64_t count, int64_t width, T* panel) {
  if (count < width) std::fill_n(panel, depth * width, T(0));
  b.Write(k, depth, column, count, width, panel);
}

// A product with several rows.
template <typename T, typename Columns>
void MultiplyInTiles(MatrixRef<const T> a, const Columns& b, MatrixRef<T> result) {
  static const Tiles<T> tiles = TilesHere<T, false>();
  const int64_t most = std::min(kSlice, a.columns);
  const std::unique_ptr<T[]> left = PanelsOf<T>(result.rows, tiles.rows, most);
  const std::unique_ptr<T[]> right = PanelsOf<T>(1, tiles.columns, most);
  for (int64_t k = 0; k < a.columns; k += kSlice) {
    const int64_t depth = std::min(kSlice, a.columns - k);
    for (int64_t i = 0; i < result.rows; i += tiles.rows)
      Pack(a, i, std::min(tiles.rows, result.rows - i), k, depth, tiles.rows, left.get() + i * depth);
    for (int64_t j = 0; j < result.columns; j += tiles.columns) {
      const int64_t width = std::min(tiles.columns, result.columns - j);
      WritePanel(b, k, depth, j, width, tiles.columns, right.get());
      for (int64_t i = 0; i < result.rows; i += tiles.rows) {
        const int64_t height = std::min(tiles.rows, result.rows - i);
        T* const at = result.data + i * result.stride + j;
        if (height == tiles.rows && width == tiles.columns)
          tiles.add(left.get() + i * depth, right.get(), tiles.columns, depth, at, result.stride);
        else
          AddEdge(tiles, left.get() + i * depth, right.get(), depth, MatrixRef<T>{at, height, width, result.stride});
      }
    }
  }
}

// A product with one row: its columns are used once each, and are read in strips of several tiles.
template <typename T, typename Columns>
void MultiplyRow(MatrixRef<const T> a, const Columns& b, MatrixRef<T> result) {
  static const Tiles<T> tiles = TilesHere<T, true>();
  const int64_t most = std::min(kSlice, a.columns);
  const int64_t strip = std::max<int64_t>(1, kStrip / std::max<int64_t>(most, 1) / tiles.columns) * tiles.columns;
  const std::unique_ptr<T[]> left = PanelsOf<T>(1, 1, most);
  const std::unique_ptr<T[]> right = PanelsOf<T>(1, std::min(strip, result.columns + tiles.columns), most);
  for (int64_t k = 0; k < a.columns; k += kSlice) {
    const int64_t depth = std::min(kSlice, a.columns - k);
    Pack(a, 0, 1, k, depth, 1, left.get());
    for (int64_t j = 0; j < result.columns; j += strip) {
      const int64_t count = std::min(strip, result.columns - j);
      const int64_t whole = count / tiles.columns * tiles.columns;
      int64_t step = 0;
      const T* const rows = whole == 0 ? nullptr : b.Rows(k, depth, j, whole, right.get(), step);
      for (int64_t tile = 0; tile < whole; tile += tiles.columns)
        tiles.add(left.get(), rows + tile, step, depth, result.data + j + tile, result.stride);
      if (whole == count) continue;
      WritePanel(b, k, depth, j + whole, count - whole, tiles.columns, right.get());
      AddEdge(tiles, left.get(), right.get(), depth,
              MatrixRef<T>{result.data + j + whole, 1, count - whole, result.stride});
    }
  }
}

template <typename T, typename Columns>
void MultiplyColumns(MatrixRef<const T> a, const Columns& b, MatrixRef<T> result) {
  for (int64_t i = 0; i < result.rows; ++i) std::fill_n(result.data + i * result.stride, result.columns, T(0));
  if (result.rows == 1)
    MultiplyRow(a, b, result);
  else
    MultiplyInTiles(a, b, result);
}

}  // namespace

void MultiplyFloats(MatrixRef<const float> a, MatrixRef<const float> b, MatrixRef<float> result) {
  MultiplyColumns(a, StoredColumns<float>{b}, result);
}

void MultiplyFloats(MatrixRef<const double> a, MatrixRef<const double> b, MatrixRef<double> result) {
  MultiplyColumns(a, StoredColumns<double>{b}, result);
}

void MultiplyFloats(MatrixRef<const float> a, const WriteColumns<float>& b, MatrixRef<float> result) {
  MultiplyColumns(a, WrittenColumns<float>{b}, result);
}

void MultiplyFloats(MatrixRef<const double> a, const WriteColumns<double>& b, MatrixRef<double> result) {
  MultiplyColumns(a, WrittenColumns<double>{b}, result);
}

}  // namespace relayopt
