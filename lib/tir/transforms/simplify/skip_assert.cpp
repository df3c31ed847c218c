// SkipAssert: assertions are replaced by their bodies.
#include "lib/tir/transforms/passes.h"

namespace relayopt::tir {

namespace {

class AssertSkipper : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    const auto assertion = stmt.As<AssertStmt>();
    if (!assertion || !MayRewrite(stmt.range(), "an assertion", "its body")) return Descent::Into();
    return Descent::Instead(assertion->body());
  }
};

}  // namespace

constinit const PassDef kSkipAssertPass = DescribePass<RewriterPass<AssertSkipper>>({
    .name = "tir.SkipAssert",
    .summary = "Remove assertions",
    .details = R"(  assert n == 4, "n"    ->    A[0] = n
  A[0] = n)",
    .aliases = "tir.transform.SkipAssert",
    .idempotent = true,
});

}  // namespace relayopt::tir
