// Draws a graph as SVG.
#include "svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "relayopt/relay/text/graph_layout.h"

namespace relayopt {

namespace {

auto Escaped(std::string_view text) -> std::string {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      // XML has no other control characters.
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  }
  return out;
}

// The label, cut where the box ends.
auto FittingLabel(const std::string& label, int32_t width) -> std::string {
  size_t characters = 0;
  for (size_t i = 0; i < label.size(); ++i) {
    const bool is_start = (static_cast<unsigned char>(label[i]) & 0xC0U) != 0x80U;
    if (is_start && static_cast<int32_t>(characters++) * kLabelCharWidth > width - 12) return label.substr(0, i) + "…";
  }
  return label;
}

class SvgWriter {
 public:
  SvgWriter(Graph graph, TextSink& sink) : graph_(std::move(graph)), layout_(LayOutGraph(graph_)), sink_(sink) {
    for (const GraphNode& node : graph_.nodes) most_ = std::max(most_, node.macs);
  }

  void Run() {
    sink_.Write(
        fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n",
                    layout_.width, layout_.height));
    sink_.Write(kStyle);
    for (size_t i = 0; i < graph_.functions.size(); ++i) WriteFunction(i);
    for (size_t i = 0; i < graph_.edges.size(); ++i) WriteEdge(i);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) WriteNode(i);
    WriteTypes();
    sink_.Write("</svg>\n");
  }

 private:
  static constexpr std::string_view kStyle =
      "<style>\n"
      "text{font:12px ui-monospace,monospace;fill:#1b1f24;text-anchor:middle}\n"
      ".t{font-size:10px;fill:#57606a;paint-order:stroke;stroke:#fff;stroke-width:3px}\n"
      ".b{fill:#f6f8fa;stroke:#afb8c1}.h{text-anchor:start;fill:#57606a;font-weight:bold}\n"
      ".e{fill:none;stroke:#8c959f}rect.n{stroke:#57606a;rx:4px}\n"
      ".param{fill:#ddf4ff}.constant{fill:#eaeef2}.operator{fill:#fffbdd}.call{fill:#fffbdd}.data{fill:#fff}\n"
      ".control{fill:#ffefe0}.function{fill:#fbefff}.result{fill:#dafbe1}\n"
      "</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

  void WriteFunction(size_t i) {
    const LayoutBox& box = layout_.functions[i];
    sink_.Write(fmt::format("<rect class=\"b\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n", box.x, box.y,
                            box.width, box.height));
    sink_.Write(fmt::format("<text class=\"h\" x=\"{}\" y=\"{}\">{}</text>\n", box.x + 10, box.y + 18,
                            Escaped(FittingLabel(graph_.functions[i].label, box.width))));
  }

  void WriteEdge(size_t i) {
    const std::vector<LayoutPoint>& points = layout_.edges[i];
    std::string path = fmt::format("M{} {}", points[0].x, points[0].y);
    for (size_t p = 1; p < points.size(); ++p) {
      const int32_t middle = (points[p - 1].y + points[p].y) / 2;
      path += fmt::format("C{} {} {} {} {} {}", points[p - 1].x, middle, points[p].x, middle, points[p].x, points[p].y);
    }
    const GraphEdge& edge = graph_.edges[i];
    const std::string title = edge.role.empty() ? "" : fmt::format("<title>{}</title>", Escaped(edge.role));
    sink_.Write(fmt::format("<path class=\"e\" d=\"{}\">{}</path>\n", path, title));
  }

  // Nodes that compute are the redder the more they cost.
  auto Fill(const GraphNode& node) const -> std::string {
    if (node.macs == 0 || most_ == 0) return "";
    const double part = std::sqrt(static_cast<double>(node.macs) / static_cast<double>(most_));
    return fmt::format(" style=\"fill:#ff{:02x}{:02x}\"", static_cast<int>(std::lround(0xfb - part * 0x7b)),
                       static_cast<int>(std::lround(0xdd - part * 0x8d)));
  }

  void WriteNode(size_t i) {
    const GraphNode& node = graph_.nodes[i];
    const LayoutBox& box = layout_.nodes[i];
    std::string title = node.label;
    if (!node.type.empty()) title += "\n" + node.type;
    if (node.macs != 0) title += fmt::format("\n{} multiply-accumulates", node.macs);
    const bool is_round = node.kind == GraphNode::Kind::kParam || node.kind == GraphNode::Kind::kResult;
    sink_.Write(fmt::format(
        "<g><title>{}</title><rect class=\"n {}\"{} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        Escaped(title), Name(node.kind), Fill(node), box.x, box.y, box.width, box.height,
        is_round ? box.height / 2 : 4));
    sink_.Write(fmt::format("<text x=\"{}\" y=\"{}\">{}</text></g>\n", box.x + box.width / 2,
                            box.y + box.height / 2 + 4, Escaped(FittingLabel(node.label, box.width))));
  }

  // The shape of a value is written once, where its edges begin.
  void WriteTypes() {
    std::vector<bool> is_used(graph_.nodes.size(), false);
    for (const GraphEdge& edge : graph_.edges) is_used[edge.from] = true;
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const LayoutBox& box = layout_.nodes[i];
      if (!is_used[i] || graph_.nodes[i].type.empty()) continue;
      sink_.Write(fmt::format("<text class=\"t\" x=\"{}\" y=\"{}\">{}</text>\n", box.x + box.width / 2,
                              box.y + box.height + 13, Escaped(FittingLabel(graph_.nodes[i].type, 280))));
    }
  }

  Graph graph_;
  GraphLayout layout_;
  TextSink& sink_;
  uint64_t most_ = 0;
};

}  // namespace

void WriteSvg(const Graph& graph, TextSink& sink) { SvgWriter(CondenseGraph(graph), sink).Run(); }

}  // namespace relayopt
