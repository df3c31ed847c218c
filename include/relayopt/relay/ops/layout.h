// Data layouts such as NCHW, OIHW or NCHW16c, and how shapes move between them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/arith/dim_arith.h"

namespace relayopt {

// One axis of a layout: a primal axis (upper case, factor 0) or a packed part of one (lower case with its factor).
struct LayoutAxis {
  char name = 0;
  int64_t factor = 0;
  auto is_primal() const -> bool { return name >= 'A' && name <= 'Z'; }
  // The upper-case letter.
  auto primal() const -> char { return is_primal() ? name : static_cast<char>(name - 'a' + 'A'); }
  friend auto operator==(const LayoutAxis&, const LayoutAxis&) -> bool = default;
};

// A layout. Every packed axis has its primal axis, no primal axis occurs twice, factors are positive; a packed axis may
// occur twice (`OIHW4i16o4i`). The reference's undefined layout (`__undef__` or the empty string) is no Layout:
// std::optional<Layout> stands for a layout that may be undefined.
class Layout {
 public:
  // Nothing when `text` is no layout, and for the undefined layout. Digits at the end name no axis but stay part of the
  // name: `1` has no axes, `N5` one.
  static auto Parse(std::string_view text) -> std::optional<Layout>;
  // The layout of these axes, whose name is made of them. No axes give the scalar layout, whose name is empty.
  static auto FromAxes(std::span<const LayoutAxis> axes) -> std::optional<Layout>;

  // As it was written: layouts are equal when their names are.
  auto name() const -> const std::string& { return name_; }
  auto axes() const -> const std::vector<LayoutAxis>& { return axes_; }
  auto rank() const -> size_t { return axes_.size(); }
  // Number of primal axes.
  auto primal_rank() const -> size_t;
  // First position of axis `name` (case matters), or nothing.
  auto Find(char name) const -> std::optional<size_t>;
  // Product of the factors of the packed parts of a primal axis; nothing when it is not packed.
  auto FactorOf(char primal) const -> std::optional<int64_t>;
  auto Contains(char name) const -> bool { return Find(name).has_value(); }
  auto ToString() const -> std::string { return name_; }

  // The axes from `first` on, at most `count`; nothing when `first` is beyond the end or a packed axis loses its primal
  // axis.
  auto Sub(size_t first, size_t count) const -> std::optional<Layout>;
  // This layout with every primal axis of `other` that it lacks in front, in the order of `other`.
  auto ExpandPrimal(const Layout& other) const -> Layout;

  // Whether data can be moved from this layout to `other` and back: both have the same primal axes.
  auto ConvertibleTo(const Layout& other) const -> bool;
  // The shape of data of shape `from` in this layout once it is in layout `to`: a packed axis becomes its factor, a
  // primal axis ceil(total / factor). Rank and convertibility must have been checked. Axes that are split the same way
  // on both sides stay as they are, `?` included. As TVM: extents come out int32 where they fit. A product
  // that overflows gives Dim::Null().
  auto ForwardShape(Context& context, const Layout& to, Shape from) const -> std::vector<Dim>;

  friend auto operator==(const Layout& a, const Layout& b) -> bool { return a.name_ == b.name_; }

 private:
  std::string name_;
  std::vector<LayoutAxis> axes_;
};

}  // namespace relayopt
