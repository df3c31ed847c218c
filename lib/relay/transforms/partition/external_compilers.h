// The external compilers that AnnotateTarget knows, and the operators that each supports.
#pragma once

#include <string_view>
#include <vector>

#include "relayopt/relay/ir/function.h"

namespace relayopt {

// An external compiler to which functions can be offloaded.
struct ExternalCompiler {
  std::string_view name;
  // Whether it supports this kOpCall.
  auto(*supports)(const Function& function, ExprId call) -> bool;
};

// Returns the names of those that are built in.
auto ExternalCompilerNames() -> std::vector<std::string_view>;
// Returns the compiler of this name, or null: then it takes only the composite functions that are named for it.
auto FindExternalCompiler(std::string_view name) -> const ExternalCompiler*;

}  // namespace relayopt
