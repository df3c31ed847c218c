// The numbers of the fields of ONNX's messages, for the reader and the writer. Those that neither needs are left out.
#pragma once

#include <cstdint>

namespace relayopt::onnx::field {

enum Model : uint32_t {
  kIrVersion = 1,
  kProducerName = 2,
  kProducerVersion = 3,
  kModelDomain = 4,
  kModelVersion = 5,
  kModelDoc = 6,
  kModelGraph = 7,
  kOpsetImport = 8,
  kMetadataProps = 14,
  kTrainingInfo = 20,
  kFunctions = 25,
};
enum OperatorSetId : uint32_t { kOpsetDomain = 1, kOpsetVersion = 2 };
enum StringStringEntry : uint32_t { kKey = 1, kValue = 2 };
enum Graph : uint32_t {
  kNode = 1,
  kGraphName = 2,
  kInitializer = 5,
  kGraphDoc = 10,
  kInput = 11,
  kOutput = 12,
  kValueInfo = 13,
  kQuantizationAnnotation = 14,
  kSparseInitializer = 15,
  kGraphMetadata = 16,
};
enum Node : uint32_t {
  kNodeInput = 1,
  kNodeOutput = 2,
  kNodeName = 3,
  kOpType = 4,
  kAttribute = 5,
  kNodeDoc = 6,
  kNodeDomain = 7,
  kNodeOverload = 8,
  kNodeMetadata = 9,
};
enum Attribute : uint32_t {
  kAttributeName = 1,
  kF = 2,
  kI = 3,
  kS = 4,
  kT = 5,
  kG = 6,
  kFloats = 7,
  kInts = 8,
  kStrings = 9,
  kTensors = 10,
  kGraphs = 11,
  kTp = 14,
  kTypeProtos = 15,
  kAttributeType = 20,
  kRefAttrName = 21,
  kSparseTensor = 22,
  kSparseTensors = 23,
};
enum Tensor : uint32_t {
  kDims = 1,
  kDataType = 2,
  kIntegers = 5,
  kLongIntegers = 7,
  kTensorName = 8,
  kRawData = 9,
  kExternalData = 13,
  kDataLocation = 14,
};
enum SparseTensor : uint32_t { kSparseValues = 1, kSparseIndices = 2, kSparseDims = 3 };
enum ValueInfo : uint32_t { kValueName = 1, kValueType = 2 };
enum Type : uint32_t { kTensorType = 1 };
enum TensorType : uint32_t { kElemType = 1, kShape = 2 };
enum Shape : uint32_t { kDim = 1 };
enum Dimension : uint32_t { kDimValue = 1, kDimParam = 2 };
enum Function : uint32_t {
  kFunctionName = 1,
  kFunctionInput = 4,
  kFunctionOutput = 5,
  kFunctionAttribute = 6,
  kFunctionNode = 7,
  kFunctionOpsetImport = 9,
  kFunctionDomain = 10,
  kFunctionAttributeProto = 11,
  kFunctionOverload = 13,
};

}  // namespace relayopt::onnx::field
