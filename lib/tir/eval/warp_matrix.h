// The matrix instructions of PTX, and which thread of a warp holds which elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "relayopt/core/data_type.h"

namespace relayopt::tir {

// d = a * b + c of matrices whose elements the threads of a warp have in registers of 32 bits (or 64, for float64). A
// thread's fragment is an array of elements, in the order of its registers and, in a register, from the low bits up.
struct Mma {
  enum class Bits : uint8_t { kNone, kXor, kAnd };
  int m = 0;
  int n = 0;
  int k = 0;
  // The type of the elements. tf32 is float32: the bits that hardware drops are not modelled.
  DataType a, b, c;
  // Only products of 8 x 8 x 4 in float16 have several layouts. A warp then computes four products.
  bool a_is_column = false;
  bool b_is_column = true;
  bool saturates = false;
  // For single bits: the operation whose set bits are counted.
  Bits bits = Bits::kNone;
  // For a sparse a: of each four elements in a row two are stored, at positions that the metadata gives.
  bool is_sparse = false;
  // The threads that hold the metadata.
  int selector = 0;

  auto num_products() const -> int { return m == 8 && k == 4 && a.bits == 16 ? 4 : 1; }
  // Elements per thread; for a sparse a, those that are stored.
  auto count_a() const -> int { return m * k * num_products() / (is_sparse ? 64 : 32); }
  auto count_b() const -> int { return k * n * num_products() / 32; }
  auto count_c() const -> int { return m * n * num_products() / 32; }
};

// The operands as PTX and TVM name them.
struct MmaNames {
  std::string_view shape;
  std::string_view a_layout, b_layout;
  std::string_view a, b, c;
  // `xor`, `and` or empty.
  std::string_view bits;
};
// Returns nothing if there is no such instruction.
auto FindMma(const MmaNames& names, bool is_sparse, bool saturates) -> std::optional<Mma>;

// An element of one of the products.
struct MatrixCell {
  int product = 0;
  int row = 0;
  int column = 0;
};
// Element i of the fragment of a thread, by its number in the warp; in a sparse a, the column counts those elements
// that are stored.
auto CellOfA(const Mma& mma, int lane, int i) -> MatrixCell;
auto CellOfB(const Mma& mma, int lane, int i) -> MatrixCell;
auto CellOfC(const Mma& mma, int lane, int i) -> MatrixCell;

// In a sparse a: the thread whose metadata give the position of the element, and where they do.
struct MetadataPlace {
  int lane = 0;
  int shift = 0;
};
auto MetadataOf(const Mma& mma, int row, int column) -> MetadataPlace;

}  // namespace relayopt::tir
