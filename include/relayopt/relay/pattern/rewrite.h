// Rewriting and cutting out what looks like a pattern.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/pattern/grouper.h"
#include "relayopt/support/result.h"

namespace relayopt {

// What to do with each place that looks like a pattern.
struct DFPatternCallback {
  DFPattern pattern;
  // Emits what the root of `group` becomes; none leaves it as it is. Operands were rewritten before: `rebuild.New` of
  // what was matched.
  std::function<ExprId(Rebuild& rebuild, const PatternGroup& group)> rewrite;
  // Not tried again once it changed something.
  bool rewrite_once = false;
};

// Applies the callbacks in turn, each to all places at once, until none changes anything. Nothing when nothing changed;
// an error when there is no end to it.
auto RewritePatterns(std::span<const DFPatternCallback> callbacks, const Function& function)
    -> Result<std::optional<Function>>;

// Makes every place that looks like `pattern`, and whose root `check` accepts, a call of a function literal with the
// inputs as parameters, `FunctionVar_<group>_<input>`, and the attributes PartitionedFromPattern and `attrs`. Nothing
// when there is no such place.
auto PartitionPattern(DFPattern pattern, const Function& function, std::span<const FunctionAttr> attrs,
                      const std::function<bool(const Function&, ExprId)>& check) -> std::optional<Function>;

}  // namespace relayopt
