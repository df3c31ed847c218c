// Data layouts such as NCHW, OIHW or NCHW16c, and conversion of shapes between them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/arith/dim_arith.h"

namespace relayopt {

// One axis of a layout: a primal axis (upper case, factor 0), or a packed part of a primal axis (lower case, with its
// factor).
struct LayoutAxis {
  char name = 0;
  int64_t factor = 0;
  auto is_primal() const -> bool { return name >= 'A' && name <= 'Z'; }
  // Returns the upper-case letter of the axis.
  auto primal() const -> char { return is_primal() ? name : static_cast<char>(name - 'a' + 'A'); }
  friend auto operator==(const LayoutAxis&, const LayoutAxis&) -> bool = default;
};

// A data layout. Every packed axis has its primal axis; no primal axis occurs twice, but a packed axis may
// (`OIHW4i16o4i`); factors are positive. TVM's undefined layout (`__undef__`, or the empty string) is not a
// Layout: a layout that may be undefined is a std::optional<Layout>.
class Layout {
 public:
  // Parses a layout; returns nothing if `text` is malformed or the undefined layout. Digits at the end define no axis
  // but are part of the name: `1` has no axes, `N5` has one.
  static auto Parse(std::string_view text) -> std::optional<Layout>;
  // Returns the layout with these axes, and the name that they make up. Without axes it is the scalar layout, whose
  // name is empty.
  static auto FromAxes(std::span<const LayoutAxis> axes) -> std::optional<Layout>;

  // Returns the name as it was written. Layouts are equal when their names are.
  auto name() const -> const std::string& { return name_; }
  auto axes() const -> const std::vector<LayoutAxis>& { return axes_; }
  auto rank() const -> size_t { return axes_.size(); }
  // Returns the number of primal axes.
  auto primal_rank() const -> size_t;
  // Returns the first position of the axis `name` (case matters), or nothing if there is none.
  auto Find(char name) const -> std::optional<size_t>;
  // Returns the product of the factors of a primal axis' packed parts, or nothing if it is not packed.
  auto FactorOf(char primal) const -> std::optional<int64_t>;
  auto Contains(char name) const -> bool { return Find(name).has_value(); }
  auto ToString() const -> std::string { return name_; }

  // Returns the axes from `first` on, at most `count`, or nothing if `first` is too large, or when a packed axis would
  // lose its primal axis.
  auto Sub(size_t first, size_t count) const -> std::optional<Layout>;
  // This layout, preceded by the primal axes of `other` that it lacks, in the order of `other`.
  auto ExpandPrimal(const Layout& other) const -> Layout;

  // Whether data can be converted between the two layouts in both directions: they have the same primal axes.
  auto ConvertibleTo(const Layout& other) const -> bool;
  // Returns the shape after conversion from this layout to `to` of data with the shape `from`. A packed axis gets its
  // factor, a primal axis ceil(total / factor). Axes that are split in the same way on both sides keep their extent,
  // including `?`. Rank and convertibility must have been checked. As TVM: extents are int32 where they fit. A product
  // that overflows gives Dim::Null().
  auto ForwardShape(Context& context, const Layout& to, Shape from) const -> std::vector<Dim>;

  friend auto operator==(const Layout& a, const Layout& b) -> bool { return a.name_ == b.name_; }

 private:
  std::string name_;
  std::vector<LayoutAxis> axes_;
};

}  // namespace relayopt
