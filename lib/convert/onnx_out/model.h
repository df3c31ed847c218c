// A model that is being written: the messages of an ONNX file, as far as they are used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/convert/onnx/model_proto.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/core/constant.h"
#include "relayopt/support/ids.h"
#include "value_names.h"

namespace relayopt::onnx::out {

// An extent: a number, a name, or neither.
struct Extent {
  std::optional<int64_t> value;
  Name symbol;

  auto operator==(const Extent&) const -> bool = default;
};

// Most tensors have no more axes.
using ExtentList = absl::InlinedVector<Extent, 4>;

struct TensorData {
  Name name;
  int32_t element_type = kUndefined;
  std::vector<int64_t> dims;
  ElementBytes bytes;
  // The whole message, for elements that have no field here.
  std::string_view message = {};
  // Whether the name was given by the user.
  bool is_named = false;
  // Of others: the span source of the call that computed it, and the name of the initializer it was computed from.
  StringId source = {};
  std::string base = {};
};

struct ValueType {
  Name name;
  int32_t element_type = kUndefined;
  ExtentList shape;
  // The whole message, when it is that of a model that was read; then it alone counts, besides the name.
  std::string_view message = {};
};

struct Graph;

struct Attribute {
  std::string name;
  AttributeType type = AttributeType::kUndefined;
  int64_t i = 0;
  float f = 0;
  std::string s;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::shared_ptr<Graph> graph;
  std::vector<std::string> strings;
  // The whole message, for values that have no field here: tensors, and graphs that were not read.
  std::string message = {};
};
using Attributes = std::vector<Attribute>;

auto Int(std::string_view name, int64_t value) -> Attribute;
auto Float(std::string_view name, double value) -> Attribute;
auto String(std::string_view name, std::string_view value) -> Attribute;
auto Ints(std::string_view name, std::span<const int64_t> values) -> Attribute;
auto Branch(std::string_view name, Graph graph) -> Attribute;

// Texts are those of tables, of the context, of the model that was read, or kept by the table of names.
struct Node {
  std::string_view op_type;
  Names inputs;
  Names outputs;
  // Sorted by name, except in foreign nodes.
  Attributes attributes;
  // Empty for ai.onnx.
  std::string_view domain = {};
  std::string_view overload = {};
  std::string_view name = {};
  // Whether it is a call of a foreign operator, which may be written in any version.
  bool is_foreign = false;
  // The span source of the call that it implements.
  StringId source = {};
  // For graphs in messages: the names that they take from outside, and the current values of these names.
  std::vector<std::string_view> capture_names = {};
  Names captures = {};
  std::string_view doc = {};
  // Messages of metadata_props.
  std::vector<std::string_view> metadata = {};
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<ValueType> inputs;
  std::vector<ValueType> outputs;
  // The types of the nodes' outputs.
  std::vector<ValueType> values;
  std::string doc = {};
  // Messages of quantization_annotation and metadata_props.
  std::vector<std::string> annotations = {};
  std::vector<std::string> props = {};
};

struct Model {
  // The texts of the names in the graph.
  std::shared_ptr<NameTable> names;
  int64_t opset = 0;
  // The operator that cannot be written in the version that was asked for, if it is known.
  std::string needs = {};
  // At least the version that the operators need.
  int64_t ir_version = 0;
  std::string producer = "relayopt";
  std::string producer_version;
  std::string domain = {};
  int64_t version = 0;
  std::string doc = {};
  // Domains other than ai.onnx, with their versions.
  std::vector<std::pair<std::string, int64_t>> opsets = {};
  // Messages of functions.
  std::vector<std::string> functions = {};
  std::vector<std::pair<std::string, std::string>> metadata;
  Graph graph;
};

// The file for the elements of large tensors.
struct ExternalData {
  // The name of the file, beside the model.
  std::string location;
  std::vector<OnnxTensorBytes> tensors;
  // The end of the last tensor.
  uint64_t size = 0;
};

// Replaces names of values where they are given and used, but not those of initializers and of inputs.
void RenameValues(Graph& graph, const NameMap<Name>& names);

// Removes unused nodes and initializers.
void RemoveUnused(Graph& graph);

// Writes a matrix once whose transpose is there, too: products take the other one transposed, or a node of the model
// computes it again.
void ShareTransposes(Graph& graph, NameTable& names, const OnnxInterface& interface);

// Leaves out nodes that undo others and what nothing uses, and numbers values without names in their order: so a model
// that is read and written again stays as it is. `opset` is the version of the operators that is written.
void Tidy(Graph& graph, NameTable& names, int64_t opset);

// Returns the oldest version of the format that has the operators of a version.
auto LeastIrVersion(int64_t opset) -> int64_t;

// The message of an attribute with the names in its graphs replaced: nodes take `to[i]` where they took `from[i]`.
auto WithRenamedCaptures(std::string_view attribute, std::span<const std::string_view> from, std::span<const Name> to)
    -> std::string;

// Returns the bytes of the file. With `external` the elements of tensors of 1 KiB and more go there.
auto Serialize(const Model& model, ExternalData* external) -> std::string;

// Returns the message of a graph.
auto Serialize(const Graph& graph) -> std::string;

// Returns the model as text with one line for each node.
auto ToText(const Model& model) -> std::string;

}  // namespace relayopt::onnx::out
