// Modules written as ONNX models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt {

struct OnnxWriteOptions {
  // The version of the operators, 17 to 21. By default that of the model that was read, at least 18; an operator that
  // needs a newer one raises it.
  std::optional<int64_t> opset = {};
  // The name of the file beside the model that large tensors go to; empty keeps them inside.
  std::string external = {};
};

struct OnnxFile {
  std::string model;
  // The contents of the external file; empty where there is none.
  std::string external;
};

// Writes @main of a module as a model that onnx.checker accepts and onnxruntime runs. The module is prepared first:
// kernels are inlined, quantized operators written as integer arithmetic, operators that ONNX lacks as those that it
// has (LowerFor), and several that are one there as that one (CombineFor). Nothing when something has no form in ONNX;
// all of it is reported then, each operator once, with a count and its first place.
auto WriteOnnx(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink) -> std::optional<OnnxFile>;

// The same as lines for people.
auto WriteOnnxText(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink)
    -> std::optional<std::string>;

// The pipeline that prepares a module for WriteOnnx.
auto OnnxPipeline() -> std::string_view;

// How an operator is said in ONNX: the operators there, or nothing.
auto OnnxFormOf(std::string_view op) -> std::string;

}  // namespace relayopt
