// Two passes over the nodes: from the last to the first, which decides which values have the names of the model that
// was read, and then one that replaces the old names.
#include "names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <queue>

#include "absl/container/flat_hash_set.h"
#include "lib/convert/onnx/model_proto.h"
#include "lib/convert/onnx/op_row.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

// Whether a node is a copy that exists because its result is an output.
auto IsCopy(const Node& node) -> bool { return !node.source && node.op_type == "Identity"; }

class Naming {
 public:
  Naming(Graph& main, NameTable& names, const Context& context, const OnnxInterface& interface)
      : main_(main), names_(names), context_(context), interface_(interface), now_(names.size()) {
    sources_.reserve(main.nodes.size());
    for (const ValueType& input : main.inputs) used_.insert(input.name);
    for (const ValueType& output : main.outputs) {
      used_.insert(output.name);
      kept_.insert(output.name);
    }
    for (const TensorData& tensor : main.initializers) {
      constants_[tensor.name] = &tensor;
      (tensor.is_named ? used_ : changed_).insert(tensor.name);
    }
    if (const auto model = interface.model()) NoteNames(*model);
  }

  // Returns whether a node has fewer inputs than before.
  auto Run() -> bool {
    Choose(main_);
    const bool has_copies = std::ranges::any_of(
        main_.nodes, [&](const Node& node) { return IsCopy(node) && kept_.contains(node.outputs[0]); });
    if (has_additions_ || has_copies) NoteNodes(main_);
    if (has_additions_) NameOperands();
    if (has_copies) NameCopies();
    // Results get their names before folded constants get the names of the values that they replace.
    for (const TensorData& tensor : main_.initializers) NameComputed(tensor);
    for (const auto& [value, name] : wanted_) Give(value, name);
    for (TensorData& tensor : main_.initializers) {
      if (const Name now = now_[tensor.name]; !now.empty()) {
        tensor.name = now;
      } else if (!tensor.is_named) {
        Number(tensor.name);
      }
    }
    Replace(main_);
    return has_fewer_inputs_;
  }

 private:
  // Names of values inside of graphs that stay as they are.
  void NoteNames(const ModelProto& model) {
    for (const GraphProto& graph : model.graphs) {
      if (&graph == model.graph) continue;
      for (const ValueInfo& input : graph.inputs) inner_.insert(names_.Intern(input.name));
      for (const TensorProto& tensor : graph.initializers) inner_.insert(names_.Intern(tensor.name));
      for (const NodeProto& node : graph.nodes) {
        for (const std::string_view output : node.outputs) inner_.insert(names_.Intern(output));
      }
    }
  }

  // Names that nodes have got.
  // NOLINTNEXTLINE(misc-no-recursion)
  void NoteNodes(const Graph& graph) {
    for (const Node& node : graph.nodes) {
      nodes_.insert(node.name);
      for (const Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) NoteNodes(*attribute.graph);
      }
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
  void Choose(Graph& graph) {
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
      NameOne(*node);
      for (Attribute& attribute : node->attributes) {
        if (attribute.graph != nullptr) Choose(*attribute.graph);
      }
    }
  }

  void NameOne(Node& node) {
    if (!node.source) return;
    const NodeProto* proto = interface_.FindNode(node.source);
    const std::string_view source = context_.text(node.source);
    const std::string_view name = proto != nullptr ? proto->name : source;
    if (!sources_.insert(node.source).second) {
      has_additions_ = true;
      if (!name.empty()) node.name = NewName(fmt::format("{}/{}", name, node.op_type));
      return;
    }
    // A name that several nodes of an invalid model share stays with all of them.
    if (proto == nullptr) {
      if (!name.empty()) node.name = NewName(std::string(name));
      return;
    }
    node.name = name;
    node.doc = proto->doc;
    node.metadata.assign(proto->metadata.begin(), proto->metadata.end());
    for (size_t i = 0; i < node.outputs.size() && i < proto->outputs.size(); ++i) {
      if (!node.outputs[i].empty() && !kept_.contains(node.outputs[i])) Give(node.outputs[i], proto->outputs[i]);
    }
    if (proto->op_type != node.op_type) return;
    DropDefaults(node, *proto);
    DropSteps(node, *proto);
    SortAttributes(node, *proto);
    WantNames(node, *proto);
  }

  // Initializers without names have those of the inputs that they replace.
  void WantNames(const Node& node, const NodeProto& proto) {
    for (size_t i = 0; i < node.inputs.size() && i < proto.inputs.size(); ++i) {
      if (changed_.contains(node.inputs[i])) wanted_.emplace_back(node.inputs[i], proto.inputs[i]);
    }
  }

  // A node that was made for an operand of another one, as the shape of a Reshape, has the name of the node that
  // computed this operand, if that is gone, and so have those that were made for its own operands.
  void NameOperands() {
    const auto model = interface_.model();
    if (model == nullptr) return;
    NameMap<Node*> makers(names_.size());
    for (Node& node : main_.nodes) {
      for (const Name output : node.outputs) makers[output] = &node;
    }
    TextViewMap<const NodeProto*> before;
    for (const NodeProto& proto : model->graph->nodes) {
      for (const std::string_view output : proto.outputs) before[output] = &proto;
    }
    // Nodes, and the nodes of the model whose names they get.
    std::vector<std::pair<Node*, const NodeProto*>> pending;
    for (Node& node : main_.nodes) {
      const NodeProto* proto = node.source ? interface_.FindNode(node.source) : nullptr;
      if (proto != nullptr && proto->op_type == node.op_type && node.name == proto->name)
        pending.emplace_back(&node, proto);
    }
    absl::flat_hash_set<const NodeProto*> taken;
    for (size_t i = 0; i < pending.size(); ++i) {
      const auto [node, proto] = pending[i];
      const size_t num_inputs = node->inputs.size();
      for (size_t k = 0; k < num_inputs + node->captures.size(); ++k) {
        Node* const maker = makers[k < num_inputs ? node->inputs[k] : node->captures[k - num_inputs]];
        const bool is_new = maker != nullptr && maker->source == node->source && maker != node;
        const NodeProto* gone = is_new ? GoneOperand(*proto, node->capture_names, *maker, before, taken) : nullptr;
        if (gone == nullptr) continue;
        Node& made = *maker;
        taken.insert(gone);
        nodes_.erase(made.name);
        made.name = gone->name;
        nodes_.insert(gone->name);
        if (gone->op_type == made.op_type) {
          if (!kept_.contains(made.outputs[0])) Give(made.outputs[0], gone->outputs[0]);
          WantNames(made, *gone);
        }
        pending.emplace_back(&made, gone);
      }
    }
  }

  // Returns a node of the model that computed an operand of `proto`, or a value that its graphs capture, and is gone:
  // one of the operator that `made` is, if there is one.
  auto GoneOperand(const NodeProto& proto, std::span<const std::string_view> captured, const Node& made,
                   const TextViewMap<const NodeProto*>& before,
                   const absl::flat_hash_set<const NodeProto*>& taken) const -> const NodeProto* {
    const NodeProto* found = nullptr;
    const size_t num_inputs = proto.inputs.size();
    for (size_t i = 0; i < num_inputs + captured.size(); ++i) {
      const auto operand = before.find(i < num_inputs ? proto.inputs[i] : captured[i - num_inputs]);
      if (operand == before.end()) continue;
      const NodeProto* candidate = operand->second;
      const bool is_free = !candidate->name.empty() && candidate->outputs.size() == 1 &&
                           !nodes_.contains(candidate->name) && !taken.contains(candidate);
      if (is_free && candidate->op_type == made.op_type) return candidate;
      if (is_free && found == nullptr) found = candidate;
    }
    return found;
  }

  // A copy that an output is has the name of the node that computed this output, if that node is gone.
  void NameCopies() {
    TextViewMap<Node*> copies;
    for (Node& node : main_.nodes) {
      if (IsCopy(node) && kept_.contains(node.outputs[0])) copies[node.outputs[0].text()] = &node;
    }
    const auto model = interface_.model();
    if (model == nullptr) return;
    for (const NodeProto& proto : model->graph->nodes) {
      for (const std::string_view output : proto.outputs) {
        const auto copy = copies.find(output);
        if (copy == copies.end() || proto.name.empty()) continue;
        if (nodes_.insert(proto.name).second) copy->second->name = proto.name;
      }
    }
  }

  // A constant that a node would compute has the name of its result; any other one that of the initializer that it was
  // computed from.
  void NameComputed(const TensorData& tensor) {
    if (tensor.is_named) return;
    const NodeProto* proto = tensor.source ? interface_.FindNode(tensor.source) : nullptr;
    if (proto != nullptr && proto->outputs.size() == 1 && !sources_.contains(tensor.source)) {
      Give(tensor.name, proto->outputs[0]);
    }
    Give(tensor.name, tensor.base);
  }

  // Removes attributes that have their default value and that the node was read without.
  static void DropDefaults(Node& node, const NodeProto& proto) {
    if (node.is_foreign || node.attributes.empty()) return;
    const OpRow* row = FindOpRow(node.domain, node.op_type);
    std::erase_if(node.attributes, [&](const Attribute& attribute) {
      const bool was_there = std::ranges::any_of(
          proto.attributes, [&](const AttributeProto& other) { return other.name == attribute.name; });
      return !was_there && row != nullptr && IsDefault(*row, node, attribute);
    });
  }

  // Sorts the attributes into the order in which they were read; others come last. A hash table is only worth its cost
  // if there are many.
  static void SortAttributes(Node& node, const NodeProto& proto) {
    constexpr size_t kFew = 16;
    TextViewMap<size_t> places;
    if (proto.attributes.size() > kFew) {
      for (size_t i = 0; i < proto.attributes.size(); ++i) places.try_emplace(proto.attributes[i].name, i);
    }
    const auto place_of = [&](const Attribute& attribute) -> size_t {
      const auto place = places.find(attribute.name);
      if (place != places.end()) return place->second;
      if (!places.empty()) return proto.attributes.size();
      const auto found = std::ranges::find(proto.attributes, attribute.name, &AttributeProto::name);
      return static_cast<size_t>(found - proto.attributes.begin());
    };
    if (!std::ranges::is_sorted(node.attributes, {}, place_of)) {
      std::ranges::stable_sort(node.attributes, {}, place_of);
    }
  }

  // Removes steps of 1 from a slice that was read without steps.
  void DropSteps(Node& node, const NodeProto& proto) {
    if (node.op_type != "Slice" || node.inputs.size() != 5 || proto.inputs.size() > 4) return;
    const TensorData* steps = constants_[node.inputs[4]];
    if (steps == nullptr || steps->element_type != kInt64) return;
    const auto is_one = [](int64_t step) { return step == 1; };
    if (!std::ranges::all_of(steps->bytes.ToVector<int64_t>(), is_one)) return;
    node.inputs.pop_back();
    has_fewer_inputs_ = true;
  }

  static auto IsDefault(const OpRow& row, const Node& node, const Attribute& attribute) -> bool {
    const auto all = [&](int64_t number) {
      return std::ranges::all_of(attribute.ints, [&](int64_t value) { return value == number; });
    };
    if (attribute.name == "strides" || attribute.name == "dilations") return all(1);
    if (attribute.name == "pads" || attribute.name == "output_padding") return node.op_type != "Pad" && all(0);
    // It follows from the shape of the weight.
    if (attribute.name == "kernel_shape") return node.op_type == "Conv" || node.op_type == "ConvTranspose";
    if (attribute.name == "perm") return std::ranges::is_sorted(attribute.ints, std::ranges::greater());
    const auto declared = FindAttribute(row, attribute.name);
    if (!declared || declared->default_text.empty()) return false;
    const std::string text(declared->default_text);
    if (attribute.type == AttributeType::kInt) return attribute.i == std::strtoll(text.c_str(), nullptr, 10);
    if (attribute.type == AttributeType::kFloat) return attribute.f == std::strtof(text.c_str(), nullptr);
    return attribute.type == AttributeType::kString && attribute.s == text;
  }

  // Gives the value this name unless another value has it.
  void Give(Name value, std::string_view name) {
    if (name.empty()) return;
    Name& now = now_[value];
    const Name wanted = names_.Intern(name);
    if (now.empty() && used_.insert(wanted)) now = wanted;
  }

  // Returns a name for a node that no node has and that none of the model had.
  auto NewName(const std::string& name) -> std::string_view {
    if (given_.empty()) NoteGiven();
    const auto is_taken = [&](const std::string& text) { return given_.contains(text) || nodes_.contains(text); };
    std::string unique = name;
    if (is_taken(unique)) {
      // The numbers before this one are taken.
      size_t& next = next_number_.try_emplace(name, 1).first->second;
      while (is_taken(unique)) unique = name + "_" + std::to_string(next++);
    }
    return *nodes_.insert(names_.Keep(unique)).first;
  }
  void NoteGiven() {
    const auto model = interface_.model();
    if (model == nullptr) return;
    for (const GraphProto& graph : model->graphs) {
      for (const NodeProto& node : graph.nodes) given_.insert(node.name);
    }
  }

  // Renames a value whose name has been given to another value, or to one inside of a graph, which would hide it.
  void Separate(Name& name) {
    const Name old = name;
    for (size_t i = 1; inner_.contains(name) || used_.contains(name); ++i) {
      name = names_.Intern(fmt::format("{}_{}", old.text(), i));
    }
    used_.insert(name);
    if (name != old) now_[old] = name;
  }

  // Constants without names are numbered by themselves, so that those which get names at the next round leave no gaps.
  void Number(Name& name) {
    const Name old = name;
    do {
      name = names_.Intern(fmt::format("c{}", next_constant_++));
    } while (inner_.contains(name) || used_.contains(name));
    used_.insert(name);
    if (name != old) now_[old] = name;
  }

  void Rename(Name& name) const {
    if (const Name now = now_[name]; !now.empty()) name = now;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void Replace(Graph& graph) {
    if (&graph != &main_) {
      for (ValueType& input : graph.inputs) Rename(input.name);
    }
    for (Node& node : graph.nodes) {
      for (Name& input : node.inputs) Rename(input);
      for (Name& capture : node.captures) Rename(capture);
      for (Name& output : node.outputs) {
        if (const Name now = now_[output]; !now.empty()) {
          output = now;
        } else if (!output.empty() && !kept_.contains(output)) {
          Separate(output);
        }
      }
      for (Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) Replace(*attribute.graph);
      }
    }
    for (ValueType& output : graph.outputs) {
      if (&graph != &main_) Rename(output.name);
    }
    for (ValueType& value : graph.values) Rename(value.name);
  }

  Graph& main_;
  NameTable& names_;
  const Context& context_;
  const OnnxInterface& interface_;
  // Names of values that are taken, and those among them that outputs have.
  NameSet used_;
  NameSet kept_;
  // Names of values inside of graphs of the model that was read.
  NameSet inner_;
  NameMap<const TensorData*> constants_;
  // Initializers without a name of their own.
  NameSet changed_;
  // New names of nodes, and in the end all; and those of the nodes of the model that was read, once one is needed.
  TextViewSet nodes_;
  TextViewSet given_;
  // The next number to try after a name of a node.
  TextMap<size_t> next_number_;
  absl::flat_hash_set<StringId> sources_;
  // New names of values by those before.
  NameMap<Name> now_;
  // Whether several nodes come from one node of the model.
  bool has_additions_ = false;
  // Whether a node has fewer inputs than before.
  bool has_fewer_inputs_ = false;
  size_t next_constant_ = 0;
  // Initializers, and the names of the inputs of the original model that they replace.
  std::vector<std::pair<Name, std::string_view>> wanted_;
};

// The names of values that a node uses, those that graphs in its attributes take from around them included.
// NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
void AddUses(const Node& node, std::vector<Name>& uses) {
  uses.insert(uses.end(), node.inputs.begin(), node.inputs.end());
  uses.insert(uses.end(), node.captures.begin(), node.captures.end());
  for (const Attribute& attribute : node.attributes) {
    if (attribute.graph == nullptr) continue;
    for (const Node& inner : attribute.graph->nodes) AddUses(inner, uses);
    for (const ValueType& output : attribute.graph->outputs) uses.push_back(output.name);
  }
}

// Positions in the file of the nodes that computed outputs which are copies now.
class OutputPositions {
 public:
  OutputPositions(const Graph& graph, const OnnxInterface& interface) {
    const auto model = interface.model();
    if (model == nullptr || std::ranges::none_of(graph.nodes, IsCopy)) return;
    TextViewSet outputs;
    for (const ValueType& output : graph.outputs) outputs.insert(output.name.text());
    for (const NodeProto& proto : model->graph->nodes) {
      for (const std::string_view output : proto.outputs) {
        if (outputs.contains(output)) positions_[output] = proto.offset;
      }
    }
  }
  auto Find(const Node& node) const -> std::optional<size_t> {
    const auto found = IsCopy(node) ? positions_.find(node.outputs[0].text()) : positions_.end();
    return found == positions_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  TextViewMap<size_t> positions_;
};

}  // namespace

// The key of a node of the model is its position in the file, that of a copy that is an output the position of the node
// that computed this output, that of any other node the greatest key it uses. Of the nodes whose operands exist, the
// one with the least key comes next.
void SortNodes(Graph& graph, const OnnxInterface& interface) {
  using Key = std::pair<size_t, size_t>;
  const size_t count = graph.nodes.size();
  std::vector<Key> keys(count);
  bool are_of_model = true;
  for (size_t i = 0; i < count && are_of_model; ++i) {
    const Node& node = graph.nodes[i];
    const NodeProto* proto = node.source ? interface.FindNode(node.source) : nullptr;
    are_of_model = proto != nullptr;
    if (proto != nullptr) keys[i] = {proto->offset, i};
  }
  // Nodes are written after their operands, so that those in the order of their keys stay where they are.
  if (are_of_model && std::ranges::is_sorted(keys)) return;
  // The places of the nodes that make values, counted from 1.
  NameMap<size_t> makers;
  std::vector<size_t> missing(count);
  std::vector<std::vector<size_t>> users(count);
  const OutputPositions positions(graph, interface);
  std::vector<Name> uses;
  for (size_t i = 0; i < count; ++i) {
    const Node& node = graph.nodes[i];
    uses.clear();
    AddUses(node, uses);
    size_t latest = 0;
    for (const Name use : uses) {
      if (makers[use] == 0) continue;
      const size_t maker = makers[use] - 1;
      latest = std::max(latest, keys[maker].first);
      users[maker].push_back(i);
      ++missing[i];
    }
    const NodeProto* proto = node.source ? interface.FindNode(node.source) : nullptr;
    keys[i] = {proto != nullptr ? proto->offset : positions.Find(node).value_or(latest), i};
    for (const Name output : node.outputs) {
      if (!output.empty()) makers[output] = i + 1;
    }
  }
  if (std::ranges::is_sorted(keys)) return;
  std::priority_queue<Key, std::vector<Key>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i) {
    if (missing[i] == 0) ready.push(keys[i]);
  }
  std::vector<Node> sorted;
  sorted.reserve(count);
  while (!ready.empty()) {
    const size_t next = ready.top().second;
    ready.pop();
    for (const size_t user : users[next]) {
      if (--missing[user] == 0) ready.push(keys[user]);
    }
    sorted.push_back(std::move(graph.nodes[next]));
  }
  graph.nodes = std::move(sorted);
}

auto NameNodes(Graph& graph, NameTable& names, const Context& context, const OnnxInterface& interface) -> bool {
  return Naming(graph, names, context, interface).Run();
}

}  // namespace relayopt::onnx::out
