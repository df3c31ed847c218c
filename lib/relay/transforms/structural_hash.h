// TVM's structural hash, which is part of the names of functions that it makes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Hashes the parts of a function literal one after the other. The value equals TVM's for literals without
// free variables, globals, types by name, patterns and literals inside them; TVM hashes the addresses of
// those.
class StructuralHash {
 public:
  // `bound` holds the variables that the literal binds, its parameters among them. It must outlive the hash.
  StructuralHash(const Function& function, const absl::flat_hash_set<ExprId>& bound)
      : function_(function), bound_(bound) {}

  // Hashes an expression whose operands have been hashed.
  void Add(ExprId id);
  // Gives an expression this value.
  void Set(ExprId id, uint64_t value) { values_[id] = value; }
  // Returns the hash of a literal whose parameters and body have been hashed.
  auto OfLiteral(ExprId literal) -> uint64_t;

 private:
  auto context() const -> const Context& { return function_.context(); }
  auto ValueOf(ExprId id) const -> uint64_t;
  auto OfList(std::span<const ExprId> ids) const -> uint64_t;
  auto OfVar(ExprId var) -> uint64_t;
  auto OfConstant(const Constant& constant) const -> uint64_t;
  auto OfCall(ExprId id) -> uint64_t;
  auto OfLet(ExprId id) -> uint64_t;
  // Returns the hash of a type; `defines` assigns numbers to type variables that occur for the first time.
  auto OfType(TypeId type, bool defines) -> uint64_t;
  auto OfTypeTerm(const Type& term) const -> uint64_t;
  auto OfAttrs(AttrsId attrs) const -> uint64_t;
  auto OfFunctionAttrs(const std::vector<FunctionAttr>& attrs) const -> uint64_t;
  // Hashes a node that takes part in numbering: expressions that are shared hash differently from equal copies.
  auto Count(uint64_t hash) -> uint64_t;

  const Function& function_;
  const absl::flat_hash_set<ExprId>& bound_;
  absl::flat_hash_map<ExprId, uint64_t> values_;
  absl::flat_hash_map<TypeId, uint64_t> types_;
  // An operator and its attributes.
  struct OperatorHash {
    uint64_t op = 0;
    uint64_t attrs = 0;
  };
  absl::flat_hash_map<OpInstanceId, OperatorHash> operators_;
  uint64_t next_node_ = 0;
  uint64_t next_var_ = 0;
};

}  // namespace relayopt
