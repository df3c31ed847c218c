// ToANormalForm: binds every intermediate result with let.
#include "let_builder.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

struct ToANormalForm {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    return RewriteFunctions(module, [&context](const Function& function) {
      return BindWithLet(function, ComputeScopes(function), nullptr, context);
    });
  }
};

}  // namespace

constinit const PassDef kToANormalFormPass = DescribePass<ToANormalForm>({
    .name = "ToANormalForm",
    .opt_level = 1,
    .summary = "binds every intermediate result with let",
    .details =
        R"(Afterwards the parts of every expression are variables or names; constants are bound as well. A shared expression is bound
once, in the innermost scope that holds all its uses.

  fn (%x, %c: bool) {                        fn (%x, %c: bool) {
    let %a = add(%x, 1f);                      let %x_0 = 1f;
    if (%c) { add(%a, %a) } else { %a }        let %a = add(%x, %x_0);
  }                                     =>     let %x_2 = if (%c) { let %x_1 = add(%a, %a); %x_1 } else { %a };
                                               let %x_3 = %x_2;
                                               %x_3
                                             }

Only names are introduced, and the order of bindings is an order in which the expressions could have been evaluated. The result of a
let is bound again, as in TVM, so that the pass is not idempotent; DeadCodeElimination<inline_once=true> removes the extra
names. Kernels (functions with Primitive) are bound but not entered, functions with Compiler are left alone.)",
});

}  // namespace relayopt
