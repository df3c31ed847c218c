// InferType: infers the type of every expression.
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

constinit const PassDef kInferTypePass = {
    .name = "InferType",
    .summary = "infers the type of every expression",
    .details = R"(Finds the type of every expression of every function, fills in result types and annotations that are
missing, and reports what does not fit together. Function passes run it after themselves, and Sequential runs it before
passes that require it.

  def @main(%x: Tensor[(2), float32]) {
    nn.relu(%x)
  }

becomes

  def @main(%x: Tensor[(2), float32] /* ty=Tensor[(2), float32] */) -> Tensor[(2), float32] {
    nn.relu(%x) /* ty=Tensor[(2), float32] */
  }

Only types change. A module whose functions are those of the last time is left alone.)",
    .idempotent = true,
    .kind = PassKind::kModule,
    .create = [](const PassDef&, const PassOptions&) -> Result<PassRef> { return InferTypePass(); },
};

}  // namespace relayopt
