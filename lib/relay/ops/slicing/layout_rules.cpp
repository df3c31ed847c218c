// Layout rules of slices.

#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/layout_rule.h"
#include "relayopt/relay/ops/slicing.h"

namespace relayopt {

namespace {

// Returns the entry that replaces a missing one, with the integer width of the list's first element.
auto Filler(const DimList& list, int64_t value) -> Dim {
  return !list.empty() && list[0].is_int() ? Dim(value, list[0].bits()) : Dim(value);
}

auto EntryOr(const DimList& list, size_t i, int64_t missing) -> Dim {
  return !list.null && i < list.size() && list[i].is_int() ? list[i] : Filler(list, missing);
}

// Converts a slice from one layout to another.
class Slice {
 public:
  Slice(const StridedSliceAttrs& attrs, Shape shape, const Layout& before, const Layout& after)
      : attrs_(attrs), shape_(shape), before_(before), after_(after), by_size_(attrs.slice_mode == "size") {
    for (Dim& stride : attrs_.strides.values) {
      if (by_size_) stride = Dim(1, stride.is_int() ? stride.bits() : 32);
    }
  }

  // Whether the slice can be taken in the new layout; changes the attributes then.
  auto Follow() -> bool {
    if (!before_.name().starts_with(after_.name()) && !after_.name().starts_with(before_.name())) return Permute();
    // As TVM: conversion from a packed layout to its plain one is not supported.
    return before_.name().size() < after_.name().size() && Pack();
  }

  auto attrs() const -> const StridedSliceAttrs& { return attrs_; }

 private:
  auto Permute() -> bool {
    if (before_.rank() != after_.rank() || before_.primal_rank() != before_.rank() || !before_.ConvertibleTo(after_)) {
      return false;
    }
    return attrs_.axes.null ? PermuteLists() : RenameAxes();
  }

  auto RenameAxes() -> bool {
    for (Dim& axis : attrs_.axes.values) {
      const auto position = NewPosition(axis);
      if (!position) return false;
      axis = Dim(static_cast<int64_t>(*position));
    }
    return true;
  }

  auto PermuteLists() -> bool {
    DimList begin;
    DimList end;
    DimList strides;
    for (const LayoutAxis& axis : after_.axes()) {
      const size_t i = *before_.Find(axis.name);
      const Dim stride = EntryOr(attrs_.strides, i, 1);
      const bool has_begin = i < attrs_.begin.size();
      const bool has_end = i < attrs_.end.size();
      // The default for a missing entry can be written only for forward steps along known extents.
      if ((!has_begin || !has_end) && (stride.value() < 0 || !shape_[i].is_int())) return false;
      strides.values.push_back(stride);
      begin.values.push_back(EntryOr(attrs_.begin, i, 0));
      end.values.push_back(EntryOr(attrs_.end, i, has_end ? 0 : shape_[i].value()));
    }
    attrs_.begin = std::move(begin);
    attrs_.end = std::move(end);
    attrs_.strides = std::move(strides);
    return true;
  }

  // The new layout is the old one followed by packed axes.
  auto Pack() -> bool {
    const size_t count = attrs_.axes.null ? attrs_.begin.size() : attrs_.axes.size();
    for (size_t i = 0; i < count; ++i) {
      const Dim axis = attrs_.axes.null ? Dim(static_cast<int64_t>(i)) : attrs_.axes[i];
      const auto position = NewPosition(axis);
      if (!position) return false;
      if (!attrs_.axes.null) attrs_.axes.values[i] = Dim(static_cast<int64_t>(*position));
      const auto factor = after_.FactorOf(after_.axes()[*position].name);
      if (factor && !PackEntry(i, *factor)) return false;
    }
    return true;
  }

  auto PackEntry(size_t i, int64_t factor) -> bool {
    if (!EntryOr(attrs_.strides, i, 1).is(1) || i >= attrs_.begin.size() || i >= attrs_.end.size()) return false;
    Dim& begin = attrs_.begin.values[i];
    Dim& end = attrs_.end.values[i];
    if (!begin.is_int() || !end.is_int()) return false;
    const bool to_the_end = by_size_ && end.value() < 0;
    if (begin.value() % factor != 0 || (!to_the_end && end.value() % factor != 0)) return false;
    begin = Dim(begin.value() / factor, begin.bits());
    if (!to_the_end) end = Dim(end.value() / factor, end.bits());
    return true;
  }

  auto NewPosition(const Dim& axis) const -> std::optional<size_t> {
    if (!axis.is_int()) return std::nullopt;
    const auto rank = static_cast<int64_t>(before_.rank());
    const int64_t position = axis.value() < 0 ? axis.value() + rank : axis.value();
    if (position < 0 || position >= rank) return std::nullopt;
    const LayoutAxis& letter = before_.axes()[static_cast<size_t>(position)];
    return letter.is_primal() ? after_.Find(letter.name) : std::nullopt;
  }

  StridedSliceAttrs attrs_;
  Shape shape_;
  const Layout& before_;
  const Layout& after_;
  bool by_size_;
};

}  // namespace

auto StridedSliceLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<StridedSliceAttrs>();
  const auto shape = rule.shape(0);
  if (attrs == nullptr || !shape || rule.size() == 0 || !rule.old_layout(0)) return false;
  if (!rule.has_new() || rule.new_layout(0) == rule.old_layout(0)) return rule.DoneAll(rule.old_layout(0));
  const Layout& before = *rule.Find(rule.old_layout(0));
  if (before.rank() != shape->size() || attrs->begin.null || attrs->end.null) return false;
  Slice slice(*attrs, *shape, before, *rule.Find(rule.new_layout(0)));
  if (!slice.Follow()) {
    // As TVM: unpacking goes back to the old layout, everything else gives up.
    const bool unpacks = before.name().starts_with(rule.Find(rule.new_layout(0))->name());
    return unpacks && rule.DoneAll(rule.old_layout(0));
  }
  rule.SetAttrs(slice.attrs());
  return rule.DoneAll(rule.new_layout(0));
}

auto SliceLikeLayout(LayoutRuleContext& rule) -> bool {
  const auto* attrs = rule.attrs<SliceLikeAttrs>();
  if (attrs == nullptr || rule.size() != 2 || !rule.old_layout(0) || !rule.old_layout(1)) return false;
  const bool alike = rule.old_layout(0) == rule.old_layout(1);
  if (rule.has_new() && alike && rule.new_layout(0) == rule.new_layout(1) && !attrs->axes.null) {
    const auto axes = rule.MapAxes(0, attrs->axes);
    if (axes && !axes->empty()) {
      rule.Set("axes", *axes);
      return rule.DoneAll(rule.new_layout(0));
    }
  }
  return rule.Done({rule.old_layout(0), rule.old_layout(1)}, {rule.old_layout(alike ? 1 : 0)});
}

}  // namespace relayopt
