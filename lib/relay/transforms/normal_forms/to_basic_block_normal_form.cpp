// ToBasicBlockNormalForm: binds values that several blocks share in the block around them.
#include "let_builder.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/depth_first.h"

namespace relayopt {

namespace {

// Returns the expressions whose scope is not the one in which they are first used, "first" in the order of the text:
// callee and arguments from left to right, condition, then, else.
auto FindLifted(const Function& function, const Scopes& scopes) -> SideTable<ExprId, bool> {
  SideTable<ExprId, bool> lifted(function.size());
  SideTable<ExprId, bool> seen(function.size());
  const auto enter = [&](ExprId id) {
    if (seen[id]) return false;
    seen[id] = true;
    return true;
  };
  const auto count = [&](ExprId id) { return function.operands(id).size(); };
  const auto operand = [&](ExprId id, size_t i) {
    const ExprId found = function.operand(id, i);
    if (!seen[found]) lifted[found] = UseScope(function, scopes, id, i) != scopes.of[found];
    return found;
  };
  WalkDepthFirst(function.root(), enter, count, operand, [](ExprId) {});
  return lifted;
}

struct ToBasicBlockNormalForm {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    return RewriteFunctions(module, [&context](const Function& function) {
      const Scopes scopes = ComputeScopes(function);
      const SideTable<ExprId, bool> lifted = FindLifted(function, scopes);
      return BindWithLet(function, scopes, &lifted, context);
    });
  }
};

}  // namespace

constinit const PassDef kToBasicBlockNormalFormPass = DescribePass<ToBasicBlockNormalForm>({
    .name = "ToBasicBlockNormalForm",
    .opt_level = 1,
    .summary = "binds values that several blocks share with let",
    .details =
        R"(Blocks are function bodies, branches of an if, right-hand sides of match clauses and let bodies. An expression that is used
first in an inner block and also elsewhere is bound by let in the innermost block around all its uses; within a block expressions stay a
graph.

  %0 = add(%x, 1f);                              let %x_1 = add(%x, 1f);
  if (%c) { multiply(%0, 2f) } else { %0 }   =>  if (%c) { multiply(%x_1, 2f) } else { %x_1 }

An expression that is used in the outer block first stays a shared expression, as in TVM. Kernels (functions with
Primitive) are not entered, functions with Compiler are left alone.)",
});

}  // namespace relayopt
