// Operations of all threads of a warp on matrices in their registers. Threads wait until the last one arrives.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "lib/tir/eval/machine.h"
#include "lib/tir/eval/machine_error.h"
#include "relayopt/tir/eval/diagnostics.h"

namespace relayopt::tir {

namespace {

// The matrices of one product, row by row.
struct Matrices {
  std::vector<uint64_t> a, b, c;
};

// Returns an element of d, rounded once.
auto Multiply(const Mma& mma, const Matrices& in, size_t row, size_t column) -> uint64_t {
  const auto k = static_cast<size_t>(mma.k);
  const auto n = static_cast<size_t>(mma.n);
  const uint64_t start = in.c[row * n + column];
  double real = std::bit_cast<double>(start);
  auto whole = static_cast<int64_t>(start);
  for (size_t i = 0; i < k; ++i) {
    const uint64_t a = in.a[row * k + i];
    const uint64_t b = in.b[i * n + column];
    if (mma.a.is_float())
      real = std::fma(std::bit_cast<double>(a), std::bit_cast<double>(b), real);
    else if (mma.bits == Mma::Bits::kXor)
      whole += static_cast<int64_t>(a ^ b);
    else
      whole += static_cast<int64_t>(a) * static_cast<int64_t>(b);
  }
  if (mma.a.is_float()) return std::bit_cast<uint64_t>(arith::RoundToType(mma.c, real));
  if (mma.saturates) whole = std::clamp<int64_t>(whole, INT32_MIN, INT32_MAX);
  return static_cast<uint64_t>(arith::WrapToType(mma.c, whole));
}

constexpr DataType kByte = DataType::UInt(8);

}  // namespace

auto Machine::ReadFragment(Strand& strand, const WarpOperand& from, DataType type, std::span<uint64_t> words) -> bool {
  const uint64_t pointer = strand.frame[from.pointer];
  const auto offset = static_cast<int64_t>(strand.frame[from.offset]);
  if (from.type.bits == type.bits) {
    for (size_t i = 0; i < words.size(); ++i) {
      if (!ReadElement(strand, type, pointer, offset + static_cast<int64_t>(i), words[i])) return false;
    }
    return true;
  }
  // Registers that are stored in memory of another type.
  std::vector<std::byte> bytes(words.size() * type.bits / 8);
  if (!ReadBytes(strand, pointer, offset * static_cast<int64_t>(from.type.bytes()), bytes)) return false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (type.bits >= 8) {
      words[i] = arith::LoadWord(type, &bytes[i * type.bytes()]);
    } else {
      const size_t bit = i * type.bits;
      words[i] = static_cast<uint64_t>(arith::WrapToType(type, static_cast<int64_t>(bytes[bit / 8]) >> bit % 8));
    }
  }
  return true;
}

auto Machine::ReadBytes(Strand& strand, uint64_t pointer, int64_t begin, std::span<std::byte> bytes) -> bool {
  for (size_t i = 0; i < bytes.size(); ++i) {
    uint64_t word = 0;
    if (!ReadElement(strand, kByte, pointer, begin + static_cast<int64_t>(i), word)) return false;
    bytes[i] = static_cast<std::byte>(word);
  }
  return true;
}

auto Machine::CallWarp(BlockState& block, std::span<const size_t> group) -> bool {
  Strand& first = block.strands[group[0]];
  const WarpCall& call = first.program->warp_calls[first.program->code[first.pc].a];
  if (group.size() != kWarpSize)
    return Error(
        first, diag::kNotEvaluated,
        fmt::format("a matrix instruction to which {} threads of a warp come, not all {},", group.size(), kWarpSize));
  switch (call.kind) {
    case WarpCall::Kind::kMultiply: return MultiplyInWarp(block, group, call);
    case WarpCall::Kind::kLoad: return LoadInWarp(block, group, call);
    case WarpCall::Kind::kLoadBytes: return LoadBytesInWarp(block, group, call);
    case WarpCall::Kind::kStore: return StoreInWarp(block, group, call);
  }
  return false;
}

// Operands: a, b, c and, for a sparse a, metadata.
auto Machine::MultiplyInWarp(BlockState& block, std::span<const size_t> group, const WarpCall& call) -> bool {
  const Mma& mma = call.mma;
  const auto m = static_cast<size_t>(mma.m), n = static_cast<size_t>(mma.n), k = static_cast<size_t>(mma.k);
  Matrices none{std::vector<uint64_t>(m * k), std::vector<uint64_t>(k * n), std::vector<uint64_t>(m * n)};
  std::vector<Matrices> in(static_cast<size_t>(mma.num_products()), none);
  std::vector<uint64_t> metadata(kWarpSize);
  if (mma.is_sparse) {
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      if (!ReadFragment(block.strands[group[lane]], call.operands[3], DataType::UInt(32), {&metadata[lane], 1}))
        return false;
    }
  }
  std::vector<uint64_t> words;
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    Strand& strand = block.strands[group[lane]];
    const auto number = static_cast<int>(lane);
    words.resize(static_cast<size_t>(mma.count_a()));
    if (!ReadFragment(strand, call.operands[0], mma.a, words)) return false;
    for (size_t i = 0; i < words.size(); ++i) {
      const MatrixCell cell = CellOfA(mma, number, static_cast<int>(i));
      auto column = static_cast<size_t>(cell.column);
      if (mma.is_sparse) {
        const MetadataPlace place = MetadataOf(mma, cell.row, cell.column);
        column = column / 2 * 4 + (metadata[static_cast<size_t>(place.lane)] >> place.shift & 3);
      }
      in[static_cast<size_t>(cell.product)].a[static_cast<size_t>(cell.row) * k + column] = words[i];
    }
    words.resize(static_cast<size_t>(mma.count_b()));
    if (!ReadFragment(strand, call.operands[1], mma.b, words)) return false;
    for (size_t i = 0; i < words.size(); ++i) {
      const MatrixCell cell = CellOfB(mma, number, static_cast<int>(i));
      in[static_cast<size_t>(cell.product)].b[static_cast<size_t>(cell.row) * n + static_cast<size_t>(cell.column)] =
          words[i];
    }
    words.resize(static_cast<size_t>(mma.count_c()));
    if (!ReadFragment(strand, call.operands[2], mma.c, words)) return false;
    for (size_t i = 0; i < words.size(); ++i) {
      const MatrixCell cell = CellOfC(mma, number, static_cast<int>(i));
      in[static_cast<size_t>(cell.product)].c[static_cast<size_t>(cell.row) * n + static_cast<size_t>(cell.column)] =
          words[i];
    }
  }
  const WarpOperand& to = call.operands[2];
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    Strand& strand = block.strands[group[lane]];
    for (int i = 0; i < mma.count_c(); ++i) {
      const MatrixCell cell = CellOfC(mma, static_cast<int>(lane), i);
      const uint64_t word = Multiply(mma, in[static_cast<size_t>(cell.product)], static_cast<size_t>(cell.row),
                                     static_cast<size_t>(cell.column));
      const auto offset = static_cast<int64_t>(strand.frame[to.offset]) + i;
      if (!WriteElement(strand, mma.c, strand.frame[to.pointer], offset, word)) return false;
    }
  }
  return true;
}

// ldmatrix: thread 8i + r points to row r of matrix i, 8 elements of 16 bits; register i of thread 4r + q gets elements
// 2q and 2q + 1 of that row, or of column r. Operands: registers, rows.
auto Machine::LoadInWarp(BlockState& block, std::span<const size_t> group, const WarpCall& call) -> bool {
  constexpr size_t kRow = 16;
  const WarpOperand& rows = call.operands[1];
  std::vector<std::byte> all(static_cast<size_t>(call.count) * 8 * kRow);
  for (size_t lane = 0; lane < static_cast<size_t>(call.count) * 8; ++lane) {
    Strand& strand = block.strands[group[lane]];
    const int64_t begin = static_cast<int64_t>(strand.frame[rows.offset]) * static_cast<int64_t>(rows.type.bytes());
    if ((Pointer::Of(strand.frame[rows.pointer]).offset + begin) % static_cast<int64_t>(kRow) != 0)
      return Error(strand, diag::kNotEvaluated, "a load of a row of a matrix that is not aligned to 16 bytes");
    if (!ReadBytes(strand, strand.frame[rows.pointer], begin, {&all[lane * kRow], kRow})) return false;
  }
  const WarpOperand& to = call.operands[0];
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    Strand& strand = block.strands[group[lane]];
    const int64_t begin = static_cast<int64_t>(strand.frame[to.offset]) * static_cast<int64_t>(to.type.bytes());
    for (size_t i = 0; i < static_cast<size_t>(call.count) * 4; ++i) {
      const size_t matrix = i / 4, element = lane % 4 * 2 + i % 4 / 2;
      const size_t row = call.is_transposed ? element : lane / 4;
      const size_t column = call.is_transposed ? lane / 4 : element;
      const auto byte = static_cast<uint64_t>(all[(matrix * 8 + row) * kRow + column * 2 + i % 2]);
      if (!WriteElement(strand, kByte, strand.frame[to.pointer], begin + static_cast<int64_t>(i), byte)) return false;
    }
  }
  return true;
}

// As TVM: a transposing load of bytes, which ldmatrix cannot do, is a loop over 16 elements; the offset is the number
// of elements from a row to the next one. Operands: registers, matrix.
auto Machine::LoadBytesInWarp(BlockState& block, std::span<const size_t> group, const WarpCall& call) -> bool {
  const WarpOperand& to = call.operands[0];
  const WarpOperand& from = call.operands[1];
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    Strand& strand = block.strands[group[lane]];
    const auto stride = static_cast<int64_t>(strand.frame[from.offset]);
    const auto number = static_cast<int64_t>(lane);
    for (int64_t i = 0; i < 16; ++i) {
      const int64_t row = i % 8 / 4 * 16 + number % 4 * 4 + i % 4;
      const int64_t column = number / 4 + i / 8 * 8;
      uint64_t byte = 0;
      if (!ReadElement(strand, kByte, strand.frame[from.pointer], row * stride + column, byte)) return false;
      const auto offset = static_cast<int64_t>(strand.frame[to.offset]) + i;
      if (!WriteElement(strand, kByte, strand.frame[to.pointer], offset, byte)) return false;
    }
  }
  return true;
}

// The c of two products of 16 x 8, side by side. Operands: registers, memory, both in elements of the call's type.
auto Machine::StoreInWarp(BlockState& block, std::span<const size_t> group, const WarpCall& call) -> bool {
  const WarpOperand& from = call.operands[0];
  const WarpOperand& to = call.operands[1];
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    Strand& strand = block.strands[group[lane]];
    uint64_t words[8];
    if (!ReadFragment(strand, from, call.mma.c, words)) return false;
    const auto stride = static_cast<int64_t>(strand.frame[to.offset]);
    for (int i = 0; i < 8; ++i) {
      const MatrixCell cell = CellOfC(call.mma, static_cast<int>(lane), i % 4);
      const int64_t at = cell.row * stride + cell.column + int64_t{i / 4} * 8;
      if (!WriteElement(strand, call.mma.c, strand.frame[to.pointer], at, words[i])) return false;
    }
  }
  return true;
}

}  // namespace relayopt::tir
