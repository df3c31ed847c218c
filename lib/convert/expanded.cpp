// Expands operators of other systems.
#include "relayopt/convert/expanded.h"

#include "lib/convert/lower/prepare.h"
#include "lib/convert/onnx/foreign.h"

namespace relayopt {

auto Expanded(const Module& module) -> Module {
  if (!onnx::FirstNodeCall(module)) return module;
  Result<Module> expanded = PrepareFor(module, "ExpandOnnx,InferType");
  return expanded ? *std::move(expanded) : module;
}

}  // namespace relayopt
