// Fragments of matrices. In hardware, a warp holds a fragment together; here each thread holds all of it and computes
// the whole operation, which gives the same result.
#include "lib/tir/eval/machine.h"
#include "lib/tir/eval/machine_error.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt::tir {

namespace {

// Fragments are small.
constexpr int64_t kMostElements = 1 << 16;

struct Extents {
  int64_t rows;
  int64_t columns;
};

// Rows and columns of a, b or c in c += a * b.
auto ExtentsOf(const std::array<int64_t, 3>& product, int64_t matrix) -> Extents {
  const auto [m, n, k] = product;
  return matrix == 0 ? Extents{m, k} : matrix == 1 ? Extents{k, n} : Extents{m, n};
}

auto IsProduct(const std::array<int64_t, 3>& product) -> bool {
  const auto [m, n, k] = product;
  constexpr int64_t kMost = 256;
  return m > 0 && n > 0 && k > 0 && m <= kMost && n <= kMost && k <= kMost && m * n <= kMostElements;
}

}  // namespace

auto Machine::ReadElement(Strand& strand, DataType type, uint64_t pointer, int64_t element, uint64_t& word) -> bool {
  const Instr one{OpCode::kLoad, type, 0, 0, 0, 1};
  size_t begin = 0;
  Memory* memory = Touch(strand, one, pointer, element, begin);
  if (memory == nullptr || !NoteRead(strand, one, *memory, begin, begin + type.bytes())) return false;
  word = arith::LoadWord(type, &memory->bytes[begin]);
  return true;
}

auto Machine::WriteElement(Strand& strand, DataType type, uint64_t pointer, int64_t element, uint64_t word) -> bool {
  const Instr one{OpCode::kStore, type, 0, 0, 0, 1};
  size_t begin = 0;
  Memory* memory = Touch(strand, one, pointer, element, begin);
  if (memory == nullptr) return false;
  if (memory->is_constant) return Error(strand, diag::kNotEvaluated, "a store to constant memory");
  return PutElement(strand, one, *memory, begin, word);
}

// Fill: fragment, m, n, k, index, value, matrix, column. Load and store: fragment, m, n, k, index, pointer, stride,
// matrix, column.
auto Machine::CallMatrix(Strand& strand, const CallSite& call) -> bool {
  if (call.matrix == MatrixCall::kMultiply) return MultiplyMatrices(strand, call);
  const auto arg = [&](size_t i) { return static_cast<int64_t>(strand.frame[call.args[i]]); };
  const std::array<int64_t, 3> product = {arg(1), arg(2), arg(3)};
  if (!IsProduct(product)) return Error(strand, diag::kNotEvaluated, "a fragment of that size");
  const uint64_t fragment = strand.frame[call.args[0]];
  const size_t count = call.args.size();
  const Extents extents = ExtentsOf(product, arg(count - 2));
  const bool is_column = arg(count - 1) != 0;
  const int64_t first = arg(4) * extents.rows * extents.columns;
  const bool fills = call.matrix == MatrixCall::kFill;
  const uint64_t other = strand.frame[call.args[5]];
  for (int64_t row = 0; row < extents.rows; ++row) {
    for (int64_t column = 0; column < extents.columns; ++column) {
      const int64_t here = first + row * extents.columns + column;
      const int64_t there = fills ? 0 : is_column ? column * arg(6) + row : row * arg(6) + column;
      uint64_t word = other;
      if (call.matrix == MatrixCall::kStore) {
        if (!ReadElement(strand, call.types[0], fragment, here, word)) return false;
        if (!WriteElement(strand, call.types[5], other, there, word)) return false;
        continue;
      }
      if (!fills && !ReadElement(strand, call.types[5], other, there, word)) return false;
      if (!WriteElement(strand, call.types[0], fragment, here, word)) return false;
    }
  }
  memory_[Pointer::Of(fragment).memory].product = product;
  return true;
}

// d, its index, a, its index, b, its index, c, its index: d = a * b + c, rounded once.
auto Machine::MultiplyMatrices(Strand& strand, const CallSite& call) -> bool {
  std::array<uint64_t, 4> at = {};
  std::array<int64_t, 4> index = {};
  for (size_t i = 0; i < at.size(); ++i) {
    at[i] = strand.frame[call.args[2 * i]];
    index[i] = static_cast<int64_t>(strand.frame[call.args[2 * i + 1]]);
    const uint32_t memory = Pointer::Of(at[i]).memory;
    if (memory == 0 || memory >= memory_.size() || !memory_[memory].is_live)
      return Error(strand, diag::kNotEvaluated, "an access by a pointer to no memory");
  }
  const auto& product = memory_[Pointer::Of(at[1]).memory].product;
  if (!IsProduct(product) || product != memory_[Pointer::Of(at[2]).memory].product)
    return Error(strand, diag::kNotEvaluated, "a product of fragments that nothing filled");
  const auto [m, n, k] = product;
  const DataType type = call.types[0];
  std::vector<uint64_t> made;
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t column = 0; column < n; ++column) {
      uint64_t word = 0;
      if (!ReadElement(strand, call.types[6], at[3], index[3] * m * n + row * n + column, word)) return false;
      double real = std::bit_cast<double>(word);
      for (int64_t i = 0; i < k; ++i) {
        uint64_t a = 0, b = 0;
        if (!ReadElement(strand, call.types[2], at[1], index[1] * m * k + row * k + i, a)) return false;
        if (!ReadElement(strand, call.types[4], at[2], index[2] * k * n + i * n + column, b)) return false;
        real += std::bit_cast<double>(a) * std::bit_cast<double>(b);
        word += a * b;
      }
      made.push_back(type.is_float() ? std::bit_cast<uint64_t>(arith::RoundToType(type, real))
                                     : static_cast<uint64_t>(arith::WrapToType(type, static_cast<int64_t>(word))));
    }
  }
  for (int64_t i = 0; i < m * n; ++i) {
    if (!WriteElement(strand, type, at[0], index[0] * m * n + i, made[static_cast<size_t>(i)])) return false;
  }
  memory_[Pointer::Of(at[0]).memory].product = product;
  return true;
}

}  // namespace relayopt::tir
