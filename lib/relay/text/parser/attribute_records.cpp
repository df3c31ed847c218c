// Converts parsed attribute lists to typed records and to function attributes.
#include "absl/container/flat_hash_map.h"
#include "attributes.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/text/map_order.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

auto Expectation(FieldKind kind) -> std::string_view {
  switch (kind) {
    case FieldKind::kInt: return "an integer";
    case FieldKind::kBool: return "True or False";
    case FieldKind::kDouble: return "a number";
    case FieldKind::kString: return "a string";
    case FieldKind::kDataType: return "an element type in quotes";
    case FieldKind::kDim: return "an integer";
    case FieldKind::kDimList: return "a list of integers";
    case FieldKind::kDimLists: return "a list of lists of integers";
    case FieldKind::kObject: return "a value";
  }
  return "";
}

using Kind = AttrValue::Kind;

}  // namespace

auto FindAttrsSchema(std::string_view type_key) -> const AttrsSchema* {
  static const auto schemas = [] {
    absl::flat_hash_map<std::string_view, const AttrsSchema*> by_key;
    for (const OpDef* op : AllOps()) {
      if (op->attrs != nullptr && op->number < kNumOps) by_key.emplace(op->attrs->type_key, op->attrs);
    }
    return by_key;
  }();
  if (const auto found = schemas.find(type_key); found != schemas.end()) return found->second;
  for (const OpDef* op : RegisteredOps()) {
    if (op->attrs != nullptr && op->attrs->type_key == type_key) return op->attrs;
  }
  return nullptr;
}

auto AttrParser::ToInt(const AttrValue& value, int64_t& out) const -> bool {
  if (value.kind == Kind::kObject) {
    const Object& object = parsing_.context().object(value.object);
    out = object.integer;
    return object.kind == ObjectKind::kInt;
  }
  out = value.integer;
  return value.kind == Kind::kInt || value.kind == Kind::kBool;
}

auto AttrParser::ToDouble(const AttrValue& value, double& out) const -> bool {
  if (value.kind == Kind::kFloat) {
    out = value.real;
    return true;
  }
  if (value.kind == Kind::kObject) {
    const Object& object = parsing_.context().object(value.object);
    out = object.kind == ObjectKind::kFloat ? object.real : static_cast<double>(object.integer);
    return object.kind == ObjectKind::kFloat || object.kind == ObjectKind::kInt;
  }
  out = static_cast<double>(value.integer);
  return value.kind == Kind::kInt || value.kind == Kind::kBool;
}

auto AttrParser::ToString(const AttrValue& value, std::string& out) const -> bool {
  const Context& context = parsing_.context();
  if (value.kind == Kind::kObject) {
    const Object& object = context.object(value.object);
    if (object.kind != ObjectKind::kString && object.kind != ObjectKind::kStringImm) return false;
    out = object.text ? context.text(object.text) : "";
    return true;
  }
  if (value.kind != Kind::kString) return false;
  out = context.text(value.text);
  return true;
}

auto AttrParser::ToDim(const AttrValue& value, Dim& out) const -> bool {
  switch (value.kind) {
    case Kind::kNull: out = Dim::Null(); return true;
    case Kind::kInt: out = Dim(value.integer, value.bits); return true;
    // A boxed bool is an integer of one bit.
    case Kind::kBool: out = Dim(value.integer, 1); return true;
    case Kind::kAny: out = Dim::Any(); return true;
    case Kind::kObject: {
      const auto dim = DimOfObject(parsing_.context(), value.object);
      if (dim) out = *dim;
      return dim.has_value();
    }
    default: return false;
  }
}

auto AttrParser::ObjectToDimList(ObjectId object, DimList& out) const -> bool {
  const Object& array = parsing_.context().object(object);
  if (array.kind != ObjectKind::kArray) return false;
  for (const ObjectId item : array.items) {
    const auto dim = DimOfObject(parsing_.context(), item);
    if (!dim) return false;
    out.values.push_back(*dim);
  }
  return true;
}

auto AttrParser::ToDimList(const AttrValue& value, DimList& out) const -> bool {
  out = DimList();
  if (value.kind == Kind::kNull) {
    out = DimList::Null();
    return true;
  }
  if (value.kind == Kind::kObject) return ObjectToDimList(value.object, out);
  if (value.kind != Kind::kArray) return false;
  for (const AttrValue& item : Items(value)) {
    if (!ToDim(item, out.values.emplace_back())) return false;
  }
  return true;
}

auto AttrParser::ToDimLists(const AttrValue& value, DimLists& out) const -> bool {
  out = DimLists();
  if (value.kind == Kind::kNull) {
    out.null = true;
    return true;
  }
  if (value.kind == Kind::kObject) {
    const Object& array = parsing_.context().object(value.object);
    if (array.kind != ObjectKind::kArray) return false;
    for (const ObjectId item : array.items) {
      if (!item || !ObjectToDimList(item, out.values.emplace_back())) return false;
    }
    return true;
  }
  if (value.kind != Kind::kArray) return false;
  for (const AttrValue& item : Items(value)) {
    if (!ToDimList(item, out.values.emplace_back())) return false;
  }
  return true;
}

auto AttrParser::Convert(const FieldInfo& field, void* record, const Attr& attr) -> bool {
  const AttrValue& value = attr.value;
  switch (field.kind) {
    case FieldKind::kInt: return ToInt(value, field.Mutable<int64_t>(record));
    case FieldKind::kBool: {
      int64_t number = 0;
      if (!ToInt(value, number)) return false;
      field.Mutable<bool>(record) = number != 0;
      return true;
    }
    case FieldKind::kDouble: return ToDouble(value, field.Mutable<double>(record));
    case FieldKind::kString: return ToString(value, field.Mutable<std::string>(record));
    case FieldKind::kDataType: {
      if (value.kind == Kind::kNull) {
        field.Mutable<DataType>(record) = DataType::Void();
        return true;
      }
      std::string text;
      if (!ToString(value, text)) return false;
      const auto dtype = ParseDataType(text);
      if (!dtype) parsing_.reporter.Report(diag::kAttrDataType, value.range, attr.key, text);
      field.Mutable<DataType>(record) = dtype.value_or(DataType::Void());
      return true;
    }
    case FieldKind::kDim: return ToDim(value, field.Mutable<Dim>(record));
    case FieldKind::kDimList: return ToDimList(value, field.Mutable<DimList>(record));
    case FieldKind::kDimLists: return ToDimLists(value, field.Mutable<DimLists>(record));
    case FieldKind::kObject: field.Mutable<ObjectId>(record) = ObjectOf(value); return true;
  }
  return false;
}

void AttrParser::ReportUnknown(std::span<const FieldInfo> fields, std::string_view owner, const Attr& attr) {
  if (!parsing_.reporter.shows_errors()) {
    parsing_.reporter.Report(diag::kUnknownAttr, attr.key_range, owner, attr.key, "");
    return;
  }
  std::vector<std::string_view> names;
  std::string list;
  for (const FieldInfo& field : fields) {
    names.push_back(field.name);
    list += fmt::format("{}{}", list.empty() ? "" : ", ", field.name);
  }
  const std::string help = DidYouMean(attr.key, names);
  parsing_.reporter.Report(diag::kUnknownAttr, attr.key_range, owner, attr.key, help)
      ->Note(list.empty() ? "it has none" : "its attributes are: " + list);
}

void AttrParser::ReportAllUnknown(std::string_view owner) {
  for (const Attr& attr : attrs_) ReportUnknown({}, owner, attr);
}

auto AttrParser::RecordOf(const AttrsSchema& schema, std::string_view owner, SourceRange range) -> AttrsId {
  const size_t errors = parsing_.reporter.errors();
  AttrsBuilder builder(schema);
  std::vector<bool> given(schema.fields.size());
  for (const Attr& attr : attrs_) {
    const FieldInfo* field = schema.Find(attr.key);
    if (field == nullptr) {
      ReportUnknown(schema.fields, owner, attr);
      continue;
    }
    given[static_cast<size_t>(field - schema.fields.data())] = true;
    if (!Convert(*field, builder.data(), attr)) {
      parsing_.reporter.Report(diag::kAttrType, attr.value.range, attr.key, Expectation(field->kind));
    }
  }
  for (size_t i = 0; i < schema.fields.size(); ++i) {
    if (schema.fields[i].required && !given[i]) {
      parsing_.reporter.Report(diag::kMissingAttr, range, owner, schema.fields[i].name);
    }
  }
  if (parsing_.reporter.errors() != errors) return {};
  return parsing_.context().InternAttrs(std::move(builder));
}

auto AttrParser::OpaqueRecord(std::string_view type_key) -> AttrsId {
  Context& context = parsing_.context();
  auto fields = MapToVector<ObjectField>(attrs_, [&](const Attr& attr) {
    return ObjectField{context.Intern(attr.key), {}, ObjectOf(attr.value)};
  });
  Object object;
  object.kind = ObjectKind::kNode;
  object.type_key = context.Intern(type_key);
  object.fields = fields;
  return context.AddOpaqueAttrs(context.Add(object));
}

auto AttrParser::MapRecord() -> AttrsId {
  Context& context = parsing_.context();
  std::vector<ObjectId> items;
  for (const Attr& attr : attrs_) {
    items.push_back(context.AddString(attr.key));
    items.push_back(ObjectOf(attr.value));
  }
  const ObjectField fields[] = {{context.Intern("__dict__"), {}, context.AddMap(items)}};
  Object object;
  object.kind = ObjectKind::kNode;
  object.type_key = context.Intern("DictAttrs");
  object.fields = fields;
  return context.AddOpaqueAttrs(context.Add(object));
}

auto AttrParser::VirtualDeviceOf(const Attr& attr) -> ObjectId {
  if (attr.value.kind == Kind::kNull) return {};
  if (attr.value.kind == Kind::kObject) {
    const Object& object = parsing_.context().object(attr.value.object);
    if (object.type_key && parsing_.context().text(object.type_key) == "VirtualDevice") return attr.value.object;
  }
  parsing_.reporter.Report(diag::kVirtualDevice, attr.value.range);
  return {};
}

auto AttrParser::FunctionAttrs() -> std::vector<FunctionAttr> {
  const auto keys = MapToVector<std::string_view>(attrs_, &Attr::key);
  std::vector<FunctionAttr> out;
  for (const size_t i : ReadMapOrder(keys)) {
    out.push_back({parsing_.context().Intern(attrs_[i].key), ObjectOf(attrs_[i].value)});
  }
  return out;
}

}  // namespace relayopt
