// InjectVirtualThread: virtual threads become copies of the statements that depend on them.
//
// First the variables that depend on the thread are found: those that lets, stores, loops and allocations fill from it,
// directly or through others. What is allocated in the thread and depends on it gets room for every one of n threads
// (all of it where threads share nothing: other tags than vthread), and accesses move by `thread * extent`. Then the
// smallest statements that mention what depends on the thread are done once for each thread, one after the other, or in
// a loop if there are many threads or a loop inside:
//
//   vthread = T.launch_thread("vthread", 2)         A = T.allocate([8], ...)
//   A = T.allocate([4], "float32")              ->  B[0] = A[0 * 4 + j]
//   B[vthread] = A[j]                               B[1] = A[1 * 4 + j]
//
// Nested virtual threads are done from the inside, all innermost ones in one walk.
#include <fmt/core.h>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "lib/tir/transforms/utils/decided_branches.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/support/side_table.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kThreads{"virtual-thread-extent", Severity::kError,
                                  "the number of virtual threads must be a positive literal"};
constexpr DiagnosticKind kWhile{"virtual-thread-while", Severity::kError,
                                "a while loop in a virtual thread is not supported"};
constexpr DiagnosticKind kThreadLoopMin{"virtual-thread-loop", Severity::kError,
                                        "a loop in a virtual thread must begin at 0"};
constexpr DiagnosticKind kThreadNotFlat{"virtual-thread-flat", Severity::kError,
                                        "{}, which depends on a virtual thread, must have one dimension"};
constexpr DiagnosticKind kAddress{"virtual-thread-address", Severity::kError,
                                  "the address of {}, which virtual threads have several of, is used"};

// The number of threads from which on a loop is emitted.
constexpr int64_t kManyThreads = 16;

// The variables that a statement uses, and those that it writes through access pointers.
struct Uses {
  std::vector<PrimExpr> used;
  std::vector<PrimExpr> written;
};

class UseFinder {
 public:
  explicit UseFinder(const PrimFunc& func)
      : terms_(func.terms()), tables_(func.tables()), access_ptr_(terms_.Intrinsic("tir.tvm_access_ptr"_intrin)) {}

  auto Find(std::span<const PrimExpr> exprs) -> Uses {
    Uses uses;
    absl::flat_hash_set<PrimExpr> seen;
    std::vector<PrimExpr> stack(exprs.begin(), exprs.end());
    while (!stack.empty()) {
      const PrimExpr top = stack.back();
      stack.pop_back();
      if (!seen.insert(top).second) continue;
      const auto operands = terms_.operands(top);
      if (terms_.is_var(top)) uses.used.push_back(top);
      if (terms_.kind(top) == PrimKind::kBufferLoad) uses.used.push_back(tables_.buffer(terms_.buffer(top)).data);
      const bool pointer = terms_.IsCall(top, access_ptr_) && operands.size() == 5 && terms_.is_var(operands[1]);
      if (const auto mask = pointer ? terms_.AsInt(operands[4]) : std::nullopt) {
        if ((*mask & 1) != 0) uses.used.push_back(operands[1]);
        if ((*mask & 2) != 0) uses.written.push_back(operands[1]);
        stack.push_back(operands[2]);
      } else {
        stack.insert(stack.end(), operands.begin(), operands.end());
      }
    }
    return uses;
  }

 private:
  Terms& terms_;
  const Tables& tables_;
  arith::CallOpId access_ptr_;
};

// Returns the variables in a statement that depend on `root`, itself included.
auto FindTouched(const PrimFunc& func, Stmt scope, PrimExpr root) -> absl::flat_hash_set<PrimExpr> {
  absl::flat_hash_map<PrimExpr, std::vector<PrimExpr>> affects;
  UseFinder uses(func);
  for (StmtId id = scope.table().first(scope.id()); id <= scope.id(); ++id) {
    const Stmt stmt = func.stmt(id);
    PrimExpr defined;
    if (const auto let = stmt.As<LetStmt>()) defined = let->var();
    if (const auto loop = stmt.As<For>()) defined = loop->loop_var();
    if (const auto alloc = stmt.As<Allocate>()) defined = alloc->buffer_var();
    if (const auto store = stmt.As<BufferStore>()) defined = func.tables().buffer(store->buffer()).data;
    if (!defined && !stmt.is(StmtKind::kEvaluate)) continue;
    const Uses found = uses.Find(stmt.exprs());
    for (const PrimExpr used : found.used) {
      if (defined) affects[used].push_back(defined);
      if (stmt.is(StmtKind::kEvaluate)) {
        affects[used].insert(affects[used].end(), found.written.begin(), found.written.end());
      }
    }
  }
  absl::flat_hash_set<PrimExpr> touched = {root};
  std::vector<PrimExpr> pending = {root};
  while (!pending.empty()) {
    const PrimExpr var = pending.back();
    pending.pop_back();
    for (const PrimExpr other : affects[var]) {
      if (touched.insert(other).second) pending.push_back(other);
    }
  }
  return touched;
}

// Expands the innermost virtual threads of a function.
class ThreadExpander : public BranchDecider {
 public:
  explicit ThreadExpander(const PrimFunc& func)
      : BranchDecider(func),
        analyzer_(terms()),
        access_ptr_(terms().Intrinsic("tir.tvm_access_ptr"_intrin)),
        context_id_(terms().Intrinsic("tir.tvm_context_id"_intrin)),
        loops_before_(func.size()) {
    uint32_t loops = 0;
    StmtId last_thread;
    for (StmtId id(0U); id.value() < func.size(); ++id) {
      loops += func.stmts().kind(id) == StmtKind::kFor ? 1 : 0;
      loops_before_[id] = loops;
      if (!IsThread(func.stmt(id))) continue;
      if (!last_thread || last_thread < func.stmts().first(id)) innermost_.insert(id);
      last_thread = id;
    }
  }

  auto has_threads() const -> bool { return !innermost_.empty(); }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto loop = stmt.As<For>()) analyzer_.Bind(loop->loop_var(), Range{loop->min(), loop->extent()});
    if (innermost_.contains(stmt.id())) return EnterThread(AttrStmt(stmt));
    if (!thread_) return Descent::Into();
    if (stmt.is(StmtKind::kWhile)) return Fail(MakeDiagnostic(kWhile, stmt.range()));
    if (const auto loop = stmt.As<For>(); loop && !terms().IsInt(loop->min(), 0)) {
      return Fail(MakeDiagnostic(kThreadLoopMin, stmt.range()));
    }
    if (!expanded_ && IsExpanded(stmt)) expanded_ = stmt.id();
    if (const auto alloc = stmt.As<Allocate>(); alloc && (touched_.contains(alloc->buffer_var()) || !shared_)) {
      if (alloc->extents().size() != 1)
        return Fail(MakeDiagnostic(kThreadNotFlat, stmt.range(), NameOf(alloc->buffer_var())));
      room_[alloc->buffer_var()] = alloc->extents()[0];
      ForgetExprs();
    }
    return Descent::Into();
  }

  auto RewriteExpr(Stmt stmt, PrimExpr expr) -> PrimExpr override {
    if (thread_ && stmt.id() != thread_) CheckAddresses(stmt, expr);
    return BranchDecider::RewriteExpr(stmt, expr);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = BranchDecider::RewriteNode(old, made);
    if (!thread_) return made;
    if (terms().kind(made) == PrimKind::kBufferLoad) {
      const BufferId buffer = terms().buffer(made);
      const PrimExpr room = RoomOf(tables().buffer(buffer).data);
      if (!room) return made;
      const PrimExpr index = IndexIn(terms().operand(made, 0), room);
      return terms().BufferLoad(Widened(buffer), {&index, 1}, terms().dtype(made));
    }
    if (terms().IsCall(made, context_id_)) return shared_ ? made : var_;
    if (!terms().IsCall(made, access_ptr_)) return made;
    const auto args = terms().operands(made);
    const PrimExpr room = args.size() == 5 ? RoomOf(args[1]) : PrimExpr();
    if (!room) return made;
    const PrimExpr lanes = terms().IntImm(terms().dtype(args[2]), terms().lanes(args[0]));
    const PrimExpr offset = IndexIn(args[2], arith::TruncDiv(terms(), room, lanes));
    const PrimExpr moved[] = {args[0], args[1], offset, args[3], args[4]};
    return terms().Call(terms().dtype(made), access_ptr_, moved);
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (thread_ && stmt.id() == thread_) {
      thread_ = {};
      room_.clear();
      ForgetExprs();
      return parts.stmts[0];
    }
    const StmtId made = thread_ ? Rewritten(stmt, parts) : BranchDecider::Leave(stmt, parts);
    if (!expanded_ || stmt.id() != expanded_) return made;
    expanded_ = {};
    return ForEachThread(stmt, made);
  }

 private:
  static auto IsThread(Stmt stmt) -> bool {
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == "virtual_thread" && attr->node().iter_var();
  }
  auto Fail(Diagnostic diagnostic) -> Descent {
    Rewriter::Fail(std::move(diagnostic));
    return Descent::Done({});
  }
  auto NameOf(PrimExpr var) const -> std::string_view { return context().text(terms().var(var).name); }

  auto EnterThread(AttrStmt attr) -> Descent {
    const auto threads = terms().AsInt(attr.value());
    if (!threads || *threads < 1) return Fail(MakeDiagnostic(kThreads, attr.range()));
    const IterVar& iter = tables().iter_var(attr.node().iter_var());
    thread_ = attr.id();
    threads_ = *threads;
    var_ = iter.var;
    shared_ = iter.thread_tag && context().text(iter.thread_tag).starts_with("vthread");
    touched_ = FindTouched(func(), attr.body(), var_);
    widened_.clear();
    ForgetExprs();
    // The ranges of inner loops are known in all of the attribute's body.
    for (StmtId id = func().stmts().first(attr.id()); id < attr.id(); ++id) {
      const auto loop = func().stmt(id).As<For>();
      if (loop) analyzer_.Bind(loop->loop_var(), Range{loop->min(), loop->extent()});
    }
    return Descent::Into();
  }

  // Whether the statement has to be repeated for each thread.
  auto IsExpanded(Stmt stmt) -> bool {
    const bool leaf = stmt.is(StmtKind::kStore) || stmt.is(StmtKind::kEvaluate);
    if (leaf && !shared_) return true;
    if (const auto attr = stmt.As<AttrStmt>(); attr && !shared_) {
      if (attr->key_text() == "coproc_uop_scope" || attr->key_text() == "coproc_scope") return true;
    }
    if (const auto store = stmt.As<BufferStore>()) {
      if (touched_.contains(tables().buffer(store->buffer()).data)) return true;
    }
    for (const PrimExpr term : arith::PostOrder(terms(), stmt.exprs())) {
      if (terms().is_var(term) && touched_.contains(term)) return true;
      if (terms().kind(term) != PrimKind::kBufferLoad) continue;
      if (touched_.contains(tables().buffer(terms().buffer(term)).data)) return true;
    }
    return false;
  }

  // Whether something inside is repeated for each thread.
  auto HasExpanded(const Allocate& alloc) -> bool {
    for (StmtId id = func().stmts().first(alloc.id()); id < alloc.id(); ++id) {
      if (IsExpanded(func().stmt(id))) return true;
    }
    return false;
  }

  // Returns the number of elements that one thread has, or none if threads have no room of their own.
  auto RoomOf(PrimExpr data) const -> PrimExpr {
    const auto found = room_.find(data);
    return found != room_.end() ? found->second : PrimExpr();
  }
  auto IndexIn(PrimExpr index, PrimExpr room) -> PrimExpr {
    return analyzer_.Simplify(arith::Add(terms(), index, arith::Mul(terms(), var_, room)));
  }
  auto Widened(BufferId id) -> BufferId {
    BufferId& made = widened_[id];
    if (!made) {
      Buffer buffer = tables().buffer(id);
      if (buffer.ndim() != 1) Fail(MakeDiagnostic(kThreadNotFlat, {}, context().text(buffer.name)));
      for (PrimExpr& extent : buffer.shape) {
        extent = arith::Mul(terms(), extent, terms().IntImm(terms().dtype(extent), threads_));
      }
      made = tables().Add(std::move(buffer));
    }
    return made;
  }

  // Only access pointers are understood as addresses.
  void CheckAddresses(Stmt stmt, PrimExpr root) {
    if (room_.empty()) return;
    std::vector<PrimExpr> stack = {root};
    absl::flat_hash_set<PrimExpr> seen;
    while (!stack.empty()) {
      const PrimExpr top = stack.back();
      stack.pop_back();
      if (!seen.insert(top).second) continue;
      if (terms().is_var(top) && RoomOf(top)) Fail(MakeDiagnostic(kAddress, stmt.range(), NameOf(top)));
      const auto operands = terms().operands(top);
      const bool pointer = terms().IsCall(top, access_ptr_);
      for (size_t i = pointer ? 2 : 0; i < operands.size(); ++i) stack.push_back(operands[i]);
    }
  }

  auto Rewritten(Stmt stmt, Parts parts) -> StmtId {
    if (const auto store = stmt.As<BufferStore>()) {
      const PrimExpr room = RoomOf(tables().buffer(store->buffer()).data);
      if (!room || parts.exprs.size() != 2) return BranchDecider::Leave(stmt, parts);
      const PrimExpr index = IndexIn(parts.exprs[1], room);
      return builder().Store(Widened(store->buffer()), parts.exprs[0], {&index, 1});
    }
    if (const auto alloc = stmt.As<Allocate>()) {
      const bool has_room = static_cast<bool>(RoomOf(alloc->buffer_var()));
      if (has_room) {
        const DataType type = terms().dtype(parts.exprs[0]);
        parts.exprs[0] = arith::Mul(terms(), parts.exprs[0], terms().IntImm(type, threads_));
      }
      // As TVM: a rewritten allocation has no annotations.
      if (alloc->annotations() && (has_room || HasExpanded(*alloc))) {
        const std::span<const PrimExpr> extents = parts.exprs.first(parts.exprs.size() - 1);
        return builder().Allocate(alloc->buffer_var(), alloc->dtype(), extents, parts.exprs.back(), parts.stmts[0]);
      }
    }
    return BranchDecider::Leave(stmt, parts);
  }

  auto ForEachThread(Stmt stmt, StmtId made) -> StmtId {
    const DataType type = terms().dtype(var_);
    const StmtId first = func().stmts().first(stmt.id());
    const uint32_t outside = first.value() == 0 ? 0 : loops_before_[StmtId(first.value() - 1)];
    const bool has_loop = loops_before_[stmt.id()] != outside;
    if (!has_loop && threads_ < kManyThreads) {
      std::vector<StmtId> copies;
      copies.reserve(static_cast<size_t>(threads_));
      for (int64_t i = 0; i < threads_; ++i) {
        copies.push_back(Substitute(builder(), builder().stmt(made), {{var_, terms().IntImm(type, i)}}));
      }
      return builder().Seq(copies);
    }
    const PrimExpr index = terms().Var(fmt::format("{}.s", NameOf(var_)), type);
    const StmtId body = Substitute(builder(), builder().stmt(made), {{var_, index}});
    return builder().For(index, terms().IntImm(type, 0), terms().IntImm(type, threads_), ForKind::kSerial, body);
  }

  arith::Analyzer analyzer_;
  arith::CallOpId access_ptr_;
  arith::CallOpId context_id_;
  // How many loops there are up to a statement, itself included.
  SideTable<StmtId, uint32_t> loops_before_;
  absl::flat_hash_set<StmtId> innermost_;

  // The virtual thread that is open, and the statement in it that is done for each.
  StmtId thread_;
  StmtId expanded_;
  PrimExpr var_;
  int64_t threads_ = 1;
  bool shared_ = true;
  absl::flat_hash_set<PrimExpr> touched_;
  absl::flat_hash_map<PrimExpr, PrimExpr> room_;
  absl::flat_hash_map<BufferId, BufferId> widened_;
};

struct InjectVirtualThread {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    PrimFunc current = func;
    bool more = true;
    while (more) {
      ThreadExpander expander(current);
      more = expander.has_threads();
      RELAYOPT_TRY(std::optional<PrimFunc> made, expander.RunOrFail());
      if (made) current = *std::move(made);
    }
    if (std::optional<PrimFunc> single = ConvertSSA(current)) current = *std::move(single);
    return Same(current, func) ? std::nullopt : std::optional(std::move(current));
  }
};

}  // namespace

constinit const PassDef kInjectVirtualThreadPass = DescribePass<InjectVirtualThread>({
    .name = "tir.InjectVirtualThread",
    .summary = "Replace virtual threads by loops over the statements that depend on them",
    .details = R"(  vthread = T.launch_thread("vthread", 2)         A = T.allocate([8], ...)
  A = T.allocate([4], "float32")              ->  B[0] = A[0 * 4 + j]
  B[vthread] = A[j]                               B[1] = A[1 * 4 + j]

What is allocated in a virtual thread and depends on it gets room for all threads. Statements are copied for each thread,
or stand in a loop where there are 16 threads or more, or a loop inside.)",
    .aliases = "tir.transform.InjectVirtualThread",
});

}  // namespace relayopt::tir
