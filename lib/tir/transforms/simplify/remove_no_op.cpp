// RemoveNoOp: what has no effect is removed.
//
// From the inside outwards: an evaluation without effect is `Evaluate(0)`, which sequences drop; what wraps such a body
// goes, and leaves the effects of its own expressions behind. A let goes when nothing in its body needs the variable, a
// declaration when nothing accesses the buffer, a store when it stores what is there already.
//
//   for i in range(4):             T.evaluate(0)
//       x: T.int32 = i * 2    ->
//       T.evaluate(x)
//
// How often each variable and buffer is needed is counted as statements are made (and taken back where a loop that
// never runs is dropped), so that no body is searched.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "lib/tir/transforms/utils/bound_iterators.h"
#include "lib/tir/transforms/utils/decided_branches.h"
#include "lib/tir/transforms/utils/known_contents.h"
#include "lib/tir/transforms/utils/overwritten_stores.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/analysis/condition_bounds.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

class NoOpRemover : public Rewriter {
 public:
  explicit NoOpRemover(const PrimFunc& func) : Rewriter(func), analyzer_(func.terms()), loops_(func.terms()) {}

  // Stores that may be left out; null: none are known.
  void SetOverwritten(const absl::flat_hash_set<StmtId>* overwritten) { overwritten_ = overwritten; }
  // The known contents of buffers; may be null.
  void SetKnown(const KnownContents* known) { known_ = known; }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    switch (stmt.kind()) {
      case StmtKind::kFor: return EnterLoop(For(stmt));
      case StmtKind::kIf: {
        const auto known = terms().AsInt(WithoutLikely(terms(), IfThenElse(stmt).condition()));
        if (!known || !MayRewrite(stmt.range(), "a decided branch", "one of its cases")) return Descent::Into();
        if (*known != 0) return Descent::Instead(IfThenElse(stmt).then_case());
        return IfThenElse(stmt).has_else() ? Descent::Instead(IfThenElse(stmt).else_case()) : Descent::Done({});
      }
      case StmtKind::kAttr: return EnterAttr(AttrStmt(stmt));
      case StmtKind::kBlock: BindIterators(analyzer_, tables(), stmt); return Descent::Into();
      case StmtKind::kStore:
        if ((IsOverwritten(stmt) || StoresWhatIsThere(BufferStore(stmt))) && Removes(stmt))
          return Descent::Done(Effects(stmt.exprs()));
        return Descent::Into();
      default: return Descent::Into();
    }
  }

  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }

  void EnterPart(Stmt stmt, size_t part, Exprs exprs) override {
    switch (stmt.kind()) {
      case StmtKind::kLet: {
        const LetStmt let(stmt);
        if (terms().effect(let.value()) <= arith::CallEffect::kPure) analyzer_.BindLet(let.var(), let.value());
        before_.push_back(var_uses_[let.var()]);
        break;
      }
      case StmtKind::kDeclBuffer: before_.push_back(accesses_[DeclBuffer(stmt).buffer()]); break;
      case StmtKind::kAssert: analyzer_.EnterConstraint(exprs[0]); break;
      case StmtKind::kIf: {
        EnterIfPart(analyzer_, exprs[0], part);
        break;
      }
      default: break;
    }
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const bool no_body = !parts.stmts.empty() && IsNoOp(parts.stmts[0]);
    switch (stmt.kind()) {
      case StmtKind::kEvaluate:
        if (HasEffect(Evaluate(stmt).value()) || Removes(stmt)) return Effects(stmt.exprs());
        break;
      case StmtKind::kLet: {
        const LetStmt let(stmt);
        const bool used = var_uses_[let.var()] != TakeBefore();
        if ((used && !no_body) || !Removes(stmt)) break;
        if (no_body) return Effects(stmt.exprs());
        if (!HasEffect(let.value())) return parts.stmts[0];
        return builder().Seq({Effects(stmt.exprs()), parts.stmts[0]});
      }
      case StmtKind::kDeclBuffer: {
        const bool accessed = accesses_[DeclBuffer(stmt).buffer()] != TakeBefore();
        if (!accessed && Removes(stmt)) return parts.stmts[0];
        break;
      }
      case StmtKind::kAttr:
        if (no_body && Removes(stmt)) return Effects(stmt.exprs());
        break;
      case StmtKind::kAllocate:
        if (no_body && Removes(stmt)) return Effects(Allocate(stmt).extents());
        break;
      case StmtKind::kRealize:
        if (no_body && Removes(stmt)) return parts.stmts[0];
        break;
      case StmtKind::kSeq: return Rewriter::Leave(stmt, parts);
      case StmtKind::kAssert: analyzer_.LeaveConstraint(); break;
      case StmtKind::kFor:
        loops_.Erase(For(stmt).loop_var());
        if (terms().IsInt(parts.exprs[1], 0) && Removes(stmt)) {
          Drop(parts.stmts[0]);
          return builder().NoOp();
        }
        if (no_body && Removes(stmt)) return Effects(stmt.exprs());
        break;
      case StmtKind::kIf: {
        analyzer_.LeaveConstraint();
        const bool no_else = parts.stmts.size() < 2 || IsNoOp(parts.stmts[1]);
        const bool loses = no_body || (no_else && parts.stmts.size() == 2);
        if (!loses || !Removes(stmt)) break;
        if (no_body && no_else) return Effects(stmt.exprs());
        if (no_body) return Counted(builder().If(arith::Not(terms(), parts.exprs[0]), parts.stmts[1]));
        if (no_else) return Counted(builder().If(parts.exprs[0], parts.stmts[0]));
        break;
      }
      default: break;
    }
    return Counted(Rewriter::Leave(stmt, parts));
  }

 private:
  static auto Removes(Stmt stmt) -> bool { return MayRewrite(stmt.range(), "a statement without effect", "nothing"); }

  auto EnterLoop(For loop) -> Descent {
    // A loop whose extent is never positive, whatever the loops around it do.
    const PrimExpr extent = loop.extent();
    const arith::IntSet extents = analyzer_.Set(extent, loops_.For({&extent, 1}));
    const bool finite = extents.max != terms().pos_inf() && extents.max != terms().neg_inf();
    const PrimExpr zero = terms().IntImm(terms().dtype(loop.extent()), 0);
    if (finite && terms().dtype(extents.max) == terms().dtype(zero) &&
        analyzer_.CanProve(arith::Le(terms(), extents.max, zero)) && Removes(loop)) {
      return Descent::Done({});
    }
    const PrimExpr one = terms().IntImm(terms().dtype(loop.extent()), 1);
    const PrimExpr last = arith::Sub(terms(), arith::Add(terms(), loop.min(), loop.extent()), one);
    loops_.Set(loop.loop_var(), {loop.min(), last});
    BindIterators(analyzer_, tables(), loop);
    return Descent::Into();
  }

  auto EnterAttr(AttrStmt attr) -> Descent {
    const std::string_view key = attr.key_text();
    if (key == "pragma_debug_skip_region") return Descent::Done({});
    if (key == "async_wait_queue_scope") {
      const auto inner = attr.body().As<AttrStmt>();
      const bool never = inner && analyzer_.CanProve(arith::Lt(terms(), inner->value(),
                                                               terms().IntImm(terms().dtype(inner->value()), 0)));
      if (never) return Descent::Instead(inner->body());
    }
    BindIterators(analyzer_, tables(), attr);
    return Descent::Into();
  }

  auto IsOverwritten(Stmt stmt) const -> bool { return overwritten_ != nullptr && overwritten_->contains(stmt.id()); }

  auto StoresWhatIsThere(BufferStore store) -> bool {
    const PrimExpr value = store.value();
    const DataType type = terms().dtype(value);
    const PrimExpr there = terms().BufferLoad(store.buffer(), store.indices(), type);
    if (value == there || (known_ != nullptr && known_->ChangesNothing(store, analyzer_))) return true;
    if ((type.is_int() || type.is_float()) && terms().effect(value) == arith::CallEffect::kReadState) {
      const PrimExpr difference = arith::Sub(terms(), value, there);
      const PrimExpr same = arith::Eq(terms(), difference, arith::MakeZero(terms(), type));
      if (terms().IsInt(analyzer_.Simplify(same), 1)) return true;
    }
    if (terms().kind(value) != PrimKind::kBufferLoad) return false;
    const Buffer& to = tables().buffer(store.buffer());
    const Buffer& from = tables().buffer(terms().buffer(value));
    const auto equal = [&](std::span<const PrimExpr> a, std::span<const PrimExpr> b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](PrimExpr x, PrimExpr y) {
        return x == y || (terms().dtype(x) == terms().dtype(y) && analyzer_.CanProveEqual(x, y));
      });
    };
    return to.data == from.data && equal({&to.elem_offset, 1}, {&from.elem_offset, 1}) && equal(to.shape, from.shape) &&
           equal(to.strides, from.strides) && equal(store.indices(), terms().operands(value));
  }

  auto HasEffect(PrimExpr e) const -> bool { return terms().effect(e) > arith::CallEffect::kReadState; }

  // Returns the side effects of expressions whose values are not used.
  auto Effects(std::span<const PrimExpr> exprs) -> StmtId {
    std::vector<StmtId> kept;
    for (const PrimExpr e : exprs) {
      if (HasEffect(e)) kept.push_back(Counted(builder().Evaluate(e)));
    }
    return builder().Seq(kept);
  }

  auto IsNoOp(StmtId id) -> bool {
    const auto evaluate = builder().stmt(id).As<Evaluate>();
    return evaluate && terms().kind(evaluate->value()) == PrimKind::kIntImm;
  }

  // Uses.

  auto TakeBefore() -> int64_t {
    const int64_t before = before_.back();
    before_.pop_back();
    return before;
  }

  // Counts what the head of a new statement needs.
  auto Counted(StmtId id) -> StmtId {
    Count(builder().stmt(id), 1);
    return id;
  }
  void Drop(StmtId id) {
    Walk(
        builder().stmt(id), [](Stmt) { return true; }, [&](Stmt stmt) { Count(stmt, -1); });
  }
  void Count(Stmt stmt, int64_t by) {
    const auto buffer = [&](BufferId id) {
      accesses_[id] += by;
      Fields(id, by);
    };
    if (const auto store = stmt.As<BufferStore>()) buffer(store->buffer());
    if (const auto realize = stmt.As<BufferRealize>()) Fields(realize->buffer(), by);
    if (const auto prefetch = stmt.As<Prefetch>()) buffer(prefetch->buffer());
    if (const auto decl = stmt.As<DeclBuffer>()) Fields(decl->buffer(), by);
    if (const auto block = stmt.As<Block>()) {
      for (const BlockRegion& region : block->reads()) Fields(region.buffer, by);
      for (const BlockRegion& region : block->writes()) Fields(region.buffer, by);
      for (const BufferId id : block->alloc_buffers()) Fields(id, by);
      for (const BlockMatch& match : block->match_buffers()) {
        Fields(match.buffer, by);
        buffer(match.source.buffer);
      }
    }
    if (const auto attr = stmt.As<AttrStmt>()) {
      if (attr->node().expr()) Vars({attr->node().expr()}, by);
      if (attr->node().buffer()) Fields(attr->node().buffer(), by);
      if (attr->node().iter_var()) {
        const IterVar& iter = tables().iter_var(attr->node().iter_var());
        Vars({iter.var}, by);
        if (iter.domain.min) Vars({iter.domain.min, iter.domain.extent}, by);
      }
    }
    for (const PrimExpr term : arith::PostOrder(terms(), stmt.exprs())) {
      if (terms().is_var(term)) var_uses_[term] += by;
      if (terms().kind(term) == PrimKind::kBufferLoad) buffer(terms().buffer(term));
    }
  }
  void Vars(std::initializer_list<PrimExpr> exprs, int64_t by) {
    for (const PrimExpr term : arith::PostOrder(terms(), std::span(exprs.begin(), exprs.size()))) {
      if (terms().is_var(term)) var_uses_[term] += by;
    }
  }
  void Fields(BufferId id, int64_t by) {
    const Buffer& b = tables().buffer(id);
    Vars({b.data, b.elem_offset}, by);
    for (const PrimExpr e : b.shape) Vars({e}, by);
    for (const PrimExpr e : b.strides) Vars({e}, by);
  }

  arith::Analyzer analyzer_;
  const absl::flat_hash_set<StmtId>* overwritten_ = nullptr;
  const KnownContents* known_ = nullptr;
  VarSets loops_;
  absl::flat_hash_map<PrimExpr, int64_t> var_uses_;
  absl::flat_hash_map<BufferId, int64_t> accesses_;
  // For each open let and declaration: the number of uses of its subject before it.
  std::vector<int64_t> before_;
};

struct RemoveNoOpOptions {
  bool use_dataflow_analysis = false;
  int64_t max_simplification_steps = 0;
  static constexpr std::string_view kConfigKey = "tir.RemoveNoOp";
  static constexpr auto Fields() {
    return std::array{
        Option<&RemoveNoOpOptions::use_dataflow_analysis>(
            "remove stores that are overwritten before they are read, or store what is known"),
        Option<&RemoveNoOpOptions::max_simplification_steps>(
            "TVM's limit for use_dataflow_analysis; here its work is bounded in any case"),
    };
  }
};

struct RemoveNoOpPass {
  using Options = RemoveNoOpOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& given, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const std::optional<PrimFunc> separate = SeparateScopes(given);
    const PrimFunc& func = separate ? *separate : given;
    if (!options.use_dataflow_analysis) return NoOpRemover(func).Run();
    // In separate steps: of two equal stores, the second overwrites the first and also stores a known value, and only
    // one of them may go.
    const absl::flat_hash_set<StmtId> overwritten = FindOverwrittenStores(func);
    NoOpRemover first(func);
    first.SetOverwritten(&overwritten);
    std::optional<PrimFunc> without = first.Run();
    const PrimFunc& rest = without ? *without : func;
    const KnownContents known(rest);
    NoOpRemover second(rest);
    second.SetKnown(&known);
    std::optional<PrimFunc> result = second.Run();
    return result ? std::move(result) : std::move(without);
  }
};

}  // namespace

constinit const PassDef kRemoveNoOpPass = DescribePass<RemoveNoOpPass>({
    .name = "tir.RemoveNoOp",
    .summary = "Remove statements without effect",
    .details = R"(  for i in range(4):             T.evaluate(0)
      x: T.int32 = i * 2    ->
      T.evaluate(x)

Reading is no effect. What wraps a body without effect leaves the effects of its own expressions; a store of what is there
already, a let whose variable nobody needs, a declaration of a buffer that nobody accesses, and a loop that never runs go.

With use_dataflow_analysis also stores whose element is overwritten before it is read, and stores of the value that the element
is known to hold from earlier stores, branches on it and T.assume. Memory of different pointers is taken to be different.)",
    .aliases = "tir.transform.RemoveNoOp",
});

}  // namespace relayopt::tir
