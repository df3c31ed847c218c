// Finds the values that a match does not handle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// A pattern without variables. The first node is the root; children are indices of later nodes.
struct CaseNode {
  PatternKind kind = PatternKind::kWildcard;
  CtorId ctor;
  std::vector<uint32_t> children;
};
using MatchCase = std::vector<CaseNode>;

// Patterns that together cover the values which no clause of the match handles; returns empty if the match is
// exhaustive. At most `limit` are returned. Deciding exhaustiveness takes exponential time in general: after a fixed
// effort the rest counts as handled.
auto FindUnmatchedCases(const Module& module, const Function& function, ExprId match, size_t limit)
    -> std::vector<MatchCase>;
// The first three of them, written as in Relay text with `_` for anything.
auto UnmatchedCases(const Module& module, const Function& function, ExprId match) -> std::vector<std::string>;

}  // namespace relayopt
