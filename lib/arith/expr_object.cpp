// Expressions as objects.
#include "relayopt/arith/expr_object.h"

namespace relayopt::arith {

namespace {

constexpr std::string_view kPrefix = "tir.";

}  // namespace

auto TypeKey(PrimKind kind) -> std::string { return std::string(kPrefix).append(KindName(kind)); }

auto KindOf(const Context& context, ObjectId id) -> std::optional<PrimKind> {
  if (!id) return std::nullopt;
  const Object& object = context.object(id);
  switch (object.kind) {
    case ObjectKind::kInt: return PrimKind::kIntImm;
    case ObjectKind::kFloat: return PrimKind::kFloatImm;
    case ObjectKind::kStringImm: return PrimKind::kStringImm;
    case ObjectKind::kNode: break;
    default: return std::nullopt;
  }
  std::string_view key = object.type_key ? context.text(object.type_key) : std::string_view();
  if (!key.starts_with(kPrefix)) return std::nullopt;
  key.remove_prefix(kPrefix.size());
  for (int i = 0; i < kNumPrimKinds; ++i) {
    if (KindName(static_cast<PrimKind>(i)) == key) return static_cast<PrimKind>(i);
  }
  return std::nullopt;
}

auto FieldOf(const Context& context, ObjectId node, std::string_view name) -> ObjectId {
  for (const ObjectField& field : context.object(node).fields) {
    if (context.text(field.name) == name) return field.object;
  }
  return {};
}

auto AddOperator(Context& context, PrimKind kind, DataType dtype, ObjectId a, ObjectId b) -> ObjectId {
  return context.AddBinary(TypeKey(kind), dtype, a, b);
}

}  // namespace relayopt::arith
