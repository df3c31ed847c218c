// The type rule of einsum: parses the equation and determines the extent of each label.
#include <bitset>

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/support/characters.h"

namespace relayopt {

namespace {

// Stands for `...` among the labels of a subscript.
constexpr char kEllipsis = '\0';

// `ab,bc->ac` as the labels of each operand and of the result.
struct Equation {
  std::vector<std::string> inputs;
  std::string output;

  // Returns nothing after a diagnostic.
  static auto Parse(RuleContext& rule, std::string_view text) -> std::optional<Equation> {
    Equation equation;
    std::string current;
    bool has_arrow = false;
    for (size_t i = 0; i < text.size(); ++i) {
      const std::string_view rest = text.substr(i);
      if (IsLetter(rest[0])) {
        current += rest[0];
      } else if (rest.starts_with("...") && current.find(kEllipsis) == std::string::npos) {
        current += kEllipsis;
        i += 2;
      } else if (!has_arrow && (rest[0] == ',' || rest.starts_with("->"))) {
        equation.inputs.push_back(std::exchange(current, {}));
        has_arrow = rest[0] == '-';
        if (has_arrow) ++i;
      } else if (rest[0] != ' ') {
        rule.Error("einsum: unexpected character at position {} of equation \"{}\"", i, text);
        return std::nullopt;
      }
    }
    if (has_arrow) {
      equation.output = std::move(current);
    } else {
      equation.inputs.push_back(std::move(current));
      equation.output = equation.ImplicitOutput();
    }
    return equation;
  }

 private:
  // Returns the ellipsis, then the labels that occur once in all operands together, in the order of their codes.
  auto ImplicitOutput() const -> std::string {
    std::array<size_t, 128> counts{};
    for (const std::string& input : inputs) {
      for (const char label : input) ++counts[static_cast<unsigned char>(label)];
    }
    std::string out;
    for (size_t code = 0; code < counts.size(); ++code) {
      const auto label = static_cast<char>(code);
      if (label == kEllipsis ? counts[code] != 0 : counts[code] == 1) out += label;
    }
    return out;
  }
};

// Collects the extents of the labels over the operands.
class EinsumInference {
 public:
  explicit EinsumInference(RuleContext& rule) : rule_(rule) {}

  // Takes in one operand; false after a diagnostic.
  auto Take(std::string_view subscript, Shape shape) -> bool {
    const bool has_ellipsis = subscript.find(kEllipsis) != std::string_view::npos;
    const size_t labels = subscript.size() - (has_ellipsis ? 1 : 0);
    if (has_ellipsis ? shape.size() < labels : shape.size() != labels) {
      rule_.ErrorAt(0, "einsum: the equation gives an operand {} labels, its shape is {}", labels, ToString(shape));
      return false;
    }
    size_t axis = 0;
    for (const char label : subscript) {
      if (label == kEllipsis) {
        const size_t count = shape.size() - labels;
        if (!TakeEllipsis(shape.subspan(axis, count))) return false;
        axis += count;
      } else if (!TakeLabel(label, shape[axis++])) {
        return false;
      }
    }
    return true;
  }

  // Returns the shape of the result, or nothing after a diagnostic.
  auto Output(std::string_view labels) -> std::optional<std::vector<Dim>> {
    std::vector<Dim> shape;
    std::bitset<128> seen;
    for (const char label : labels) {
      if (label == kEllipsis) {
        shape.insert(shape.end(), ellipsis_.begin(), ellipsis_.end());
        continue;
      }
      const auto code = static_cast<unsigned char>(label);
      if (extents_[code].is_null() || seen[code]) {
        rule_.Error("einsum: label {} of the result must occur in an operand and only once in the result", label);
        return std::nullopt;
      }
      seen[code] = true;
      shape.push_back(extents_[code]);
    }
    return shape;
  }

 private:
  auto Conflict(const Dim& a, const Dim& b) -> bool {
    rule_.ErrorAt(0, "einsum: extents {} and {} of one label differ and neither is 1", ToString(a), ToString(b));
    return false;
  }

  // As TVM: an extent of another kind takes precedence over a constant; elsewhere the constant does.
  auto TakeLabel(char label, const Dim& extent) -> bool {
    Dim& known = extents_[static_cast<unsigned char>(label)];
    if (known.is_null() || (known.is_int() && !extent.is_int())) {
      known = extent;
    } else if (known.is_int()) {
      if (known.is(1))
        known = extent;
      else if (!extent.is(1) && known.value() != extent.value())
        return Conflict(known, extent);
    } else if (!extent.is_int()) {
      known = Max(rule_.context(), known, extent);
    }
    return true;
  }

  // Aligned from the right with what other operands have there.
  auto TakeEllipsis(Shape shape) -> bool {
    if (shape.size() > ellipsis_.size()) {
      const auto more = static_cast<std::ptrdiff_t>(shape.size() - ellipsis_.size());
      ellipsis_.insert(ellipsis_.begin(), shape.begin(), shape.begin() + more);
      shape = shape.subspan(static_cast<size_t>(more));
    }
    for (size_t i = 0; i < shape.size(); ++i) {
      const Dim& extent = shape[i];
      Dim& known = ellipsis_[ellipsis_.size() - shape.size() + i];
      if (known.is(1) || (extent.is_int() && !extent.is(1) && !known.is_int()))
        known = extent;
      else if (extent.is(1) || SameExtent(known, extent) || known.is_int() != extent.is_int())
        continue;
      else if (known.is_int())
        return Conflict(known, extent);
      else
        known = Max(rule_.context(), known, extent);
    }
    return true;
  }

  RuleContext& rule_;
  // Indexed by the label's character; null for labels that did not occur.
  std::array<Dim, 128> extents_{};
  std::vector<Dim> ellipsis_;
};

auto Einsum(RuleContext& rule, const EinsumAttrs& attrs) -> RuleStatus {
  if (rule.unknown(0)) return rule.Wait();
  const Type& data = rule.type(0);
  if (!data.is_tuple() || data.args.empty()) {
    return rule.ErrorAt(0, "einsum: data must be a tuple of at least one tensor");
  }
  for (const TypeId field : data.args) {
    const Type& type = rule.context().type(field);
    if (type.is_incomplete()) return rule.Wait();
    if (!type.is_tensor()) return rule.ErrorAt(0, "einsum: each field of data must be a tensor");
  }
  const auto equation = Equation::Parse(rule, attrs.equation);
  if (!equation) return RuleStatus::kFailed;
  if (equation->inputs.size() != data.args.size()) {
    return rule.ErrorAt(0, "einsum: the equation \"{}\" has {} operands, data has {} fields", attrs.equation,
                        equation->inputs.size(), data.args.size());
  }
  const DataType dtype = rule.context().type(data.args[0]).dtype;
  EinsumInference inference(rule);
  for (size_t i = 0; i < data.args.size(); ++i) {
    const Type& operand = rule.context().type(data.args[i]);
    if (operand.dtype != dtype) {
      return rule.ErrorAt(0, "einsum: the fields of data must have one element type, found {} and {}", ToString(dtype),
                          ToString(operand.dtype));
    }
    if (!inference.Take(equation->inputs[i], operand.shape)) return RuleStatus::kFailed;
  }
  const auto shape = inference.Output(equation->output);
  if (!shape) return RuleStatus::kFailed;
  return DoneShape(rule, *shape, dtype);
}

}  // namespace

auto EinsumRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, Einsum); }

}  // namespace relayopt
