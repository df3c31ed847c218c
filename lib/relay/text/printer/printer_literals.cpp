// Prints numbers and strings.
#include "printer_literals.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "relayopt/relay/text/printer.h"

namespace relayopt {

namespace {

// The number of digits that TVM prints with `%g`.
constexpr int kReferenceDigits = 6;

// Whether a reader that rounds `text` to a float of `bits` bits gets `value`.
auto BringsBack(std::string_view text, double value, int bits) -> bool {
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  if (bits == 64) return std::bit_cast<uint64_t>(read) == std::bit_cast<uint64_t>(value);
  if (bits == 16) return DoubleToHalf(read) == DoubleToHalf(value);
  return std::bit_cast<uint32_t>(static_cast<float>(read)) == std::bit_cast<uint32_t>(static_cast<float>(value));
}

// Returns the double that a float of `bits` bits nearest to `value` is. Values beyond its range become infinite.
auto Narrowed(double value, int bits) -> double {
  if (bits == 32) return static_cast<double>(static_cast<float>(value));
  if (bits == 16) return static_cast<double>(HalfToFloat(DoubleToHalf(value)));
  return value;
}

}  // namespace

void AppendInt(std::string& out, int64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void AppendFloatDigits(std::string& out, double value, int bits) {
  // An attribute may hold a double that its nominal type cannot: then its own digits are printed, not infinity.
  if (std::isfinite(value) && !std::isfinite(Narrowed(value, bits))) bits = 64;
  value = Narrowed(value, bits);
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  char digits[64];
  auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, kReferenceDigits).ptr;
  if (!BringsBack({digits, end}, value, bits) && bits == 32) {
    end = std::to_chars(digits, digits + sizeof digits, static_cast<float>(value)).ptr;
  }
  if (!BringsBack({digits, end}, value, bits)) end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

auto FloatDigits(double value, int bits) -> std::string {
  std::string out;
  AppendFloatDigits(out, value, bits);
  return out;
}

void AppendTypedInt(std::string& out, int64_t value, DataType dtype) {
  if (dtype.is_bool()) {
    out += value != 0 ? "True" : "False";
    return;
  }
  AppendInt(out, value);
  if (dtype == DataType::Int(16)) out += "i16";
  if (dtype == DataType::Int(64)) out += "i64";
}

void AppendTypedFloat(std::string& out, double value, DataType dtype) {
  if (dtype == DataType::Float(32) || dtype == DataType::Float(16) || dtype == DataType::Float(64)) {
    AppendFloatDigits(out, value, dtype.bits);
    out += dtype.bits == 32 ? "f" : dtype.bits == 16 ? "f16" : "f64";
    return;
  }
  // 309 digits before the point at most.
  char digits[400];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 6).ptr);
}

auto IsLiteral(const Constant& constant) -> bool {
  if (!constant.is_scalar()) return false;
  const DataType dtype = constant.dtype();
  if (dtype.is_bool()) return true;
  if (dtype.lanes != 1) return false;
  const bool standard_width = dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  return standard_width && (dtype.code == TypeCode::kInt || dtype.code == TypeCode::kFloat);
}

void AppendLiteral(std::string& out, const Constant& constant) {
  if (constant.dtype().is_float()) {
    AppendTypedFloat(out, constant.ScalarAsDouble().value_or(0), constant.dtype());
  } else {
    AppendTypedInt(out, constant.ScalarAsInt().value_or(0), constant.dtype());
  }
}

}  // namespace relayopt
