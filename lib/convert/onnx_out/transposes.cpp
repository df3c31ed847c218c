// Matrices that are there twice, once transposed.
//
//   Gemm<transB=1>(x, t), MatMul(y, w), t = w transposed   =>   Gemm(x, w), MatMul(y, w)
//   MatMul(x, t), MatMul(y, w)                             =>   t = Transpose(w), if it was a node of the model
//
// Passes transpose constants because operators of Relay want them so. Where the matrix itself stays, too, that would
// write its elements twice.
#include <algorithm>
#include <cstring>

#include "known_values.h"
#include "lib/convert/onnx/model_proto.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

namespace {

// The most bytes of a matrix that is written twice rather than transposed by a node.
constexpr size_t kMostCopied = 1024;

// The number of matrices with the same extents and diagonal that each matrix is compared with at most, which limits the
// work if many are similar.
constexpr size_t kMostAlike = 8;

// A use of a value as an operand of a node.
struct Use {
  Node* node;
  size_t operand;
};

// Whether the node multiplies by a matrix and can take its transpose as well.
auto CanTranspose(const Use& use) -> bool {
  return use.node->op_type == "Gemm" && use.node->domain.empty() && use.operand < 2;
}

void Transpose(const Use& use) {
  const std::string_view name = use.operand == 0 ? "transA" : "transB";
  Attributes& attributes = use.node->attributes;
  const bool is_transposed = IntOf(*use.node, name, 0) != 0;
  std::erase_if(attributes, [&](const Attribute& attribute) { return attribute.name == name; });
  if (is_transposed) return;
  attributes.insert(std::ranges::lower_bound(attributes, name, {}, &Attribute::name), Int(name, 1));
}

class SharedMatrices {
 public:
  SharedMatrices(Graph& main, NameTable& names, const OnnxInterface& interface)
      : main_(main), names_(names), interface_(interface) {}

  void Run() {
    if (!HasAlike()) return;
    if (const auto model = interface_.model()) {
      for (const TensorProto& tensor : model->graph->initializers) weights_[tensor.name] = &tensor;
      for (const NodeProto& node : model->graph->nodes) {
        if (node.op_type != "Transpose" || node.inputs.size() != 1 || node.outputs.size() != 1) continue;
        computed_[node.outputs[0]] = &node;
        transposed_[node.inputs[0]] = &node;
      }
    }
    NoteUses(main_, true);
    for (const ValueType& output : main_.outputs) others_.insert(output.name);
    TextMap<std::vector<size_t>> alike;
    for (size_t i = 0; i < main_.initializers.size(); ++i) {
      const TensorData& matrix = main_.initializers[i];
      const bool is_used = uses_.contains(matrix.name) || others_.contains(matrix.name);
      if (!is_used || !IsMatrix(matrix)) continue;
      std::vector<size_t>& places = alike[KeyOf(matrix)];
      const auto first =
          std::ranges::find_if(places, [&](size_t place) { return IsTranspose(main_.initializers[place], matrix); });
      if (first == places.end()) {
        if (places.size() < kMostAlike) places.push_back(i);
      } else if (!ByProducts(i, *first) && !ByProducts(*first, i) && !ByNode(i, *first)) {
        ByNode(*first, i);
      }
    }
    std::erase_if(main_.initializers, [&](const TensorData& tensor) { return gone_.contains(tensor.name); });
    // Graphs inside of nodes may use the results, too.
    main_.nodes.insert(main_.nodes.begin(), made_.begin(), made_.end());
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
  void NoteUses(Graph& graph, bool is_main) {
    for (Node& node : graph.nodes) {
      for (size_t i = 0; i < node.inputs.size(); ++i) uses_[node.inputs[i]].push_back({&node, i});
      for (const Name capture : node.captures) others_.insert(capture);
      for (Attribute& attribute : node.attributes) {
        if (attribute.graph != nullptr) NoteUses(*attribute.graph, false);
      }
    }
    if (is_main) return;
    for (const ValueType& output : graph.outputs) others_.insert(output.name);
  }

  static auto SizeOf(const TensorData& matrix) -> size_t {
    return matrix.bytes.size() / static_cast<size_t>(matrix.dims[0] * matrix.dims[1]);
  }

  // Whether some initializers may be transposes of each other.
  auto HasAlike() const -> bool {
    TextSet keys;
    return std::ranges::any_of(main_.initializers, [&](const TensorData& tensor) {
      return IsMatrix(tensor) && !keys.insert(KeyOf(tensor)).second;
    });
  }

  static auto IsMatrix(const TensorData& tensor) -> bool { return tensor.dims.size() == 2 && !tensor.bytes.empty(); }

  // The same text for a matrix and its transpose: the type, the extents and some elements of the diagonal.
  static auto KeyOf(const TensorData& matrix) -> std::string {
    const auto [least, most] = std::minmax(matrix.dims[0], matrix.dims[1]);
    std::string key = std::to_string(matrix.element_type) + "," + std::to_string(least) + "," + std::to_string(most);
    const size_t size = SizeOf(matrix);
    constexpr int64_t kSamples = 8;
    for (int64_t i = 0; i < std::min(least, kSamples); ++i) {
      const auto at = static_cast<size_t>(i * matrix.dims[1] + i);
      key += matrix.bytes.text().substr(at * size, size);
    }
    return key;
  }

  // In blocks, so that both matrices are read in parts that stay in the cache.
  static auto IsTranspose(const TensorData& a, const TensorData& b) -> bool {
    const size_t rows = static_cast<size_t>(a.dims[0]);
    const size_t columns = static_cast<size_t>(a.dims[1]);
    if (a.dims[0] != b.dims[1] || a.dims[1] != b.dims[0] || a.bytes.size() != b.bytes.size()) return false;
    const size_t size = SizeOf(a);
    constexpr size_t kBlock = 32;
    for (size_t row = 0; row < rows; row += kBlock) {
      for (size_t column = 0; column < columns; column += kBlock) {
        for (size_t i = row; i < std::min(row + kBlock, rows); ++i) {
          for (size_t j = column; j < std::min(column + kBlock, columns); ++j) {
            const std::byte* element = a.bytes.data() + (i * columns + j) * size;
            if (std::memcmp(element, b.bytes.data() + (j * rows + i) * size, size) != 0) return false;
          }
        }
      }
    }
    return true;
  }

  // Lets the products that use a matrix take the other one, its transpose. Returns false if they cannot. A name of the
  // model stays.
  auto ByProducts(size_t gone_place, size_t stays_place) -> bool {
    TensorData& gone = main_.initializers[gone_place];
    TensorData& stays = main_.initializers[stays_place];
    const auto found = uses_.find(gone.name);
    if (others_.contains(gone.name) || found == uses_.end() || !std::ranges::all_of(found->second, CanTranspose)) {
      return false;
    }
    if (IsWeight(gone) && (IsWeight(stays) || others_.contains(stays.name))) return false;
    std::ranges::for_each(found->second, Transpose);
    if (!IsWeight(gone)) {
      gone_.insert(gone.name);
      Redirect(gone.name, stays.name);
      return true;
    }
    Redirect(stays.name, gone.name);
    gone_.insert(stays.name);
    gone.dims = stays.dims;
    gone.bytes = stays.bytes;
    return true;
  }

  // Replaces a matrix by a node, the one that computed it in the model that was read.
  auto ByNode(size_t gone_place, size_t stays_place) -> bool {
    const TensorData& gone = main_.initializers[gone_place];
    const NodeProto* proto = ComputedBy(gone);
    if (proto == nullptr || others_.contains(gone.name) || gone.bytes.size() <= kMostCopied) return false;
    Node& node = made_.emplace_back();
    node.op_type = "Transpose";
    node.inputs = {main_.initializers[stays_place].name};
    // Values without a name of their own are numbered later.
    const Name result = names_.Intern(proto->outputs[0]);
    const bool is_free = gone.name == result || (!uses_.contains(result) && !others_.contains(result));
    node.outputs = {is_free ? result : names_.Numbered(kFirstName + made_.size())};
    node.attributes = {Ints("perm", std::vector<int64_t>{1, 0})};
    node.name = proto->name;
    node.source = gone.source;
    Redirect(gone.name, node.outputs[0]);
    gone_.insert(gone.name);
    return true;
  }

  // Returns the node of the model that transposed a matrix, or null.
  auto ComputedBy(const TensorData& matrix) const -> const NodeProto* {
    if (matrix.is_named) {
      const auto found = computed_.find(matrix.name.text());
      return found == computed_.end() ? nullptr : found->second;
    }
    if (!matrix.source) {
      // The matrix was computed from the weight or from its transpose; the elements of the weight decide.
      const auto before = transposed_.find(matrix.base);
      const auto after = computed_.find(matrix.base);
      if (before == transposed_.end() && after == computed_.end()) return nullptr;
      const NodeProto* transpose = before == transposed_.end() ? after->second : before->second;
      const auto weight = weights_.find(transpose->inputs[0]);
      const bool is_weight = weight == weights_.end() || !weight->second->raw ||
                             (weight->second->dims == matrix.dims && *weight->second->raw == matrix.bytes.text());
      return is_weight ? nullptr : transpose;
    }
    const NodeProto* proto = interface_.FindNode(matrix.source);
    return proto != nullptr && proto->op_type == "Transpose" ? proto : nullptr;
  }
  auto IsWeight(const TensorData& matrix) const -> bool { return matrix.is_named && ComputedBy(matrix) == nullptr; }

  void Redirect(Name from, Name to) {
    const std::vector<Use> uses = std::move(uses_[from]);
    uses_.erase(from);
    for (const Use& use : uses) use.node->inputs[use.operand] = to;
    std::vector<Use>& all = uses_[to];
    all.insert(all.end(), uses.begin(), uses.end());
  }

  // Larger than any number that the writer uses.
  static constexpr uint64_t kFirstName = uint64_t{1} << 41;

  Graph& main_;
  NameTable& names_;
  const OnnxInterface& interface_;
  absl::flat_hash_map<Name, std::vector<Use>> uses_;
  // Values that are not only used as operands.
  NameSet others_;
  // The nodes of the model that transpose, by their results and by what they transpose.
  TextViewMap<const NodeProto*> computed_;
  TextViewMap<const NodeProto*> transposed_;
  // The initializers of the model.
  TextViewMap<const TensorProto*> weights_;
  // Initializers that have been replaced.
  NameSet gone_;
  std::vector<Node> made_;
};

}  // namespace

void ShareTransposes(Graph& graph, NameTable& names, const OnnxInterface& interface) {
  SharedMatrices(graph, names, interface).Run();
}

}  // namespace relayopt::onnx::out
