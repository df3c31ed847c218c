// Loops over tensors that kernels share.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "relayopt/relay/ops/kernel.h"

namespace relayopt {

// Distances between neighbours along each axis of a row-major tensor, in elements.
auto RowMajorStrides(std::span<const int64_t> shape) -> std::vector<int64_t>;

// Whether a tensor of shape `from` can be broadcast to shape `to`.
auto BroadcastsTo(std::span<const int64_t> from, std::span<const int64_t> to) -> bool;

// Returns the strides with which a tensor of shape `from` is read to fill one of shape `to`: aligned from the right, 0
// along axes that are missing or of extent 1.
auto BroadcastStrides(std::span<const int64_t> from, std::span<const int64_t> to) -> std::vector<int64_t>;

// A walk over `shape` in row-major order that reads each of N operands with strides of its own, row by row. Trailing
// axes through which every operand steps evenly form one row: a tensor and a scalar are one row. All kernels share this
// code; only the loop over a row is instantiated for each of them.
template <size_t N>
class StridedRows {
 public:
  using Offsets = std::array<int64_t, N>;

  // `strides` are those of each operand along the axes of `shape`, in elements; `start` is where the operands begin.
  StridedRows(std::span<const int64_t> shape, const std::array<std::vector<int64_t>, N>& strides,
              const Offsets& start = {});

  // The number of elements of a row, and each operand's stride within a row.
  auto length() const -> int64_t { return length_; }
  auto step() const -> const Offsets& { return step_; }
  // Returns where the current row begins in each operand. Valid while there is a current row.
  auto at() const -> const Offsets& { return at_; }
  auto done() const -> bool { return done_; }
  void Next();

 private:
  // The axes around a row, outermost first.
  std::vector<int64_t> shape_;
  std::vector<Offsets> strides_;
  std::vector<int64_t> position_;
  int64_t length_ = 1;
  Offsets step_{};
  Offsets at_;
  bool done_ = false;
};

extern template class StridedRows<1>;
extern template class StridedRows<2>;
extern template class StridedRows<3>;

// The walk of StridedRows, element by element:
//
//   for each element of `shape` in row-major order: body(index, offsets)
//
// where `index` counts 0, 1, 2..., and `offsets[k]` is where operand k is read.
template <size_t N, typename Body>
void ForEachElement(std::span<const int64_t> shape, const std::array<std::vector<int64_t>, N>& strides,
                    const std::array<int64_t, N>& start, Body body) {
  int64_t index = 0;
  for (StridedRows<N> rows(shape, strides, start); !rows.done(); rows.Next()) {
    std::array<int64_t, N> at = rows.at();
    const std::array<int64_t, N> step = rows.step();
    for (const int64_t end = index + rows.length(); index < end; ++index) {
      body(index, at);
      for (size_t k = 0; k < N; ++k) at[k] += step[k];
    }
  }
}

// result[i] = f(data[i]).
template <typename A, typename R, typename F>
void Map(const Tensor& data, Tensor& result, F f) {
  const A* from = data.data<A>();
  R* to = result.mutable_data<R>();
  for (int64_t i = 0; i < data.size(); ++i) to[i] = R(f(from[i]));
}

// to[i] = f(x[i * x_step], y[i * y_step]), with loops of their own for steps of 0 and 1, which can use vectors.
template <typename A, typename B, typename R, typename F>
void MapRow(const A* x, int64_t x_step, const B* y, int64_t y_step, int64_t count, R* to, F f) {
  if (x_step == 1 && y_step == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = R(f(x[i], y[i]));
  } else if (x_step == 1 && y_step == 0) {
    const B right = *y;
    for (int64_t i = 0; i < count; ++i) to[i] = R(f(x[i], right));
  } else if (x_step == 0 && y_step == 1) {
    const A left = *x;
    for (int64_t i = 0; i < count; ++i) to[i] = R(f(left, y[i]));
  } else {
    for (int64_t i = 0; i < count; ++i, x += x_step, y += y_step) to[i] = R(f(*x, *y));
  }
}

// result[...] = f(a[...], b[...]) with both operands broadcast to the shape of the result.
template <typename A, typename B, typename R, typename F>
void MapBroadcast(const Tensor& a, const Tensor& b, Tensor& result, F f) {
  const auto shape = result.shape();
  R* to = result.mutable_data<R>();
  StridedRows<2> rows(shape, {BroadcastStrides(a.shape(), shape), BroadcastStrides(b.shape(), shape)});
  for (; !rows.done(); rows.Next(), to += rows.length()) {
    const auto [x_step, y_step] = rows.step();
    MapRow(a.data<A>() + rows.at()[0], x_step, b.data<B>() + rows.at()[1], y_step, rows.length(), to, f);
  }
}

// Fills `result` in row-major order with the elements of `data`, starting at `offset` and going along its axes by
// `strides` (in elements, may be 0 or negative): transposition, slicing, reversal and broadcasting are all this.
auto CopyStrided(KernelContext& kernel, const Tensor& data, int64_t offset, std::vector<int64_t> strides, Tensor result)
    -> KernelStatus;

// Returns a tensor of integers (32 or 64 bits, signed or not, or narrower) as numbers, row-major; for shapes, axes and
// indices that come as operands.
auto Integers(const Tensor& tensor) -> std::vector<int64_t>;

}  // namespace relayopt
