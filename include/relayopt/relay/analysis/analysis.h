// Analyses of expressions, functions and modules. See also purity.h, post_dominators.h, match_coverage.h and
// verifier.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// The variables in an expression, each once, in the order of a walk from left to right in which a binder precedes its
// body.
struct VarSets {
  std::vector<ExprId> all;
  // The variables that a function, a let or a pattern in the expression binds.
  std::vector<ExprId> bound;
  std::vector<ExprId> free;
};
auto FindVars(const Function& function, ExprId id) -> VarSets;

// The type variables in the annotations and types in an expression, in the same order.
struct TypeVarSets {
  std::vector<TypeId> all;
  // The type variables that a function literal or a generic function type binds.
  std::vector<TypeId> bound;
  std::vector<TypeId> free;
};
auto FindTypeVars(const Function& function, ExprId id) -> TypeVarSets;

// Returns the global functions that each function refers to, indexed by global: each once, in the order of first
// occurrence. Empty for globals without a function.
auto CallGraph(const Module& module) -> SideTable<GlobalId, std::vector<GlobalId>>;

// How often each operator is called, sorted by name. Does not look into functions with the attribute Primitive.
auto CountOperators(const Module& module) -> std::vector<std::pair<const OpDef*, uint64_t>>;

// The multiply-accumulate operations of one operator call: those of a convolution (counted as a direct one even when it
// is computed by Winograd's method) or a matrix product; 0 for other operators; nothing when the shapes are unknown.
auto CallMacs(const Function& function, ExprId call) -> std::optional<uint64_t>;

// Returns the parameters that operators use as weights, in the order of the parameters: as operands that the operators'
// rows call weight, bias, gamma, beta or the like. Follows operators that only rearrange their operand, and calls of
// function literals and global functions that use their own parameter as a weight.
auto FindWeights(const Module& module, const Function& function) -> std::vector<ExprId>;

// Returns the sum of multiply-accumulate operations (CallMacs) of a function, with each expression counted once: for
// nn.conv2d, nn.conv2d_transpose, nn.dense and nn.batch_matmul. Calls with unknown shapes count nothing. Saturates.
auto CountMacs(const Function& function) -> uint64_t;

// Why a type is ill-formed, such as an algebraic data type with the wrong number of arguments; returns nothing if it is
// well-formed.
auto CheckKind(const Module& module, TypeId type) -> std::optional<std::string>;

}  // namespace relayopt
