// Element types of tensors.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relayopt {

// The values are those of the tensor file format.
enum class TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kHandle = 3, kBFloat = 4, kE4M3 = 6, kE5M2 = 7 };

// A type code, a width in bits and a number of lanes. `void` (a handle of 0 bits and 0 lanes) means "not given".
struct DataType {
  TypeCode code = TypeCode::kHandle;
  uint8_t bits = 0;
  uint16_t lanes = 0;

  static constexpr auto Int(int bits) -> DataType { return {TypeCode::kInt, static_cast<uint8_t>(bits), 1}; }
  static constexpr auto UInt(int bits) -> DataType { return {TypeCode::kUInt, static_cast<uint8_t>(bits), 1}; }
  static constexpr auto Float(int bits) -> DataType { return {TypeCode::kFloat, static_cast<uint8_t>(bits), 1}; }
  static constexpr auto BFloat(int bits) -> DataType { return {TypeCode::kBFloat, static_cast<uint8_t>(bits), 1}; }
  static constexpr auto Bool() -> DataType { return UInt(1); }
  static constexpr auto Void() -> DataType { return {}; }

  constexpr auto is_void() const -> bool { return *this == Void(); }
  constexpr auto is_bool() const -> bool { return *this == Bool(); }
  constexpr auto is_int() const -> bool { return code == TypeCode::kInt; }
  constexpr auto is_uint() const -> bool { return code == TypeCode::kUInt; }
  // Whether it is any float format, including bfloat16 and the 8-bit floats.
  constexpr auto is_float() const -> bool {
    return code == TypeCode::kFloat || code == TypeCode::kBFloat || code == TypeCode::kE4M3 || code == TypeCode::kE5M2;
  }
  // Bytes that one element occupies in memory; bool takes one byte.
  constexpr auto bytes() const -> size_t { return (size_t{bits} + 7) / 8 * lanes; }

  // One comparison of all fields.
  friend constexpr auto operator==(DataType a, DataType b) -> bool {
    return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
  }
  template <typename H>
  friend auto AbslHashValue(H h, DataType t) -> H {
    return H::combine(static_cast<H&&>(h), t.code, t.bits, t.lanes);
  }
};

// The most common types.
inline constexpr DataType kBool = DataType::Bool();
inline constexpr DataType kInt8 = DataType::Int(8);
inline constexpr DataType kInt16 = DataType::Int(16);
inline constexpr DataType kInt32 = DataType::Int(32);
inline constexpr DataType kInt64 = DataType::Int(64);
inline constexpr DataType kUInt8 = DataType::UInt(8);
inline constexpr DataType kUInt16 = DataType::UInt(16);
inline constexpr DataType kFloat32 = DataType::Float(32);

// Returns the largest finite number of a float type.
auto LargestFinite(DataType type) -> double;

// Returns the type as Relay text spells it: `float32`, `bool`, `int8x4`; the empty string for void.
auto ToString(DataType type) -> std::string;

// The inverse of ToString. Also accepts `int` for `int32`, and `void` for void. Nothing for anything else.
auto ParseDataType(std::string_view text) -> std::optional<DataType>;

}  // namespace relayopt
