// Writes any object as graph JSON: the core's writer of object graphs, with objects as their nodes. Modules as files
// are lib/convert/tvm_json's, which needs no objects.
#include "graph_json.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "bindings.h"
#include "relayopt/graph/attrs_types.h"
#include "relayopt/relay/text/graph_nodes.h"
#include "relayopt/relay/text/plain_strings.h"

namespace relayopt::python {

auto IsPlainText(const object::TypeInfo& info, std::string_view field) -> bool {
  if (field == "dtype") return true;
  const AttrsSchema* const schema = graph::SchemaOf(info.index);
  const FieldInfo* const member = schema == nullptr ? nullptr : schema->Find(field);
  return member != nullptr && (member->kind == FieldKind::kDataType || IsPlainString(WrittenKey(info.key), field));
}

namespace {

using graph::ModuleObj;
using object::Field;
using object::MapObj;
using object::StringObj;
using object::TensorObj;
using object::TypeInfo;
using Kind = object::FieldKind;

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
    } else if (IsWrittenAsName(object.type_key())) {
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

}  // namespace

void AddGraphJsonWriter(nb::module_& m) { m.def("save_json", &Save, nb::arg("node").none()); }

}  // namespace relayopt::python
