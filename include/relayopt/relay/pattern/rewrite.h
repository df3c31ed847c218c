// Rewrites, or cuts out, the parts of a function that match a pattern.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/pattern/grouper.h"
#include "relayopt/support/result.h"

namespace relayopt {

// What to do with each match of a pattern.
struct DFPatternCallback {
  DFPattern pattern;
  // Emits the replacement of the root of `group`; an invalid id leaves the match as it is. Operands have already been
  // rewritten: `rebuild.New` maps matched expressions to their new ids.
  std::function<ExprId(Rebuild& rebuild, const PatternGroup& group)> rewrite;
  // Whether the callback is no longer tried once it has changed something.
  bool rewrite_once = false;
};

// Applies the callbacks in turn, each to all matches at once, until none changes anything. Returns nothing if there was
// no change; an error when the rewriting does not terminate.
auto RewritePatterns(std::span<const DFPatternCallback> callbacks, const Function& function)
    -> Result<std::optional<Function>>;

// Replaces every match of `pattern` whose root `check` accepts by a call of a function literal. Its parameters are the
// inputs, named `FunctionVar_<group>_<input>`; it has the attribute PartitionedFromPattern, and `attrs`. Returns
// nothing if there is no such match.
auto PartitionPattern(DFPattern pattern, const Function& function, std::span<const FunctionAttr> attrs,
                      const std::function<bool(const Function&, ExprId)>& check) -> std::optional<Function>;

}  // namespace relayopt
