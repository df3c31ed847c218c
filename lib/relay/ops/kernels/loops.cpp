// Loops over tensors that kernels share.
#include "loops.h"

#include <algorithm>
#include <optional>

#include "numbers.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

template <typename T>
auto Widened(const Tensor& tensor) -> std::vector<int64_t> {
  return MapToVector<int64_t>(tensor.elements<T>(), [&](T value) { return static_cast<int64_t>(value); });
}

}  // namespace

auto RowMajorStrides(std::span<const int64_t> shape) -> std::vector<int64_t> {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

auto BroadcastsTo(std::span<const int64_t> from, std::span<const int64_t> to) -> bool {
  if (from.size() > to.size()) return false;
  const size_t skipped = to.size() - from.size();
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] != 1 && from[axis] != to[skipped + axis]) return false;
  }
  return true;
}

auto BroadcastStrides(std::span<const int64_t> from, std::span<const int64_t> to) -> std::vector<int64_t> {
  RELAYOPT_CHECK(from.size() <= to.size(), "broadcasting never lowers the rank");
  std::vector<int64_t> strides(to.size(), 0);
  const std::vector<int64_t> own = RowMajorStrides(from);
  const size_t skipped = to.size() - from.size();
  for (size_t axis = 0; axis < from.size(); ++axis) {
    if (from[axis] != 1) strides[skipped + axis] = own[axis];
  }
  return strides;
}

template <size_t N>
StridedRows<N>::StridedRows(std::span<const int64_t> shape, const std::array<std::vector<int64_t>, N>& strides,
                            const Offsets& start)
    : at_(start) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    done_ |= shape[axis] == 0;
    if (shape[axis] == 1) continue;
    shape_.push_back(shape[axis]);
    Offsets& along = strides_.emplace_back();
    for (size_t k = 0; k < N; ++k) along[k] = strides[k][axis];
  }
  if (done_ || shape_.empty()) return;
  step_ = strides_.back();
  const auto goes_on = [&] {
    for (size_t k = 0; k < N; ++k) {
      if (strides_.back()[k] != step_[k] * length_) return false;
    }
    return true;
  };
  do {
    length_ *= shape_.back();
    shape_.pop_back();
    strides_.pop_back();
  } while (!shape_.empty() && goes_on());
  position_.resize(shape_.size());
}

template <size_t N>
void StridedRows<N>::Next() {
  for (size_t axis = shape_.size(); axis-- > 0;) {
    for (size_t k = 0; k < N; ++k) at_[k] += strides_[axis][k];
    if (++position_[axis] != shape_[axis]) return;
    position_[axis] = 0;
    for (size_t k = 0; k < N; ++k) at_[k] -= strides_[axis][k] * shape_[axis];
  }
  done_ = true;
}

template class StridedRows<1>;
template class StridedRows<2>;
template class StridedRows<3>;

namespace {

template <typename T>
void CopyRow(const T* from, int64_t step, T* to, int64_t count) {
  if (step == 1) {
    std::copy_n(from, count, to);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
  }
}

// A matrix of the result whose columns lie side by side in the source: `rows` of them, `from_step` elements from column
// to column of the source, `to_step` from row to row of the result.
struct Plane {
  int64_t rows;
  int64_t columns;
  int64_t from_step;
  int64_t to_step;
};

// Transposes it in tiles, so that the lines of both that are read and written stay in the cache until they are used up.
template <typename T>
void CopyPlane(const Plane& plane, const T* from, T* to) {
  constexpr int64_t kTile = 16;
  for (int64_t i = 0; i < plane.rows; i += kTile) {
    const int64_t rows = std::min(kTile, plane.rows - i);
    for (int64_t j = 0; j < plane.columns; j += kTile) {
      const int64_t columns = std::min(kTile, plane.columns - j);
      for (int64_t row = i; row < i + rows; ++row)
        CopyRow(from + row + j * plane.from_step, plane.from_step, to + row * plane.to_step + j, columns);
    }
  }
}

}  // namespace

auto CopyStrided(KernelContext& kernel, const Tensor& data, int64_t offset, std::vector<int64_t> strides, Tensor result)
    -> KernelStatus {
  // The last axis of several elements, and that whose elements lie side by side.
  std::optional<size_t> last;
  std::optional<size_t> adjacent;
  for (size_t axis = 0; axis < result.rank(); ++axis) {
    if (result.extent(axis) <= 1) continue;
    last = axis;
    if (strides[axis] == 1) adjacent = axis;
  }
  const KernelStatus status = VisitSizes(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const from = data.data<T>();
    T* to = result.mutable_data<T>();
    if (!adjacent || adjacent == last) {
      for (StridedRows<1> rows(result.shape(), {strides}, {offset}); !rows.done(); rows.Next(), to += rows.length())
        CopyRow(from + rows.at()[0], rows.step()[0], to, rows.length());
      return KernelStatus::kDone;
    }
    const std::vector<int64_t> to_strides = RowMajorStrides(result.shape());
    const Plane plane{result.extent(*adjacent), result.extent(*last), strides[*last], to_strides[*adjacent]};
    std::vector<int64_t> planes(result.shape().begin(), result.shape().end());
    planes[*adjacent] = 1;
    planes[*last] = 1;
    ForEachElement<2>(planes, {strides, to_strides}, {offset, 0},
                      [&](int64_t, const std::array<int64_t, 2>& at) { CopyPlane(plane, from + at[0], to + at[1]); });
    return KernelStatus::kDone;
  });
  return status == KernelStatus::kDone ? kernel.Return(std::move(result)) : status;
}

auto Integers(const Tensor& tensor) -> std::vector<int64_t> {
  const bool is_signed = tensor.dtype().is_int();
  switch (tensor.dtype().bytes()) {
    case 1: return is_signed ? Widened<int8_t>(tensor) : Widened<uint8_t>(tensor);
    case 2: return is_signed ? Widened<int16_t>(tensor) : Widened<uint16_t>(tensor);
    case 4: return is_signed ? Widened<int32_t>(tensor) : Widened<uint32_t>(tensor);
    default: return Widened<int64_t>(tensor);
  }
}

}  // namespace relayopt
