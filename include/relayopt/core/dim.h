// Integers as Relay boxes them: tensor dimensions and integer attributes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "relayopt/support/ids.h"

namespace relayopt {

// An integer constant with its width, the unknown extent `?`, a symbolic expression (an object such as `tir.Var`), or
// null. As TVM: symbolic expressions are equal only when they are the same object.
class Dim {
 public:
  enum class Kind : uint8_t { kNull, kInt, kAny, kExpr };

  constexpr Dim() = default;
  // An int32 constant, or int64 where the value does not fit.
  constexpr Dim(int64_t value)
      : value_(value), kind_(Kind::kInt), bits_(value == static_cast<int32_t>(value) ? 32 : 64) {}
  constexpr Dim(int64_t value, int bits) : value_(value), kind_(Kind::kInt), bits_(static_cast<uint8_t>(bits)) {}
  static constexpr auto Null() -> Dim { return {}; }
  static constexpr auto Any() -> Dim {
    Dim dim;
    dim.kind_ = Kind::kAny;
    return dim;
  }
  static constexpr auto Expr(ObjectId object) -> Dim {
    Dim dim;
    dim.kind_ = Kind::kExpr;
    dim.value_ = object.value();
    return dim;
  }

  constexpr auto kind() const -> Kind { return kind_; }
  constexpr auto is_null() const -> bool { return kind_ == Kind::kNull; }
  constexpr auto is_int() const -> bool { return kind_ == Kind::kInt; }
  constexpr auto is_any() const -> bool { return kind_ == Kind::kAny; }
  constexpr auto is_expr() const -> bool { return kind_ == Kind::kExpr; }
  // Returns the value of a constant; only for kInt.
  constexpr auto value() const -> int64_t { return value_; }
  // Returns the width in bits of the constant's type: 32 or 64, rarely 1, 8 or 16.
  constexpr auto bits() const -> int { return bits_; }
  // Returns the symbolic expression; only for kExpr.
  constexpr auto object() const -> ObjectId { return ObjectId(static_cast<uint32_t>(value_)); }
  constexpr auto is(int64_t value) const -> bool { return is_int() && value_ == value; }

  // Compares the width as well, because int32 3 and int64 3 print differently.
  friend constexpr auto operator==(const Dim&, const Dim&) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H h, const Dim& d) -> H {
    return H::combine(static_cast<H&&>(h), d.value_, d.kind_, d.bits_);
  }

 private:
  int64_t value_ = 0;
  Kind kind_ = Kind::kNull;
  uint8_t bits_ = 0;
};

using Shape = std::span<const Dim>;

// Whether two dimensions are equal as extents, whatever their width: int32 3 and int64 3 are.
constexpr auto SameExtent(const Dim& a, const Dim& b) -> bool {
  return a.is_int() && b.is_int() ? a.value() == b.value() : a == b;
}

}  // namespace relayopt
