// Purity: which expressions may be removed, moved or evaluated twice.
#pragma once

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Two facts about an expression. The second matters for values that are functions; other values count as pure to call.
struct Purity {
  // Whether evaluating the expression has no effect, and does not depend on effects.
  bool eval = true;
  // Whether calling its value has no effect.
  bool call = true;
};

// Purity of whole modules: functions that call each other are looked at together.
//
// As TVM: reading and writing a reference is impure, creating one is pure; a stateful operator is impure
// to call; a function parameter or pattern variable of function type is impure to call, and so is a function that comes
// out of a call, a tuple or a reference; recursion is pure unless something else in it is not. Calling a global without
// a definition is impure.
//
// Ask the module for it: `module.Analysis<PurityAnalysis>()`.
class PurityAnalysis {
 public:
  explicit PurityAnalysis(const Module& module);

  // Returns the purity of every expression of a function, which must have its types.
  auto Analyze(const Function& function) const -> SideTable<ExprId, Purity>;

 private:
  // Whether calling the global is pure.
  SideTable<GlobalId, bool> global_pure_;
};

}  // namespace relayopt
