// HoistExpression, HoistIfThenElse: conditions and lets that do not depend on a loop are evaluated above it.
//
// First the function is walked with a stack of the loops around a position ("loops" here are also attributes on
// variables, such as those of threads). A condition or let goes to just above the outermost loop such that nothing it
// uses changes inside, and that holds no sequence on the way down: in a sequence, the other statements would be
// duplicated. Then each loop with conditions is wrapped in branches, with a copy of the loop on both sides:
//
//   for i in range(4):        if n != 0:                  if n != 0:
//       if n != 0:       ->       for i in range(4):  ->      for i in range(4):
//           A[i] = 0                  if n != 0:                  A[i] = 0
//                                         A[i] = 0
//
// and last, Simplify decides the conditions inside, and RemoveNoOp removes what is left of the other copy.
//
// How far a condition may be hoisted is a maximum over what it uses: the innermost loop whose variable occurs (through
// lets as well), the innermost loop that holds a sequence, the innermost attribute. Each is kept as a level, so that no
// stack is searched.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "lib/tir/transforms/utils/decided_branches.h"
#include "relayopt/arith/walk.h"
#include "relayopt/pass/registry.h"

namespace relayopt::tir {

namespace {

enum Conditionals : int64_t { kIfElseStmt = 1, kIfElseExpr = 2, kBooleanExpr = 4, kUsingBlockVar = 8 };
enum LetBindings : int64_t { kRequiredByCondition = 1, kLetStmtBinding = 2, kLetExprBinding = 4 };

struct HoistExpressionOptions {
  int64_t hoisted_conditionals = kIfElseStmt | kIfElseExpr | kBooleanExpr;
  int64_t hoisted_let_bindings = kRequiredByCondition | kLetStmtBinding | kLetExprBinding;
  static constexpr std::string_view kConfigKey = "tir.HoistExpression";
  static constexpr auto Fields() {
    return std::array{
        Option<&HoistExpressionOptions::hoisted_conditionals>(
            "sum of 1: of statements, 2: of if_then_else, 4: operands of and and or, 8: over attributes on variables",
            {.min = 0, .max = 15}),
        Option<&HoistExpressionOptions::hoisted_let_bindings>(
            "sum of 1: those that a condition needs, 2: statements, 4: expressions", {.min = 0, .max = 7}),
    };
  }
};

struct HoistIfThenElseOptions {
  bool support_block_scope_hosting = false;
  static constexpr std::string_view kConfigKey = "tir.HoistIfThenElse";
  static constexpr auto Fields() {
    return std::array{
        Option<&HoistIfThenElseOptions::support_block_scope_hosting>("hoist over attributes on variables, too")};
  }
};

// The code that is moved to just above a loop.
struct HoistedCode {
  struct Condition {
    PrimExpr condition;
    bool needs_else;
  };
  std::vector<Condition> conditions;
  // Positions in HoistCollector::lets.
  std::vector<uint32_t> lets;
};

// Decides what is moved where.
class HoistCollector {
 public:
  struct Let {
    PrimExpr var;
    PrimExpr value;
    // Whether it is hoisted by itself, or only for a condition that needs it.
    bool by_itself;
    bool moves = false;
  };

  HoistCollector(const PrimFunc& func, const HoistExpressionOptions& options)
      : func_(func), terms_(func.terms()), options_(options) {}

  void Run() {
    CountLets();
    Walk(
        func_.body(), [this](Stmt stmt) { return Enter(stmt), true; }, [this](Stmt stmt) { Leave(stmt); });
    DecideLets();
  }

  // Keyed by the loop or attribute.
  auto hoisted() const -> const absl::flat_hash_map<StmtId, HoistedCode>& { return hoisted_; }
  auto let(uint32_t i) const -> const Let& { return lets_[i]; }
  // Whether the let of this variable is hoisted.
  auto Moves(PrimExpr var) const -> bool {
    const auto found = let_of_.find(var);
    return found != let_of_.end() && lets_[found->second].moves;
  }

 private:
  // A loop that is open, or an attribute.
  struct Loop {
    StmtId stmt;
    // The number of loops, from the outside, that nothing may leave, because a sequence is inside the last of them, or
    // it is an attribute.
    uint32_t barrier;
    // The terms that are in nonzero_ because of this condition.
    std::vector<PrimExpr> factors = {};
  };
  // An open statement with parts besides the one that is walked, and how many loops are around it.
  struct Choice {
    StmtId stmt;
    uint32_t loops;
  };
  // The dependences of a term.
  struct Use {
    // In how many loops, from the outside, it must stay.
    uint32_t level = 0;
    bool uses_let = false;
    bool uses_attr_var = false;
    // Whether its evaluation may abort the program.
    bool traps = false;
  };

  // Lets whose variable several lets define stay where they are.
  void CountLets() {
    for (StmtId id(0U); id.value() < func_.size(); ++id) {
      const Stmt stmt = func_.stmt(id);
      if (const auto let = stmt.As<LetStmt>()) ++definitions_[let->var()];
      for (const PrimExpr term : arith::PostOrder(terms_, stmt.exprs())) {
        if (terms_.kind(term) == PrimKind::kLet) ++definitions_[terms_.operand(term, 0)];
      }
    }
  }

  void Enter(Stmt stmt) {
    uses_.clear();
    visited_.clear();
    if (const auto loop = stmt.As<For>()) {
      OpenLoop(stmt, loop->loop_var(), false);
      AddFactors(loop->extent());
    }
    if (const auto attr = stmt.As<AttrStmt>(); attr && AttrVar(*attr)) OpenLoop(stmt, AttrVar(*attr), true);
    if (stmt.is(StmtKind::kSeq) && !loops_.empty()) loops_.back().barrier = static_cast<uint32_t>(loops_.size());
    // Definitions other than by loops.
    if (const auto block = stmt.As<Block>()) {
      for (const BlockAxis& axis : block->axes()) Pin(axis.var);
    }
    if (const auto alloc = stmt.As<Allocate>()) Pin(alloc->buffer_var());
    if (const auto alloc = stmt.As<AllocateConst>()) Pin(alloc->buffer_var());
    for (const PrimExpr expr : stmt.exprs()) UseOf(expr);
    if (const auto let = stmt.As<LetStmt>()) AddLet(let->var(), let->value(), kLetStmtBinding);
    if (const auto branch = stmt.As<IfThenElse>()) AddCondition(branch->condition(), kIfElseStmt, branch->has_else());
    const auto block = stmt.As<Block>();
    if (const auto branch = stmt.As<IfThenElse>(); (branch && branch->has_else()) || (block && block->has_init()))
      choices_.push_back({stmt.id(), static_cast<uint32_t>(loops_.size())});
    for (const PrimExpr expr : stmt.exprs()) VisitExpr(expr);
  }

  void Leave(Stmt stmt) {
    if (!choices_.empty() && choices_.back().stmt == stmt.id()) choices_.pop_back();
    if (loops_.empty() || loops_.back().stmt != stmt.id()) return;
    for (const PrimExpr factor : loops_.back().factors) nonzero_.erase(factor);
    loops_.pop_back();
  }

  auto AttrVar(AttrStmt attr) const -> PrimExpr {
    if (const IterVarId iter = attr.node().iter_var()) return func_.tables().iter_var(iter).var;
    const PrimExpr node = attr.node().expr();
    return node && terms_.is_var(node) ? node : PrimExpr();
  }

  void OpenLoop(Stmt stmt, PrimExpr var, bool is_attr) {
    const uint32_t outer = loops_.empty() ? 0 : loops_.back().barrier;
    const auto level = static_cast<uint32_t>(loops_.size() + 1);
    const bool stops = is_attr && (options_.hoisted_conditionals & kUsingBlockVar) == 0;
    loops_.push_back({stmt.id(), stops ? level : outer});
    vars_[var] = {.level = level, .uses_attr_var = is_attr};
  }

  // In a loop that runs, the factors of its extent are not 0.
  void AddFactors(PrimExpr extent) {
    std::vector<PrimExpr> stack = {extent};
    while (!stack.empty()) {
      const PrimExpr factor = stack.back();
      stack.pop_back();
      if (terms_.kind(factor) == PrimKind::kMul) {
        stack.insert(stack.end(), terms_.operands(factor).begin(), terms_.operands(factor).end());
      } else if (!terms_.AsInt(factor) && nonzero_.try_emplace(factor, static_cast<uint32_t>(loops_.size())).second) {
        loops_.back().factors.push_back(factor);
      }
    }
  }

  // Nothing that uses the variable leaves the loops that are open.
  void Pin(PrimExpr var) { vars_[var] = {.level = static_cast<uint32_t>(loops_.size())}; }

  // Returns the needs of a term and its parts, as seen from the statement that is entered. Lets in it are added.
  auto UseOf(PrimExpr root) -> Use {
    std::vector<PrimExpr> stack = {root};
    while (!stack.empty()) {
      const PrimExpr top = stack.back();
      const auto operands = terms_.operands(top);
      const bool let = terms_.kind(top) == PrimKind::kLet;
      if (uses_.contains(top)) {
        stack.pop_back();
      } else if (let && !uses_.contains(operands[1])) {
        stack.push_back(operands[1]);
      } else {
        if (let && !uses_.contains(operands[0])) AddLet(operands[0], operands[1], kLetExprBinding);
        const size_t before = stack.size();
        for (const PrimExpr operand : operands) {
          if (!uses_.contains(operand)) stack.push_back(operand);
        }
        if (stack.size() == before) {
          uses_[top] = MakeUse(top);
          stack.pop_back();
        }
      }
    }
    return uses_[root];
  }

  auto MakeUse(PrimExpr e) const -> Use {
    if (terms_.is_var(e)) {
      const auto found = vars_.find(e);
      return found != vars_.end() ? found->second : Use();
    }
    Use use;
    const auto operands = terms_.operands(e);
    for (const PrimExpr operand : operands) {
      const Use& part = uses_.at(operand);
      use.level = std::max(use.level, part.level);
      use.uses_let = use.uses_let || part.uses_let;
      use.uses_attr_var = use.uses_attr_var || part.uses_attr_var;
      use.traps = use.traps || part.traps;
    }
    const PrimKind kind = terms_.kind(e);
    if (kind >= PrimKind::kDiv && kind <= PrimKind::kFloorMod && arith::IsInteger(terms_.dtype(e))) {
      const auto divisor = terms_.AsInt(operands[1]);
      if (const auto known = nonzero_.find(operands[1]); known != nonzero_.end()) {
        use.level = std::max(use.level, known->second);
      } else {
        use.traps = use.traps || !divisor || *divisor == 0;
      }
    }
    return use;
  }

  // Finds the conditions in an expression, from the outside.
  void VisitExpr(PrimExpr root) {
    std::vector<PrimExpr> stack = {root};
    while (!stack.empty()) {
      const PrimExpr top = stack.back();
      stack.pop_back();
      if (!visited_.insert(top).second) continue;
      const auto operands = terms_.operands(top);
      const PrimKind kind = terms_.kind(top);
      if (terms_.IsCall(top, terms_.ops().if_then_else)) AddCondition(operands[0], kIfElseExpr, true);
      if (kind == PrimKind::kAnd || kind == PrimKind::kOr) {
        AddCondition(operands[0], kBooleanExpr, true);
        AddCondition(operands[1], kBooleanExpr, true);
      }
      for (size_t i = operands.size(); i-- > 0;) stack.push_back(operands[i]);
    }
  }

  // Returns the destination of an expression that must stay inside of `level` loops: the next loop inside of those, or
  // null if it must not move.
  auto Destination(uint32_t level) -> HoistedCode* {
    if (loops_.empty()) return nullptr;
    level = std::max(level, loops_.back().barrier);
    return level < loops_.size() ? &hoisted_[loops_[level].stmt] : nullptr;
  }

  void AddCondition(PrimExpr condition, int64_t bit, bool needs_else) {
    if ((options_.hoisted_conditionals & bit) == 0 || terms_.effect(condition) > arith::CallEffect::kPure) return;
    const Use& use = uses_.at(condition);
    if (use.traps) return;
    if (use.uses_let && (options_.hoisted_let_bindings & (kRequiredByCondition | kLetStmtBinding)) == 0) return;
    if (use.uses_attr_var && (options_.hoisted_conditionals & kUsingBlockVar) == 0) return;
    HoistedCode* const to = Destination(use.level);
    // Inside of the first occurrence, a second one is already known.
    if (to == nullptr) return;
    const uint32_t level = std::max(use.level, loops_.back().barrier);
    if (!found_.insert({loops_[level].stmt, condition}).second) return;
    // When another part of a statement in the loop runs, the loop does something even though the condition is false.
    const bool has_other_part = !choices_.empty() && choices_.back().loops > level;
    to->conditions.push_back({condition, needs_else || has_other_part});
    hoisted_conditions_.push_back(condition);
  }

  void AddLet(PrimExpr var, PrimExpr value, int64_t bit) {
    Use use = uses_.at(value);
    // As TVM: attributes that only the value of a let refers to do not count for conditions.
    use.uses_attr_var = false;
    use.uses_let = true;
    const bool by_itself = (options_.hoisted_let_bindings & bit) != 0;
    const bool may_move = (by_itself || (options_.hoisted_let_bindings & kRequiredByCondition) != 0) && !use.traps &&
                          terms_.effect(value) <= arith::CallEffect::kPure && definitions_[var] == 1;
    if (!may_move) use.level = static_cast<uint32_t>(loops_.size());
    use.traps = false;
    vars_[var] = use;
    if (!may_move) return;
    if (HoistedCode* const to = Destination(use.level)) {
      to->lets.push_back(static_cast<uint32_t>(lets_.size()));
      let_of_[var] = static_cast<uint32_t>(lets_.size());
      lets_.push_back({var, value, by_itself});
    }
  }

  // Lets that move by themselves, and those that conditions need, through other lets as well.
  void DecideLets() {
    TermVisitor visitor(terms_);
    std::vector<uint32_t> needed;
    const std::function<void(PrimExpr)> need = [&](PrimExpr term) {
      const auto found = terms_.is_var(term) ? let_of_.find(term) : let_of_.end();
      if (found != let_of_.end()) needed.push_back(found->second);
    };
    for (const PrimExpr condition : hoisted_conditions_) visitor.Visit(condition, need);
    for (uint32_t i = 0; i < lets_.size(); ++i) {
      if (lets_[i].by_itself) needed.push_back(i);
    }
    while (!needed.empty()) {
      Let& let = lets_[needed.back()];
      needed.pop_back();
      if (let.moves) continue;
      let.moves = true;
      visitor.Visit(let.value, need);
    }
  }

  const PrimFunc& func_;
  const Terms& terms_;
  const HoistExpressionOptions& options_;
  std::vector<Loop> loops_;
  std::vector<Choice> choices_;
  // For terms that are not 0: the number of loops inside of which this holds.
  absl::flat_hash_map<PrimExpr, uint32_t> nonzero_;
  absl::flat_hash_map<PrimExpr, uint32_t> definitions_;
  // The dependencies of variables defined in the function.
  absl::flat_hash_map<PrimExpr, Use> vars_;
  // Within one statement: what terms need, and which were searched for conditions.
  absl::flat_hash_map<PrimExpr, Use> uses_;
  absl::flat_hash_set<PrimExpr> visited_;
  std::vector<Let> lets_;
  absl::flat_hash_map<PrimExpr, uint32_t> let_of_;
  std::vector<PrimExpr> hoisted_conditions_;
  absl::flat_hash_set<std::pair<StmtId, PrimExpr>> found_;
  absl::flat_hash_map<StmtId, HoistedCode> hoisted_;
};

// Moves everything to its destination.
class HoistInserter : public BranchDecider {
 public:
  HoistInserter(const PrimFunc& func, const HoistCollector& collector) : BranchDecider(func), collector_(collector) {}

 protected:
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto let = stmt.As<LetStmt>();
    if (let && collector_.Moves(let->var())) return parts.stmts[0];
    StmtId made = BranchDecider::Leave(stmt, parts);
    const auto found = collector_.hoisted().find(stmt.id());
    if (found == collector_.hoisted().end()) return made;
    const HoistedCode& hoisted = found->second;
    for (size_t i = hoisted.conditions.size(); i-- > 0;) {
      const auto& [condition, needs_else] = hoisted.conditions[i];
      made = builder().If(condition, made, needs_else ? made : StmtId());
    }
    for (size_t i = hoisted.lets.size(); i-- > 0;) {
      const HoistCollector::Let& moved = collector_.let(hoisted.lets[i]);
      if (moved.moves) made = builder().Let(moved.var, moved.value, made);
    }
    return made;
  }
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (terms().kind(made) == PrimKind::kLet && collector_.Moves(terms().operand(made, 0))) {
      return terms().operand(made, 2);
    }
    return BranchDecider::RewriteNode(old, made);
  }

 private:
  const HoistCollector& collector_;
};

auto Hoist(const PrimFunc& given, const HoistExpressionOptions& options) -> std::optional<PrimFunc> {
  const std::optional<PrimFunc> separate = SeparateScopes(given);
  const PrimFunc& func = separate ? *separate : given;
  HoistCollector collector(func, options);
  collector.Run();
  std::optional<PrimFunc> made = HoistInserter(func, collector).Run();
  if (!made) return made;
  // The two sides of a branch define the same variables.
  if (std::optional<PrimFunc> single = ConvertSSA(*made)) return single;
  return made;
}

struct InsertHoistedExpression {
  using Options = HoistExpressionOptions;
  Options options;
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    return Hoist(func, options);
  }
};

struct InsertHoistedBranches {
  using Options = HoistIfThenElseOptions;
  Options options;
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const int64_t over_attrs = options.support_block_scope_hosting ? int64_t{kUsingBlockVar} : 0;
    return Hoist(func, {.hoisted_conditionals = kIfElseStmt | over_attrs, .hoisted_let_bindings = 0});
  }
};

// Returns the pass of the row: what inserts, Simplify, RemoveNoOp.
auto HoistSequence(const PassDef& def, PassRef insert) -> Result<PassRef> {
  std::vector<PassRef> passes;
  passes.push_back(std::move(insert));
  for (const PassDef* part : {&kSimplifyPass, &kRemoveNoOpPass}) {
    RELAYOPT_TRY(PassRef pass, CreatePass(*part));
    passes.push_back(std::move(pass));
  }
  return PassRef(std::make_shared<Sequential>(std::move(passes), InfoOf(def)));
}

auto CreateHoistExpression(const PassDef& def, const PassOptions& options) -> Result<PassRef> {
  return HoistSequence(def,
                       MakeConfiguredPass<InsertHoistedExpression>({0, "tir.InsertHoistedExpression", {}}, options));
}

auto CreateHoistIfThenElse(const PassDef& def, const PassOptions& options) -> Result<PassRef> {
  return HoistSequence(def, MakeConfiguredPass<InsertHoistedBranches>({0, "tir.InsertHoistIfThenElse", {}}, options));
}

auto CreateHoistIfThenElseBasic(const PassDef& def, const PassOptions&) -> Result<PassRef> {
  return HoistSequence(def, MakePass<InsertHoistedBranches>({0, "tir.InsertHoistIfThenElseBasic", {}}));
}

}  // namespace

constinit const PassDef kHoistExpressionPass = {
    .name = "tir.HoistExpression",
    .summary = "Hoist conditions and lets above loops that they do not depend on",
    .details = R"(  for i in range(4):             if n != 0:
      A[i] = T.if_then_else(       for i in range(4):
          n != 0, 1, 2)       ->       A[i] = 1
                                 else:
                                   for i in range(4):
                                       A[i] = 2

Conditions of branches and of if_then_else, operands of and and or, and lets, if they are pure, load nothing and cannot
trap. Nothing leaves a loop that holds a sequence. Simplify and RemoveNoOp clean up behind it.)",
    .aliases = "tir.transform.HoistExpression",
    .config = HoistExpressionOptions::kConfigKey,
    .options = &kOptionsSchema<HoistExpressionOptions>,
    .create = CreateHoistExpression,
};

constinit const PassDef kHoistIfThenElsePass = {
    .name = "tir.HoistIfThenElse",
    .summary = "Hoist branches above loops that they do not depend on",
    .details = R"(  for i in range(4):          if n != 0:
      if n != 0:        ->      for i in range(4):
          A[i] = 0                  A[i] = 0

The part of tir.HoistExpression that is about branches.)",
    .aliases = "tir.transform.HoistIfThenElse",
    .config = HoistIfThenElseOptions::kConfigKey,
    .options = &kOptionsSchema<HoistIfThenElseOptions>,
    .create = CreateHoistIfThenElse,
};

constinit const PassDef kHoistIfThenElseBasicPass = {
    .name = "tir.HoistIfThenElseBasic",
    .summary = "tir.HoistIfThenElse without options",
    .details = "As tir.HoistIfThenElse, and never above an attribute on a variable.",
    .aliases = "tir.transform.HoistIfThenElseBasic",
    .create = CreateHoistIfThenElseBasic,
};

}  // namespace relayopt::tir
