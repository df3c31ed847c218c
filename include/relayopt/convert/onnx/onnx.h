// Importing ONNX models as Relay modules.
#pragma once

#include <map>
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

// How an ONNX model is imported.
struct OnnxOptions {
  // Shapes of inputs by name, which override those of the model; nothing stands for an unknown extent.
  std::vector<std::pair<std::string, std::vector<std::optional<int64_t>>>> shapes = {};
  // Values of symbolic extents, wherever they occur in inputs.
  std::vector<std::pair<std::string, int64_t>> dims = {};
  // Element types of inputs, which override those of the model.
  std::vector<std::pair<std::string, DataType>> dtypes = {};
  // The version of the operator set, which overrides that of the model.
  std::optional<int64_t> opset = {};
  // Whether weights become constants; otherwise they become parameters of @main after the inputs.
  bool freeze_params = true;
  // Whether inputs with default values become constants where `keep` would leave them what callers may override.
  bool freeze_defaults = false;
  // Inputs that become constants, too. Arrays named arr_0, arr_1... are used for the inputs in order.
  std::vector<NamedTensor> bind = {};
  // Whether batched matrix products are imported in TVM's default form, with the second matrix transposed.
  bool transposed_batch_matmul = true;
  // Whether operators are expanded to what ONNX defines where TVM's importer computes something else (see
  // docs/differences.md): ties of rounding, negative indices, overflow.
  bool exact = false;
  // Whether NaN goes through operators as ONNX defines it; in Relay the operand of a maximum that is a number wins.
  bool keeps_nan = false;
  // Whether nodes that are more than one call of Relay stay calls of ONNX's operators, which is for modules that become
  // ONNX again. Otherwise all are expanded.
  bool keep = false;
  // Whether RNN, GRU and LSTM stay calls, whose evaluation steps through time, in modules that are only evaluated.
  bool steps_recurrent = false;
  // The context that the module should share with other modules; null: a new one.
  std::shared_ptr<Context> context = nullptr;
};

// An input or output of the model.
struct OnnxValue {
  std::string name;
  // TensorProto.DataType; 0 if the model does not have one.
  int32_t element_type = 0;
  // For inputs: the parameter of @main; empty if the input was bound to a constant.
  std::string parameter = {};
};

// An imported ONNX model.
struct OnnxModule {
  Module module;
  // The inputs that are not weights, in order, including bound ones.
  std::vector<OnnxValue> inputs;
  std::vector<OnnxValue> outputs;
  // The weights in the order of the model, unless they were frozen.
  std::vector<NamedTensor> params;
};

// Whether the bytes begin like a serialized model. Models whose fields come in an unusual order are not recognized,
// except by the ending of their file name.
auto LooksLikeOnnx(std::string_view bytes) -> bool;

// Imports a model. Reports everything that Relay cannot express, as far as one run can find it, and returns nothing
// then. Weights are views of `source`, which the module keeps alive. `needs_values`, when not null, is set when an
// error says that the value of an input has to be known (OnnxOptions::bind).
auto ImportOnnx(const std::shared_ptr<const SourceText>& source, const OnnxOptions& options, DiagnosticSink& sink,
                bool* needs_values = nullptr) -> std::optional<OnnxModule>;

// An operator that a model uses: its domain (empty for ai.onnx), its name, the version of the operator set in the
// model, the number of its nodes, whether it can be imported, and for nodes that cannot, what has to be known.
struct OnnxOperator {
  std::string domain;
  std::string name;
  int64_t version = 0;
  size_t count = 0;
  bool is_supported = false;
  std::vector<std::string> refusals = {};
};
// Returns all operators that a model uses, sorted by domain and name; nothing, with an error, when the file is damaged.
auto ListOnnxOperators(const std::shared_ptr<const SourceText>& source, const OnnxOptions& options,
                       DiagnosticSink& sink) -> std::optional<std::vector<OnnxOperator>>;

// The number of nodes of a model, those of inner graphs included and Constant left out, altogether and of each kind,
// and the version of its operators, 0 if it uses none of ONNX's own.
struct OnnxCounts {
  uint64_t nodes = 0;
  int64_t opset = 0;
  std::map<std::string, uint64_t> kinds = {};
};
// Returns nothing if the source is not a model.
auto CountOnnxNodes(const SourceText& source) -> std::optional<OnnxCounts>;

// Converts an array from NumPy to the Relay type for the ONNX element type, and back. NumPy lacks bfloat16, which is
// passed as uint16 bits, and 4-bit integers, which are passed as float32 values.
auto FromNumPy(const Tensor& tensor, int32_t element_type) -> Tensor;
auto ToNumPy(const Tensor& tensor, int32_t element_type) -> Tensor;

// Parses a serialized TensorProto, the format in which ONNX's own tests keep their data.
auto ReadOnnxTensor(std::string_view bytes) -> Result<NamedTensor>;

}  // namespace relayopt
