// Parts of a function that one target could compute, for CollagePartition.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// The work that the search on one function may do, in expressions that it looks at: combinations are exponential in the
// depth, and what many expressions use is at the border of each part with one of them.
class CollageBudget {
 public:
  explicit CollageBudget(size_t size) : left_(kBase + kForEach * size) {}

  void Take(size_t work) { left_ -= std::min(left_, work); }
  auto is_spent() const -> bool { return left_ == 0; }

 private:
  static constexpr size_t kBase = size_t{1} << 22;
  static constexpr size_t kForEach = size_t{1} << 13;
  size_t left_;
};

// The expressions of a function as CollagePartition sees them: what uses them, and what depends on what.
class CollageGraph {
 public:
  explicit CollageGraph(const Function& function);

  auto function() const -> const Function& { return function_; }
  // The remaining budget, which parts and searches share.
  auto budget() const -> CollageBudget& { return budget_; }
  auto users(ExprId id) const -> std::span<const ExprId> {
    return std::span(users_).subspan(first_user_[id.value()], first_user_[id.value() + 1] - first_user_[id.value()]);
  }
  // Whether an expression is never an input of a part, because it is copied into every function that uses it.
  auto IsInline(ExprId id) const -> bool;
  // Whether some target has to compute the expression: it cannot be left to the host.
  auto MustBeLowered(ExprId id) const -> bool;
  // Returns how an expression may be fused.
  auto FusionOf(ExprId id) const -> Fusion;
  // Returns what an expression is called in the names of functions.
  auto LabelOf(ExprId id) const -> std::string;
  // Returns the innermost function, branch or clause around an expression, as a number.
  auto Block(ExprId id) const -> uint32_t { return block_[id]; }
  // Whether one of `to`, in ascending order, depends on one of `from` without being one itself. True when the budget is
  // spent.
  auto Reaches(std::span<const ExprId> from, std::span<const ExprId> to) const -> bool;

 private:
  auto CalleeFusion(ExprId call) const -> Fusion;
  void NoteFlatTuples();
  // Returns the tuple that an expression makes or takes a field of; none for others.
  auto TupleOf(ExprId id) const -> ExprId;

  const Function& function_;
  mutable CollageBudget budget_;
  std::vector<uint32_t> first_user_;
  std::vector<ExprId> users_;
  SideTable<ExprId, uint32_t> block_;
  // Whether the fields of a tuple of this type are tensors.
  absl::flat_hash_map<TypeId, bool> is_flat_;
  // Marks of the current search. Its number grows, so that marks need not be cleared.
  mutable SideTable<ExprId, uint32_t> seen_;
  mutable uint32_t search_ = 0;
};

class CollagePart;
using CollagePartRef = std::shared_ptr<const CollagePart>;

// A part that becomes a function of its own: a composite one, or one for an external compiler.
struct NestedPart {
  enum class Kind : uint8_t { kComposite, kCompiler };
  Kind kind;
  // The composite pattern, or the compiler.
  std::string name;
  CollagePartRef part;
};

// Some expressions of a function, and what crosses their border. All lists are ascending.
class CollagePart {
 public:
  CollagePart(const CollageGraph& graph, std::vector<ExprId> inside, Fusion fusion, std::string label,
              std::vector<NestedPart> nested = {});
  // Returns the part of these expressions, with the fusion and the label that follow from them.
  static auto Of(const CollageGraph& graph, std::vector<ExprId> inside) -> CollagePartRef;
  // Returns the union. Two functions for one compiler become one.
  static auto Union(const CollageGraph& graph, const CollagePart& a, const CollagePart& b, std::string label)
      -> CollagePartRef;
  // Returns the same expressions as a function of their own.
  static auto AsFunction(const CollageGraph& graph, const CollagePartRef& part, NestedPart::Kind kind,
                         std::string_view name) -> CollagePartRef;

  auto inside() const -> const std::vector<ExprId>& { return inside_; }
  // The expressions that use a value from outside, and those whose value is used outside.
  auto entry() const -> const std::vector<ExprId>& { return entry_; }
  auto exit() const -> const std::vector<ExprId>& { return exit_; }
  // The expressions outside whose values are used inside, and those outside that use values from inside.
  auto input() const -> const std::vector<ExprId>& { return input_; }
  auto output() const -> const std::vector<ExprId>& { return output_; }
  auto fusion() const -> Fusion { return fusion_; }
  auto label() const -> const std::string& { return label_; }
  auto nested() const -> const std::vector<NestedPart>& { return nested_; }
  // The number of expressions on the longest way from an entry to an exit.
  auto depth() const -> size_t { return depth_; }
  // Equal for equal parts with equal functions in them.
  auto key() const -> const std::string& { return key_; }

  auto Contains(ExprId id) const -> bool;
  auto Overlaps(const CollagePart& other) const -> bool;
  // Whether this can be one function: it has one result, which is not used inside, and no value leaves it and returns.
  auto IsValid(const CollageGraph& graph, size_t max_depth) const -> bool;
  // Whether this feeds another part, and one function of both would not feed itself.
  auto Touches(const CollageGraph& graph, const CollagePart& other) const -> bool;
  // Orders parts: by the first expression, then lexicographically by expressions, so that a part without an early
  // expression comes first.
  auto IsBefore(const CollagePart& other) const -> bool;

 private:
  auto FindDepth(const CollageGraph& graph) const -> size_t;
  auto FlowsInto(const CollageGraph& graph, const CollagePart& other) const -> bool;

  std::vector<ExprId> inside_;
  Fusion fusion_;
  std::string label_;
  std::vector<NestedPart> nested_;
  std::vector<ExprId> entry_;
  std::vector<ExprId> exit_;
  std::vector<ExprId> input_;
  std::vector<ExprId> output_;
  size_t depth_ = 0;
  std::string key_;
};

// Returns two labels as one.
auto JoinLabels(std::string_view a, std::string_view b, char by = '+') -> std::string;
// Whether a set of ids has fewer of the early ids than another; both are ascending.
auto HasFewerEarly(std::span<const ExprId> a, std::span<const ExprId> b) -> bool;

}  // namespace relayopt
