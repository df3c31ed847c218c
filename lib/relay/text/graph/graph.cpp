// Prints graphs in several formats.
#include "relayopt/relay/text/graph.h"

#include <fmt/format.h>

#include "graph_model.h"
#include "svg.h"

namespace relayopt {

namespace {

// Returns a string literal of DOT and of JSON.
auto Quoted(std::string_view text) -> std::string {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += std::string{'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Returns a string literal of Mermaid, which has entities instead of escapes.
auto MermaidQuoted(std::string_view text) -> std::string {
  std::string out = "\"";
  for (const char c : text) {
    const bool plain = std::string_view("\"#<>").find(c) == std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("#{};", static_cast<int>(c));
  }
  return out + '"';
}

// Returns the label of an edge.
auto EdgeLabel(const Graph& graph, const GraphEdge& edge) -> std::string {
  const std::string& type = graph.nodes[edge.from].type;
  if (edge.role.empty()) return type;
  return fmt::format("{}{}{}", edge.role, type.empty() ? "" : ": ", type);
}

// Calls open(function), node(index) and close() so that boxes nest. Does not recurse: functions may nest deeply.
template <typename Open, typename Node, typename Close>
void WalkBoxes(const Graph& graph, Open&& open, Node&& node, Close&& close) {
  struct Box {
    std::vector<uint32_t> inner;
    std::vector<uint32_t> nodes;
  };
  std::vector<Box> boxes(graph.functions.size());
  std::vector<uint32_t> pending;
  for (uint32_t i = static_cast<uint32_t>(graph.functions.size()); i-- > 0;) {
    const uint32_t parent = graph.functions[i].parent;
    (parent == GraphFunction::kTop ? pending : boxes[parent].inner).push_back(i);
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) boxes[graph.nodes[i].function].nodes.push_back(i);
  // An entry of kTop closes a box.
  while (!pending.empty()) {
    const uint32_t i = pending.back();
    pending.pop_back();
    if (i == GraphFunction::kTop) {
      close();
      continue;
    }
    open(i);
    for (const uint32_t n : boxes[i].nodes) node(n);
    pending.push_back(GraphFunction::kTop);
    pending.insert(pending.end(), boxes[i].inner.begin(), boxes[i].inner.end());
  }
}

auto DotStyle(GraphNode::Kind kind) -> std::string_view {
  switch (kind) {
    case GraphNode::Kind::kParam: return "shape=ellipse, fillcolor=\"#dbe9f6\"";
    case GraphNode::Kind::kConstant: return "shape=ellipse, fillcolor=\"#eeeeee\"";
    case GraphNode::Kind::kOperator: return "shape=box, fillcolor=\"#fff6d5\"";
    case GraphNode::Kind::kCall: return "shape=box, fillcolor=\"#e6d9f2\"";
    case GraphNode::Kind::kData: return "shape=box, fillcolor=\"#ffffff\"";
    case GraphNode::Kind::kControl: return "shape=diamond, fillcolor=\"#ffe0cc\"";
    case GraphNode::Kind::kFunction: return "shape=component, fillcolor=\"#e6d9f2\"";
    case GraphNode::Kind::kResult: return "shape=ellipse, fillcolor=\"#d9f0d9\"";
  }
  return "";
}

void WriteDot(const Graph& graph, TextSink& sink) {
  sink.Write(
      "digraph relayopt {\n"
      "  node [style=filled, fontname=\"sans-serif\", fontsize=11];\n"
      "  edge [fontname=\"sans-serif\", fontsize=9, color=\"#555555\"];\n");
  WalkBoxes(
      graph,
      [&](uint32_t i) {
        const GraphFunction& function = graph.functions[i];
        sink.Write(
            fmt::format("subgraph cluster_{} {{\n  label={}; fontname=\"sans-serif\"; style=\"rounded{}\"; "
                        "color=\"#888888\"; fillcolor=\"#f3f3fb\";\n",
                        i, Quoted(function.label), function.is_kernel ? ",filled" : ""));
      },
      [&](uint32_t i) {
        const GraphNode& node = graph.nodes[i];
        sink.Write(fmt::format("  n{} [label={}, {}];\n", i, Quoted(node.label), DotStyle(node.kind)));
      },
      [&] { sink.Write("}\n"); });
  for (const GraphEdge& edge : graph.edges) {
    sink.Write(fmt::format("n{} -> n{} [label={}];\n", edge.from, edge.to, Quoted(EdgeLabel(graph, edge))));
  }
  sink.Write("}\n");
}

// Returns the brackets that give a node its shape.
auto MermaidShape(GraphNode::Kind kind) -> std::pair<std::string_view, std::string_view> {
  switch (kind) {
    case GraphNode::Kind::kParam:
    case GraphNode::Kind::kConstant:
    case GraphNode::Kind::kResult: return {"([", "])"};
    case GraphNode::Kind::kControl: return {"{", "}"};
    case GraphNode::Kind::kFunction: return {"[[", "]]"};
    default: return {"[", "]"};
  }
}

void WriteMermaid(const Graph& graph, TextSink& sink) {
  sink.Write("flowchart TD\n");
  WalkBoxes(
      graph,
      [&](uint32_t i) { sink.Write(fmt::format("subgraph f{}[{}]\n", i, MermaidQuoted(graph.functions[i].label))); },
      [&](uint32_t i) {
        const auto [open, close] = MermaidShape(graph.nodes[i].kind);
        sink.Write(fmt::format("  n{}{}{}{}\n", i, open, MermaidQuoted(graph.nodes[i].label), close));
      },
      [&] { sink.Write("end\n"); });
  for (const GraphEdge& edge : graph.edges) {
    const std::string label = EdgeLabel(graph, edge);
    const std::string text = label.empty() ? "" : fmt::format("|{}|", MermaidQuoted(label));
    sink.Write(fmt::format("n{} -->{} n{}\n", edge.from, text, edge.to));
  }
}

// Writes an array of JSON with one element a line.
template <typename T, typename Element>
void WriteArray(TextSink& sink, std::string_view name, const std::vector<T>& elements, Element&& element) {
  sink.Write(fmt::format(",\n  \"{}\": [", name));
  for (size_t i = 0; i < elements.size(); ++i) {
    sink.Write(fmt::format("{}\n    {{{}}}", i == 0 ? "" : ",", element(i, elements[i])));
  }
  sink.Write("\n  ]");
}

void WriteJson(const Graph& graph, TextSink& sink) {
  sink.Write("{\n  \"version\": 1");
  WriteArray(sink, "functions", graph.functions, [](size_t i, const GraphFunction& function) {
    const bool is_top = function.parent == GraphFunction::kTop;
    return fmt::format("\"id\": {}, \"label\": {}, \"parent\": {}, \"kernel\": {}", i, Quoted(function.label),
                       is_top ? "null" : fmt::format("{}", function.parent), function.is_kernel);
  });
  WriteArray(sink, "nodes", graph.nodes, [](size_t i, const GraphNode& node) {
    return fmt::format("\"id\": {}, \"function\": {}, \"kind\": \"{}\", \"label\": {}, \"type\": {}", i, node.function,
                       Name(node.kind), Quoted(node.label), Quoted(node.type));
  });
  WriteArray(sink, "edges", graph.edges, [](size_t, const GraphEdge& edge) {
    return fmt::format("\"from\": {}, \"to\": {}, \"operand\": {}, \"role\": \"{}\"", edge.from, edge.to, edge.operand,
                       edge.role);
  });
  sink.Write("\n}\n");
}

}  // namespace

void PrintGraph(const Graph& graph, GraphFormat format, TextSink& sink) {
  switch (format) {
    case GraphFormat::kDot: return WriteDot(graph, sink);
    case GraphFormat::kMermaid: return WriteMermaid(graph, sink);
    case GraphFormat::kJson: return WriteJson(graph, sink);
    case GraphFormat::kSvg: return WriteSvg(graph, sink);
  }
}

}  // namespace relayopt
