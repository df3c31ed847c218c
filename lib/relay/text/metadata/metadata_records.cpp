// Creates objects from the nodes of a metadata section: types and attribute records.
#include "lib/relay/text/parser/attributes.h"
#include "metadata_objects.h"
#include "relayopt/relay/text/object_graph.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

auto TypeOfObject(Context& context, ObjectId id) -> std::optional<TypeId> {
  const Object& object = context.object(id);
  if (object.kind == ObjectKind::kType) return object.type;
  // The name of a type that takes no arguments is a type too.
  if (object.kind != ObjectKind::kNode || context.text(object.type_key) != "GlobalTypeVar") return std::nullopt;
  const ObjectId name = object.fields[0].object;
  if (!name || context.object(name).kind != ObjectKind::kString) return std::nullopt;
  return context.TypeCall(context.object(name).text, {});
}

auto ObjectMaker::TypeOf(std::string_view name, TypeId& out) -> bool {
  ObjectId child;
  if (!ChildOf(name, child)) return false;
  if (!child) {
    out = context_.NullType();
    return true;
  }
  const auto type = TypeOfObject(context_, child);
  if (!type) return Wrong(*Find(name), "a type");
  out = *type;
  return true;
}

auto ObjectMaker::TypesOf(std::string_view name, std::vector<TypeId>& out) -> bool {
  ObjectId child;
  if (!ChildOf(name, child)) return false;
  if (!child || context_.object(child).kind != ObjectKind::kArray) return Wrong(*Find(name), "an array of types");
  for (const ObjectId item : context_.object(child).items) {
    const auto type = item ? TypeOfObject(context_, item) : context_.NullType();
    if (!type) return Wrong(*Find(name), "an array of types");
    out.push_back(*type);
  }
  return true;
}

auto ObjectMaker::DimsOf(const RawField& field, ObjectId array, std::vector<Dim>& out) -> bool {
  constexpr std::string_view kWhat = "an array of integers";
  if (context_.object(array).kind != ObjectKind::kArray) return Wrong(field, kWhat);
  for (const ObjectId item : context_.object(array).items) {
    const auto dim = DimOfObject(context_, item);
    if (!dim) return Wrong(field, kWhat);
    out.push_back(*dim);
  }
  return true;
}

auto ObjectMaker::MakeType(std::string_view key, ObjectId& out) -> bool {
  TypeId type;
  bool ok = true;
  if (key == "relay.TensorType") {
    ok = MakeTensorType(type);
  } else if (key == "TupleType") {
    std::vector<TypeId> fields;
    ok = TypesOf("fields", fields);
    if (ok) type = context_.Tuple(fields);
  } else if (key == "FuncType") {
    ok = MakeFunctionType(type);
  } else if (key == "TypeVar") {
    StringId name;
    ok = TextOf("name_hint", name);
    if (ok) type = context_.FreshVar(context_.Intern(ReadableModuleName(context_.text(name), /*is_global=*/false)));
  } else if (key == "TypeCall") {
    ok = MakeTypeCall(type);
  } else if (key == "relay.RefType") {
    TypeId content;
    ok = TypeOf("value", content);
    if (ok) type = context_.RefType(content);
  } else {
    type = context_.FreshIncomplete();
  }
  if (!ok) return false;
  Object object;
  object.kind = ObjectKind::kType;
  object.type = type;
  out = context_.Add(object);
  return true;
}

auto ObjectMaker::MakeTensorType(TypeId& out) -> bool {
  DataType dtype;
  ObjectId shape;
  if (!DataTypeOf("dtype", dtype) || !ChildOf("shape", shape)) return false;
  const RawField& field = *Find("shape");
  std::vector<Dim> dims;
  if (!shape) return Wrong(field, "an array of integers");
  if (!DimsOf(field, shape, dims)) return false;
  for (const Dim& dim : dims) {
    if (dim.is_null()) return Wrong(field, "an array of integers");
  }
  out = context_.Tensor(dims, dtype);
  return true;
}

auto ObjectMaker::MakeTypeCall(TypeId& out) -> bool {
  ObjectId head;
  std::vector<TypeId> args;
  if (!ChildOf("func", head) || !TypesOf("args", args)) return false;
  const Object* node = head ? &context_.object(head) : nullptr;
  if (node == nullptr || node->kind != ObjectKind::kNode || context_.text(node->type_key) != "GlobalTypeVar") {
    return Wrong(*Find("func"), "the name of a type");
  }
  const ObjectId name = node->fields[0].object;
  if (!name || context_.object(name).kind != ObjectKind::kString) return Wrong(*Find("func"), "the name of a type");
  const std::string readable = ReadableModuleName(context_.text(context_.object(name).text), /*is_global=*/false);
  out = context_.TypeCall(context_.Intern(readable), args);
  return true;
}

auto ObjectMaker::MakeFunctionType(TypeId& out) -> bool {
  std::vector<TypeId> args;
  std::vector<TypeId> params;
  TypeId result;
  if (!TypesOf("arg_types", args) || !TypeOf("ret_type", result) || !TypesOf("type_params", params)) return false;
  for (const TypeId param : params) {
    if (context_.type(param).kind != TypeKind::kVar) return Wrong(*Find("type_params"), "an array of type variables");
  }
  if (context_.type(result).kind == TypeKind::kNull) result = TypeId();
  out = context_.FunctionType(args, result, params);
  return true;
}

auto ObjectMaker::MakeRecord(const AttrsSchema& schema, ObjectId& out) -> bool {
  AttrsBuilder builder(schema);
  for (const FieldInfo& field : schema.fields) {
    if (!MakeRecordField(field, builder.data())) return false;
  }
  Object object;
  object.kind = ObjectKind::kAttrs;
  object.attrs = context_.InternAttrs(std::move(builder));
  out = context_.Add(object);
  return true;
}

auto ObjectMaker::MakeRecordField(const FieldInfo& field, void* record) -> bool {
  const RawField* raw = Find(field.name);
  if (raw == nullptr) return Missing(field.name);
  ObjectId child;
  if (raw->child != RawField::kNoChild) child = objects_[raw->child];
  switch (field.kind) {
    case FieldKind::kInt: return IntOf(field.name, field.Mutable<int64_t>(record));
    case FieldKind::kBool: {
      int64_t value = 0;
      if (!IntOf(field.name, value)) return false;
      field.Mutable<bool>(record) = value != 0;
      return true;
    }
    case FieldKind::kDouble: return DoubleOf(field.name, field.Mutable<double>(record));
    case FieldKind::kDataType: return DataTypeOf(field.name, field.Mutable<DataType>(record));
    case FieldKind::kString: {
      std::optional<std::string_view> text;
      if (child) {
        if (context_.object(child).kind != ObjectKind::kString) return Wrong(*raw, "a string object");
        text = context_.text(context_.object(child).text);
      } else {
        text = raw->child == RawField::kNoChild ? json_.Unescape(raw->value, storage_) : "";
      }
      if (!text) return false;
      field.Mutable<std::string>(record) = *text;
      return true;
    }
    case FieldKind::kDim: {
      const auto dim = DimOfObject(context_, child);
      if (!dim) return Wrong(*raw, "an integer");
      field.Mutable<Dim>(record) = *dim;
      return true;
    }
    case FieldKind::kDimList: {
      auto& list = field.Mutable<DimList>(record);
      list = DimList();
      list.null = !child;
      return !child || DimsOf(*raw, child, list.values);
    }
    case FieldKind::kDimLists: {
      auto& lists = field.Mutable<DimLists>(record);
      lists = DimLists();
      lists.null = !child;
      if (!child) return true;
      if (context_.object(child).kind != ObjectKind::kArray) return Wrong(*raw, "an array of arrays of integers");
      for (const ObjectId item : context_.object(child).items) {
        DimList& list = lists.values.emplace_back();
        list.null = !item;
        if (item && !DimsOf(*raw, item, list.values)) return false;
      }
      return true;
    }
    case FieldKind::kObject: field.Mutable<ObjectId>(record) = child; return true;
  }
  return false;
}

}  // namespace relayopt
