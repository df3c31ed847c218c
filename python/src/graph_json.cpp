// Graph JSON of any object: the core's reader and writer of object graphs, with objects as their nodes. Modules as
// files are lib/convert/tvm_json's, which needs no objects.
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "bindings.h"
#include "lib/relay/text/metadata/metadata_raw.h"
#include "lib/relay/text/metadata/metadata_tensors.h"
#include "relayopt/graph/attrs_types.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/text/graph_nodes.h"
#include "relayopt/relay/text/plain_strings.h"
#include "relayopt/support/base64.h"

namespace relayopt::python {
namespace {

using graph::ModuleObj;
using object::Field;
using object::MapObj;
using object::SlotObj;
using object::StringObj;
using object::TensorObj;
using object::TypeInfo;
using Kind = object::FieldKind;

constexpr DiagnosticKind kUnknownClass = {"metadata-class", Severity::kError, "metadata: unknown type key {}"};
constexpr DiagnosticKind kUnknownOperator = {"metadata-operator", Severity::kError, "metadata: unknown operator {}"};

// Classes that are written as their name.
auto IsName(std::string_view key) -> bool { return key == "Op" || key == "SourceName" || key == "EnvFunc"; }

// The type key in the text: of two classes with the same key, the second has a number in this process.
auto WrittenKey(std::string_view key) -> std::string_view { return key.substr(0, key.find('#')); }

// Whether the text of a field is written in its place, and not as a string object.
auto IsPlainText(const TypeInfo& info, std::string_view field) -> bool {
  if (field == "dtype") return true;
  const AttrsSchema* const schema = graph::SchemaOf(info.index);
  const FieldInfo* const member = schema == nullptr ? nullptr : schema->Find(field);
  return member != nullptr && (member->kind == FieldKind::kDataType || IsPlainString(WrittenKey(info.key), field));
}

// The fields of a class in the order in which TVM visits them: its own before those of its parents.
auto VisitedFields(const TypeInfo& info) -> std::vector<size_t> {
  std::vector<size_t> order;
  std::vector<size_t> inherited;
  const auto add = [&](std::string_view name, std::vector<size_t>& to) {
    if (const int slot = info.Find(name); slot >= 0) to.push_back(static_cast<size_t>(slot));
  };
  if (info.key != "relay.Constructor") add("virtual_device_", inherited);
  if (info.key != "PrimType" && info.key != "GlobalTypeVar") add("span", inherited);
  add("_checked_type_", inherited);
  for (size_t i = 0; i < info.fields.size(); ++i) {
    const std::string& name = info.fields[i].name;
    const bool is_attrs = info.key == "relay.Function" && name == "attrs";
    if (name != "virtual_device_" && name != "span" && name != "_checked_type_" && !is_attrs) order.push_back(i);
  }
  if (info.key == "relay.Function") add("attrs", order);
  order.insert(order.end(), inherited.begin(), inherited.end());
  // The body of a let, which may be a long chain, is visited last.
  if (info.key == "relay.Let") {
    const auto body = std::ranges::find(order, graph::slot::kLetBody);
    std::rotate(body, body + 1, order.end());
  }
  return order;
}

auto NumberText(const Value& value) -> std::string {
  if (value.is_int()) return std::to_string(value.integer());
  if (std::isnan(value.real())) return "nan";
  return fmt::format("{:.17g}", value.real());
}

// The objects of a graph, as the core's writer asks for them. Objects are numbered when they are first referred to.
class ObjectSource final : public GraphSource {
 public:
  auto context() const -> const Context& { return context_; }

  auto NodeOf(const Value& value) -> NodeRef {
    if (value.is_null()) return {};
    Value boxed = Boxed(value);
    // As TVM: each text is an object of its own.
    const bool is_text = boxed.as<StringObj>() != nullptr;
    const auto number = static_cast<uint32_t>(nodes_.size());
    if (!is_text) {
      const auto [entry, is_new] = numbers_.try_emplace(boxed.object(), number);
      if (!is_new) return {NodeRef::Kind::kOwnShared, entry->second};
    }
    nodes_.push_back({std::move(boxed)});
    return {NodeRef::Kind::kOwnShared, number};
  }

  void Describe(const NodeRef& ref, NodeVisitor& visitor) override {
    if (!nodes_[ref.a].described) {
      Node described{nodes_[ref.a].value, true};
      Take(described);
      nodes_[ref.a] = std::move(described);
    }
    const Node& node = nodes_[ref.a];
    visitor.TypeKey(node.key);
    visitor.Bytes(node.bytes);
    for (const FieldText& field : node.fields) {
      if (field.tensor) {
        visitor.Tensor(field.name, field.tensor);
      } else if (field.is_child) {
        visitor.Child(field.name, field.child);
      } else {
        visitor.Literal(field.name, field.literal);
      }
    }
    for (const std::string& key : node.keys) visitor.Key(key);
    for (const NodeRef& item : node.items) visitor.Item(item);
  }

 private:
  struct FieldText {
    std::string_view name;
    bool is_child = false;
    NodeRef child;
    std::string literal;
    ConstantId tensor;
  };
  struct Node {
    Value value;
    bool described = false;
    std::string key;
    std::string bytes;
    std::vector<FieldText> fields;
    std::vector<std::string> keys;
    std::vector<NodeRef> items;
  };

  void Take(Node& node) {
    Object& object = *node.value.object();
    node.key = WrittenKey(object.type_key());
    if (const auto* text = node.value.as<StringObj>()) {
      node.bytes = text->text;
    } else if (object::IsArray(&object)) {
      for (const Value& item : object::Items(node.value)) node.items.push_back(NodeOf(item));
    } else if (const auto* map = node.value.as<MapObj>()) {
      TakeMap(node, *map);
    } else if (auto* tensor = node.value.as<TensorObj>()) {
      TakeTensor(node, "ndarray", tensor->tensor);
    } else if (auto* module = node.value.as<ModuleObj>()) {
      TakeModule(node, *module);
    } else if (const auto* held = node.value.as<PyValueObj>()) {
      TakePython(node, held->value);
    } else if (node.value.as<graph::PrimFuncObj>() != nullptr) {
      Throw(graph::GraphError("graph JSON holds functions of Relay only, and no tensor programs"));
    } else if (IsName(object.type_key())) {
      node.bytes = object.Get(static_cast<size_t>(object.info().Find("name"))).text();
    } else {
      TakeFields(node, object);
    }
  }

  void TakeMap(Node& node, const MapObj& map) {
    const bool named = std::ranges::all_of(
        map.entries(), [](const auto& entry) { return entry.first.template as<StringObj>() != nullptr; });
    for (const auto& [key, value] : map.entries()) {
      if (named) {
        node.keys.emplace_back(key.text());
      } else {
        node.items.push_back(NodeOf(key));
      }
      node.items.push_back(NodeOf(value));
    }
  }

  void TakeTensor(Node& node, std::string_view field, const Constant& tensor) {
    node.fields.push_back({.name = field, .tensor = context_.AddConstant(tensor)});
  }

  void TakeChild(Node& node, std::string_view field, const Value& child) {
    node.fields.push_back({.name = field, .is_child = true, .child = NodeOf(child)});
  }

  void TakeModule(Node& node, const ModuleObj& module) {
    using Entries = std::vector<std::pair<Value, Value>>;
    Entries functions;
    Entries vars;
    for (const auto& [name, function] : module.functions()) {
      const auto var = module.lineage()->GlobalVar(name);
      functions.emplace_back(var, function);
      vars.emplace_back(name, var);
    }
    for (const auto& [name, function] : module.prim_funcs()) functions.emplace_back(name, function);
    Entries types;
    Entries type_vars;
    for (const auto& [name, data] : module.type_defs()) {
      const auto var = module.lineage()->GlobalTypeVar(name);
      types.emplace_back(var, data);
      type_vars.emplace_back(name, var);
    }
    TakeChild(node, "functions", object::Make<MapObj>(std::move(functions)));
    TakeChild(node, "type_definitions", object::Make<MapObj>(std::move(types)));
    TakeChild(node, "global_var_map_", object::Make<MapObj>(std::move(vars)));
    TakeChild(node, "global_type_var_map_", object::Make<MapObj>(std::move(type_vars)));
    nb::object sources = ToObject(node.value.object()).attr("source_map");
    if (sources.is_none()) sources = nb::module_::import_("relayopt.ir.base").attr("SourceMap")();
    TakeChild(node, "source_map", object::Make<PyValueObj>(sources.ptr()));
    TakeChild(node, "attrs", module.attrs());
  }

  // A text that a module was read from, or all of them: classes of Python.
  void TakePython(Node& node, nb::handle held) {
    if (nb::hasattr(held, "source_map")) {
      node.key = "SourceMap";
      std::vector<std::pair<Value, Value>> entries;
      for (const auto& [name, source] : nb::cast<nb::dict>(held.attr("source_map"))) {
        entries.emplace_back(python::NodeOf(name), object::Make<PyValueObj>(source.ptr()));
      }
      return TakeChild(node, "source_map", object::Make<MapObj>(std::move(entries)));
    }
    if (!nb::hasattr(held, "source_name")) {
      const auto type = nb::cast<std::string>(nb::str(nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(held.ptr())))));
      Throw(graph::GraphError("graph JSON has no form for " + type));
    }
    node.key = "Source";
    TakeChild(node, "source_name", python::NodeOf(held.attr("source_name")));
    TakeChild(node, "source", nb::cast<std::string>(held.attr("source")));
  }

  void TakeFields(Node& node, const Object& object) {
    const TypeInfo& info = object.info();
    for (const size_t slot : VisitedFields(info)) {
      const Field& field = info.fields[slot];
      const Value value = graph::SlotsOf(object)[slot];
      const bool is_text = value.as<StringObj>() != nullptr;
      const bool is_number = field.kind == Kind::kBool || field.kind == Kind::kInt || field.kind == Kind::kFloat;
      const auto* tensor = value.as<TensorObj>();
      if (tensor != nullptr && node.key == "relay.Constant") {
        TakeTensor(node, field.name, tensor->tensor);
      } else if (is_number && !value.is_null()) {
        node.fields.push_back({.name = field.name, .literal = NumberText(value)});
      } else if (is_text && field.kind == Kind::kString && IsPlainText(info, field.name)) {
        node.fields.push_back({.name = field.name, .literal = std::string(value.text())});
      } else {
        TakeChild(node, field.name, value);
      }
    }
  }

  Context context_;
  // Stays where it is while children are added.
  std::deque<Node> nodes_;
  std::unordered_map<const Object*, uint32_t> numbers_;
};

// Makes the objects of a text: each after those that it refers to, on an explicit stack.
class ObjectReader {
 public:
  explicit ObjectReader(const SourceText& source)
      : json_(source, {0, static_cast<uint32_t>(source.text().size())}, sink_) {}

  auto sink() const -> const DiagnosticSink& { return sink_; }

  // Returns nothing after an error, which the sink has.
  auto Read() -> std::optional<Value> {
    auto raw = ParseMetadata(json_, sink_);
    if (!raw) return std::nullopt;
    raw_ = *std::move(raw);
    if (raw_.root >= raw_.nodes.size()) {
      sink_.Report(diag::kMetaNode, {raw_.root_begin, raw_.root_begin + 1}, raw_.root, raw_.nodes.size());
      return std::nullopt;
    }
    for (const RawNode& node : raw_.nodes) {
      if (!Resolve(node)) return std::nullopt;
    }
    made_.resize(raw_.nodes.size());
    return MakeAll() ? std::optional(made_[raw_.root].value) : std::nullopt;
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kMade };
  struct Made {
    Value value;
    State state = State::kNew;
  };

  auto Fields(const RawNode& node) -> std::span<RawField> {
    return std::span(raw_.fields).subspan(node.fields.first, node.fields.count);
  }
  auto Items(const RawNode& node) const -> std::span<const uint32_t> {
    return std::span(raw_.items).subspan(node.items.first, node.items.count);
  }
  auto KeyOf(const RawNode& node) const -> std::string_view { return json_.text(node.type_key); }

  auto Wrong(const RawNode& node, std::string_view field, std::string_view what) -> bool {
    sink_.Report(diag::kMetaField, {node.begin, node.begin + 1}, Printable(field), Printable(KeyOf(node)), what);
    return false;
  }

  // Returns the class of a node, or null. Where two classes have the same key, fields tell them apart.
  auto ClassOf(const RawNode& node) -> const TypeInfo* {
    const std::string key(KeyOf(node));
    const TypeInfo* const info = object::FindType(key);
    if (info == nullptr) return nullptr;
    const bool is_first = std::ranges::all_of(
        Fields(node), [&](const RawField& field) { return info->Find(json_.text(field.name)) >= 0; });
    const TypeInfo* const second = is_first ? nullptr : object::FindType(key + "#2");
    return second == nullptr ? info : second;
  }

  auto IsReference(const TypeInfo* info, std::string_view key, std::string_view name, std::string_view text) const
      -> bool {
    if (key == "IRModule" || key == "SourceMap" || key == "Source" || IsName(key)) return true;
    if ((key == "relay.Constant" && name == "data") || key == "runtime.NDArray") return false;
    const int slot = info == nullptr ? -1 : info->Find(name);
    if (slot < 0) return false;
    switch (info->fields[static_cast<size_t>(slot)].kind) {
      case Kind::kBool:
      case Kind::kInt:
      case Kind::kFloat: return false;
      case Kind::kString: return !IsPlainText(*info, name);
      default: return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    }
  }

  // Determines which fields refer to nodes. Returns false if one of these nodes does not exist.
  auto Resolve(const RawNode& node) -> bool {
    const TypeInfo* const info = ClassOf(node);
    for (RawField& field : Fields(node)) {
      const std::string_view text = json_.text(field.value);
      if (!IsReference(info, KeyOf(node), json_.text(field.name), text)) continue;
      uint32_t child = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), child);
      if (error != std::errc() || end != text.data() + text.size() || child >= raw_.nodes.size()) {
        sink_.Report(diag::kMetaNode, field.value.range(), Printable(text), raw_.nodes.size());
        return false;
      }
      field.child = child;
    }
    for (const uint32_t item : Items(node)) {
      if (item < raw_.nodes.size()) continue;
      sink_.Report(diag::kMetaNode, {node.data_begin, node.data_begin + 1}, item, raw_.nodes.size());
      return false;
    }
    return true;
  }

  auto MakeAll() -> bool {
    std::vector<uint32_t> work = {raw_.root};
    while (!work.empty()) {
      const uint32_t at = work.back();
      if (made_[at].state == State::kMade) {
        work.pop_back();
      } else if (made_[at].state == State::kOpen) {
        if (!Make(raw_.nodes[at], made_[at].value)) return false;
        made_[at].state = State::kMade;
        work.pop_back();
      } else {
        made_[at].state = State::kOpen;
        const auto push = [&](uint32_t child) {
          if (made_[child].state == State::kOpen) return false;
          if (made_[child].state == State::kNew) work.push_back(child);
          return true;
        };
        const RawNode& node = raw_.nodes[at];
        bool ok = std::ranges::all_of(Items(node), push);
        for (const RawField& field : Fields(node)) ok = ok && (field.child == RawField::kNoChild || push(field.child));
        if (!ok) {
          sink_.Report(diag::kMetaCycle, {node.begin, node.begin + 1}, at);
          return false;
        }
      }
    }
    return true;
  }

  auto Make(const RawNode& node, Value& out) -> bool {
    const std::string_view key = KeyOf(node);
    if (key.empty()) return true;
    if (key == "runtime.String" || key == "StringImm") return TextOf(node, out);
    if (IsName(key)) return MakeName(node, out);
    if (key == "Array") {
      std::vector<Value> items;
      for (const uint32_t item : Items(node)) items.push_back(made_[item].value);
      out = object::MakeArray(items);
      return true;
    }
    if (key == "Map" || key == "StrMap") return MakeMap(node, out);
    if (key == "runtime.NDArray") return TensorOf(node, "ndarray", out);
    if (key == "Source" || key == "SourceMap" || key == "IRModule") return MakePython(node, out);
    return MakeNode(node, out);
  }

  auto TextOf(const RawNode& node, Value& out) -> bool {
    std::string storage;
    const auto text = json_.Unescape(node.bytes, storage);
    if (!text) return false;
    if (node.bytes_kind != RawNode::Bytes::kBase64) {
      out = *text;
      return true;
    }
    // The number of bytes comes first.
    constexpr size_t kHead = sizeof(uint64_t);
    const auto size = Base64Size(*text);
    std::string bytes(size.value_or(0), '\0');
    if (bytes.size() < kHead || !DecodeBase64(*text, 0, std::as_writable_bytes(std::span(bytes)))) {
      return Wrong(node, "repr_b64", "base64");
    }
    out = std::string_view(bytes).substr(kHead);
    return true;
  }

  // The value of the field `name`, or null.
  auto ChildOf(const RawNode& node, std::string_view name) -> Value {
    for (const RawField& field : Fields(node)) {
      if (json_.text(field.name) == name && field.child != RawField::kNoChild) return made_[field.child].value;
    }
    return {};
  }

  auto MakeName(const RawNode& node, Value& out) -> bool {
    Value name = ChildOf(node, "name");
    if (name.is_null() && !TextOf(node, name)) return false;
    if (name.as<StringObj>() == nullptr) return Wrong(node, "name", "a text");
    if (KeyOf(node) != "Op") {
      out = object::MakeNode(object::FindType(KeyOf(node))->index, std::span(&name, 1));
      return true;
    }
    if (FindOp(name.text()) == nullptr) {
      sink_.Report(kUnknownOperator, {node.begin, node.begin + 1}, Printable(name.text()));
      return false;
    }
    out = graph::OpObject(name.text());
    return true;
  }

  auto MakeMap(const RawNode& node, Value& out) -> bool {
    const auto items = Items(node);
    const bool named = node.keys.count != 0;
    if (named ? node.keys.count != items.size() : items.size() % 2 != 0) {
      sink_.Report(diag::kMetaMap, {node.begin, node.begin + 1});
      return false;
    }
    std::vector<std::pair<Value, Value>> entries;
    for (size_t i = 0; named && i < items.size(); ++i) {
      std::string storage;
      const auto key = json_.Unescape(raw_.keys[node.keys.first + i], storage);
      if (!key) return false;
      entries.emplace_back(*key, made_[items[i]].value);
    }
    for (size_t i = 0; !named && i < items.size(); i += 2) {
      entries.emplace_back(made_[items[i]].value, made_[items[i + 1]].value);
    }
    out = object::Make<MapObj>(std::move(entries));
    return true;
  }

  auto TensorOf(const RawNode& node, std::string_view field, Value& out) -> bool {
    const auto found =
        std::ranges::find_if(Fields(node), [&](const RawField& each) { return json_.text(each.name) == field; });
    const std::string_view text = found == Fields(node).end() ? "" : json_.text(found->value);
    size_t at = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), at);
    if (error != std::errc() || at >= raw_.tensors.size()) {
      sink_.Report(diag::kMetaTensorIndex, {node.begin, node.begin + 1}, Printable(text), raw_.tensors.size());
      return false;
    }
    tensors_.resize(raw_.tensors.size());
    if (tensors_[at].is_null()) {
      const auto read = ReadTensor(json_.text(raw_.tensors[at]));
      if (const auto* fault = std::get_if<TensorFault>(&read)) {
        const uint32_t begin = raw_.tensors[at].begin;
        sink_.Report(diag::kMetaTensor,
                     {begin + static_cast<uint32_t>(fault->begin), begin + static_cast<uint32_t>(fault->end)},
                     fault->what);
        return false;
      }
      const Constant& encoded = std::get<Constant>(read);
      // Of its own: the text does not live longer than this reader.
      const auto shape = encoded.shape();
      tensors_[at] = object::Make<TensorObj>(Constant(encoded.dtype(), {shape.begin(), shape.end()}, encoded.Bytes()));
    }
    out = tensors_[at];
    return true;
  }

  // Modules and the texts that they were read from, which are classes of Python.
  auto MakePython(const RawNode& node, Value& out) -> bool {
    const auto argument = [&](std::string_view name) { return ToObject(ChildOf(node, name)); };
    const nb::object base = nb::module_::import_("relayopt.ir.base");
    nb::object made;
    if (KeyOf(node) == "Source") {
      made = base.attr("Source")(argument("source_name"), argument("source"));
    } else if (KeyOf(node) == "SourceMap") {
      nb::dict entries;
      const Value map = ChildOf(node, "source_map");
      if (const auto* found = map.as<MapObj>()) {
        for (const auto& [name, source] : found->entries()) entries[ToObject(name)] = ToObject(source);
      }
      made = base.attr("SourceMap")(entries);
    } else {
      made = nb::module_::import_("relayopt.ir.module")
                 .attr("IRModule")(argument("functions"), argument("type_definitions"), argument("attrs"));
      made.attr("_source_map") = argument("source_map");
    }
    if (Object* const object = Unwrap(made.ptr())) {
      out = Ref<Object>(object);
    } else {
      out = object::Make<PyValueObj>(made.ptr());
    }
    return true;
  }

  auto MakeNode(const RawNode& node, Value& out) -> bool {
    const TypeInfo* const info = ClassOf(node);
    if (info == nullptr) {
      sink_.Report(kUnknownClass, node.type_key.range(), Printable(KeyOf(node)));
      return false;
    }
    const bool is_function = info->index == graph::TypeOf(graph::Node::kFunction);
    auto made = SlotObj::Create(info->index, info->fields.size() + (is_function ? 1 : 0));
    if (info->key == "relay.Constructor") made->set(graph::slot::kCtorTag, -1);
    for (const RawField& raw : Fields(node)) {
      const std::string_view name = json_.text(raw.name);
      const int slot = info->Find(name);
      if (slot < 0) continue;
      Value value;
      const Field& field = info->fields[static_cast<size_t>(slot)];
      const bool is_tensor = info->key == "relay.Constant" && name == "data";
      if (is_tensor ? !TensorOf(node, name, value) : !FieldOf(node, field, raw, value)) return false;
      made->set(static_cast<size_t>(slot), std::move(value));
    }
    // Attributes of nothing are an empty map.
    if (info->key == "DictAttrs" && made->slot(graph::slot::kDict).is_null()) {
      made->set(graph::slot::kDict, object::Make<MapObj>(std::vector<std::pair<Value, Value>>()));
    }
    out = made;
    return true;
  }

  auto FieldOf(const RawNode& node, const Field& field, const RawField& raw, Value& out) -> bool {
    std::string storage;
    if (raw.child != RawField::kNoChild) {
      out = made_[raw.child].value;
    } else {
      const auto text = json_.Unescape(raw.value, storage);
      if (!text) return false;
      const bool is_number = field.kind == Kind::kInt || field.kind == Kind::kFloat;
      if (field.kind == Kind::kBool) {
        out = *text != "0" && *text != "false";
      } else if (!is_number) {
        out = *text;
      } else if (!NumberOf(*text, field.kind == Kind::kInt, out)) {
        return Wrong(node, field.name, "a number");
      }
    }
    const auto misfit = FitField(field, out);
    return !misfit || Wrong(node, field.name, misfit->expected);
  }

  static auto NumberOf(std::string_view text, bool is_int, Value& out) -> bool {
    const auto parse = [&](auto number) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      out = number;
      return error == std::errc() && end == text.data() + text.size();
    };
    return is_int ? parse(int64_t{0}) : parse(0.0);
  }

  DiagnosticSink sink_;
  JsonScanner json_;
  RawMetadata raw_;
  std::vector<Made> made_;
  std::vector<Value> tensors_;
};

auto Save(nb::handle root) -> std::string {
  ObjectSource source;
  Value value;
  if (!FromPython(root.ptr(), value, true)) throw nb::python_error();
  if (value.is_null()) throw nb::value_error("None has no graph JSON");
  StringSink sink;
  const NodeRef node = source.NodeOf(value);
  WriteObjectGraph(source.context(), source, node, {}, sink);
  return std::move(sink.text());
}

auto Load(const std::string& text) -> nb::object {
  const auto source = SourceText::FromString("<json>", text);
  ObjectReader reader(*source);
  const auto made = reader.Read();
  if (!made) Throw(reader.sink(), source.get());
  return ToObject(*made);
}

}  // namespace

void AddGraphJson(nb::module_& m) {
  m.def("save_json", &Save, nb::arg("node").none());
  m.def("load_json", &Load);
}

}  // namespace relayopt::python
