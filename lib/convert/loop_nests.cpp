// Tensor programs in the picture of a module: a box for each function and for each loop, branch and block in it, a node
// for each other statement, an edge to the one that comes next. The printed text says what belongs where:
//
//   for i in range(4):           a box `for i in range(4):`
//       B[i] = A[i] + 1          a node in it
//   T.evaluate(0)                a node beside the box, which the first one leads to
#include "lib/convert/loop_nests.h"

#include <algorithm>

#include "relayopt/tir/ir/prim_func.h"
#include "relayopt/tir/script/module_text.h"

namespace relayopt {

namespace {

// A box whose statements are indented further than `indent`.
struct OpenBox {
  size_t indent;
  uint32_t box;
};

auto IsHeadOfModule(std::string_view line) -> bool {
  return line.empty() || line.starts_with('#') || line.starts_with('@') || line.starts_with("class ");
}

auto KindOf(std::string_view line) -> GraphNode::Kind {
  const bool defines = line.find("T.allocate") != std::string_view::npos ||
                       line.find("T.Buffer(") != std::string_view::npos ||
                       line.find("T.decl_buffer(") != std::string_view::npos;
  if (defines || line.starts_with("T.reads") || line.starts_with("T.writes")) return GraphNode::Kind::kData;
  return line.find("T.launch_thread") != std::string_view::npos ? GraphNode::Kind::kControl
                                                                : GraphNode::Kind::kOperator;
}

void AddText(std::string_view text, Graph& graph) {
  std::vector<OpenBox> open;
  bool is_first = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(indent);
    if (IsHeadOfModule(line)) continue;
    while (!open.empty() && open.back().indent >= indent) open.pop_back();
    const uint32_t around = open.empty() ? GraphFunction::kTop : open.back().box;
    if (line.ends_with(':')) {
      open.push_back({indent, static_cast<uint32_t>(graph.functions.size())});
      graph.functions.push_back({std::string(line), around, line.starts_with("with T.block")});
      continue;
    }
    const auto node = static_cast<uint32_t>(graph.nodes.size());
    graph.nodes.push_back({KindOf(line), std::string(line), "", around});
    if (!is_first) graph.edges.push_back({node - 1, node, 0, {}});
    is_first = false;
  }
}

}  // namespace

void AddLoopNests(const Module& module, Graph& graph) {
  for (const GlobalId id : module.SortedFunctions<tir::PrimFunc>()) {
    StringSink sink;
    tir::kPrimFuncKind.print_function(module, id, {}, sink);
    AddText(sink.text(), graph);
  }
}

}  // namespace relayopt
