// Rules of SimplifyExpr: consecutive reshapes, transposes and layout changes become one.
#include <algorithm>

#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/layout_transform.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/support/map_to_vector.h"
#include "rules.h"

namespace relayopt {

namespace {

auto IsReshape(const Simplifier& to, ExprId id) -> bool {
  return to.IsCallOf(id, "reshape"_op) || to.IsCallOf(id, "contrib_reverse_reshape"_op);
}

}  // namespace

auto simplify_rules::SimplifyReshape(Simplifier& to, const CallSite& call) -> ExprId {
  const ExprId inner = call.args[0];
  const Type* type = to.TensorType(call.type);
  if (type == nullptr || !IsReshape(to, inner)) return {};
  const bool is_static = AllKnown(type->shape);
  if (!is_static || !to.IsInner(inner)) return {};
  const ExprId data = to.made().operand(inner, 0);
  to.Commit(call, {inner});
  return EmitReshape(to, data, DimList(std::vector<Dim>(type->shape.begin(), type->shape.end())));
}

namespace {

// A change of layout by its axes: from[i] is the axis of the data that axis i of the result is.
using Axes = std::vector<size_t>;

auto AxesOf(const TransposeAttrs& attrs, size_t rank) -> std::optional<Axes> {
  Axes axes(rank);
  if (attrs.axes.null || attrs.axes.empty()) {
    for (size_t i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
    return axes;
  }
  if (attrs.axes.size() != rank) return std::nullopt;
  for (size_t i = 0; i < rank; ++i) {
    if (!attrs.axes[i].is_int()) return std::nullopt;
    const int64_t axis = attrs.axes[i].value() + (attrs.axes[i].value() < 0 ? static_cast<int64_t>(rank) : 0);
    if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
    axes[i] = static_cast<size_t>(axis);
  }
  return axes;
}

// Returns nothing if the layouts do not have the same axes.
auto AxesOf(const Layout& from, const Layout& to) -> std::optional<Axes> {
  if (from.rank() != to.rank()) return std::nullopt;
  Axes axes;
  for (const LayoutAxis& axis : to.axes()) {
    const auto found = std::ranges::find(from.axes(), axis);
    if (found == from.axes().end() || std::ranges::count(from.axes(), axis) != 1) return std::nullopt;
    axes.push_back(static_cast<size_t>(found - from.axes().begin()));
  }
  return axes;
}

// A transpose or layout_transform.
struct Move {
  // Either both are set or neither.
  std::optional<Layout> from;
  std::optional<Layout> to;
  // When it only reorders axes.
  std::optional<Axes> axes;

  auto is_layout_transform() const -> bool { return from.has_value(); }
};

auto MoveOf(const Context& context, const OpDef* op, AttrsId attrs, size_t rank) -> std::optional<Move> {
  if (op == "transpose"_op) {
    const auto* transpose = context.As<TransposeAttrs>(attrs);
    if (transpose == nullptr) return std::nullopt;
    return Move{{}, {}, AxesOf(*transpose, rank)};
  }
  const auto* transform = op == "layout_transform"_op ? context.As<LayoutTransformAttrs>(attrs) : nullptr;
  if (transform == nullptr) return std::nullopt;
  auto from = Layout::Parse(transform->src_layout);
  auto to = Layout::Parse(transform->dst_layout);
  if (!from || !to) return std::nullopt;
  auto axes = AxesOf(*from, *to);
  return Move{std::move(from), std::move(to), std::move(axes)};
}

auto IsUnpacked(const Layout& layout) -> bool {
  return std::ranges::all_of(layout.axes(), [](const LayoutAxis& axis) { return axis.is_primal(); });
}

// Two moves as one layout_transform, when one of them splits or joins axes; returns nothing if that is not possible.
auto AsLayoutTransform(const Move& first, const Move& second) -> std::optional<LayoutTransformAttrs> {
  if (first.is_layout_transform() && second.is_layout_transform() && !first.axes && !second.axes) {
    if (first.to->name() != second.from->name() || !first.from->ConvertibleTo(*second.to)) return std::nullopt;
    return LayoutTransformAttrs{first.from->name(), second.to->name()};
  }
  if (!second.axes && first.axes && second.is_layout_transform()) {
    if (!IsUnpacked(*second.from) || first.axes->size() != second.from->rank()) return std::nullopt;
    std::vector<LayoutAxis> from(first.axes->size());
    for (size_t i = 0; i < from.size(); ++i) from[(*first.axes)[i]] = second.from->axes()[i];
    return LayoutTransformAttrs{Layout::FromAxes(from)->name(), second.to->name()};
  }
  if (!first.axes && second.axes && first.is_layout_transform()) {
    if (!IsUnpacked(*first.to) || second.axes->size() != first.to->rank()) return std::nullopt;
    auto to = MapToVector<LayoutAxis>(*second.axes, [&](size_t axis) { return first.to->axes()[axis]; });
    return LayoutTransformAttrs{first.from->name(), Layout::FromAxes(to)->name()};
  }
  return std::nullopt;
}

}  // namespace

auto simplify_rules::SimplifyTranspose(Simplifier& to, const CallSite& call) -> ExprId {
  const ExprId inner = call.args[0];
  if (!to.IsCallOf(inner, "transpose"_op) && !to.IsCallOf(inner, "layout_transform"_op)) return {};
  const ExprId data = to.made().operand(inner, 0);
  const Type* result = to.TensorType(call.type);
  const Type* middle = to.TensorTypeOf(inner);
  if (result == nullptr || middle == nullptr) return {};
  const auto first = MoveOf(to.context(), to.made().op(inner), to.made().attrs(inner), middle->rank());
  const auto second = MoveOf(to.context(), call.op, call.attrs, result->rank());
  if (!first || !second) return {};
  if (first->axes && second->axes && first->axes->size() == second->axes->size()) {
    if (!to.IsInner(inner)) return {};
    TransposeAttrs attrs{.axes = {}};
    for (const size_t axis : *second->axes) attrs.axes.values.emplace_back(static_cast<int64_t>((*first->axes)[axis]));
    to.Commit(call, {inner});
    return to.EmitWith("transpose"_op, attrs, {data});
  }
  const auto transform = AsLayoutTransform(*first, *second);
  if (!transform) return {};
  const bool is_identity = transform->src_layout == transform->dst_layout;
  const AttrsId attrs = to.context().InternAttrs(*transform);
  const TypeId data_type = to.type(data);
  const TypeId made =
      is_identity ? data_type : TypeOfCall(to.context(), *"layout_transform"_op, attrs, std::span(&data_type, 1));
  // Packing may have padded, which moving directly would not do.
  if (made != call.type || !to.IsInner(inner)) return {};
  to.Commit(call, {inner});
  return is_identity ? data : to.Emit("layout_transform"_op, {data}, attrs);
}

auto simplify_rules::SimplifyNoOpTranspose(Simplifier& to, const CallSite& call) -> ExprId {
  const Type* result = to.TensorType(call.type);
  if (result == nullptr) return {};
  if (const auto* transform = to.context().As<LayoutTransformAttrs>(call.attrs)) {
    if (transform->src_layout != transform->dst_layout) return {};
  } else {
    const auto move = MoveOf(to.context(), call.op, call.attrs, result->rank());
    if (!move || !move->axes || !std::ranges::is_sorted(*move->axes)) return {};
  }
  to.Commit(call);
  return call.args[0];
}

}  // namespace relayopt
