// Writing modules as ONNX models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/core/constant.h"
#include "relayopt/module/module.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

// How an ONNX model is written.
struct OnnxWriteOptions {
  // The version of the operator set, 7 to 21. The default is that of the model that was read, and 18 for other modules;
  // it is raised when an operator needs a newer one.
  std::optional<int64_t> opset = {};
  // The name of the file beside the model for large tensors; empty keeps them in the model.
  std::string external = {};
};

// The elements of a tensor, and where they are in the file beside a model.
struct OnnxTensorBytes {
  uint64_t offset = 0;
  ElementBytes bytes;
};

// The bytes of an ONNX model, and of the file beside it.
struct OnnxFile {
  std::string model;
  // The tensors of the external file by their offsets, with zeros between them; empty if there is none. They are valid
  // as long as the module that was written.
  std::vector<OnnxTensorBytes> external;
};

// Writes @main of a module as a model that onnx.checker accepts and onnxruntime can run. The module is first prepared:
// kernels are inlined, quantized operators lowered to integer arithmetic, operators that ONNX lacks expressed by others
// (LowerFor), and groups of operators that ONNX has as a single one combined (CombineFor). Nothing when the module
// cannot be expressed; every operator without a form in ONNX is then reported once, with its count and first range.
auto WriteOnnx(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink) -> std::optional<OnnxFile>;

// The same as text for people.
auto WriteOnnxText(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink)
    -> std::optional<std::string>;

// Returns the pipeline that prepares a module for WriteOnnx.
auto OnnxPipeline() -> std::string_view;

// How an operator is expressed in ONNX: the operators used there, or the empty string.
auto OnnxFormOf(std::string_view op) -> std::string;

}  // namespace relayopt
