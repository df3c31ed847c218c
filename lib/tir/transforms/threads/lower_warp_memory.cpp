// LowerWarpMemory: memory of a warp becomes registers of its threads, and reads of other threads' registers shuffles.
//
// Memory `warp[n * w * m]` of w threads is distributed so that thread t holds the elements whose index divided by m is
// t modulo w: stores write `m * t + (w * m) * y + x` with 0 <= x < m. m is the factor of threadIdx.x in stores.
//
//   B = T.allocate([32], "float32", "warp")         B = T.allocate([1], "float32", "local")
//   B[tx] = A[tx]                              ->   B[0] = A[tx]
//   C[tx] = B[(tx + 1) % 32]                        C[tx] = T.tvm_warp_shuffle(T.tvm_warp_activemask(), B[0],
//                                                                             (tx + 1) % 32, 32, 32)
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/deduce.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {
constexpr DiagnosticKind kNoWarpTarget{"warp-target", Severity::kError,
                                       "LowerWarpMemory: the function @{} has no attribute target"};
constexpr DiagnosticKind kWarpSize{"warp-size", Severity::kError,
                                   "memory of a warp needs a literal size; that of {} is not a literal"};
constexpr DiagnosticKind kNoThread{"warp-thread", Severity::kError,
                                   "Cannot find warp index (threadIdx.x) within the scope of warp memory {}"};
constexpr DiagnosticKind kThreadExtent{
    "warp-thread-extent", Severity::kError,
    "Expect threadIdx.x's size to be no larger than, and a factor of, the warp size ({}) to enable warp memory"};
constexpr DiagnosticKind kTwoThreads{"warp-threads", Severity::kError,
                                     "the memory {} of a warp is used in two launches of threadIdx.x"};
constexpr DiagnosticKind kNotFlat{"warp-flat", Severity::kError,
                                  "memory of a warp needs one index: run tir.FlattenBuffer first"};
constexpr DiagnosticKind kNotLinear{
    "warp-linear", Severity::kError,
    "this store to memory of a warp is not at a multiple of threadIdx.x with a positive "
    "literal factor"};
constexpr DiagnosticKind kRampInWarp{"warp-ramp", Severity::kError, "vectors in memory of a warp must be contiguous"};
constexpr DiagnosticKind kTwoFactors{"warp-factors", Severity::kError,
                                     "stores to memory of a warp have different factors of threadIdx.x: {} and {}"};
constexpr DiagnosticKind kNoFactor{"warp-no-store", Severity::kError, "nothing is stored to the memory {} of a warp"};
constexpr DiagnosticKind kLocalIndex{
    "warp-shuffle", Severity::kError,
    "this access to memory of a warp is not a shuffle: the register that it reads depends on threadIdx.x"};
constexpr DiagnosticKind kDivergent{
    "warp-divergent", Severity::kError,
    "this access to memory of a warp reads other threads under a condition that they may not share: load the value "
    "before the branch"};
constexpr DiagnosticKind kWarpAddress{"warp-address", Severity::kError,
                                      "Cannot access address of warp memory directly: {}"};

// An allocation of warp memory.
struct WarpMemory {
  StmtId stmt;
  PrimExpr thread;
  // How many threads share it.
  int64_t width = 0;
  // Neighbouring elements that one thread holds (m); 0 before it is known.
  int64_t factor = 0;
  // Repetitions of the pattern (n).
  int64_t groups = 0;
};

// A launch of threadIdx.x.
struct WarpLaunch {
  StmtId stmt;
  IterVarId iter;
  PrimExpr extent;
  // The first of the neighbouring launches of the same threads.
  size_t run = 0;
};

class WarpMemoryLowerer : public Rewriter {
 public:
  WarpMemoryLowerer(const PrimFunc& func, int64_t warp_size)
      : Rewriter(func), warp_size_(warp_size), analyzer_(terms()) {
    // Which arguments of these calls name memory; its index is the next one.
    pointers_[terms().Intrinsic("tir.ptx_mma"_intrin)] = {6, 8, 10};
    pointers_[terms().Intrinsic("tir.ptx_ldmatrix"_intrin)] = {3};
    pointers_[terms().Intrinsic("tir.mma_store"_intrin)] = {3};
    pointers_[terms().Intrinsic("tir.mma_fill"_intrin)] = {1};
    Bind();
    if (!failed()) CollectFactors();
    for (auto& [var, memory] : memories_) {
      if (!failed()) Count(var, memory);
    }
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    at_ = stmt.range();
    return failed() ? Descent::Done({}) : Descent::Into();
  }

  // Bodies that not all threads of a warp reach, and variables that differ between threads.
  void EnterPart(Stmt stmt, size_t part, Exprs) override {
    if (part != 0) return;
    if (IsDivergent(stmt)) {
      ++divergent_;
      ForgetExprs();
    }
    const auto let = stmt.As<LetStmt>();
    if (let && IsVarying(let->value())) varying_.insert(let->var());
    const auto loop = stmt.As<For>();
    if (loop && (IsVarying(loop->min()) || IsVarying(loop->extent()))) varying_.insert(loop->loop_var());
  }

  auto RewriteExpr(Stmt stmt, PrimExpr root) -> PrimExpr override {
    // A loop goes on without the threads that have left it.
    MarkConditional(root, stmt.is(StmtKind::kWhile) && IsVarying(root));
    return Rewriter::RewriteExpr(stmt, root);
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (IsDivergent(stmt)) {
      --divergent_;
      ForgetExprs();
    }
    if (const auto store = stmt.As<BufferStore>()) {
      if (const WarpMemory* memory = MemoryOf(tables().buffer(store->buffer()).data)) {
        at_ = stmt.range();
        parts.exprs[1] = Split(*memory, parts.exprs[1]).local;
      }
    }
    const auto alloc = stmt.As<Allocate>();
    const WarpMemory* memory = alloc ? MemoryOf(alloc->buffer_var()) : nullptr;
    if (memory == nullptr) return Rewriter::Leave(stmt, parts);
    const PrimExpr extent = terms().Int32(memory->groups * memory->factor);
    return builder().Allocate(locals_.at(alloc->buffer_var()), alloc->dtype(), {&extent, 1}, parts.exprs.back(),
                              parts.stmts[0], alloc->annotations());
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    if (failed()) return made;
    if (terms().kind(old) == PrimKind::kBufferLoad) {
      const WarpMemory* memory = MemoryOf(tables().buffer(terms().buffer(old)).data);
      return memory == nullptr ? made : Load(*memory, made, divergent_ > 0 || conditional_.contains(old));
    }
    const auto found = terms().kind(old) == PrimKind::kCall ? pointers_.find(terms().call_op(old)) : pointers_.end();
    if (found == pointers_.end()) return made;
    std::vector<PrimExpr> args(terms().operands(made).begin(), terms().operands(made).end());
    for (const size_t i : found->second) {
      const WarpMemory* memory = i + 1 < args.size() ? MemoryOf(terms().operand(old, i)) : nullptr;
      if (memory != nullptr) args[i + 1] = Split(*memory, args[i + 1]).local;
    }
    return terms().WithOperands(made, args);
  }

 private:
  struct Position {
    // The index among the elements of a thread, and the thread.
    PrimExpr local;
    PrimExpr source;
  };

  auto NameOf(PrimExpr var) const -> std::string_view { return context().text(terms().var(var).name); }
  auto MemoryOf(PrimExpr var) const -> const WarpMemory* {
    const auto found = memories_.find(var);
    return found == memories_.end() ? nullptr : &found->second;
  }

  // The ranges of loops and threads, and the allocations with their threads.
  void Bind() {
    std::vector<WarpLaunch> launches;
    const auto enter = [&](Stmt stmt) {
      if (const auto loop = stmt.As<For>()) analyzer_.Bind(loop->loop_var(), {loop->min(), loop->extent()});
      const std::optional<IterVar> thread = ThreadOf(stmt);
      if (thread && bound_.insert(thread->var).second) {
        analyzer_.Bind(thread->var, {terms().Int32(0), AttrStmt(stmt).value()});
      }
      return true;
    };
    const auto leave = [&](Stmt stmt) {
      const std::optional<IterVar> thread = ThreadOf(stmt);
      if (thread && context().text(thread->thread_tag) == "threadIdx.x") {
        const AttrStmt attr(stmt);
        WarpLaunch launch{stmt.id(), attr.node().iter_var(), attr.value(), launches.size()};
        if (!launches.empty() && launches.back().iter == launch.iter) launch.run = launches.back().run;
        launches.push_back(launch);
      }
      const auto alloc = stmt.As<Allocate>();
      const bool is_warp = alloc && ScopeOf(terms(), context(), alloc->buffer_var()) == "warp";
      if (is_warp) AddMemory(*alloc, launches);
    };
    Walk(func().body(), enter, leave);
  }

  auto ThreadOf(Stmt stmt) const -> std::optional<IterVar> {
    const auto attr = stmt.As<AttrStmt>();
    const IterVarId thread = attr ? attr->launched_thread() : IterVarId();
    return thread ? std::optional(tables().iter_var(thread)) : std::nullopt;
  }

  void AddMemory(const Allocate& alloc, const std::vector<WarpLaunch>& launches) {
    const PrimExpr var = alloc.buffer_var();
    // Launches inside of the allocation: the last ones that were met.
    const StmtId first = func().stmts().first(alloc.id());
    const auto inside = std::ranges::lower_bound(launches, first, {}, &WarpLaunch::stmt);
    if (inside == launches.end()) return Fail(MakeDiagnostic(kNoThread, alloc.range(), NameOf(var)));
    if (launches.back().run > static_cast<size_t>(inside - launches.begin())) {
      return Fail(MakeDiagnostic(kTwoThreads, alloc.range(), NameOf(var)));
    }
    const auto extent = terms().AsInt(inside->extent);
    if (!extent || *extent <= 0 || warp_size_ % *extent != 0) {
      return Fail(MakeDiagnostic(kThreadExtent, func().stmts().range(inside->stmt), warp_size_));
    }
    varying_.insert(tables().iter_var(inside->iter).var);
    memories_[var] = {.stmt = alloc.id(), .thread = tables().iter_var(inside->iter).var, .width = *extent};
    const VarType type = VarType::Pointer(terms().var(var).type.dtype, context().Intern("local"));
    locals_[var] = terms().Var(NameOf(var), type);
    Replace(var, locals_[var]);
  }

  // Factors from stores and from instructions that fill memory.
  void CollectFactors() {
    const auto load_matrix = terms().Intrinsic("tir.ptx_ldmatrix"_intrin);
    const auto fill = terms().Intrinsic("tir.mma_fill"_intrin);
    for (StmtId id(0U); id.value() < func().size() && !failed(); ++id) {
      const Stmt stmt = func().stmt(id);
      at_ = stmt.range();
      if (const auto store = stmt.As<BufferStore>()) StoreFactor(*store);
      if (stmt.is(StmtKind::kBlock)) continue;
      for (const PrimExpr root : stmt.exprs()) {
        for (const PrimExpr part : arith::PostOrder(terms(), root)) {
          if (terms().kind(part) != PrimKind::kCall) continue;
          const auto args = terms().operands(part);
          if (terms().IsCall(part, load_matrix) && args.size() > 4) AddFactor(args[3], args[4]);
          if (terms().IsCall(part, fill) && args.size() > 1 && memories_.contains(args[1])) {
            memories_[args[1]].factor = terms().AsInt(args[0]).value_or(0);
          }
          CheckAddresses(part);
        }
      }
    }
  }

  void CheckAddresses(PrimExpr call) {
    const auto args = terms().operands(call);
    const auto found = pointers_.find(terms().call_op(call));
    for (size_t i = 0; i < args.size(); ++i) {
      if (!memories_.contains(args[i])) continue;
      const bool known = found != pointers_.end() && std::ranges::find(found->second, i) != found->second.end();
      if (!known) Fail(MakeDiagnostic(kWarpAddress, at_, NameOf(args[i])));
    }
  }

  void StoreFactor(const BufferStore& store) {
    const PrimExpr data = tables().buffer(store.buffer()).data;
    if (!memories_.contains(data)) return;
    if (store.indices().size() != 1) return Fail(MakeDiagnostic(kNotFlat, at_));
    PrimExpr index = store.indices()[0];
    if (terms().lanes(index) != 1) {
      if (!IsContinuous(index)) return Fail(MakeDiagnostic(kRampInWarp, at_));
      index = terms().operand(index, 0);
    }
    AddFactor(data, index);
  }

  auto IsContinuous(PrimExpr index) const -> bool {
    return terms().kind(index) == PrimKind::kRamp && terms().IsInt(terms().operand(index, 1), 1);
  }

  void AddFactor(PrimExpr var, PrimExpr index) {
    const auto found = memories_.find(var);
    if (found == memories_.end()) return;
    WarpMemory& memory = found->second;
    const auto linear = arith::DetectLinearEquation(terms(), index, {&memory.thread, 1});
    const PrimExpr simple = linear ? analyzer_.CanonicalSimplify((*linear)[0]) : PrimExpr();
    const auto factor = simple ? terms().AsInt(simple) : std::nullopt;
    if (!factor || *factor <= 0) return Fail(MakeDiagnostic(kNotLinear, at_));
    if (memory.factor != 0 && memory.factor != *factor) {
      return Fail(MakeDiagnostic(kTwoFactors, at_, memory.factor, *factor));
    }
    memory.factor = *factor;
  }

  void Count(PrimExpr var, WarpMemory& memory) {
    const Allocate alloc(func().stmt(memory.stmt));
    int64_t size = alloc.dtype().lanes;
    for (const PrimExpr extent : alloc.extents()) {
      const auto literal = terms().AsInt(extent);
      if (!literal || *literal <= 0 || __builtin_mul_overflow(size, *literal, &size)) {
        return Fail(MakeDiagnostic(kWarpSize, alloc.range(), NameOf(var)));
      }
    }
    if (memory.factor <= 0) return Fail(MakeDiagnostic(kNoFactor, alloc.range(), NameOf(var)));
    const int64_t pattern = memory.width * memory.factor;
    memory.groups = (size + pattern - 1) / pattern;
  }

  auto Split(const WarpMemory& memory, PrimExpr index) -> Position {
    if (terms().lanes(index) != 1) {
      if (!IsContinuous(index)) {
        Fail(MakeDiagnostic(kRampInWarp, at_));
        return {index, index};
      }
      Position base = Split(memory, terms().operand(index, 0));
      base.local = terms().Ramp(base.local, terms().IntImm(terms().dtype(base.local), 1), terms().lanes(index));
      return base;
    }
    const auto literal = [&](int64_t value) { return terms().IntImm(terms().dtype(index), value); };
    const PrimExpr factor = literal(memory.factor);
    const PrimExpr pattern = literal(memory.factor * memory.width);
    const auto simple = [&](PrimExpr e) { return analyzer_.CanonicalSimplify(e); };
    const PrimExpr inner = simple(arith::FloorMod(terms(), index, factor));
    if (memory.groups == 1) return {inner, simple(arith::FloorDiv(terms(), index, factor))};
    const PrimExpr group = arith::Mul(terms(), arith::TruncDiv(terms(), index, pattern), factor);
    const PrimExpr source = arith::FloorDiv(terms(), arith::FloorMod(terms(), index, pattern), factor);
    return {simple(arith::Add(terms(), group, inner)), simple(source)};
  }

  // Whether the value may differ between the threads of a warp: it depends on threadIdx.x, or on memory of one thread.
  auto IsVarying(PrimExpr e) const -> bool {
    for (const PrimExpr part : arith::PostOrder(terms(), e)) {
      if (terms().is_var(part) && varying_.contains(part)) return true;
      if (terms().kind(part) != PrimKind::kBufferLoad) continue;
      const std::string_view scope = tables().Scope(terms().buffer(part));
      if (scope.starts_with("local") || scope == "warp") return true;
    }
    return false;
  }

  // Whether some threads of a warp may run the body of the statement while others do not.
  auto IsDivergent(Stmt stmt) -> bool {
    if (memories_.empty()) return false;
    if (const auto loop = stmt.As<For>()) return IsVarying(loop->min()) || IsVarying(loop->extent());
    if (!stmt.is(StmtKind::kIf) && !stmt.is(StmtKind::kWhile)) return false;
    const PrimExpr condition = stmt.exprs()[0];
    return IsVarying(condition) && !analyzer_.CanProve(condition) &&
           !analyzer_.CanProve(arith::Not(terms(), condition));
  }

  // Whether the first operand decides which others are evaluated, as in the C that a Select becomes.
  auto EvaluatesByNeed(PrimExpr e) const -> bool {
    const PrimKind kind = terms().kind(e);
    const bool is_choice = kind == PrimKind::kSelect || kind == PrimKind::kAnd || kind == PrimKind::kOr;
    return terms().IsCall(e, terms().ops().if_then_else) || (is_choice && terms().lanes(terms().operand(e, 0)) == 1);
  }

  // Records what is evaluated only where a condition holds that threads do not share; users before operands.
  // `is_conditional` is whether all of `root` is.
  void MarkConditional(PrimExpr root, bool is_conditional) {
    if (memories_.empty()) return;
    if (!conditional_.empty()) ForgetExprs();
    conditional_.clear();
    if (is_conditional) conditional_.insert(root);
    const std::vector<PrimExpr> parts = arith::PostOrder(terms(), root);
    for (size_t i = parts.size(); i-- > 0;) {
      const auto operands = terms().operands(parts[i]);
      const bool is_lazy = EvaluatesByNeed(parts[i]) && IsVarying(operands[0]);
      const bool is_marked = conditional_.contains(parts[i]);
      for (size_t k = 0; k < operands.size(); ++k) {
        if (is_marked || (is_lazy && k > 0)) conditional_.insert(operands[k]);
      }
    }
  }

  auto Load(const WarpMemory& memory, PrimExpr load, bool is_conditional) -> PrimExpr {
    if (terms().num_operands(load) != 1) {
      Fail(MakeDiagnostic(kNotFlat, at_));
      return load;
    }
    const Position position = Split(memory, terms().operand(load, 0));
    if (arith::UsesVar(terms(), position.local, memory.thread)) Fail(MakeDiagnostic(kLocalIndex, at_));
    const PrimExpr own = terms().WithOperands(load, {&position.local, 1});
    if (analyzer_.CanProveEqual(position.source, memory.thread)) return own;
    if (is_conditional) Fail(MakeDiagnostic(kDivergent, at_));
    const PrimExpr mask = terms().Call(DataType::UInt(32), terms().Intrinsic("tir.tvm_warp_activemask"_intrin), {});
    return terms().Call(terms().dtype(own), terms().Intrinsic("tir.tvm_warp_shuffle"_intrin),
                        {mask, own, position.source, terms().Int32(memory.width), terms().Int32(warp_size_)});
  }

  int64_t warp_size_;
  arith::Analyzer analyzer_;
  absl::flat_hash_map<arith::CallOpId, std::vector<size_t>> pointers_;
  absl::flat_hash_map<PrimExpr, WarpMemory> memories_;
  absl::flat_hash_set<PrimExpr> bound_;
  // threadIdx.x, and variables whose values depend on it.
  absl::flat_hash_set<PrimExpr> varying_;
  // Terms that are evaluated under such a condition.
  absl::flat_hash_set<PrimExpr> conditional_;
  int divergent_ = 0;
  // The registers that replace the memory.
  VarMap locals_;
  SourceRange at_;
};

struct LowerWarpMemoryPass {
  auto Run(const Module& module, GlobalId id, const PrimFunc& func, PassContext&) const
      -> Result<std::optional<PrimFunc>> {
    const std::optional<TargetView> target = TargetView::Of(func);
    if (!target) return MakeDiagnostic(kNoWarpTarget, module.global(id).range, module.name(id));
    const int64_t warp_size = target->Int("thread_warp_size", 1);
    if (warp_size == 1) return std::optional<PrimFunc>();
    return WarpMemoryLowerer(func, warp_size).RunOrFail();
  }
};

}  // namespace

constinit const PassDef kLowerWarpMemoryPass = DescribePass<LowerWarpMemoryPass>({
    .name = "tir.LowerWarpMemory",
    .summary = "Distribute warp memory over the registers of the threads",
    .details = R"(  B = T.allocate([32], "float32", "warp")    ->    B = T.allocate([1], "float32", "local")
  B[tx] = A[tx]                                    B[0] = A[tx]
  C[tx] = B[(tx + 1) % 32]                         C[tx] = T.tvm_warp_shuffle(..., B[0], (tx + 1) % 32, 32, 32)

Memory of scope warp, outside of its threadIdx.x, for targets whose thread_warp_size is not 1.)",
    .aliases = "tir.transform.LowerWarpMemory",
    .idempotent = true,
});

}  // namespace relayopt::tir
