// Compares attributes with the values that a pattern requires.
#include "attr_match.h"

namespace relayopt {

namespace {

auto SameExtents(const Context& context, const DimList& list, ObjectId id) -> bool {
  if (!id || list.null || context.object(id).kind != ObjectKind::kArray) return false;
  const auto items = context.object(id).items;
  if (items.size() != list.size()) return false;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i] || context.object(items[i]).kind != ObjectKind::kInt) return false;
    if (!list[i].is(context.object(items[i]).integer)) return false;
  }
  return true;
}

auto Is(const RequiredAttr& value, int64_t integer) -> bool {
  return value.kind == RequiredAttr::Kind::kInt && value.integer == integer;
}

auto Is(const RequiredAttr& value, std::string_view text) -> bool {
  return value.kind == RequiredAttr::Kind::kString && value.text == text;
}

}  // namespace

auto MatchesField(const Context& context, const RequiredAttr& value, const FieldInfo& field, const void* record)
    -> bool {
  switch (field.kind) {
    case FieldKind::kInt: return Is(value, field.Get<int64_t>(record));
    case FieldKind::kBool: return Is(value, field.Get<bool>(record) ? 1 : 0);
    case FieldKind::kDouble: return value.kind == RequiredAttr::Kind::kFloat && value.real == field.Get<double>(record);
    case FieldKind::kString: return Is(value, field.Get<std::string>(record));
    case FieldKind::kDataType: return Is(value, ToString(field.Get<DataType>(record)));
    case FieldKind::kDim: {
      const Dim& dim = field.Get<Dim>(record);
      return dim.is_int() && Is(value, dim.value());
    }
    case FieldKind::kDimList:
      return value.kind == RequiredAttr::Kind::kObject &&
             SameExtents(context, field.Get<DimList>(record), value.object);
    case FieldKind::kDimLists: return false;
    case FieldKind::kObject: return MatchesObject(context, value, field.Get<ObjectId>(record));
  }
  return false;
}

auto MatchesObject(const Context& context, const RequiredAttr& value, ObjectId id) -> bool {
  if (!id) return false;
  if (value.kind == RequiredAttr::Kind::kObject) return value.object && context.EqualObjects(value.object, id);
  const Object& object = context.object(id);
  switch (object.kind) {
    case ObjectKind::kInt: return Is(value, object.integer);
    case ObjectKind::kFloat: return value.kind == RequiredAttr::Kind::kFloat && value.real == object.real;
    case ObjectKind::kString:
    case ObjectKind::kStringImm: return Is(value, context.text(object.text));
    default: return false;
  }
}

auto MatchesEntry(const Context& context, const RequiredAttr& value, ObjectId map) -> bool {
  if (!map) return false;
  const auto items = context.object(map).items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const Object* const key = items[i] ? &context.object(items[i]) : nullptr;
    if (key != nullptr && key->kind == ObjectKind::kString && context.text(key->text) == value.name) {
      return MatchesObject(context, value, items[i + 1]);
    }
  }
  return false;
}

auto MatchesOp(const RequiredAttr& value, const OpDef& op) -> bool {
  if (value.name == "TOpPattern") return op.fusion != Fusion::kNone && Is(value, static_cast<int64_t>(op.fusion));
  if (value.name == "TOpIsStateful") return Is(value, op.stateful ? 1 : 0);
  if (value.name == "TNonComputational") return Is(value, op.non_computational ? 1 : 0);
  if (value.name == "TReshapeOp") return Is(value, op.reshape_only ? 1 : 0);
  return false;
}

}  // namespace relayopt
