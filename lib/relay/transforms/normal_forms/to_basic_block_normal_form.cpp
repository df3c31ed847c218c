// ToBasicBlockNormalForm: binds values that several blocks share in the block around them.
#include "let_builder.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Returns the expressions whose scope is not the one in which they are first used, "first" in the order of the text:
// callee and arguments from left to right, condition, then, else.
auto FindLifted(const Function& function, const Scopes& scopes) -> SideTable<ExprId, bool> {
  struct Frame {
    ExprId expr;
    size_t next;
  };
  SideTable<ExprId, bool> lifted(function.size());
  SideTable<ExprId, bool> seen(function.size());
  std::vector<Frame> stack = {{function.root(), 0}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == function.operands(frame.expr).size()) {
      stack.pop_back();
      continue;
    }
    const size_t i = frame.next++;
    const ExprId operand = function.operand(frame.expr, i);
    if (seen[operand]) continue;
    seen[operand] = true;
    lifted[operand] = UseScope(function, scopes, frame.expr, i) != scopes.of[operand];
    stack.push_back({operand, 0});
  }
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
