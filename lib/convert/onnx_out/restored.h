// Operators of ONNX that models spell out.
#pragma once

#include <span>

#include "forms.h"

namespace relayopt::onnx::out {

// Returns the rows of OnnxPatterns that are found by what a reader takes out of them.
auto RestoredPatterns() -> std::span<const OnnxPattern>;

}  // namespace relayopt::onnx::out
