// Operators that keep the elements and their order and change the shape only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/slicing.h"

namespace relayopt {

// Returns the type of an expression if it is known and a tensor, or null.
auto TensorTypeOf(const Function& function, ExprId id) -> const Type*;

// How an operator moves the elements of its first operand: `newshape` as a reshape of it has it (0 keeps the extent of
// that axis, -1 is inferred).
struct Move {
  std::vector<int64_t> newshape;
  // For each axis of the result, the axis of the operand that has the same extent; -1 if none is known.
  std::vector<int64_t> same_as;
};

// The move of reshape, squeeze, expand_dims, and of a transpose that moves axes of extent 1 only; nullopt for other
// expressions, and where a reshape of the operand cannot express it.
auto MoveOf(const Function& function, ExprId id) -> std::optional<Move>;

// Whether an expression has the elements of its first operand in the same order.
auto IsReshape(const Function& function, ExprId id) -> bool;

// The shape of `outer`, applied to the result of `inner`, as a shape for the operand of `inner`; nullopt if there is
// none. `middle` is the type between them, `result` that of `outer`, or null.
auto Joined(const Move& inner, const Type& middle, const Move& outer, const Type* result)
    -> std::optional<std::vector<int64_t>>;

// The axes of a strided_slice; nullopt for other expressions and for numbers that are not known.
auto SliceParts(const Function& function, ExprId id) -> std::optional<std::vector<AxisSlice>>;

// A slice of a slice as one, without the axes that are taken whole; nullopt if one slice cannot express it. `whole` is
// the type of what is sliced.
auto JoinedSlices(const std::vector<AxisSlice>& inner, const std::vector<AxisSlice>& outer, const Type& whole)
    -> std::optional<std::vector<AxisSlice>>;

// Returns the axes of a transpose that does the same as the transpose by `axes` (whose result is `middle`) and a change
// of the shape to `result` after it: one that moves axes of extent 1 only. Returns nothing if there is none.
auto JoinedTranspose(const std::vector<int64_t>& axes, const Type& middle, const Type& result)
    -> std::optional<std::vector<int64_t>>;

}  // namespace relayopt
