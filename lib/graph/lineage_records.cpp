// From objects to records of the core.
#include "relayopt/graph/attrs_types.h"
#include "relayopt/graph/lineage.h"

#include <cstring>

#include "relayopt/object/packed_func.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::graph {
namespace {

constexpr DiagnosticKind kGraph{"graph", Severity::kError, "{}"};

auto Slots(const Value& value) -> std::span<const Value> { return SlotsOf(*value.object()); }

// Returns an integer as such or boxed.
auto IntegerOf(const Value& value) -> std::optional<int64_t> {
  if (value.is_int()) return value.integer();
  if (IsExactly(value.object(), Node::kIntImm)) return Slots(value)[slot::kImmValue].integer();
  return std::nullopt;
}

auto RealOf(const Value& value) -> std::optional<double> {
  if (value.is_float()) return value.real();
  if (IsExactly(value.object(), Node::kFloatImm)) return Slots(value)[slot::kImmValue].real();
  if (const auto integer = IntegerOf(value)) return static_cast<double>(*integer);
  return std::nullopt;
}

auto TextOf(const Value& value) -> std::optional<std::string_view> {
  if (value.as<object::StringObj>() != nullptr) return value.text();
  if (IsExactly(value.object(), Node::kStringImm)) return Slots(value)[slot::kImmValue].text();
  return std::nullopt;
}

}  // namespace

auto GraphError(std::string_view text) -> Diagnostic { return MakeDiagnostic(kGraph, {}, text); }

auto Lineage::TypeIdOf(const Value& type) -> Result<TypeId> {
  if (type.is_null()) return TypeId();
  if (!Is(type.object(), Node::kType)) return GraphError("a type is expected, not " + object::TypeKeyOf(type));
  if (const auto found = type_ids_.find(type.object()); found != type_ids_.end()) return found->second.second;
  // Terms below first, from a stack.
  std::vector<Ref<Object>> work = {type.ref()};
  while (!work.empty()) {
    const Ref<Object> next = work.back();
    if (type_ids_.contains(next.get())) {
      work.pop_back();
      continue;
    }
    const size_t before = work.size();
    const auto need = [&](const Value& below) {
      if (Is(below.object(), Node::kType) && !IsExactly(below.object(), Node::kTypeRelation) &&
          !type_ids_.contains(below.object())) {
        work.push_back(below.ref());
      }
    };
    for (const Value& value : SlotsOf(*next)) {
      need(value);
      if (Is(value.object(), Node::kType) || IsExactly(next.get(), Node::kTensorType)) continue;
      for (const Value& item : object::Items(value)) need(item);
    }
    if (work.size() != before) continue;
    RELAYOPT_TRY(const TypeId id, InternType(static_cast<const SlotObj&>(*next)));
    type_ids_.emplace(next.get(), std::pair(next, id));
    // If the type has an object already, thawing keeps returning that one.
    types_.try_emplace(id.value(), next);
    work.pop_back();
  }
  return type_ids_.at(type.object()).second;
}

auto Lineage::InternType(const SlotObj& type) -> Result<TypeId> {
  const auto of = [&](const Value& below) -> TypeId {
    if (below.is_null()) return {};
    const auto found = type_ids_.find(below.object());
    return found == type_ids_.end() ? TypeId() : found->second.second;
  };
  const auto list = [&](const Value& array) {
    return MapToVector<TypeId>(object::Items(array),
                               [&](const Value& item) { return item.is_null() ? context_->NullType() : of(item); });
  };
  if (IsExactly(&type, Node::kTensorType)) {
    std::vector<Dim> shape;
    for (const Value& extent : object::Items(type.slot(slot::kShape))) {
      RELAYOPT_TRY(const Dim dim, DimOf(extent));
      shape.push_back(dim);
    }
    const auto dtype = ParseDataType(type.slot(slot::kTensorDtype).text());
    if (!dtype) return GraphError(fmt::format("unknown type {}", type.slot(slot::kTensorDtype).text()));
    return context_->Tensor(shape, *dtype);
  }
  if (IsExactly(&type, Node::kTupleType)) return context_->Tuple(list(type.slot(slot::kTypeFields)));
  if (IsExactly(&type, Node::kFuncType)) {
    return context_->FunctionType(list(type.slot(slot::kArgTypes)), of(type.slot(slot::kRetType)),
                                  list(type.slot(slot::kFuncTypeParams)));
  }
  if (IsExactly(&type, Node::kTypeVar)) return context_->FreshVar(context_->Intern(type.slot(slot::kTypeName).text()));
  if (IsExactly(&type, Node::kTypeCall)) {
    const Value& func = type.slot(slot::kTypeCallFunc);
    if (!IsExactly(func.object(), Node::kGlobalTypeVar)) {
      return GraphError("only a named type can be applied to types");
    }
    return context_->TypeCall(context_->Intern(Slots(func)[slot::kTypeName].text()),
                              list(type.slot(slot::kTypeCallArgs)));
  }
  if (IsExactly(&type, Node::kGlobalTypeVar)) {
    return context_->TypeCall(context_->Intern(type.slot(slot::kTypeName).text()), {});
  }
  if (IsExactly(&type, Node::kRefType)) return context_->RefType(of(type.slot(slot::kRefTypeValue)));
  if (IsExactly(&type, Node::kIncompleteType)) return context_->FreshIncomplete();
  return GraphError("no type of a Relay program: " + type.type_key());
}

auto Lineage::DimOf(const Value& extent) -> Result<Dim> {
  if (extent.is_null()) return Dim::Null();
  if (extent.is_int()) return Dim(extent.integer());
  if (IsExactly(extent.object(), Node::kIntImm)) {
    const auto dtype = ParseDataType(Slots(extent)[slot::kDtype].text());
    return Dim(Slots(extent)[slot::kImmValue].integer(), dtype ? dtype->bits : 32);
  }
  if (IsExactly(extent.object(), Node::kTirAny)) return Dim::Any();
  if (!Is(extent.object(), Node::kPrimExpr))
    return GraphError("an extent is expected, not " + object::TypeKeyOf(extent));
  RELAYOPT_TRY(const ObjectId id, ObjectIdOf(extent));
  return Dim::Expr(id);
}

auto Lineage::ObjectIdOf(const Value& value) -> Result<ObjectId> {
  switch (value.tag()) {
    case Value::Tag::kNull: return ObjectId();
    case Value::Tag::kInt: return context_->AddInt(value.integer());
    case Value::Tag::kFloat: return context_->AddFloat(value.real(), DataType::Float(32));
    case Value::Tag::kObject: break;
  }
  if (const auto found = object_ids_.find(value.object()); found != object_ids_.end()) return found->second.second;
  std::vector<Ref<Object>> work = {value.ref()};
  while (!work.empty()) {
    const Ref<Object> next = work.back();
    if (object_ids_.contains(next.get())) {
      work.pop_back();
      continue;
    }
    const size_t before = work.size();
    const auto need = [&](const Value& below) {
      if (below.is_object() && !object_ids_.contains(below.object())) work.push_back(below.ref());
    };
    const bool is_leaf = Is(next.get(), Node::kType) || Is(next.get(), Node::kConstant) ||
                         Is(next.get(), Node::kGlobalVar) || Is(next.get(), Node::kOp) ||
                         SchemaOf(next->type_index()) != nullptr;
    if (object::IsArray(next.get())) {
      for (const Value& item : static_cast<const SlotObj&>(*next).slots()) need(item);
    } else if (const auto* map = next.as<object::MapObj>()) {
      for (const auto& [key, item] : map->entries()) {
        need(key);
        need(item);
      }
    } else if (!is_leaf && next.as<object::StringObj>() == nullptr && next.as<object::TensorObj>() == nullptr) {
      if (dynamic_cast<const SlotObj*>(next.get()) == nullptr) {
        const bool is_function = next.as<object::PackedFuncObj>() != nullptr;
        return GraphError(is_function ? "a function cannot be an attribute"
                                      : "an object of type " + next->type_key() + " cannot be an attribute");
      }
      // The text fields of nodes are objects, too, except for dtypes; see NodeRecord.
      for (const Value& item : SlotsOf(*next)) {
        if (item.is_object() && item.as<object::StringObj>() == nullptr) need(item);
      }
    }
    if (work.size() != before) continue;
    work.pop_back();
    RELAYOPT_TRY(const ObjectId id, NodeRecord(*next));
    Remember(next, id);
    values_.try_emplace(id.value(), next);
  }
  return object_ids_.at(value.object()).second;
}

auto Lineage::ChildId(const Value& value) -> ObjectId {
  switch (value.tag()) {
    case Value::Tag::kInt: return context_->AddInt(value.integer());
    case Value::Tag::kFloat: return context_->AddFloat(value.real(), DataType::Float(32));
    case Value::Tag::kObject: {
      const auto found = object_ids_.find(value.object());
      return found == object_ids_.end() ? context_->AddString(value.text()) : found->second.second;
    }
    case Value::Tag::kNull: break;
  }
  return {};
}

auto Lineage::NodeRecord(const Object& any) -> Result<ObjectId> {
  if (any.IsInstance<object::StringObj>()) {
    return context_->AddString(static_cast<const object::StringObj&>(any).text);
  }
  if (any.IsInstance<object::MapObj>()) {
    std::vector<ObjectId> items;
    for (const auto& [key, item] : static_cast<const object::MapObj&>(any).entries()) {
      items.push_back(ChildId(key));
      items.push_back(ChildId(item));
    }
    return context_->AddMap(items);
  }
  if (any.IsInstance<object::TensorObj>()) {
    relayopt::Object record;
    record.kind = ObjectKind::kConstant;
    record.constant = ConstantIdOf(static_cast<object::TensorObj&>(const_cast<Object&>(any)));
    return context_->Add(record);
  }
  const auto& node = static_cast<const SlotObj&>(any);
  if (object::IsArray(&any)) {
    const auto items = MapToVector<ObjectId>(node.slots(), [&](const Value& item) { return ChildId(item); });
    return context_->AddArray(items);
  }
  if (IsExactly(&any, Node::kIntImm)) {
    const auto dtype = ParseDataType(node.slot(slot::kDtype).text());
    return context_->AddInt(node.slot(slot::kImmValue).integer(), dtype.value_or(DataType::Int(32)));
  }
  if (IsExactly(&any, Node::kFloatImm)) {
    const auto dtype = ParseDataType(node.slot(slot::kDtype).text());
    return context_->AddFloat(node.slot(slot::kImmValue).real(), dtype.value_or(DataType::Float(32)));
  }
  RELAYOPT_TRY(const auto record, OwnKindRecord(node));
  return record ? context_->Add(*record) : ReflectedRecord(node);
}

// Returns nothing for nodes without a record type of their own.
auto Lineage::OwnKindRecord(const SlotObj& node) -> Result<std::optional<relayopt::Object>> {
  relayopt::Object record;
  if (IsExactly(&node, Node::kStringImm)) {
    record.kind = ObjectKind::kStringImm;
    record.text = context_->Intern(node.slot(slot::kImmValue).text());
  } else if (Is(&node, Node::kConstant)) {
    record.kind = ObjectKind::kConstant;
    auto* const tensor = node.slot(slot::kData).as<object::TensorObj>();
    if (tensor == nullptr) return GraphError("a constant holds a tensor");
    record.constant = ConstantIdOf(*tensor);
    RELAYOPT_TRY(record.type, TypeIdOf(node.slot(slot::kCheckedType)));
  } else if (Is(&node, Node::kGlobalVar) || Is(&node, Node::kOp)) {
    record.kind = Is(&node, Node::kOp) ? ObjectKind::kOp : ObjectKind::kGlobalVar;
    record.text = context_->Intern(node.slot(slot::kNameHint).text());
  } else if (Is(&node, Node::kType)) {
    record.kind = ObjectKind::kType;
    RELAYOPT_TRY(record.type, TypeIdOf(Value(Ref<Object>(const_cast<SlotObj*>(&node)))));
  } else if (SchemaOf(node.type_index()) != nullptr) {
    record.kind = ObjectKind::kAttrs;
    RELAYOPT_TRY(record.attrs, AttrsIdOf(Value(Ref<Object>(const_cast<SlotObj*>(&node)))));
  } else {
    return std::nullopt;
  }
  return record;
}

// Returns the node's own fields, then its span.
auto Lineage::ReflectedRecord(const SlotObj& node) -> ObjectId {
  relayopt::Object record;
  record.kind = ObjectKind::kNode;
  record.type_key = context_->Intern(node.type_key());
  const auto& fields = node.info().fields;
  std::vector<ObjectField> written;
  for (size_t pass = 0; pass < 2; ++pass) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if ((fields[i].name == "span") != (pass == 1)) continue;
      const Value& value = node.slot(i);
      ObjectField field;
      field.name = context_->Intern(fields[i].name);
      if (fields[i].name == "dtype") {
        field.literal = context_->Intern(value.text());
        record.dtype = ParseDataType(value.text()).value_or(DataType::Void());
      } else if (value.is_int()) {
        field.literal = context_->Intern(std::to_string(value.integer()));
      } else if (value.is_float()) {
        field.literal = context_->Intern(fmt::format("{}", value.real()));
      } else {
        field.object = ChildId(value);
      }
      written.push_back(field);
    }
  }
  record.fields = written;
  return context_->Add(record);
}

auto Lineage::AttrsIdOf(const Value& attrs) -> Result<AttrsId> {
  if (attrs.is_null()) return AttrsId();
  const AttrsSchema* const schema = SchemaOf(attrs.object()->type_index());
  if (schema == nullptr) {
    RELAYOPT_TRY(const ObjectId id, ObjectIdOf(attrs));
    return context_->AddOpaqueAttrs(id);
  }
  AttrsBuilder builder(*schema);
  const auto slots = Slots(attrs);
  for (size_t i = 0; i < schema->fields.size(); ++i) {
    if (auto error = SetField(schema->fields[i], slots[i], builder.data())) return *std::move(error);
  }
  const AttrsId id = context_->InternAttrs(std::move(builder));
  attrs_.try_emplace(id.value(), attrs.ref());
  return id;
}

auto Lineage::SetDimList(const Value& value, DimList& list) -> std::optional<Diagnostic> {
  list = {};
  list.null = value.is_null();
  if (list.null) return std::nullopt;
  const auto add = [&](const Value& item) -> std::optional<Diagnostic> {
    auto dim = DimOf(item);
    if (!dim) return std::move(dim).error();
    list.values.push_back(*dim);
    return std::nullopt;
  };
  // A number is accepted as a list with one element.
  if (!object::IsArray(value.object())) return add(value);
  for (const Value& item : object::Items(value)) {
    if (auto error = add(item)) return error;
  }
  return std::nullopt;
}

auto Lineage::SetField(const FieldInfo& field, const Value& value, void* record) -> std::optional<Diagnostic> {
  const auto mismatch = [&](std::string_view wanted) {
    return GraphError(fmt::format("attribute {} must be {}, not {}", field.name, wanted, object::TypeKeyOf(value)));
  };
  switch (field.kind) {
    case FieldKind::kInt:
    case FieldKind::kBool: {
      const auto integer = IntegerOf(value);
      const bool is_bool = field.kind == FieldKind::kBool;
      if (!integer) return mismatch(is_bool ? "true or false" : "an integer");
      if (is_bool)
        field.Mutable<bool>(record) = *integer != 0;
      else
        field.Mutable<int64_t>(record) = *integer;
      return std::nullopt;
    }
    case FieldKind::kDouble: {
      const auto real = RealOf(value);
      if (!real) return mismatch("a number");
      field.Mutable<double>(record) = *real;
      return std::nullopt;
    }
    case FieldKind::kString: {
      const auto text = TextOf(value);
      if (!text && !value.is_null()) return mismatch("a string");
      field.Mutable<std::string>(record) = text.value_or("");
      return std::nullopt;
    }
    case FieldKind::kDataType: {
      const auto text = TextOf(value);
      if (!text && !value.is_null()) return mismatch("a data type");
      const auto dtype = ParseDataType(text.value_or(""));
      if (!dtype) return GraphError(fmt::format("unknown type {}", text.value_or("")));
      field.Mutable<DataType>(record) = *dtype;
      return std::nullopt;
    }
    case FieldKind::kDim: {
      auto dim = DimOf(value);
      if (!dim) return std::move(dim).error();
      field.Mutable<Dim>(record) = *dim;
      return std::nullopt;
    }
    case FieldKind::kDimList: return SetDimList(value, field.Mutable<DimList>(record));
    case FieldKind::kDimLists: {
      auto& lists = field.Mutable<DimLists>(record);
      lists = {};
      lists.null = value.is_null();
      for (const Value& item : object::Items(value)) {
        if (auto error = SetDimList(item, lists.values.emplace_back())) return error;
      }
      return std::nullopt;
    }
    case FieldKind::kObject: {
      auto id = ObjectIdOf(value);
      if (!id) return std::move(id).error();
      field.Mutable<ObjectId>(record) = *id;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

auto Lineage::ConstantIdOf(object::TensorObj& tensor) -> ConstantId {
  if (const auto found = constant_ids_.find(&tensor); found != constant_ids_.end()) return found->second.second;
  const Constant& constant = tensor.tensor;
  ConstantId id;
  if (constant.is_scalar() && constant.num_bytes() <= sizeof(uint64_t) && !constant.encoded()) {
    const auto bytes = constant.Bytes();
    uint64_t bits = 0;
    std::memcpy(&bits, bytes->data(), bytes->size());
    id = context_->ScalarConstant(constant.dtype(), bits);
  } else {
    id = context_->AddConstant(constant);
  }
  constant_ids_.emplace(&tensor, std::pair(Ref<Object>(&tensor), id));
  constants_.try_emplace(id.value(), Ref<Object>(&tensor));
  return id;
}

auto Lineage::SpanIdOf(const Value& span) -> SpanId {
  // When there are several spans, the first one is used: tables have one for each expression.
  Value one = span;
  if (IsExactly(one.object(), Node::kSequentialSpan)) {
    const auto spans = object::Items(Slots(one)[slot::kSpans]);
    one = spans.empty() ? Value() : spans.front();
  }
  if (!Is(one.object(), Node::kSpan)) return {};
  const auto slots = Slots(one);
  const Value& source = slots[slot::kSourceNameOf];
  if (!source.is_object()) return {};
  return context_->Intern(Span{
      context_->Intern(Slots(source)[slot::kSourceNameText].text()), static_cast<int32_t>(slots[slot::kLine].integer()),
      static_cast<int32_t>(slots[slot::kColumn].integer()), static_cast<int32_t>(slots[slot::kEndLine].integer()),
      static_cast<int32_t>(slots[slot::kEndColumn].integer())});
}

}  // namespace relayopt::graph
