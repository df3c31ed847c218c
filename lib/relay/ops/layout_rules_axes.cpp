// Layout rules of operators whose attributes name axes.
#include <algorithm>

#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/misc_tensor.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/sort.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

// The layout of the data of an operator whose attribute `axis` names one axis: the new one where that axis is in one
// piece there, else the old one. The attribute follows.
auto FollowAxis(LayoutRuleContext& rule) -> LayoutId {
  const auto* axis = rule.Get<int64_t>("axis");
  if (axis == nullptr || rule.size() == 0) return {};
  if (const auto mapped = rule.MapAxis(0, *axis)) {
    rule.Set<int64_t>("axis", *mapped);
    return rule.offered(0);
  }
  return rule.old_layout(0);
}

// `data` for the first input, C for those behind it.
auto WithChannels(LayoutRuleContext& rule, LayoutId data, LayoutIds outputs) -> bool {
  LayoutIds inputs(rule.size(), rule.Parse("C"));
  inputs[0] = data;
  return rule.Done(std::move(inputs), std::move(outputs));
}

}  // namespace

auto BatchNormLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = FollowAxis(rule);
  const LayoutId channels = rule.Parse("C");
  return data && WithChannels(rule, data, {data, channels, channels});
}

auto NormalizationLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = FollowAxis(rule);
  return data && WithChannels(rule, data, {data});
}

auto InstanceNormLayout(LayoutRuleContext& rule) -> bool {
  // The first axis is that of the samples, whatever its name is.
  const auto samples = rule.MapAxis(0, 0);
  if (samples && *samples == 0) return NormalizationLayout(rule);
  return rule.size() != 0 && WithChannels(rule, rule.old_layout(0), {rule.old_layout(0)});
}

auto PReluLayout(LayoutRuleContext& rule) -> bool {
  return rule.size() == 2 && rule.Done({rule.old_layout(0), rule.Parse("C")}, {rule.old_layout(0)});
}

auto L2NormalizeLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<L2NormalizeAttrs>();
  if (attrs == nullptr || rule.size() == 0) return false;
  if (attrs->axis.null) return rule.DoneAll(rule.offered(0));
  const auto axes = rule.MapAxes(0, attrs->axis);
  if (!axes) return rule.DoneAll(rule.old_layout(0));
  rule.Set("axis", *axes);
  return rule.DoneAll(rule.offered(0));
}

auto TopkLayout(LayoutRuleContext& rule) -> bool {
  const LayoutId data = FollowAxis(rule);
  const auto* attrs = rule.attrs<TopkAttrs>();
  if (!data || attrs == nullptr) return false;
  return rule.Done(LayoutIds(rule.size(), data), LayoutIds(attrs->ret_type == "both" ? 2 : 1, data));
}

auto ConcatenateLayout(LayoutRuleContext& rule) -> bool {
  const auto* axis = rule.Get<int64_t>("axis");
  if (axis == nullptr || rule.size() == 0) return false;
  if (rule.has_new()) {
    bool same = true;
    for (size_t i = 1; i < rule.size(); ++i) same = same && rule.new_layout(i) == rule.new_layout(0);
    const Layout& before = *rule.Find(rule.old_layout(0));
    const auto position = static_cast<size_t>(*axis < 0 ? *axis + static_cast<int64_t>(before.rank()) : *axis);
    const Layout& after = *rule.Find(rule.new_layout(0));
    const auto mapped = position < before.rank() ? after.Find(before.axes()[position].name) : std::nullopt;
    // Packs stay whole: data in a packed layout has no incomplete ones.
    if (same && mapped) {
      rule.Set<int64_t>("axis", static_cast<int64_t>(*mapped));
      return rule.DoneAll(rule.new_layout(0));
    }
  }
  LayoutId known;
  for (size_t i = 0; i < rule.size() && !known; ++i) known = rule.old_layout(i);
  const auto shape = rule.shape(0);
  if (!known || !shape) return false;
  const Layout& layout = *rule.Find(known);
  const auto position = static_cast<size_t>(*axis < 0 ? *axis + static_cast<int64_t>(shape->size()) : *axis);
  if (position >= layout.rank() || !layout.axes()[position].is_primal()) return false;
  return rule.DoneAll(known);
}

namespace {

// The positions between parts in packs of `factor`; nothing when one is inside a pack.
auto PackPositions(LayoutRuleContext& rule, ObjectId positions, int64_t factor) -> std::optional<ObjectId> {
  std::vector<ObjectId> packed;
  for (const ObjectId item : rule.context().object(positions).items) {
    const Object& position = rule.context().object(item);
    if (position.kind != ObjectKind::kInt || position.integer % factor != 0) return std::nullopt;
    packed.push_back(rule.context().AddInt(position.integer / factor, position.dtype));
  }
  return rule.context().AddArray(packed);
}

// Makes the attributes of a split cut the new layout; false when it cannot be cut there.
auto FollowSplit(LayoutRuleContext& rule, SplitAttrs attrs) -> bool {
  const Layout& before = *rule.Find(rule.old_layout(0));
  const Layout& after = *rule.Find(rule.new_layout(0));
  const auto position =
      static_cast<size_t>(attrs.axis < 0 ? attrs.axis + static_cast<int64_t>(before.rank()) : attrs.axis);
  if (position >= before.rank()) return false;
  const LayoutAxis& axis = before.axes()[position];
  const auto mapped = after.Find(axis.name);
  if (!mapped || (before.FactorOf(axis.primal()) && rule.old_layout(0) != rule.new_layout(0))) return false;
  const int64_t factor = rule.old_layout(0) == rule.new_layout(0) ? 1 : after.FactorOf(axis.name).value_or(1);
  attrs.axis = static_cast<int64_t>(*mapped);
  if (factor > 1 && rule.context().object(attrs.indices_or_sections).kind == ObjectKind::kArray) {
    const auto packed = PackPositions(rule, attrs.indices_or_sections, factor);
    if (!packed) return false;
    attrs.indices_or_sections = *packed;
  }
  rule.SetAttrs(attrs);
  return true;
}

}  // namespace

auto SplitLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<SplitAttrs>();
  if (attrs == nullptr || !attrs->indices_or_sections || rule.size() != 1 || !rule.old_layout(0)) return false;
  const Object& parts = rule.context().object(attrs->indices_or_sections);
  if (parts.kind != ObjectKind::kInt && parts.kind != ObjectKind::kArray) return false;
  const int64_t count = parts.kind == ObjectKind::kInt ? parts.integer : static_cast<int64_t>(parts.items.size()) + 1;
  // More parts than a tensor type can have extents for are nothing to be expected.
  if (count < 1 || count > INT32_MAX) return false;
  const bool follows = rule.has_new() && FollowSplit(rule, *attrs);
  const LayoutId data = follows ? rule.new_layout(0) : rule.old_layout(0);
  return rule.Done({data}, LayoutIds(static_cast<size_t>(count), data));
}

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
  if (!std::all_of(axes.begin(), axes.end(), [](const Dim& axis) { return axis.is_int(); })) return false;
  LayoutId data = rule.old_layout(0);
  if (rule.has_new()) {
    auto mapped = rule.MapAxes(0, axes);
    if (mapped) data = rule.new_layout(0);
    if (mapped) axes = *std::move(mapped);
    // The list is written out even where nothing moves.
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
  // The reference stops at packed layouts.
  if (layout.primal_rank() != layout.rank() || layout.name().size() != layout.rank()) return false;
  std::vector<LayoutAxis> permuted;
  for (const Dim& axis : axes) permuted.push_back(layout.axes()[static_cast<size_t>(axis.value())]);
  rule.Set("axes", axes);
  return rule.Done({data}, {rule.layouts().Add(Layout::FromAxes(permuted))});
}

namespace {

// What a pad adds, in the order of the new layout; nothing when it pads an axis that is packed there.
auto FollowPad(LayoutRuleContext& rule, const DimLists& widths) -> std::optional<DimLists> {
  const Layout& before = *rule.Find(rule.old_layout(0));
  const Layout& after = *rule.Find(rule.new_layout(0));
  DimLists moved;
  for (const LayoutAxis& axis : after.axes()) {
    auto position = before.Find(axis.name);
    const bool packed = !position;
    if (packed) position = before.Find(axis.primal());
    if (!position || *position >= widths.size()) return std::nullopt;
    const DimList& width = widths[*position];
    if (packed && !std::all_of(width.begin(), width.end(), [](const Dim& d) { return d.is(0); })) return std::nullopt;
    moved.values.push_back(width);
  }
  return moved;
}

}  // namespace

auto PadLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<PadAttrs>();
  if (attrs == nullptr || attrs->pad_width.null || rule.size() != 2 || !rule.old_layout(0)) return false;
  LayoutId data = rule.old_layout(0);
  if (rule.has_new()) {
    if (auto moved = FollowPad(rule, attrs->pad_width)) {
      rule.Set("pad_width", *moved);
      data = rule.new_layout(0);
    }
  }
  // The padding value has no axes; the reference writes that as "1".
  return rule.Done({data, rule.Parse("1")}, {data});
}

auto FixedPointMultiplyPerAxisLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<FixedPointMultiplyPerAxisAttrs>();
  if (attrs == nullptr || attrs->axes.null || rule.size() != 4 || !rule.old_layout(0)) return false;
  const Layout& before = *rule.Find(rule.old_layout(0));
  const Layout& after = *rule.Find(rule.offered(0));
  DimList axes;
  std::vector<LayoutAxis> channels;
  for (const Dim& axis : attrs->axes) {
    if (!axis.is_int()) return false;
    const int64_t position = axis.value() < 0 ? axis.value() + static_cast<int64_t>(before.rank()) : axis.value();
    if (position < 0 || position >= static_cast<int64_t>(before.rank())) return false;
    const char name = before.axes()[static_cast<size_t>(position)].name;
    for (size_t i = 0; i < after.rank(); ++i) {
      if (after.axes()[i].name != name && (before.Contains(after.axes()[i].name) || after.axes()[i].primal() != name)) {
        continue;
      }
      axes.values.emplace_back(static_cast<int64_t>(i));
      channels.push_back(after.axes()[i]);
    }
  }
  rule.Set("axes", axes);
  const LayoutId factors = rule.layouts().Add(Layout::FromAxes(channels));
  return rule.Done({rule.offered(0), factors, factors, factors}, {rule.offered(0)});
}

}  // namespace relayopt
