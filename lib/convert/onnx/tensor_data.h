// From the tensors of a file to constants.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model_proto.h"
#include "relayopt/core/context.h"
#include "relayopt/core/tensor.h"

namespace relayopt::onnx {

// Returns the name of an element type in messages, as ONNX writes it: "FLOAT16".
auto ElementTypeName(int32_t element_type) -> std::string_view;

// Returns the Relay type of an element, or nothing for strings, complex numbers and undefined types. This release of
// Relay has no 8-bit floats and no 4-bit integers: they are represented by float32, uint8 and int8.
auto RelayType(int32_t element_type) -> std::optional<DataType>;
auto IsFloat8(int32_t element_type) -> bool;
// Whether a wider type of Relay stands for the element type: an 8-bit float or a 4-bit integer.
inline auto IsForeignElement(int32_t element_type) -> bool {
  return IsFloat8(element_type) || element_type == kInt4 || element_type == kUint4;
}
// Returns the ONNX element type that a Relay type usually comes from; kUndefined for others.
auto ElementTypeOf(DataType dtype) -> int32_t;

// Files beside the model that hold the numbers of tensors. Mapped once each, never outside of the model's folder.
class ExternalFiles {
 public:
  // `model` is the path of the model; "-" has no folder.
  explicit ExternalFiles(std::string model) : model_(std::move(model)) {}

  // Returns the bytes that a tensor's `external` fields name; an error says why there are none.
  auto Find(const TensorProto& tensor, Context& context) -> Result<std::string_view>;
  // The same for bytes that are copied and not read; they are as many as the shape asks for.
  auto FindWhole(const TensorProto& tensor) -> Result<std::string_view>;

 private:
  // The bytes, and the file that they are in.
  struct Extent {
    std::shared_ptr<const SourceText> file;
    std::string_view bytes;
  };
  auto Locate(const TensorProto& tensor) -> Result<Extent>;
  auto Open(std::string_view location, std::string_view tensor) -> Result<std::shared_ptr<const SourceText>>;

  std::string model_;
  // By their locations as they are written, and by where they are.
  std::map<std::string, std::shared_ptr<const SourceText>, std::less<>> files_;
  std::map<std::string, std::shared_ptr<const SourceText>, std::less<>> files_by_path_;
};

// Returns the tensor as a constant, its elements copied out of the file.
auto ToConstant(const TensorProto& tensor, ExternalFiles& files, Context& context) -> Result<Constant>;
// Returns all elements of a sparse tensor, those that are not given as zeros.
auto ToConstant(const SparseTensorProto& sparse, ExternalFiles& files, Context& context) -> Result<Constant>;

}  // namespace relayopt::onnx
