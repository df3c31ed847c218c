// The wire format, with protozero: fields in ascending number, so that equal models are equal bytes.
#include <algorithm>
#include <bit>
#include <protozero/pbf_writer.hpp>

#include "flat_message.h"
#include "lib/convert/onnx/fields.h"
#include "model.h"
#include "relayopt/support/check.h"

namespace relayopt::onnx::out {

namespace {

using protozero::pbf_writer;

// Elements of tensors below this stay in the model.
constexpr size_t kLeastExternal = 1024;
// The alignment of tensors in the file beside the model, which makes it possible to map them.
constexpr size_t kAlignment = 4096;

// Lists of integers from this number on, and up to the other one, are written in as few bytes as each element needs.
constexpr size_t kLeastShortened = 64;
constexpr size_t kMostShortened = size_t{1} << 20;

// Writes integers as such a list, and returns true, if that takes fewer bytes than the elements.
template <typename T>
auto WriteShortened(const ElementBytes& elements, field::Tensor as, pbf_writer& to) -> bool {
  const size_t count = elements.size() / sizeof(T);
  if (count < kLeastShortened || count > kMostShortened) return false;
  constexpr size_t kBitsOfByte = 7;
  const std::vector<T> numbers = elements.ToVector<T>();
  size_t size = 0;
  for (const T number : numbers) {
    const auto bits = static_cast<uint64_t>(static_cast<int64_t>(number)) | 1;
    size += (static_cast<size_t>(std::bit_width(bits)) + kBitsOfByte - 1) / kBitsOfByte;
  }
  if (size >= elements.size()) return false;
  if constexpr (sizeof(T) == sizeof(int64_t)) {
    to.add_packed_int64(as, numbers.begin(), numbers.end());
  } else {
    to.add_packed_int32(as, numbers.begin(), numbers.end());
  }
  return true;
}

class Writer {
 public:
  explicit Writer(ExternalData* external) : external_(external) {}

  void Write(const Model& model, std::string& to) {
    pbf_writer writer(to);
    const int64_t ir_version = model.ir_version != 0 ? model.ir_version : LeastIrVersion(model.opset);
    writer.add_int64(field::kIrVersion, ir_version);
    if (!model.producer.empty()) writer.add_string(field::kProducerName, model.producer);
    if (!model.producer_version.empty()) writer.add_string(field::kProducerVersion, model.producer_version);
    if (!model.domain.empty()) writer.add_string(field::kModelDomain, model.domain);
    if (model.version != 0) writer.add_int64(field::kModelVersion, model.version);
    if (!model.doc.empty()) writer.add_string(field::kModelDoc, model.doc);
    {
      pbf_writer graph(writer, field::kModelGraph);
      Write(model.graph, graph);
    }
    WriteOpset(writer, "", model.opset);
    for (const auto& [domain, version] : model.opsets) WriteOpset(writer, domain, version);
    for (const auto& [key, value] : model.metadata) WritePair(writer, field::kMetadataProps, key, value);
    for (const std::string& function : model.functions) writer.add_message(field::kFunctions, function);
  }

  // NOLINTNEXTLINE(misc-no-recursion): graphs nest as deep as the writer of graphs lets them.
  void Write(const Graph& graph, pbf_writer& to) {
    for (const Node& node : graph.nodes) {
      if (IsFlat(node)) {
        flat_.Clear();
        AddNode(node);
        AddText(to, field::kNode, flat_.view());
        continue;
      }
      pbf_writer message(to, field::kNode);
      Write(node, message);
    }
    to.add_string(field::kGraphName, graph.name);
    for (const TensorData& tensor : graph.initializers) {
      if (!tensor.message.empty()) {
        AddText(to, field::kInitializer, tensor.message);
        continue;
      }
      pbf_writer message(to, field::kInitializer);
      Write(tensor, message);
    }
    if (!graph.doc.empty()) to.add_string(field::kGraphDoc, graph.doc);
    WriteTypes(graph.inputs, field::kInput, to);
    WriteTypes(graph.outputs, field::kOutput, to);
    WriteTypes(graph.values, field::kValueInfo, to);
    for (const std::string& annotation : graph.annotations) to.add_message(field::kQuantizationAnnotation, annotation);
    for (const std::string& prop : graph.props) to.add_message(field::kGraphMetadata, prop);
  }

 private:
  static void AddText(pbf_writer& to, uint32_t tag, std::string_view text) {
    to.add_bytes(tag, text.data(), text.size());
  }
  static void AddText(FlatMessage& to, uint32_t tag, std::string_view text) { to.AddText(tag, text); }

  static void WriteOpset(pbf_writer& to, const std::string& domain, int64_t version) {
    pbf_writer opset(to, field::kOpsetImport);
    if (!domain.empty()) opset.add_string(field::kOpsetDomain, domain);
    opset.add_int64(field::kOpsetVersion, version);
  }

  static void WritePair(pbf_writer& to, uint32_t tag, std::string_view key, std::string_view value) {
    pbf_writer pair(to, tag);
    pair.add_string(field::kKey, key.data(), key.size());
    pair.add_string(field::kValue, value.data(), value.size());
  }

  void WriteTypes(const std::vector<ValueType>& values, uint32_t tag, pbf_writer& to) {
    for (const ValueType& value : values) {
      if (!value.message.empty()) {
        AddText(to, tag, value.message);
        continue;
      }
      flat_.Clear();
      flat_.AddText(field::kValueName, value.name.text());
      const size_t type = flat_.Open(field::kValueType);
      const size_t tensor = flat_.Open(field::kTensorType);
      flat_.AddInt(field::kElemType, value.element_type);
      AddShape(value.shape);
      flat_.Close(tensor);
      flat_.Close(type);
      AddText(to, tag, flat_.view());
    }
  }

  // An extent without a name is an empty message, and so is the shape of a scalar.
  void AddShape(const ExtentList& extents) {
    const size_t shape = flat_.Open(field::kShape);
    for (const Extent& extent : extents) {
      const size_t dim = flat_.Open(field::kDim);
      if (extent.value) {
        flat_.AddInt(field::kDimValue, *extent.value);
      } else if (!extent.symbol.empty()) {
        flat_.AddText(field::kDimParam, extent.symbol.text());
      }
      flat_.Close(dim);
    }
    flat_.Close(shape);
  }

  // Whether the node has no graphs.
  static auto IsFlat(const Node& node) -> bool {
    return node.captures.empty() && std::ranges::none_of(node.attributes, [](const Attribute& attribute) {
             return attribute.type == AttributeType::kGraph && attribute.message.empty();
           });
  }

  // Writes a node to a message of either kind; `add_attribute` writes one of its attributes.
  template <typename Message>
  // NOLINTNEXTLINE(misc-no-recursion)
  static void WriteFields(const Node& node, Message& to, auto&& add_attribute) {
    for (const Name input : node.inputs) AddText(to, field::kNodeInput, input.text());
    for (const Name output : node.outputs) AddText(to, field::kNodeOutput, output.text());
    if (!node.name.empty()) AddText(to, field::kNodeName, node.name);
    AddText(to, field::kOpType, node.op_type);
    for (const Attribute& attribute : node.attributes) add_attribute(attribute);
    if (!node.doc.empty()) AddText(to, field::kNodeDoc, node.doc);
    if (!node.domain.empty()) AddText(to, field::kNodeDomain, node.domain);
    if (!node.overload.empty()) AddText(to, field::kNodeOverload, node.overload);
    for (const std::string_view prop : node.metadata) AddText(to, field::kNodeMetadata, prop);
  }

  void AddNode(const Node& node) {
    WriteFields(node, flat_, [&](const Attribute& attribute) {
      if (!attribute.message.empty()) return flat_.AddText(field::kAttribute, attribute.message);
      const size_t begin = flat_.Open(field::kAttribute);
      AddAttribute(attribute);
      flat_.Close(begin);
    });
  }

  void AddAttribute(const Attribute& attribute) {
    flat_.AddText(field::kAttributeName, attribute.name);
    switch (attribute.type) {
      case AttributeType::kFloat: flat_.AddFloat(field::kF, attribute.f); break;
      case AttributeType::kInt: flat_.AddInt(field::kI, attribute.i); break;
      case AttributeType::kString: flat_.AddText(field::kS, attribute.s); break;
      case AttributeType::kFloats:
        for (const float value : attribute.floats) flat_.AddFloat(field::kFloats, value);
        break;
      case AttributeType::kInts:
        for (const int64_t value : attribute.ints) flat_.AddInt(field::kInts, value);
        break;
      case AttributeType::kStrings:
        for (const std::string& value : attribute.strings) flat_.AddText(field::kStrings, value);
        break;
      default: RELAYOPT_CHECK(false, "attributes of other types are not made");
    }
    flat_.AddInt(field::kAttributeType, static_cast<int32_t>(attribute.type));
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void Write(const Node& node, pbf_writer& to) {
    // NOLINTNEXTLINE(misc-no-recursion)
    WriteFields(node, to, [&](const Attribute& attribute) {
      if (!attribute.message.empty()) {
        to.add_message(field::kAttribute, WithRenamedCaptures(attribute.message, node.capture_names, node.captures));
        return;
      }
      if (attribute.type == AttributeType::kGraph) {
        pbf_writer message(to, field::kAttribute);
        WriteGraph(attribute, message);
        return;
      }
      flat_.Clear();
      AddAttribute(attribute);
      AddText(to, field::kAttribute, flat_.view());
    });
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void WriteGraph(const Attribute& attribute, pbf_writer& to) {
    to.add_string(field::kAttributeName, attribute.name);
    {
      pbf_writer graph(to, field::kG);
      Write(*attribute.graph, graph);
    }
    to.add_int32(field::kAttributeType, static_cast<int32_t>(attribute.type));
  }

  void Write(const TensorData& tensor, pbf_writer& to) {
    for (const int64_t extent : tensor.dims) to.add_int64(field::kDims, extent);
    to.add_int32(field::kDataType, tensor.element_type);
    const size_t size = tensor.bytes.size();
    const bool is_inside = external_ == nullptr || size < kLeastExternal;
    const bool is_shortened =
        is_inside && (tensor.element_type == kInt64 ? WriteShortened<int64_t>(tensor.bytes, field::kLongIntegers, to)
                                                    : tensor.element_type == kInt32 &&
                                                          WriteShortened<int32_t>(tensor.bytes, field::kIntegers, to));
    AddText(to, field::kTensorName, tensor.name.text());
    if (is_shortened) return;
    if (is_inside) {
      const std::string_view bytes = tensor.bytes.text();
      to.add_bytes(field::kRawData, bytes.data(), bytes.size());
      return;
    }
    const uint64_t offset = (external_->size + kAlignment - 1) / kAlignment * kAlignment;
    WritePair(to, field::kExternalData, "location", external_->location);
    WritePair(to, field::kExternalData, "offset", std::to_string(offset));
    WritePair(to, field::kExternalData, "length", std::to_string(size));
    to.add_int32(field::kDataLocation, 1);
    external_->tensors.push_back({offset, tensor.bytes});
    external_->size = offset + size;
  }

  ExternalData* external_;
  // The last message that was made by itself.
  FlatMessage flat_;
};

auto Named(std::string_view name, AttributeType type) -> Attribute {
  Attribute attribute;
  attribute.name = name;
  attribute.type = type;
  return attribute;
}

}  // namespace

auto LeastIrVersion(int64_t opset) -> int64_t { return opset <= 18 ? 8 : opset <= 20 ? 9 : 10; }

auto Int(std::string_view name, int64_t value) -> Attribute {
  Attribute attribute = Named(name, AttributeType::kInt);
  attribute.i = value;
  return attribute;
}

auto Float(std::string_view name, double value) -> Attribute {
  Attribute attribute = Named(name, AttributeType::kFloat);
  attribute.f = static_cast<float>(value);
  return attribute;
}

auto String(std::string_view name, std::string_view value) -> Attribute {
  Attribute attribute = Named(name, AttributeType::kString);
  attribute.s = value;
  return attribute;
}

auto Ints(std::string_view name, std::span<const int64_t> values) -> Attribute {
  Attribute attribute = Named(name, AttributeType::kInts);
  attribute.ints.assign(values.begin(), values.end());
  return attribute;
}

auto Branch(std::string_view name, Graph graph) -> Attribute {
  Attribute attribute = Named(name, AttributeType::kGraph);
  attribute.graph = std::make_shared<Graph>(std::move(graph));
  return attribute;
}

auto Serialize(const Model& model, ExternalData* external) -> std::string {
  std::string bytes;
  // Reserves the whole size at once, because elements are most of a model.
  size_t size = 0;
  for (const TensorData& tensor : model.graph.initializers) size += tensor.bytes.size();
  if (external == nullptr) bytes.reserve(size + size / 16);
  Writer(external).Write(model, bytes);
  return bytes;
}

auto Serialize(const Graph& graph) -> std::string {
  std::string bytes;
  pbf_writer writer(bytes);
  Writer(nullptr).Write(graph, writer);
  return bytes;
}

}  // namespace relayopt::onnx::out
