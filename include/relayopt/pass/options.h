// Options of passes: a struct described once by its member pointers.
//
//   struct FoldConstantOptions {
//     bool fold_qnn = false;
//     static constexpr auto Fields() { return std::array{Option<&FoldConstantOptions::fold_qnn>("...")}; }
//   };
//
// Parsing, printing, defaults and help come from the description. A member's initializer is the default.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "relayopt/support/member.h"
#include "relayopt/support/result.h"

namespace relayopt {

// JSON text as the value of an option. Well-formed when it was read from a pipeline.
struct JsonText {
  std::string text;
  friend auto operator==(const JsonText&, const JsonText&) -> bool = default;
};

// Lists of strings by name, in the order in which they were written: `{"nn.conv2d": ["NHWC", "default"], ...}`.
using StringListMap = std::vector<std::pair<std::string, std::vector<std::string>>>;

// The value of an option. The alternatives are the types that a member of an options struct may have.
using OptionValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>, StringListMap, JsonText>;

// The alternative of OptionValue that an option holds.
enum class OptionKind : uint8_t { kBool, kInt, kDouble, kString, kStringList, kStringListMap, kJson };

template <typename T>
constexpr auto OptionKindOf() -> OptionKind {
  if constexpr (std::is_same_v<T, bool>)
    return OptionKind::kBool;
  else if constexpr (std::is_same_v<T, int64_t>)
    return OptionKind::kInt;
  else if constexpr (std::is_same_v<T, double>)
    return OptionKind::kDouble;
  else if constexpr (std::is_same_v<T, std::string>)
    return OptionKind::kString;
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return OptionKind::kStringList;
  else if constexpr (std::is_same_v<T, StringListMap>)
    return OptionKind::kStringListMap;
  else {
    static_assert(std::is_same_v<T, JsonText>, "not an option type; see OptionValue");
    return OptionKind::kJson;
  }
}

// What is wrong with the value of an option, or with one element of it.
struct OptionFault {
  // What was expected, as a noun: `a data type`.
  std::string expected;
  // The offending value or element, as it was written.
  std::string found;
  // Further text for the message, including its separator: ` (did you mean ...)`.
  std::string more = {};
};

// The restrictions on a value besides its type. Messages, help and completion read them.
struct OptionValues {
  // The allowed words, separated by spaces, for a string or for each element of a list.
  std::string_view words = {};
  // The allowed words, if another table defines them.
  std::vector<std::string_view> (*choices)() = nullptr;
  // Bounds of a number, inclusive.
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
  // Any other restriction; returns nothing if the value is right.
  std::optional<OptionFault> (*check)(const OptionValue& value) = nullptr;
};

// The description of one option of a pass.
struct OptionInfo {
  // The keyword that TVM uses: `fuse_opt_level`.
  std::string_view name;
  OptionKind kind;
  // One sentence for the help text.
  std::string_view doc;
  // The address of the member inside an options struct.
  void* (*address)(void* options);
  // Whether the option must be given, because the pass cannot run without it.
  bool required = false;
  OptionValues values = {};
};

namespace option_internal {
template <auto kMember>
constexpr auto Describe(std::string_view name, bool required, std::string_view doc, OptionValues values) -> OptionInfo {
  return {name, OptionKindOf<MemberType<kMember>>(), doc, &MemberAddress<kMember>, required, values};
}
template <typename O>
constexpr auto kFields = O::Fields();
template <typename O>
auto Create(const void* from) -> std::shared_ptr<void> {
  return from == nullptr ? std::make_shared<O>() : std::make_shared<O>(*static_cast<const O*>(from));
}
}  // namespace option_internal

// Returns an option with the name of its member.
template <auto kMember>
constexpr auto Option(std::string_view doc, OptionValues values = {}) -> OptionInfo {
  return option_internal::Describe<kMember>(kMemberName<kMember>, false, doc, values);
}
// Returns an option whose name is not that of its member.
template <auto kMember>
consteval auto Option(std::string_view name, std::string_view doc, OptionValues values = {}) -> OptionInfo {
  if (name == kMemberName<kMember>) throw "the name is that of the member: leave it out";
  return option_internal::Describe<kMember>(name, false, doc, values);
}
template <auto kMember>
constexpr auto RequiredOption(std::string_view doc, OptionValues values = {}) -> OptionInfo {
  return option_internal::Describe<kMember>(kMemberName<kMember>, true, doc, values);
}

// The type-erased description of one options struct.
struct OptionsSchema {
  std::span<const OptionInfo> fields;
  // Makes a struct with every default, or a copy of `from` when that is not null.
  std::shared_ptr<void> (*create)(const void* from) = nullptr;

  auto Find(std::string_view name) const -> const OptionInfo*;
};

// The schema of the options struct O; the schema of passes without options.
template <typename O>
inline constexpr OptionsSchema kOptionsSchema = {option_internal::kFields<O>, &option_internal::Create<O>};
inline constexpr OptionsSchema kNoOptions = {};

// The options of one pass: a value that can be copied.
class PassOptions {
 public:
  explicit PassOptions(const OptionsSchema& schema)
      : schema_(&schema), data_(schema.create == nullptr ? nullptr : schema.create(nullptr)) {}

  auto schema() const -> const OptionsSchema& { return *schema_; }
  // Returns the options as their struct O.
  template <typename O>
  auto As() const -> const O& {
    return *static_cast<const O*>(data_.get());
  }
  auto data() const -> const void* { return data_.get(); }

  auto Get(const OptionInfo& option) const -> OptionValue;
  // Whether the option has its default. A value equal to the default that was given explicitly counts as the default.
  auto IsDefault(const OptionInfo& option) const -> bool;
  // Sets an option. An integer is accepted for a double, and a string for JSON. An error when `value` has another type,
  // or breaks a restriction of the option.
  auto Set(const OptionInfo& option, OptionValue value) -> std::optional<Diagnostic>;
  // Sets an option from its text in a pipeline.
  auto SetText(const OptionInfo& option, std::string_view text) -> std::optional<Diagnostic>;
  // Sets options from a JSON object such as `{"max_depth": 4}`. An error when it is not an object or names an unknown
  // option.
  auto SetJson(std::string_view json) -> std::optional<Diagnostic>;
  // Returns a copy of these options in which those with their default take the value that they have in `others`. Both
  // must have the same schema.
  auto CompletedBy(const PassOptions& others) const -> PassOptions;

 private:
  const OptionsSchema* schema_;
  std::shared_ptr<void> data_;
};

// Returns the words that the option, or each element of its list, may be, or empty if it also takes others.
auto WordsOf(const OptionInfo& option) -> std::vector<std::string_view>;

// What is wrong with a value of the option's type; returns nothing if it is allowed.
auto FaultOf(const OptionInfo& option, const OptionValue& value) -> std::optional<OptionFault>;

// Parses a value of this kind: plain words, numbers, `true` or `false`, quoted strings, JSON. Returns nothing if the
// text is not one.
auto ParseOptionValue(OptionKind kind, std::string_view text) -> std::optional<OptionValue>;

// Returns the inverse of ParseOptionValue.
auto ToString(const OptionValue& value) -> std::string;

// "an integer", "true or false", ...: the kind for messages and help.
auto KindName(OptionKind kind) -> std::string_view;

}  // namespace relayopt
