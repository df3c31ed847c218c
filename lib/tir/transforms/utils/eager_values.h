// Whether a value may be computed where the program does not compute it.
#pragma once

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// In scalar code, Select, And and Or compute only what they need. On vectors they compute all lanes of their operands,
// also those that no lane chooses: a load outside of its buffer or a division by zero there would be a new fault.
class EagerValues {
 public:
  // `func` outlives this.
  explicit EagerValues(const PrimFunc& func) : func_(func), terms_(func.terms()) {}

  // Whether all loads of the value are proved to be inside of their buffers and no divisor to be zero, for all values
  // of the loops and threads around. Guards by Select and if_then_else inside are not considered.
  auto IsSafe(PrimExpr value) -> bool;

 private:
  void BindLoops();
  auto IsSafeNode(PrimExpr value) -> bool;
  auto IsInside(PrimExpr load) -> bool;

  const PrimFunc& func_;
  const Terms& terms_;
  // Knows the ranges of loops and threads; created on first use.
  std::optional<arith::Analyzer> analyzer_;
  absl::flat_hash_map<PrimExpr, bool> safe_;
};

}  // namespace relayopt::tir
