// Expands operators of other systems.
#include "relayopt/convert/expanded.h"

#include "lib/convert/lower/prepare.h"
#include "lib/convert/onnx/foreign.h"

namespace relayopt {

auto Expanded(const Module& module) -> Module {
  if (!onnx::FirstNodeCall(module)) return module;
  // A weight in another form costs nothing, and takes long to compute.
  Result<Module> expanded = PrepareFor(module, "ExpandOnnx<max_folded=65536>,InferType");
  if (!expanded) return module;
  return *std::move(expanded);
}

}  // namespace relayopt
