// The flags about ONNX models, and running such models.
#pragma once

#include <span>
#include <vector>

#include "flags.h"
#include "relayopt/convert/format.h"
#include "reporter.h"

namespace relayopt {

// The flags about ONNX models that are read or written.
auto OnnxFormatFlags() -> std::span<const FlagDef>;

// Arrays that are named as the model names its inputs, for the parameters of @main; those that were bound are left out.
auto ForParameters(const OnnxModule& model, std::vector<NamedTensor> given) -> std::vector<NamedTensor>;

}  // namespace relayopt
