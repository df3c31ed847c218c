// Creates objects from the nodes of a metadata section: lists, numbers, strings, tensors, and classes without special
// treatment.
#include "metadata_objects.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "lib/relay/text/parser/attributes.h"
#include "metadata_tensors.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/text/plain_strings.h"
#include "relayopt/support/base64.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

auto IsTypeClass(std::string_view key) -> bool {
  return key == "relay.TensorType" || key == "TupleType" || key == "FuncType" || key == "TypeVar" ||
         key == "TypeCall" || key == "relay.RefType" || key == "IncompleteType";
}

}  // namespace

auto ObjectMaker::FormOf(const ClassInfo& info, const AttrsSchema* schema, std::string_view field,
                         std::string_view value) const -> Form {
  if (schema != nullptr) {
    const FieldInfo* member = schema->Find(field);
    if (member == nullptr) return Form::kLiteral;
    switch (member->kind) {
      case FieldKind::kInt:
      case FieldKind::kBool:
      case FieldKind::kDouble:
      case FieldKind::kDataType: return Form::kLiteral;
      case FieldKind::kString: return IsPlainString(schema->type_key, field) ? Form::kLiteral : Form::kUnknown;
      default: return Form::kObject;
    }
  }
  for (const ClassField& member : info.fields) {
    if (member.name == field) return member.is_object ? Form::kObject : Form::kLiteral;
  }
  if (info.known) return Form::kLiteral;
  return value.empty() ? Form::kLiteral : Form::kUnknown;
}

auto ObjectMaker::Resolve(uint32_t index) -> bool {
  const RawNode& node = raw_.nodes[index];
  const std::string_view key = TypeKeyOf(node);
  const ClassInfo info = FindClass(key);
  const AttrsSchema* schema = info.known ? nullptr : FindAttrsSchema(key);
  for (RawField& field : Fields(node)) {
    const std::string_view value = json_.text(field.value);
    const Form form = FormOf(info, schema, json_.text(field.name), value);
    if (form == Form::kLiteral) continue;
    const auto child = ParseNumber<uint32_t>(value);
    const bool is_node = child && *child < raw_.nodes.size();
    if (is_node && form == Form::kUnknown) {
      // Whether a number is an object is not known. New objects are numbered after their owner; strings are likely.
      const bool is_string = TypeKeyOf(raw_.nodes[*child]) == "runtime.String";
      if (schema != nullptr ? !is_string : *child <= index) continue;
    }
    if (is_node) {
      field.child = *child;
    } else if (form == Form::kObject) {
      sink_.Report(diag::kMetaNode, field.value.range(), Printable(value), raw_.nodes.size());
      return false;
    }
  }
  return CheckNames(node) && CheckItems(node);
}

auto ObjectMaker::CheckNames(const RawNode& node) -> bool {
  names_.clear();
  for (const RawField& field : Fields(node)) {
    const std::string_view name = json_.text(field.name);
    if (names_.insert(name).second) continue;
    sink_.Report(diag::kMetaDuplicate, field.name.range(), Printable(name));
    return false;
  }
  return true;
}

auto ObjectMaker::CheckItems(const RawNode& node) -> bool {
  const auto items = Items(node);
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i] < raw_.nodes.size()) continue;
    sink_.Report(diag::kMetaNode, {node.data_begin, node.data_begin + 1}, items[i], raw_.nodes.size());
    return false;
  }
  return true;
}

auto ObjectMaker::Make(uint32_t index) -> bool {
  node_ = &raw_.nodes[index];
  key_ = TypeKeyOf(*node_);
  return MakeObject(key_, objects_[index]);
}

auto ObjectMaker::MakeObject(std::string_view key, ObjectId& out) -> bool {
  if (key.empty()) return true;
  if (key == "Array") return MakeArray(out);
  if (key == "Map") return MakeMap(out);
  if (key == "runtime.String") return MakeBytes(ObjectKind::kString, key, out);
  if (key == "Op") return MakeBytes(ObjectKind::kOp, key, out);
  if (key == "IntImm") return MakeInt(out);
  if (key == "FloatImm") return MakeFloat(out);
  if (key == "relay.Constant") return MakeConstant(out);
  if (IsTypeClass(key)) return MakeType(key, out);
  if (key == "GlobalVar" || key == "tir.StringImm") {
    Object object;
    object.kind = key == "GlobalVar" ? ObjectKind::kGlobalVar : ObjectKind::kStringImm;
    if (!TextOf(key == "GlobalVar" ? "name_hint" : "value", object.text)) return false;
    out = context_.Add(object);
    return true;
  }
  if (const AttrsSchema* schema = FindAttrsSchema(key)) return MakeRecord(*schema, out);
  if (node_->bytes_kind != RawNode::Bytes::kNone || key == "SourceName") {
    return MakeBytes(ObjectKind::kBytes, key, out);
  }
  return MakeNode(key, out);
}

auto ObjectMaker::MakeArray(ObjectId& out) -> bool {
  const auto items = MapToVector<ObjectId>(Items(*node_), [&](uint32_t item) { return objects_[item]; });
  out = context_.AddArray(items);
  return true;
}

auto ObjectMaker::MakeMap(ObjectId& out) -> bool {
  const auto items = Items(*node_);
  const auto keys = std::span(raw_.keys).subspan(node_->keys.first, node_->keys.count);
  const bool by_string = !keys.empty();
  if (by_string ? keys.size() != items.size() : items.size() % 2 != 0) {
    sink_.Report(diag::kMetaMap, {node_->begin, node_->begin + 1});
    return false;
  }
  std::vector<ObjectId> entries;
  if (!by_string) {
    for (const uint32_t item : items) entries.push_back(objects_[item]);
    out = context_.AddMap(entries);
    return true;
  }
  std::vector<std::string_view> names;
  absl::flat_hash_set<std::string_view> seen;
  for (const Slice& key : keys) {
    const auto text = json_.Unescape(key, storage_);
    if (!text) return false;
    // Interned texts never move.
    names.push_back(context_.text(context_.Intern(*text)));
    if (!seen.insert(names.back()).second) {
      sink_.Report(diag::kMetaDuplicate, key.range(), Printable(*text));
      return false;
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    entries.push_back(context_.AddString(names[i]));
    entries.push_back(objects_[items[i]]);
  }
  out = context_.AddMap(entries);
  return true;
}

auto ObjectMaker::MakeBytes(ObjectKind kind, std::string_view key, ObjectId& out) -> bool {
  std::string decoded;
  std::optional<std::string_view> bytes;
  if (node_->bytes_kind == RawNode::Bytes::kBase64) {
    // A count of eight bytes, then the bytes themselves.
    constexpr size_t kCount = 8;
    const std::string_view base64 = json_.text(node_->bytes);
    const size_t size = Base64Size(base64).value_or(0);
    if (size >= kCount) {
      decoded.resize(size - kCount);
      if (DecodeBase64(base64, kCount, std::as_writable_bytes(std::span(decoded)))) bytes = decoded;
    }
    if (!bytes) {
      sink_.Report(diag::kMetaField, node_->bytes.range(), "repr_b64", key, "base64");
      return false;
    }
  } else {
    bytes = json_.Unescape(node_->bytes, storage_);
    if (!bytes) return false;
  }
  Object object;
  object.kind = kind;
  object.text = context_.Intern(*bytes);
  if (kind == ObjectKind::kBytes) object.type_key = context_.Intern(key);
  out = context_.Add(object);
  return true;
}

auto ObjectMaker::MakeInt(ObjectId& out) -> bool {
  Object object;
  object.kind = ObjectKind::kInt;
  if (!DataTypeOf("dtype", object.dtype) || !IntOf("value", object.integer)) return false;
  out = context_.Add(object);
  return true;
}

auto ObjectMaker::MakeFloat(ObjectId& out) -> bool {
  Object object;
  object.kind = ObjectKind::kFloat;
  if (!DataTypeOf("dtype", object.dtype) || !DoubleOf("value", object.real)) return false;
  out = context_.Add(object);
  return true;
}

auto ObjectMaker::MakeConstant(ObjectId& out) -> bool {
  const RawField* data = Find("data");
  if (data == nullptr) return Missing("data");
  const std::string_view value = json_.text(data->value);
  const auto tensor = ParseNumber<uint32_t>(value);
  if (!tensor || *tensor >= raw_.tensors.size()) {
    sink_.Report(diag::kMetaTensorIndex, data->value.range(), Printable(value), raw_.tensors.size());
    return false;
  }
  Object object;
  object.kind = ObjectKind::kConstant;
  if (Find("_checked_type_") != nullptr) {
    ObjectId type;
    if (!ChildOf("_checked_type_", type)) return false;
    if (type && context_.object(type).kind == ObjectKind::kType) object.type = context_.object(type).type;
  }
  if (tensors_[*tensor]) {
    // The tensor has been checked; the constant is another object.
    object.constant = context_.AddConstant(context_.constant(tensors_[*tensor]));
  } else {
    const Slice text = raw_.tensors[*tensor];
    if (json_.text(text).starts_with(kElidedTensor)) {
      sink_.Report(diag::kMetaElided, text.range());
      return false;
    }
    if (json_.text(text).starts_with(kExternalTensor)) {
      object.constant = FindExternal(text);
      if (!object.constant) return false;
      tensors_[*tensor] = object.constant;
      out = context_.Add(object);
      return true;
    }
    auto made = ReadTensor(json_.text(text));
    if (const auto* fault = std::get_if<TensorFault>(&made)) {
      sink_.Report(diag::kMetaTensor,
                   {text.begin + static_cast<uint32_t>(fault->begin), text.begin + static_cast<uint32_t>(fault->end)},
                   fault->what);
      return false;
    }
    object.constant = context_.AddConstant(std::get<Constant>(std::move(made)));
    tensors_[*tensor] = object.constant;
  }
  // A constant is an expression; beyond the tensor it only has a span.
  ObjectId span;
  if (Find("span") != nullptr && !ChildOf("span", span)) return false;
  const ObjectField place[] = {{context_.Intern("span"), {}, span}};
  if (span) object.fields = place;
  out = context_.Add(object);
  return true;
}

auto ObjectMaker::FindExternal(Slice text) -> ConstantId {
  const auto unescaped = json_.Unescape(text, storage_);
  if (!unescaped) return {};
  const std::string_view described = unescaped->substr(kExternalTensor.size());
  const size_t end = std::min(described.find("] "), described.size());
  const std::string_view type = described.substr(0, end + 1);
  const std::string name(described.substr(std::min(end + 2, described.size())));
  std::optional<Constant> constant;
  if (external_) constant = external_(name);
  if (!constant) {
    sink_.Report(diag::kMetaExternal, text.range(), Printable(name));
    return {};
  }
  if (TensorTypeText(*constant) != type) {
    sink_.Report(diag::kMetaExternalType, text.range(), Printable(name), Printable(type), TensorTypeText(*constant));
    return {};
  }
  const ConstantId id = context_.AddConstant(*std::move(constant));
  context_.Part<ConstantNames>().Set(id, name);
  return id;
}

// A class without a form of its own keeps its members, in the order of the class if that is known.
auto ObjectMaker::MakeNode(std::string_view key, ObjectId& out) -> bool {
  std::vector<ObjectField> fields;
  const auto add = [&](const RawField& field) {
    const auto name = context_.Intern(json_.text(field.name));
    if (field.child != RawField::kNoChild) {
      fields.push_back({name, {}, objects_[field.child]});
      return true;
    }
    const auto literal = json_.Unescape(field.value, storage_);
    if (literal) fields.push_back({name, context_.Intern(*literal), {}});
    return literal.has_value();
  };
  Object object;
  object.type_key = context_.Intern(key);
  const ClassInfo info = FindClass(key);
  if (info.known) {
    for (const ClassField& member : info.fields) {
      const RawField* field = Find(member.name);
      if (field == nullptr && !member.optional) return Missing(member.name);
      if (field == nullptr) {
        fields.push_back({context_.Intern(member.name), {}, {}});
      } else if (!add(*field)) {
        return false;
      }
      if (member.name == "dtype" && !DataTypeOf("dtype", object.dtype)) return false;
    }
  } else {
    for (const RawField& field : Fields(*node_)) {
      if (!add(field)) return false;
    }
  }
  object.fields = fields;
  out = context_.Add(object);
  return true;
}

auto ObjectMaker::Find(std::string_view name) -> const RawField* {
  const RawField* found = nullptr;
  for (const RawField& field : Fields(*node_)) {
    if (json_.text(field.name) == name) found = &field;
  }
  return found;
}

auto ObjectMaker::Missing(std::string_view name) -> bool {
  sink_.Report(diag::kMetaMissing, {node_->begin, node_->begin + 1}, Printable(key_), name);
  return false;
}

auto ObjectMaker::Wrong(const RawField& field, std::string_view what) -> bool {
  sink_.Report(diag::kMetaField, field.value.range(), Printable(json_.text(field.name)), Printable(key_), what);
  return false;
}

auto ObjectMaker::ChildOf(std::string_view name, ObjectId& out) -> bool {
  const RawField* field = Find(name);
  if (field == nullptr) return Missing(name);
  if (field->child == RawField::kNoChild) return Wrong(*field, "the number of a node");
  out = objects_[field->child];
  return true;
}

auto ObjectMaker::IntOf(std::string_view name, int64_t& out) -> bool {
  const RawField* field = Find(name);
  if (field == nullptr) return Missing(name);
  const auto value = ParseNumber<int64_t>(json_.text(field->value));
  if (!value) return Wrong(*field, "an integer of 64 bits");
  out = *value;
  return true;
}

auto ObjectMaker::DoubleOf(std::string_view name, double& out) -> bool {
  const RawField* field = Find(name);
  if (field == nullptr) return Missing(name);
  const auto value = ParseNumber<double>(json_.text(field->value));
  if (!value) return Wrong(*field, "a number");
  out = *value;
  return true;
}

auto ObjectMaker::DataTypeOf(std::string_view name, DataType& out) -> bool {
  const RawField* field = Find(name);
  if (field == nullptr) return Missing(name);
  const auto dtype = ParseDataType(json_.text(field->value));
  if (!dtype) return Wrong(*field, "an element type");
  out = *dtype;
  return true;
}

auto ObjectMaker::TextOf(std::string_view name, StringId& out) -> bool {
  ObjectId child;
  if (!ChildOf(name, child)) return false;
  if (!child || context_.object(child).kind != ObjectKind::kString) return Wrong(*Find(name), "a string object");
  out = context_.object(child).text;
  return true;
}

}  // namespace relayopt
