// RemoveStandaloneReshapes: removes functions that @main does not reach.
#include "relayopt/pass/registry.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

struct RemoveStandaloneReshapes {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    const GlobalId main = module.FindGlobal("main");
    if (!main || module.function<Function>(main) == nullptr) return std::nullopt;
    RELAYOPT_TRY(const PassRef remove, GetPass("RemoveUnusedFunctions"));
    Module result = module;
    RELAYOPT_TRY(const bool changed, remove->Apply(result, context));
    if (!changed) return std::nullopt;
    return result;
  }
};

}  // namespace

constinit const PassDef kRemoveStandaloneReshapesPass = DescribePass<RemoveStandaloneReshapes>({
    .name = "RemoveStandaloneReshapes",
    .opt_level = 0,
    .summary = "removes functions that @main does not reach",
    .details =
        R"(In modules that have been lowered to kernels the pass drops calls of kernels that only reshape. Such
modules have no text form, so on Relay text it does what it does after that: it removes the functions that @main
does not reach, as RemoveUnusedFunctions does. A module without @main stays as it is.)",
    .idempotent = true,
});

}  // namespace relayopt
