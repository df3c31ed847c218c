// Checks of option values that are names.
#include "relayopt/pass/option_checks.h"

#include "relayopt/core/data_type.h"
#include "relayopt/target/target.h"

namespace relayopt {

namespace {

// Suggests similar names of types.
auto NearTypes(std::string_view name) -> std::string {
  return DidYouMean(name, {"float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8",
                           "uint16", "uint32", "uint64", "bool"});
}

}  // namespace

auto CheckFloatType(const OptionValue& value) -> std::optional<OptionFault> {
  const auto& name = std::get<std::string>(value);
  const auto dtype = ParseDataType(name);
  if (dtype && dtype->lanes == 1 && dtype->is_float() &&
      (dtype->bits == 16 || dtype->bits == 32 || dtype->bits == 64)) {
    return std::nullopt;
  }
  return OptionFault{"a float type", name, NearTypes(name)};
}

auto CheckIntType(const OptionValue& value) -> std::optional<OptionFault> {
  const auto& name = std::get<std::string>(value);
  const auto dtype = ParseDataType(name);
  if (dtype && dtype->lanes == 1 && dtype->is_int() && dtype->bits <= 64) return std::nullopt;
  return OptionFault{"a type of signed integers", name, NearTypes(name)};
}

auto CheckPositive(const OptionValue& value) -> std::optional<OptionFault> {
  const double number = std::get<double>(value);
  if (number > 0) return std::nullopt;
  return OptionFault{"a positive number", fmt::format("{}", number)};
}

auto CheckTarget(const OptionValue& value) -> std::optional<OptionFault> {
  const auto& text = std::get<std::string>(value);
  if (text.empty()) return std::nullopt;
  const Result<Target> target = Target::Parse(text);
  if (target) return std::nullopt;
  return OptionFault{"a target", text, ": " + target.error().text};
}

}  // namespace relayopt
