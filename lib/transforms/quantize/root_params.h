// Functions that get or lose parameters.
#pragma once

#include <utility>
#include <vector>

#include "relayopt/ir/rebuild.h"

namespace relayopt {

// Emits the root of the old function with other parameters, which are expressions of the new function; its type is to be
// inferred.
inline auto EmitRoot(Rebuild& rebuild, std::vector<ExprId> params) -> ExprId {
  const Function& from = rebuild.from();
  params.push_back(rebuild.New(from.body()));
  const ExprId root = rebuild.to().Copy(from, from.root(), params);
  rebuild.to().SetType(root, TypeId());
  return root;
}

// The same with those of its parameters that `keeps(param)` is true of.
template <typename Keeps>
auto EmitRootWith(Rebuild& rebuild, Keeps&& keeps) -> ExprId {
  std::vector<ExprId> params;
  for (const ExprId param : rebuild.from().params()) {
    if (keeps(param)) params.push_back(rebuild.New(param));
  }
  return EmitRoot(rebuild, std::move(params));
}

}  // namespace relayopt
