// Structural comparison, hashing and traversal of object graphs, without recursion.
#pragma once

#include <string>
#include <vector>

#include "relayopt/graph/nodes.h"

namespace relayopt::graph {

// The position at which two graphs differ: the paths from their roots, as steps `.field` or `[index]`.
struct Mismatch {
  std::vector<std::string> lhs;
  std::vector<std::string> rhs;
};

// Whether two values are structurally equal, as TVM's StructuralEqual defines it: names of bound variables
// are ignored, shared nodes must be shared alike, and a free variable equals only itself, or with `map_free_vars` is
// mapped consistently to one of the other side.
auto StructuralEqual(const Value& a, const Value& b, bool map_free_vars, Mismatch* mismatch = nullptr) -> bool;

// A hash that is equal for structurally equal values. It is the same in every run unless the value has free variables.
auto StructuralHash(const Value& value, bool map_free_vars) -> uint64_t;

// The expressions in an expression: operands before users, each once, in the order of TVM's PostOrderVisit.
auto PostOrder(const Ref<Object>& expr) -> std::vector<Ref<Object>>;

}  // namespace relayopt::graph
