// The layouts follow from a few facts of the PTX ISA (chapter "Warp-level matrix instructions"). Threads 4g to 4g + 3
// have row g (and g + 8) of a, column g of b and row g of c. A register has as many elements as fit in; along k the
// four threads have one register each, then their next ones follow. In a with 16 rows, registers alternate between the
// upper and the lower 8 rows.
//
//   16 x 8 x 16 in float16, thread 5 (g = 1, second of its four):
//     a: rows 1, 9, 1, 9 of columns 2-3, 2-3, 10-11, 10-11     b: rows 2-3, 10-11 of column 1     c: rows 1, 9, columns
//     2-3
#include "lib/tir/eval/warp_matrix.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace relayopt::tir {

namespace {

struct TypeName {
  std::string_view name;
  DataType type;
};
constexpr TypeName kTypes[] = {
    {"int1", DataType::UInt(1)},          {".b1", DataType::UInt(1)},
    {"int4", DataType::Int(4)},           {".s4", DataType::Int(4)},
    {"uint4", DataType::UInt(4)},         {".u4", DataType::UInt(4)},
    {"int8", DataType::Int(8)},           {".s8", DataType::Int(8)},
    {"uint8", DataType::UInt(8)},         {".u8", DataType::UInt(8)},
    {"int32", DataType::Int(32)},         {".s32", DataType::Int(32)},
    {"float16", DataType::Float(16)},     {"fp16", DataType::Float(16)},
    {".f16", DataType::Float(16)},        {"float32", DataType::Float(32)},
    {"fp32", DataType::Float(32)},        {".f32", DataType::Float(32)},
    {"float64", DataType::Float(64)},     {"fp64", DataType::Float(64)},
    {".f64", DataType::Float(64)},        {"bfloat16", {TypeCode::kBFloat, 16, 1}},
    {"bf16", {TypeCode::kBFloat, 16, 1}},
};

auto TypeOf(std::string_view name) -> std::optional<DataType> {
  for (const TypeName& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

// The shapes of products, by the bits of an element of a.
struct Shape {
  int m, n, k;
  int bits;
  bool is_sparse = false;
};
constexpr Shape kShapes[] = {
    {8, 8, 4, 64},  {8, 8, 4, 16},   {16, 8, 8, 16},  {16, 8, 16, 16},       {16, 8, 4, 32},        {16, 8, 8, 32},
    {8, 8, 16, 8},  {16, 8, 16, 8},  {16, 8, 32, 8},  {8, 8, 32, 4},         {16, 8, 32, 4},        {16, 8, 64, 4},
    {8, 8, 128, 1}, {16, 8, 128, 1}, {16, 8, 256, 1}, {16, 8, 16, 16, true}, {16, 8, 32, 16, true},
};

auto ReadShape(std::string_view text, Mma& mma) -> bool {
  const auto number = [&](char letter, int& value) {
    if (!text.starts_with(letter)) return false;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    return true;
  };
  return number('m', mma.m) && number('n', mma.n) && number('k', mma.k) && text.empty();
}

// Whether elements of the types can be multiplied, and added to c. tf32 is the only float of 32 bits that can.
auto TypesFit(const Mma& mma, bool is_tf32) -> bool {
  if (mma.a.is_float()) {
    if (mma.b != mma.a || (mma.a.bits == 32) != is_tf32) return false;
    if (mma.a == DataType::Float(16)) return mma.c == DataType::Float(16) || mma.c == DataType::Float(32);
    return mma.c == DataType::Float(mma.a.bits == 64 ? 64 : 32) && !(mma.m == 8 && mma.a.bits == 16);
  }
  return mma.b.bits == mma.a.bits && !mma.b.is_float() && mma.c == DataType::Int(32);
}

// Elements in a register.
auto PerRegister(DataType type) -> int { return std::max(32 / static_cast<int>(type.bits), 1); }

// The position of a thread in its quad pair, eight threads that compute one product: threads 4p to 4p + 3 of a warp
// compute the upper half of product p, and threads 16 + 4p to 16 + 4p + 3 the lower half.
struct QuadPair {
  explicit QuadPair(int lane) : product(lane % 16 / 4), own(lane % 4), half(lane < 16 ? 0 : 4) {}
  int product;
  int own;
  int half;
};

}  // namespace

auto FindMma(const MmaNames& names, bool is_sparse, bool saturates) -> std::optional<Mma> {
  Mma mma{.saturates = saturates, .is_sparse = is_sparse};
  const bool is_tf32 = names.a == "tf32" && names.b == "tf32";
  const auto a = is_tf32 ? DataType::Float(32) : TypeOf(names.a);
  const auto b = is_tf32 ? DataType::Float(32) : TypeOf(names.b);
  const auto c = TypeOf(names.c);
  if (!a || !b || !c || !ReadShape(names.shape, mma)) return std::nullopt;
  mma.a = *a;
  mma.b = *b;
  mma.c = *c;
  const bool is_known = std::any_of(std::begin(kShapes), std::end(kShapes), [&](const Shape& shape) {
    return shape.m == mma.m && shape.n == mma.n && shape.k == mma.k && shape.bits == a->bits &&
           shape.is_sparse == is_sparse;
  });
  if (!is_known || !TypesFit(mma, is_tf32)) return std::nullopt;
  if (names.bits == "xor") mma.bits = Mma::Bits::kXor;
  if (names.bits == "and") mma.bits = Mma::Bits::kAnd;
  if ((mma.bits != Mma::Bits::kNone) != (a->bits == 1) || (!names.bits.empty() && a->bits != 1)) return std::nullopt;
  if (saturates && (a->is_float() || a->bits == 1)) return std::nullopt;
  const auto is_layout = [](std::string_view text) { return text == "row" || text == "col"; };
  if (!is_layout(names.a_layout) || !is_layout(names.b_layout)) return std::nullopt;
  mma.a_is_column = names.a_layout == "col";
  mma.b_is_column = names.b_layout == "col";
  if (mma.num_products() == 1 && (mma.a_is_column || !mma.b_is_column)) return std::nullopt;
  return mma;
}

auto CellOfA(const Mma& mma, int lane, int i) -> MatrixCell {
  if (mma.num_products() != 1) {
    const QuadPair pair(lane);
    return mma.a_is_column ? MatrixCell{pair.product, i + pair.half, pair.own}
                           : MatrixCell{pair.product, pair.own + pair.half, i};
  }
  const int elements = PerRegister(mma.a);
  const int reg = i / elements;
  const int halves = mma.m / 8;
  return {0, lane / 4 + reg % halves * 8, reg / halves * 4 * elements + lane % 4 * elements + i % elements};
}

auto CellOfB(const Mma& mma, int lane, int i) -> MatrixCell {
  if (mma.num_products() != 1) {
    const QuadPair pair(lane);
    return mma.b_is_column ? MatrixCell{pair.product, i, pair.own + pair.half}
                           : MatrixCell{pair.product, pair.own, i + pair.half};
  }
  const int elements = PerRegister(mma.b);
  return {0, i / elements * 4 * elements + lane % 4 * elements + i % elements, lane / 4};
}

auto CellOfC(const Mma& mma, int lane, int i) -> MatrixCell {
  if (mma.num_products() != 1) {
    const QuadPair pair(lane);
    if (mma.c.bits == 16) return {pair.product, pair.own + pair.half, i};
    return {pair.product, (pair.own & 1) + (i & 2) + pair.half, (i & 4) + (pair.own & 2) + (i & 1)};
  }
  return {0, lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

// A thread has two bits for each of 8 elements of row g in its lower half, of row g + 8 in the upper one. With 32
// columns two threads share a row.
auto MetadataOf(const Mma& mma, int row, int column) -> MetadataPlace {
  const int first = mma.k == 32 ? 2 * mma.selector : mma.selector;
  return {row % 8 * 4 + first + column / 8, row / 8 * 16 + column % 8 * 2};
}

}  // namespace relayopt::tir
