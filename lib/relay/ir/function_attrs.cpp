// What attributes of functions mean.
#include "relayopt/relay/ir/function_attrs.h"

namespace relayopt {

auto IsSkippedByFunctionPasses(const Function& function) -> bool {
  const ExprId root = function.root();
  return function.StringAttr(root, "Compiler").has_value() || function.IntAttr(root, "Extern") != 0 ||
         function.IntAttr(root, "SkipOptimization") != 0;
}

}  // namespace relayopt
