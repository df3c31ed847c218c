// InstallDebugSpans: source ranges for a debugger. Ranges are not part of the text, so programs print as before.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/host_func.h"
#include "relayopt/module/functions.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNotOneHost{
    "debug-host-functions", Severity::kError,
    "InstallDebugSpans: there has to be one function for the host with a global symbol, "
    "and there are {}"};

struct InstallDebugSpansPass {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    int exposed = 0;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      if (IsHostFunc(func) && func.StringAttr("global_symbol")) ++exposed;
    }
    if (exposed != 1) return MakeDiagnostic(kNotOneHost, {}, exposed);
    return std::optional<Module>();
  }
};

}  // namespace

constinit const PassDef kInstallDebugSpansPass = DescribePass<InstallDebugSpansPass>({
    .name = "tir.InstallDebugSpans",
    .summary = "Check that there is one function to debug",
    .details =
        R"(The reference gives statements the lines of a listing as their source ranges, for a debugger of what is compiled from
them. The text of a program has no ranges: it stays as it is.)",
    .aliases = "tir.transform.InstallDebugSpans",
    .idempotent = true,
});

}  // namespace relayopt::tir
