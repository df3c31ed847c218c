// Which functions are for the host.
#pragma once

#include "lib/tir/transforms/utils/targets.h"

namespace relayopt::tir {

// Whether a function runs on the host: as the attribute tir.is_host_func says, else if its target has the key cpu.
inline auto IsHostFunc(const PrimFunc& func) -> bool {
  if (func.FindAttr("tir.is_host_func")) return func.IntAttr("tir.is_host_func") != 0;
  const std::optional<TargetView> target = TargetView::Of(func);
  return target && target->HasKey("cpu");
}

}  // namespace relayopt::tir
