// Callbacks by which a program that embeds the library can influence some passes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

class LayoutRuleContext;

// A place in a function that looks like a composite pattern.
struct CompositeMatch {
  // The name of the composite.
  std::string name;
  // The expressions that it covers, in any order; what wildcards of the pattern stand for is not among them.
  std::vector<ExprId> inside;
};

// The callbacks; a context has them among its instruments. When one is empty or returns nothing, the pass decides by
// its own tables. A pass that runs on several threads calls them from all of these at once.
struct PassCallbacks : PassInstrument {
  // AnnotateTarget: whether an external compiler supports a kOpCall of the function.
  std::function<std::optional<bool>(std::string_view compiler, const Function& function, ExprId call)> supports;
  // AlterOpLayout and ConvertLayout: the replacement (operator and attributes) of a kOpCall that has the attributes
  // `attrs` so far.
  std::function<std::optional<OpInstance>(const Function& function, ExprId call, AttrsId attrs)> choose_layout;
  // Layout passes: the layout rule of an operator, in the place of the one that its row names. True and false are those
  // of a LayoutRule.
  std::function<std::optional<bool>(const OpDef& op, LayoutRuleContext& rule)> infer_layout;
  // EliminateCommonSubexpr: whether a kOpCall or a projection is left alone.
  std::function<std::optional<bool>(const Function& function, ExprId expr)> skips;
  // CollagePartition: where a function looks like the patterns of an external compiler, by pattern and then by place.
  std::function<std::optional<std::vector<CompositeMatch>>(std::string_view compiler, const Function& function)>
      composite_matches;
  // CollagePartition: the seconds that @main of a module takes on a target; infinity where that cannot compute it.
  std::function<std::optional<double>(const Module& module, std::string_view target)> estimate_cost;
};

// Returns the estimate that CollagePartition makes by itself: in each function the first operator costs `cost`, every
// further one nine tenths of the one before.
auto CostByCounting(const Module& module, double cost) -> double;

// Returns the callbacks of a context, or null if it has none.
auto CallbacksOf(const PassContext& context) -> const PassCallbacks*;

}  // namespace relayopt
