// Arithmetic on dimensions without overflow.
#include "relayopt/arith/dim_arith.h"

#include <algorithm>
#include <string>

#include "relayopt/arith/expr_object.h"
#include "relayopt/arith/fold.h"

namespace relayopt {

namespace {

auto Width(const Dim& a, const Dim& b) -> int {
  const int left = a.is_int() ? a.bits() : 32;
  const int right = b.is_int() ? b.bits() : 32;
  return std::max(left, right);
}

auto Folded(int64_t value, int bits) -> Dim {
  if (bits <= 32 && value != static_cast<int32_t>(value)) bits = 64;
  return {value, bits};
}

auto Symbolic(Context& context, arith::PrimKind kind, const Dim& a, const Dim& b) -> Dim {
  if (a.is_null() || b.is_null()) return Dim::Null();
  const ObjectId left = AsObject(context, a);
  const ObjectId right = AsObject(context, b);
  return Dim::Expr(arith::AddOperator(context, kind, DataType::Int(Width(a, b)), left, right));
}

// Rounds toward minus infinity.
auto IsOverflowingQuotient(const Dim& a, const Dim& b) -> bool { return a.is(INT64_MIN) && b.is(-1); }

}  // namespace

auto Add(Context& context, const Dim& a, const Dim& b) -> Dim {
  if (a.is_int() && b.is_int()) {
    int64_t value = 0;
    if (__builtin_add_overflow(a.value(), b.value(), &value)) return Dim::Null();
    return Folded(value, Width(a, b));
  }
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return Symbolic(context, arith::PrimKind::kAdd, a, b);
}

auto Sub(Context& context, const Dim& a, const Dim& b) -> Dim {
  if (a.is_int() && b.is_int()) {
    int64_t value = 0;
    if (__builtin_sub_overflow(a.value(), b.value(), &value)) return Dim::Null();
    return Folded(value, Width(a, b));
  }
  if (b.is(0)) return a;
  return Symbolic(context, arith::PrimKind::kSub, a, b);
}

auto Mul(Context& context, const Dim& a, const Dim& b) -> Dim {
  if (a.is_int() && b.is_int()) {
    int64_t value = 0;
    if (__builtin_mul_overflow(a.value(), b.value(), &value)) return Dim::Null();
    return Folded(value, Width(a, b));
  }
  if (a.is(0) || b.is(1)) return a;
  if (b.is(0) || a.is(1)) return b;
  return Symbolic(context, arith::PrimKind::kMul, a, b);
}

auto TruncDiv(Context& context, const Dim& a, const Dim& b) -> Dim {
  if (b.is(0) || IsOverflowingQuotient(a, b)) return Dim::Null();
  if (a.is_int() && b.is_int()) return Folded(a.value() / b.value(), Width(a, b));
  if (b.is(1) || a.is(0)) return a;
  return Symbolic(context, arith::PrimKind::kDiv, a, b);
}

auto FloorDiv(Context& context, const Dim& a, const Dim& b) -> Dim {
  if (b.is(0) || IsOverflowingQuotient(a, b)) return Dim::Null();
  if (a.is_int() && b.is_int()) return Folded(arith::FloorDivInt(a.value(), b.value()), Width(a, b));
  if (b.is(1) || a.is(0)) return a;
  return Symbolic(context, arith::PrimKind::kFloorDiv, a, b);
}

auto FloorMod(Context& context, const Dim& a, const Dim& b) -> Dim {
  if (b.is(0)) return Dim::Null();
  if (b.is(-1) || b.is(1)) return {0, Width(a, b)};
  if (a.is_int() && b.is_int()) return Folded(arith::FloorModInt(a.value(), b.value()), Width(a, b));
  if (a.is(0)) return a;
  return Symbolic(context, arith::PrimKind::kFloorMod, a, b);
}

auto Max(Context& context, const Dim& a, const Dim& b) -> Dim {
  if (a.is_int() && b.is_int()) return Folded(std::max(a.value(), b.value()), Width(a, b));
  if (a == b) return a;
  return Symbolic(context, arith::PrimKind::kMax, a, b);
}

auto Min(Context& context, const Dim& a, const Dim& b) -> Dim {
  if (a.is_int() && b.is_int()) return Folded(std::min(a.value(), b.value()), Width(a, b));
  if (a == b) return a;
  return Symbolic(context, arith::PrimKind::kMin, a, b);
}

auto NumElements(Shape shape) -> std::optional<int64_t> {
  int64_t product = 1;
  for (const Dim& dim : shape) {
    if (!dim.is_int() || __builtin_mul_overflow(product, dim.value(), &product)) return std::nullopt;
  }
  return product;
}

auto AsObject(Context& context, const Dim& dim) -> ObjectId {
  switch (dim.kind()) {
    case Dim::Kind::kNull: return {};
    case Dim::Kind::kInt: return context.AddInt(dim.value(), DataType::Int(dim.bits()));
    case Dim::Kind::kExpr: return dim.object();
    case Dim::Kind::kAny: break;
  }
  const ObjectField fields[] = {{context.Intern("dtype"), context.Intern("int32"), {}},
                                {context.Intern("span"), {}, {}}};
  Object object;
  object.type_key = context.Intern(arith::TypeKey(arith::PrimKind::kAny));
  object.dtype = DataType::Int(32);
  object.fields = fields;
  return context.Add(object);
}

auto ToString(const Dim& dim) -> std::string {
  switch (dim.kind()) {
    case Dim::Kind::kNull: return "None";
    case Dim::Kind::kInt: return std::to_string(dim.value());
    case Dim::Kind::kAny: return "?";
    case Dim::Kind::kExpr: return "<expr>";
  }
  return "";
}

auto ToString(Shape shape) -> std::string {
  std::string out = "(";
  for (size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ", ") + ToString(shape[i]);
  return out + ")";
}

}  // namespace relayopt
