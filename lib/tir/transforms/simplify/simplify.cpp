// Simplify: every expression in its simplest form, branches that are decided, lets that are inlined.
//
// The statements are walked with an analyzer that knows what holds where: the range of each loop, the conditions around
// a statement, the values of lets. Each expression of a statement is replaced by what the analyzer makes of it; the
// rules are those of arith/rules. A condition that is always true or false chooses its branch.
//
//   for i in range(8):            for i in range(8):
//       if i < 10:            ->      A[i] = B[i]
//           A[i // 1] = B[i]
//
// As TVM: a let of an integer that is pure is inlined whatever its size, unless a buffer is made with its variable.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "lib/tir/transforms/utils/bound_iterators.h"
#include "lib/tir/transforms/utils/decided_branches.h"
#include "lib/tir/transforms/utils/known_contents.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

struct SimplifyOptions {
  bool transitively_prove_inequalities = false;
  bool convert_boolean_to_and_of_ors = false;
  bool apply_constraints_to_boolean_branches = false;
  bool propagate_knowns_to_prove_conditional = false;
  bool propagate_knowns_to_simplify_expressions = false;
  static constexpr std::string_view kConfigKey = "tir.Simplify";
  static constexpr auto Fields() {
    return std::array{
        Option<&SimplifyOptions::transitively_prove_inequalities>("combine what is known of several variables"),
        Option<&SimplifyOptions::convert_boolean_to_and_of_ors>("conditions as conjunctions of disjunctions"),
        Option<&SimplifyOptions::apply_constraints_to_boolean_branches>(
            "each side of a condition under what the other says"),
        Option<&SimplifyOptions::propagate_knowns_to_prove_conditional>(
            "use known contents of buffers for conditions of branches"),
        Option<&SimplifyOptions::propagate_knowns_to_simplify_expressions>(
            "replace loads of known contents of buffers"),
    };
  }
};

class StmtSimplifier : public Rewriter {
 public:
  StmtSimplifier(const PrimFunc& func, const SimplifyOptions& options) : Rewriter(func), analyzer_(func.terms()) {
    uint32_t flags = arith::kNoSimplifyFlags;
    if (options.transitively_prove_inequalities) flags |= arith::kTransitivelyProveInequalities;
    if (options.convert_boolean_to_and_of_ors) flags |= arith::kConvertBooleanToAndOfOrs;
    if (options.apply_constraints_to_boolean_branches) flags |= arith::kApplyConstraintsToBooleanBranches;
    analyzer_.set_flags(flags);
    decides_by_known_ = options.propagate_knowns_to_prove_conditional;
    loads_known_ = options.propagate_knowns_to_simplify_expressions;
    if (decides_by_known_ || loads_known_) known_.emplace(func);
    CollectBufferVars();
    for (const BufferBinding& binding : func.buffer_map()) {
      for (const PrimExpr extent : tables().buffer(binding.buffer).shape) analyzer_.MarkGlobalNonNegative(extent);
    }
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (const auto branch = stmt.As<IfThenElse>()) return EnterBranch(*branch);
    BindIterators(analyzer_, tables(), stmt);
    if (const auto loop = stmt.As<For>()) {
      // With literal bounds, the binding contains all information.
      const bool constrains = !loop_vars_.insert(loop->loop_var()).second || !HasLiteralBounds(*loop);
      loop_constrains_.push_back(constrains);
      if (constrains) {
        analyzer_.EnterConstraint(arith::Ge(terms(), loop->loop_var(), loop->min()));
        const PrimExpr end = arith::Add(terms(), loop->min(), loop->extent());
        analyzer_.EnterConstraint(arith::Lt(terms(), loop->loop_var(), end));
      }
    }
    return Descent::Into();
  }

  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    const PrimExpr simple = Simplified(loads_known_ ? known_->WithValues(stmt.id(), expr, analyzer_) : expr);
    return MayRewrite(stmt, expr, simple) ? simple : Substitute(terms(), expr, inlined_lets_);
  }

  void EnterPart(Stmt stmt, size_t part, Exprs exprs) override {
    if (const auto let = stmt.As<LetStmt>()) {
      if (IsInlined(*let) && analyzer_.BindLet(let->var(), exprs[0])) {
        if (!buffer_vars_.contains(let->var())) inlined_lets_[let->var()] = exprs[0];
      } else if (terms().effect(let->value()) <= arith::CallEffect::kPure) {
        kept_lets_[let->var()] = exprs[0];
      }
    }
    if (stmt.is(StmtKind::kAssert)) analyzer_.EnterConstraint(exprs[0]);
    if (stmt.is(StmtKind::kIf)) {
      EnterIfPart(analyzer_, exprs[0], part);
    }
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    switch (stmt.kind()) {
      case StmtKind::kFor:
        if (loop_constrains_.back()) {
          analyzer_.LeaveConstraint();
          analyzer_.LeaveConstraint();
        }
        loop_constrains_.pop_back();
        analyzer_.EndLoop(For(stmt).loop_var());
        break;
      case StmtKind::kAssert: analyzer_.LeaveConstraint(); break;
      case StmtKind::kIf: {
        analyzer_.LeaveConstraint();
        // The condition may have become a literal only by what the branches around say.
        const auto known = terms().AsInt(WithoutLikely(terms(), parts.exprs[0]));
        if (!known) break;
        if (*known != 0) return parts.stmts[0];
        return parts.stmts.size() == 2 ? parts.stmts[1] : builder().NoOp();
      }
      case StmtKind::kLet: {
        const LetStmt let(stmt);
        if (inlined_lets_.contains(let.var())) return parts.stmts[0];
        break;
      }
      case StmtKind::kStore:
        if (!StoresWhatIsThere(BufferStore(stmt), parts)) break;
        if (MayRewrite(stmt.range(), "a store of what is there", "nothing")) return builder().NoOp();
        break;
      default: break;
    }
    return Rewriter::Leave(stmt, parts);
  }

 private:
  // Variables in the fields of the buffers that are accessed: lets of them stay.
  void CollectBufferVars() {
    absl::flat_hash_set<BufferId> seen;
    TermVisitor visitor(terms());
    const std::function<void(PrimExpr)> see_var = [&](PrimExpr term) {
      if (terms().is_var(term)) buffer_vars_.insert(term);
    };
    const auto see = [&](BufferId id) {
      if (!seen.insert(id).second) return;
      const Buffer& buffer = tables().buffer(id);
      visitor.Visit(buffer.data, see_var);
      for (const PrimExpr e : buffer.shape) visitor.Visit(e, see_var);
      for (const PrimExpr e : buffer.strides) visitor.Visit(e, see_var);
      visitor.Visit(buffer.elem_offset, see_var);
    };
    for (StmtId id(0U); id.value() < func().size(); ++id) {
      if (const auto store = func().stmt(id).As<BufferStore>()) see(store->buffer());
    }
    ForEachTerm(func().body(), [&](PrimExpr term) {
      if (terms().kind(term) == PrimKind::kBufferLoad) see(terms().buffer(term));
    });
  }

  // The rules are about values: `f() % 1` is 0, but f is called. What would lose such a call stays.
  auto Simplified(PrimExpr expr) -> PrimExpr {
    const PrimExpr simple = analyzer_.Simplify(expr);
    const auto effect = terms().effect(expr);
    return effect > arith::CallEffect::kReadState && terms().effect(simple) < effect ? expr : simple;
  }

  // Returns a branch that is taken, or not, for certain.
  auto EnterBranch(IfThenElse branch) -> Descent {
    PrimExpr condition = branch.condition();
    if (!kept_lets_.empty()) condition = Substitute(terms(), condition, kept_lets_);
    if (decides_by_known_) condition = known_->WithValues(branch.id(), condition, analyzer_);
    const auto known = terms().AsInt(WithoutLikely(terms(), Simplified(condition)));
    if (!known || !MayRewrite(branch.range(), "a decided branch", "one of its cases")) return Descent::Into();
    if (*known != 0) return Descent::Instead(branch.then_case());
    return branch.has_else() ? Descent::Instead(branch.else_case()) : Descent::Done({});
  }

  auto HasLiteralBounds(For loop) const -> bool {
    const auto min = terms().AsInt(loop.min());
    const auto extent = terms().AsInt(loop.extent());
    int64_t end = 0;
    return min && extent && *extent > 1 && !__builtin_add_overflow(*min, *extent, &end) &&
           arith::FitsType(terms().dtype(loop.min()), end);
  }

  // Judged by the value as it was.
  auto IsInlined(LetStmt let) const -> bool {
    const PrimExpr value = let.value();
    const PrimKind kind = terms().kind(value);
    if (kind == PrimKind::kIntImm || kind == PrimKind::kFloatImm || arith::IsVarKind(kind)) return true;
    return terms().dtype(value).is_int() && terms().effect(value) <= arith::CallEffect::kPure;
  }

  // `A[i] = A[i]`.
  auto StoresWhatIsThere(BufferStore store, Parts parts) const -> bool {
    const PrimExpr value = parts.exprs[0];
    if (terms().kind(value) != PrimKind::kBufferLoad) return false;
    const Buffer& to = tables().buffer(store.buffer());
    const Buffer& from = tables().buffer(terms().buffer(value));
    return to.data == from.data && to.shape == from.shape && to.strides == from.strides &&
           to.elem_offset == from.elem_offset && std::ranges::equal(terms().operands(value), parts.exprs.subspan(1));
  }

  // The known contents of buffers, if an option asks for them.
  std::optional<KnownContents> known_;
  bool decides_by_known_ = false;
  bool loads_known_ = false;
  // Bound once at least.
  absl::flat_hash_set<PrimExpr> loop_vars_;
  // Whether each open loop has entered constraints.
  std::vector<bool> loop_constrains_;
  arith::Analyzer analyzer_;
  absl::flat_hash_set<PrimExpr> buffer_vars_;
  // Pure lets that stay, for proofs of conditions.
  VarMap kept_lets_;
  // The others, for expressions that must not be simplified.
  VarMap inlined_lets_;
};

struct SimplifyPass {
  using Options = SimplifyOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const std::optional<PrimFunc> separate = SeparateScopes(func);
    return StmtSimplifier(separate ? *separate : func, options).Run();
  }
};

}  // namespace

constinit const PassDef kSimplifyPass = DescribePass<SimplifyPass>({
    .name = "tir.Simplify",
    .summary = "Simplify expressions, resolve branches, inline lets",
    .details = R"(  for i in range(8):            for i in range(8):
      if i < 10:            ->      A[i] = B[i]
          A[i // 1] = B[i]

What is known of a place counts: ranges of loops, conditions around it, values of lets. Loops stay, also those of one
iteration. A let of a pure integer is inlined unless a buffer is made with its variable. Integers are taken not to overflow.

The options propagate_knowns_* follow what earlier stores, branches and T.assume say of the contents of buffers.)",
    .aliases = "tir.transform.Simplify",
    // x - x is 0 for floats, too.
    .exactness = Exactness::kApproximate,
    .obeys_strict_fp = true,
});

}  // namespace relayopt::tir
