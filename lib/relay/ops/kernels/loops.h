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

// The strides with which a tensor of shape `from` is read to fill one of shape `to`: aligned from the right, 0 along
// axes that are missing or of extent 1.
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

// result[...] = f(a[...], b[...]) with both operands broadcast to the shape of the result.
template <typename A, typename B, typename R, typename F>
void MapBroadcast(const Tensor& a, const Tensor& b, Tensor& result, F f) {
  const A* left = a.data<A>();
  const B* right = b.data<B>();
  R* to = result.mutable_data<R>();
  const int64_t size = result.size();
  if (a.size() == size && b.size() == size) {
    for (int64_t i = 0; i < size; ++i) to[i] = R(f(left[i], right[i]));
  } else if (a.size() == size && b.size() == 1) {
    for (int64_t i = 0; i < size; ++i) to[i] = R(f(left[i], right[0]));
  } else {
    ForEachElement<2>(
        result.shape(), {BroadcastStrides(a.shape(), result.shape()), BroadcastStrides(b.shape(), result.shape())},
        {0, 0}, [&](int64_t i, const std::array<int64_t, 2>& at) { to[i] = R(f(left[at[0]], right[at[1]])); });
  }
}

// Fills `result` in row-major order with the elements of `data`, starting at `offset` and going along its axes by
// `strides` (in elements, may be 0 or negative): transposition, slicing, reversal and broadcasting are all this.
auto CopyStrided(KernelContext& kernel, const Tensor& data, int64_t offset, std::vector<int64_t> strides, Tensor result)
    -> KernelStatus;

// A tensor of integers (32 or 64 bits, signed or not, or narrower) as numbers, row-major; for shapes, axes and indices
// that come as operands.
auto Integers(const Tensor& tensor) -> std::vector<int64_t>;

}  // namespace relayopt
