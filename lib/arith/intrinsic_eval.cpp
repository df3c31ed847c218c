// How calls of intrinsics are computed, and how values of a type look in words and in memory.
#include "lib/arith/intrinsic_eval.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "relayopt/core/constant.h"

namespace relayopt::arith {

namespace {

// Floats of 8 bits: e5m2 with infinities, e4m3 without them. Its largest exponent is that of numbers, too.
struct SmallFloat {
  int mantissa_bits;
  int bias;
  double largest;
  double beyond;
  uint8_t nan;
};

auto SmallFloatOf(DataType type) -> SmallFloat {
  if (type.code == TypeCode::kE5M2) return {2, 15, 57344, std::numeric_limits<double>::infinity(), 0x7E};
  return {3, 7, 448, std::numeric_limits<double>::quiet_NaN(), 0x7F};
}

// Returns the nearest number that the type has, with an even last digit of two.
auto RoundToSmall(DataType type, double value) -> double {
  if (value == 0 || !std::isfinite(value))
    return std::isinf(value) ? std::copysign(SmallFloatOf(type).beyond, value) : value;
  const SmallFloat format = SmallFloatOf(type);
  const int exponent = std::max(std::ilogb(value), 1 - format.bias);
  const double unit = std::ldexp(1.0, exponent - format.mantissa_bits);
  const double rounded = std::nearbyint(value / unit) * unit;
  return std::abs(rounded) > format.largest ? std::copysign(format.beyond, value) : rounded;
}

auto SmallBits(DataType type, double value) -> uint8_t {
  const SmallFloat format = SmallFloatOf(type);
  const double rounded = std::abs(RoundToSmall(type, value));
  const auto sign = static_cast<uint8_t>(std::signbit(value) ? 0x80 : 0);
  if (std::isnan(rounded)) return sign | format.nan;
  if (std::isinf(rounded)) return sign | 0x7C;
  if (rounded == 0) return sign;
  const int exponent = std::max(std::ilogb(rounded), 1 - format.bias);
  const auto digits = static_cast<int>(std::ldexp(rounded, format.mantissa_bits - exponent));
  // Numbers below the smallest normal one have the exponent 0.
  const int one = 1 << format.mantissa_bits;
  const int bits = digits < one ? digits : ((exponent + format.bias) << format.mantissa_bits) + digits - one;
  return static_cast<uint8_t>(sign | bits);
}

auto SmallValue(DataType type, uint8_t bits) -> double {
  const SmallFloat format = SmallFloatOf(type);
  const int magnitude = bits & 0x7F;
  const double sign = (bits & 0x80) != 0 ? -1.0 : 1.0;
  const bool has_infinity = type.code == TypeCode::kE5M2;
  if (has_infinity ? magnitude > 0x7C : magnitude == 0x7F)
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  if (has_infinity && magnitude == 0x7C) return sign * std::numeric_limits<double>::infinity();
  const int one = 1 << format.mantissa_bits;
  const int exponent = std::max(magnitude >> format.mantissa_bits, 1) - format.bias;
  const int digits = magnitude < one ? magnitude : magnitude % one + one;
  return sign * std::ldexp(digits, exponent - format.mantissa_bits);
}

}  // namespace

void Lanes::Set(size_t i, int64_t value) const { words[i] = static_cast<uint64_t>(WrapToType(ElementOf(type), value)); }

void Lanes::Set(size_t i, double value) const { words[i] = std::bit_cast<uint64_t>(RoundToType(type, value)); }

auto RoundToType(DataType type, double value) -> double {
  if (type.bits == 64) return value;
  if (type.bits == 8) return RoundToSmall(type, value);
  const auto single = static_cast<float>(value);
  if (type.bits == 32) return single;
  return type.code == TypeCode::kBFloat ? BFloatToFloat(FloatToBFloat(single)) : HalfToFloat(FloatToHalf(single));
}

void StoreWord(DataType type, uint64_t word, std::byte* to) {
  const double real = std::bit_cast<double>(word);
  uint64_t bits = word;
  if (IsBool(type)) bits = word != 0 ? 1 : 0;
  if (type.is_float() && type.bits == 32) bits = std::bit_cast<uint32_t>(static_cast<float>(real));
  if (type.is_float() && type.bits == 16) {
    const auto single = static_cast<float>(real);
    bits = type.code == TypeCode::kBFloat ? FloatToBFloat(single) : FloatToHalf(single);
  }
  if (type.is_float() && type.bits == 8) bits = SmallBits(type, real);
  std::memcpy(to, &bits, ElementOf(type).bytes());
}

auto LoadWord(DataType type, const std::byte* from) -> uint64_t {
  uint64_t bits = 0;
  std::memcpy(&bits, from, ElementOf(type).bytes());
  if (IsBool(type)) return bits != 0 ? 1 : 0;
  if (IsInteger(type)) return static_cast<uint64_t>(WrapToType(ElementOf(type), static_cast<int64_t>(bits)));
  if (!type.is_float()) return bits;
  if (type.bits == 64) return bits;
  if (type.bits == 8) return std::bit_cast<uint64_t>(SmallValue(type, static_cast<uint8_t>(bits)));
  if (type.bits == 32) return std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(bits))});
  const auto half = static_cast<uint16_t>(bits);
  return std::bit_cast<uint64_t>(double{type.code == TypeCode::kBFloat ? BFloatToFloat(half) : HalfToFloat(half)});
}

namespace eval {

namespace {

auto MaskOf(DataType type) -> uint64_t { return type.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << type.bits) - 1; }

template <typename F>
auto EachInteger(Lanes result, F f) -> bool {
  for (size_t i = 0; i < result.size(); ++i) result.Set(i, static_cast<int64_t>(f(i)));
  return true;
}

// x * y * 2^left in 64 bits, rounded half up at bit right + q and cut off there.
auto FixedPoint(int64_t x, int64_t y, int64_t left, int64_t right, int64_t q) -> int64_t {
  const auto product = static_cast<uint64_t>(x) << (left & 63);
  const auto total = static_cast<int64_t>(static_cast<uint64_t>(right) + static_cast<uint64_t>(q));
  const uint64_t half = total >= 1 ? uint64_t{1} << ((total - 1) & 63) : 0;
  return static_cast<int64_t>(product * static_cast<uint64_t>(y) + half) >> (total & 63);
}

}  // namespace

auto BitwiseAnd(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) { return args[0].words[i] & args[1].words[i]; });
}
auto BitwiseOr(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) { return args[0].words[i] | args[1].words[i]; });
}
auto BitwiseXor(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) { return args[0].words[i] ^ args[1].words[i]; });
}
auto BitwiseNot(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) { return ~args[0].words[i]; });
}

auto ShiftLeft(Lanes result, std::span<const Lanes> args) -> bool {
  bool defined = true;
  EachInteger(result, [&](size_t i) {
    const uint64_t by = args[1].words[i];
    if (by >= result.type.bits) defined = false;
    return by >= 64 ? 0 : args[0].words[i] << by;
  });
  return defined;
}
auto ShiftRight(Lanes result, std::span<const Lanes> args) -> bool {
  bool defined = true;
  EachInteger(result, [&](size_t i) {
    const uint64_t by = args[1].words[i];
    if (by >= result.type.bits) defined = false;
    const uint64_t at = by < 64 ? by : 63;
    return result.type.is_int() ? static_cast<uint64_t>(args[0].integer(i) >> at) : args[0].words[i] >> at;
  });
  return defined;
}

auto PopCount(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) { return std::popcount(args[0].words[i] & MaskOf(args[0].type)); });
}
auto CountLeadingZeros(Lanes result, std::span<const Lanes> args) -> bool {
  const DataType type = args[0].type;
  // As code generators have it: those for LLVM leave the result for 0 open.
  bool is_defined = true;
  EachInteger(result, [&](size_t i) {
    const uint64_t bits = args[0].words[i] & MaskOf(type);
    is_defined = is_defined && bits != 0;
    return std::countl_zero(bits) - (64 - static_cast<int>(type.bits));
  });
  return is_defined;
}

auto FusedMultiplyAdd(Lanes result, std::span<const Lanes> args) -> bool {
  for (size_t i = 0; i < result.size(); ++i) {
    if (!result.type.is_float()) {
      result.Set(i, static_cast<int64_t>(args[0].words[i] * args[1].words[i] + args[2].words[i]));
    } else if (result.type.bits == 64) {
      result.Set(i, std::fma(args[0].real(i), args[1].real(i), args[2].real(i)));
    } else {
      const auto single = [&](size_t k) { return static_cast<float>(args[k].real(i)); };
      result.Set(i, double{std::fma(single(0), single(1), single(2))});
    }
  }
  return true;
}

auto IsNan(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) { return args[0].type.is_float() && std::isnan(args[0].real(i)); });
}
auto IsNull(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) { return args[0].words[i] == 0; });
}
auto LargeUInt(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t) { return args[1].words[0] << 32 | (args[0].words[0] & UINT32_MAX); });
}

auto MultiplyShift(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) {
    const int64_t shift = args[3].integer(i);
    const auto right = shift < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(shift)) : 0;
    return FixedPoint(args[0].integer(i), args[1].integer(i), std::max<int64_t>(shift, 0), right, args[2].integer(i));
  });
}
auto MultiplyShiftPerAxis(Lanes result, std::span<const Lanes> args) -> bool {
  return EachInteger(result, [&](size_t i) {
    const int64_t left = args[5].words[i] != 0 ? args[2].integer(i) : 0;
    return FixedPoint(args[0].integer(i), args[1].integer(i), left, args[3].integer(i), args[4].integer(i));
  });
}

auto Same(Lanes result, std::span<const Lanes> args) -> bool {
  std::memcpy(result.words, args[0].words, result.size() * sizeof(uint64_t));
  return true;
}

auto Reinterpret(Lanes result, std::span<const Lanes> args) -> bool {
  const size_t from = ElementOf(args[0].type).bytes();
  const size_t to = ElementOf(result.type).bytes();
  // When the widths differ, the additional bytes are 0.
  std::vector<std::byte> bytes(std::max(args[0].size() * from, result.size() * to));
  for (size_t i = 0; i < args[0].size(); ++i) StoreWord(args[0].type, args[0].words[i], &bytes[i * from]);
  for (size_t i = 0; i < result.size(); ++i) result.words[i] = LoadWord(result.type, &bytes[i * to]);
  return args[0].size() * from == result.size() * to;
}

auto VectorLow(Lanes result, std::span<const Lanes> args) -> bool { return Same(result, args); }
auto VectorHigh(Lanes result, std::span<const Lanes> args) -> bool {
  const Lanes& vector = args[0];
  std::memcpy(result.words, vector.words + (vector.size() - result.size()), result.size() * sizeof(uint64_t));
  return true;
}
auto Undefined(Lanes result, std::span<const Lanes>) -> bool {
  std::fill_n(result.words, result.size(), 0);
  return false;
}

auto VectorCombine(Lanes result, std::span<const Lanes> args) -> bool {
  std::memcpy(result.words, args[0].words, args[0].size() * sizeof(uint64_t));
  std::memcpy(result.words + args[0].size(), args[1].words, args[1].size() * sizeof(uint64_t));
  return args[0].size() + args[1].size() == result.size();
}

}  // namespace eval

}  // namespace relayopt::arith
