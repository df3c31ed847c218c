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
// The same if a variable is defined again where it is known already, or by a Let in an expression and elsewhere, too;
// nothing otherwise. Passes that note what they know of a variable begin with this. Sibling definitions do not count: a
// later one takes the place of an earlier one.
auto SeparateScopes(const PrimFunc& func) -> std::optional<PrimFunc>;
// The same as ConvertSSA for all functions of a module: the entry function first, then the others in the order of the
// text.
auto ConvertSSA(const Module& module) -> std::optional<Module>;

}  // namespace relayopt::tir
