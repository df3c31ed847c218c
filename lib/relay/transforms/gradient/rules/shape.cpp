// Gradients of operators that move elements: moved back.
#include <algorithm>

#include "gradient_rules.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

auto ReshapeBack(GradientContext& r) -> ExprId { return r.Emit("reshape_like"_op, {r.gradient(), r.arg(0)}); }

auto ReshapeGradient(GradientContext& r) -> Gradients { return std::vector<ExprId>{ReshapeBack(r)}; }
// The second operand only gives the shape.
auto ReshapeByOperandGradient(GradientContext& r) -> Gradients {
  return std::vector<ExprId>{ReshapeBack(r), r.ZerosLike(r.arg(1))};
}

auto CollapseGradient(GradientContext& r) -> Gradients {
  return std::vector<ExprId>{r.Emit("broadcast_to_like"_op, {r.gradient(), r.arg(0)}), r.ZerosLike(r.arg(1))};
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
  return std::vector<ExprId>{r.EmitWith("transpose"_op, back, {r.gradient()})};
}

auto ExpandDimsGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<ExpandDimsAttrs>();
  ExprId gradient = r.gradient();
  for (int64_t i = 0; i < attrs.num_newaxis; ++i) {
    gradient = r.EmitWith("squeeze"_op, SqueezeAttrs{.axis = {Dim(attrs.axis)}}, {gradient});
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
  return std::vector<ExprId>{r.EmitWith("split"_op, split, {r.gradient()})};
}

auto StackGradient(GradientContext& r) -> Gradients {
  const Dim axis = r.attrs<StackAttrs>().axis;
  const size_t count = FieldsOfOperand(r).size();
  if (!axis.is_int() || count == 0) return r.Error("the axis and the number of tensors must be known");
  SplitAttrs split;
  split.indices_or_sections = r.context().AddInt(static_cast<int64_t>(count));
  split.axis = axis.value();
  const ExprId parts = r.EmitWith("split"_op, split, {r.gradient()});
  std::vector<ExprId> fields;
  for (uint32_t i = 0; i < count; ++i) {
    const ExprId part = EmitTupleGetItem(r.to(), parts, i);
    fields.push_back(r.EmitWith("squeeze"_op, SqueezeAttrs{.axis = {axis}}, {part}));
  }
  return std::vector<ExprId>{EmitTuple(r.to(), fields)};
}

constexpr GradientRow kShapeRows[] = {
    {"collapse_sum_like"_op, CollapseGradient},
    {"collapse_sum_to"_op, CollapseGradient},
    {"concatenate"_op, ConcatenateGradient},
    {"contrib_reverse_reshape"_op, ReshapeGradient},
    {"dyn.reshape"_op, ReshapeByOperandGradient},
    {"expand_dims"_op, ExpandDimsGradient},
    {"nn.batch_flatten"_op, ReshapeGradient},
    {"reshape"_op, ReshapeGradient},
    {"reshape_like"_op, ReshapeByOperandGradient},
    {"squeeze"_op, ReshapeGradient},
    {"stack"_op, StackGradient},
    {"transpose"_op, TransposeGradient},
};

}  // namespace

auto ShapeGradients() -> std::span<const GradientRow> { return kShapeRows; }

}  // namespace relayopt
