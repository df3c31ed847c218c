// Casts operands, each only once.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/analysis/emit.h"

namespace relayopt {

// Makes casts in the function being built and remembers them: one expression is cast to one type once, and casting a
// cast back gives the expression.
class CastCache {
 public:
  explicit CastCache(FunctionBuilder& to) : to_(to) {}

  // Returns a float tensor of type `from` as `wanted`.
  auto Cast(ExprId tensor, DataType from, DataType wanted) -> ExprId;

  // Returns an operand of type `type` with its floats cast to `wanted`: a tensor, or a tuple of tensors, which is
  // rebuilt if a field changes. Anything else stays.
  auto CastFloats(ExprId operand, TypeId type, DataType wanted) -> ExprId;

  // Returns the value with its floats cast such that it has type `target`. Values that are not floats stay, as do
  // values whose type differs in other ways.
  auto CastTo(ExprId value, TypeId target) -> ExprId;

 private:
  // The expression as another type; those of one expression are linked.
  struct Entry {
    DataType dtype;
    ExprId cast;
    uint32_t next = kEnd;
  };
  static constexpr uint32_t kEnd = UINT32_MAX;

  auto TypeOf(ExprId id) const -> TypeId { return to_.function().type(id); }
  auto Find(ExprId tensor, DataType wanted) const -> ExprId;
  void Remember(ExprId tensor, DataType wanted, ExprId cast);
  // The casts to one type; usually there are two.
  struct Target {
    DataType dtype;
    OpInstanceId cast;
    // The type of the result for each type of an operand.
    absl::flat_hash_map<TypeId, TypeId> results;
  };
  auto TargetFor(DataType wanted) -> Target&;
  auto EmitCast(ExprId tensor, DataType wanted) -> ExprId;

  FunctionBuilder& to_;
  std::vector<Entry> entries_;
  // Indexed by (new) expression; may be shorter than the function when later expressions have no casts.
  std::vector<uint32_t> first_entry_;
  std::vector<Target> targets_;
};

}  // namespace relayopt
