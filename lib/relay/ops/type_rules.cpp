// Type rules that operators of several families share.
#include "relayopt/relay/ops/type_rules.h"
#include "relayopt/support/plural.h"

#include <algorithm>

namespace relayopt {

auto IdentityRule(RuleContext& rule) -> RuleStatus { return rule.DoneSameAs(0); }

auto BroadcastShapes(Shape a, Shape b) -> std::optional<std::vector<Dim>> {
  const size_t rank = std::max(a.size(), b.size());
  const size_t common = std::min(a.size(), b.size());
  const Shape longer = a.size() >= b.size() ? a : b;
  std::vector<Dim> out(longer.begin(), longer.end());
  for (size_t i = 0; i < common; ++i) {
    const Dim& x = a[a.size() - 1 - i];
    const Dim& y = b[b.size() - 1 - i];
    Dim& to = out[rank - 1 - i];
    if (x.is(1))
      to = y;
    else if (y.is(1))
      to = x;
    else if (x.is_any())
      to = y;
    else if (y.is_any())
      to = x;
    else if (SameExtent(x, y))
      to = x;
    else
      return std::nullopt;
  }
  return out;
}

namespace {

auto Broadcast(RuleContext& rule, std::optional<DataType> result) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  const Type& a = rule.type(0);
  const Type& b = rule.type(1);
  if (a.dtype != b.dtype) {
    return rule.ErrorAt(1, "{}: {} is {} but {} is {}", rule.op().name, InputName(rule.op(), 0), ToString(a.dtype),
                        InputName(rule.op(), 1), ToString(b.dtype));
  }
  const DataType dtype = result.value_or(a.dtype);
  // The most common cases need no new shape.
  if (rule.input(0) == rule.input(1) || b.shape.empty()) {
    return dtype == a.dtype ? rule.Done(rule.input(0)) : rule.Done(a.shape, dtype);
  }
  const auto shape = BroadcastShapes(a.shape, b.shape);
  if (!shape) {
    return rule.ErrorAt(1, "{}: shapes {} and {} cannot be broadcast together", rule.op().name, ToString(a.shape),
                        ToString(b.shape));
  }
  return rule.Done(*shape, dtype);
}

}  // namespace

auto BroadcastRule(RuleContext& rule) -> RuleStatus { return Broadcast(rule, std::nullopt); }

auto BroadcastCompareRule(RuleContext& rule) -> RuleStatus { return Broadcast(rule, DataType::Bool()); }

auto IdentityCompareRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  return rule.Done(rule.type(0).shape, DataType::Bool());
}

auto NeedRank(RuleContext& rule, size_t i, size_t rank) -> std::optional<RuleStatus> {
  const Shape shape = rule.type(i).shape;
  if (shape.size() == rank) return std::nullopt;
  return rule.ErrorAt(i, "{}: {} must have {}, found shape {}", rule.op().name, InputName(rule.op(), i),
                      Counted(rank, "axis"), ToString(shape));
}

auto CheckExtents(RuleContext& rule, Shape shape) -> std::optional<RuleStatus> {
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is_null()) {
      return rule.Error("{}: extent {} of the result overflows 64 bits or is not given", rule.op().name, i);
    }
    if (shape[i].is_int() && shape[i].value() < 0) {
      return rule.Error("{}: extent {} of the result would be {}, which is negative", rule.op().name, i,
                        shape[i].value());
    }
  }
  const auto positive = [](const Dim& dim) { return dim.is_int() && !dim.is(0); };
  if (std::all_of(shape.begin(), shape.end(), positive) && !NumElements(shape)) {
    return rule.Error("{}: a result of shape {} has too many elements", rule.op().name, ToString(shape));
  }
  return std::nullopt;
}

auto DoneShape(RuleContext& rule, Shape shape, DataType dtype) -> RuleStatus {
  if (const auto status = CheckExtents(rule, shape)) return *status;
  return rule.Done(shape, dtype);
}

auto NormalizeAxis(int64_t axis, size_t rank) -> std::optional<size_t> {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

auto AxisOf(RuleContext& rule, std::string_view field, int64_t axis, size_t rank) -> std::optional<size_t> {
  const auto normal = NormalizeAxis(axis, rank);
  if (!normal) {
    rule.Error("{}: {} {} is outside the range of a tensor with {}", rule.op().name, field, axis,
               Counted(rank, "axis"));
  }
  return normal;
}

auto IntegerOf(RuleContext& rule, std::string_view field, const Dim& value) -> std::optional<int64_t> {
  if (value.is_int()) return value.value();
  rule.Error("{}: {} must be an integer constant, found {}", rule.op().name, field, ToString(value));
  return std::nullopt;
}

auto IntegersOf(RuleContext& rule, std::string_view field, const DimList& list) -> std::optional<std::vector<int64_t>> {
  if (list.null) {
    rule.Error("{}: {} must be a list of integers, found None", rule.op().name, field);
    return std::nullopt;
  }
  std::vector<int64_t> out;
  out.reserve(list.size());
  for (const Dim& dim : list) {
    const auto value = IntegerOf(rule, field, dim);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

auto AxesOf(RuleContext& rule, std::string_view field, const DimList& list, size_t rank)
    -> std::optional<std::vector<size_t>> {
  const auto values = IntegersOf(rule, field, list);
  if (!values) return std::nullopt;
  std::vector<size_t> out;
  out.reserve(values->size());
  for (const int64_t value : *values) {
    const auto axis = AxisOf(rule, field, value, rank);
    if (!axis) return std::nullopt;
    out.push_back(*axis);
  }
  return out;
}

}  // namespace relayopt
