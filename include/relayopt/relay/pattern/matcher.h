// Matches expressions against patterns.
#pragma once

#include <memory>
#include <vector>

#include "relayopt/relay/ir/post_dominators.h"
#include "relayopt/relay/pattern/pattern.h"

namespace relayopt {

// What a pattern is matched against: an expression, the operator that a kOpCall calls, or what remains of a let chain.
struct Subject {
  static constexpr uint32_t kCallee = UINT32_MAX;
  ExprId id;
  // kLet: the first step that remains.
  uint32_t part = 0;
  auto is_callee() const -> bool { return part == kCallee; }
  friend auto operator==(const Subject&, const Subject&) -> bool = default;
};

// Tries one pattern after the other on the expressions of a function. As TVM: a pattern that occurs twice
// matches one expression; alternatives and commuted arguments are tried in order, and what once matched is not opened
// again when something beside it fails; calls of add and multiply commute, and so do a product and a quotient as far as
// (a * b) / c = a * (b / c). Neither patterns nor expressions are walked by recursion, but for dominator patterns
// inside each other.
class DFPatternMatcher {
 public:
  // Both must outlive the matcher. `table` may grow.
  DFPatternMatcher(const Function& function, const PatternTable& table) : function_(function), table_(table) {}

  // Whether the expression looks like the pattern. A new match forgets the one before.
  auto Match(PatternId pattern, ExprId id) -> bool;

  // What a pattern matched, in the order of matching; several only inside paths of dominators. Valid after a match.
  auto matched(PatternId pattern) const -> std::vector<Subject>;
  // The only expression that it matched; none when there is none.
  auto Get(DFPattern pattern) const -> ExprId;
  auto function() const -> const Function& { return function_; }

 private:
  struct Frame {
    PatternId pattern;
    Subject subject;
    // Where the log stood when this began, and when the callee had matched.
    size_t mark = 0;
    size_t callee_mark = 0;
    uint32_t step = 0;
    // The next child or alternative.
    uint32_t next = 0;
    bool reversed = false;
    // What the pattern is tried as when it does not match as it stands.
    std::vector<PatternId> others;
  };
  struct Entry {
    PatternId pattern;
    Subject subject;
    // Position plus one of the entry before this of the same pattern.
    size_t previous = 0;
  };
  enum class Answer : uint8_t { kYes, kNo, kPushed };

  auto MatchNow(PatternId pattern, Subject subject) -> bool;
  // What a pattern does next: an answer, or kPushed when it waits for a child. The frame may move when a child is
  // pushed.
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

  const Function& function_;
  const PatternTable& table_;
  std::vector<DFPatternNode> scratch_;
  std::vector<Frame> stack_;
  // What matched so far.
  std::vector<Entry> log_;
  // Of patterns of the table: position plus one of the last entry.
  std::vector<size_t> last_;
  bool memoizes_ = true;
  std::unique_ptr<PostDominators> dominators_;
};

// Whether an expression looks like a pattern.
auto MatchPattern(DFPattern pattern, const Function& function, ExprId id) -> bool;

}  // namespace relayopt
