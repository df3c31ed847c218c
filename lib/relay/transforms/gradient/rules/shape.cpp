// Gradients of operators that move elements: moved back.
#include <algorithm>

#include "gradient_rules.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

auto ReshapeBack(GradientContext& r) -> ExprId { return r.Call("reshape_like"_op, {r.gradient(), r.arg(0)}); }

auto ReshapeGradient(GradientContext& r) -> Gradients { return std::vector<ExprId>{ReshapeBack(r)}; }
// The second operand only gives the shape.
auto ReshapeByOperandGradient(GradientContext& r) -> Gradients {
  return std::vector<ExprId>{ReshapeBack(r), r.ZerosLike(r.arg(1))};
}

auto CollapseGradient(GradientContext& r) -> Gradients {
  return std::vector<ExprId>{r.Call("broadcast_to_like"_op, {r.gradient(), r.arg(0)}), r.ZerosLike(r.arg(1))};
}

auto TransposeGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<TransposeAttrs>();
  TransposeAttrs back;
  if (!attrs.axes.empty()) {
    const auto rank = static_cast<int64_t>(attrs.axes.size());
    back.axes = DimList(std::vector<Dim>(attrs.axes.size()));
    for (int64_t i = 0; i < rank; ++i) {
      const Dim& axis = attrs.axes[static_cast<size_t>(i)];
      const int64_t at = !axis.is_int() ? -1 : axis.value() < 0 ? axis.value() + rank : axis.value();
      if (at < 0 || at >= rank) return r.Error("axis {} of {}", axis.is_int() ? axis.value() : -1, rank);
      back.axes.values[static_cast<size_t>(at)] = Dim(i);
    }
  }
  return std::vector<ExprId>{r.CallWith("transpose"_op, back, {r.gradient()})};
}

auto ExpandDimsGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<ExpandDimsAttrs>();
  ExprId gradient = r.gradient();
  for (int64_t i = 0; i < attrs.num_newaxis; ++i) {
    gradient = r.CallWith("squeeze"_op, SqueezeAttrs{.axis = {Dim(attrs.axis)}}, {gradient});
  }
  return std::vector<ExprId>{gradient};
}

// Returns the types of the tensors that the tuple operand holds.
auto FieldsOfOperand(GradientContext& r) -> std::span<const TypeId> {
  const TypeId type = r.to().function().type(r.arg(0));
  return type && r.context().type(type).is_tuple() ? r.context().type(type).args : std::span<const TypeId>();
}

auto ConcatenateGradient(GradientContext& r) -> Gradients {
  const int64_t axis = r.attrs<ConcatenateAttrs>().axis;
  const auto fields = FieldsOfOperand(r);
  std::vector<ObjectId> positions;
  int64_t position = 0;
  // A sum with an int64 is an int64.
  int bits = 32;
  for (size_t i = 0; i + 1 < fields.size(); ++i) {
    const Type& field = r.context().type(fields[i]);
    const auto rank = static_cast<int64_t>(field.rank());
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (!field.is_tensor() || at < 0 || at >= rank || !field.shape[static_cast<size_t>(at)].is_int()) {
      return r.Error("the extents along axis {} must be known", axis);
    }
    const Dim& extent = field.shape[static_cast<size_t>(at)];
    position += extent.value();
    bits = std::max(bits, extent.bits());
    positions.push_back(r.context().AddInt(position, DataType::Int(bits)));
  }
  SplitAttrs split;
  split.indices_or_sections = r.context().AddArray(positions);
  split.axis = axis;
  return std::vector<ExprId>{r.CallWith("split"_op, split, {r.gradient()})};
}

auto StackGradient(GradientContext& r) -> Gradients {
  const Dim axis = r.attrs<StackAttrs>().axis;
  const size_t count = FieldsOfOperand(r).size();
  if (!axis.is_int() || count == 0) return r.Error("the axis and the number of tensors must be known");
  SplitAttrs split;
  split.indices_or_sections = r.context().AddInt(static_cast<int64_t>(count));
  split.axis = axis.value();
  const ExprId parts = r.CallWith("split"_op, split, {r.gradient()});
  std::vector<ExprId> fields;
  for (uint32_t i = 0; i < count; ++i) {
    const ExprId part = EmitTupleGetItem(r.to(), parts, i);
    fields.push_back(r.CallWith("squeeze"_op, SqueezeAttrs{.axis = {axis}}, {part}));
  }
  return std::vector<ExprId>{EmitTuple(r.to(), fields)};
}

// The copies of an element lie along an axis of their own once the extents are split: [copies, extent] for tile,
// [extent, copies] for repeat.
auto SumOfCopies(GradientContext& r, const std::vector<int64_t>& split, std::vector<Dim> copies) -> Gradients {
  ReshapeAttrs reshape{.newshape = DimList()};
  for (const int64_t extent : split) reshape.newshape.values.emplace_back(extent);
  const ExprId parts = r.CallWith("reshape"_op, reshape, {r.gradient()});
  const ExprId sum = r.CallWith("sum"_op, ReduceAttrs{.axis = DimList(std::move(copies))}, {parts});
  return std::vector<ExprId>{r.Call("reshape_like"_op, {sum, r.arg(0)})};
}

auto TileGradient(GradientContext& r) -> Gradients {
  RELAYOPT_TRY(const std::vector<int64_t> shape, r.StaticShape(r.arg(0)));
  const DimList& reps = r.attrs<TileAttrs>().reps;
  const size_t rank = std::max(shape.size(), reps.size());
  std::vector<int64_t> split;
  std::vector<Dim> copies;
  for (size_t i = 0; i < rank; ++i) {
    const bool has_rep = i >= rank - reps.size();
    const Dim rep = has_rep ? reps[i - (rank - reps.size())] : Dim(1);
    if (!rep.is_int()) return r.Error("the number of copies must be known");
    copies.emplace_back(static_cast<int64_t>(split.size()));
    split.push_back(rep.value());
    split.push_back(i >= rank - shape.size() ? shape[i - (rank - shape.size())] : 1);
  }
  return SumOfCopies(r, split, std::move(copies));
}

auto RepeatGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<RepeatAttrs>();
  RELAYOPT_TRY(const std::vector<int64_t> shape, r.StaticShape(r.arg(0)));
  if (!attrs.repeats.is_int()) return r.Error("the number of copies must be known");
  const auto rank = static_cast<int64_t>(shape.size());
  const int64_t axis = !attrs.axis.is_int()     ? -1
                       : attrs.axis.value() < 0 ? attrs.axis.value() + rank
                                                : attrs.axis.value();
  if (axis < 0 || axis >= rank) return r.Error("the axis must be one of {}", rank);
  std::vector<int64_t> split(shape);
  split.insert(split.begin() + axis + 1, attrs.repeats.value());
  return SumOfCopies(r, split, {Dim(axis + 1)});
}

// An element counts in all totals after it: the gradients are added up from the end.
auto CumsumGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<ScanopAttrs>();
  const bool is_flat = !attrs.axis.is_int();
  ScanopAttrs scan;
  scan.axis = is_flat ? Dim(0) : attrs.axis;
  scan.exclusive = attrs.exclusive;
  const ReverseAttrs reverse{.axis = scan.axis};
  const ExprId gradient = r.Call("cast_like"_op, {r.gradient(), r.arg(0)});
  const ExprId totals = r.CallWith("cumsum"_op, scan, {r.CallWith("reverse"_op, reverse, {gradient})});
  const ExprId back = r.CallWith("reverse"_op, reverse, {totals});
  return std::vector<ExprId>{is_flat ? r.Call("reshape_like"_op, {back, r.arg(0)}) : back};
}

constexpr GradientRow kShapeRows[] = {
    {"collapse_sum_like"_op, CollapseGradient},
    {"collapse_sum_to"_op, CollapseGradient},
    {"concatenate"_op, ConcatenateGradient},
    {"contrib_reverse_reshape"_op, ReshapeGradient},
    {"cumsum"_op, CumsumGradient},
    {"dyn.reshape"_op, ReshapeByOperandGradient},
    {"expand_dims"_op, ExpandDimsGradient},
    {"nn.batch_flatten"_op, ReshapeGradient},
    {"repeat"_op, RepeatGradient},
    {"reshape"_op, ReshapeGradient},
    {"reshape_like"_op, ReshapeByOperandGradient},
    {"squeeze"_op, ReshapeGradient},
    {"stack"_op, StackGradient},
    {"tile"_op, TileGradient},
    {"transpose"_op, TransposeGradient},
};

}  // namespace

auto ShapeGradients() -> std::span<const GradientRow> { return kShapeRows; }

}  // namespace relayopt
