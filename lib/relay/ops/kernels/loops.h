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

// The position in a tensor of N operands: `offsets[k]` is where operand k is read, with its own strides.
//
//   for each element of `shape` in row-major order: body(index, offsets)
//
// where `index` counts 0, 1, 2... `start` is the offsets of the first element.
template <size_t N, typename Body>
void ForEachElement(std::span<const int64_t> shape, const std::array<std::vector<int64_t>, N>& strides,
                    std::array<int64_t, N> start, Body body) {
  for (const int64_t extent : shape) {
    if (extent == 0) return;
  }
  int64_t index = 0;
  if (shape.empty()) return body(index, start);
  const size_t last = shape.size() - 1;
  std::vector<int64_t> position(last, 0);
  std::array<int64_t, N> row = start;
  while (true) {
    std::array<int64_t, N> at = row;
    for (int64_t i = 0; i < shape[last]; ++i, ++index) {
      body(index, at);
      for (size_t k = 0; k < N; ++k) at[k] += strides[k][last];
    }
    size_t axis = last;
    while (axis > 0) {
      --axis;
      for (size_t k = 0; k < N; ++k) row[k] += strides[k][axis];
      if (++position[axis] != shape[axis]) break;
      for (size_t k = 0; k < N; ++k) row[k] -= strides[k][axis] * shape[axis];
      position[axis] = 0;
      if (axis == 0) return;
    }
    if (last == 0) return;
  }
}

// result[i] = f(data[i]).
template <typename A, typename R, typename F>
void Map(const Tensor& data, Tensor& result, F f) {
  const A* from = data.data<A>();
  R* to = result.mutable_data<R>();
  for (int64_t i = 0; i < data.size(); ++i) to[i] = R(f(from[i]));
}

// The rows of the broadcast of tensors `a` and `b` to `shape`, in row-major order. All kernels share this code: only
// the loop over a row is instantiated for each of them.
class BroadcastRows {
 public:
  BroadcastRows(std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> shape);

  // The number of elements of a row, and each operand's stride within a row: 1 or 0.
  auto length() const -> int64_t { return length_; }
  auto a_step() const -> int64_t { return a_step_; }
  auto b_step() const -> int64_t { return b_step_; }
  // Returns the offset of the current row in each operand. Valid while there is a current row.
  auto a() const -> int64_t { return a_; }
  auto b() const -> int64_t { return b_; }
  auto done() const -> bool { return done_; }
  void Next();

 private:
  std::vector<int64_t> shape_;
  std::vector<int64_t> a_strides_;
  std::vector<int64_t> b_strides_;
  std::vector<int64_t> position_;
  int64_t length_ = 1;
  int64_t a_step_ = 0;
  int64_t b_step_ = 0;
  int64_t a_ = 0;
  int64_t b_ = 0;
  bool done_ = false;
};

// result[...] = f(a[...], b[...]) with both operands broadcast to the shape of the result.
template <typename A, typename B, typename R, typename F>
void MapBroadcast(const Tensor& a, const Tensor& b, Tensor& result, F f) {
  const A* left = a.data<A>();
  const B* right = b.data<B>();
  R* to = result.mutable_data<R>();
  const int64_t size = result.size();
  if (a.size() == size && b.size() == size) {
    for (int64_t i = 0; i < size; ++i) to[i] = R(f(left[i], right[i]));
    return;
  }
  for (BroadcastRows rows(a.shape(), b.shape(), result.shape()); !rows.done(); rows.Next()) {
    const A* x = left + rows.a();
    const B* y = right + rows.b();
    for (int64_t i = 0; i < rows.length(); ++i, x += rows.a_step(), y += rows.b_step()) *to++ = R(f(*x, *y));
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
