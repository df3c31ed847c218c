// Facts about the values of a graph, collected while its nodes are visited in order.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model.h"
#include "relayopt/support/text_tables.h"

namespace relayopt::onnx::out {

auto AttributeOf(const Node& node, std::string_view name) -> const Attribute*;
auto IntOf(const Node& node, std::string_view name, int64_t missing) -> int64_t;

// The nodes that make values, the numbers of constants, and extents, as far as types or nodes determine them.
class KnownValues {
 public:
  // Extents; those that are not known have no value.
  using Extents = absl::InlinedVector<std::optional<int64_t>, 4>;

  // `opset` is the version of the operators that is written.
  KnownValues(Graph& main, NameTable& names, int64_t opset);
  auto opset() const -> int64_t { return opset_; }

  void NoteTypes(const std::vector<ValueType>& values);
  // Records a node. Nodes are recorded in the order of the graph, and must keep their addresses.
  void NoteNode(const Node& node);
  // The same for a node that is written in the form of the model, about which only extents are recorded.
  void NoteForeign(const Node& node);

  // Returns the node of this operator that makes a value, or null if another one or none does.
  auto Maker(Name value, std::string_view op_type) const -> const Node*;
  auto ConstantOf(Name value) const -> const TensorData*;
  // Whether a constant is small enough for its elements to be looked at.
  static auto IsSmall(const TensorData& tensor) -> bool;
  // Returns the elements of a small constant: integers of 64 or 32 bits, or truth values.
  auto NumbersOf(Name value) const -> std::optional<std::vector<int64_t>>;
  // Whether the value is a constant of integers that all equal `number`.
  auto IsAll(Name value, int64_t number) const -> bool;
  // Whether the value is a constant of any type whose bytes are all 0.
  auto IsZero(Name value) const -> bool;

  // Returns null if not even the rank is known.
  auto ExtentsOf(Name value) const -> const Extents*;
  // Returns all extents, or nothing if one is not known.
  auto ShapeOf(Name value) const -> std::optional<std::vector<int64_t>>;
  auto RankOf(Name value) const -> std::optional<size_t>;

  // Returns kUndefined if it is not known.
  auto ElementTypeOf(Name value) const -> int32_t;

  // Returns the initializer with these elements.
  auto AddConstant(TensorData tensor) -> Name;
  auto AddList(std::span<const int64_t> numbers) -> Name;
  // Returns a name for the output of an auxiliary node. Like the writer's names it is later replaced by a number.
  auto NewName() -> Name { return NewName("v", next_value_); }

  // Returns the outputs of an earlier node that computes the same, in this graph or one around it, or the outputs of
  // `node` if there is none. Only for nodes without graphs.
  auto FirstOf(const Node& node) -> const Names&;
  // Returns the output of an earlier node that computes the same, or nothing if there is none.
  auto Find(const Node& node) const -> std::optional<Name>;
  // Enters and leaves a graph inside of the current one. Its values are not visible outside.
  void Enter() { scopes_.push_back(made_.size()); }
  void Leave();

 private:
  static auto KeyOf(const TensorData& tensor) -> std::string;
  static auto KeyOf(const Node& node) -> std::string;
  void NoteTopK(const Node& node);
  void NoteExtents(Name value, const Extents& extents);
  auto InferExtents(const Node& node) const -> std::optional<Extents>;
  static void Broadcast(const Extents& shape, Extents& result);
  static auto ProductExtents(const Extents& left, const Extents& right) -> Extents;
  auto BroadcastExtents(const Node& node) const -> std::optional<Extents>;
  auto ExtentsInShape(Name value) const -> std::optional<Extents>;
  auto MovedExtents(const Node& node) const -> std::optional<Extents>;
  auto ListedExtents(Name shape, bool zero_is_extent) const -> std::optional<Extents>;

  struct Known {
    int32_t element_type = kUndefined;
    std::optional<Extents> extents = {};
    // The index of the initializer that it is.
    std::optional<size_t> constant = {};
    // The node that makes it.
    const Node* maker = nullptr;

    auto is_empty() const -> bool { return maker == nullptr && !constant && !extents; }
  };
  // Returns a name that is followed by a number and that no value has.
  auto NewName(std::string_view letter, uint64_t& next) -> Name;
  void NoteConstant(size_t initializer);

  Graph& main_;
  NameTable& names_;
  int64_t opset_;
  TextMap<Name> by_bytes_;
  NameMap<Known> values_;
  // The outputs of nodes, keyed by what they compute. `made_` lists the keys in order.
  TextMap<Names> first_;
  std::vector<std::string> made_;
  std::vector<size_t> scopes_;
  uint64_t next_constant_ = 0;
  // Larger than any number that a writer uses.
  uint64_t next_value_ = uint64_t{1} << 40;
};

// -- rules about positions, axes and extents, which are integers (index_rules.cpp) --

// Replaces the operands of a node by simpler ones.
void SimplifyIndices(Node& node, KnownValues& known);
// Returns an existing value that equals the only output of a node, or nothing if there is none.
auto SameIndices(const Node& node, KnownValues& known) -> std::optional<Name>;

// -- rules about parts of tensors (slice_rules.cpp) --

void SimplifySlice(Node& node, KnownValues& known);
auto SameAsSlice(const Node& node, const KnownValues& known) -> std::optional<Name>;

// -- rules about values that a single node uses (single_uses.cpp) --

// Joins nodes of the main graph, and of graphs in it, of which one is only there for the other. There are no unused
// nodes yet. Returns false if there is nothing to join.
auto JoinSingleUses(Graph& main, NameTable& names, int64_t opset) -> bool;

// -- rules about quantized tensors (quantized_rules.cpp) --

// Replaces a product of widened bytes by a product of bytes.
void SimplifyProduct(Node& node, KnownValues& known);
// Quantization by the extremes of a tensor itself. `quantize`, `scale` and `point` are the nodes that make its three
// results: where they spell it out, `scale` becomes the node that makes them all and nothing needs the others.
void RestoreDynamicQuantization(Node& quantize, Node& scale, Node& point, KnownValues& known);

// Also in index_rules.cpp: whether `value` is the shape of `data`, or its first `length` extents.
auto IsShapeOf(const KnownValues& known, Name value, Name data, std::optional<size_t> length = {}) -> bool;
// A value that counts negative positions from the end, where(y < 0, y + extent, y): y and the extent.
struct CountedFromEnd {
  Name place;
  Name extent;
};
auto ReadFromEnd(const KnownValues& known, Name value) -> std::optional<CountedFromEnd>;

}  // namespace relayopt::onnx::out
