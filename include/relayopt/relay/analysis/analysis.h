// What can be said about expressions, functions and modules without changing them. See also purity.h,
// post_dominators.h, match_coverage.h and verifier.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Variables below an expression, each once, in the order in which a walk from left to right meets them; a binder is met
// before what it binds.
struct VarSets {
  std::vector<ExprId> all;
  // Bound by a function, a let or a pattern below the expression.
  std::vector<ExprId> bound;
  std::vector<ExprId> free;
};
auto FindVars(const Function& function, ExprId id) -> VarSets;

// Type variables in the annotations and types below an expression, in the same order.
struct TypeVarSets {
  std::vector<TypeId> all;
  // Bound by a function literal or a generic function type.
  std::vector<TypeId> bound;
  std::vector<TypeId> free;
};
auto FindTypeVars(const Function& function, ExprId id) -> TypeVarSets;

// Who mentions whom, indexed by global: each callee once, in the order of the first mention. Globals without a function
// have none.
auto CallGraph(const Module& module) -> std::vector<std::vector<GlobalId>>;

// How often each operator is called, sorted by name. Functions with the attribute Primitive are not looked into.
auto CountOperators(const Module& module) -> std::vector<std::pair<const OpDef*, uint64_t>>;

// Multiplications with accumulation of one call of an operator: a convolution (counted as such when it is computed by
// Winograd's transform) or a product of matrices; 0 for other operators, nothing where the shapes are not known.
auto CallMacs(const Function& function, ExprId call) -> std::optional<uint64_t>;

// The parameters of a function that operators take for weights: operands that their rows call weight, bias, gamma, beta
// and the like, also behind operators that only rearrange one operand, and operands of calls whose callee is a function
// literal or a global function that takes them for weights. In the order of the parameters.
auto FindWeights(const Module& module, const Function& function) -> std::vector<ExprId>;

// Multiplications with accumulation in the convolutions and matrix products of a function, each expression once:
// nn.conv2d, nn.conv2d_transpose, nn.dense, nn.batch_matmul. Calls whose shapes are not known count nothing. Saturates.
auto CountMacs(const Function& function) -> uint64_t;

// Why a type has no meaning, such as an algebraic data type with the wrong number of arguments; nothing when it has
// one.
auto CheckKind(const Module& module, TypeId type) -> std::optional<std::string>;

}  // namespace relayopt
