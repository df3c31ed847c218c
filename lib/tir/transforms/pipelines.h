// The named pipelines of tensor programs.
#pragma once

#include <span>

#include "relayopt/pass/registry.h"

namespace relayopt::tir {

// `default<tir>` and the others, rows that live for ever.
auto TirPipelines() -> std::span<const NamedPipeline>;

}  // namespace relayopt::tir
