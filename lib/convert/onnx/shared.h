// Pieces of converters that several families use.
#pragma once

#include <array>

#include "formulas.h"
#include "node.h"
#include "relayopt/relay/formula/emit.h"

namespace relayopt::onnx {

// Returns an operator that Relay has under another name: all inputs, no attributes.
auto ConvertRename(Node& n) -> Results;

// Returns what the formula of the row computes of the inputs and of the attributes that are floating-point numbers.
auto ConvertFormula(Node& n) -> Results;
// Returns the results of a formula. The first name is an operand, whose element type all numbers have.
auto Computed(Node& n, const Formula& formula, std::span<const FormulaName> names) -> Exprs;
// The same for a formula of one operand, X, and with one result.
inline auto Computed(Node& n, const Formula& formula, ExprId x) -> ExprId {
  return Computed(n, formula, std::array{FormulaName{"X", x}})[0];
}

// `result`, or NaN where `x` is NaN, in imports that keep NaN.
auto KeepNaN(Node& n, ExprId x, ExprId result) -> ExprId;
// nn.relu, or NaN where `x` is NaN, in imports that keep NaN.
auto Relu(Node& n, ExprId x) -> ExprId;

// Indices with negative ones counted from the end of the axis.
auto NormalizedIndices(Emitter& em, ExprId x, ExprId indices, int64_t axis) -> ExprId;

// `x` rounded to the values of an 8-bit float or 4-bit integer type, in the Relay type that represents it.
auto RoundToElementType(Emitter& em, ExprId x, int32_t element_type, bool saturate) -> ExprId;

// Returns the data as a matrix: the axes before `axis` are its rows.
auto FlattenAt(Node& n, ExprId x, int64_t axis) -> ExprId;

// Returns the first extent of a weight, null of what has no axes.
inline auto FirstExtent(const Emitter& em, ExprId weight) -> Dim {
  return em.rank(weight) == 0 ? Dim::Null() : em.dims(weight)[0];
}

// Returns the product of two tensors as MatMul defines it.
auto MatMul(Node& n, ExprId a, ExprId b) -> ExprId;

// Attention of com.microsoft on data of which not all extents are known; `widths` are the columns of queries, keys and
// values, or empty for equal ones.
auto AttendOpen(Node& n, Ints widths) -> Results;

// x / sqrt(mean(x^2) + epsilon) * scale over these axes, and the reciprocal of the root; statistics of narrow floats
// are float32, unless the attribute stash_type says otherwise.
struct NormalizedByRms {
  ExprId normal;
  ExprId inverse;
};
auto NormalizeByRms(Node& n, ExprId x, ExprId scale, const Ints& axes) -> NormalizedByRms;

// The window of a convolution or pooling: the meaning of SAME_UPPER, SAME_LOWER, VALID and pads; see convolution.cpp.
struct Window {
  Ints kernel;
  Ints strides;
  Ints dilations;
  // Begins, then ends; none if the attribute is not there.
  std::optional<Ints> pads;
  std::string auto_pad = "NOTSET";

  auto rank() const -> int64_t { return static_cast<int64_t>(kernel.size()); }
};
// Reads the attributes; `kernel` where the node does not give kernel_shape.
auto ReadWindow(Node& n, std::optional<Ints> kernel) -> std::optional<Window>;
// As TVM: the padding of SAME_UPPER and SAME_LOWER as a pad of its own.
auto AutoPad(Node& n, ExprId x, const Window& window, ExprId value) -> ExprId;
// Returns the pads as numbers, SAME_* computed from the shape of `x`.
auto PadsOf(Node& n, ExprId x, const Window& window) -> std::optional<Ints>;

// nn.conv1d, 2d, 3d and the like by number of spatial axes; null for others.
auto ByRank(int64_t rank, const OpDef* one, const OpDef* two, const OpDef* three) -> const OpDef*;

// Softmax as the version of the node defines it.
auto Softmax(Node& n, ExprId x) -> ExprId;
// Returns the pools as the attributes of the node say, for quantized forms too.
auto AveragePool(Node& n, ExprId x) -> ExprId;
auto GlobalPool(Node& n, ExprId x, bool is_max) -> ExprId;

// For ai.onnx.ml: transforms scores (rows, classes) as the attribute post_transform says; the labels of the classes at
// these positions; for a classifier both, labels and scores.
auto TransformScores(Node& n, ExprId scores, std::string_view transform) -> ExprId;
auto LabelsAt(Node& n, ExprId positions) -> ExprId;
auto ClassOf(Node& n, ExprId scores, std::string_view transform) -> Results;

// Returns a scale or zero point, a scalar or a vector of one, as a scalar of this type.
auto ScalarOf(Node& n, ExprId x, DataType dtype) -> ExprId;

// Returns a quantized value as float: (x - zero) * scale, and back.
auto Dequantize(Emitter& em, ExprId x, ExprId scale, ExprId zero, int64_t axis = -1) -> ExprId;
auto Quantize(Node& n, ExprId x, ExprId scale, ExprId zero, DataType dtype, int64_t axis = -1) -> ExprId;
// int32 sums of products as quantized numbers: (sums * scale) / y_scale + y_zero, where y_scale may be computed.
auto Requantize(Node& n, ExprId sums, ExprId scale, ExprId y_scale, ExprId y_zero, DataType dtype, int64_t axis = -1)
    -> ExprId;

// Returns the attributes of arange, which repeat its operands.
auto ArangeAttributes(Emitter& em, ExprId start, ExprId stop, ExprId step, DataType dtype) -> std::vector<AttrSetting>;

// Loops and scans are unrolled for at most that many iterations.
constexpr int64_t kMostTurns = 10000;

// As TVM: a function of `vars`, which have types, that calls itself with `next` while `runs` holds, called with
// `initial`. Gives the tuple of the variables.
auto While(Emitter& em, const Exprs& vars, ExprId runs, const Exprs& next, const Exprs& initial) -> ExprId;

// The type of what may be of either type: extents that differ are not known. None when they have nothing in common.
auto JoinTypes(Context& context, TypeId a, TypeId b) -> TypeId;

// Returns the parts of these lengths along an axis, of which some may be empty; positions in attributes have `bits`.
auto SplitBy(Node& n, ExprId x, const Ints& lengths, int64_t axis, int bits) -> Exprs;

// Returns the values of a sequence that is known; null, with an error, where input `i` is none.
auto SequenceOf(Node& n, size_t i) -> const std::vector<Value>*;

}  // namespace relayopt::onnx
