// Layout rules of operators that drop or permute axes.
#include <algorithm>

#include "relayopt/core/extents.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

auto SqueezeLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<SqueezeAttrs>();
  const auto shape = rule.shape(0);
  if (attrs == nullptr || !shape || rule.size() != 1 || !rule.old_layout(0)) return false;
  DimList axes = attrs->axis;
  if (axes.null) {
    axes = {};
    for (size_t i = 0; i < shape->size(); ++i) {
      if ((*shape)[i].is(1)) axes.values.emplace_back(static_cast<int64_t>(i));
    }
  }
  if (!AllKnown(axes.values)) return false;
  LayoutId data = rule.old_layout(0);
  if (rule.has_new()) {
    auto mapped = rule.MapAxes(0, axes);
    if (mapped) data = rule.new_layout(0);
    if (mapped) axes = *std::move(mapped);
    // The list is written even if no axis moves.
    if (!axes.empty() || attrs->axis.null) rule.Set("axis", axes);
  }
  const Layout& layout = *rule.Find(data);
  std::vector<LayoutAxis> kept;
  for (size_t i = 0; i < layout.rank(); ++i) {
    const bool dropped = std::any_of(axes.begin(), axes.end(), [&](const Dim& axis) {
      const int64_t position = axis.value() < 0 ? axis.value() + static_cast<int64_t>(layout.rank()) : axis.value();
      return position == static_cast<int64_t>(i);
    });
    if (!dropped) kept.push_back(layout.axes()[i]);
  }
  return rule.Done({data}, {rule.layouts().Add(Layout::FromAxes(kept))});
}

auto TransposeLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<TransposeAttrs>();
  if (attrs == nullptr || rule.size() != 1 || !rule.old_layout(0)) return false;
  const auto rank = static_cast<int64_t>(rule.Find(rule.old_layout(0))->rank());
  DimList axes = attrs->axes;
  if (axes.null || axes.empty()) {
    axes = {};
    for (int64_t i = rank; i-- > 0;) axes.values.emplace_back(i);
  }
  for (Dim& axis : axes.values) {
    if (!axis.is_int()) return false;
    if (axis.value() < 0) axis = Dim(axis.value() + rank, axis.bits());
    if (axis.value() < 0 || axis.value() >= rank) return false;
  }
  LayoutId data = rule.old_layout(0);
  if (rule.has_new() && rule.new_layout(0) != data) {
    auto mapped = rule.MapAxes(0, axes);
    if (mapped && mapped->size() == rule.Find(rule.new_layout(0))->rank()) {
      axes = *std::move(mapped);
      data = rule.new_layout(0);
    }
  }
  const Layout& layout = *rule.Find(data);
  // As TVM: packed layouts are not supported.
  if (layout.primal_rank() != layout.rank() || layout.name().size() != layout.rank()) return false;
  auto permuted =
      MapToVector<LayoutAxis>(axes, [&](const Dim& axis) { return layout.axes()[static_cast<size_t>(axis.value())]; });
  rule.Set("axes", axes);
  return rule.Done({data}, {rule.layouts().Add(Layout::FromAxes(permuted))});
}

}  // namespace relayopt
