// A model that is being written: the messages of an ONNX file, as far as they are used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/convert/onnx/model_proto.h"

namespace relayopt::onnx::out {

// An extent: a number, a name, or neither.
struct Extent {
  std::optional<int64_t> value;
  std::string symbol;
};

struct TensorData {
  std::string name;
  int32_t element_type = kUndefined;
  std::vector<int64_t> dims;
  // Dense and little-endian.
  std::shared_ptr<const std::vector<std::byte>> bytes;
  // Whether the name was given by the user.
  bool is_named = false;
};

struct ValueType {
  std::string name;
  int32_t element_type = kUndefined;
  std::vector<Extent> shape;
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
};
using Attributes = std::vector<Attribute>;

auto Int(std::string_view name, int64_t value) -> Attribute;
auto Float(std::string_view name, double value) -> Attribute;
auto String(std::string_view name, std::string_view value) -> Attribute;
auto Ints(std::string_view name, std::span<const int64_t> values) -> Attribute;
auto Branch(std::string_view name, Graph graph) -> Attribute;

struct Node {
  std::string op_type;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  // Sorted by name.
  Attributes attributes;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<TensorData> initializers;
  std::vector<ValueType> inputs;
  std::vector<ValueType> outputs;
  // The types of the nodes' outputs.
  std::vector<ValueType> values;
};

struct Model {
  int64_t opset = 0;
  std::string producer_version;
  std::vector<std::pair<std::string, std::string>> metadata;
  Graph graph;
};

// The file for the elements of large tensors.
struct ExternalData {
  // The name of the file, beside the model.
  std::string location;
  std::string bytes;
};

// Drops nodes that nothing uses, and initializers.
void RemoveUnused(Graph& graph);

// Leaves out nodes that undo others and what nothing uses, and numbers values without names in their order: so a model
// that is read and written again stays as it is.
void Tidy(Graph& graph);

// The bytes of the file. With `external` the elements of tensors of 1 KiB and more go there.
auto Serialize(const Model& model, ExternalData* external) -> std::string;

// The model for people, a line a node.
auto ToText(const Model& model) -> std::string;

}  // namespace relayopt::onnx::out
