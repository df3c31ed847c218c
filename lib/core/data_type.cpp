// Names of data types.
#include "relayopt/core/data_type.h"

#include <charconv>
#include <limits>

namespace relayopt {

namespace {

struct CodeName {
  std::string_view name;
  TypeCode code;
  int default_bits;
};

// In the order in which prefixes are tried.
constexpr CodeName kCodeNames[] = {
    {"int", TypeCode::kInt, 32},        {"uint", TypeCode::kUInt, 32},     {"float", TypeCode::kFloat, 32},
    {"handle", TypeCode::kHandle, 64},  {"bfloat", TypeCode::kBFloat, 32}, {"e4m3_float", TypeCode::kE4M3, 8},
    {"e5m2_float", TypeCode::kE5M2, 8},
};

// Reads decimal digits off the front of `text`; returns nothing if there are none or they exceed `max`.
auto TakeNumber(std::string_view& text, int max) -> std::optional<int> {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || value > max) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

}  // namespace

auto LargestFinite(DataType type) -> double {
  if (type == DataType::Float(64)) return std::numeric_limits<double>::max();
  if (type == DataType::Float(16)) return 65504;
  if (type == DataType::BFloat(16)) return 3.38953138925153547590470800371487867e+38;
  if (type.code == TypeCode::kE4M3) return 448;
  if (type.code == TypeCode::kE5M2) return 57344;
  return std::numeric_limits<float>::max();
}

auto ToString(DataType type) -> std::string {
  if (type.is_void()) return "";
  if (type.is_bool()) return "bool";
  std::string out;
  for (const CodeName& entry : kCodeNames) {
    if (entry.code == type.code) out = entry.name;
  }
  if (type.code == TypeCode::kHandle) return out;
  out += std::to_string(type.bits);
  if (type.lanes != 1) out += "x" + std::to_string(type.lanes);
  return out;
}

auto ParseDataType(std::string_view text) -> std::optional<DataType> {
  if (text.empty() || text == "void") return DataType::Void();
  if (text == "bool") return DataType::Bool();
  // Vectors of bool are written `uint1x4`; newer versions of TVM write `boolx4`.
  if (text.starts_with("boolx")) {
    text.remove_prefix(5);
    const auto lanes = TakeNumber(text, 65535);
    const bool is_whole = lanes && *lanes != 0 && text.empty();
    return is_whole ? std::optional(DataType{TypeCode::kUInt, 1, static_cast<uint16_t>(*lanes)}) : std::nullopt;
  }
  for (const CodeName& entry : kCodeNames) {
    if (!text.starts_with(entry.name)) continue;
    text.remove_prefix(entry.name.size());
    DataType type{entry.code, static_cast<uint8_t>(entry.default_bits), 1};
    if (!text.empty() && text.front() != 'x') {
      const auto bits = TakeNumber(text, 255);
      if (!bits) return std::nullopt;
      if (*bits != 0) type.bits = static_cast<uint8_t>(*bits);
    }
    if (!text.empty() && text.front() == 'x') {
      text.remove_prefix(1);
      const auto lanes = TakeNumber(text, 65535);
      if (!lanes || *lanes == 0) return std::nullopt;
      type.lanes = static_cast<uint16_t>(*lanes);
    }
    // TVM takes floats of any width, of which there are none.
    const bool is_float = type.code == TypeCode::kFloat || type.code == TypeCode::kBFloat;
    return text.empty() && (!is_float || type.bits % 8 == 0) ? std::optional(type) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace relayopt
