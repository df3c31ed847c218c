// Looks a call up in the table of an accelerator.
#include "accelerator.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "lib/target/attribute_text.h"
#include "relayopt/relay/ir/call_view.h"

namespace relayopt {

namespace {

// Returns the numbers in the text of an attribute, `1` or `[1, 1]`, or nothing if there is something else.
auto NumbersIn(std::string_view text) -> std::optional<std::vector<int64_t>> {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::vector<int64_t> numbers;
  while (!text.empty()) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (text.empty()) break;
    if (!text.starts_with(", ")) return std::nullopt;
    text.remove_prefix(2);
  }
  return numbers;
}

class RowCheck {
 public:
  RowCheck(const Function& function, ExprId call, const Accelerator::Row& row)
      : function_(function), context_(function.context()), call_(call), row_(row) {}

  // The number of conditions that hold before the first that fails.
  auto passed() const -> size_t { return passed_; }

  auto WhyNot() -> std::optional<std::string> {
    const auto operands = function_.operands(call_);
    for (const int64_t i : row_.constants) {
      const bool is_constant = static_cast<size_t>(i) < operands.size() &&
                               function_.kind(operands[static_cast<size_t>(i)]) == ExprKind::kConstant;
      if (!is_constant) return fmt::format("operand {} is not constant", i);
    }
    ++passed_;
    if (!row_.ranks.empty()) {
      const Type* type = operands.empty() ? nullptr : TensorType(function_, operands[0]);
      if (type == nullptr) return "its first operand is not a tensor";
      if (std::ranges::find(row_.ranks, static_cast<int64_t>(type->rank())) == row_.ranks.end())
        return fmt::format("its first operand has rank {}, not {}", type->rank(), fmt::join(row_.ranks, " or "));
    }
    ++passed_;
    if (auto reason = WhyNotTypes()) return reason;
    ++passed_;
    for (const Accelerator::AttrCondition& condition : row_.when) {
      if (auto reason = WhyNotAttribute(condition)) return reason;
      ++passed_;
    }
    return std::nullopt;
  }

 private:
  auto WhyNotTypes() const -> std::optional<std::string> {
    if (row_.dtypes.empty()) return std::nullopt;
    std::vector<ExprId> values(function_.operands(call_).begin(), function_.operands(call_).end());
    values.push_back(call_);
    for (const ExprId value : values) {
      const Type* type = TensorType(function_, value);
      if (type == nullptr) return "it works on something else than tensors";
      const std::string dtype = ToString(type->dtype);
      if (std::ranges::find(row_.dtypes, dtype) == row_.dtypes.end()) return "it works on " + dtype;
    }
    return std::nullopt;
  }

  auto WhyNotAttribute(const Accelerator::AttrCondition& condition) const -> std::optional<std::string> {
    const AttrsId attrs = function_.attrs(call_);
    const AttrsRecord* record = attrs ? &context_.attrs(attrs) : nullptr;
    const FieldInfo* field =
        record == nullptr || record->schema == nullptr ? nullptr : record->schema->Find(condition.attribute);
    if (field == nullptr) return fmt::format("it has no attribute {}", condition.attribute);
    const std::string text = AttributeText(*field, record->data);
    bool fits = false;
    if (condition.any_of.empty()) {
      const auto numbers = NumbersIn(text);
      const auto [least, most] = condition.range;
      fits = numbers && std::ranges::all_of(*numbers, [&](int64_t n) { return n >= least && n <= most; });
    } else {
      fits = std::ranges::any_of(condition.any_of, [&](const std::string& one) { return MatchesText(text, one); });
    }
    if (fits) return std::nullopt;
    return fmt::format("{} is {}", condition.attribute, text);
  }

  const Function& function_;
  Context& context_;
  ExprId call_;
  const Accelerator::Row& row_;
  size_t passed_ = 0;
};

}  // namespace

auto Accelerator::WhyNot(const Function& function, ExprId call) const -> std::optional<std::string> {
  std::string reason = "the table has no row for it";
  size_t best = 0;
  bool is_listed = false;
  for (const Row& row : rows_) {
    if (row.op != function.op(call)) continue;
    RowCheck check(function, call, row);
    auto why = check.WhyNot();
    if (!why) return std::nullopt;
    if (is_listed && check.passed() <= best) continue;
    is_listed = true;
    best = check.passed();
    reason = *std::move(why);
  }
  return reason;
}

}  // namespace relayopt
