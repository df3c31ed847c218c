// Checks of operands that carry indices, lengths or shapes, shared by the type rules of several families.
#pragma once

#include <optional>
#include <vector>

#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

// More axes than this are an error, because the length of a shape operand must not let allocations grow without bound.
inline constexpr int64_t kMaxOperandRank = 1024;

// Nothing if input `i`, a tensor, has integer elements (signed ones); else the status to return, with a diagnostic.
auto NeedInteger(RuleContext& rule, size_t i) -> std::optional<RuleStatus>;
auto NeedSignedInteger(RuleContext& rule, size_t i) -> std::optional<RuleStatus>;

// Returns nothing if input `i`, a tensor, has at most `rank` axes, else the status to return, with a diagnostic.
auto NeedRankAtMost(RuleContext& rule, size_t i, size_t rank) -> std::optional<RuleStatus>;

// Returns the first extent of input `i`, a tensor, where it is a constant between 0 and kMaxOperandRank: the number of
// axes that the operand describes. Nothing, with a diagnostic, otherwise.
auto StaticLength(RuleContext& rule, size_t i) -> std::optional<size_t>;

// The result has `rank` axes of unknown extent.
auto DoneUnknownShape(RuleContext& rule, size_t rank, DataType dtype) -> RuleStatus;

// Returns the shape in an attribute, copied and checked as CheckExtents does, or nothing, with a diagnostic, if it is
// null or invalid.
auto ShapeOf(RuleContext& rule, std::string_view field, const DimList& list) -> std::optional<std::vector<Dim>>;

// Returns the shapes' broadcast, or nothing, with a diagnostic, if they conflict.
auto BroadcastOf(RuleContext& rule, Shape a, Shape b) -> std::optional<std::vector<Dim>>;

}  // namespace relayopt
