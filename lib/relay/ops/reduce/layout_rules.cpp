// The layout rule of reductions.
#include <array>
#include <vector>

#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/reduce.h"

namespace relayopt {

namespace {

// A set of primal axes, by letter.
using Letters = std::array<bool, 26>;
auto At(Letters& letters, const LayoutAxis& axis) -> bool& { return letters[static_cast<size_t>(axis.primal() - 'A')]; }

// A reduction, by the letters of its axes.
struct Reduction {
  // The axes that `axis` lists, and those that are reduced: the same unless they are excluded.
  Letters listed{};
  Letters reduced{};
  bool keepdims = false;
};

// The layout of a reduction's result.
struct ReducedLayout {
  std::optional<Layout> result;
  // The positions of the listed axes.
  DimList axes;
};

auto ReduceIn(const Layout& layout, Reduction& reduction) -> ReducedLayout {
  ReducedLayout out;
  std::vector<LayoutAxis> kept;
  for (size_t i = 0; i < layout.rank(); ++i) {
    LayoutAxis axis = layout.axes()[i];
    if (At(reduction.listed, axis)) out.axes.values.emplace_back(static_cast<int64_t>(i));
    if (At(reduction.reduced, axis)) {
      if (!reduction.keepdims) continue;
      if (!axis.is_primal()) axis.factor = 1;
    }
    kept.push_back(axis);
  }
  // As TVM: a result without axes has no layout, so that the data are converted back.
  if (!kept.empty()) out.result = Layout::FromAxes(kept);
  return out;
}

// Whether positions of minima and maxima along the reduced axes are counted in the same order: these axes have the same
// order, and each is directly followed by its packed part.
auto KeepsOrder(const Layout& before, const Layout& after, Reduction& reduction) -> bool {
  const auto letters = [&](const Layout& layout) {
    std::string text;
    for (const LayoutAxis& axis : layout.axes()) {
      const bool continues = !axis.is_primal() && !text.empty() && text.back() == axis.primal();
      if (At(reduction.reduced, axis) && !continues) text += axis.is_primal() ? axis.name : '?';
    }
    return text;
  };
  return letters(before) == letters(after) && letters(after).find('?') == std::string::npos;
}

// Returns the reduction that the attributes describe for data in `layout`, or nothing if an axis is not in it.
auto ReductionOf(LayoutRuleContext& rule, const Layout& layout) -> std::optional<Reduction> {
  const auto* axes = rule.Get<DimList>("axis");
  const auto* keepdims = rule.Get<bool>("keepdims");
  const auto* exclude = rule.Get<bool>("exclude");
  if (axes == nullptr || keepdims == nullptr || exclude == nullptr) return std::nullopt;
  Reduction reduction{.keepdims = *keepdims};
  const auto rank = static_cast<int64_t>(layout.rank());
  if (axes->null || axes->empty()) {
    // All axes, which an empty list names as well.
    if (*exclude) return std::nullopt;
    for (const LayoutAxis& axis : layout.axes()) At(reduction.listed, axis) = At(reduction.reduced, axis) = true;
    return reduction;
  }
  std::vector<bool> is_listed(layout.rank());
  for (const Dim& axis : *axes) {
    const int64_t position = axis.is_int() && axis.value() < 0 ? axis.value() + rank : axis.value();
    if (!axis.is_int() || position < 0 || position >= rank) return std::nullopt;
    is_listed[static_cast<size_t>(position)] = true;
    At(reduction.listed, layout.axes()[static_cast<size_t>(position)]) = true;
  }
  // An axis of which only one part is listed cannot be expressed in another layout.
  for (size_t i = 0; i < layout.rank(); ++i) {
    if (is_listed[i] != At(reduction.listed, layout.axes()[i])) return std::nullopt;
  }
  for (const LayoutAxis& axis : layout.axes()) At(reduction.reduced, axis) = At(reduction.listed, axis) != *exclude;
  return reduction;
}

}  // namespace

auto ReduceLayout(LayoutRuleContext& rule) -> bool {
  const auto shape = rule.shape(0);
  if (!shape || rule.size() == 0 || !rule.old_layout(0)) return false;
  const Layout& before = *rule.Find(rule.old_layout(0));
  if (before.rank() != shape->size()) return false;
  auto reduction = ReductionOf(rule, before);
  if (!reduction) return false;
  LayoutId data = rule.old_layout(0);
  if (rule.has_new()) {
    const Layout& after = *rule.Find(rule.new_layout(0));
    const bool positions = rule.attrs<ArgReduceAttrs>() != nullptr;
    if (before.ConvertibleTo(after) && (!positions || KeepsOrder(before, after, *reduction))) data = rule.new_layout(0);
  }
  ReducedLayout out = ReduceIn(*rule.Find(data), *reduction);
  if (!out.result) return false;
  if (rule.has_new()) rule.Set("axis", out.axes);
  return rule.Done(LayoutIds(rule.size(), data), {rule.layouts().Add(out.result)});
}

}  // namespace relayopt
