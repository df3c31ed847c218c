// Helpers for shapes, and for tensors whose elements are rearranged.
#include "arrange.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "loops.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Calls `visit(Word())` with an unsigned integer of as many bytes, if there is one.
template <typename Visit>
auto VisitWord(size_t bytes, Visit visit) -> bool {
  switch (bytes) {
    case 1: visit(uint8_t{}); return true;
    case 2: visit(uint16_t{}); return true;
    case 4: visit(uint32_t{}); return true;
    case 8: visit(uint64_t{}); return true;
    default: return false;
  }
}

// result[i] = data[offset_i], or `fill` where the offset is negative; each call of `next()` returns the next offset.
template <typename Next>
void Gather(const Tensor& data, Tensor& result, const std::byte* fill, Next next) {
  const size_t bytes = data.dtype().bytes();
  const bool done = VisitWord(bytes, [&](auto word) {
    using Word = decltype(word);
    if (fill != nullptr) std::memcpy(&word, fill, sizeof(word));
    const auto* from = reinterpret_cast<const Word*>(data.bytes().data());
    auto* to = reinterpret_cast<Word*>(result.MutableBytes());
    for (int64_t i = 0; i < result.size(); ++i) {
      const int64_t offset = next();
      to[i] = offset < 0 ? word : from[offset];
    }
  });
  if (done) return;
  std::byte* to = result.MutableBytes();
  for (int64_t i = 0; i < result.size(); ++i, to += bytes) {
    const int64_t offset = next();
    if (offset >= 0)
      std::memcpy(to, data.bytes().data() + static_cast<size_t>(offset) * bytes, bytes);
    else if (fill != nullptr)
      std::memcpy(to, fill, bytes);
    else
      std::memset(to, 0, bytes);
  }
}

// Counts through the offsets of all elements, the last axis fastest: element (i, j, ...) is at the sum of the entries
// of its coordinates, or at -1 when one of these is negative.
class OffsetCounter {
 public:
  explicit OffsetCounter(std::vector<std::vector<int64_t>> offsets)
      : offsets_(std::move(offsets)), at_(offsets_.size(), 0), sums_(offsets_.size() + 1, 0) {
    for (size_t axis = 0; axis < at_.size(); ++axis) Update(axis);
  }

  auto Next() -> int64_t {
    const int64_t offset = sums_.back();
    size_t axis = at_.size();
    while (axis-- > 0) {
      if (++at_[axis] != static_cast<int64_t>(offsets_[axis].size())) break;
      at_[axis] = 0;
    }
    for (axis = axis < at_.size() ? axis : 0; axis < at_.size(); ++axis) Update(axis);
    return offset;
  }

 private:
  void Update(size_t axis) {
    if (offsets_[axis].empty()) return;
    const int64_t own = offsets_[axis][static_cast<size_t>(at_[axis])];
    sums_[axis + 1] = sums_[axis] < 0 || own < 0 ? -1 : sums_[axis] + own;
  }

  std::vector<std::vector<int64_t>> offsets_;
  std::vector<int64_t> at_;
  // The partial offset of the coordinates before each axis.
  std::vector<int64_t> sums_;
};

}  // namespace

auto Numbers(const DimList& list) -> std::vector<int64_t> {
  return MapToVector<int64_t>(list, [&](const Dim& dim) { return dim.is_int() ? dim.value() : 0; });
}

auto ViewAxis(std::span<const int64_t> shape, size_t axis) -> AxisView {
  return {Product(shape.first(axis)), shape[axis], Product(shape.subspan(axis + 1))};
}

auto AxesLast(size_t rank, std::span<const size_t> last) -> std::vector<size_t> {
  std::vector<size_t> axes;
  axes.reserve(rank);
  for (size_t axis = 0; axis < rank; ++axis) {
    if (std::find(last.begin(), last.end(), axis) == last.end()) axes.push_back(axis);
  }
  axes.insert(axes.end(), last.begin(), last.end());
  return axes;
}

auto InversePermutation(std::span<const size_t> permutation) -> std::vector<size_t> {
  std::vector<size_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = i;
  return inverse;
}

auto Permuted(const Tensor& data, std::span<const size_t> axes) -> Tensor {
  if (std::is_sorted(axes.begin(), axes.end())) return data;
  const std::vector<int64_t> own = RowMajorStrides(data.shape());
  std::vector<std::vector<int64_t>> offsets;
  std::vector<int64_t> shape;
  for (const size_t axis : axes) {
    shape.push_back(data.extent(axis));
    offsets.push_back(Iota(data.extent(axis)));
    for (int64_t& offset : offsets.back()) offset *= own[axis];
  }
  Tensor result = Tensor::Unset(data.dtype(), std::move(shape));
  OffsetCounter counter(std::move(offsets));
  Gather(data, result, nullptr, [&] { return counter.Next(); });
  return result;
}

auto Converted(KernelContext& kernel, const Tensor& data, DataType dtype) -> std::optional<Tensor> {
  if (data.dtype() == dtype) return data;
  Tensor result = Tensor::Unset(dtype, ShapeOf(data));
  bool undefined = false;
  const KernelStatus status = VisitAll(kernel, data.dtype(), [&](auto from) {
    return VisitAll(kernel, dtype, [&](auto to) {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      Map<From, To>(data, result, [&](From x) { return CastElement<To>(x, undefined); });
      return KernelStatus::kDone;
    });
  });
  if (undefined) kernel.MarkUndefined("a float out of the range of the integer type");
  if (status != KernelStatus::kDone) return std::nullopt;
  return result;
}

auto Chosen(const Tensor& data, const std::vector<std::vector<int64_t>>& positions, const Tensor* fill) -> Tensor {
  const std::vector<int64_t> own = RowMajorStrides(data.shape());
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> offsets = positions;
  for (size_t axis = 0; axis < positions.size(); ++axis) {
    shape.push_back(static_cast<int64_t>(positions[axis].size()));
    for (int64_t& offset : offsets[axis]) offset = offset < 0 ? -1 : offset * own[axis];
  }
  Tensor result = Tensor::Unset(data.dtype(), std::move(shape));
  OffsetCounter counter(std::move(offsets));
  Gather(data, result, fill == nullptr ? nullptr : fill->bytes().data(), [&] { return counter.Next(); });
  return result;
}

auto Iota(int64_t count) -> std::vector<int64_t> {
  std::vector<int64_t> numbers(static_cast<size_t>(std::max<int64_t>(count, 0)));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

void CopyElements(const Tensor& source, int64_t from, Tensor& target, int64_t to, int64_t count) {
  // An empty tensor has no bytes to point at.
  if (count == 0) return;
  const size_t bytes = source.dtype().bytes();
  std::memcpy(target.MutableBytes() + static_cast<size_t>(to) * bytes,
              source.bytes().data() + static_cast<size_t>(from) * bytes, static_cast<size_t>(count) * bytes);
}

}  // namespace relayopt
