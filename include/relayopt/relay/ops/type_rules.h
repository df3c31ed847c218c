// Type rules that operators of several families share.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/relay/ops/type_rule.h"

namespace relayopt {

// The result is the first input's type, whatever it is (Identity).
auto IdentityRule(RuleContext& rule) -> RuleStatus;

// The broadcast of two tensors, with the element type of the first (Broadcast) or bool (BroadcastComp).
auto BroadcastRule(RuleContext& rule) -> RuleStatus;
auto BroadcastCompareRule(RuleContext& rule) -> RuleStatus;

// The shape of the first input with element type bool (IdentityComp).
auto IdentityCompareRule(RuleContext& rule) -> RuleStatus;

// Broadcasts two shapes, aligned from the right: 1 yields, then `?` yields, equal extents stay; nothing when they
// conflict.
auto BroadcastShapes(Shape a, Shape b) -> std::optional<std::vector<Dim>>;

// Nothing when input `i`, a tensor, has `rank` axes; else the status to return, with a diagnostic.
auto NeedRank(RuleContext& rule, size_t i, size_t rank) -> std::optional<RuleStatus>;

// Nothing when every extent is fit for a type; else, with a diagnostic, the status to return: an extent is negative, or
// null because it overflowed or an attribute was missing, or the number of elements overflows 64 bits.
auto CheckExtents(RuleContext& rule, Shape shape) -> std::optional<RuleStatus>;

// `rule.Done(shape, dtype)` for computed extents, which are checked first.
auto DoneShape(RuleContext& rule, Shape shape, DataType dtype) -> RuleStatus;

// `axis` counted from the end when negative; nothing when outside [-rank, rank).
auto NormalizeAxis(int64_t axis, size_t rank) -> std::optional<size_t>;

// The same with a diagnostic. `field` is the attribute that gave the axis.
auto AxisOf(RuleContext& rule, std::string_view field, int64_t axis, size_t rank) -> std::optional<size_t>;

// The constant in an attribute; nothing, with a diagnostic, when it is null or no constant.
auto IntegerOf(RuleContext& rule, std::string_view field, const Dim& value) -> std::optional<int64_t>;

// The constants in an attribute; nothing, with a diagnostic, when the list is null or an element is no constant.
auto IntegersOf(RuleContext& rule, std::string_view field, const DimList& list) -> std::optional<std::vector<int64_t>>;

// The axes in an attribute, counted from the front, in the order given; nothing, with a diagnostic, when the list is
// null or an element is no axis.
auto AxesOf(RuleContext& rule, std::string_view field, const DimList& list, size_t rank)
    -> std::optional<std::vector<size_t>>;

}  // namespace relayopt
