// Writes object graphs as JSON, among them the `#[metadata]` section.
#include "metadata_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/relay/text/printer/printer_literals.h"
#include "metadata_nodes.h"
#include "metadata_tensors.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/support/base64.h"

namespace relayopt {

namespace {

// The graph with a number for every node, in the order in which TVM finds them: depth first, a node before
// its children.
class NodeTable {
 public:
  NodeTable(GraphSource& source, const NodeRef& root) : source_(source) {
    struct Pending {
      NodeRef ref;
      // The offset at which the number is written.
      uint32_t slot;
    };
    std::vector<Pending> work;
    nodes_.push_back({});
    Number(root);
    for (uint32_t node = 1;;) {
      const uint32_t first = nodes_[node].first_child;
      const std::vector<NodeRef> children = ChildrenOf(nodes_[node].ref);
      children_.resize(first + children.size());
      for (size_t i = children.size(); i-- != 0;) {
        if (children[i].kind != NodeRef::Kind::kNull) work.push_back({children[i], first + static_cast<uint32_t>(i)});
      }
      bool found_new = false;
      while (!work.empty() && !found_new) {
        const Pending next = work.back();
        work.pop_back();
        const auto known = next.ref.is_shared() ? numbers_.find(next.ref) : numbers_.end();
        found_new = known == numbers_.end();
        node = found_new ? Number(next.ref) : known->second;
        children_[next.slot] = node;
      }
      if (!found_new) break;
    }
  }

  auto size() const -> uint32_t { return static_cast<uint32_t>(nodes_.size()); }
  auto ref(uint32_t node) const -> const NodeRef& { return nodes_[node].ref; }
  // Returns the number of the i-th child of a node; 0 is the null object.
  auto child(uint32_t node, uint32_t i) const -> uint32_t { return children_[nodes_[node].first_child + i]; }

 private:
  struct Node {
    NodeRef ref;
    uint32_t first_child = 0;
  };

  class Collector final : public NodeVisitor {
   public:
    void TypeKey(std::string_view) override {}
    void Bytes(std::string_view) override {}
    void Literal(std::string_view, std::string_view) override {}
    void Child(std::string_view, const NodeRef& child) override { children.push_back(child); }
    void Item(const NodeRef& child) override { children.push_back(child); }
    void Key(std::string_view) override {}
    void Tensor(std::string_view, ConstantId) override {}

    std::vector<NodeRef> children;
  };

  auto ChildrenOf(const NodeRef& ref) const -> std::vector<NodeRef> {
    Collector collector;
    source_.Describe(ref, collector);
    return std::move(collector.children);
  }

  // Numbers a node. The children of nodes are stored in the order of these numbers, because the children of a node are
  // known before the next node is numbered.
  auto Number(const NodeRef& ref) -> uint32_t {
    const uint32_t number = size();
    nodes_.push_back({ref, static_cast<uint32_t>(children_.size())});
    if (ref.is_shared()) numbers_.emplace(ref, number);
    return number;
  }

  GraphSource& source_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> children_;
  absl::flat_hash_map<NodeRef, uint32_t> numbers_;
};

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default: out += c;
    }
  }
  out += '"';
}

// Writes the nodes one by one in TVM's layout: a space after the comma at a line's end, and single-entry
// objects and short lists of numbers on one line.
class NodeWriter final : public NodeVisitor {
 public:
  NodeWriter(const Context& context, const NodeTable& table, TextBuffer& buffer)
      : context_(context), table_(table), buffer_(buffer), out_(buffer.text()) {}

  void Begin(uint32_t node) {
    node_ = node;
    next_child_ = 0;
    type_key_ = {};
    bytes_ = {};
    keys_.clear();
    items_.clear();
    fields_.clear();
  }

  void TypeKey(std::string_view key) override { type_key_ = key; }
  void Bytes(std::string_view bytes) override { bytes_ = bytes; }
  void Literal(std::string_view field, std::string_view value) override {
    fields_.emplace_back(field, std::string(value));
  }
  void Child(std::string_view field, const NodeRef&) override {
    fields_.emplace_back(field, std::to_string(table_.child(node_, next_child_++)));
  }
  void Item(const NodeRef&) override { items_.push_back(table_.child(node_, next_child_++)); }
  void Key(std::string_view key) override { keys_.push_back(key); }
  void Tensor(std::string_view field, ConstantId constant) override {
    // Constants may share their elements; the address is only compared.
    const Constant& value = context_.constant(constant);
    const auto encoded = value.encoded();
    const ElementBytes elements = encoded ? ElementBytes() : value.Elements();
    const bool is_shared = !encoded && !elements.empty() && !elements.is_view();
    const void* data = encoded     ? static_cast<const void*>(encoded->data())
                       : is_shared ? static_cast<const void*>(elements.data())
                                   : static_cast<const void*>(&value);
    const auto [entry, is_new] = tensor_at_.try_emplace(data, tensors_.size());
    if (is_new) tensors_.push_back(constant);
    fields_.emplace_back(field, std::to_string(entry->second));
  }

  void End() {
    out_ += "    {\n      \"type_key\": ";
    AppendJsonString(out_, type_key_);
    AppendBytes();
    AppendFields();
    AppendKeys();
    AppendItems();
    out_ += "\n    }";
    buffer_.Flow();
  }

  // One constant for each tensor of the nodes written so far.
  auto tensors() const -> const std::vector<ConstantId>& { return tensors_; }

 private:
  static auto IsPrintable(std::string_view text) -> bool {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  }

  void BeginMember(std::string_view name) {
    out_ += ", \n      \"";
    out_ += name;
    out_ += "\": ";
  }

  void AppendBytes() {
    if (bytes_.empty()) return;
    if (IsPrintable(bytes_)) {
      BeginMember("repr_str");
      AppendJsonString(out_, bytes_);
      return;
    }
    std::string record;
    for (uint64_t size = bytes_.size(), i = 0; i < 8; ++i, size >>= 8) record += static_cast<char>(size & 0xff);
    record += bytes_;
    BeginMember("repr_b64");
    out_ += '"' + EncodeBase64(record) + '"';
  }

  void AppendFields() {
    if (fields_.empty()) return;
    BeginMember("attrs");
    std::sort(fields_.begin(), fields_.end());
    const bool multi_line = fields_.size() > 1;
    out_ += '{';
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (i != 0) out_ += ", ";
      if (multi_line) out_ += "\n        ";
      AppendJsonString(out_, fields_[i].first);
      out_ += ": ";
      AppendJsonString(out_, fields_[i].second);
    }
    out_ += multi_line ? "\n      }" : "}";
  }

  void AppendKeys() {
    if (keys_.empty()) return;
    BeginMember("keys");
    out_ += '[';
    for (size_t i = 0; i < keys_.size(); ++i) {
      out_ += i == 0 ? "\n        " : ", \n        ";
      AppendJsonString(out_, keys_[i]);
      buffer_.Flow();
    }
    out_ += "\n      ]";
  }

  void AppendItems() {
    constexpr size_t kLongestLine = 10;
    if (items_.empty()) return;
    BeginMember("data");
    const bool multi_line = items_.size() > kLongestLine;
    out_ += '[';
    for (size_t i = 0; i < items_.size(); ++i) {
      if (i != 0) out_ += ", ";
      if (multi_line) out_ += "\n        ";
      AppendInt(out_, items_[i]);
      buffer_.Flow();
    }
    out_ += multi_line ? "\n      ]" : "]";
  }

  const Context& context_;
  const NodeTable& table_;
  TextBuffer& buffer_;
  std::string& out_;
  uint32_t node_ = 0;
  uint32_t next_child_ = 0;
  std::string_view type_key_;
  std::string_view bytes_;
  std::vector<std::pair<std::string_view, std::string>> fields_;
  std::vector<std::string_view> keys_;
  std::vector<uint32_t> items_;
  std::vector<ConstantId> tensors_;
  absl::flat_hash_map<const void*, size_t> tensor_at_;
};

void WriteTensor(const Constant& constant, TextBuffer& buffer) {
  buffer.text() += "    \"";
  if (const auto encoded = constant.encoded()) {
    buffer.WriteThrough(*encoded);
  } else {
    // Whole groups of three bytes, so that the encoded chunks can be concatenated.
    constexpr size_t kPiece = 3 << 14;
    const std::string record = EncodeRecord(constant);
    for (size_t at = 0; at < record.size(); at += kPiece) {
      buffer.text() += EncodeBase64(std::string_view(record).substr(at, kPiece));
      buffer.Flow();
    }
  }
  buffer.text() += '"';
}

// Writes the placeholder for a tensor that is left out.
void WritePlaceholder(const Constant& constant, TextBuffer& buffer) {
  std::string& out = buffer.text();
  out += "    \"";
  out += kElidedTensor;
  out += TensorTypeText(constant);
  out += '"';
}

// Assigns names to the tensors that are written to a file instead of the text.
class ExternalNames {
 public:
  ExternalNames(const Context& context, std::vector<ExternalConstant>& constants)
      : names_(context.Part<ConstantNames>()), constants_(constants) {
    for (const ExternalConstant& constant : constants) taken_.insert(constant.name);
  }

  void Write(const Context& context, ConstantId id, TextBuffer& buffer) {
    std::string name = names_.Find(id).value_or("");
    // Two constants may come from one parameter.
    while (name.empty() || !taken_.insert(name).second) name = fmt::format("constant_{}", next_++);
    std::string& out = buffer.text();
    out += "    ";
    AppendJsonString(out, fmt::format("{}{} {}", kExternalTensor, TensorTypeText(context.constant(id)), name));
    constants_.push_back({std::move(name), id});
  }

 private:
  const ConstantNames& names_;
  std::vector<ExternalConstant>& constants_;
  absl::flat_hash_set<std::string> taken_;
  size_t next_ = 0;
};

class MetadataSource final : public GraphSource {
 public:
  MetadataSource(const Context& context, MetaIndex& meta) : context_(context), meta_(meta) {}

  void Describe(const NodeRef& ref, NodeVisitor& visitor) override { DescribeNode(context_, meta_, ref, visitor); }

 private:
  const Context& context_;
  MetaIndex& meta_;
};

auto Write(const Context& context, GraphSource& source, const NodeRef& root, const PrintOptions& options,
           TextBuffer& buffer) -> size_t {
  std::string& out = buffer.text();
  const NodeTable table(source, root);
  out += "{\n  \"root\": 1, \n  \"nodes\": [\n    {\n      \"type_key\": \"\"\n    }";
  NodeWriter writer(context, table, buffer);
  for (uint32_t node = 1; node < table.size(); ++node) {
    out += ", \n";
    writer.Begin(node);
    source.Describe(table.ref(node), writer);
    writer.End();
  }
  out += "\n  ], \n  \"b64ndarrays\": [";
  std::optional<ExternalNames> external;
  if (options.external_constants != nullptr) external.emplace(context, *options.external_constants);
  size_t left_out = 0;
  for (size_t i = 0; i < writer.tensors().size(); ++i) {
    out += i == 0 ? "\n" : ", \n";
    const ConstantId id = writer.tensors()[i];
    const Constant& constant = context.constant(id);
    const auto& largest = options.elide_constants_if_larger;
    if (external) {
      external->Write(context, id, buffer);
    } else if (largest && constant.num_elements() > *largest) {
      WritePlaceholder(constant, buffer);
    } else {
      WriteTensor(constant, buffer);
      continue;
    }
    ++left_out;
  }
  out += writer.tensors().empty() ? "]" : "\n  ]";
  out += ", \n  \"attrs\": {\"tvm_version\": \"0.15.0\"}\n}";
  buffer.Flow();
  return left_out;
}

}  // namespace

auto WriteMetadata(const Context& context, MetaIndex& meta, const PrintOptions& options, TextBuffer& buffer) -> size_t {
  MetadataSource source(context, meta);
  return Write(context, source, {NodeRef::Kind::kRoot}, options, buffer);
}

auto WriteObjectGraph(const Context& context, GraphSource& source, const NodeRef& root, const PrintOptions& options,
                      TextSink& sink) -> size_t {
  TextBuffer buffer(sink);
  const size_t left_out = Write(context, source, root, options, buffer);
  buffer.Flush();
  return left_out;
}

}  // namespace relayopt
