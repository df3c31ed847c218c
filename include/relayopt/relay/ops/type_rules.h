// Type rules that operators of several families share.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/relay/ops/type_rule.h"

namespace relayopt {

// Identity: the result has the first input's type, whatever it is.
auto IdentityRule(RuleContext& rule) -> RuleStatus;

// Broadcast: the result is the broadcast of two tensors with the element type of the first; BroadcastComp: with bool.
auto BroadcastRule(RuleContext& rule) -> RuleStatus;
auto BroadcastCompareRule(RuleContext& rule) -> RuleStatus;

// IdentityComp: the result has the shape of the first input and the element type bool.
auto IdentityCompareRule(RuleContext& rule) -> RuleStatus;

// Returns the broadcast of two shapes, aligned from the right: for each axis, 1 gives way to the other extent, then `?`
// does; equal extents stay. Returns nothing if they conflict.
auto BroadcastShapes(Shape a, Shape b) -> std::optional<std::vector<Dim>>;

// Returns nothing if input `i`, a tensor, has `rank` axes, otherwise the status to return, with a diagnostic.
auto NeedRank(RuleContext& rule, size_t i, size_t rank) -> std::optional<RuleStatus>;

// Returns nothing if the extents can be those of a type. Otherwise, with a diagnostic, the status to return: an extent
// is negative or null (because it overflowed or an attribute was missing), or the number of elements overflows 64 bits.
auto CheckExtents(RuleContext& rule, Shape shape) -> std::optional<RuleStatus>;

// `rule.Done(shape, dtype)` for computed extents, after checking them.
auto DoneShape(RuleContext& rule, Shape shape, DataType dtype) -> RuleStatus;

// `axis`, counted from the end when negative, as a position; returns nothing if it is outside of [-rank, rank).
auto NormalizeAxis(int64_t axis, size_t rank) -> std::optional<size_t>;

// The same with a diagnostic. `field` is the attribute that the axis comes from.
auto AxisOf(RuleContext& rule, std::string_view field, int64_t axis, size_t rank) -> std::optional<size_t>;

// Returns the integer in an attribute, or nothing, with a diagnostic, if it is null or not constant.
auto IntegerOf(RuleContext& rule, std::string_view field, const Dim& value) -> std::optional<int64_t>;

// The integers in an attribute; nothing, with a diagnostic, when the list is null or an element is not constant.
auto IntegersOf(RuleContext& rule, std::string_view field, const DimList& list) -> std::optional<std::vector<int64_t>>;

// Returns the axes in an attribute as positions, in the given order, or nothing, with a diagnostic, if the list is null
// or an element is not an axis.
auto AxesOf(RuleContext& rule, std::string_view field, const DimList& list, size_t rank)
    -> std::optional<std::vector<size_t>>;

}  // namespace relayopt
