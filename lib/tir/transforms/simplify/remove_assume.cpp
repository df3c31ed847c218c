// RemoveAssume: removes assumptions, and the code that is only needed by them.
#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/pass/registry.h"

namespace relayopt::tir {

namespace {

class AssumeRemover : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    const auto evaluate = stmt.As<Evaluate>();
    const bool assume = evaluate && terms().IsCall(evaluate->value(), terms().Intrinsic("tir.assume"_intrin));
    return assume ? Descent::Done({}) : Descent::Into();
  }
};

struct RemoveAssumeInternal {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    return AssumeRemover(func).Run();
  }
};

auto CreateRemoveAssume(const PassDef& def, const PassOptions&) -> Result<PassRef> {
  std::vector<PassRef> passes;
  passes.push_back(MakePass(PassInfo{0, "tir.RemoveAssumeInternal", {}}, RemoveAssumeInternal{}));
  RELAYOPT_TRY(PassRef clean_up, CreatePass(kRemoveNoOpPass));
  passes.push_back(std::move(clean_up));
  return PassRef(std::make_shared<Sequential>(std::move(passes), InfoOf(def)));
}

}  // namespace

constinit const PassDef kRemoveAssumePass = {
    .name = "tir.RemoveAssume",
    .summary = "Remove assumptions",
    .details = R"(  T.assume(n > 0)    ->    A[0] = n
  A[0] = n

RemoveNoOp cleans up behind it: a loop of assumptions goes with them.)",
    .aliases = "tir.transform.RemoveAssume",
    .create = CreateRemoveAssume,
};

}  // namespace relayopt::tir
