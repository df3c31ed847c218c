// Assigns `meta[KEY][i]` to objects.
#include "printer_meta.h"

#include "printer_literals.h"

namespace relayopt {

namespace {

auto TypeKeyOfType(const Type& type) -> std::string_view {
  switch (type.kind) {
    case TypeKind::kTensor: return "relay.TensorType";
    case TypeKind::kTuple: return "TupleType";
    case TypeKind::kFunction: return "FuncType";
    case TypeKind::kVar: return "TypeVar";
    case TypeKind::kCall: return "TypeCall";
    case TypeKind::kRef: return "relay.RefType";
    case TypeKind::kIncomplete: return "IncompleteType";
    case TypeKind::kNull: break;
  }
  return "";
}

auto TypeKeyOfAttrs(const Context& context, AttrsId id) -> std::string_view {
  const AttrsRecord& record = context.attrs(id);
  return record.schema != nullptr ? record.schema->type_key : context.text(context.object(record.object).type_key);
}

auto TypeKeyOfObject(const Context& context, const Object& object) -> std::string_view {
  switch (object.kind) {
    case ObjectKind::kInt: return "IntImm";
    case ObjectKind::kFloat: return "FloatImm";
    case ObjectKind::kString: return "runtime.String";
    case ObjectKind::kStringImm: return "tir.StringImm";
    case ObjectKind::kArray: return "Array";
    case ObjectKind::kMap: return "Map";
    case ObjectKind::kConstant: return "relay.Constant";
    case ObjectKind::kType: return TypeKeyOfType(context.type(object.type));
    case ObjectKind::kAttrs: return TypeKeyOfAttrs(context, object.attrs);
    case ObjectKind::kGlobalVar: return "GlobalVar";
    case ObjectKind::kOp: return "Op";
    case ObjectKind::kNode:
    case ObjectKind::kBytes: break;
  }
  return context.text(object.type_key);
}

}  // namespace

auto RefOf(const Context& context, ObjectId id) -> MetaRef {
  const Object& object = context.object(id);
  if (object.kind == ObjectKind::kConstant) return {MetaRef::Kind::kConstant, object.constant.value()};
  // Other equal types may be different objects.
  if (object.kind == ObjectKind::kType) {
    const TypeKind kind = context.type(object.type).kind;
    if (kind == TypeKind::kIncomplete || kind == TypeKind::kVar) return {MetaRef::Kind::kType, object.type.value()};
  }
  return {MetaRef::Kind::kObject, id.value()};
}

auto TypeKeyOf(const Context& context, const MetaRef& ref) -> std::string_view {
  switch (ref.kind) {
    case MetaRef::Kind::kObject: return TypeKeyOfObject(context, context.object(ObjectId(ref.id)));
    case MetaRef::Kind::kConstant: return "relay.Constant";
    case MetaRef::Kind::kType: return TypeKeyOfType(context.type(TypeId(ref.id)));
    case MetaRef::Kind::kAttrs: return TypeKeyOfAttrs(context, AttrsId(ref.id));
  }
  return "";
}

auto MetaIndex::IndexOf(const MetaRef& ref) -> uint32_t {
  const auto [entry, is_new] = index_of_.try_emplace(ref);
  if (is_new) {
    const std::string_view key = TypeKeyOf(context_, ref);
    const auto [list, new_key] = list_of_key_.try_emplace(key, static_cast<uint32_t>(lists_.size()));
    if (new_key) lists_.push_back({key, {}});
    auto& objects = lists_[list->second].objects;
    entry->second = static_cast<uint32_t>(objects.size());
    objects.push_back(ref);
  }
  return entry->second;
}

void MetaIndex::Append(std::string& out, const MetaRef& ref) {
  const uint32_t index = IndexOf(ref);
  out += "meta[";
  out += TypeKeyOf(context_, ref);
  out += "][";
  AppendInt(out, index);
  out += ']';
}

void MetaIndex::NoteConstant(ConstantId id, const ConstantUse& use) {
  ConstantUse& known = constants_[id];
  if (!known.type) known.type = use.type;
  if (!known.span) known.span = use.span;
  if (!known.read_span) known.read_span = use.read_span;
}

}  // namespace relayopt
