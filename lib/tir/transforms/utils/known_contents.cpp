// The known contents of buffers at each statement.
//
// One walk in the order of execution, with the boxes of elements whose value is known:
//
//   for i in range(16):            enter: nothing
//       A[i] = i * 2               A[i] is i * 2
//   ...                            leave: the point moves with i, so A[0..15] is axis * 2
//   for i in range(16):            enter: earlier iterations store A[0..i-1], so A[i..15] is still axis * 2
//       if A[i] == i * 2: ...
//       A[i] = 0
//   ...                            A[0..15] is 0
//
// A store makes what it may overwrite unknown, and its own element known if its value loads nothing that is not known.
// After a branch, what both cases agree on is known, and the rest under the condition or its negation as guard. An
// effect, a thread, a block and a while loop make everything unknown. At most kMostContents boxes are followed, so that
// a statement takes a bounded number of proofs.
#include "lib/tir/transforms/utils/known_contents.h"

#include <algorithm>

#include "lib/tir/transforms/utils/decided_branches.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr size_t kMostContents = 32;

auto HasLoad(const Terms& terms, PrimExpr e) -> bool { return terms.effect(e) > arith::CallEffect::kPure; }

auto IsLoadAnywhere(const Terms& terms, PrimExpr e) -> bool {
  return std::ranges::any_of(arith::PostOrder(terms, e),
                             [&](PrimExpr term) { return terms.kind(term) == PrimKind::kBufferLoad; });
}

}  // namespace

class KnownContents::Walker {
 public:
  Walker(const PrimFunc& func, KnownContents& result)
      : func_(func),
        terms_(func.terms()),
        tables_(func.tables()),
        accesses_(func),
        analyzer_(func.terms()),
        prover_(func.terms(), analyzer_),
        result_(result) {}

  void Run() {
    Walk(
        func_.body(), [this](Stmt stmt) { return Enter(stmt), true; }, [this](Stmt stmt) { Leave(stmt); });
  }

 private:
  using Contents = std::vector<KnownContent>;
  struct Frame {
    StmtId stmt;
    size_t next_part = 0;
    // Of a loop or a branch: what was known before.
    Contents before;
    // Of a branch: what is known after its first case.
    Contents after_then;
    bool has_constraint = false;
  };

  void Enter(Stmt stmt) {
    if (!frames_.empty()) EnterPart(func_.stmt(frames_.back().stmt), frames_.back().next_part++);
    if (!now_.empty()) result_.before_.emplace(stmt.id(), now_);
    const auto has_effect = [&](PrimExpr e) { return terms_.effect(e) > arith::CallEffect::kReadState; };
    if (stmt.num_parts() != 0 && std::ranges::any_of(stmt.exprs(), has_effect)) now_.clear();
    frames_.push_back({.stmt = stmt.id()});
    Frame& frame = frames_.back();
    switch (stmt.kind()) {
      case StmtKind::kFor: {
        const For loop(stmt);
        frame.before = now_;
        if (IsPlain(loop)) analyzer_.Bind(loop.loop_var(), Range{loop.min(), loop.extent()});
        if (!IsPlain(loop) || accesses_.HasEffectIn(stmt))
          now_.clear();
        else
          now_ = InIteration(loop, now_);
        break;
      }
      case StmtKind::kIf: frame.before = now_; break;
      case StmtKind::kAttr:
        if (const IterVarId thread = AttrStmt(stmt).launched_thread()) {
          const PrimExpr zero = terms_.IntImm(terms_.dtype(AttrStmt(stmt).value()), 0);
          analyzer_.Bind(tables_.iter_var(thread).var, Range{zero, AttrStmt(stmt).value()});
          now_.clear();
        }
        break;
      case StmtKind::kWhile:
      case StmtKind::kBlock:
      case StmtKind::kBlockRealize: now_.clear(); break;
      default: break;
    }
  }

  void EnterPart(Stmt parent, size_t part) {
    Frame& frame = frames_.back();
    // The initialization of a block runs in some iterations only.
    if (parent.is(StmtKind::kBlock)) now_.clear();
    if (!parent.is(StmtKind::kIf)) return;
    const PrimExpr condition = WithoutLikely(terms_, IfThenElse(parent).condition());
    if (part == 1) frame.after_then = std::exchange(now_, frame.before);
    frame.has_constraint = !IsLoadAnywhere(terms_, condition);
    if (frame.has_constraint) EnterIfPart(analyzer_, condition, part);
    if (part == 0) Assume(condition);
  }

  void Leave(Stmt stmt) {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    switch (stmt.kind()) {
      case StmtKind::kStore: Store(BufferStore(stmt)); break;
      case StmtKind::kFor: LeaveLoop(For(stmt), frame); break;
      case StmtKind::kIf: {
        if (frame.has_constraint) analyzer_.LeaveConstraint();
        const bool has_else = stmt.num_parts() == 2;
        now_ = Join(IfThenElse(stmt), has_else ? frame.after_then : now_, has_else ? now_ : frame.before);
        break;
      }
      case StmtKind::kLet: DropMentions(LetStmt(stmt).var()); break;
      case StmtKind::kAttr:
        if (AttrStmt(stmt).launched_thread()) now_.clear();
        break;
      case StmtKind::kWhile:
      case StmtKind::kBlock:
      case StmtKind::kBlockRealize: now_.clear(); break;
      case StmtKind::kEvaluate: {
        const PrimExpr value = Evaluate(stmt).value();
        if (IsAssumption(terms_, value)) return Assume(terms_.operand(value, 0));
        if (terms_.effect(value) > arith::CallEffect::kReadState) now_.clear();
        break;
      }
      default: break;
    }
  }

  // A condition `A[i] == value`, or `i >= 14 or A[i] == value`, that holds.
  void Assume(PrimExpr condition) {
    for (PrimExpr part : arith::ExtractConstraints(terms_, condition)) {
      PrimExpr guard;
      for (const size_t side : {size_t{0}, size_t{1}}) {
        if (terms_.kind(part) != PrimKind::kOr || HasLoad(terms_, terms_.operand(part, side))) continue;
        guard = arith::Not(terms_, terms_.operand(part, side));
        part = terms_.operand(part, 1 - side);
        break;
      }
      if (terms_.kind(part) != PrimKind::kEQ) continue;
      for (const size_t side : {size_t{0}, size_t{1}}) {
        const PrimExpr load = terms_.operand(part, side);
        const PrimExpr value = terms_.operand(part, 1 - side);
        // Floats that are equal may be zeros of either sign.
        if (terms_.kind(load) != PrimKind::kBufferLoad || terms_.dtype(load).is_float()) continue;
        Add(terms_.buffer(load), terms_.operands(load), value, guard);
      }
    }
  }

  void Add(BufferId buffer, std::span<const PrimExpr> indices, PrimExpr value, PrimExpr guard = {}) {
    const bool is_plain = terms_.lanes(value) == 1 && !HasLoad(terms_, value) &&
                          std::ranges::none_of(indices, [&](PrimExpr index) { return HasLoad(terms_, index); });
    auto box = BoxProver::Point(terms_, buffer, indices);
    if (!is_plain || !box || accesses_.Escapes(tables_.buffer(buffer).data)) return;
    AxesOf(buffer, indices);
    if (now_.size() == kMostContents) now_.erase(now_.begin());
    now_.push_back({*std::move(box), value, guard});
  }

  void AxesOf(BufferId buffer, std::span<const PrimExpr> indices) {
    std::vector<PrimExpr>& axes = result_.axes_[buffer];
    for (size_t k = axes.size(); k < indices.size(); ++k) axes.push_back(terms_.Var("axis", terms_.dtype(indices[k])));
  }

  void Store(BufferStore store) {
    const PrimExpr value = result_.WithValues(store.id(), store.value(), analyzer_);
    if (terms_.effect(value) > arith::CallEffect::kReadState) return now_.clear();
    Contents kept;
    for (KnownContent& content : now_) {
      if (StaysAfter(content, store, value)) kept.push_back(std::move(content));
    }
    now_ = std::move(kept);
    Add(store.buffer(), store.indices(), value);
  }

  // Whether what remains of the content after a store is worth keeping; cuts its box at the element.
  auto StaysAfter(KnownContent& content, BufferStore store, PrimExpr value) -> bool {
    if (tables_.buffer(content.box.buffer).data != tables_.buffer(store.buffer()).data) return true;
    if (content.box.buffer != store.buffer() || content.box.axes.size() != store.indices().size()) return false;
    if (prover_.IsOutside(content.box, store.indices())) return true;
    if (AgreesAt(content, store.indices(), value)) return true;
    // One axis with several elements: the element may be at an end.
    for (size_t k = 0; k < content.box.axes.size(); ++k) {
      arith::IntSet& axis = content.box.axes[k];
      const PrimExpr index = store.indices()[k];
      if (axis.min == axis.max || terms_.dtype(index) != terms_.dtype(axis.min)) continue;
      const PrimExpr one = terms_.IntImm(terms_.dtype(index), 1);
      if (prover_.CanProveEqual(axis.min, index)) {
        axis.min = analyzer_.Simplify(arith::Add(terms_, index, one));
        return true;
      }
      if (prover_.CanProveEqual(axis.max, index)) {
        axis.max = analyzer_.Simplify(arith::Sub(terms_, index, one));
        return true;
      }
    }
    return false;
  }

  // Whether storing the value there leaves the content what it is.
  auto AgreesAt(const KnownContent& content, std::span<const PrimExpr> indices, PrimExpr value) -> bool {
    if (std::ranges::any_of(indices, [&](PrimExpr index) { return terms_.lanes(index) != 1; })) return false;
    if (HasLoad(terms_, value)) return false;
    const PrimExpr known = AtElement(terms_, result_.axes_.at(content.box.buffer), content.value, indices);
    return known == value || (terms_.dtype(known) == terms_.dtype(value) && !terms_.dtype(value).is_float() &&
                              prover_.CanProveEqual(known, value));
  }

  // Whether the bounds of the loop stay what they are, and one thread runs it.
  auto IsPlain(For loop) const -> bool {
    return loop.for_kind() != ForKind::kThreadBinding && !HasLoad(terms_, loop.min()) &&
           !HasLoad(terms_, loop.extent());
  }

  // The contents before a loop that are still known at the beginning of each iteration.
  auto InIteration(For loop, const Contents& before) -> Contents {
    Contents kept;
    for (KnownContent content : before) {
      if (SurvivesEarlierIterations(content, loop)) kept.push_back(std::move(content));
    }
    return kept;
  }

  auto SurvivesEarlierIterations(KnownContent& content, For loop) -> bool {
    const auto stores = accesses_.StoresIn(loop, tables_.buffer(content.box.buffer).data);
    if (stores.empty()) return true;
    std::optional<std::pair<size_t, PrimExpr>> moving = MovesWith(stores, content.box.buffer, loop.loop_var());
    if (!moving) return Agree(content, stores);
    // Earlier iterations have stored to the elements in front of this one.
    arith::IntSet& axis = content.box.axes[moving->first];
    const PrimExpr first = arith::Add(terms_, loop.min(), moving->second);
    if (terms_.dtype(axis.min) != terms_.dtype(first)) return false;
    if (!prover_.CanProveEqual(axis.min, first)) return Agree(content, stores);
    if (!Agree(content, stores)) axis.min = analyzer_.Simplify(arith::Add(terms_, loop.loop_var(), moving->second));
    return true;
  }

  // Whether all stores store the known content.
  auto Agree(const KnownContent& content, std::span<const MemoryAccesses::Access> stores) -> bool {
    return std::ranges::all_of(stores, [&](const MemoryAccesses::Access& access) {
      const BufferStore store(func_.stmt(access.stmt));
      return store.buffer() == content.box.buffer && AgreesAt(content, store.indices(), store.value());
    });
  }

  // The axis along which all stores are to the element `loop variable + offset`, and the offset.
  auto MovesWith(std::span<const MemoryAccesses::Access> stores, BufferId buffer, PrimExpr var)
      -> std::optional<std::pair<size_t, PrimExpr>> {
    if (stores.empty() || stores[0].buffer != buffer) return std::nullopt;
    for (size_t k = 0; k < stores[0].indices.size(); ++k) {
      if (terms_.lanes(stores[0].indices[k]) != 1) continue;
      const PrimExpr offset = prover_.Offset(stores[0].indices[k], var);
      if (!offset || !IsKnownOutside(offset)) continue;
      const bool all = std::ranges::all_of(stores, [&](const MemoryAccesses::Access& access) {
        return access.buffer == buffer && terms_.lanes(access.indices[k]) == 1 &&
               prover_.Offset(access.indices[k], var) == offset;
      });
      if (all) return std::pair(k, offset);
    }
    return std::nullopt;
  }
  // Offsets that do not change inside of the loop: literals.
  auto IsKnownOutside(PrimExpr offset) const -> bool { return terms_.AsInt(offset).has_value(); }

  void LeaveLoop(For loop, const Frame& frame) {
    if (!IsPlain(loop) || accesses_.HasEffectIn(loop)) return now_.clear();
    Contents after;
    for (const KnownContent& content : frame.before) {
      const auto stores = accesses_.StoresIn(loop, tables_.buffer(content.box.buffer).data);
      if (stores.empty() || Agree(content, stores)) after.push_back(content);
    }
    for (KnownContent& content : now_) {
      const bool is_new = Generalize(content, loop);
      const auto is_same = [&](const KnownContent& other) { return IsSame(content, other); };
      if (is_new && std::ranges::none_of(after, is_same) && after.size() < kMostContents)
        after.push_back(std::move(content));
    }
    now_ = std::move(after);
    analyzer_.EndLoop(loop.loop_var());
    DropMentions(loop.loop_var());
  }

  // Makes a content at the end of an iteration one at the end of the loop, if the later iterations keep it.
  auto Generalize(KnownContent& content, For loop) -> bool {
    const PrimExpr var = loop.loop_var();
    const auto stores = accesses_.StoresIn(loop, tables_.buffer(content.box.buffer).data);
    const auto axis = prover_.MovingAxis(content.box, var);
    if (!axis) return false;
    const PrimExpr offset = prover_.Offset(content.box.axes[*axis].min, var);
    const auto moving = MovesWith(stores, content.box.buffer, var);
    if (!stores.empty() && (!moving || *moving != std::pair(*axis, offset))) return false;
    const PrimExpr axis_var = result_.axes_.at(content.box.buffer)[*axis];
    if (terms_.dtype(axis_var) != terms_.dtype(var)) return false;
    const VarMap map = {{var, arith::Sub(terms_, axis_var, offset)}};
    content.value = Substitute(terms_, content.value, map);
    if (content.guard) content.guard = Substitute(terms_, content.guard, map);
    content.box.axes[*axis] = prover_.Swept(content.box, *axis, loop);
    return true;
  }

  auto IsSame(const KnownContent& a, const KnownContent& b) -> bool {
    return a.value == b.value && a.guard == b.guard && prover_.IsSame(a.box, b.box);
  }

  // The known contents after a branch.
  auto Join(IfThenElse branch, const Contents& after_then, const Contents& after_else) -> Contents {
    Contents joined;
    const auto add = [&](const Contents& from, const Contents& other, PrimExpr guard) {
      for (KnownContent content : from) {
        const auto is_same = [&](const KnownContent& known) { return IsSame(content, known); };
        if (std::ranges::any_of(joined, is_same) || joined.size() == kMostContents) continue;
        if (std::ranges::none_of(other, is_same)) {
          if (!guard) continue;
          content.guard = content.guard ? arith::And(terms_, content.guard, guard) : guard;
        }
        joined.push_back(std::move(content));
      }
    };
    const PrimExpr condition = WithoutLikely(terms_, branch.condition());
    const bool may_guard = !HasLoad(terms_, condition) && arith::IsBool(terms_.dtype(condition));
    add(after_then, after_else, may_guard ? condition : PrimExpr());
    add(after_else, after_then, may_guard ? arith::Not(terms_, condition) : PrimExpr());
    return joined;
  }

  void DropMentions(PrimExpr var) {
    std::erase_if(now_, [&](const KnownContent& content) {
      return prover_.Mentions(content.box, var) || arith::UsesVar(terms_, content.value, var) ||
             (content.guard && arith::UsesVar(terms_, content.guard, var));
    });
  }

  const PrimFunc& func_;
  Terms& terms_;
  const Tables& tables_;
  MemoryAccesses accesses_;
  arith::Analyzer analyzer_;
  BoxProver prover_;
  KnownContents& result_;
  Contents now_;
  std::vector<Frame> frames_;
};

KnownContents::KnownContents(const PrimFunc& func) : terms_(func.terms()) {
  if (HasUniqueVars(func)) Walker(func, *this).Run();
}

auto KnownContents::AtElement(Terms& terms, const std::vector<PrimExpr>& axes, PrimExpr expr,
                              std::span<const PrimExpr> indices) -> PrimExpr {
  VarMap map;
  for (size_t k = 0; k < indices.size() && k < axes.size(); ++k) map[axes[k]] = indices[k];
  return Substitute(terms, expr, map);
}

auto KnownContents::WithValues(StmtId stmt, PrimExpr expr, arith::Analyzer& analyzer) const -> PrimExpr {
  const auto found = before_.find(stmt);
  if (found == before_.end() || !IsLoadAnywhere(terms_, expr)) return expr;
  BoxProver prover(terms_, analyzer);
  ExprRewriter rewrite(terms_, [&](PrimExpr, PrimExpr made) {
    if (terms_.kind(made) != PrimKind::kBufferLoad || terms_.lanes(made) != 1) return made;
    for (const KnownContent& content : found->second) {
      if (content.box.buffer != terms_.buffer(made) || !prover.Contains(content.box, terms_.operands(made))) continue;
      const std::vector<PrimExpr>& axes = axes_.at(content.box.buffer);
      const bool applies =
          !content.guard || analyzer.CanProve(AtElement(terms_, axes, content.guard, terms_.operands(made)));
      const PrimExpr value = AtElement(terms_, axes, content.value, terms_.operands(made));
      if (applies && terms_.dtype(value) == terms_.dtype(made)) return value;
    }
    return made;
  });
  return rewrite(expr);
}

auto KnownContents::ChangesNothing(BufferStore store, arith::Analyzer& analyzer) const -> bool {
  if (empty(store.id())) return false;
  const PrimExpr there = terms_.BufferLoad(store.buffer(), store.indices(), terms_.dtype(store.value()));
  const PrimExpr known = WithValues(store.id(), there, analyzer);
  const PrimExpr value = WithValues(store.id(), store.value(), analyzer);
  const bool is_known = known != there || value != store.value();
  if (!is_known || terms_.dtype(known) != terms_.dtype(value)) return false;
  // Equal floats may be zeros of either sign.
  return known == value || (!terms_.dtype(value).is_float() && analyzer.CanProveEqual(known, value));
}

}  // namespace relayopt::tir
