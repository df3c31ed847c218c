// Sums and products of constants.
#include "constant_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "relayopt/ops/op_table.h"

namespace relayopt {

namespace {

// The shape of the result, and how far each operand moves in a step along each of its axes.
struct Broadcast {
  std::vector<int64_t> shape;
  std::vector<size_t> a_strides;
  std::vector<size_t> b_strides;
};

auto BroadcastShapes(std::span<const int64_t> a, std::span<const int64_t> b) -> std::optional<Broadcast> {
  const size_t rank = std::max(a.size(), b.size());
  Broadcast result{std::vector<int64_t>(rank), std::vector<size_t>(rank), std::vector<size_t>(rank)};
  size_t a_stride = 1;
  size_t b_stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    const size_t axis = rank - 1 - i;
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result.shape[axis] = x == 1 ? y : x;
    result.a_strides[axis] = x == 1 ? 0 : a_stride;
    result.b_strides[axis] = y == 1 ? 0 : b_stride;
    a_stride *= static_cast<size_t>(x);
    b_stride *= static_cast<size_t>(y);
  }
  return result;
}

// Whether rounding lost more than it usually does.
template <typename T>
auto LeavesRange(T result, T a, T b, T smallest) -> bool {
  if (!std::isfinite(result)) return std::isfinite(a) && std::isfinite(b);
  return std::fabs(result) < smallest && a != 0 && b != 0;
}

template <typename T>
auto Apply(bool adds, T a, T b) -> T {
  if constexpr (std::is_floating_point_v<T>) {
    return adds ? a + b : a * b;
  } else {
    // Unsigned and wide enough that nothing is promoted to a signed type.
    const uint64_t x = static_cast<uint64_t>(a);
    const uint64_t y = static_cast<uint64_t>(b);
    return static_cast<T>(adds ? x + y : x * y);
  }
}

// Elements are read and written by `Load` and `Store`, from and to bytes.
template <typename T, typename Load, typename Store>
auto Fold(bool adds, const Constant& a, const Constant& b, T smallest, Load load, Store store)
    -> std::optional<Constant> {
  auto broadcast = BroadcastShapes(a.shape(), b.shape());
  if (!broadcast) return std::nullopt;
  const size_t width = a.dtype().bytes();
  size_t count = 1;
  for (const int64_t extent : broadcast->shape) count *= static_cast<size_t>(extent);
  const auto a_bytes = a.Bytes();
  const auto b_bytes = b.Bytes();
  std::vector<std::byte> bytes(count * width);
  std::vector<int64_t> index(broadcast->shape.size());
  size_t a_at = 0;
  size_t b_at = 0;
  for (size_t i = 0; i < count; ++i) {
    const T x = load(a_bytes->data() + a_at * width);
    const T y = load(b_bytes->data() + b_at * width);
    const T result = Apply(adds, x, y);
    if constexpr (std::is_floating_point_v<T>) {
      // A sum that comes out small is exact.
      if (LeavesRange(result, x, y, adds ? T(0) : smallest)) return std::nullopt;
    }
    store(bytes.data() + i * width, result);
    for (size_t axis = index.size(); axis-- > 0;) {
      a_at += broadcast->a_strides[axis];
      b_at += broadcast->b_strides[axis];
      if (++index[axis] < broadcast->shape[axis]) break;
      a_at -= broadcast->a_strides[axis] * static_cast<size_t>(index[axis]);
      b_at -= broadcast->b_strides[axis] * static_cast<size_t>(index[axis]);
      index[axis] = 0;
    }
  }
  return Constant(a.dtype(), std::move(broadcast->shape), std::move(bytes));
}

template <typename T>
auto FoldAs(bool adds, const Constant& a, const Constant& b) -> std::optional<Constant> {
  const auto load = [](const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  const auto store = [](std::byte* at, T value) { std::memcpy(at, &value, sizeof value); };
  return Fold<T>(adds, a, b, std::is_floating_point_v<T> ? std::numeric_limits<T>::min() : T(0), load, store);
}

// float16 by way of double: sums and products of halves are exact there. What leaves the range of halves ends up infinite or zero.
auto FoldHalves(bool adds, const Constant& a, const Constant& b) -> std::optional<Constant> {
  constexpr double kSmallest = 0x1p-14;
  constexpr double kTooLarge = 65520.0;
  bool overflows = false;
  const auto load = [](const std::byte* at) {
    uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return static_cast<double>(HalfToFloat(bits));
  };
  const auto store = [&overflows](std::byte* at, double value) {
    overflows = overflows || (std::isfinite(value) && std::fabs(value) >= kTooLarge);
    const uint16_t bits = DoubleToHalf(value);
    std::memcpy(at, &bits, sizeof bits);
  };
  auto folded = Fold<double>(adds, a, b, kSmallest, load, store);
  return overflows ? std::nullopt : std::move(folded);
}

}  // namespace

auto FoldArithmetic(const OpDef* op, const Constant& a, const Constant& b) -> std::optional<Constant> {
  const DataType dtype = a.dtype();
  const bool adds = op == "add"_op;
  if (dtype != b.dtype() || dtype.lanes != 1 || (!adds && op != "multiply"_op)) return std::nullopt;
  if (dtype == DataType::Float(32)) return FoldAs<float>(adds, a, b);
  if (dtype == DataType::Float(64)) return FoldAs<double>(adds, a, b);
  if (dtype == DataType::Float(16)) return FoldHalves(adds, a, b);
  if (!dtype.is_int() && !dtype.is_uint()) return std::nullopt;
  switch (dtype.bits) {
    case 8: return FoldAs<uint8_t>(adds, a, b);
    case 16: return FoldAs<uint16_t>(adds, a, b);
    case 32: return FoldAs<uint32_t>(adds, a, b);
    case 64: return FoldAs<uint64_t>(adds, a, b);
    default: return std::nullopt;
  }
}

}  // namespace relayopt
