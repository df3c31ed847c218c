// The wire format: protozero iterates over the fields without copying, and graphs wait in a list instead of a stack.
#include <fmt/format.h>

#include <protozero/pbf_reader.hpp>
#include <utility>

#include "diagnostics.h"
#include "fields.h"
#include "model_proto.h"
#include "node_order.h"

namespace relayopt::onnx {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto kVarint = pbf_wire_type::varint;
constexpr auto kBytes = pbf_wire_type::length_delimited;
constexpr auto kFixed32 = pbf_wire_type::fixed32;

auto View(pbf_reader& reader) -> std::string_view {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

auto Reader(std::string_view message) -> pbf_reader { return {message.data(), message.size()}; }

// Numbers of a repeated field, packed or one by one.
void AddInts(pbf_reader& reader, std::vector<int64_t>& to) {
  constexpr size_t kFew = 4;
  if (to.empty()) to.reserve(kFew);
  if (reader.wire_type() == kVarint) return to.push_back(reader.get_int64());
  for (const int64_t value : reader.get_packed_int64()) to.push_back(value);
}
void AddFloats(pbf_reader& reader, std::vector<float>& to) {
  if (reader.wire_type() == kFixed32) return to.push_back(reader.get_float());
  for (const float value : reader.get_packed_float()) to.push_back(value);
}

// Returns how often a field of messages occurs, to make room for them.
auto CountFields(std::string_view message, uint32_t wanted) -> size_t {
  size_t count = 0;
  for (pbf_reader reader = Reader(message); reader.next(); reader.skip()) count += reader.tag() == wanted ? 1 : 0;
  return count;
}

class ModelReader {
 public:
  explicit ModelReader(std::string_view file) : file_(file) {}

  auto Read() -> ModelProto {
    pbf_reader reader = Reader(file_);
    std::vector<std::string_view> functions;
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kIrVersion, kVarint): model_.ir_version = reader.get_int64(); break;
        case tag_and_type(field::kProducerName, kBytes): model_.producer_name = View(reader); break;
        case tag_and_type(field::kProducerVersion, kBytes): model_.producer_version = View(reader); break;
        case tag_and_type(field::kModelDomain, kBytes): model_.domain = View(reader); break;
        case tag_and_type(field::kModelVersion, kVarint): model_.model_version = reader.get_int64(); break;
        case tag_and_type(field::kModelDoc, kBytes): model_.doc = View(reader); break;
        case tag_and_type(field::kModelGraph, kBytes): {
          // A message that occurs twice is merged.
          if (model_.graph == nullptr) model_.graph = &model_.graphs.emplace_back();
          pending_.emplace_back(View(reader), &model_.graphs.front());
          break;
        }
        case tag_and_type(field::kOpsetImport, kBytes): model_.opsets.Add(ReadOpset(View(reader))); break;
        case tag_and_type(field::kMetadataProps, kBytes): model_.metadata.push_back(ReadPair(View(reader))); break;
        case tag_and_type(field::kTrainingInfo, kBytes):
          model_.has_training_info = true;
          reader.skip();
          break;
        case tag_and_type(field::kFunctions, kBytes): functions.push_back(View(reader)); break;
        default: reader.skip();
      }
    }
    for (const std::string_view function : functions) {
      const FunctionProto& made = model_.functions.emplace_back(ReadFunction(function));
      model_.function_places.try_emplace(std::tuple(made.domain, made.name, made.overload),
                                         model_.functions.size() - 1);
    }
    ReadPendingGraphs();
    OrderNodes(model_);
    return std::move(model_);
  }

  // The file is an attribute.
  auto ReadLone() -> LoneAttribute {
    LoneAttribute lone;
    ReadAttribute(file_, lone.attribute);
    ReadPendingGraphs();
    lone.model = std::move(model_);
    return lone;
  }

  static auto ReadTensor(std::string_view message) -> TensorProto {
    TensorProto tensor;
    tensor.message = message;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kDims, kVarint):
        case tag_and_type(field::kDims, kBytes): AddInts(reader, tensor.dims); break;
        case tag_and_type(field::kDataType, kVarint): tensor.element_type = reader.get_int32(); break;
        case tag_and_type(field::kTensorName, kBytes): tensor.name = View(reader); break;
        case tag_and_type(field::kRawData, kBytes): tensor.raw = View(reader); break;
        case tag_and_type(field::kExternalData, kBytes): tensor.external.push_back(ReadPair(View(reader))); break;
        case tag_and_type(field::kDataLocation, kVarint): tensor.is_external = reader.get_int32() == 1; break;
        default: reader.skip();
      }
    }
    return tensor;
  }

 private:
  // Nested graphs are put at the end of the list when their attribute is read, so depth costs no stack.
  void ReadPendingGraphs() {
    for (size_t i = 0; i < pending_.size(); ++i) ReadGraph(pending_[i].first, *pending_[i].second);
  }

  static auto ReadPair(std::string_view message) -> StringPair {
    StringPair pair;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kKey, kBytes): pair.key = View(reader); break;
        case tag_and_type(field::kValue, kBytes): pair.value = View(reader); break;
        default: reader.skip();
      }
    }
    return pair;
  }

  static auto ReadOpset(std::string_view message) -> OpsetImport {
    OpsetImport opset;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kOpsetDomain, kBytes): opset.domain = View(reader); break;
        case tag_and_type(field::kOpsetVersion, kVarint): opset.version = reader.get_int64(); break;
        default: reader.skip();
      }
    }
    return opset;
  }

  static auto ReadSparse(std::string_view message) -> SparseTensorProto {
    SparseTensorProto sparse;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kSparseValues, kBytes): sparse.values = ReadTensor(View(reader)); break;
        case tag_and_type(field::kSparseIndices, kBytes): sparse.indices = ReadTensor(View(reader)); break;
        case tag_and_type(field::kSparseDims, kVarint):
        case tag_and_type(field::kSparseDims, kBytes): AddInts(reader, sparse.dims); break;
        default: reader.skip();
      }
    }
    return sparse;
  }

  static auto ReadDim(std::string_view message) -> DimProto {
    DimProto dim;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kDimValue, kVarint): dim.value = reader.get_int64(); break;
        case tag_and_type(field::kDimParam, kBytes): dim.symbol = View(reader); break;
        default: reader.skip();
      }
    }
    return dim;
  }

  static auto ReadShape(std::string_view message) -> absl::InlinedVector<DimProto, 4> {
    absl::InlinedVector<DimProto, 4> shape;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      if (reader.tag_and_type() == tag_and_type(field::kDim, kBytes)) {
        shape.push_back(ReadDim(View(reader)));
      } else {
        reader.skip();
      }
    }
    return shape;
  }

  // Types nest; the loop goes down.
  static auto ReadType(std::string_view message) -> TypeProto {
    TypeProto type;
    while (true) {
      std::optional<std::string_view> inner;
      ValueKind wrapper = ValueKind::kNone;
      pbf_reader reader = Reader(message);
      while (reader.next()) {
        if (!reader.has_wire_type(kBytes)) {
          reader.skip();
          continue;
        }
        switch (reader.tag()) {
          case field::kTensorType:
            type.kind = ValueKind::kTensor;
            ReadTensorType(View(reader), type);
            break;
          case 4:
          case 9:
            wrapper = reader.tag() == 4 ? ValueKind::kSequence : ValueKind::kOptional;
            inner = ElementOf(View(reader));
            break;
          case 5: type.kind = (reader.skip(), ValueKind::kMap); break;
          case 7: type.kind = (reader.skip(), ValueKind::kOpaque); break;
          case 8: type.kind = (reader.skip(), ValueKind::kSparse); break;
          default: reader.skip();
        }
      }
      if (wrapper == ValueKind::kNone) return type;
      type.wrappers.push_back(wrapper);
      if (!inner) return type;
      message = *inner;
    }
  }

  static auto ElementOf(std::string_view message) -> std::optional<std::string_view> {
    std::optional<std::string_view> inner;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      if (reader.tag_and_type() == tag_and_type(1, kBytes)) {
        inner = View(reader);
      } else {
        reader.skip();
      }
    }
    return inner;
  }

  static void ReadTensorType(std::string_view message, TypeProto& type) {
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kElemType, kVarint): type.element_type = reader.get_int32(); break;
        case tag_and_type(field::kShape, kBytes): type.shape = ReadShape(View(reader)); break;
        default: reader.skip();
      }
    }
  }

  static void ReadValueInfo(std::string_view message, ValueInfo& value) {
    value.message = message;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kValueName, kBytes): value.name = View(reader); break;
        case tag_and_type(field::kValueType, kBytes): value.type = ReadType(View(reader)); break;
        default: reader.skip();
      }
    }
  }

  void NoteInner(const TensorProto& tensor) { model_.has_inner_external |= tensor.is_external; }
  void NoteInner(const SparseTensorProto& sparse) {
    NoteInner(sparse.values);
    NoteInner(sparse.indices);
  }
  void SkipInner(pbf_reader& reader) {
    model_.has_inner_external = true;
    reader.skip();
  }

  void ReadAttribute(std::string_view message, AttributeProto& attribute) {
    attribute.message = message;
    // The type that the set fields imply, for files that omit the type.
    AttributeType found = AttributeType::kUndefined;
    AttributeType said = AttributeType::kUndefined;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kAttributeName, kBytes): attribute.name = View(reader); break;
        case tag_and_type(field::kF, kFixed32):
          attribute.f = reader.get_float();
          found = AttributeType::kFloat;
          break;
        case tag_and_type(field::kI, kVarint):
          attribute.i = reader.get_int64();
          found = AttributeType::kInt;
          break;
        case tag_and_type(field::kS, kBytes):
          attribute.s = View(reader);
          found = AttributeType::kString;
          break;
        case tag_and_type(field::kT, kBytes):
          attribute.tensor = &model_.tensors.emplace_back(ReadTensor(View(reader)));
          NoteInner(*attribute.tensor);
          found = AttributeType::kTensor;
          break;
        case tag_and_type(field::kG, kBytes): {
          GraphProto& graph = model_.graphs.emplace_back();
          attribute.graph = &graph;
          pending_.emplace_back(View(reader), &graph);
          found = AttributeType::kGraph;
          break;
        }
        case tag_and_type(field::kFloats, kFixed32):
        case tag_and_type(field::kFloats, kBytes):
          AddFloats(reader, attribute.floats);
          found = AttributeType::kFloats;
          break;
        case tag_and_type(field::kInts, kVarint):
        case tag_and_type(field::kInts, kBytes):
          AddInts(reader, attribute.ints);
          found = AttributeType::kInts;
          break;
        case tag_and_type(field::kStrings, kBytes):
          attribute.strings.push_back(View(reader));
          found = AttributeType::kStrings;
          break;
        case tag_and_type(field::kAttributeType, kVarint): said = static_cast<AttributeType>(reader.get_int32()); break;
        case tag_and_type(field::kRefAttrName, kBytes): attribute.reference = View(reader); break;
        case tag_and_type(field::kSparseTensor, kBytes):
          attribute.sparse = &model_.sparse_tensors.emplace_back(ReadSparse(View(reader)));
          NoteInner(*attribute.sparse);
          found = AttributeType::kSparseTensor;
          break;
        case tag_and_type(field::kTensors, kBytes): found = (SkipInner(reader), AttributeType::kTensors); break;
        case tag_and_type(field::kGraphs, kBytes): found = (SkipInner(reader), AttributeType::kGraphs); break;
        case tag_and_type(field::kTp, kBytes): found = (reader.skip(), AttributeType::kTypeProto); break;
        case tag_and_type(field::kTypeProtos, kBytes): found = (reader.skip(), AttributeType::kTypeProtos); break;
        case tag_and_type(field::kSparseTensors, kBytes):
          found = (SkipInner(reader), AttributeType::kSparseTensors);
          break;
        default: reader.skip();
      }
    }
    // A value that is the default of its type need not be written; a pointer has to be there.
    attribute.type = said != AttributeType::kUndefined && IsThere(attribute, said) ? said : found;
  }

  static auto IsThere(const AttributeProto& attribute, AttributeType type) -> bool {
    switch (type) {
      case AttributeType::kTensor: return attribute.tensor != nullptr;
      case AttributeType::kGraph: return attribute.graph != nullptr;
      case AttributeType::kSparseTensor: return attribute.sparse != nullptr;
      default: return true;
    }
  }

  void ReadNode(std::string_view message, NodeProto& node) {
    node.offset = static_cast<size_t>(message.data() - file_.data());
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kNodeInput, kBytes): node.inputs.push_back(View(reader)); break;
        case tag_and_type(field::kNodeOutput, kBytes): node.outputs.push_back(View(reader)); break;
        case tag_and_type(field::kNodeName, kBytes): node.name = View(reader); break;
        case tag_and_type(field::kOpType, kBytes): node.op_type = View(reader); break;
        case tag_and_type(field::kAttribute, kBytes):
          if (node.attributes.empty()) node.attributes.reserve(CountFields(message, field::kAttribute));
          ReadAttribute(View(reader), node.attributes.emplace_back());
          break;
        case tag_and_type(field::kNodeDoc, kBytes): node.doc = View(reader); break;
        case tag_and_type(field::kNodeMetadata, kBytes): node.metadata.push_back(View(reader)); break;
        case tag_and_type(field::kNodeDomain, kBytes): node.domain = View(reader); break;
        case tag_and_type(field::kNodeOverload, kBytes): node.overload = View(reader); break;
        default: reader.skip();
      }
    }
  }

  void ReadGraph(std::string_view message, GraphProto& graph) {
    graph.nodes.reserve(graph.nodes.size() + CountFields(message, field::kNode));
    graph.values.reserve(graph.values.size() + CountFields(message, field::kValueInfo));
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kNode, kBytes): ReadNode(View(reader), graph.nodes.emplace_back()); break;
        case tag_and_type(field::kGraphName, kBytes): graph.name = View(reader); break;
        case tag_and_type(field::kInitializer, kBytes):
          graph.initializers.push_back(ReadTensor(View(reader)));
          if (&graph != model_.graph) NoteInner(graph.initializers.back());
          break;
        case tag_and_type(field::kInput, kBytes): ReadValueInfo(View(reader), graph.inputs.emplace_back()); break;
        case tag_and_type(field::kOutput, kBytes): ReadValueInfo(View(reader), graph.outputs.emplace_back()); break;
        case tag_and_type(field::kValueInfo, kBytes): ReadValueInfo(View(reader), graph.values.emplace_back()); break;
        case tag_and_type(field::kGraphDoc, kBytes): graph.doc = View(reader); break;
        case tag_and_type(field::kQuantizationAnnotation, kBytes): graph.annotations.push_back(View(reader)); break;
        case tag_and_type(field::kGraphMetadata, kBytes): graph.metadata.push_back(View(reader)); break;
        case tag_and_type(field::kSparseInitializer, kBytes):
          graph.sparse_initializers.push_back(ReadSparse(View(reader)));
          if (&graph != model_.graph) NoteInner(graph.sparse_initializers.back());
          break;
        default: reader.skip();
      }
    }
  }

  auto ReadFunction(std::string_view message) -> FunctionProto {
    FunctionProto function;
    function.message = message;
    pbf_reader reader = Reader(message);
    while (reader.next()) {
      switch (reader.tag_and_type()) {
        case tag_and_type(field::kFunctionName, kBytes): function.name = View(reader); break;
        case tag_and_type(field::kFunctionInput, kBytes): function.inputs.push_back(View(reader)); break;
        case tag_and_type(field::kFunctionOutput, kBytes): function.outputs.push_back(View(reader)); break;
        case tag_and_type(field::kFunctionAttribute, kBytes): function.attributes.push_back(View(reader)); break;
        case tag_and_type(field::kFunctionNode, kBytes): ReadNode(View(reader), function.nodes.emplace_back()); break;
        case tag_and_type(field::kFunctionOpsetImport, kBytes): function.opsets.Add(ReadOpset(View(reader))); break;
        case tag_and_type(field::kFunctionDomain, kBytes): function.domain = View(reader); break;
        case tag_and_type(field::kFunctionAttributeProto, kBytes):
          ReadAttribute(View(reader), function.default_attributes.emplace_back());
          break;
        case tag_and_type(field::kFunctionOverload, kBytes): function.overload = View(reader); break;
        default: reader.skip();
      }
    }
    return function;
  }

  std::string_view file_;
  ModelProto model_;
  std::vector<std::pair<std::string_view, GraphProto*>> pending_;
};

}  // namespace

auto ReadModelProto(std::string_view file) -> Result<ModelProto> {
  try {
    return ModelReader(file).Read();
  } catch (const protozero::exception& error) {
    return MakeDiagnostic(diag::kDamaged, {}, error.what());
  }
}

auto ReadAttributeProto(std::string_view message) -> Result<LoneAttribute> {
  try {
    return ModelReader(message).ReadLone();
  } catch (const protozero::exception& error) {
    return MakeDiagnostic(diag::kDamaged, {}, error.what());
  }
}

auto ReadTensorProto(std::string_view file) -> Result<TensorProto> {
  try {
    return ModelReader::ReadTensor(file);
  } catch (const protozero::exception& error) {
    return MakeDiagnostic(diag::kDamaged, {}, error.what());
  }
}

}  // namespace relayopt::onnx
