// Nodes of ONNX in other versions of the operator set.
#pragma once

#include <optional>
#include <string>

#include "relayopt/module/module.h"
#include "relayopt/support/result.h"

namespace relayopt::onnx::out {

// Returns the module with nodes of this version of the operator set, as far as they have a form in it: those that mean
// something else there are expanded.
auto InVersion(const Module& module, int64_t opset) -> Result<Module>;

// Returns the first node that means something else in this version, or nothing if there is none.
struct OtherVersion {
  std::string op_type;
  // The version next to the one that is written in which it means the same as in its own.
  int64_t version = 0;
};
auto NodeOfOtherVersion(const Module& module, int64_t opset) -> std::optional<OtherVersion>;

}  // namespace relayopt::onnx::out
