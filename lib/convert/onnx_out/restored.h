// ONNX operators that models spell out.
#pragma once

#include <span>

#include "forms.h"

namespace relayopt::onnx::out {

// Returns the rows of OnnxPatterns that are recognized by a reader.
auto RestoredPatterns() -> std::span<const OnnxPattern>;

}  // namespace relayopt::onnx::out
