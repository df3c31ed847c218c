// Type rules and rows of the reshape operators.
#include <algorithm>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/plural.h"

namespace relayopt {

KernelFunction SameElementsKernel;

namespace {

// Works through newshape from left to right with a cursor in the input shape. Extents that a special value copied,
// merged or split are done; -1 is the product of the input's other extents divided by that of the output's other
// extents.
class ReshapeInference {
 public:
  ReshapeInference(RuleContext& rule, Shape input, std::span<const Dim> codes, bool allow_zero)
      : rule_(rule), input_(input), codes_(codes), allow_zero_(allow_zero), used_(input.size(), false) {}

  // The shape of the result, or nothing after a diagnostic. An extent may be null where the computation overflowed.
  auto Run() -> std::optional<std::vector<Dim>> {
    for (size_t i = 0; i < codes_.size(); ++i) {
      const auto code = IntegerOf(rule_, "newshape", codes_[i]);
      if (!code || !Step(i, *code)) return std::nullopt;
    }
    if (inferred_) output_[*inferred_].dim = Inferred();
    return MapToVector<Dim>(output_, &Extent::dim);
  }

 private:
  struct Extent {
    Dim dim;
    bool settled = false;
  };

  // Processes the code at `i`, and advances `i` past the operands of -4.
  auto Step(size_t& i, int64_t code) -> bool {
    if (code > 0 || (code == 0 && allow_zero_)) {
      output_.push_back({codes_[i]});
      ++cursor_;
      return true;
    }
    switch (code) {
      case 0: return Keep();
      case -1: return Infer();
      case -2:
        while (cursor_ < input_.size()) Keep();
        return true;
      case -3: return Merge();
      case -4: return Split(i);
      default: return Fail("newshape must not contain {}", code);
    }
  }

  auto Keep() -> bool {
    if (!Need(1)) return false;
    output_.push_back({Use(), true});
    return true;
  }

  auto Infer() -> bool {
    if (inferred_) return Fail("newshape must contain -1 only once");
    inferred_ = output_.size();
    output_.push_back({1});
    ++cursor_;
    return true;
  }

  auto Merge() -> bool {
    if (!Need(2)) return false;
    const Dim a = Use();
    const Dim b = Use();
    output_.push_back({a.is_any() || b.is_any() ? Dim::Any() : Mul(rule_.context(), a, b), true});
    return true;
  }

  auto Split(size_t& i) -> bool {
    if (codes_.size() - i < 3) return Fail("-4 in newshape must be followed by two extents");
    if (!Need(1)) return false;
    const Dim whole = Use();
    Dim left = codes_[++i];
    Dim right = codes_[++i];
    if (!IntegerOf(rule_, "newshape", left) || !IntegerOf(rule_, "newshape", right)) return false;
    if (left.is(-1) && right.is(-1)) return Fail("only one of the two extents after -4 in newshape may be -1");
    if (left.is(0) || right.is(0)) return Fail("the extents after -4 in newshape must not be 0");
    if (left.is(-1))
      left = Quotient(whole, right);
    else if (right.is(-1))
      right = Quotient(whole, left);
    output_.push_back({left, true});
    output_.push_back({right, true});
    return true;
  }

  auto Quotient(const Dim& whole, const Dim& part) -> Dim {
    return whole.is_any() ? Dim::Any() : FloorDiv(rule_.context(), whole, part);
  }

  auto Inferred() -> Dim {
    Dim total = 1;
    for (size_t i = 0; i < input_.size(); ++i) {
      if (used_[i]) continue;
      if (input_[i].is_any()) return Dim::Any();
      total = Mul(rule_.context(), total, input_[i]);
    }
    for (size_t i = 0; i < output_.size(); ++i) {
      if (output_[i].settled || i == inferred_) continue;
      total = FloorDiv(rule_.context(), total, output_[i].dim);
    }
    return Simplify(rule_.context(), total);
  }

  // Whether the input has `count` more axes.
  auto Need(size_t count) -> bool {
    if (input_.size() >= count && cursor_ <= input_.size() - count) return true;
    return Fail("newshape asks for more axes than data of shape {} has", ToString(input_));
  }

  // Returns the extent under the cursor, and advances.
  auto Use() -> Dim {
    used_[cursor_] = true;
    return input_[cursor_++];
  }

  template <typename... Args>
  auto Fail(fmt::format_string<Args...> format, Args&&... args) -> bool {
    rule_.Error("{}: {}", rule_.op().name, fmt::format(format, std::forward<Args>(args)...));
    return false;
  }

  RuleContext& rule_;
  Shape input_;
  std::span<const Dim> codes_;
  bool allow_zero_;
  // Whether an input extent is done.
  std::vector<bool> used_;
  size_t cursor_ = 0;
  std::vector<Extent> output_;
  // The position of -1 in the output.
  std::optional<size_t> inferred_;
};

// Sets the result after checking that it has as many elements as the data, where that is known.
auto FinishReshape(RuleContext& rule, Shape shape) -> RuleStatus {
  const Type& data = rule.type(0);
  if (const auto status = CheckExtents(rule, shape)) return *status;
  if (AllKnown(data.shape) && AllKnown(shape)) {
    const auto from = NumElements(data.shape);
    const auto to = NumElements(shape);
    if (!from) {
      return rule.ErrorAt(0, "{}: data of shape {} has too many elements", rule.op().name, ToString(data.shape));
    }
    if (from != to) {
      return rule.Error("{}: {} of data of shape {} cannot become shape {}", rule.op().name,
                        Counted(static_cast<size_t>(*from), "element"), ToString(data.shape), ToString(shape));
    }
  }
  return rule.Done(shape, data.dtype);
}

// Returns the axis that an optional bound names, `rank` for none; negative ones count from the end. Returns nothing,
// with a diagnostic, if it is beyond `rank`.
auto Bound(RuleContext& rule, std::string_view field, const Dim& bound, size_t rank) -> std::optional<size_t> {
  if (bound.is_null()) return rank;
  const auto value = IntegerOf(rule, field, bound);
  if (!value) return std::nullopt;
  const auto end = static_cast<int64_t>(rank);
  if (*value < -end || *value > end) {
    rule.Error("{}: {} must be in [{}, {}], found {}", rule.op().name, field, -end, end, *value);
    return std::nullopt;
  }
  return static_cast<size_t>(*value < 0 ? *value + end : *value);
}

auto ReshapeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<ReshapeAttrs>();
  if (attrs.newshape.null) return rule.Error("reshape: newshape must be given, found None");
  const auto shape = ReshapeInference(rule, rule.type(0).shape, attrs.newshape.values, attrs.allowzero).Run();
  return shape ? FinishReshape(rule, *shape) : RuleStatus::kFailed;
}

auto ReverseReshapeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const auto& attrs = rule.attrs<ReshapeAttrs>();
  if (attrs.newshape.null) return rule.Error("contrib_reverse_reshape: newshape must be given, found None");
  const Shape data = rule.type(0).shape;
  const std::vector<Dim> input(data.rbegin(), data.rend());
  const std::vector<Dim> codes(attrs.newshape.values.rbegin(), attrs.newshape.values.rend());
  auto shape = ReshapeInference(rule, input, codes, attrs.allowzero).Run();
  if (!shape) return RuleStatus::kFailed;
  std::reverse(shape->begin(), shape->end());
  return FinishReshape(rule, *shape);
}

auto ReshapeLikeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const auto& attrs = rule.attrs<ReshapeLikeAttrs>();
  const Shape data = rule.type(0).shape;
  const Shape like = rule.type(1).shape;
  const auto lhs_begin = Bound(rule, "lhs_begin", attrs.lhs_begin, data.size());
  const auto lhs_end = lhs_begin ? Bound(rule, "lhs_end", attrs.lhs_end, data.size()) : std::nullopt;
  const auto rhs_begin = lhs_end ? Bound(rule, "rhs_begin", attrs.rhs_begin, like.size()) : std::nullopt;
  const auto rhs_end = rhs_begin ? Bound(rule, "rhs_end", attrs.rhs_end, like.size()) : std::nullopt;
  if (!rhs_end) return RuleStatus::kFailed;
  const Shape head = data.first(*lhs_begin);
  const Shape middle = *rhs_begin < *rhs_end ? like.subspan(*rhs_begin, *rhs_end - *rhs_begin) : Shape();
  const Shape tail = data.subspan(*lhs_end);
  std::vector<Dim> shape(head.begin(), head.end());
  shape.insert(shape.end(), middle.begin(), middle.end());
  shape.insert(shape.end(), tail.begin(), tail.end());
  return FinishReshape(rule, shape);
}

}  // namespace

constinit const OpRows<OpFamily::kReshape> kReshapeOps = NumberedRows<OpFamily::kReshape>({
    {.name = "contrib_reverse_reshape",
     .inputs = "data",
     .attrs = &kSchema<ReshapeAttrs>,
     .type = ReverseReshapeRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .doc = "reshape with the special values of newshape taken from right to left"},
    {.name = "reshape",
     .inputs = "data",
     .attrs = &kSchema<ReshapeAttrs>,
     .type = ReshapeRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .reshape_only = true,
     .shape_function = "s",
     .precision = Precision::kFollow,
     .scale_rule = ScaleRule::kRearranges,
     .doc = "another shape for the same elements in the same order"},
    {.name = "reshape_like",
     .inputs = "data, shape_like",
     .attrs = &kSchema<ReshapeLikeAttrs>,
     .type = ReshapeLikeRule,
     .kernel = SameElementsKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "reshape with a range of axes taken from another tensor's shape"},
});

}  // namespace relayopt
