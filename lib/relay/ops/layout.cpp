// The layout algebra: parsing of layout names and the mapping of shapes.
#include "relayopt/relay/ops/layout.h"

#include <algorithm>
#include <array>

#include "relayopt/arith/expr_object.h"
#include "relayopt/support/characters.h"

namespace relayopt {

namespace {

// The rules that the axes of a layout obey; see Layout.
auto IsWellFormed(std::span<const LayoutAxis> axes) -> bool {
  std::array<int, 26> primal_count{};
  std::array<int64_t, 26> factor{};
  factor.fill(1);
  for (const LayoutAxis& axis : axes) {
    if (!IsUpper(axis.name) && !IsLower(axis.name)) return false;
    if (axis.is_primal() != (axis.factor == 0) || axis.factor < 0) return false;
    const auto letter = static_cast<size_t>(axis.primal() - 'A');
    if (axis.is_primal())
      ++primal_count[letter];
    else if (__builtin_mul_overflow(factor[letter], axis.factor, &factor[letter]))
      return false;
  }
  return std::all_of(axes.begin(), axes.end(), [&](const LayoutAxis& axis) {
    return primal_count[static_cast<size_t>(axis.primal() - 'A')] == 1;
  });
}

// Returns an extent as layout conversion leaves it: int32 where the value fits.
auto Narrowed(const Dim& dim) -> Dim { return dim.is_int() ? Dim(dim.value()) : dim; }

// Returns the extent that an object inside a symbolic expression represents.
auto AsDim(const Context& context, ObjectId id) -> Dim {
  const Object& object = context.object(id);
  if (object.kind == ObjectKind::kInt) return {object.integer, object.dtype.bits};
  return arith::KindOf(context, id) == arith::PrimKind::kAny ? Dim::Any() : Dim::Expr(id);
}

// Returns the quotient of a product `x * c` and `divisor` when `divisor` divides `c`: what a split axis was before it
// was merged.
auto DivideProduct(Context& context, const Dim& dim, int64_t divisor) -> std::optional<Dim> {
  if (!dim.is_expr()) return std::nullopt;
  if (arith::KindOf(context, dim.object()) != arith::PrimKind::kMul) return std::nullopt;
  const ObjectId left = arith::FieldOf(context, dim.object(), "a");
  const ObjectId right = arith::FieldOf(context, dim.object(), "b");
  if (!left || !right) return std::nullopt;
  const Dim factor = AsDim(context, right);
  if (!factor.is_int() || factor.value() % divisor != 0) return std::nullopt;
  return Mul(context, AsDim(context, left), factor.value() / divisor);
}

// Returns the extent of a primal axis: `dim` elements, each of `packed` parts, cut into packs of `pack`.
auto Repack(Context& context, const Dim& dim, int64_t packed, int64_t pack) -> Dim {
  if (packed % pack == 0) return Mul(context, dim, packed / pack);
  if (packed == 1) {
    if (const auto quotient = DivideProduct(context, dim, pack)) return *quotient;
  }
  const Dim total = Mul(context, dim, packed);
  return FloorDiv(context, Add(context, total, pack - 1), pack);
}

}  // namespace

auto Layout::Parse(std::string_view text) -> std::optional<Layout> {
  if (text.empty() || text == "__undef__") return std::nullopt;
  Layout layout;
  int64_t number = 0;
  bool has_number = false;
  for (const char c : text) {
    if (IsDigit(c)) {
      if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, c - '0', &number)) {
        return std::nullopt;
      }
      has_number = true;
      continue;
    }
    // A factor of 0 counts as none for both kinds of axis.
    if (IsUpper(c) ? number != 0 : !has_number || number == 0) return std::nullopt;
    layout.axes_.push_back({c, number});
    number = 0;
    has_number = false;
  }
  if (!IsWellFormed(layout.axes_)) return std::nullopt;
  layout.name_ = text;
  return layout;
}

auto Layout::FromAxes(std::span<const LayoutAxis> axes) -> std::optional<Layout> {
  if (!IsWellFormed(axes)) return std::nullopt;
  Layout layout;
  layout.axes_.assign(axes.begin(), axes.end());
  for (const LayoutAxis& axis : axes) {
    if (!axis.is_primal()) layout.name_ += std::to_string(axis.factor);
    layout.name_ += axis.name;
  }
  return layout;
}

auto Layout::primal_rank() const -> size_t {
  return static_cast<size_t>(
      std::count_if(axes_.begin(), axes_.end(), [](const LayoutAxis& axis) { return axis.is_primal(); }));
}

auto Layout::Find(char name) const -> std::optional<size_t> {
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == name) return i;
  }
  return std::nullopt;
}

auto Layout::FactorOf(char primal) const -> std::optional<int64_t> {
  std::optional<int64_t> factor;
  for (const LayoutAxis& axis : axes_) {
    // The parser ensures that this does not overflow.
    if (!axis.is_primal() && axis.primal() == primal) factor = factor.value_or(1) * axis.factor;
  }
  return factor;
}

auto Layout::Sub(size_t first, size_t count) const -> std::optional<Layout> {
  if (first > axes_.size()) return std::nullopt;
  return FromAxes(std::span(axes_).subspan(first, std::min(count, axes_.size() - first)));
}

auto Layout::ExpandPrimal(const Layout& other) const -> Layout {
  std::vector<LayoutAxis> axes;
  for (const LayoutAxis& axis : other.axes_) {
    if (axis.is_primal() && !Contains(axis.name)) axes.push_back(axis);
  }
  axes.insert(axes.end(), axes_.begin(), axes_.end());
  auto layout = FromAxes(axes);
  RELAYOPT_CHECK(layout.has_value(), "new primal axes keep a layout well-formed");
  return *std::move(layout);
}

auto Layout::ConvertibleTo(const Layout& other) const -> bool {
  if (name_.empty() || other.name_.empty()) return false;
  const auto has_all = [](const Layout& a, const Layout& b) {
    return std::all_of(b.axes_.begin(), b.axes_.end(),
                       [&](const LayoutAxis& axis) { return !axis.is_primal() || a.Contains(axis.name); });
  };
  return has_all(*this, other) && has_all(other, *this);
}

auto Layout::ForwardShape(Context& context, const Layout& to, Shape from) const -> std::vector<Dim> {
  std::vector<Dim> shape;
  shape.reserve(to.rank());
  for (const LayoutAxis& axis : to.axes_) {
    if (!axis.is_primal()) {
      shape.emplace_back(axis.factor);
      continue;
    }
    const Dim dim = Narrowed(from[*Find(axis.name)]);
    const int64_t packed = FactorOf(axis.name).value_or(1);
    const int64_t pack = to.FactorOf(axis.name).value_or(1);
    // As TVM: the result is simplified, even for axes that do not change.
    shape.push_back(Narrowed(Simplify(context, Repack(context, dim, packed, pack))));
  }
  return shape;
}

}  // namespace relayopt
