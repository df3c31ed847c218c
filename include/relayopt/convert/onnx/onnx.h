// ONNX models as Relay modules.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt {

struct OnnxOptions {
  // Shapes of inputs by name instead of those in the model; nothing stands for an extent that is not known.
  std::vector<std::pair<std::string, std::vector<std::optional<int64_t>>>> shapes = {};
  // What symbolic extents are, wherever they occur in inputs.
  std::vector<std::pair<std::string, int64_t>> dims = {};
  // Element types of inputs instead of those in the model.
  std::vector<std::pair<std::string, DataType>> dtypes = {};
  // The version of the operators, instead of the one that the model names.
  std::optional<int64_t> opset = {};
  // Weights become constants; else parameters of @main behind the inputs.
  bool freeze_params = true;
  // Inputs that become constants too. Arrays named arr_0, arr_1... are those of the inputs in order.
  std::vector<NamedTensor> bind = {};
  // Products of batches of matrices as the reference builds them by default: with the second one transposed.
  bool transposed_batch_matmul = true;
  // What the module is to share with others; a context of its own where there is none.
  std::shared_ptr<Context> context = nullptr;
};

// A value of the model's interface.
struct OnnxValue {
  std::string name;
  // TensorProto.DataType; 0 where the model does not say.
  int32_t element_type = 0;
  // Of inputs: the parameter of @main, or empty when the input was bound.
  std::string parameter = {};
};

struct OnnxModule {
  Module module;
  // The inputs that are no weights, in order; bound ones included.
  std::vector<OnnxValue> inputs;
  std::vector<OnnxValue> outputs;
  // Without freezing: the weights, in the order of the model.
  std::vector<NamedTensor> params;
};

// Whether the bytes begin as a serialized model does. Models whose fields come in an unusual order are known by the
// ending of their name only.
auto LooksLikeOnnx(std::string_view bytes) -> bool;

// Reads a model. What the model asks for and Relay cannot do is reported, as much of it as can be found in one run;
// then there is nothing. Weights are views of `source`, which the module keeps. `needs_values`, when given, is set
// where an error says that the value of an input has to be known (OnnxOptions::bind).
auto ImportOnnx(const std::shared_ptr<const SourceText>& source, const OnnxOptions& options, DiagnosticSink& sink,
                bool* needs_values = nullptr) -> std::optional<OnnxModule>;

// An operator of a model: its domain (empty for ai.onnx), its name, the version of the operator set that the model asks
// for, how many nodes there are of it, and whether it can be imported.
struct OnnxOperator {
  std::string domain;
  std::string name;
  int64_t version = 0;
  size_t count = 0;
  bool is_supported = false;
};
// All operators of a model by domain and name; nothing, with an error, when the file is damaged.
auto ListOnnxOperators(const SourceText& source, DiagnosticSink& sink) -> std::optional<std::vector<OnnxOperator>>;

// An array from outside as the Relay type that stands for the element type: NumPy lacks bfloat16 and 4-bit integers, so
// that their bits come as uint16 and their values as float32. And back, for arrays that are handed out.
auto FromNumPy(const Tensor& tensor, int32_t element_type) -> Tensor;
auto ToNumPy(const Tensor& tensor, int32_t element_type) -> Tensor;

// The tensor of a serialized TensorProto, as ONNX's own tests keep their data.
auto ReadOnnxTensor(std::string_view bytes) -> Result<NamedTensor>;

}  // namespace relayopt
