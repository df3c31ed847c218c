// Checks of operands that carry indices, lengths or shapes.
#include "operand_checks.h"

#include "relayopt/support/plural.h"

namespace relayopt {

auto NeedInteger(RuleContext& rule, size_t i) -> std::optional<RuleStatus> {
  const DataType dtype = rule.type(i).dtype;
  if (dtype.is_int() || dtype.is_uint()) return std::nullopt;
  return rule.ErrorAt(i, "{}: {} must have integer elements, found {}", rule.op().name, InputName(rule.op(), i),
                      ToString(dtype));
}

auto NeedSignedInteger(RuleContext& rule, size_t i) -> std::optional<RuleStatus> {
  const DataType dtype = rule.type(i).dtype;
  if (dtype.is_int()) return std::nullopt;
  return rule.ErrorAt(i, "{}: {} must have signed integer elements, found {}", rule.op().name, InputName(rule.op(), i),
                      ToString(dtype));
}

auto NeedRankAtMost(RuleContext& rule, size_t i, size_t rank) -> std::optional<RuleStatus> {
  const Shape shape = rule.type(i).shape;
  if (shape.size() <= rank) return std::nullopt;
  return rule.ErrorAt(i, "{}: {} must have at most {}, found shape {}", rule.op().name, InputName(rule.op(), i),
                      Counted(rank, "axis"), ToString(shape));
}

auto StaticLength(RuleContext& rule, size_t i) -> std::optional<size_t> {
  const Shape shape = rule.type(i).shape;
  if (shape.empty() || !shape[0].is_int()) {
    rule.ErrorAt(i, "{}: the first extent of {} must be a constant, found shape {}", rule.op().name,
                 InputName(rule.op(), i), ToString(shape));
    return std::nullopt;
  }
  const int64_t length = shape[0].value();
  if (length < 0 || length > kMaxOperandRank) {
    rule.ErrorAt(i, "{}: the first extent of {} must be between 0 and {}, found {}", rule.op().name,
                 InputName(rule.op(), i), kMaxOperandRank, length);
    return std::nullopt;
  }
  return static_cast<size_t>(length);
}

auto DoneUnknownShape(RuleContext& rule, size_t rank, DataType dtype) -> RuleStatus {
  return rule.Done(std::vector<Dim>(rank, Dim::Any()), dtype);
}

auto ShapeOf(RuleContext& rule, std::string_view field, const DimList& list) -> std::optional<std::vector<Dim>> {
  if (list.null) {
    rule.Error("{}: {} must be a list of extents, found None", rule.op().name, field);
    return std::nullopt;
  }
  if (CheckExtents(rule, list.values)) return std::nullopt;
  return list.values;
}

auto BroadcastOf(RuleContext& rule, Shape a, Shape b) -> std::optional<std::vector<Dim>> {
  auto shape = BroadcastShapes(a, b);
  if (!shape) {
    rule.Error("{}: shapes {} and {} cannot be broadcast together", rule.op().name, ToString(a), ToString(b));
  }
  return shape;
}

}  // namespace relayopt
