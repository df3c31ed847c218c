// Modules as models: @main with the names and types that users know of it.
#pragma once

#include <optional>

#include "model.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/convert/onnx/write.h"
#include "relayopt/module/module.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt::onnx::out {

// In operators of the version `opset`; that of the result is higher where some operator needs it, and then the model
// has to be written again. Nothing after an error. `names` are those of the model that the module was read from.
auto WriteModel(const Module& module, DiagnosticSink& sink, int64_t opset, const OnnxNames& names)
    -> std::optional<Model>;

// Prepares a module and writes it, in the version that the options, the model that was read, or its operators demand.
// Nothing after an error.
auto BuildModel(const Module& module, const OnnxWriteOptions& options, DiagnosticSink& sink) -> std::optional<Model>;

}  // namespace relayopt::onnx::out
