// Gives every variable a single definition.
#pragma once

#include <optional>

#include "absl/container/flat_hash_set.h"
#include "relayopt/tir/ir/rewrite.h"

namespace relayopt::tir {

// The function with a separate variable for every definition; nothing if it has that form already. `defined` contains
// the variables that other functions define; those of this function are added. Passes that copy statements end with
// this.
auto ConvertSSA(const PrimFunc& func, absl::flat_hash_set<PrimExpr>& defined) -> std::optional<PrimFunc>;
auto ConvertSSA(const PrimFunc& func) -> std::optional<PrimFunc>;
// The same for all functions of a module: the entry function first, then the others in the order of the text.
auto ConvertSSA(const Module& module) -> std::optional<Module>;

}  // namespace relayopt::tir
