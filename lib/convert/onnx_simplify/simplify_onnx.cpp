// SimplifyOnnx: fewer nodes for operators that move elements, and for calls of ONNX's operators.
//
// Expressions are visited in ascending order; a rule looks at a call whose operands are in their final form, and at
// what made these. Each rule replaces the call by one that skips a call before it, which goes when nothing else uses
// it:
//
//   %0 = strided_slice(%x, begin=[0], end=[9], strides=[2], axes=[2])
//   %1 = strided_slice(%0, begin=[1], end=[9], strides=[2], axes=[3])   strided_slice(%x, ..., axes=[2, 3])
//   %2 = squeeze(%1, axis=[0])
//   %3 = reshape(%2, newshape=[-1, 4])                                  reshape(%1, newshape=[-1, 4])
#include <algorithm>
#include <cmath>
#include <optional>

#include "copies.h"
#include "laws.h"
#include "lib/convert/lower/without_elements.h"
#include "lib/convert/onnx/foreign.h"
#include "moves.h"
#include "number_laws.h"
#include "relayopt/convert/onnx/simplify.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/core/tensor.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "splits.h"
#include "zeros.h"

namespace relayopt {

namespace {

class OnnxSimplifier {
 public:
  OnnxSimplifier(const Function& function, bool strict_fp)
      : function_(function),
        rebuild_(function),
        strict_fp_(strict_fp),
        users_(function.size()),
        laws_(function_, rebuild_, users_),
        numbers_(function_, rebuild_, users_, strict_fp),
        slicing_users_(function.size()),
        is_part_(function.size()),
        is_result_(function.size()) {
    for (const ExprId id : function.ids()) {
      const auto operands = function.operands(id);
      for (const ExprId operand : operands) ++users_[operand];
      if (!IsCallOf(function, id, "strided_slice"_op)) continue;
      for (const ExprId operand : operands) ++slicing_users_[operand];
    }
    for (const ExprId id : function.ids()) MarkParts(id);
    const ExprId body = function.body();
    is_result_[body] = true;
    if (function.kind(body) != ExprKind::kTuple) return;
    for (const ExprId field : function.operands(body)) is_result_[field] = true;
  }

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) -> ExprId {
      if (function_.kind(id) == ExprKind::kTupleGetItem) return PartOf(id);
      if (function_.kind(id) != ExprKind::kOpCall || !function_.type(id)) return {};
      const OpDef* op = function_.op(id);
      if (IsCopy(function_, id)) return WithoutCall(id);
      if (onnx::IsNodeOp(op)) return SimplifyForeign(id);
      const Type* result = TensorType(function_, id);
      if (const auto extents = EmptyLayerExtents(op, result)) {
        return EmitConstant(to(), Tensor(result->dtype, *extents));
      }
      if (op == "strided_slice"_op) return JoinSlices(id);
      if (op == "concatenate"_op) return JoinConcatenations(id);
      if (op == "reshape"_op || op == "squeeze"_op || op == "expand_dims"_op) return JoinMoves(id);
      if (op == "tile"_op || op == "broadcast_to"_op) return WithoutCopies(id);
      if (op == "transpose"_op) return JoinTransposedUnits(id);
      if (op == "add"_op || op == "subtract"_op) {
        const ExprId data = numbers_.WithoutZeros(id);
        return data || op == "subtract"_op ? data : JoinBias(id);
      }
      if (op == "multiply"_op || op == "divide"_op) return numbers_.Scale(id);
      if (op == "mean"_op || op == "max"_op || op == "min"_op || op == "sum"_op || op == "prod"_op) {
        const ExprId data = WithoutReduction(id);
        return data ? data : JoinReductions(id);
      }
      return laws_.Apply(id);
    });
  }

 private:
  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto made() -> const Function& { return rebuild_.to().function(); }
  auto TypeOf(ExprId new_id) -> const Type* { return TensorType(made(), new_id); }
  template <typename A>
  auto Emit(const OpDef* op, const A& attrs, ExprId data) -> ExprId {
    return EmitCallWith(to(), op, attrs, {data});
  }
  static auto List(const std::vector<int64_t>& numbers) -> DimList {
    return DimList(std::vector<Dim>(numbers.begin(), numbers.end()));
  }

  auto JoinSlices(ExprId id) -> ExprId {
    const ExprId old_data = function_.operand(id, 0);
    const ExprId data = rebuild_.New(old_data);
    const Type* type = TypeOf(data);
    const auto outer = SliceParts(function_, id);
    if (!outer || type == nullptr) return {};
    const auto inner = SliceParts(made(), data);
    // A slice that something else needs as well is not made twice.
    if (!inner || users_[old_data] != slicing_users_[old_data]) {
      const auto left = JoinedSlices({}, *outer, *type);
      if (!left) return {};
      return left->empty() ? data : InOneSpelling(id, *left, data);
    }
    const ExprId whole = made().operand(data, 0);
    const Type* whole_type = TypeOf(whole);
    const auto parts = whole_type == nullptr ? std::nullopt : JoinedSlices(*inner, *outer, *whole_type);
    if (!parts) return {};
    return parts->empty() ? whole : Emit("strided_slice"_op, SliceAttrs(*parts), whole);
  }

  // Slices that leave out the axes, have strides of other axes, or wider numbers become one spelling, so that equal
  // slices are found to be equal.
  auto InOneSpelling(ExprId id, const std::vector<AxisSlice>& parts, ExprId data) -> ExprId {
    const auto* attrs = function_.context().As<StridedSliceAttrs>(function_.attrs(id));
    const StridedSliceAttrs spelled = SliceAttrs(parts);
    const bool is_same = attrs->begin == spelled.begin && attrs->end == spelled.end &&
                         attrs->strides == spelled.strides && attrs->axes == spelled.axes;
    return is_same ? ExprId() : Emit("strided_slice"_op, spelled, data);
  }

  static auto SliceAttrs(const std::vector<AxisSlice>& parts) -> StridedSliceAttrs {
    StridedSliceAttrs attrs;
    for (DimList* list : {&attrs.begin, &attrs.end, &attrs.strides, &attrs.axes}) *list = DimList();
    for (const AxisSlice& part : parts) {
      attrs.begin.values.emplace_back(part.begin);
      attrs.end.values.emplace_back(part.end);
      attrs.strides.values.emplace_back(part.stride);
      attrs.axes.values.emplace_back(static_cast<int64_t>(part.axis));
    }
    return attrs;
  }

  // Parts that are concatenations along the same axis give their own parts, parts without elements go. Only the
  // outermost of several concatenations is made anew, with the parts of all: making each would copy them again and
  // again.
  auto JoinConcatenations(ExprId id) -> ExprId {
    const ExprId tuple = function_.operand(id, 0);
    const std::optional<int64_t> axis = ConcatenationAxis(function_, id);
    if (is_part_[id] || !axis || users_[tuple] != 1) return {};
    const ExprId whole = WholeOfParts(made(), rebuild_.New(tuple), *axis);
    if (whole && made().type(whole) == function_.type(id)) return whole;
    const std::vector<ExprId> fields = FieldsOfParts(tuple);
    std::vector<ExprId> parts;
    for (const ExprId old_field : fields) {
      const ExprId field = rebuild_.New(old_field);
      // At least one part stays, even if all are empty.
      if (!IsEmptyAlong(field, *axis) || (parts.empty() && old_field == fields.back())) parts.push_back(field);
    }
    if (parts.size() == fields.size() && std::ranges::equal(fields, function_.operands(tuple))) return {};
    if (parts.size() == 1 && made().type(parts[0]) == function_.type(id)) return parts[0];
    return Emit("concatenate"_op, ConcatenateAttrs{.axis = *axis}, EmitTuple(to(), parts));
  }

  // Marks the concatenations that are parts of this one, and of nothing else.
  void MarkParts(ExprId id) {
    const std::optional<int64_t> axis = ConcatenationAxis(function_, id);
    const ExprId tuple = axis ? function_.operand(id, 0) : ExprId();
    if (!axis || users_[tuple] != 1) return;
    for (const ExprId field : function_.operands(tuple)) {
      if (users_[field] == 1 && ConcatenationAxis(function_, field) == axis && users_[function_.operand(field, 0)] == 1)
        is_part_[field] = true;
    }
  }

  // The fields of a tuple, in whose place those of parts stand.
  auto FieldsOfParts(ExprId tuple) const -> std::vector<ExprId> {
    std::vector<ExprId> fields;
    std::vector<ExprId> rest = {tuple};
    while (!rest.empty()) {
      const ExprId next = rest.back();
      rest.pop_back();
      const bool is_tuple = next == tuple || is_part_[next];
      if (!is_tuple) {
        fields.push_back(next);
        continue;
      }
      const auto more = function_.operands(next == tuple ? tuple : function_.operand(next, 0));
      rest.insert(rest.end(), more.rbegin(), more.rend());
    }
    return fields;
  }

  auto IsEmptyAlong(ExprId field, int64_t axis) -> bool {
    const Type* type = TypeOf(field);
    return type != nullptr && axis >= 0 && axis < static_cast<int64_t>(type->rank()) &&
           type->shape[static_cast<size_t>(axis)].is(0);
  }

  // A change of the shape after another one.
  auto JoinMoves(ExprId id) -> ExprId {
    const ExprId data = rebuild_.New(function_.operand(id, 0));
    const Type* middle = TypeOf(data);
    const auto outer = MoveOf(function_, id);
    if (!outer || middle == nullptr) return {};
    if (HasExtentsOf(*middle, id)) return data;
    const auto inner = MoveOf(made(), data);
    if (const ExprId source = BeforeShapes(id, data, *outer)) {
      ReshapeAttrs attrs;
      attrs.newshape = List(outer->newshape);
      return Emit("reshape"_op, attrs, source);
    }
    if (!inner) return JoinTranspose(id, data);
    const ExprId source = made().operand(data, 0);
    const auto shape = Joined(*inner, *middle, *outer, TensorType(function_, id));
    if (IsSameShape(*inner, *outer, source, id)) return source;
    if (!shape) return {};
    ReshapeAttrs attrs;
    attrs.newshape = List(*shape);
    return Emit("reshape"_op, attrs, source);
  }

  // Returns what computed shapes were given to before `id` gives `data` a shape that needs no extent of it, or nothing
  // if it has no such shape.
  auto BeforeShapes(ExprId id, ExprId data, const Move& outer) -> ExprId {
    const Type* result = TensorType(function_, id);
    if (result == nullptr || result->rank() != outer.newshape.size()) return {};
    for (size_t i = 0; i < outer.newshape.size(); ++i) {
      // An extent that is inferred from the source instead must not have been known.
      const bool is_kept = outer.newshape[i] == 0 || (outer.newshape[i] < 0 && result->shape[i].is_int());
      if (is_kept) return {};
    }
    // Chains of them may have many users.
    constexpr int kMostShapes = 16;
    ExprId source = data;
    for (int i = 0; i < kMostShapes && IsCallOf(made(), source, "dyn.reshape"_op); ++i)
      source = made().operand(source, 0);
    return source == data || TypeOf(source) == nullptr ? ExprId() : source;
  }

  // Whether the call has a type with the extents of this one, all known. Their widths, those of the numbers in the
  // model, do not matter.
  auto HasExtentsOf(const Type& data, ExprId id) -> bool {
    const Type* result = TensorType(function_, id);
    if (result == nullptr || result->dtype != data.dtype) return false;
    const auto extents = KnownExtents(data.shape);
    return extents && extents == KnownExtents(result->shape);
  }

  // One of the results of a call.
  auto PartOf(ExprId id) -> ExprId {
    const ExprId call = function_.operand(id, 0);
    if (function_.kind(call) != ExprKind::kOpCall || !function_.type(call)) return {};
    const bool is_split = function_.op(call) == "split"_op;
    if (!is_split) return laws_.DataOfDropout(id);
    return splits_.Part(function_, id, made(), rebuild_.New(function_.operand(call, 0)));
  }

  // A tensor that keeps its extents and the order of its elements, as one that is repeated once along each axis does.
  auto WithoutCopies(ExprId id) -> ExprId {
    const ExprId data = rebuild_.New(function_.operand(id, 0));
    const Type* type = TypeOf(data);
    return type != nullptr && HasExtentsOf(*type, id) ? data : ExprId();
  }

  // A transpose that moves axes of extent 1: joined with what nothing else uses, or dropped where no extent moves.
  auto JoinTransposedUnits(ExprId id) -> ExprId {
    if (users_[function_.operand(id, 0)] == 1) return JoinMoves(id);
    return MoveOf(function_, id) ? WithoutCopies(id) : ExprId();
  }

  // A change of the shape that moves axes of extent 1, after a transpose that nothing else uses.
  auto JoinTranspose(ExprId id, ExprId data) -> ExprId {
    if (!IsCallOf(made(), data, "transpose"_op) || users_[function_.operand(id, 0)] != 1) return {};
    const auto* attrs = function_.context().As<TransposeAttrs>(made().attrs(data));
    const Type* middle = TypeOf(data);
    const Type* result = TensorType(function_, id);
    if (attrs == nullptr || attrs->axes.null || middle == nullptr || result == nullptr) return {};
    std::vector<int64_t> axes;
    for (const Dim& axis : attrs->axes.values) {
      if (!axis.is_int()) return {};
      axes.push_back(NormalizedAxis(axis.value(), middle->rank()));
    }
    const auto joined = JoinedTranspose(axes, *middle, *result);
    if (!joined) return {};
    TransposeAttrs transpose;
    transpose.axes = List(*joined);
    return Emit("transpose"_op, transpose, made().operand(data, 0));
  }

  // Whether the two moves in a row bring back each axis of the source, as a squeeze and an expand_dims do.
  auto IsSameShape(const Move& inner, const Move& outer, ExprId source, ExprId id) -> bool {
    const Type* from = TypeOf(source);
    const Type* result = TensorType(function_, id);
    if (from == nullptr || result == nullptr || from->rank() != result->rank() || outer.same_as.size() != from->rank())
      return false;
    for (size_t i = 0; i < from->rank(); ++i) {
      if (from->shape[i].is_int() && from->shape[i] == result->shape[i]) continue;
      const int64_t middle = outer.same_as[i];
      if (middle < 0 || inner.same_as[static_cast<size_t>(middle)] != static_cast<int64_t>(i)) return false;
    }
    return true;
  }

  // A constant along the channels that is added to an onnx.Conv without a bias, as its bias.
  auto JoinBias(ExprId id) -> ExprId {
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const ExprId conv = function_.operand(id, i);
      const ExprId constant = function_.operand(id, 1 - i);
      if (function_.kind(constant) != ExprKind::kConstant || function_.kind(conv) != ExprKind::kOpCall) continue;
      if (users_[conv] != 1 || function_.operands(conv).size() != 2) continue;
      const onnx::OpRow* row = onnx::RowOfOp(function_.op(conv));
      const bool is_conv = row != nullptr && row->domain.empty() && row->name == "Conv";
      if (!is_conv) continue;
      const Type* weight = TensorType(function_, function_.operand(conv, 1));
      const Type* data = TensorType(function_, conv);
      if (weight == nullptr || weight->rank() == 0 || data == nullptr) continue;
      if (function_.type(conv) != function_.type(id)) continue;
      const Constant& bias = function_.constant(constant);
      if (!LiesAlongChannels(bias, *data, weight->shape[0])) continue;
      Tensor vector(bias.dtype(), {static_cast<int64_t>(bias.num_elements())});
      std::ranges::copy(bias.Elements(), vector.MutableBytes());
      const ExprId along = EmitConstant(to(), vector);
      function_.context().Part<ConstantNames>().SetOrigin(made().constant_id(along),
                                                          {{}, function_.constant_id(constant)});
      const auto operands = rebuild_.NewOperands(conv);
      const ExprId biased = to().Copy(function_, conv, std::vector{operands[0], operands[1], along});
      to().SetSpan(biased, function_.span(id));
      return biased;
    }
    return {};
  }

  static auto LiesAlongChannels(const Constant& bias, const Type& data, Dim channels) -> bool {
    const auto shape = bias.shape();
    if (bias.dtype() != data.dtype || shape.size() > data.rank() || shape.size() + 1 < data.rank()) return false;
    const size_t front = data.rank() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i + front == 1 ? !channels.is(shape[i]) : shape[i] != 1) return false;
    }
    return true;
  }

  // The mean or sum of single elements.
  auto WithoutReduction(ExprId id) -> ExprId {
    const auto* attrs = function_.context().As<ReduceAttrs>(function_.attrs(id));
    const Type* type = TensorType(function_, function_.operand(id, 0));
    const auto axes = AxesOf(attrs, type);
    if (!axes || !std::ranges::all_of(*axes, [&](int64_t at) { return type->shape[static_cast<size_t>(at)].is(1); }))
      return {};
    const ExprId data = rebuild_.New(function_.operand(id, 0));
    if (attrs->keepdims) return data;
    SqueezeAttrs squeeze;
    squeeze.axis = attrs->axis;
    return Emit("squeeze"_op, squeeze, data);
  }

  // The axes that a reduction reduces, normalized; nothing if they are not listed.
  auto AxesOf(const ReduceAttrs* attrs, const Type* data) -> std::optional<std::vector<int64_t>> {
    if (attrs == nullptr || data == nullptr || attrs->exclude || attrs->axis.null || attrs->axis.empty())
      return std::nullopt;
    std::vector<int64_t> axes;
    for (const Dim& axis : attrs->axis.values) {
      if (!axis.is_int()) return std::nullopt;
      axes.push_back(NormalizedAxis(axis.value(), data->rank()));
    }
    std::ranges::sort(axes);
    return axes;
  }

  // A reduction of a reduction of the same kind, along axes that lie side by side: other axes take longer together.
  auto JoinReductions(ExprId id) -> ExprId {
    const ExprId old_data = function_.operand(id, 0);
    const ExprId data = rebuild_.New(old_data);
    const OpDef* op = function_.op(id);
    if (users_[old_data] != 1 || !IsCallOf(made(), data, op)) return {};
    const Type* middle = TypeOf(data);
    const ExprId whole = made().operand(data, 0);
    const Type* whole_type = TypeOf(whole);
    const auto* outer = function_.context().As<ReduceAttrs>(function_.attrs(id));
    const auto* inner = function_.context().As<ReduceAttrs>(made().attrs(data));
    const auto last = AxesOf(outer, middle);
    auto axes = AxesOf(inner, whole_type);
    if (!last || !axes || outer->keepdims != inner->keepdims) return {};
    const bool is_exact = op == "max"_op || op == "min"_op || (op != "mean"_op && !middle->dtype.is_float());
    // The mean of integers is cut to an integer each time.
    if (!is_exact && (strict_fp_ || !middle->dtype.is_float())) return {};
    const std::vector<int64_t> first = *axes;
    for (int64_t axis : *last) {
      // Axes of the result are those that the first reduction left.
      for (const int64_t gone : first) axis += !inner->keepdims && gone <= axis ? 1 : 0;
      axes->push_back(axis);
    }
    std::ranges::sort(*axes);
    axes->erase(std::ranges::unique(*axes).begin(), axes->end());
    if (axes->back() - axes->front() + 1 != static_cast<int64_t>(axes->size())) return {};
    ReduceAttrs joined = *outer;
    joined.axis = List(*axes);
    return Emit(op, joined, whole);
  }

  auto SimplifyForeign(ExprId id) -> ExprId {
    const onnx::OpRow* row = onnx::RowOfOp(function_.op(id));
    if (row == nullptr) return {};
    if (row->name == "ArrayFeatureExtractor") return WithoutMovedIndices(id);
    // It has the states at the same positions.
    if (row->name == "DynamicQuantizeLSTM") return WithoutZeroStates(id);
    if (!row->domain.empty()) return {};
    if (row->name == "Dropout") return laws_.DataOfDropout(id);
    if (row->name == "LSTM" || row->name == "GRU" || row->name == "RNN") return WithoutZeroStates(id);
    return row->name == "Where" ? laws_.Choice(id) : ExprId();
  }

  // The indices are a list, whatever shape they have.
  auto WithoutMovedIndices(ExprId id) -> ExprId {
    std::vector<ExprId> operands(rebuild_.NewOperands(id).begin(), rebuild_.NewOperands(id).end());
    if (operands.size() != 2 || !IsReshape(made(), operands[1])) return {};
    operands[1] = made().operand(operands[1], 0);
    return to().Copy(function_, id, operands);
  }

  // The only operand with elements, if no result loses its name: what is computed can have the name of one result.
  auto WithoutCall(ExprId id) -> ExprId {
    const ExprId data = function_.operand(id, 0);
    if (is_result_[id] && users_[data] != 1) {
      if (is_result_[data] || !IsComputed(data)) return {};
      is_result_[data] = true;
    }
    return rebuild_.New(data);
  }
  auto IsComputed(ExprId id) const -> bool {
    const ExprId maker = function_.kind(id) == ExprKind::kTupleGetItem ? function_.operand(id, 0) : id;
    return function_.kind(maker) == ExprKind::kOpCall;
  }

  // Initial states are zeros unless they are given.
  auto WithoutZeroStates(ExprId id) -> ExprId {
    constexpr size_t kFirstState = 5;
    constexpr size_t kLastState = 6;
    std::vector<ExprId> operands(rebuild_.NewOperands(id).begin(), rebuild_.NewOperands(id).end());
    bool is_changed = false;
    for (size_t i = kFirstState; i <= kLastState && i < operands.size(); ++i) {
      if (!IsZeros(made(), operands[i])) continue;
      operands[i] = to().OpCall(InternOpInstance(function_.context(), {onnx::NoneOp(), {}}), {});
      to().SetType(operands[i], function_.context().UnitType());
      is_changed = true;
    }
    return is_changed ? to().Copy(function_, id, operands) : ExprId();
  }

  const Function& function_;
  Rebuild rebuild_;
  const bool strict_fp_;
  SideTable<ExprId, uint32_t> users_;
  Laws laws_;
  NumberLaws numbers_;
  PartsOfSplits splits_;
  SideTable<ExprId, uint32_t> slicing_users_;
  // Concatenations whose parts the one around them takes.
  SideTable<ExprId, bool> is_part_;
  // Whether the expression is the result of the function, or a field of it.
  SideTable<ExprId, bool> is_result_;
};

struct SimplifyOnnx {
  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    return OnnxSimplifier(function, context.strict_fp()).Run();
  }
};

}  // namespace

constinit const PassDef kSimplifyOnnxPass = DescribePass<SimplifyOnnx>({
    .name = "SimplifyOnnx",
    .opt_level = 0,
    .required = "InferType",
    .summary = "merges operators that move elements, and simplifies calls of ONNX's operators",
    .details =
        R"(Slices of slices, concatenations of concatenations, and reshape, squeeze, expand_dims and transposes that only move
axes of extent 1, of each other, become one; so do a transpose and a reshape after it that only moves axes of extent 1:

  %0 = squeeze(%x, axis=[0]);
  reshape(%0, newshape=[-1, 4])      =>    reshape(%x, newshape=[-1, 4])

Reductions over axes of extent 1, moves that change nothing, sums with zeros and products with ones go if they are float32 or float16. A
reduction of a reduction along the axis beside is one, where it rounds only without --strict-fp. A
product or quotient of a product or quotient with numbers becomes one (not with --strict-fp). Initial states of
onnx.LSTM, onnx.GRU and onnx.RNN that are zeros are left out. A constant that is added to an onnx.Conv becomes its bias.
A where whose condition is the same for all elements is its operand, if that has the type of the result; so is what tile
and broadcast_to leave as it is, what is padded by nothing, copies, matrices that are flattened, the only part of a split, and what was split and
concatenated again, or the other way round. Shapes that are computed go before one that is given without them.
Calls that undo or repeat the call before them go, as relu of relu, not of not, bounds of bounds; so do and, or, xor and equal with a
truth value, a power of 1, the choice between true and false, and the Dropout whose mask nothing needs.
A layer whose result has no elements is a constant.

Left alone: slices and concatenations that something else uses as well, and shapes of which more than one extent would
have to be inferred.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
