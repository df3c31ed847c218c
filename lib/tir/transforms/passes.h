// The rows of the passes over tensor programs; each is defined in the file of its pass.
#pragma once

#include "relayopt/pass/pass.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

// Whether functions of the older kind of schedules, which have no blocks, stay as they are.
enum class OlderSchedules : uint8_t { kRewritten, kStay };

// A pass that runs the rewriter R over a function.
template <typename R, OlderSchedules kOlder = OlderSchedules::kRewritten>
struct RewriterPass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (kOlder == OlderSchedules::kStay && func.IntAttr("from_legacy_te_schedule") != 0)
      return std::optional<PrimFunc>();
    return R(func).RunOrFail();
  }
};

#define RELAYOPT_PASS(Name) extern const PassDef k##Name##Pass;
#include "lib/tir/transforms/passes.def"
#undef RELAYOPT_PASS

}  // namespace relayopt::tir
