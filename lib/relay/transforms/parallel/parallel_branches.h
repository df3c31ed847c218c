// Merges calls of one operator on the same input, and the operators that follow each of them, into calls on
// concatenated arguments.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// What calls must have in common besides operator and input: a record and a type, for comparison only.
struct ParallelKey {
  AttrsId attrs;
  TypeId type;
  friend auto operator==(const ParallelKey&, const ParallelKey&) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H h, const ParallelKey& key) -> H {
    return H::combine(static_cast<H&&>(h), key.attrs, key.type);
  }
};

// Branches side by side: each starts with a call of the operator and goes on with operators that use what came before.
struct ParallelGroup {
  // branches[k][i] is the i-th call of branch k.
  std::vector<std::vector<ExprId>> branches;
};

// The position where the merged calls of a group are emitted.
struct JoinSite {
  const Function& from;
  FunctionBuilder& to;
  const ParallelGroup& group;
  // Maps an expression of `from` to its id in `to`.
  std::function<ExprId(ExprId)> made;

  auto MadeType(ExprId id) const -> TypeId { return to.function().type(id); }
  // Returns the concatenation of expressions of `to`.
  auto Concatenate(std::span<const ExprId> parts, int64_t axis) const -> ExprId;
  // Returns every branch's part of `joined` along `axis`, where the parts of `widths` lie one after the other; lists
  // have `rank` entries.
  auto Slices(ExprId joined, size_t axis, size_t rank, std::span<const int64_t> widths) const -> std::vector<ExprId>;
};

// The part that is specific to an operator.
class ParallelRules {
 public:
  virtual ~ParallelRules();
  virtual auto op() const -> const OpDef* = 0;
  // Calls of equal keys are joined; returns nothing if the call is not to be touched.
  virtual auto Key(const Function& function, ExprId call) const -> std::optional<ParallelKey> = 0;
  // Returns the joined call of the operators themselves.
  virtual auto JoinFirst(const JoinSite& site) const -> ExprId = 0;
  // Returns the merged argument `i` of the calls at `level`, where argument `parent` is the previous call, or invalid
  // if the arguments cannot be merged.
  virtual auto JoinArgument(const JoinSite& site, size_t level, size_t i, size_t parent) const -> ExprId = 0;
  // Returns the parts of the merged result that replace the calls at `level`, in the order of branches, or empty if the
  // result cannot be split.
  virtual auto Split(const JoinSite& site, ExprId joined, size_t level) const -> std::vector<ExprId> = 0;
};

// Returns the function with all groups of at least `min_branches` branches joined, or nothing if there is none.
// Branches are joined as far as their operators, attributes and types agree. Parts that depend on each other, or that
// need variables which are bound between them, stay.
auto JoinParallelBranches(const Function& function, const ParallelRules& rules, uint64_t min_branches)
    -> std::optional<Function>;

}  // namespace relayopt
