// The interface for the rules of Legalize, and their helpers.
#pragma once

#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/target/target.h"

namespace relayopt {

// A call that a rule looks at.
struct LegalizeCall : CallView {
  FunctionBuilder& to;
  // The new operands.
  std::vector<ExprId> args;
  const Target& target;
};

// Padding as builders write it: before each spatial axis, then after each.
inline void SpellOutPadding(DimList& padding, size_t spatial) {
  if (padding.size() == 1) padding.values.assign(2 * spatial, padding[0]);
  if (padding.size() != spatial) return;
  const std::vector<Dim> before = padding.values;
  padding.values.insert(padding.values.end(), before.begin(), before.end());
}

}  // namespace relayopt
