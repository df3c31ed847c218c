// Common parts of type rules of the neural-network families.
#include "rule_helpers.h"
#include "relayopt/support/plural.h"

#include <algorithm>

namespace relayopt {

auto AssignShape(RuleContext& rule, size_t i, Shape shape, DataType dtype) -> bool {
  return !CheckExtents(rule, shape) && rule.AssignInput(i, shape, dtype);
}

auto NeedLength(RuleContext& rule, std::string_view field, const DimList& list, size_t size) -> bool {
  if (!list.null && list.size() >= size) return true;
  if (list.null)
    rule.Error("{}: {} is missing", rule.op().name, field);
  else
    rule.Error("{}: {} has {}, at least {} are needed", rule.op().name, field, Counted(list.size(), "element"), size);
  return false;
}

auto NeedExactLength(RuleContext& rule, std::string_view field, const DimList& list, size_t size) -> bool {
  if (!list.null && list.size() == size) return true;
  if (list.null)
    rule.Error("{}: {} is missing", rule.op().name, field);
  else
    rule.Error("{}: {} has {}, it must have {}", rule.op().name, field, Counted(list.size(), "element"), size);
  return false;
}

auto NeedElementType(RuleContext& rule, std::string_view what, DataType dtype, std::initializer_list<DataType> allowed)
    -> bool {
  if (std::find(allowed.begin(), allowed.end(), dtype) != allowed.end()) return true;
  std::string names;
  for (const DataType type : allowed) names += (names.empty() ? "" : " or ") + ToString(type);
  rule.Error("{}: {} must be {}, found {}", rule.op().name, what, names, dtype.is_void() ? "none" : ToString(dtype));
  return false;
}

auto NeedPositive(RuleContext& rule, std::string_view field, const Dim& value) -> bool {
  if (!value.is_int() || value.value() > 0) return true;
  rule.Error("{}: {} must be positive, found {}", rule.op().name, field, value.value());
  return false;
}

auto NeedSteps(RuleContext& rule, std::string_view field, const DimList& list, size_t size) -> bool {
  if (!NeedLength(rule, field, list, size)) return false;
  return std::all_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(size),
                     [&](const Dim& step) { return NeedPositive(rule, field, step); });
}

auto PaddingSums(RuleContext& rule, const DimList& padding, size_t spatial) -> std::optional<SpatialDims> {
  Context& context = rule.context();
  SpatialDims sums;
  const size_t size = padding.null ? 0 : padding.size();
  for (size_t i = 0; i < spatial; ++i) {
    if (size == 1)
      sums.push_back(Mul(context, padding[0], 2));
    else if (size == spatial)
      sums.push_back(Mul(context, padding[i], 2));
    else if (size == 2 * spatial)
      sums.push_back(Add(context, padding[i], padding[i + spatial]));
  }
  if (sums.size() == spatial) return sums;
  if (spatial == 1)
    rule.Error("{}: padding has {}, it must have 1 or 2", rule.op().name, Counted(size, "element"));
  else
    rule.Error("{}: padding has {}, it must have 1, {} or {}", rule.op().name, Counted(size, "element"), spatial,
               2 * spatial);
  return std::nullopt;
}

auto DilatedExtent(Context& context, const Dim& kernel, const Dim& dilation) -> Dim {
  return Add(context, 1, Mul(context, Sub(context, kernel, 1), dilation));
}

}  // namespace relayopt
