// CommonSubexprElimTIR: computes repeated expressions once, in a variable.
//
// A computation is an expression without loads and calls that is more than a literal or a variable. At every statement,
// from the outside inwards, the computations of all that is in it are listed, the largest first, and each is taken in
// turn:
//
//   a variable in scope has its value    it is replaced by that variable
//   it occurs twice and its variables
//   are all in scope                     it goes into a new variable around the statement
//   else                                 its parts are computations, too
//
//   A[i * 4 + j] = B[i * 4 + j]    ->    cse_var_1: T.int32 = i * 4 + j
//                                        A[cse_var_1] = B[cse_var_1]
//
// A division whose divisor may be 0 only if one of them is evaluated in any case.
//
// A statement that got a variable is processed again; otherwise its parts are. What occurs in one branch of an `if`, or
// only in the body of a loop, does not concern the `if` or the loop: such computations count only where they are in two
// of its parts. Expressions are treated in the same way, with Lets.
//
// What a step decided not to do at a statement, the steps at its parts decide likewise, because no part has more
// occurrences. So they consider only what is new: at computations of a variable that came into scope, at the value of
// that variable, and at what is in one branch or in the body of a loop. After a step that made variables: at what it
// changed, and at the parts of what it moved.
#include <algorithm>
#include <queue>
#include <string>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/computations.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/tir/ir/rewrite.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

// The decision about a step: a computation, and the variable that replaces it; invalid if the variable is to be made.
struct Decision {
  PrimExpr expr;
  PrimExpr var;
  bool is_new;
};

// Applies decisions to terms, one after the other.
class Replacement {
 public:
  Replacement(Terms& terms, std::span<const Decision> decisions) : terms_(terms), decisions_(decisions) {
    for (uint32_t i = 0; i < decisions.size(); ++i) places_.try_emplace(decisions[i].expr, i + 1);
  }

  auto operator()(PrimExpr expr) -> PrimExpr {
    for (const PrimExpr term : arith::PostOrder(terms_, expr)) {
      if (done_.contains(term)) continue;
      const uint32_t place = Place(term);
      done_[term] = place > 0 ? Done{decisions_[place - 1].var, place} : FromOperands(term);
    }
    return done_.at(expr).made;
  }
  // Returns the value of a new variable, for a computation.
  auto Value(PrimExpr expr) -> PrimExpr {
    for (const PrimExpr operand : terms_.operands(expr)) (*this)(operand);
    return FromOperands(expr).made;
  }
  // Returns the new terms.
  auto made() const -> const absl::flat_hash_set<PrimExpr>& { return made_; }

 private:
  struct Done {
    PrimExpr made;
    // The last decision that it depends on, counted from 1; 0 if there is none.
    uint32_t last = 0;
  };

  auto Place(PrimExpr term) const -> uint32_t {
    const auto found = places_.find(term);
    return found == places_.end() ? 0 : found->second;
  }
  auto FromOperands(PrimExpr term) -> Done {
    const auto old = terms_.operands(term);
    std::vector<PrimExpr> operands;
    uint32_t last = 0;
    for (const PrimExpr operand : old) {
      const Done& done = done_.at(operand);
      operands.push_back(done.made);
      last = std::max(last, done.last);
    }
    if (last == 0) return {term, 0};
    const PrimExpr made = terms_.WithOperands(term, operands);
    // With an existing variable, the result may be what a later decision replaces.
    if (const uint32_t place = Place(made); place > last) return {decisions_[place - 1].var, place};
    made_.insert(made);
    return {made, last};
  }

  Terms& terms_;
  std::span<const Decision> decisions_;
  absl::flat_hash_map<PrimExpr, uint32_t> places_;
  absl::flat_hash_map<PrimExpr, Done> done_;
  absl::flat_hash_set<PrimExpr> made_;
};

// Which terms occur more than once in an expression, so that a nest of Lets need not be listed at each of them.
class Occurrences {
 public:
  explicit Occurrences(const Terms& terms) : terms_(terms) {}

  // Counts what is in the expression of the frame at `depth`, unless that of a frame around it is counted.
  void Count(PrimExpr expr, size_t depth) {
    if (depth_ != kNone) return;
    depth_ = depth;
    shared_.clear();
    shared_within_.clear();
    const std::vector<PrimExpr> order = arith::PostOrder(terms_, expr);
    absl::flat_hash_map<PrimExpr, uint32_t> uses;
    for (size_t i = order.size(); i-- > 0;) {
      const bool is_shared = uses[order[i]] > 1;
      if (is_shared) shared_.insert(order[i]);
      for (const PrimExpr operand : terms_.operands(order[i])) {
        // Parts of a shared term are shared.
        uses[operand] = is_shared ? 2 : std::min(uses[operand] + 1, 2U);
        if (is_shared) shared_within_.insert(operand);
      }
    }
  }
  // Leaves the frames that are not among the first `depth`.
  void Leave(size_t depth) {
    if (depth_ != kNone && depth < depth_) depth_ = kNone;
  }
  // Forgets the counts because the expression has changed.
  void Forget() { depth_ = kNone; }

  auto IsShared(PrimExpr term) const -> bool { return shared_.contains(term); }
  // Whether terms that contain this one may be shared.
  auto IsSharedWithin(PrimExpr term) const -> bool { return shared_within_.contains(term); }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  const Terms& terms_;
  // The depth of the frame whose expression is counted.
  size_t depth_ = kNone;
  absl::flat_hash_set<PrimExpr> shared_;
  absl::flat_hash_set<PrimExpr> shared_within_;
};

class Eliminator {
 public:
  explicit Eliminator(const PrimFunc& func)
      : func_(func),
        terms_(func.terms()),
        facts_(func.terms()),
        table_(func, facts_),
        occurrences_(func.terms()),
        lets_(func.size()) {}

  auto Run() -> std::optional<PrimFunc> {
    CollectNames();
    for (const PrimExpr param : func_.params()) Enter(param, {});
    WalkStatements();
    PrimFunc made(func_.info(), Build());
    if (Same(made, func_)) return std::nullopt;
    return made;
  }

 private:
  // The work list of a step: the most complex first, then by text, then by order of arrival.
  struct Work {
    uint64_t complexity;
    uint64_t order;
    PrimExpr expr;
    auto operator<(const Work& other) const -> bool {
      return complexity != other.complexity ? complexity < other.complexity : order > other.order;
    }
  };

  // In the order in which a step looks at them.
  auto Sorted(const Computations& list) -> std::vector<PrimExpr> {
    struct Item {
      PrimExpr expr;
      uint64_t complexity;
      uint32_t serial;
      std::string text;
    };
    std::vector<Item> items;
    for (const Computations::Entry& entry : list.entries()) {
      const ComputationFacts::Facts& facts = facts_.Of(entry.expr);
      items.push_back({entry.expr, facts.complexity, facts.serial, {}});
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return a.complexity != b.complexity ? a.complexity > b.complexity : a.serial < b.serial;
    });
    // Texts only break ties, which are rare.
    for (auto i = items.begin(); i != items.end();) {
      const auto end = std::find_if(i, items.end(), [&](const Item& item) { return item.complexity != i->complexity; });
      if (end - i > 1) {
        for (auto k = i; k != end; ++k) k->text = arith::LegacyText(terms_, k->expr);
        std::stable_sort(i, end, [](const Item& a, const Item& b) { return a.text < b.text; });
      }
      i = end;
    }
    return MapToVector<PrimExpr>(items, &Item::expr);
  }

  // `always` is whether a computation is evaluated in any case.
  template <typename Always>
  auto Step(const Computations& list, const Always& always) -> std::vector<Decision> {
    std::priority_queue<Work> queue;
    absl::flat_hash_map<PrimExpr, uint64_t> counts;
    uint64_t order = 0;
    for (const PrimExpr expr : Sorted(list)) queue.push({facts_.Of(expr).complexity, order++, expr});
    for (const Computations::Entry& entry : list.entries()) counts[entry.expr] = entry.count;
    std::vector<Decision> decisions;
    while (!queue.empty()) {
      const PrimExpr expr = queue.top().expr;
      queue.pop();
      if (const auto known = values_.find(expr); known != values_.end() && !known->second.empty()) {
        decisions.push_back({expr, known->second.front(), false});
      } else if (counts[expr] >= 2 && InScope(expr) && (!facts_.Of(expr).may_trap || always(expr))) {
        decisions.push_back({expr, {}, true});
      } else {
        Computations parts;
        facts_.List(expr, true, parts);
        for (const Computations::Entry& part : parts.entries()) {
          const auto [found, is_new] = counts.try_emplace(part.expr, part.count);
          if (is_new)
            queue.push({facts_.Of(part.expr).complexity, order++, part.expr});
          else
            found->second += part.count;
        }
      }
    }
    return decisions;
  }

  // The variables of the decisions that introduce one.
  void MakeVars(std::vector<Decision>& decisions) {
    for (Decision& decision : decisions) {
      if (decision.is_new) decision.var = terms_.Var(FreshName(), terms_.dtype(decision.expr));
    }
  }

  auto InScope(PrimExpr expr) -> bool {
    return !arith::UsesVar(terms_, expr, [this](PrimExpr var) { return !scope_.contains(var); });
  }

  // Context.

  void Enter(PrimExpr var, PrimExpr value) {
    ++scope_[var];
    if (value) values_[value].push_back(var);
  }
  void Exit(PrimExpr var, PrimExpr value) {
    if (--scope_[var] == 0) scope_.erase(var);
    if (value) values_[value].pop_back();
  }

  void CollectNames() {
    ForEachTerm(func_.body(), [this](PrimExpr term) {
      if (terms_.is_var(term)) names_.insert(std::string(func_.context().text(terms_.var(term).name)));
    });
    for (StmtId id(0U); id.value() < func_.size(); ++id) {
      const Stmt stmt = func_.stmt(id);
      if (const auto loop = stmt.As<For>()) AddName(loop->loop_var());
      if (const auto let = stmt.As<LetStmt>()) AddName(let->var());
      if (const auto alloc = stmt.As<Allocate>()) AddName(alloc->buffer_var());
    }
  }
  void AddName(PrimExpr var) { names_.insert(std::string(func_.context().text(terms_.var(var).name))); }
  auto FreshName() -> std::string {
    std::string name;
    do {
      name = "cse_var_" + std::to_string(++counter_);
    } while (names_.contains(name));
    return name;
  }

  // Statements.

  // Which computations a step at a statement considers.
  struct Scope {
    // All computations of its region.
    bool all = false;
    // The computations that contain one of these terms.
    std::vector<PrimExpr> terms;
  };
  // A new variable around a statement.
  struct NewLet {
    PrimExpr var;
    ComputationTable::Slot slot;
    // Its value when the variable came into scope.
    PrimExpr value;
  };
  struct Frame {
    StmtId stmt;
    size_t next_part = 0;
    Scope scope_of_parts;
    PrimExpr var;
    PrimExpr value;
  };

  // Applies decisions to a statement and around it. New variables are appended to `lets`, the outermost last. Returns
  // the computations to reconsider.
  auto Apply(StmtId stmt, std::vector<Decision>& decisions, std::vector<NewLet>& lets) -> std::vector<PrimExpr> {
    MakeVars(decisions);
    Replacement replace(terms_, decisions);
    const auto old_terms = MapToVector<PrimExpr>(decisions, &Decision::expr);
    for (const ComputationTable::Slot slot : table_.SlotsWith(stmt, old_terms)) {
      const PrimExpr expr = table_.expr(slot);
      if (const PrimExpr made = replace(expr); made != expr) table_.Set(slot, made);
    }
    std::vector<PrimExpr> values;
    for (const Decision& decision : decisions) {
      if (!decision.is_new) continue;
      values.push_back(replace.Value(decision.expr));
      lets.push_back({decision.var, table_.AddLet(stmt, values.back()), {}});
    }
    auto terms = MapToVector<PrimExpr>(replace.made(), [&](PrimExpr term) { return term; });
    for (const PrimExpr part : arith::PostOrder(terms_, values)) {
      if (facts_.Of(part).eligible) terms.push_back(part);
    }
    return terms;
  }

  auto ComputationsIn(StmtId stmt, const Scope& scope) -> Computations {
    return scope.all ? table_.OfRegion(stmt) : table_.With(stmt, scope.terms);
  }

  // Repeats the step at a statement while variables are created. Afterwards `scope` is what the parts must consider:
  // where the last step used variables that were there before, terms may have become equal.
  void Introduce(StmtId stmt, Scope& scope, std::vector<NewLet>& lets) {
    const auto always = [&](PrimExpr term) { return table_.Evaluates(stmt, term); };
    for (;;) {
      std::vector<Decision> decisions = Step(ComputationsIn(stmt, scope), always);
      if (decisions.empty()) {
        scope = {};
        return;
      }
      const bool introduced = std::ranges::any_of(decisions, &Decision::is_new);
      scope = {false, Apply(stmt, decisions, lets)};
      if (introduced) continue;
      if (Step(ComputationsIn(stmt, scope), always).empty()) scope = {};
      return;
    }
  }

  // All steps at a statement and at the variables that are created around it.
  void Start(StmtId stmt, Scope scope) {
    std::vector<NewLet> lets;
    for (;;) {
      Introduce(stmt, scope, lets);
      if (lets.empty()) break;
      NewLet let = lets.back();
      lets.pop_back();
      table_.Release(let.slot);
      let.value = table_.expr(let.slot);
      SetExpression(let.slot, !scope.terms.empty());
      Enter(let.var, let.value);
      AddBinding(let.var, let.value, scope);
      lets_[stmt.value()].push_back(let);
    }
    const Stmt old = func_.stmt(stmt);
    const bool divides = old.is(StmtKind::kIf) || old.is(StmtKind::kFor) || old.is(StmtKind::kWhile);
    Frame frame{stmt, 0, std::move(scope), {}, {}};
    if (const auto let = old.As<LetStmt>()) {
      frame.var = let->var();
      frame.value = table_.expr(table_.SlotOf(stmt, 0));
    } else if (const auto loop = old.As<For>()) {
      frame.var = loop->loop_var();
    }
    for (size_t i = 0; i < old.exprs().size(); ++i) {
      SetExpression(table_.SlotOf(stmt, i), divides || !frame.scope_of_parts.terms.empty());
    }
    if (divides) frame.scope_of_parts = {true, {}};
    if (frame.var) Enter(frame.var, frame.value);
    if (frame.value) AddBinding(frame.var, frame.value, frame.scope_of_parts);
    frames_.push_back(std::move(frame));
  }

  // Records the computations that become possible when a variable comes into scope.
  void AddBinding(PrimExpr var, PrimExpr value, Scope& scope) {
    scope.terms.push_back(var);
    if (facts_.Of(value).eligible) scope.terms.push_back(value);
  }

  void WalkStatements() {
    Start(func_.body().id(), {true, {}});
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const Stmt stmt = func_.stmt(frame.stmt);
      if (frame.next_part < stmt.num_parts()) {
        // The frame may be relocated.
        Scope scope = frame.scope_of_parts;
        Start(stmt.part(frame.next_part++).id(), std::move(scope));
        continue;
      }
      if (frame.var) Exit(frame.var, frame.value);
      const std::vector<NewLet>& lets = lets_[stmt.id().value()];
      for (auto let = lets.rbegin(); let != lets.rend(); ++let) Exit(let->var, let->value);
      frames_.pop_back();
    }
  }

  auto Build() -> StmtTable {
    StmtBuilder builder(func_.context());
    std::vector<StmtId> done;
    std::vector<PrimExpr> exprs;
    const auto leave = [&](Stmt stmt) {
      const auto parts = std::span(done).last(stmt.num_parts());
      exprs.clear();
      for (size_t i = 0; i < stmt.exprs().size(); ++i) exprs.push_back(FinalExpr(table_.SlotOf(stmt.id(), i)));
      StmtId made = builder.Copy(stmt, parts, exprs);
      const std::vector<NewLet>& lets = lets_[stmt.id().value()];
      for (auto let = lets.rbegin(); let != lets.rend(); ++let)
        made = builder.Let(let->var, FinalExpr(let->slot), made);
      done.resize(done.size() - stmt.num_parts());
      done.push_back(made);
    };
    Walk(
        func_.body(), [](Stmt) { return true; }, leave);
    return builder.Finish(done.back());
  }

  // Expressions.

  // The steps in the expression of a slot, which comes after all remaining work.
  void SetExpression(ComputationTable::Slot slot, bool look) {
    const PrimExpr expr = table_.expr(slot);
    if (const PrimExpr made = Expression(expr, look); made != expr) final_exprs_[slot] = made;
  }
  auto FinalExpr(ComputationTable::Slot slot) const -> PrimExpr {
    const auto found = final_exprs_.find(slot);
    return found == final_exprs_.end() ? table_.expr(slot) : found->second;
  }

  struct ExprFrame {
    PrimExpr expr;
    // Whether something may be computed twice in its operands.
    bool look;
    size_t first_made;
    size_t next = 0;
    bool entered = false;
  };

  // Returns the step at an expression; `look` becomes whether its operands need one.
  auto IntroduceInExpr(PrimExpr expr, bool& look) -> PrimExpr {
    if (!look) return expr;
    Computations list;
    facts_.List(expr, false, list);
    // A single computation has no repeated parts before its parts are listed.
    std::vector<Decision> decisions = Step(list, [&](PrimExpr term) { return facts_.Evaluates(expr, term); });
    MakeVars(decisions);
    look = !decisions.empty();
    if (!look) return expr;
    occurrences_.Forget();
    Replacement replace(terms_, decisions);
    expr = replace(expr);
    for (const Decision& decision : decisions) {
      if (decision.is_new) expr = terms_.Let(decision.var, replace.Value(decision.expr), expr);
    }
    return expr;
  }

  auto Expression(PrimExpr root, bool look) -> PrimExpr {
    std::vector<ExprFrame> frames;
    std::vector<PrimExpr> made;
    const auto start = [&](PrimExpr expr, bool look) {
      if (!terms_.operands(expr).empty()) expr = IntroduceInExpr(expr, look);
      if (terms_.operands(expr).empty() || (!look && !facts_.Of(expr).has_let))
        made.push_back(expr);
      else
        frames.push_back({expr, look, made.size()});
    };
    start(root, look);
    while (!frames.empty()) {
      ExprFrame& frame = frames.back();
      const auto operands = terms_.operands(frame.expr);
      const bool let = terms_.kind(frame.expr) == PrimKind::kLet;
      if (let && frame.next == 2 && !frame.entered) {
        Enter(operands[0], operands[1]);
        frame.entered = true;
      }
      if (frame.next < operands.size()) {
        const size_t i = frame.next++;
        if (let && i == 0)
          made.push_back(operands[0]);
        else
          start(operands[i], frame.look || (let && i == 2 && MayIntroduce(frame.expr, frames.size())));
        continue;
      }
      if (let) Exit(operands[0], operands[1]);
      const size_t first = frame.first_made;
      const PrimExpr result = terms_.WithOperands(frame.expr, std::span(made).subspan(first));
      made.resize(first);
      made.push_back(result);
      frames.pop_back();
      occurrences_.Leave(frames.size());
    }
    return made.back();
  }

  // Whether a step at the body of a Let may decide something that the step around the Let did not: at computations with
  // its variable, or equal to its value. `depth` is that of the Let among the frames.
  auto MayIntroduce(PrimExpr let, size_t depth) -> bool {
    const PrimExpr value = terms_.operand(let, 1);
    // A division that is not evaluated with what is around the Let may be evaluated with the body.
    if (facts_.Of(terms_.operand(let, 2)).may_trap) return true;
    occurrences_.Count(let, depth);
    return occurrences_.IsSharedWithin(terms_.operand(let, 0)) ||
           (facts_.Of(value).eligible && occurrences_.IsShared(value));
  }

  const PrimFunc& func_;
  Terms& terms_;
  ComputationFacts facts_;
  ComputationTable table_;
  Occurrences occurrences_;
  // The variables made around each statement, the outermost first.
  std::vector<std::vector<NewLet>> lets_;
  absl::flat_hash_map<ComputationTable::Slot, PrimExpr> final_exprs_;
  std::vector<Frame> frames_;
  absl::flat_hash_map<PrimExpr, int> scope_;
  // The variables in scope that have a value, the outermost first.
  absl::flat_hash_map<PrimExpr, std::vector<PrimExpr>> values_;
  absl::flat_hash_set<std::string> names_;
  int64_t counter_ = 0;
};

// Replaces computations that simplify to the same term by the first of them.
class EquivalentTerms : public Rewriter {
 public:
  explicit EquivalentTerms(const PrimFunc& func) : Rewriter(func), facts_(func.terms()), analyzer_(func.terms()) {}

 protected:
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    const PrimExpr expr = Rewriter::RewriteNode(old, made);
    const ComputationFacts::Facts facts = facts_.Of(expr);
    // Larger terms would be simplified again and again. What may trap stays where it is.
    constexpr uint64_t kMostComplex = 64;
    if (!facts.eligible || facts.has_let || facts.may_trap || facts.complexity > kMostComplex) return expr;
    const PrimExpr first = first_.try_emplace(analyzer_.Simplify(expr), expr).first->second;
    // `x * 0 + n + 1` may be met where x is not known.
    const std::vector<PrimExpr> vars = arith::FreeVars(terms(), expr);
    const auto is_known = [&](PrimExpr var) { return std::ranges::find(vars, var) != vars.end(); };
    return std::ranges::all_of(arith::FreeVars(terms(), first), is_known) ? first : expr;
  }

 private:
  ComputationFacts facts_;
  // Knows nothing of the program.
  arith::Analyzer analyzer_;
  absl::flat_hash_map<PrimExpr, PrimExpr> first_;
};

struct CseOptions {
  bool enable_cse_tir = true;
  bool identify_equiv_terms = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&CseOptions::enable_cse_tir>("do anything at all"),
        Option<&CseOptions::identify_equiv_terms>("terms that simplify to the same are the same"),
    };
  }
};

struct CommonSubexprElimTirPass {
  using Options = CseOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (!options.enable_cse_tir) return std::optional<PrimFunc>();
    if (!options.identify_equiv_terms) return Eliminator(func).Run();
    std::optional<PrimFunc> unified = EquivalentTerms(func).Run();
    std::optional<PrimFunc> made = Eliminator(unified ? *unified : func).Run();
    return made ? std::move(made) : std::move(unified);
  }
};

}  // namespace

constinit const PassDef kCommonSubexprElimTIRPass = DescribePass<CommonSubexprElimTirPass>({
    .name = "tir.CommonSubexprElimTIR",
    .summary = "Bind expressions that are computed twice to variables",
    .details = R"(  A[i * 4 + j] = B[i * 4 + j]    ->    cse_var_1: T.int32 = i * 4 + j
                                       A[cse_var_1] = B[cse_var_1]

A computation is an expression without loads and calls. It goes around the smallest statement that holds two occurrences
and in which all of its variables are known: parameters, variables of loops and of lets. With identify_equiv_terms computations
that simplify to the same (`n + 1` and `1 + n`) are written as the first of them before.)",
    .aliases = "tir.transform.CommonSubexprElimTIR",
});

}  // namespace relayopt::tir
