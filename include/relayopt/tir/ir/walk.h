// Walks over tensor programs: the nesting of statements, and the terms in them.
#pragma once

#include <functional>
#include <vector>

#include "relayopt/support/id_set.h"
#include "relayopt/support/side_table.h"
#include "relayopt/tir/ir/stmt.h"

namespace relayopt::tir {

// Visits distinct terms: terms visited by one call of Visit are skipped by later calls.
class TermVisitor {
 public:
  explicit TermVisitor(const Terms& terms) : terms_(terms) {}
  // Calls `visit` for every term in `expr` that was not visited before, operands first.
  template <typename Callback>
  void Visit(PrimExpr expr, Callback&& visit) {
    const size_t bottom = stack_.size();
    Enter(expr, visit);
    while (stack_.size() > bottom) {
      Step& top = stack_.back();
      if (top.next != top.end) {
        // Moves on first: entering another term may move the steps.
        Enter(*top.next++, visit);
        continue;
      }
      const PrimExpr done = top.expr;
      stack_.pop_back();
      visit(done);
    }
  }

 private:
  struct Step {
    PrimExpr expr;
    const PrimExpr* next;
    const PrimExpr* end;
  };
  template <typename Callback>
  void Enter(PrimExpr expr, Callback& visit) {
    if (!seen_.Insert(expr)) return;
    // Terms never move, and neither do their operands.
    const std::span<const PrimExpr> operands = terms_.operands(expr);
    if (operands.empty()) return visit(expr);
    stack_.push_back({expr, operands.data(), operands.data() + operands.size()});
  }

  const Terms& terms_;
  IdSet<PrimExpr> seen_;
  std::vector<Step> stack_;
};

// Calls `visit` for every distinct term in the expressions of `stmt` and of the statements inside, operands first. The
// table must be laid out. (For single expressions see arith/walk.h.)
void ForEachTerm(Stmt stmt, const std::function<void(PrimExpr)>& visit);
// Whether a variable in these terms satisfies `pred`. Does not look into the fields of buffers.
auto UsesVar(Stmt stmt, const std::function<bool(PrimExpr var)>& pred) -> bool;

// Calls enter(stmt) before, and leave(stmt) after, the parts of `root` and of every statement inside, and
// enter_part(stmt, i) before part i. When enter returns false, the parts are skipped and leave is not called.
template <typename Enter, typename EnterPart, typename Leave>
void Walk(Stmt root, Enter&& enter, EnterPart&& enter_part, Leave&& leave) {
  struct Step {
    StmtId id;
    uint32_t next = 0;
  };
  std::vector<Step> stack;
  if (enter(root)) stack.push_back({root.id()});
  while (!stack.empty()) {
    Step& top = stack.back();
    const Stmt stmt(root.table(), top.id);
    if (top.next == stmt.num_parts()) {
      leave(stmt);
      stack.pop_back();
      continue;
    }
    const uint32_t next = top.next++;
    enter_part(stmt, next);
    if (const Stmt part = stmt.part(next); enter(part)) stack.push_back({part.id()});
  }
}
template <typename Enter, typename Leave>
void Walk(Stmt root, Enter&& enter, Leave&& leave) {
  Walk(
      root, enter, [](Stmt, uint32_t) {}, leave);
}

// Returns the statement that directly contains each statement, or invalid for the body. The table must be laid out.
auto Parents(const StmtTable& stmts) -> SideTable<StmtId, StmtId>;

}  // namespace relayopt::tir
