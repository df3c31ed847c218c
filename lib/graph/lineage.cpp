// From records of the core to objects.
#include "relayopt/graph/lineage.h"

#include "relayopt/graph/attrs_types.h"
#include "relayopt/module/constructor_tag.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt::graph {

auto OpObject(std::string_view name) -> Ref<SlotObj> {
  static auto* const ops = new std::unordered_map<std::string, Ref<SlotObj>>();
  auto& op = (*ops)[std::string(name)];
  if (!op) {
    const Value fields[] = {name};
    op = object::MakeNode(TypeOf(Node::kOp), fields);
  }
  return op;
}

auto Lineage::ObjectOf(TypeId id) -> Value {
  if (!id) return {};
  if (const auto found = types_.find(id.value()); found != types_.end()) return found->second;
  // Terms below first, from a stack: types may be nested deeply.
  std::vector<TypeId> work = {id};
  while (!work.empty()) {
    const TypeId next = work.back();
    if (types_.contains(next.value())) {
      work.pop_back();
      continue;
    }
    const Type& type = context_->type(next);
    const size_t before = work.size();
    const auto need = [&](TypeId below) {
      if (below && !types_.contains(below.value())) work.push_back(below);
    };
    for (const TypeId arg : type.args) need(arg);
    for (const TypeId param : type.type_params) need(param);
    need(type.result);
    if (work.size() != before) continue;
    work.pop_back();
    const Ref<SlotObj> object = MakeType(type);
    types_.emplace(next.value(), object);
    if (object) type_ids_.emplace(object.get(), std::pair(Ref<Object>(object), next));
  }
  return types_.at(id.value());
}

auto Lineage::MakeType(const Type& type) -> Ref<SlotObj> {
  const auto of = [&](TypeId id) -> Value { return id ? Value(types_.at(id.value())) : Value(); };
  const auto list = [&](std::span<const TypeId> ids) -> Value {
    auto array = object::MakeArray(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) array->set(i, of(ids[i]));
    return array;
  };
  const auto make = [](Node node, std::initializer_list<Value> fields) {
    return object::MakeNode(TypeOf(node), std::span(fields.begin(), fields.size()));
  };
  switch (type.kind) {
    case TypeKind::kTensor: {
      auto shape = object::MakeArray(type.shape.size());
      for (size_t i = 0; i < type.shape.size(); ++i) shape->set(i, ObjectOf(type.shape[i]));
      return make(Node::kTensorType, {shape, ToString(type.dtype)});
    }
    case TypeKind::kTuple: return make(Node::kTupleType, {list(type.args)});
    case TypeKind::kFunction:
      return make(Node::kFuncType, {list(type.args), of(type.result), list(type.type_params), object::MakeArray(0)});
    case TypeKind::kVar: return make(Node::kTypeVar, {context_->text(type.name), 0});
    case TypeKind::kCall: return make(Node::kTypeCall, {GlobalTypeVar(context_->text(type.name)), list(type.args)});
    case TypeKind::kRef: return make(Node::kRefType, {of(type.result)});
    case TypeKind::kIncomplete: return make(Node::kIncompleteType, {0});
    case TypeKind::kNull: break;
  }
  return {};
}

auto Lineage::ObjectOf(const Dim& dim) -> Value {
  switch (dim.kind()) {
    case Dim::Kind::kNull: return {};
    case Dim::Kind::kInt: return MakeInt(dim.value(), ToString(DataType::Int(dim.bits())));
    case Dim::Kind::kAny: {
      const Value fields[] = {Value()};
      auto any = object::MakeNode(TypeOf(Node::kTirAny), std::span(fields, 0));
      any->set(slot::kDtype, "int32");
      return any;
    }
    case Dim::Kind::kExpr: return ObjectOf(dim.object());
  }
  return {};
}

namespace {

// Numbers that a metadata section holds as text.
auto ParseLiteral(std::string_view text, object::FieldKind kind) -> Value {
  if (kind == object::FieldKind::kFloat) return std::strtod(std::string(text).c_str(), nullptr);
  const auto integer = ParseNumber<int64_t>(text);
  if (integer && kind != object::FieldKind::kString) return *integer;
  return text;
}

// Returns the value of a field of a reflected node. Numbers of fields that hold numbers come boxed from text.
auto FieldOf(const Value& value, object::FieldKind kind) -> Value {
  const bool is_number = kind == object::FieldKind::kInt || kind == object::FieldKind::kBool;
  if (is_number && IsExactly(value.object(), Node::kIntImm)) {
    return static_cast<const SlotObj&>(*value.object()).slot(slot::kImmValue).integer();
  }
  if (kind == object::FieldKind::kFloat && IsExactly(value.object(), Node::kFloatImm)) {
    return static_cast<const SlotObj&>(*value.object()).slot(slot::kImmValue).real();
  }
  return value;
}

}  // namespace

auto Lineage::ObjectOf(ObjectId id) -> Value {
  if (!id) return {};
  if (const auto found = values_.find(id.value()); found != values_.end()) return found->second;
  // Children first, from a stack.
  std::vector<ObjectId> work = {id};
  while (!work.empty()) {
    const ObjectId next = work.back();
    if (values_.contains(next.value())) {
      work.pop_back();
      continue;
    }
    const relayopt::Object& record = context_->object(next);
    const size_t before = work.size();
    for (const ObjectId item : record.items) {
      if (item && !values_.contains(item.value())) work.push_back(item);
    }
    for (const ObjectField& field : record.fields) {
      if (field.object && !values_.contains(field.object.value())) work.push_back(field.object);
    }
    if (work.size() != before) continue;
    work.pop_back();
    const Ref<Object> made = MakeObject(record);
    values_.emplace(next.value(), made);
    if (made) Remember(made, next);
  }
  return values_.at(id.value());
}

auto Lineage::ChildOf(ObjectId id) const -> Value { return id ? Value(values_.at(id.value())) : Value(); }

auto Lineage::MakeObject(const relayopt::Object& record) -> Ref<Object> {
  // A node with a value and a type, as literals are.
  const auto literal = [](Node type, const Value& value, std::string_view dtype) {
    auto node = object::MakeNode(TypeOf(type), std::span(&value, 1));
    node->set(slot::kDtype, dtype);
    return node;
  };
  switch (record.kind) {
    case ObjectKind::kInt: return MakeInt(record.integer, ToString(record.dtype));
    case ObjectKind::kFloat: return literal(Node::kFloatImm, record.real, ToString(record.dtype));
    case ObjectKind::kString: return object::Make<object::StringObj>(context_->text(record.text));
    case ObjectKind::kStringImm: return literal(Node::kStringImm, context_->text(record.text), "handle");
    case ObjectKind::kArray: {
      auto array = object::MakeArray(record.items.size());
      for (size_t i = 0; i < record.items.size(); ++i) array->set(i, ChildOf(record.items[i]));
      return array;
    }
    case ObjectKind::kMap: {
      std::vector<std::pair<Value, Value>> entries;
      for (size_t i = 0; i + 1 < record.items.size(); i += 2) {
        entries.emplace_back(ChildOf(record.items[i]), ChildOf(record.items[i + 1]));
      }
      return object::Make<object::MapObj>(std::move(entries));
    }
    case ObjectKind::kConstant: {
      const Value fields[] = {ObjectOf(record.constant)};
      auto node = object::MakeNode(TypeOf(Node::kConstant), fields);
      if (record.type) node->set(slot::kCheckedType, ObjectOf(record.type));
      return node;
    }
    case ObjectKind::kType: return ObjectOf(record.type).ref();
    case ObjectKind::kAttrs: return ObjectOf(record.attrs).ref();
    case ObjectKind::kGlobalVar: return GlobalVar(context_->text(record.text));
    case ObjectKind::kOp: return OpObject(context_->text(record.text));
    case ObjectKind::kBytes:
    case ObjectKind::kNode: return MakeReflected(record);
  }
  return nullptr;
}

auto Lineage::MakeReflected(const relayopt::Object& record) -> Ref<SlotObj> {
  const std::string_view key = record.type_key ? context_->text(record.type_key) : std::string_view("Node");
  const object::TypeInfo* info = object::FindType(key);
  if (info == nullptr) {
    auto fields = MapToVector<object::Field>(record.fields, [&](const ObjectField& field) {
      return object::Field{.name = std::string(context_->text(field.name)), .optional = true};
    });
    info = &object::InfoOf(object::RegisterType(key, 0, std::move(fields)));
  }
  auto node = SlotObj::Create(info->index, info->fields.size());
  if (record.kind == ObjectKind::kBytes && !info->fields.empty()) node->set(0, context_->text(record.text));
  for (size_t i = 0; i < info->fields.size(); ++i) {
    if (info->fields[i].fallback != nullptr) node->set(i, *info->fields[i].fallback);
  }
  for (const ObjectField& field : record.fields) {
    const int at = info->Find(context_->text(field.name));
    if (at < 0) continue;
    const object::FieldKind kind = info->fields[at].kind;
    node->set(at,
              field.literal ? ParseLiteral(context_->text(field.literal), kind) : FieldOf(ChildOf(field.object), kind));
  }
  return node;
}

void Lineage::Remember(const Ref<Object>& object, ObjectId id) {
  object_ids_.emplace(object.get(), std::pair(object, id));
}

auto Lineage::ObjectOf(AttrsId id) -> Value {
  if (!id) return {};
  if (const auto found = attrs_.find(id.value()); found != attrs_.end()) return found->second;
  const AttrsRecord& record = context_->attrs(id);
  Value made = record.schema == nullptr ? ObjectOf(record.object) : Value(MakeAttrs(record));
  attrs_.emplace(id.value(), made.ref());
  return made;
}

auto Lineage::MakeAttrs(const AttrsRecord& record) -> Ref<SlotObj> {
  auto node = SlotObj::Create(AttrsType(*record.schema), record.schema->fields.size());
  for (size_t i = 0; i < record.schema->fields.size(); ++i) {
    node->set(i, FieldValue(record.schema->fields[i], record.data));
  }
  return node;
}

auto Lineage::FieldValue(const FieldInfo& field, const void* record) -> Value {
  const auto list = [&](const DimList& dims) -> Value {
    if (dims.null) return {};
    auto array = object::MakeArray(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) array->set(i, ObjectOf(dims[i]));
    return array;
  };
  switch (field.kind) {
    case FieldKind::kInt: return field.Get<int64_t>(record);
    case FieldKind::kBool: return field.Get<bool>(record);
    case FieldKind::kDouble: return field.Get<double>(record);
    case FieldKind::kString: return std::string_view(field.Get<std::string>(record));
    case FieldKind::kDataType: return std::string_view(ToString(field.Get<DataType>(record)));
    case FieldKind::kDim: return ObjectOf(field.Get<Dim>(record));
    case FieldKind::kDimList: return list(field.Get<DimList>(record));
    case FieldKind::kDimLists: {
      const auto& lists = field.Get<DimLists>(record);
      if (lists.null) return {};
      auto array = object::MakeArray(lists.size());
      for (size_t i = 0; i < lists.size(); ++i) array->set(i, list(lists[i]));
      return array;
    }
    case FieldKind::kObject: {
      const ObjectId id = field.Get<ObjectId>(record);
      if (id || field.default_floats.empty()) return ObjectOf(id);
      auto array = object::MakeArray(field.default_floats.size());
      for (size_t i = 0; i < field.default_floats.size(); ++i) {
        const Value fields[] = {field.default_floats[i]};
        auto number = object::MakeNode(TypeOf(Node::kFloatImm), fields);
        number->set(slot::kDtype, "float32");
        array->set(i, number);
      }
      return array;
    }
  }
  return {};
}

auto Lineage::ObjectOf(ConstantId id) -> Value {
  auto& tensor = constants_[id.value()];
  if (!tensor) {
    tensor = object::Make<object::TensorObj>(context_->constant(id));
    constant_ids_.emplace(tensor.get(), std::pair(tensor, id));
  }
  return tensor;
}

auto Lineage::ObjectOf(SpanId id) -> Value {
  if (!id) return {};
  auto& made = spans_[id.value()];
  if (!made) {
    const Span& span = context_->span(id);
    const Value name[] = {context_->text(span.source)};
    const Value fields[] = {object::MakeNode(TypeOf(Node::kSourceName), name), span.line, span.column, span.end_line,
                            span.end_column};
    made = object::MakeNode(TypeOf(Node::kSpan), fields);
  }
  return made;
}

auto Lineage::GlobalVar(std::string_view name) -> Ref<SlotObj> {
  auto& made = global_vars_[std::string(name)];
  if (!made) {
    const Value fields[] = {name};
    made = object::MakeNode(TypeOf(Node::kGlobalVar), fields);
  }
  return made;
}

auto Lineage::GlobalTypeVar(std::string_view name) -> Ref<SlotObj> {
  auto& made = global_type_vars_[std::string(name)];
  if (!made) {
    const Value fields[] = {name, 5};
    made = object::MakeNode(TypeOf(Node::kGlobalTypeVar), fields);
  }
  return made;
}

namespace {

auto CtorKey(std::string_view type, std::string_view name) -> std::string {
  return std::string(type) + "\n" + std::string(name);
}

}  // namespace

auto Lineage::ConstructorOf(const Module& module, CtorId id) -> Ref<SlotObj> {
  const Constructor& ctor = module.constructor(id);
  const std::string_view type = context_->text(module.type_def(ctor.type_def).name);
  const std::string_view name = context_->text(ctor.name);
  auto& made = ctors_[CtorKey(type, name)];
  if (!made) {
    auto inputs = object::MakeArray(ctor.inputs.size());
    for (size_t i = 0; i < ctor.inputs.size(); ++i) inputs->set(i, ObjectOf(ctor.inputs[i]));
    const Value fields[] = {name, inputs, GlobalTypeVar(type), int64_t{ConstructorTag(type, ctor.tag)}};
    made = object::MakeNode(TypeOf(Node::kConstructor), fields);
  }
  return made;
}

void Lineage::Adopt(const Ref<SlotObj>& global_var) {
  global_vars_[std::string(global_var->slot(slot::kNameHint).text())] = global_var;
}
void Lineage::AdoptType(const Ref<SlotObj>& global_type_var) {
  global_type_vars_[std::string(global_type_var->slot(slot::kTypeName).text())] = global_type_var;
}
void Lineage::AdoptConstructor(const Ref<SlotObj>& ctor, std::string_view type_name) {
  ctors_[CtorKey(type_name, ctor->slot(slot::kCtorName).text())] = ctor;
}

}  // namespace relayopt::graph
