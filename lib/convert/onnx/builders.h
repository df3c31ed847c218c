// Calls that many converters make, with the attributes that TVM's builder functions leave: a shape that is
// constant becomes an attribute, any other one the operand of a dynamic operator.
#pragma once

#include "emitter.h"

namespace relayopt::onnx {

// Elementwise.
auto Add(Emitter& em, ExprId a, ExprId b) -> ExprId;
auto Sub(Emitter& em, ExprId a, ExprId b) -> ExprId;
auto Mul(Emitter& em, ExprId a, ExprId b) -> ExprId;
auto Div(Emitter& em, ExprId a, ExprId b) -> ExprId;
auto Less(Emitter& em, ExprId a, ExprId b) -> ExprId;
auto Greater(Emitter& em, ExprId a, ExprId b) -> ExprId;
auto Maximum(Emitter& em, ExprId a, ExprId b) -> ExprId;
auto Minimum(Emitter& em, ExprId a, ExprId b) -> ExprId;
auto Where(Emitter& em, ExprId condition, ExprId x, ExprId y) -> ExprId;
auto Cast(Emitter& em, ExprId x, DataType dtype) -> ExprId;
// The same; nothing is emitted when `x` has the type already.
auto CastTo(Emitter& em, ExprId x, DataType dtype) -> ExprId;
auto Clip(Emitter& em, ExprId x, double low, double high) -> ExprId;
auto Power(Emitter& em, ExprId x, double exponent) -> ExprId;
// To the nearest integer, halves to the even one. NaN and infinities stay.
auto RoundHalfEven(Emitter& em, ExprId x) -> ExprId;
auto IsNaN(Emitter& em, ExprId x) -> ExprId;

// Shapes.
auto Reshape(Emitter& em, ExprId x, const Ints& shape) -> ExprId;
auto ReshapeBy(Emitter& em, ExprId x, ExprId shape, bool allowzero = false) -> ExprId;
auto Transpose(Emitter& em, ExprId x, const Ints& axes) -> ExprId;
auto ExpandDims(Emitter& em, ExprId x, int64_t axis, int64_t count = 1) -> ExprId;
auto Squeeze(Emitter& em, ExprId x, const Ints& axes) -> ExprId;
auto Concat(Emitter& em, const Exprs& parts, int64_t axis) -> ExprId;
auto Stack(Emitter& em, const Exprs& parts, int64_t axis) -> ExprId;
// Returns a tuple of equal parts.
auto Split(Emitter& em, ExprId x, int64_t parts, int64_t axis) -> ExprId;
// Returns the parts between positions, which have the elements' width `bits` in the attribute.
auto SplitAt(Emitter& em, ExprId x, const Ints& positions, int64_t axis, int bits = 32) -> ExprId;
// Returns the parts of a tuple, each projected once.
auto Parts(Emitter& em, ExprId tuple, int64_t count) -> Exprs;
auto BroadcastTo(Emitter& em, ExprId x, ExprId shape) -> ExprId;
auto BroadcastToInts(Emitter& em, ExprId x, const Ints& shape) -> ExprId;
// Returns a constant without elements.
auto EmptyOf(Emitter& em, const Ints& shape, DataType dtype) -> ExprId;
auto Tile(Emitter& em, ExprId x, ExprId reps) -> ExprId;
auto Full(Emitter& em, ExprId value, ExprId shape, DataType dtype) -> ExprId;
auto Zeros(Emitter& em, ExprId shape, DataType dtype) -> ExprId;
// Returns the elements of a constant as an attribute, of the width that they have in it.
auto DimsOf(Emitter& em, ExprId constant) -> DimList;

// Parts of tensors.
auto Take(Emitter& em, ExprId x, ExprId indices, std::optional<int64_t> axis = std::nullopt) -> ExprId;
auto SliceInts(Emitter& em, ExprId x, const Ints& begin, const Ints& end, const Ints& strides,
               std::optional<Ints> axes = std::nullopt) -> ExprId;
// [begin, end) of one axis.
auto SliceAxis(Emitter& em, ExprId x, int64_t axis, int64_t begin, int64_t end) -> ExprId;
// As TVM: strided_slice with lists that may be expressions; without axes.
auto SliceBy(Emitter& em, ExprId x, ExprId begin, ExprId end, ExprId strides) -> ExprId;
auto Gather(Emitter& em, ExprId x, ExprId indices, int64_t axis) -> ExprId;
auto ScatterElements(Emitter& em, ExprId x, ExprId indices, ExprId updates, int64_t axis,
                     std::string_view reduction = "update") -> ExprId;
auto OneHot(Emitter& em, ExprId indices, ExprId on, ExprId off, int64_t depth, int64_t axis, DataType dtype) -> ExprId;
// Zeros, or `value`, around the data: a pair for each axis, of the width of `bits`.
auto PadInts(Emitter& em, ExprId x, const std::vector<std::pair<int64_t, int64_t>>& widths, ExprId value,
             std::string_view mode = "constant", int bits = 32) -> ExprId;
// The same with a tensor of pairs.
auto PadBy(Emitter& em, ExprId x, ExprId widths, ExprId value, std::string_view mode) -> ExprId;

// Reductions: a list of axes as an attribute.
auto Reduce(Emitter& em, const OpDef* op, ExprId x, const Ints& axes, bool keepdims) -> ExprId;
// Over all axes, without naming them.
auto ReduceAll(Emitter& em, const OpDef* op, ExprId x) -> ExprId;

// Matrices.
auto Dense(Emitter& em, ExprId x, ExprId weight, Dim units = Dim::Null(), DataType out_dtype = DataType::Void())
    -> ExprId;

// 0, 1, ... n-1.
auto Iota(int64_t n) -> Ints;

}  // namespace relayopt::onnx
