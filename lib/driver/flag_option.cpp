// Describes rows of flags to CLI11. The checks are CLI11's; only their messages are ours.
#include "flag_option.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <type_traits>

#include "relayopt/support/diagnostic.h"

namespace relayopt {

namespace {

template <typename T>
struct NumberType {
  using Type = T;
};
template <typename T>
struct NumberType<std::optional<T>> {
  using Type = T;
};

// Returns the bounds as people write them: `from 0`, `from 0 to 1024`.
auto BoundsText(double min, double max) -> std::string {
  if (min == std::numeric_limits<double>::lowest()) return "";
  std::string text = fmt::format(" from {}", min);
  if (max != std::numeric_limits<double>::max()) text += fmt::format(" to {}", max);
  return text;
}

// Returns the check with a message of ours.
auto WithMessage(const CLI::Validator& check, const std::function<std::string(const std::string&)>& message)
    -> CLI::Validator {
  return {[check, message](std::string& value) { return check(value).empty() ? "" : message(value); }, ""};
}

template <typename T>
auto NumberCheck(const FlagDef& flag) -> CLI::Validator {
  const double min = std::is_unsigned_v<T> ? std::max(flag.min, 0.0) : flag.min;
  const auto is_finite = [](std::string& value) {
    double number = 0;
    return CLI::detail::lexical_cast(value, number) && std::isfinite(number) ? "" : "not finite";
  };
  const CLI::Validator check =
      CLI::TypeValidator<T>() & CLI::Validator(is_finite, "") & CLI::Range(min, flag.max, "in bounds");
  return WithMessage(check, [min, max = flag.max](const std::string& value) {
    return fmt::format("'{}' is not a {}number{}", Printable(value), std::is_integral_v<T> ? "whole " : "",
                       BoundsText(min, max));
  });
}

// Returns the words of a row, and those that its check accepts in addition.
auto TextCheck(const FlagDef& flag, const std::vector<std::string_view>& words) -> CLI::Validator {
  const auto own = flag.check;
  CLI::Validator by_row([own](std::string& value) { return own == nullptr ? "" : own(value); }, "");
  if (words.empty()) return by_row;
  const CLI::IsMember member(std::vector<std::string>(words.begin(), words.end()));
  if (own != nullptr) return WithMessage(member | by_row, own);
  return WithMessage(member, [words](const std::string& value) {
    return fmt::format("'{}' is none of {}{}", Printable(value), fmt::join(words, ", "), DidYouMean(value, words));
  });
}

auto SwitchCheck() -> CLI::Validator {
  return WithMessage(CLI::IsMember({"0", "1", "true", "false", "on", "off"}),
                     [](const std::string& value) { return fmt::format("'{}' is neither 0 nor 1", Printable(value)); });
}

void AddChecks(CLI::Option& option, const FlagDef& flag) {
  if (!flag.may_be_empty) {
    option.check(CLI::Validator(
        [&flag](std::string& value) {
          return !value.empty() ? ""
                                : fmt::format("the value is missing: write {}={}", ShownName(flag),
                                              IsSwitch(flag) ? "0" : flag.value);
        },
        ""));
  }
  std::visit(
      [&]<typename T>(const T*) {
        using Number = typename NumberType<T>::Type;
        if constexpr (std::is_same_v<T, bool>) {
          option.check(SwitchCheck());
        } else if constexpr (std::is_arithmetic_v<Number>) {
          option.check(NumberCheck<Number>(flag));
        } else if (const auto words = WordsOf(flag); flag.check != nullptr || !words.empty()) {
          option.check(TextCheck(flag, words));
        }
      },
      flag.read(ToolOptions()));
}

}  // namespace

auto AddOption(CLI::App& app, const FlagDef& flag, ToolOptions& options) -> CLI::Option* {
  std::string names = flag.name.empty() ? "" : fmt::format("--{}", flag.name);
  if (flag.letter != 0) names += fmt::format("{}-{}", names.empty() ? "" : ",", flag.letter);
  const auto place = flag.edit(options);
  CLI::Option* option =
      std::visit([&](auto* value) { return app.add_option(names, *value, std::string(flag.help)); }, place);
  option->group(std::string(TitleOf(flag.group)))->type_name(std::string(flag.value));
  // A value for each occurrence; lists take all of them, other options the last.
  option->expected(1)->allow_extra_args(false)->delimiter(flag.separator);
  if (std::holds_alternative<std::vector<std::string>*>(place)) {
    option->take_all();
  } else {
    option->take_last();
  }
  AddChecks(*option, flag);
  return option;
}

}  // namespace relayopt
