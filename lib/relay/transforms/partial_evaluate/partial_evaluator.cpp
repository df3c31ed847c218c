// Partial evaluation of a module.
#include "partial_evaluator.h"

#include "partial_machine.h"

namespace relayopt {

auto PartiallyEvaluate(const Module& module, PassContext& context) -> Module {
  return partial::Machine(module, context).Run();
}

}  // namespace relayopt
