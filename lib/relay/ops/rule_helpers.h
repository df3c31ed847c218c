// Checks and computations for the beginning and the end of type rules of the neural-network families.
#pragma once

#include <optional>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "relayopt/relay/ops/type_rule.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

// One extent or padding amount per spatial axis.
using SpatialDims = absl::InlinedVector<Dim, 3>;

// Runs `body` on the call's record of attributes. The class of the record may differ from the operator's, or the record
// may be missing where the operator declares none: that is reported.
template <typename A>
auto WithAttrs(RuleContext& rule, RuleStatus (*body)(RuleContext&, const A&)) -> RuleStatus {
  const A* attrs = rule.attrs_if<A>();
  if (attrs == nullptr) return rule.Error("{}: needs attributes of class {}", rule.op().name, A::kTypeKey);
  return body(rule, *attrs);
}

// Infers that input `i` has a computed shape, which is checked first. Returns false after a diagnostic.
auto AssignShape(RuleContext& rule, size_t i, Shape shape, DataType dtype) -> bool;

// Whether the list attribute `field` exists and has at least (exactly) `size` elements; reports an error if not.
auto NeedLength(RuleContext& rule, std::string_view field, const DimList& list, size_t size) -> bool;
auto NeedExactLength(RuleContext& rule, std::string_view field, const DimList& list, size_t size) -> bool;

// Whether `value`, the attribute `field` or an element of it, is not a constant below 1; reports when it is.
auto NeedPositive(RuleContext& rule, std::string_view field, const Dim& value) -> bool;

// Whether the list attribute `field` has at least `size` elements, the first `size` of them positive; reports when not.
auto NeedSteps(RuleContext& rule, std::string_view field, const DimList& list, size_t size) -> bool;

// Whether `dtype` (of an input or attribute, which `what` names) is one of `allowed`; reports an error if not.
auto NeedElementType(RuleContext& rule, std::string_view what, DataType dtype, std::initializer_list<DataType> allowed)
    -> bool;

// Returns the sum of the padding before and after each of `spatial` axes (1 to 3): the list has one element for all,
// one per axis for both sides, or the amounts before all axes, then those after all axes. Another length is reported.
auto PaddingSums(RuleContext& rule, const DimList& padding, size_t spatial) -> std::optional<SpatialDims>;

// Extent of a window of `kernel` elements that are `dilation` apart.
auto DilatedExtent(Context& context, const Dim& kernel, const Dim& dilation) -> Dim;

// Returns the attribute's element type, or `fallback` where it is void.
constexpr auto OutType(DataType attribute, DataType fallback) -> DataType {
  return attribute.is_void() ? fallback : attribute;
}

}  // namespace relayopt
