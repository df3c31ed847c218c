// Copies kernels into functions with other variables and types.
#pragma once

#include <vector>

#include "lib/relay/transforms/expr_copier.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

// Copies the kernel (a function literal) from one function to another. What it captures becomes `captured(variable)`;
// its parameters and result get the types `map(type)`. Types inside are left to inference.
template <typename Captured, typename MapType>
auto CopyKernel(const Function& from, ExprId kernel, FunctionBuilder& to, Captured&& captured, MapType&& map)
    -> ExprId {
  ExprCopier copier(from, to);
  for (const ExprId var : FindVars(from, kernel).free) copier.Set(var, captured(var));
  bool changes = false;
  for (const ExprId param : from.params(kernel)) {
    VarInfo info = from.var(param);
    if (!info.annotation) info.annotation = from.type(param);
    const TypeId type = map(info.annotation);
    if (type == info.annotation) continue;
    info.annotation = type;
    copier.Set(param, to.Var(info));
    to.SetType(copier.Copy(param), type);
    changes = true;
  }
  FunctionInfo info = from.info(kernel);
  info.result = map(info.result);
  if (!changes && info.result == from.info(kernel).result) return copier.Copy(kernel);
  const auto params = MapToVector<ExprId>(from.params(kernel), [&](ExprId param) { return copier.Copy(param); });
  return to.Lambda(std::move(info), params, copier.Copy(from.body(kernel)));
}

}  // namespace relayopt
