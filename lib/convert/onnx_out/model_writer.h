// A prepared module as a model: @main with the names and types that users know of it.
#pragma once

#include <optional>

#include "model.h"
#include "relayopt/convert/onnx/interface.h"
#include "relayopt/module/module.h"
#include "relayopt/support/diagnostic.h"

namespace relayopt::onnx::out {

// In operators of the version `opset`; that of the result is higher where some operator needs it, and then the model
// has to be written again. Nothing after an error. `names` are those of the model that the module was read from.
auto WriteModel(const Module& module, DiagnosticSink& sink, int64_t opset, const OnnxNames& names)
    -> std::optional<Model>;

}  // namespace relayopt::onnx::out
