// Queries about attributes of global functions.
#include "relayopt/relay/ir/function_attrs.h"

namespace relayopt {

auto IsExternal(const Function& function) -> bool {
  const ExprId root = function.root();
  return CompilerAttr(function, root) || function.IntAttr(root, attr::kExtern) != 0;
}

auto IsSkippedByFunctionPasses(const Function& function) -> bool {
  return IsExternal(function) || function.IntAttr(function.root(), attr::kSkipOptimization) != 0;
}

}  // namespace relayopt
