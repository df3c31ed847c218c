// Adds parameters to functions, and removes them.
#pragma once

#include <utility>
#include <vector>

#include "relayopt/relay/ir/rebuild.h"

namespace relayopt {

// Emits the root of `from` with other parameters and another body, which are expressions of `to`. Its type has to be
// inferred.
inline auto EmitRoot(FunctionBuilder& to, const Function& from, std::vector<ExprId> params, ExprId body) -> ExprId {
  params.push_back(body);
  const ExprId root = to.Copy(from, from.root(), params);
  to.SetType(root, TypeId());
  return root;
}

// Emits the old root with those of its parameters that `keeps(param)` is true of.
template <typename Keeps>
auto EmitRootWith(Rebuild& rebuild, Keeps&& keeps) -> ExprId {
  std::vector<ExprId> params;
  for (const ExprId param : rebuild.from().params()) {
    if (keeps(param)) params.push_back(rebuild.New(param));
  }
  return EmitRoot(rebuild.to(), rebuild.from(), std::move(params), rebuild.New(rebuild.from().body()));
}

}  // namespace relayopt
