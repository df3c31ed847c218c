// Removal of unused nodes, and printing of graphs.
#include "model.h"

#include <fmt/format.h>

#include <algorithm>
#include <protozero/pbf_reader.hpp>

#include "lib/convert/onnx/fields.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

// A graph, and which of its nodes are used.
struct Marked {
  Graph* graph;
  std::vector<bool> is_used;
};
// For values: the number of the graph whose nodes compute them, counted from 1.
using GraphNumbers = NameMap<uint32_t>;

// Marks what the outputs and the used nodes of a graph use, and adds these names to `used`: names of graphs around it
// are among them. Appends the graphs inside of used nodes to `graphs`, each before the graph that it is in.
// NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
void Mark(Graph& graph, NameSet& used, std::vector<Marked>& graphs) {
  for (const ValueType& output : graph.outputs) used.insert(output.name);
  std::vector<bool> marks(graph.nodes.size());
  for (size_t i = graph.nodes.size(); i > 0; --i) {
    const Node& node = graph.nodes[i - 1];
    marks[i - 1] = std::ranges::any_of(node.outputs, [&](Name name) { return !name.empty() && used.contains(name); });
    if (!marks[i - 1]) continue;
    for (const Attribute& attribute : node.attributes) {
      if (attribute.graph != nullptr) Mark(*attribute.graph, used, graphs);
    }
    for (const Name input : node.inputs) used.insert(input);
    for (const Name capture : node.captures) used.insert(capture);
  }
  graphs.push_back({&graph, std::move(marks)});
}

// Removes the nodes that are not used, and the types of what no node of the graph computes. Those of outputs are kept
// with the outputs.
void Sweep(const Marked& marked, uint32_t number, GraphNumbers& graphs) {
  Graph& graph = *marked.graph;
  size_t kept = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!marked.is_used[i]) continue;
    if (kept != i) graph.nodes[kept] = std::move(graph.nodes[i]);
    ++kept;
  }
  graph.nodes.resize(kept);
  if (graph.values.empty()) return;
  for (const Node& node : graph.nodes) {
    for (const Name output : node.outputs) graphs[output] = number;
  }
  for (const ValueType& output : graph.outputs) graphs[output.name] = 0;
  const auto is_gone = [&](const ValueType& value) { return std::as_const(graphs)[value.name] != number; };
  if (std::ranges::any_of(graph.values, is_gone)) std::erase_if(graph.values, is_gone);
}

auto ShapeText(const ExtentList& shape) -> std::string {
  std::string text;
  for (const Extent& extent : shape) {
    if (!text.empty()) text += ',';
    text += extent.value            ? std::to_string(*extent.value)
            : extent.symbol.empty() ? "?"
                                    : std::string(extent.symbol.text());
  }
  return "[" + text + "]";
}

// Returns the last number in the field `number` of a message, and the last message in its field `inner`.
auto FieldsOf(std::string_view message, uint32_t number, uint32_t inner) -> std::pair<int32_t, std::string_view> {
  std::pair<int32_t, std::string_view> found;
  protozero::pbf_reader reader(message.data(), message.size());
  while (reader.next()) {
    if (reader.tag() == number && reader.has_wire_type(protozero::pbf_wire_type::varint)) {
      found.first = reader.get_int32();
    } else if (reader.tag() == inner && reader.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
      const auto view = reader.get_view();
      found.second = {view.data(), view.size()};
    } else {
      reader.skip();
    }
  }
  return found;
}

// Returns the text of a TypeProto without shapes: "FLOAT", "seq(map(INT64, FLOAT))".
auto TypeText(std::string_view message) -> std::string {
  constexpr uint32_t kSequence = 4;
  constexpr uint32_t kMap = 5;
  constexpr uint32_t kSparse = 8;
  constexpr uint32_t kOptional = 9;
  std::string text;
  // Types nest; each turn goes one deeper.
  for (size_t depth = 0;; ++depth) {
    const auto closed = [&](std::string_view element) { return text + std::string(element) + std::string(depth, ')'); };
    if (const std::string_view tensor = FieldsOf(message, 0, field::kTensorType).second; !tensor.empty()) {
      return closed(ElementTypeName(FieldsOf(tensor, field::kElemType, 0).first));
    }
    if (const std::string_view sparse = FieldsOf(message, 0, kSparse).second; !sparse.empty()) {
      return closed(fmt::format("sparse_tensor({})", ElementTypeName(FieldsOf(sparse, field::kElemType, 0).first)));
    }
    const std::string_view sequence = FieldsOf(message, 0, kSequence).second;
    const std::string_view optional = FieldsOf(message, 0, kOptional).second;
    const auto [key, value] = FieldsOf(FieldsOf(message, 0, kMap).second, 1, 2);
    if (!sequence.empty() || !optional.empty()) {
      text += sequence.empty() ? "optional(" : "seq(";
      message = FieldsOf(sequence.empty() ? optional : sequence, 0, 1).second;
    } else if (!value.empty()) {
      text += fmt::format("map({}, ", ElementTypeName(key));
      message = value;
    } else {
      return closed(ElementTypeName(kUndefined));
    }
  }
}

// A type that Relay lacks is that of the message, which only was read as far as it was needed.
auto ElementText(const ValueType& value) -> std::string {
  if (value.element_type != kUndefined || value.message.empty())
    return std::string(ElementTypeName(value.element_type));
  try {
    return TypeText(FieldsOf(value.message, 0, field::kValueType).second);
  } catch (const protozero::exception&) {
    return std::string(ElementTypeName(kUndefined));
  }
}

auto TypesText(const std::vector<ValueType>& values) -> std::string {
  std::string text;
  for (const ValueType& value : values) {
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", ElementText(value), value.name.text(),
                        ShapeText(value.shape));
  }
  return text;
}

auto Texts(const Names& names) -> std::vector<std::string_view> {
  return MapToVector<std::string_view>(names, [&](Name name) { return name.text(); });
}

// NOLINTNEXTLINE(misc-no-recursion)
void GraphText(const Graph& graph, size_t depth, std::string& to) {
  const std::string indent(depth * 2, ' ');
  to += fmt::format("{}graph {} ({}) -> ({})\n", indent, graph.name, TypesText(graph.inputs), TypesText(graph.outputs));
  for (const TensorData& tensor : graph.initializers) {
    to += fmt::format("{}  {} {}[{}]", indent, ElementTypeName(tensor.element_type), tensor.name.text(),
                      fmt::join(tensor.dims, ","));
    // Integers that are parameters of operators are shown in the text.
    if (tensor.element_type == kInt64 && tensor.bytes.size() <= 8 * sizeof(int64_t)) {
      to += fmt::format(" = {{{}}}", fmt::join(tensor.bytes.ToVector<int64_t>(), ","));
    }
    to += '\n';
  }
  for (const Node& node : graph.nodes) {
    std::string attributes;
    std::vector<const Graph*> graphs;
    for (const Attribute& attribute : node.attributes) {
      std::string value;
      switch (attribute.type) {
        case AttributeType::kFloat: value = fmt::format("{}", attribute.f); break;
        case AttributeType::kInt: value = std::to_string(attribute.i); break;
        case AttributeType::kString: value = fmt::format("\"{}\"", attribute.s); break;
        case AttributeType::kFloats: value = fmt::format("[{}]", fmt::join(attribute.floats, ",")); break;
        case AttributeType::kInts: value = fmt::format("[{}]", fmt::join(attribute.ints, ",")); break;
        case AttributeType::kStrings: value = fmt::format("[\"{}\"]", fmt::join(attribute.strings, "\",\"")); break;
        default:
          if (attribute.graph == nullptr) {
            value = "...";
            break;
          }
          graphs.push_back(attribute.graph.get());
          value = attribute.graph->name;
          break;
      }
      attributes += fmt::format("{}{}={}", attributes.empty() ? "<" : ", ", attribute.name, value);
    }
    if (!attributes.empty()) attributes += '>';
    to += fmt::format("{}  {} = {}{}{}{}({})\n", indent, fmt::join(Texts(node.outputs), ", "), node.domain,
                      node.domain.empty() ? "" : "::", node.op_type, attributes, fmt::join(Texts(node.inputs), ", "));
    for (const Graph* inner : graphs) GraphText(*inner, depth + 2, to);
  }
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as they were written.
void RenameValues(Graph& graph, const NameMap<Name>& names) {
  const auto rename = [&](Name& name) {
    if (const Name now = names[name]; !now.empty()) name = now;
  };
  for (Node& node : graph.nodes) {
    std::ranges::for_each(node.inputs, rename);
    std::ranges::for_each(node.captures, rename);
    std::ranges::for_each(node.outputs, rename);
    for (Attribute& attribute : node.attributes) {
      if (attribute.graph != nullptr) RenameValues(*attribute.graph, names);
    }
  }
  for (ValueType& value : graph.outputs) rename(value.name);
  for (ValueType& value : graph.values) rename(value.name);
}

void RemoveUnused(Graph& graph) {
  NameSet used;
  std::vector<Marked> graphs;
  Mark(graph, used, graphs);
  std::erase_if(graph.initializers, [&](const TensorData& tensor) { return !used.contains(tensor.name); });
  GraphNumbers numbers;
  for (uint32_t i = 0; i < graphs.size(); ++i) Sweep(graphs[i], i + 1, numbers);
}

auto ToText(const Model& model) -> std::string {
  std::string text = fmt::format("opset {}\n", model.opset);
  GraphText(model.graph, 0, text);
  return text;
}

}  // namespace relayopt::onnx::out
