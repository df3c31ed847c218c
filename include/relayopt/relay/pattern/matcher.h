// Matches expressions against patterns.
#pragma once

#include <memory>
#include <vector>

#include "relayopt/relay/ir/post_dominators.h"
#include "relayopt/relay/pattern/pattern.h"

namespace relayopt {

// What a pattern is matched against: an expression, the operator that a kOpCall calls, or the rest of a let chain.
struct Subject {
  static constexpr uint32_t kCallee = UINT32_MAX;
  ExprId id;
  // For kLet: the first step of the rest.
  uint32_t part = 0;
  auto is_callee() const -> bool { return part == kCallee; }
  friend auto operator==(const Subject&, const Subject&) -> bool = default;
};

// Whether a call of `op` may match a pattern of calls of `wanted`: the same, or a product and a quotient, which are
// rearranged.
auto MayStandFor(const OpDef* op, const OpDef* wanted) -> bool;

// Matches patterns against the expressions of a function. As TVM: a pattern that occurs twice must match the same
// expression both times; alternatives and commuted arguments are tried in order, without backtracking into a part that
// has matched; add and multiply commute, and products with quotients are rearranged by (a * b) / c = a * (b / c).
// Neither patterns nor expressions are walked recursively, except for dominator patterns nested in each other.
class DFPatternMatcher {
 public:
  // Both arguments must outlive the matcher. `table` may grow.
  DFPatternMatcher(const Function& function, const PatternTable& table) : function_(function), table_(table) {}

  // Whether the expression matches the pattern. Each call discards the match of the previous one.
  auto Match(PatternId pattern, ExprId id) -> bool;

  // Returns false if the kinds and operators of the expression and of its closest operands rule a match out, which is
  // quickly seen. Nothing is recorded.
  auto MayMatch(PatternId pattern, ExprId id) const -> bool;

  // Returns the subjects that a pattern matched, in the order of matching. There are several only inside paths of
  // dominator patterns. Valid after a successful match.
  auto matched(PatternId pattern) const -> std::vector<Subject>;
  // Calls `visit` with each of them.
  template <typename Visit>
  void ForMatched(PatternId pattern, Visit&& visit) const {
    const size_t last = pattern.value() < last_.size() ? last_[pattern.value()] : 0;
    if (last == 0) return;
    if (log_[last - 1].previous == 0) return visit(log_[last - 1].subject);
    for (const Subject& subject : matched(pattern)) visit(subject);
  }
  // Returns the only expression that a pattern matched, or invalid if there is none.
  auto Get(DFPattern pattern) const -> ExprId;
  auto function() const -> const Function& { return function_; }

 private:
  struct Frame {
    PatternId pattern;
    Subject subject;
    // The size of the log when the frame began, and when its callee had matched.
    size_t mark = 0;
    size_t callee_mark = 0;
    uint32_t step = 0;
    // The index of the next child or alternative.
    uint32_t next = 0;
    bool reversed = false;
    // Variants of the pattern to try if it does not match as it is.
    std::vector<PatternId> others;
  };
  struct Entry {
    PatternId pattern;
    Subject subject;
    // One plus the position of the previous entry for the same pattern; 0 when there is none.
    size_t previous = 0;
  };
  enum class Answer : uint8_t { kYes, kNo, kPushed };

  auto MayMatch(PatternId pattern, ExprId id, int depth) const -> bool;
  auto MayMatchArgs(const DFPatternNode& node, ExprId call, int depth, bool reversed) const -> bool;
  auto MatchNow(PatternId pattern, Subject subject) -> bool;
  // Performs the next step of a pattern. Returns an answer, or kPushed when the pattern waits for a child; pushing may
  // move the frame.
  auto Continue(Frame& frame, bool result) -> Answer;
  auto ContinueCall(Frame& frame, bool result) -> Answer;
  auto ContinueOthers(Frame& frame) -> Answer;
  auto ContinueChildren(Frame& frame, bool result) -> Answer;
  auto Push(PatternId pattern, Subject subject) -> Answer;
  void Record(PatternId pattern, Subject subject);
  void Rollback(size_t mark);

  auto Node(PatternId id) const -> const DFPatternNode& {
    return id.value() < kScratch ? table_[id] : scratch_[id.value() - kScratch];
  }
  auto Scratch(const OpDef* op, PatternId a, PatternId b) -> PatternId;
  auto IsBinary(PatternId id, const OpDef* op) const -> bool;
  auto Reassociated(const Frame& frame) -> std::vector<PatternId>;

  auto Same(Subject a, Subject b) const -> bool;
  auto OpOf(Subject subject) const -> const OpDef*;
  auto IsCallOf(ExprId id, const OpDef* op) const -> bool {
    return function_.kind(id) == ExprKind::kOpCall && function_.op(id) == op;
  }
  auto MatchLeaf(const DFPatternNode& node, Subject subject) const -> bool;
  auto MatchAttrs(const DFPatternNode& node, Subject subject) const -> bool;
  auto ChildrenOf(const DFPatternNode& node, Subject subject, std::vector<Subject>& children) const -> bool;
  auto MatchDominator(const DFPatternNode& node, Subject subject) -> bool;

  // Patterns made while matching have ids from here on.
  static constexpr uint32_t kScratch = uint32_t{1} << 31;
  // What a call takes of the depth to which MayMatch looks; alternatives and what restricts types take 1.
  static constexpr int kCallDepth = 3;

  const Function& function_;
  const PatternTable& table_;
  std::vector<DFPatternNode> scratch_;
  std::vector<Frame> stack_;
  // The matches so far.
  std::vector<Entry> log_;
  // For each pattern of the table, one plus the position of its last entry in the log.
  std::vector<size_t> last_;
  bool memoizes_ = true;
  std::unique_ptr<PostDominators> dominators_;
};

// Whether an expression matches a pattern.
auto MatchPattern(DFPattern pattern, const Function& function, ExprId id) -> bool;

}  // namespace relayopt
