// CommonSubexprElimTIR: what is computed twice is computed once, in a variable.
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
// A statement that got a variable is looked at again; one that did not, passes on to its parts. What occurs in one
// branch of an `if`, or only in the body of a loop, is no business of the `if` or the loop: such computations count
// only where they are in two of its parts. Expressions are treated in the same way, with Lets.
#include <algorithm>
#include <queue>
#include <string>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

// Computations with their numbers, in order of discovery.
class Computations {
 public:
  struct Entry {
    PrimExpr expr;
    uint64_t count;
  };
  auto entries() const -> const std::vector<Entry>& { return entries_; }
  void Add(PrimExpr expr, uint64_t count) {
    const auto [found, is_new] = places_.try_emplace(expr, entries_.size());
    if (is_new)
      entries_.push_back({expr, count});
    else
      entries_[found->second].count += count;
  }
  void Add(const Computations& other) {
    for (const Entry& entry : other.entries_) Add(entry.expr, entry.count);
  }
  auto Contains(PrimExpr expr) const -> bool { return places_.contains(expr); }

 private:
  std::vector<Entry> entries_;
  absl::flat_hash_map<PrimExpr, size_t> places_;
};

class Eliminator {
 public:
  explicit Eliminator(const PrimFunc& func) : func_(func), terms_(func.terms()), builder_(func.context()) {}

  auto Run() -> std::optional<PrimFunc> {
    CollectNames();
    for (const PrimExpr param : func_.params()) Enter(param, {});
    const StmtId body = Statement(builder_.CopyTree(func_.body()));
    PrimFunc made(func_.info(), builder_.Finish(body));
    if (Same(made, func_)) return std::nullopt;
    return made;
  }

 private:
  // What a term is to this pass.
  struct Facts {
    // Holds a load or call somewhere.
    bool forbidden = false;
    // A computation of its own.
    bool eligible = false;
    uint64_t complexity = 1;
  };

  auto FactsOf(PrimExpr expr) -> const Facts& {
    if (const auto found = facts_.find(expr); found != facts_.end()) return found->second;
    for (const PrimExpr term : arith::PostOrder(terms_, expr)) {
      if (facts_.contains(term)) continue;
      Facts facts;
      const PrimKind kind = terms_.kind(term);
      facts.forbidden = kind == PrimKind::kCall || kind == PrimKind::kBufferLoad;
      for (const PrimExpr operand : terms_.operands(term)) {
        const Facts& part = facts_.at(operand);
        facts.forbidden = facts.forbidden || part.forbidden;
        facts.complexity = std::min<uint64_t>(facts.complexity + part.complexity, UINT64_MAX / 4);
      }
      const bool atom = terms_.operands(term).empty();
      facts.eligible = !atom && !facts.forbidden && kind != PrimKind::kRamp && kind != PrimKind::kBroadcast;
      facts_[term] = facts;
    }
    return facts_.at(expr);
  }

  // The computations of an expression: itself, or those of its parts. `parts_only`: of its parts in any case.
  void ListExpr(PrimExpr root, bool parts_only, Computations& list) {
    std::vector<PrimExpr> stack = {root};
    bool first = parts_only;
    while (!stack.empty()) {
      const PrimExpr top = stack.back();
      stack.pop_back();
      if (!first && FactsOf(top).eligible) {
        list.Add(top, 1);
        continue;
      }
      first = false;
      const auto operands = terms_.operands(top);
      stack.insert(stack.end(), operands.rbegin(), operands.rend());
    }
  }

  // The computations of a statement and of all that is in it; what was found is kept by statement.
  auto ListOf(StmtId root) -> const Computations& {
    std::vector<StmtId> stack = {root};
    while (!stack.empty()) {
      const StmtId id = stack.back();
      if (lists_.contains(id)) {
        stack.pop_back();
        continue;
      }
      const size_t before = stack.size();
      for (const StmtId part : builder_.stmt(id).parts()) {
        if (!lists_.contains(part)) stack.push_back(part);
      }
      if (stack.size() != before) continue;
      stack.pop_back();
      auto list = std::make_unique<Computations>(ListStmt(builder_.stmt(id)));
      lists_[id] = std::move(list);
    }
    return *lists_.at(root);
  }

  auto ListStmt(Stmt stmt) -> Computations {
    std::vector<Computations> parts;
    for (const PrimExpr expr : stmt.exprs()) ListExpr(expr, false, parts.emplace_back());
    const size_t num_exprs = parts.size();
    const bool shares = stmt.is(StmtKind::kIf) || stmt.is(StmtKind::kFor) || stmt.is(StmtKind::kWhile);
    Computations list;
    if (!shares) {
      for (const Computations& part : parts) list.Add(part);
      for (const StmtId part : stmt.parts()) list.Add(*lists_.at(part));
      return list;
    }
    std::vector<const Computations*> all;
    for (size_t i = 0; i < num_exprs; ++i) all.push_back(&parts[i]);
    for (const StmtId part : stmt.parts()) all.push_back(lists_.at(part).get());
    for (size_t i = 0; i < all.size(); ++i) {
      for (const Computations::Entry& entry : all[i]->entries()) {
        const auto holders =
            std::count_if(all.begin(), all.end(), [&](const Computations* part) { return part->Contains(entry.expr); });
        if (holders >= 2) list.Add(entry.expr, entry.count);
      }
    }
    return list;
  }

  // The work list of a step: the most complex first, then by text, then as they came.
  struct Work {
    uint64_t complexity;
    uint64_t order;
    PrimExpr expr;
    auto operator<(const Work& other) const -> bool {
      return complexity != other.complexity ? complexity < other.complexity : order > other.order;
    }
  };
  // What a step decides, in order: a computation and the variable that replaces it; `is_new` where that gets a Let.
  struct Decision {
    PrimExpr expr;
    PrimExpr var;
    bool is_new;
  };

  auto Step(const Computations& list) -> std::vector<Decision> {
    struct Item {
      PrimExpr expr;
      std::string text;
    };
    std::vector<Item> items;
    for (const Computations::Entry& entry : list.entries()) items.push_back({entry.expr, {}});
    // Texts are for ties only, which few lists have.
    const auto complexity = [&](const Item& item) { return FactsOf(item.expr).complexity; };
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item& a, const Item& b) { return complexity(a) > complexity(b); });
    for (size_t i = 0; i < items.size();) {
      size_t end = i + 1;
      while (end < items.size() && complexity(items[end]) == complexity(items[i])) ++end;
      if (end - i > 1) {
        for (size_t k = i; k < end; ++k) items[k].text = arith::LegacyText(terms_, items[k].expr);
        std::stable_sort(items.begin() + static_cast<ptrdiff_t>(i), items.begin() + static_cast<ptrdiff_t>(end),
                         [](const Item& a, const Item& b) { return a.text < b.text; });
      }
      i = end;
    }
    std::priority_queue<Work> queue;
    absl::flat_hash_map<PrimExpr, uint64_t> counts;
    uint64_t order = 0;
    for (const Item& item : items) queue.push({complexity(item), order++, item.expr});
    for (const Computations::Entry& entry : list.entries()) counts[entry.expr] = entry.count;
    std::vector<Decision> decisions;
    while (!queue.empty()) {
      const PrimExpr expr = queue.top().expr;
      queue.pop();
      if (const auto known = values_.find(expr); known != values_.end() && !known->second.empty()) {
        decisions.push_back({expr, known->second.front(), false});
      } else if (counts[expr] >= 2 && InScope(expr)) {
        const PrimExpr var = terms_.Var(FreshName(), terms_.dtype(expr));
        decisions.push_back({expr, var, true});
      } else {
        Computations parts;
        ListExpr(expr, true, parts);
        for (const Computations::Entry& part : parts.entries()) {
          const auto [found, is_new] = counts.try_emplace(part.expr, part.count);
          if (is_new)
            queue.push({FactsOf(part.expr).complexity, order++, part.expr});
          else
            found->second += part.count;
        }
      }
    }
    return decisions;
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

  // Replacing.

  auto Replace(StmtId stmt, PrimExpr expr, PrimExpr var) -> StmtId {
    ExprRewriter exprs(terms_, [&](PrimExpr old, PrimExpr made) { return old == expr ? var : made; });
    std::vector<StmtId> done;
    std::vector<PrimExpr> new_exprs;
    Walk(
        builder_.stmt(stmt), [](Stmt) { return true; },
        [&](Stmt old) {
          const auto parts = std::span(done).last(old.num_parts());
          new_exprs.clear();
          for (const PrimExpr e : old.exprs()) new_exprs.push_back(exprs(e));
          const bool same = std::ranges::equal(parts, old.parts()) && std::ranges::equal(new_exprs, old.exprs());
          const StmtId made = same ? old.id() : builder_.Copy(old, parts, new_exprs);
          done.resize(done.size() - old.num_parts());
          done.push_back(made);
        });
    return done.back();
  }

  // The walk: statements on a stack, in the order of the text.

  struct Frame {
    StmtId stmt;
    size_t next_expr = 0;
    size_t next_part = 0;
    std::vector<PrimExpr> exprs;
    std::vector<StmtId> parts;
    // What is in scope in the parts.
    PrimExpr var;
    PrimExpr value;
  };

  // The step at a statement, again as long as it gets a variable.
  auto Introduce(StmtId stmt) -> StmtId {
    for (;;) {
      const std::vector<Decision> decisions = Step(ListOf(stmt));
      bool introduced = false;
      for (const Decision& decision : decisions) {
        stmt = Replace(stmt, decision.expr, decision.var);
        if (decision.is_new) stmt = builder_.Let(decision.var, decision.expr, stmt);
        introduced = introduced || decision.is_new;
      }
      if (!introduced) return stmt;
    }
  }

  auto Statement(StmtId root) -> StmtId {
    std::vector<Frame> frames;
    std::vector<StmtId> done;
    const auto start = [&](StmtId id) {
      Frame frame;
      frame.stmt = Introduce(id);
      frames.push_back(std::move(frame));
    };
    start(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const Stmt stmt = builder_.stmt(frame.stmt);
      if (frame.next_expr < stmt.exprs().size()) {
        frame.exprs.push_back(Expression(stmt.expr(frame.next_expr)));
        ++frame.next_expr;
        continue;
      }
      if (frame.next_part == 0 && stmt.num_parts() > 0) {
        if (const auto let = stmt.As<LetStmt>()) {
          frame.var = let->var();
          frame.value = let->value();
        }
        if (const auto loop = stmt.As<For>()) frame.var = loop->loop_var();
        if (frame.var) Enter(frame.var, frame.value);
      }
      if (!done.empty() && frame.parts.size() < frame.next_part) {
        frame.parts.push_back(done.back());
        done.pop_back();
      }
      if (frame.next_part < stmt.num_parts()) {
        start(stmt.part(frame.next_part++).id());
        continue;
      }
      if (frame.var) Exit(frame.var, frame.value);
      const bool same = std::ranges::equal(frame.parts, stmt.parts()) && std::ranges::equal(frame.exprs, stmt.exprs());
      done.push_back(same ? frame.stmt : builder_.Copy(stmt, frame.parts, frame.exprs));
      frames.pop_back();
    }
    return done.back();
  }

  struct ExprFrame {
    PrimExpr expr;
    size_t next = 0;
    size_t first_made = 0;
    bool entered = false;
  };

  auto IntroduceInExpr(PrimExpr expr) -> PrimExpr {
    Computations list;
    ListExpr(expr, false, list);
    // A computation alone has nothing that occurs twice before its parts are listed.
    for (const Decision& decision : Step(list)) {
      ExprRewriter replace(terms_,
                           [&](PrimExpr old, PrimExpr made) { return old == decision.expr ? decision.var : made; });
      expr = replace(expr);
      if (decision.is_new) expr = terms_.Let(decision.var, decision.expr, expr);
    }
    return expr;
  }

  auto Expression(PrimExpr root) -> PrimExpr {
    std::vector<ExprFrame> frames;
    std::vector<PrimExpr> made;
    const auto start = [&](PrimExpr expr) {
      if (terms_.operands(expr).empty()) {
        made.push_back(expr);
        return;
      }
      frames.push_back({IntroduceInExpr(expr), 0, made.size(), false});
      if (terms_.operands(frames.back().expr).empty()) {
        made.push_back(frames.back().expr);
        frames.pop_back();
      }
    };
    start(root);
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
          start(operands[i]);
        continue;
      }
      if (let) Exit(operands[0], operands[1]);
      const size_t first = frame.first_made;
      const PrimExpr result = terms_.WithOperands(frame.expr, std::span(made).subspan(first));
      made.resize(first);
      made.push_back(result);
      frames.pop_back();
    }
    return made.back();
  }

  const PrimFunc& func_;
  Terms& terms_;
  StmtBuilder builder_;
  absl::flat_hash_map<PrimExpr, Facts> facts_;
  absl::flat_hash_map<StmtId, std::unique_ptr<Computations>> lists_;
  absl::flat_hash_map<PrimExpr, int> scope_;
  // The variables in scope that have a value, the outermost first.
  absl::flat_hash_map<PrimExpr, std::vector<PrimExpr>> values_;
  absl::flat_hash_set<std::string> names_;
  int64_t counter_ = 0;
};

constexpr DiagnosticKind kEquivTerms{"cse-equiv-terms", Severity::kError,
                                     "tir.CommonSubexprElimTIR: the option identify_equiv_terms is not supported"};

struct CseOptions {
  bool enable_cse_tir = true;
  bool identify_equiv_terms = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&CseOptions::enable_cse_tir>("enable_cse_tir", "do anything at all"),
        Option<&CseOptions::identify_equiv_terms>("identify_equiv_terms",
                                                  "terms that simplify to the same are the same (not supported)"),
    };
  }
};

struct CommonSubexprElimTirPass {
  using Options = CseOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (!options.enable_cse_tir) return std::optional<PrimFunc>();
    if (options.identify_equiv_terms) return MakeDiagnostic(kEquivTerms, {});
    return Eliminator(func).Run();
  }
};

}  // namespace

constinit const PassDef kCommonSubexprElimTIRPass = DescribePass<CommonSubexprElimTirPass>({
    .name = "tir.CommonSubexprElimTIR",
    .summary = "Compute once, in a variable, what is computed twice",
    .details = R"(  A[i * 4 + j] = B[i * 4 + j]    ->    cse_var_1: T.int32 = i * 4 + j
                                       A[cse_var_1] = B[cse_var_1]

A computation is an expression without loads and calls. It goes around the smallest statement that holds two occurrences
and in which all of its variables are known: parameters, variables of loops and of lets.)",
    .aliases = "tir.transform.CommonSubexprElimTIR",
});

}  // namespace relayopt::tir
