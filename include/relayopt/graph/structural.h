// Comparing, hashing and walking graphs of objects, without recursion.
#pragma once

#include <string>
#include <vector>

#include "relayopt/graph/nodes.h"

namespace relayopt::graph {

// Where two graphs differ: the steps from the root on both sides, `.field` or `[index]`.
struct Mismatch {
  std::vector<std::string> lhs;
  std::vector<std::string> rhs;
};

// Whether two values are equal as the reference's StructuralEqual says: up to the names of bound variables; shared
// nodes only to nodes shared alike; free variables only to themselves, or with `map_free_vars` consistently to each
// other.
auto StructuralEqual(const Value& a, const Value& b, bool map_free_vars, Mismatch* mismatch = nullptr) -> bool;

// Equal values have equal hashes, in every run where nothing is free in them.
auto StructuralHash(const Value& value, bool map_free_vars) -> uint64_t;

// The expressions below one, operands before users, each once, as the reference's PostOrderVisit meets them.
auto PostOrder(const Ref<Object>& expr) -> std::vector<Ref<Object>>;

}  // namespace relayopt::graph
