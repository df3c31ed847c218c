// The composite patterns of the external compilers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "relayopt/relay/pattern/pattern.h"

namespace relayopt {

// A pattern that becomes a composite function.
struct CompositePattern {
  std::string name;
  // As ParsePattern reads it.
  std::string pattern;
  // An additional check of the matched expression; null: none.
  auto(*check)(const Function& function, ExprId root) -> bool = nullptr;
};

// Returns the patterns of a compiler, best first; none of a compiler that has no table.
auto PatternsOf(std::string_view compiler) -> std::vector<CompositePattern>;

}  // namespace relayopt
