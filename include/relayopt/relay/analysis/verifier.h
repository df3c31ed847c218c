// The rules that every function keeps.
#pragma once

#include <optional>
#include <string>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// A broken rule: where and which.
struct VerifierError {
  ExprId expr;
  std::string text;
};

// Checks that operands come before users, that every node has the operands its kind needs, that variables are bound
// once and used only inside the scope of their binder, that no variable is free, that no let value needs its own
// variable other than inside a function, that payloads name things that exist in `module`, and, with `need_types`, that
// every reachable node has a type. Nothing when all is well.
auto Verify(const Module& module, const Function& function, bool need_types) -> std::optional<VerifierError>;

}  // namespace relayopt
