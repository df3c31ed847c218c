// LowerCustomDatatypes: types that a user registers become integers. Text cannot register any, so programs stay as they
// are; a type `custom[...]` is an error where it is read.
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoCustomTarget{"custom-target", Severity::kError,
                                         "LowerCustomDatatypes: the function @{} has no attribute target"};

struct LowerCustomDatatypesPass {
  auto Run(const Module& module, GlobalId id, const PrimFunc& func, PassContext&) const
      -> Result<std::optional<PrimFunc>> {
    if (!TargetView::Of(func)) return MakeDiagnostic(kNoCustomTarget, module.global(id).range, module.name(id));
    return std::optional<PrimFunc>();
  }
};

}  // namespace

constinit const PassDef kLowerCustomDatatypesPass = DescribePass<LowerCustomDatatypesPass>({
    .name = "tir.LowerCustomDatatypes",
    .summary = "Lower custom data types; none are registered",
    .details =
        R"(Programs stay as they are: no text can register a data type. The function needs a target, as in TVM.)",
    .aliases = "tir.transform.LowerCustomDatatypes",
    .idempotent = true,
});

}  // namespace relayopt::tir
