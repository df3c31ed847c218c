// The rules that every tensor program keeps.
#pragma once

#include <optional>
#include <string>

#include "relayopt/tir/ir/prim_func.h"

namespace relayopt::tir {

struct VerifierError {
  // The statement that breaks the rule.
  StmtId stmt;
  std::string text;
};

// Checks what the reference checks when it makes a statement: types of values, conditions and bounds, the number of
// indices, of block bindings, and that the table is laid out. Nothing when all is well. Variables that nobody defines
// are fine, as everywhere in TIR.
auto Verify(const PrimFunc& func) -> std::optional<VerifierError>;

}  // namespace relayopt::tir
