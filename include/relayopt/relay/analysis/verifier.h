// The verifier: checks the rules that every function must keep.
#pragma once

#include <optional>
#include <string>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// A broken rule and the expression that breaks it.
struct VerifierError {
  ExprId expr;
  std::string text;
};

// Checks that operands precede their users; that every node has the operands its kind needs; that variables are bound
// once, used only in the scope of their binder, and never free; that a let value uses its own variable only inside a
// function; and that payloads refer to things that exist in `module`. Returns nothing if all rules are kept.
auto Verify(const Module& module, const Function& function) -> std::optional<VerifierError>;

// Checks that every expression has a type. Returns nothing if so.
auto VerifyTypes(const Function& function) -> std::optional<VerifierError>;

}  // namespace relayopt
