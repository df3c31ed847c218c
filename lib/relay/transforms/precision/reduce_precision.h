// Rewrites a function to compute in a narrower float type.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "lib/relay/transforms/pass_remarks.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/transforms/lost_constants.h"

namespace relayopt {

struct ReducedFunction {
  Function function;
  // How often operators without a precision category were called, by name.
  std::map<std::string_view, size_t> missing;
  // Constants of operators that stay in float32 although they need more, and the type in which they lose their value.
  struct Lost {
    SourceRange range;
    std::string_view op;
    LostElement element;
  };
  std::vector<Lost> lost;
};

// Returns `function` with what benefits from it computed in `reduced`. Without `keeps_result` its type may change.
auto ReducePrecision(const Function& function, DataType reduced, bool keeps_result, PassRemarks& remarks)
    -> ReducedFunction;

}  // namespace relayopt
