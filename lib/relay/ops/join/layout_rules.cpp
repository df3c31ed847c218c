// Layout rules of joining and splitting.
#include "relayopt/relay/ops/layout_rules.h"

#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/layout_rule.h"

namespace relayopt {

namespace {

// Returns the positions between parts in packs of `factor`, or nothing if one is not a multiple of it.
auto PackPositions(LayoutRuleContext& rule, ObjectId positions, int64_t factor) -> std::optional<ObjectId> {
  std::vector<ObjectId> packed;
  for (const ObjectId item : rule.context().object(positions).items) {
    const Object& position = rule.context().object(item);
    if (position.kind != ObjectKind::kInt || position.integer % factor != 0) return std::nullopt;
    packed.push_back(rule.context().AddInt(position.integer / factor, position.dtype));
  }
  return rule.context().AddArray(packed);
}

// Changes the attributes of a split so that it splits the new layout. Returns false if that is not possible.
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

auto SplitLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<SplitAttrs>();
  if (attrs == nullptr || !attrs->indices_or_sections || rule.size() != 1 || !rule.old_layout(0)) return false;
  const Object& parts = rule.context().object(attrs->indices_or_sections);
  if (parts.kind != ObjectKind::kInt && parts.kind != ObjectKind::kArray) return false;
  const int64_t count = parts.kind == ObjectKind::kInt ? parts.integer : static_cast<int64_t>(parts.items.size()) + 1;
  // As many parts as a tensor type can have extents are not to be expected.
  if (count < 1 || count > INT32_MAX) return false;
  const bool follows = rule.has_new() && FollowSplit(rule, *attrs);
  const LayoutId data = follows ? rule.new_layout(0) : rule.old_layout(0);
  return rule.Done({data}, LayoutIds(static_cast<size_t>(count), data));
}

}  // namespace relayopt
