// Tensor programs in the picture of a module: a box for each function and for each loop, branch and block in it, a node
// for each buffer and for each statement, and edges along which data flows: from the statement that wrote a buffer
// last, in the order of the text, to those that read it. The printed text says what belongs where:
//
//   def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):   a box with a node `A`
//       for i in range(4):                                              a box in it
//           B[i] = A[i] + 1                                             a node in that, which A leads to
//       T.evaluate(B[0])                                                a node that the one before leads to
//
// A buffer that was written leads to a node `B` at the end, if it is a parameter. A statement that uses no buffer
// follows the one before it.
#include "lib/convert/loop_nests.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "relayopt/support/characters.h"
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

// Whether a line only says of a block what its statements show.
auto IsAnnotation(std::string_view line) -> bool {
  return line.starts_with("T.reads") || line.starts_with("T.writes") || line.starts_with("T.block_attr") ||
         line.starts_with("T.func_attr") || line.find(" = T.axis.") != std::string_view::npos;
}

// Returns the names in a line. Texts in quotes and fields of objects are passed over.
auto NamesOf(std::string_view line) -> std::vector<std::string_view> {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == '"') {
      i = std::min(line.find('"', i + 1), line.size() - 1) + 1;
    } else if (!IsNameCharacter(line[i])) {
      ++i;
    } else {
      const size_t begin = i;
      while (i < line.size() && IsNameCharacter(line[i])) ++i;
      const bool is_field = begin > 0 && line[begin - 1] == '.';
      if (!is_field) names.push_back(line.substr(begin, i - begin));
    }
  }
  return names;
}

// Returns the shape and the element type that a declaration `T.Buffer((4, 4), "int32", ...)` gives: `4x4 int32`; empty
// if it is another kind of declaration.
auto DeclaredType(std::string_view declaration) -> std::string {
  const size_t open = declaration.find("((");
  const size_t close = declaration.find(')', open);
  const size_t quote = declaration.find('"', close);
  if (open == std::string_view::npos || close == std::string_view::npos || quote == std::string_view::npos) return "";
  std::string type;
  for (const char c : declaration.substr(open + 2, close - open - 2)) {
    if (c == ',')
      type += 'x';
    else if (c != ' ')
      type += c;
  }
  if (type.ends_with('x')) type.pop_back();
  return type + " " + std::string(declaration.substr(quote + 1, declaration.find('"', quote + 1) - quote - 1));
}

auto KindOf(std::string_view line) -> GraphNode::Kind {
  const bool defines =
      line.find("T.allocate") != std::string_view::npos || line.find("T.Buffer(") != std::string_view::npos ||
      line.find("T.decl_buffer(") != std::string_view::npos || line.find("T.alloc_buffer(") != std::string_view::npos ||
      line.find("T.match_buffer(") != std::string_view::npos;
  if (defines) return GraphNode::Kind::kData;
  return line.find("T.launch_thread") != std::string_view::npos ? GraphNode::Kind::kControl
                                                                : GraphNode::Kind::kOperator;
}

// Adds the text of one function.
class NestAdder {
 public:
  NestAdder(std::string_view text, Graph& graph) : text_(text), graph_(graph) {}

  void Run() {
    while (!text_.empty()) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      const size_t indent = std::min(line.find_first_not_of(' '), line.size());
      line.remove_prefix(indent);
      if (IsHeadOfModule(line)) continue;
      while (!open_.empty() && open_.back().indent >= indent) open_.pop_back();
      if (line.ends_with(':'))
        Open(line, indent);
      else if (!IsAnnotation(line))
        AddStatement(line);
    }
    for (const std::string& name : params_) {
      const Buffer& buffer = buffers_.at(name);
      if (!buffer.is_written) continue;
      const uint32_t result = AddNode(GraphNode::Kind::kResult, name, buffer.type, function_);
      graph_.edges.push_back({buffer.node, result, 0, {}});
    }
  }

 private:
  struct Buffer {
    // The node that wrote it last, or that declares it.
    uint32_t node = 0;
    std::string type;
    bool is_written = false;
  };

  auto AddNode(GraphNode::Kind kind, std::string label, std::string type, uint32_t box) -> uint32_t {
    graph_.nodes.push_back({kind, std::move(label), std::move(type), box});
    return static_cast<uint32_t>(graph_.nodes.size() - 1);
  }

  void Open(std::string_view line, size_t indent) {
    const auto box = static_cast<uint32_t>(graph_.functions.size());
    const uint32_t around = open_.empty() ? GraphFunction::kTop : open_.back().box;
    graph_.functions.push_back({std::string(line), around, line.starts_with("with T.block")});
    open_.push_back({indent, box});
    if (!line.starts_with("def ")) return;
    function_ = box;
    constexpr std::string_view kBuffer = ": T.Buffer(";
    for (size_t at = line.find(kBuffer); at != std::string_view::npos; at = line.find(kBuffer, at + 1)) {
      size_t begin = at;
      while (begin > 0 && IsNameCharacter(line[begin - 1])) --begin;
      const std::string name(line.substr(begin, at - begin));
      const std::string type = DeclaredType(line.substr(at));
      params_.push_back(name);
      buffers_[name] = {AddNode(GraphNode::Kind::kParam, name, type, box), type};
    }
  }

  void AddStatement(std::string_view line) {
    const uint32_t box = open_.empty() ? GraphFunction::kTop : open_.back().box;
    const size_t equals = line.find(" = ");
    const std::string_view target = equals == std::string_view::npos ? "" : line.substr(0, equals);
    const std::string name(target.substr(0, target.find_first_of("[:")));
    const bool declares = KindOf(line) == GraphNode::Kind::kData;
    const uint32_t node = AddNode(KindOf(line), std::string(line), "", box);
    // A callee may read and write its arguments.
    const bool is_opaque = line.starts_with("T.");
    bool has_data = declares;
    std::vector<std::string> written;
    for (const std::string_view used : NamesOf(line.substr(name.size()))) {
      const auto found = buffers_.find(std::string(used));
      if (found == buffers_.end()) continue;
      AddEdge(found->second.node, node);
      has_data = true;
      if (is_opaque) written.emplace_back(used);
    }
    if (!name.empty() && std::ranges::all_of(name, IsNameCharacter)) {
      Buffer& buffer = buffers_[name];
      if (buffer.type.empty() && declares) buffer.type = DeclaredType(line);
      // An element is written; the others stay.
      if (target.find('[') != std::string_view::npos && buffer.is_written) AddEdge(buffer.node, node);
      graph_.nodes[node].type = buffer.type;
      has_data = true;
      if (declares)
        buffer.node = node;
      else
        written.push_back(name);
    }
    for (const std::string& each : written) {
      Buffer& buffer = buffers_[each];
      buffer.node = node;
      buffer.is_written = true;
    }
    if (!has_data && last_) AddEdge(*last_, node);
    last_ = node;
  }

  void AddEdge(uint32_t from, uint32_t to) {
    const bool is_known = !graph_.edges.empty() && graph_.edges.back().from == from && graph_.edges.back().to == to;
    if (from != to && !is_known) graph_.edges.push_back({from, to, 0, {}});
  }

  std::string_view text_;
  Graph& graph_;
  std::vector<OpenBox> open_;
  uint32_t function_ = GraphFunction::kTop;
  std::vector<std::string> params_;
  absl::flat_hash_map<std::string, Buffer> buffers_;
  // The statement before.
  std::optional<uint32_t> last_;
};

}  // namespace

void AddLoopNests(const Module& module, Graph& graph) {
  for (const GlobalId id : module.SortedFunctions<tir::PrimFunc>()) {
    StringSink sink;
    tir::kPrimFuncKind.print_function(module, id, {}, sink);
    NestAdder(sink.text(), graph).Run();
  }
}

}  // namespace relayopt
