// Recognizes reductions, normalization, products, accesses that count from the end, and 8-bit floats that models spell
// out.
#include <algorithm>
#include <array>
#include <cmath>

#include "readers.h"
#include "relayopt/core/extents.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/formula/match.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"

namespace relayopt::onnx::out {

namespace {

// Returns the axes of a mean over the last axes that keeps them, or nothing for other expressions.
auto FirstOfLastAxes(const Place& mean) -> std::optional<int64_t> {
  if (!mean.is("mean"_op) && !mean.is("sum"_op)) return std::nullopt;
  const auto* attrs = mean.attrs<ReduceAttrs>();
  const Type* type = mean.Operand(0).type();
  if (attrs == nullptr || type == nullptr || !attrs->keepdims || attrs->exclude) return std::nullopt;
  auto axes = KnownExtents(attrs->axis.values);
  if (!axes || axes->empty()) return std::nullopt;
  for (int64_t& axis : *axes) axis = NormalizedAxis(axis, type->rank());
  std::ranges::sort(*axes);
  for (size_t i = 0; i < axes->size(); ++i) {
    if ((*axes)[i] != static_cast<int64_t>(type->rank() - axes->size() + i)) return std::nullopt;
  }
  return (*axes)[0];
}

// Indices that count from the end where they are negative, as they do in ONNX.
auto FromTheEnd(const Place& places, Dim extent) -> Place {
  constexpr std::string_view kExtent[] = {"n"};
  const auto match = MatchFormula("where(i < 0, i + n, i)"_formula, places.function(), places.id(), kExtent);
  if (!match || !extent.is_int() || match->number("n") != static_cast<double>(extent.value())) return places.None();
  const Place index(places.function(), match->operand("i"));
  const Type* type = index.type();
  const bool is_index = type != nullptr && (type->dtype == kIndexType || type->dtype == DataType::Int(32));
  return is_index ? index : places.None();
}

// Returns the shape of the indices, or nothing if it is not known.
auto ShapeOf(const Place& place) -> std::optional<std::vector<int64_t>> {
  return place.type() == nullptr ? std::nullopt : KnownExtents(place.type()->shape);
}

// -- normalization --

// Whether it is the square of the difference of x and its mean.
auto IsSquare(const Place& square, const Place& x, const Place& mean) -> bool {
  return std::ranges::any_of(std::array{"(X - Mean) * (X - Mean)"_formula, "power(X - Mean, 2)"_formula},
                             [&](const Formula& formula) {
                               const auto match = MatchFormula(formula, square.function(), square.id(), {});
                               return match && match->operand("X") == x.id() && match->operand("Mean") == mean.id();
                             });
}

// Returns the extents from an axis on.
auto LastExtents(const Place& x, int64_t axis) -> std::optional<std::vector<int64_t>> {
  return x.type() == nullptr ? std::nullopt : KnownExtents(x.type()->shape.subspan(static_cast<size_t>(axis)));
}

// Returns the first of the last axes along which the squares of the difference of x and its mean have this mean, or
// this sum divided by their count.
auto VarianceAxis(const Place& variance, const Place& x, const Place& mean) -> std::optional<int64_t> {
  double divisor = 1;
  const Place sum = variance.Beside("divide"_op, divisor, 1);
  const Place spread = sum ? sum : variance;
  const auto first = FirstOfLastAxes(spread);
  if (!first || spread.is("sum"_op) != static_cast<bool>(sum) || !IsSquare(spread.Operand(0), x, mean)) {
    return std::nullopt;
  }
  const auto extents = LastExtents(x, *first);
  if (!extents) return std::nullopt;
  return !sum || IsNear(divisor, static_cast<double>(Product(*extents))) ? first : std::nullopt;
}

}  // namespace

auto ReadLayerNorm(const Place& root) -> std::optional<RestoredNode> {
  constexpr Formula kSpellings[] = {
      "(X - Mean) / sqrt(Variance + epsilon) * Scale + B"_formula,
      "(X - Mean) * rsqrt(Variance + epsilon) * Scale + B"_formula,
      "(X - Mean) * (1 / sqrt(Variance + epsilon)) * Scale + B"_formula,
  };
  constexpr std::string_view kEpsilon[] = {"epsilon"};
  for (const Formula& spelling : kSpellings) {
    const auto match = MatchFormula(spelling, root.function(), root.id(), kEpsilon);
    if (!match) continue;
    const auto place = [&](std::string_view name) { return Place(root.function(), match->operand(name)); };
    const Place x = place("X");
    const Place mean = place("Mean");
    if (!IsSingle(x) || !KeepsType(root, x) || !mean.is("mean"_op) || !(mean.Operand(0) == x)) return std::nullopt;
    const auto axis = VarianceAxis(place("Variance"), x, mean);
    if (!axis || axis != FirstOfLastAxes(mean)) return std::nullopt;
    const auto shape = LastExtents(x, *axis);
    if (ShapeOf(place("Scale")) != shape || ShapeOf(place("B")) != shape) return std::nullopt;
    return RestoredNode{"LayerNormalization",
                        {x.id(), match->operand("Scale"), match->operand("B")},
                        {Float("epsilon", match->number("epsilon")), Int("axis", *axis)}};
  }
  return std::nullopt;
}

// -- reductions --

// Other reductions need version 18, with axes as input.
auto ReadReduction(std::string_view op_type, const Place& root) -> std::optional<RestoredNode> {
  const Place sum = root.is("sum"_op) ? root : root.Operand(0);
  const Place x = sum.Operand(0).Operand(0);
  const auto* attrs = sum.attrs<ReduceAttrs>();
  if (attrs == nullptr || attrs->exclude || !IsSingle(x)) return std::nullopt;
  const auto axes = KnownExtents(attrs->axis.values);
  if (!axes || axes->empty()) return std::nullopt;
  return RestoredNode{op_type, {x.id()}, {Ints("axes", *axes), Int("keepdims", attrs->keepdims ? 1 : 0)}, 18};
}

auto ReadLogSoftmax(const Place& root) -> std::optional<RestoredNode> {
  const Place softmax = root.Operand(0);
  const Place x = softmax.Operand(0);
  if (!IsSingle(x)) return std::nullopt;
  const int64_t axis = NormalizedAxis(softmax.attrs<SoftmaxAttrs>()->axis, x.type()->rank());
  return RestoredNode{"LogSoftmax", {x.id()}, {Int("axis", axis)}};
}

// -- accesses --

namespace {

// Returns the access along the axis in the attributes, which are of an operator on data and indices.
template <typename A>
auto ReadAccess(std::string_view op_type, const Place& root) -> std::optional<RestoredNode> {
  const auto* attrs = root.attrs<A>();
  const Place data = root.Operand(0);
  if (attrs == nullptr || !attrs->axis.is_int() || data.type() == nullptr) return std::nullopt;
  const int64_t axis = NormalizedAxis(attrs->axis.value(), data.type()->rank());
  const Place index = FromTheEnd(root.Operand(1), data.type()->shape[static_cast<size_t>(axis)]);
  if (!index) return std::nullopt;
  return RestoredNode{op_type, {data.id(), index.id()}, {Int("axis", axis)}};
}

}  // namespace

auto ReadGather(const Place& root) -> std::optional<RestoredNode> {
  const auto* attrs = root.attrs<TakeAttrs>();
  return attrs == nullptr || !attrs->batch_dims.is(0) ? std::nullopt : ReadAccess<TakeAttrs>("Gather", root);
}

auto ReadGatherElements(const Place& root) -> std::optional<RestoredNode> {
  return ReadAccess<GatherAttrs>("GatherElements", root);
}

// -- products of tensors of any rank --

namespace {

// Whether both factors and the product are of one type that the kernel of MatMul has.
auto HasProduct(const Place& left, const Place& right, const Place& product) -> bool {
  const DataType dtype = product.type()->dtype;
  if (left.type()->dtype != dtype || right.type()->dtype != dtype) return false;
  return dtype == DataType::Float(32) || dtype == DataType::Int(32);
}

// reshape(a b) of reshaped a, and b if there is a batch, that MatMul multiplies as they are.
struct Product {
  Place left;
  Place right;
  Place call;
  bool is_batch() const { return call.is("nn.batch_matmul"_op); }
  // The second matrix is given transposed.
  bool is_dense() const { return call.is("nn.dense"_op); }
};
auto ReadProduct(const Place& root) -> Product {
  const auto before = [](const Place& place) {
    return place.is("reshape"_op) || place.is("dyn.reshape"_op) ? place.Operand(0) : place;
  };
  const Place call = root.Operand(0);
  const bool is_batch = call.is("nn.batch_matmul"_op);
  return {before(call.Operand(0)), is_batch ? before(call.Operand(1)) : call.Operand(1), call};
}

}  // namespace

auto IsMatMul(const Function& function, ExprId root, const SymbolicShapes& shapes) -> bool {
  const Place place(function, root);
  const Product product = ReadProduct(place);
  const auto* a = shapes.ExtentsOf(product.left.id());
  const auto* b = shapes.ExtentsOf(product.right.id());
  const auto* inner = shapes.ExtentsOf(product.call.Operand(0).id());
  const auto* rows = shapes.ExtentsOf(product.call.id());
  const auto* result = shapes.ExtentsOf(root);
  if (a == nullptr || b == nullptr || inner == nullptr || rows == nullptr || result == nullptr) return false;
  const size_t rank = result->size();
  if (rank < 3 || a->size() != rank || b->size() < 2 || (product.is_batch() && b->size() != rank)) return false;
  if (!HasProduct(product.left, product.right, place)) return false;
  // Both reshapes keep the matrices, so the axes that are multiplied along have equal extents.
  const auto* matrix = shapes.ExtentsOf(product.call.Operand(1).id());
  if (matrix == nullptr || matrix->back() != b->back() || (*matrix)[matrix->size() - 2] != (*b)[b->size() - 2]) {
    return false;
  }
  const ExtentId columns = product.is_dense() ? (*b)[0] : b->back();
  if (a->back() != inner->back()) return false;
  if ((*result)[rank - 2] != (*a)[rank - 2] || result->back() != columns || rows->back() != columns) return false;
  for (size_t i = 0; i + 2 < rank; ++i) {
    if ((*a)[i] != (*result)[i] || (product.is_batch() && (*b)[i] != (*result)[i])) return false;
  }
  return true;
}

auto WriteMatMul(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                 const std::function<Values(ExprId)>& value) -> CallOutputs {
  const Product product = ReadProduct(Place(function, root));
  OnnxCall call(model, graph, function, root, {});
  const Name left = value(product.left.id())[0];
  if (!product.is_dense()) return One(call.Add("MatMul", {left, value(product.right.id())[0]}));
  const Constant& matrix = function.constant(product.right.id());
  const auto rows = static_cast<size_t>(matrix.shape()[0]);
  const auto columns = static_cast<size_t>(matrix.shape()[1]);
  const size_t width = matrix.dtype().bytes();
  const ElementBytes elements = matrix.Elements();
  std::vector<std::byte> moved(elements.size());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < columns; ++k) {
      std::copy_n(elements.begin() + static_cast<int64_t>((i * columns + k) * width), width,
                  moved.begin() + static_cast<int64_t>((k * rows + i) * width));
    }
  }
  const Name right = model.Initializer({matrix.dtype(), {matrix.shape()[1], matrix.shape()[0]}, std::move(moved)});
  return One(call.Add("MatMul", {left, right}));
}

// Returns a softmax of rows, as old models flatten their data for it, where a row is one axis and axes of one element.
auto ReadSoftmax(const Place& root) -> std::optional<RestoredNode> {
  const Place softmax = root.Operand(0);
  const bool is_log = softmax.is("nn.log_softmax"_op);
  const Place flat = softmax.Operand(0);
  const Place x = flat.Operand(0);
  const auto shape = ShapeOf(x);
  const auto rows = ShapeOf(flat);
  if (!shape || !rows || shape != ShapeOf(root) || rows->empty() || shape->empty() || !IsSingle(x)) return std::nullopt;
  const auto last = static_cast<int64_t>(rows->size()) - 1;
  if (NormalizedAxis(softmax.attrs<SoftmaxAttrs>()->axis, rows->size()) != last) return std::nullopt;
  size_t axis = shape->size() - 1;
  while (axis > 0 && (*shape)[axis] == 1) --axis;
  if ((*shape)[axis] != rows->back()) return std::nullopt;
  return RestoredNode{is_log ? "LogSoftmax" : "Softmax", {x.id()}, {Int("axis", static_cast<int64_t>(axis))}};
}

// Returns a slope for each element, of flattened data.
auto ReadPRelu(const Place& root) -> std::optional<RestoredNode> {
  const Place prelu = root.Operand(0);
  const Place x = prelu.Operand(0).Operand(0);
  Place slope = prelu.Operand(1).Operand(0);
  if (slope.is("broadcast_to"_op)) slope = slope.Operand(0);
  const bool fits = IsSingle(x) && ShapeOf(x) && ShapeOf(x) == ShapeOf(root);
  return fits ? std::optional(RestoredNode{"PRelu", {x.id(), slope.id()}}) : std::nullopt;
}

// -- 8-bit floats --

// Rounding to an 8-bit float as the importer expands it; see lib/convert/onnx/cast.cpp. Formats are distinguished by
// their smallest normal number, and by what numbers beyond the largest become.
auto ReadFloat8(const Place& root) -> std::optional<RestoredNode> {
  double zero = 0;
  const bool has_no_negative_zero = root.is("add"_op);
  const Place chosen = has_no_negative_zero ? root.Beside("add"_op, zero) : root;
  const Place x = chosen.Operand(0).Operand(0);
  const Place upper = chosen.Operand(2).Operand(2);
  const auto beyond = upper.Operand(1).number();
  const auto smallest = upper.Operand(2).Operand(0).Operand(1).number();
  if (!IsSingle(x) || zero != 0 || !beyond || !smallest) return std::nullopt;
  struct Format {
    double smallest;
    int32_t element_type;
    bool has_no_negative_zero;
  };
  constexpr Format kFormats[] = {{0x1p-6, kFloat8E4M3FN, false},
                                 {0x1p-7, kFloat8E4M3FNUZ, true},
                                 {0x1p-14, kFloat8E5M2, false},
                                 {0x1p-15, kFloat8E5M2FNUZ, true}};
  for (const Format& format : kFormats) {
    // SimplifyExpr removes the addition of 0, which turns a negative zero into a positive one.
    if (format.smallest != smallest || (has_no_negative_zero && !format.has_no_negative_zero)) continue;
    RestoredNode found{"Cast", {x.id()}, {Int("to", format.element_type)}, 19};
    if (!std::isfinite(*beyond)) found.attributes.push_back(Int("saturate", 0));
    return found;
  }
  return std::nullopt;
}

}  // namespace relayopt::onnx::out
