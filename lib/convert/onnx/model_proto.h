// The messages of an ONNX file as plain structs. Texts and numbers are views into the file, which has to live as long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "relayopt/support/result.h"

namespace relayopt::onnx {

// TensorProto.DataType.
enum ElementType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
};

struct StringPair {
  std::string_view key;
  std::string_view value;
};

// A tensor. Its numbers are decoded on demand; see tensor_data.h.
struct TensorProto {
  std::string_view name;
  std::vector<int64_t> dims;
  int32_t element_type = kUndefined;
  // Dense little-endian elements, or none if they are in a typed field.
  std::optional<std::string_view> raw;
  // The whole message, for typed fields.
  std::string_view message;
  std::vector<StringPair> external;
  bool is_external = false;
};

struct SparseTensorProto {
  TensorProto values;
  TensorProto indices;
  std::vector<int64_t> dims;
};

// An extent: a number, a symbol, or neither.
struct DimProto {
  std::optional<int64_t> value;
  std::string_view symbol;
};

enum class ValueKind : uint8_t { kTensor, kSequence, kOptional, kMap, kSparse, kOpaque, kNone };

// A type. A sequence of tensors is {kSequence} around a tensor: `wrappers` from the outside in, then the inner type.
struct TypeProto {
  std::vector<ValueKind> wrappers;
  ValueKind kind = ValueKind::kNone;
  int32_t element_type = kUndefined;
  // Not set when the rank is unknown.
  std::optional<absl::InlinedVector<DimProto, 4>> shape;

  auto is_tensor() const -> bool { return wrappers.empty() && kind == ValueKind::kTensor; }
};

struct ValueInfo {
  std::string_view name;
  TypeProto type;
  // The whole message.
  std::string_view message;
};

struct GraphProto;

// AttributeProto.AttributeType.
enum class AttributeType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kTypeProto = 13,
  kTypeProtos = 14,
};

// Which of the fields holds the value is given by `type`; files without it get the type of the field they have.
struct AttributeProto {
  std::string_view name;
  // The whole message; empty for attributes that no file contains.
  std::string_view message;
  AttributeType type = AttributeType::kUndefined;
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  const TensorProto* tensor = nullptr;
  const GraphProto* graph = nullptr;
  const SparseTensorProto* sparse = nullptr;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  // Inside of functions: the caller's attribute of this name is used here.
  std::string_view reference;
};

// What is said of an attribute of another type than that of its operator.
inline constexpr std::string_view kWrongAttributeType =
    "attribute '{}' does not have the type that the operator requires";

// Returns the attribute of this name, or null if the list has none.
inline auto FindAttribute(std::span<const AttributeProto> attributes, std::string_view name) -> const AttributeProto* {
  const auto found = std::ranges::find(attributes, name, &AttributeProto::name);
  return found == attributes.end() ? nullptr : &*found;
}

struct NodeProto {
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;
  std::string_view overload;
  // Most nodes have no more.
  absl::InlinedVector<std::string_view, 3> inputs;
  absl::InlinedVector<std::string_view, 1> outputs;
  std::vector<AttributeProto> attributes;
  std::string_view doc;
  // The messages of metadata_props.
  std::vector<std::string_view> metadata;
  // The offset of the message in the file.
  size_t offset = 0;
};

struct GraphProto {
  std::string_view name;
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<SparseTensorProto> sparse_initializers;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> values;
  std::string_view doc;
  // The messages of quantization_annotation and metadata_props.
  std::vector<std::string_view> annotations;
  std::vector<std::string_view> metadata;
};

struct OpsetImport {
  std::string_view domain;
  int64_t version = 0;
};

// The versions of domains, of which a file may list many.
class OpsetImports {
 public:
  // Of several versions of one domain the first counts.
  void Add(const OpsetImport& opset) {
    if (places_.try_emplace(Key(opset.domain), list_.size()).second) list_.push_back(opset);
  }
  // Domains that are not in this list are looked up in `others`, which must live as long.
  void set_others(const OpsetImports& others) { others_ = &others; }

  auto Find(std::string_view domain) const -> std::optional<int64_t> {
    if (const auto place = places_.find(Key(domain)); place != places_.end()) return list_[place->second].version;
    return others_ == nullptr ? std::nullopt : others_->Find(domain);
  }
  // Returns the own entries other than that for ai.onnx, in the order of the file.
  auto foreign() const {
    return list_ | std::views::filter([](const OpsetImport& opset) { return !Key(opset.domain).empty(); });
  }

 private:
  static auto Key(std::string_view domain) -> std::string_view {
    return domain == "ai.onnx" ? std::string_view() : domain;
  }

  std::vector<OpsetImport> list_;
  absl::flat_hash_map<std::string_view, size_t> places_;
  const OpsetImports* others_ = nullptr;
};

struct FunctionProto {
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> attributes;
  // Attributes of the function that have a default.
  std::vector<AttributeProto> default_attributes;
  std::vector<NodeProto> nodes;
  OpsetImports opsets;
  // The whole message.
  std::string_view message;
};

// Places in a list of functions by domain, name and overload.
using FunctionIndex = absl::flat_hash_map<std::tuple<std::string_view, std::string_view, std::string_view>, size_t>;

struct ModelProto {
  int64_t ir_version = 0;
  std::string_view producer_name;
  std::string_view producer_version;
  std::string_view domain;
  int64_t model_version = 0;
  std::string_view doc;
  OpsetImports opsets;
  std::vector<StringPair> metadata;
  std::vector<FunctionProto> functions;
  // Of several functions of one name the first.
  FunctionIndex function_places;
  const GraphProto* graph = nullptr;
  bool has_training_info = false;
  // Whether attributes, inner graphs or functions may have external data. Those of attributes that are not read count.
  bool has_inner_external = false;

  // Returns the function that a node calls, or null if it calls none.
  auto FunctionOf(const NodeProto& node) const -> const FunctionProto* {
    if (function_places.empty()) return nullptr;
    const auto place = function_places.find(std::tuple(node.domain, node.op_type, node.overload));
    return place == function_places.end() ? nullptr : &functions[place->second];
  }

  // The graphs that attributes refer to, at whatever depth.
  std::deque<GraphProto> graphs;
  std::deque<TensorProto> tensors;
  std::deque<SparseTensorProto> sparse_tensors;
};

// Reads a serialized model. An error contains the offset of the damage.
auto ReadModelProto(std::string_view file) -> Result<ModelProto>;
// Reads a serialized attribute; its graphs and tensors are in `model`.
struct LoneAttribute {
  ModelProto model;
  AttributeProto attribute;
};
auto ReadAttributeProto(std::string_view message) -> Result<LoneAttribute>;
// Reads a serialized tensor, as the test data of ONNX hold them.
auto ReadTensorProto(std::string_view file) -> Result<TensorProto>;

}  // namespace relayopt::onnx
