// The verifier of tensor programs: checks the rules that every PrimFunc must keep.
#pragma once

#include <optional>
#include <string>

#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

// A broken rule.
struct VerifierError {
  // The statement that breaks the rule.
  StmtId stmt;
  std::string text;
};

// Checks what TVM checks when it makes a statement (types of values, conditions and bounds, the numbers of indices and
// block bindings), and that the table is laid out. Returns nothing if all rules are kept. Undefined variables are
// allowed, as everywhere in TIR.
auto Verify(const PrimFunc& func) -> std::optional<VerifierError>;

}  // namespace relayopt::tir
