// Foreign operators: their registration, and nodes as the attributes of calls and back.
//
// The attributes of an operator are a record with one field for each attribute of its row, and the fields that all
// calls have. Fields hold objects, so that an attribute that the node lacks is null and is not printed. Numbers, texts
// and lists of them are objects of their kind. Everything else (graphs, tensors, empty lists) is the text `onnx:` with
// the message of the attribute in base64.
#include "foreign.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "foreign_rules.h"
#include "relayopt/relay/ops/foreign_ops.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/base64.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx {

namespace {

// No row has more attributes, the common ones included.
constexpr size_t kMostFields = 40;

struct ForeignRecord {
  std::array<ObjectId, kMostFields> fields;
};

template <size_t kIndex>
auto FieldAddress(void* record) -> void* {
  return &static_cast<ForeignRecord*>(record)->fields[kIndex];
}
template <size_t... kIndices>
constexpr auto Addresses(std::index_sequence<kIndices...>) {
  return std::array{&FieldAddress<kIndices>...};
}
constexpr auto kAddresses = Addresses(std::make_index_sequence<kMostFields>());

constexpr std::string_view kVersion = "version";
constexpr std::string_view kResults = "results";
constexpr std::string_view kCaptures = "captures";
constexpr std::string_view kTypes = "types";
constexpr std::string_view kDomain = "domain";
constexpr std::string_view kOpType = "op_type";
constexpr std::string_view kOverload = "overload";
constexpr std::string_view kAttributes = "attributes";
// Marks the message of an attribute.
constexpr std::string_view kMessage = "onnx:";

// An operator with all that its row refers to.
struct Registered {
  const OpRow* row = nullptr;
  std::string name;
  std::string inputs;
  std::string type_key;
  std::vector<FieldInfo> fields;
  AttrsSchema schema{};
  const OpDef* op = nullptr;
};

struct Registry {
  std::mutex mutex;
  // Rows must not move.
  std::deque<Registered> all;
  TextViewMap<Registered*> by_name;
  absl::flat_hash_map<const OpDef*, const Registered*> by_op;
};
auto TheRegistry() -> Registry& {
  static Registry registry;
  return registry;
}

auto NameOfRow(const OpRow& row) -> std::string {
  return (row.domain.empty() ? "onnx" : std::string(row.domain)) + "." + std::string(row.name);
}

void AddField(Registered& entry, std::string_view name, std::string_view doc) {
  RELAYOPT_CHECK(entry.fields.size() < kMostFields, "a record has a field for each attribute");
  entry.fields.push_back({name, FieldKind::kObject, false, doc, kAddresses[entry.fields.size()]});
}

// Registers an operator with the fields that were added to it.
auto Register(Registry& registry, Registered& entry, OpDef op) -> const OpDef* {
  entry.type_key = "onnx.attrs." + entry.name;
  entry.schema = {entry.type_key, entry.fields, [] { return static_cast<void*>(new ForeignRecord()); },
                  [](const void* record) {
                    return static_cast<void*>(new ForeignRecord(*static_cast<const ForeignRecord*>(record)));
                  },
                  [](void* record) { delete static_cast<ForeignRecord*>(record); }};
  op.name = entry.name;
  op.inputs = entry.inputs;
  op.attrs = entry.fields.empty() ? nullptr : &entry.schema;
  op.fusion = Fusion::kOpaque;
  op.variadic = true;
  op.precision = Precision::kNever;
  entry.op = RegisterOp(op);
  RELAYOPT_CHECK(entry.op != nullptr, "names of foreign operators are not taken");
  registry.by_op[entry.op] = &entry;
  return entry.op;
}

auto NewEntry(Registry& registry, std::string name) -> Registered& {
  Registered& entry = registry.all.emplace_back();
  entry.name = std::move(name);
  registry.by_name[entry.name] = &entry;
  return entry;
}

void AddCommonFields(Registered& entry) {
  AddField(entry, kVersion, "the version of the operator set");
  AddField(entry, kResults, "which outputs are given, when there are several");
  AddField(entry, kCaptures, "the names of values that graphs take from outside");
  AddField(entry, kTypes, "the declared types of the results");
}

auto RegisterRow(Registry& registry, const OpRow& row) -> const OpDef* {
  Registered& entry = NewEntry(registry, NameOfRow(row));
  entry.row = &row;
  for (const char c : row.inputs) {
    if (c != '?' && c != '.') entry.inputs += c;
  }
  for (std::string_view rest = row.attributes; !rest.empty();) AddField(entry, NextAttribute(rest).name, "");
  AddCommonFields(entry);
  return Register(
      registry, entry,
      {.type = ForeignRule, .kernel = ForeignKernel, .stateful = IsStateful(row), .doc = "an operator of ONNX"});
}

auto RegisterOpaque(Registry& registry) -> const OpDef* {
  Registered& entry = NewEntry(registry, "onnx.call");
  AddField(entry, kDomain, "the domain of the operator");
  AddField(entry, kOpType, "the name of the operator");
  AddField(entry, kOverload, "the overload of a function");
  AddField(entry, kAttributes, "the attributes: a name and a value in turn");
  AddCommonFields(entry);
  return Register(
      registry, entry,
      {.type = ForeignRule, .kernel = ForeignKernel, .doc = "a node of an ONNX model that relayopt does not know"});
}

auto RegisterNone(Registry& registry) -> const OpDef* {
  return Register(registry, NewEntry(registry, "onnx.none"),
                  {.type = NoneRule, .kernel = NoneKernel, .doc = "an input of an ONNX operator that is left out"});
}

// Returns the row of `onnx.LSTM` or `com.microsoft.Gelu`, or null for other names.
auto RowOfName(std::string_view name) -> const OpRow* {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view domain = name.substr(0, dot);
  return FindOpRow(domain == "onnx" ? "" : domain, name.substr(dot + 1));
}

auto FindForeignOp(std::string_view name) -> const OpDef* {
  if (name.find('.') == std::string_view::npos) return nullptr;
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  if (const auto found = registry.by_name.find(name); found != registry.by_name.end()) return found->second->op;
  if (name == "onnx.call") return RegisterOpaque(registry);
  if (name == "onnx.none") return RegisterNone(registry);
  const OpRow* row = RowOfName(name);
  return row == nullptr || NameOfRow(*row) != name ? nullptr : RegisterRow(registry, *row);
}

auto EntryOf(const OpDef* op) -> const Registered* {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.by_op.find(op);
  return found == registry.by_op.end() ? nullptr : found->second;
}

// -- attributes as objects --

auto IsPlainText(std::string_view text) -> bool {
  return !text.starts_with(kMessage) && std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

auto IntObject(Context& context, int64_t value) -> ObjectId {
  const bool is_small = value >= INT32_MIN && value <= INT32_MAX;
  return context.AddInt(value, DataType::Int(is_small ? 32 : 64));
}
auto FloatObject(Context& context, float value) -> ObjectId {
  return context.AddFloat(static_cast<double>(value), DataType::Float(32));
}
auto TextList(Context& context, const std::vector<std::string>& texts) -> ObjectId {
  const auto items = MapToVector<ObjectId>(texts, [&](const std::string& text) { return context.AddString(text); });
  return context.AddArray(items);
}

auto EncodeAttribute(Context& context, const AttributeProto& attribute) -> ObjectId {
  std::vector<ObjectId> items;
  switch (attribute.type) {
    case AttributeType::kInt: return IntObject(context, attribute.i);
    case AttributeType::kFloat:
      if (std::isfinite(attribute.f)) return FloatObject(context, attribute.f);
      break;
    case AttributeType::kString:
      if (IsPlainText(attribute.s)) return context.AddString(attribute.s);
      break;
    case AttributeType::kInts:
      for (const int64_t value : attribute.ints) items.push_back(IntObject(context, value));
      break;
    case AttributeType::kFloats:
      if (!std::ranges::all_of(attribute.floats, [](float value) { return std::isfinite(value); })) break;
      for (const float value : attribute.floats) items.push_back(FloatObject(context, value));
      break;
    case AttributeType::kStrings:
      if (!std::ranges::all_of(attribute.strings, IsPlainText)) break;
      for (const std::string_view value : attribute.strings) items.push_back(context.AddString(value));
      break;
    default: break;
  }
  if (!items.empty()) return context.AddArray(items);
  return context.AddString(std::string(kMessage) + EncodeBase64(attribute.message));
}

class AttributeDecoder {
 public:
  AttributeDecoder(const Context& context, ForeignNode& node) : context_(context), node_(node) {}

  // `type` is what the row says; empty if it is not known.
  void Add(std::string_view name, std::string_view type, ObjectId value) {
    if (!value) return;
    const Object& object = context_.object(value);
    AttributeProto attribute;
    attribute.name = name;
    switch (object.kind) {
      case ObjectKind::kInt:
      case ObjectKind::kFloat:
        attribute.type =
            object.kind == ObjectKind::kFloat || type == "float" ? AttributeType::kFloat : AttributeType::kInt;
        attribute.i = object.integer;
        attribute.f = static_cast<float>(NumberOf(object));
        break;
      case ObjectKind::kString: {
        const std::string_view text = object.text ? context_.text(object.text) : std::string_view();
        if (text.starts_with(kMessage)) return AddMessage(name, text.substr(kMessage.size()));
        attribute.type = AttributeType::kString;
        attribute.s = text;
        break;
      }
      case ObjectKind::kArray: SetList(attribute, type, object); break;
      default: return Fail(name);
    }
    if (attribute.type == AttributeType::kUndefined) return Fail(name);
    node_.attributes.push_back(std::move(attribute));
  }

 private:
  static auto NumberOf(const Object& object) -> double {
    return object.kind == ObjectKind::kFloat ? object.real : static_cast<double>(object.integer);
  }
  void Fail(std::string_view name) {
    if (node_.error.empty()) node_.error = "attribute '" + std::string(name) + "' has a value that ONNX lacks";
  }

  void SetList(AttributeProto& attribute, std::string_view type, const Object& array) {
    bool has_floats = type == "floats";
    bool has_texts = false;
    for (const ObjectId item : array.items) {
      if (!item) return;
      const Object& object = context_.object(item);
      has_floats |= object.kind == ObjectKind::kFloat;
      has_texts |= object.kind == ObjectKind::kString;
      if (object.kind != ObjectKind::kFloat && object.kind != ObjectKind::kInt && object.kind != ObjectKind::kString)
        return;
    }
    for (const ObjectId item : array.items) {
      const Object& object = context_.object(item);
      if (has_texts != (object.kind == ObjectKind::kString)) return;
      if (has_texts) attribute.strings.push_back(object.text ? context_.text(object.text) : std::string_view());
      if (!has_texts && has_floats) attribute.floats.push_back(static_cast<float>(NumberOf(object)));
      if (!has_texts && !has_floats) attribute.ints.push_back(object.integer);
    }
    attribute.type = has_texts ? AttributeType::kStrings : has_floats ? AttributeType::kFloats : AttributeType::kInts;
  }

  void AddMessage(std::string_view name, std::string_view base64) {
    const auto size = Base64Size(base64);
    std::string& bytes = node_.texts.emplace_back(size.value_or(0), '\0');
    if (!size || !DecodeBase64(base64, 0, std::as_writable_bytes(std::span(bytes)))) return Fail(name);
    auto read = ReadAttributeProto(bytes);
    if (!read || read->attribute.name != name) return Fail(name);
    node_.storage.push_back(std::make_unique<LoneAttribute>(std::move(*read)));
    node_.attributes.push_back(node_.storage.back()->attribute);
  }

  const Context& context_;
  ForeignNode& node_;
};

auto TextOf(const Context& context, ObjectId id) -> std::string_view {
  if (!id) return {};
  const Object& object = context.object(id);
  return object.kind == ObjectKind::kString && object.text ? context.text(object.text) : std::string_view();
}
auto TextsOf(const Context& context, ObjectId id) -> std::vector<std::string_view> {
  std::vector<std::string_view> texts;
  if (!id || context.object(id).kind != ObjectKind::kArray) return texts;
  for (const ObjectId item : context.object(id).items) texts.push_back(TextOf(context, item));
  return texts;
}

// Returns the greatest number in "1 6 13".
auto NewestVersion(const OpRow& row) -> int64_t { return RowVersion(row, INT64_MAX); }

}  // namespace

auto ForeignOpOf(const OpRow& row) -> const OpDef* { return FindForeignOp(NameOfRow(row)); }
auto OpaqueOp() -> const OpDef* {
  static const OpDef* const op = FindForeignOp("onnx.call");
  return op;
}
auto NoneOp() -> const OpDef* {
  static const OpDef* const op = FindForeignOp("onnx.none");
  return op;
}
auto RowOfOp(const OpDef* op) -> const OpRow* {
  const Registered* entry = IsForeignOp(*op) ? EntryOf(op) : nullptr;
  return entry == nullptr ? nullptr : entry->row;
}
auto IsNodeOp(const OpDef* op) -> bool { return IsForeignOp(*op) && (RowOfOp(op) != nullptr || op == OpaqueOp()); }
void RegisterForeignOps() {
  SetForeignOps(FindForeignOp);
  SetForeignExtents(ExtentsOfForeign);
  SetForeignParts(AxisOfParts);
}

auto ReadForeign(const Context& context, const OpInstance& call) -> ForeignNode {
  ForeignNode node;
  const Registered* entry = EntryOf(call.op);
  RELAYOPT_CHECK(entry != nullptr, "the call is one of a foreign operator");
  node.row = entry->row;
  if (node.row != nullptr) {
    node.domain = node.row->domain;
    node.op_type = node.row->name;
    node.version = NewestVersion(*node.row);
  }
  if (!call.attrs || context.attrs(call.attrs).schema != &entry->schema) return node;
  const void* data = context.attrs(call.attrs).data;
  const auto object = [&](std::string_view name) {
    const FieldInfo* field = entry->schema.Find(name);
    return field == nullptr ? ObjectId() : field->Get<ObjectId>(data);
  };
  if (const ObjectId version = object(kVersion); version && context.object(version).kind == ObjectKind::kInt) {
    node.version = context.object(version).integer;
  }
  if (const std::string_view results = TextOf(context, object(kResults)); !results.empty()) node.results = results;
  node.captures = TextsOf(context, object(kCaptures));
  node.types = TextsOf(context, object(kTypes));
  AttributeDecoder decoder(context, node);
  if (node.row != nullptr) {
    for (std::string_view rest = node.row->attributes; !rest.empty();) {
      const AttributeRow attribute = NextAttribute(rest);
      decoder.Add(attribute.name, attribute.type, object(attribute.name));
    }
    return node;
  }
  node.domain = TextOf(context, object(kDomain));
  node.op_type = TextOf(context, object(kOpType));
  node.overload = TextOf(context, object(kOverload));
  if (const ObjectId list = object(kAttributes); list && context.object(list).kind == ObjectKind::kArray) {
    const auto items = context.object(list).items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) decoder.Add(TextOf(context, items[i]), "", items[i + 1]);
  }
  return node;
}

auto MakeForeign(Context& context, const NodeProto& node, const ForeignParts& parts) -> OpInstance {
  const OpDef* op = parts.row != nullptr ? ForeignOpOf(*parts.row) : OpaqueOp();
  AttrsBuilder builder(*op->attrs);
  const auto set = [&](std::string_view name, ObjectId value) {
    op->attrs->Find(name)->Mutable<ObjectId>(builder.data()) = value;
  };
  if (parts.row != nullptr) {
    for (const AttributeProto& attribute : node.attributes) set(attribute.name, EncodeAttribute(context, attribute));
  } else {
    if (!node.domain.empty()) set(kDomain, context.AddString(node.domain));
    set(kOpType, context.AddString(node.op_type));
    if (!node.overload.empty()) set(kOverload, context.AddString(node.overload));
    std::vector<ObjectId> items;
    for (const AttributeProto& attribute : node.attributes) {
      items.push_back(context.AddString(attribute.name));
      items.push_back(EncodeAttribute(context, attribute));
    }
    if (!items.empty()) set(kAttributes, context.AddArray(items));
  }
  if (parts.row == nullptr || parts.version != NewestVersion(*parts.row)) {
    set(kVersion, IntObject(context, parts.version));
  }
  if (parts.results != "1") set(kResults, context.AddString(parts.results));
  if (!parts.captures.empty()) set(kCaptures, TextList(context, parts.captures));
  if (!parts.types.empty()) set(kTypes, TextList(context, parts.types));
  return {op, context.InternAttrs(std::move(builder))};
}

auto ProtoOf(const ForeignNode& node) -> NodeProto {
  NodeProto proto;
  proto.op_type = node.op_type;
  proto.domain = node.domain;
  proto.overload = node.overload;
  proto.attributes = node.attributes;
  return proto;
}

auto PartsOf(const ForeignNode& node) -> ForeignParts {
  ForeignParts parts{.row = node.row, .version = node.version, .results = std::string(node.results)};
  parts.types.assign(node.types.begin(), node.types.end());
  return parts;
}

}  // namespace relayopt::onnx
