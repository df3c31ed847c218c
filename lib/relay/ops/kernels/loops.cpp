// Loops over tensors that kernels share.
#include "loops.h"

#include "numbers.h"

namespace relayopt {

namespace {

template <typename T>
auto Widened(const Tensor& tensor) -> std::vector<int64_t> {
  std::vector<int64_t> numbers;
  numbers.reserve(static_cast<size_t>(tensor.size()));
  for (const T value : tensor.elements<T>()) numbers.push_back(static_cast<int64_t>(value));
  return numbers;
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

auto CopyStrided(KernelContext& kernel, const Tensor& data, int64_t offset, std::vector<int64_t> strides, Tensor result)
    -> KernelStatus {
  const KernelStatus status = VisitSizes(kernel, data.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = data.data<T>();
    T* to = result.mutable_data<T>();
    ForEachElement<1>(result.shape(), {strides}, {offset},
                      [&](int64_t i, const std::array<int64_t, 1>& at) { to[i] = from[at[0]]; });
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
