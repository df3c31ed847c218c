// The layout rule of broadcasts.
#include "broadcast_layout.h"

#include <algorithm>
#include <vector>

#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/support/characters.h"

namespace relayopt {

namespace {

constexpr size_t kLetters = 26;

// Renames one axis as another.
struct Renaming {
  std::array<char, kLetters> to{};
  std::array<bool, kLetters> used{};

  auto operator[](char primal) -> char& { return to[static_cast<size_t>(primal - 'A')]; }
  auto is_used(char primal) -> bool& { return used[static_cast<size_t>(primal - 'A')]; }
};

// Whether two layouts differ in the letters of their axes only.
auto IsIsomorphic(std::span<const LayoutAxis> a, std::span<const LayoutAxis> b) -> bool {
  if (a.size() != b.size()) return false;
  Renaming forward;
  Renaming backward;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_primal() != b[i].is_primal() || a[i].factor != b[i].factor) return false;
    char& to = forward[a[i].primal()];
    char& from = backward[b[i].primal()];
    if ((to != 0 && to != b[i].primal()) || (from != 0 && from != a[i].primal())) return false;
    to = b[i].primal();
    from = a[i].primal();
  }
  return true;
}

// Whether a change of `reference` can be applied to `layout`: apart from the letters, the shorter one is a suffix of
// the longer one, and letters of that suffix do not occur in front of it.
auto IsAlike(const Layout& layout, const Layout& reference) -> bool {
  const bool reference_longer = reference.rank() > layout.rank();
  const std::span<const LayoutAxis> longer = reference_longer ? reference.axes() : layout.axes();
  const std::span<const LayoutAxis> shorter = reference_longer ? layout.axes() : reference.axes();
  const auto tail = longer.last(shorter.size());
  const auto rest = longer.first(longer.size() - shorter.size());
  const bool apart = std::none_of(rest.begin(), rest.end(), [&](const LayoutAxis& axis) {
    return std::any_of(tail.begin(), tail.end(), [&](const LayoutAxis& t) { return t.primal() == axis.primal(); });
  });
  return apart && IsIsomorphic(tail, shorter);
}

auto FirstUnused(Renaming& renaming, char preferred) -> char {
  if (!renaming.is_used(preferred)) return preferred;
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    if (!renaming.is_used(letter)) return letter;
  }
  // Not reached: a layout cannot use all letters twice.
  return preferred;
}

// Returns the layout that `layout` becomes when `before` becomes `after`, or nothing if they are not alike.
auto TransformAlike(const Layout& layout, const Layout& before, const Layout& after) -> std::optional<Layout> {
  if (!IsAlike(layout, before) || layout.rank() > before.rank()) return std::nullopt;
  if (layout.axes().empty()) return layout;
  Renaming renaming;
  const size_t shift = before.rank() - layout.rank();
  for (size_t i = 0; i < layout.rank(); ++i) {
    const char letter = layout.axes()[i].primal();
    renaming[before.axes()[shift + i].primal()] = letter;
    renaming.is_used(letter) = true;
  }
  for (size_t i = before.rank(); i-- > 0;) {
    char& to = renaming[before.axes()[i].primal()];
    if (to != 0) continue;
    to = FirstUnused(renaming, before.axes()[i].primal());
    renaming.is_used(to) = true;
  }
  std::string text;
  for (const char c : after.name()) {
    const bool upper = IsUpper(c);
    if (!IsLetter(c)) {
      text += c;
      continue;
    }
    const char to = renaming[upper ? c : static_cast<char>(c - 'a' + 'A')];
    if (to == 0) return std::nullopt;
    text += upper ? to : static_cast<char>(to - 'A' + 'a');
  }
  return Layout::Parse(text);
}

// `layout` with the packed axes that the tensor cannot fill shrunk to 1: it has no such axis, or one element along it.
auto ShrinkPacks(const Layout& layout, const Layout& before, Shape shape) -> std::optional<Layout> {
  std::vector<LayoutAxis> axes = layout.axes();
  for (LayoutAxis& axis : axes) {
    if (axis.is_primal()) continue;
    const auto position = before.Find(axis.primal());
    const bool one = !position || (*position < shape.size() && shape[*position].is(1) && !before.Contains(axis.name));
    axis.factor = one ? 1 : layout.FactorOf(axis.primal()).value_or(1);
  }
  return Layout::FromAxes(axes);
}

// Returns the layouts before the rewrite, where an undefined one becomes the suffix of the other.
auto CompleteLayouts(LayoutRuleContext& rule, Shape a, Shape b) -> std::optional<BroadcastLayouts> {
  std::array<LayoutId, 2> ids = {rule.old_layout(0), rule.old_layout(1)};
  if (!ids[0] && !ids[1]) return std::nullopt;
  const size_t ranks[] = {a.size(), b.size()};
  if (ids[0] && ids[1]) return BroadcastLayouts{ids, ids[a.size() >= b.size() ? 0 : 1]};
  const size_t known = ids[0] ? 0 : 1;
  if (ranks[known] < ranks[1 - known]) return std::nullopt;
  ids[1 - known] = rule.layouts().Add(rule.Find(ids[known])->Sub(ranks[known] - ranks[1 - known], ranks[1 - known]));
  return BroadcastLayouts{ids, ids[known]};
}

}  // namespace

auto InferBroadcastLayouts(LayoutRuleContext& rule) -> std::optional<BroadcastLayouts> {
  const auto a = rule.shape(0);
  const auto b = rule.shape(1);
  if (!a || !b) return std::nullopt;
  auto result = CompleteLayouts(rule, *a, *b);
  if (!result || !rule.has_new()) return result;
  const Layout* old_layouts[] = {rule.Find(result->inputs[0]), rule.Find(result->inputs[1])};
  const Layout* new_layouts[] = {rule.Find(rule.new_layout(0)), rule.Find(rule.new_layout(1))};
  for (size_t i = 0; i < 2; ++i) {
    if (old_layouts[i] == nullptr || new_layouts[i] == nullptr) return std::nullopt;
  }
  // As TVM: the result's layout is chosen by the ranks before the rewrite, the leading input by the ranks after it.
  result->output = rule.new_layout(a->size() >= b->size() ? 0 : 1);
  const size_t large = new_layouts[0]->primal_rank() >= new_layouts[1]->primal_rank() ? 0 : 1;
  const size_t small = 1 - large;
  const auto [target, is_new] =
      rule.layouts().Remember(result->inputs[small], result->inputs[large], rule.new_layout(large), rule.type(small));
  if (is_new) {
    const auto alike = TransformAlike(*old_layouts[small], *old_layouts[large], *new_layouts[large]);
    if (alike) *target = rule.layouts().Add(ShrinkPacks(*alike, *old_layouts[small], small == 0 ? *a : *b));
  }
  if (!*target) return std::nullopt;
  result->inputs[large] = rule.new_layout(large);
  result->inputs[small] = *target;
  return result;
}

auto BroadcastLayout(LayoutRuleContext& rule) -> bool {
  const auto layouts = InferBroadcastLayouts(rule);
  return layouts && rule.Done({layouts->inputs[0], layouts->inputs[1]}, {layouts->output});
}

}  // namespace relayopt
