// The cost of an operator call, computed from types alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "relayopt/core/context.h"
#include "relayopt/relay/ops/op_def.h"

namespace relayopt {

// An operator call without a function around it.
struct TypedCall {
  const Context& context;
  const OpDef& op;
  AttrsId attrs;
  // Each may be invalid.
  std::span<const TypeId> operands;
  TypeId result;
};

// The multiply-accumulate operations, as CallMacs counts them.
auto MacsOf(const TypedCall& call) -> std::optional<uint64_t>;

// A bound on the operations on elements that computing the call directly takes, up to a small factor; saturates.
// Convolutions, products and windows are counted in full, and so are comparisons of all pairs; every other operator
// looks at its operands and makes its result. Extents that are unknown count as 1.
auto WorkOf(const TypedCall& call) -> uint64_t;

}  // namespace relayopt
