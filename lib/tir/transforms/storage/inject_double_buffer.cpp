// InjectDoubleBuffer: memory that one iteration fills and uses is filled one iteration ahead, into the other half of
// twice the memory.
//
// The attribute "double_buffer_scope" about an allocation, in a loop over i, holds what fills it (the producer). It
// runs for i = 0 before the loop, and in the loop for i + 1 as long as there is one; accesses switch between the
// halves:
//
//   for i in range(8):                                B = T.allocate([8], "float32")
//       B = T.allocate([4], "float32")                fill B[0 * 4 + j] for i = 0
//       with T.attr(B, "double_buffer_scope", 1): ->  for i in range(8):
//           fill B[j] for i                               if i + 1 < 8:
//       use B[j]                                              fill B[(i + 1) % 2 * 4 + j] for i + 1
//                                                         use B[i % 2 * 4 + j]
//
// Then the loop is split by `split_loop`, so that the last iterations come after it and need no condition inside. Where
// the loop may have no iteration all of that is under the condition that it has any. What is used in any other way than
// by loads and stores cannot be moved, and stays.
#include <fmt/core.h>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/pass/growth.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kDoubleNoLoop{"double-buffer-loop", Severity::kError,
                                       "a double_buffer_scope must be inside a loop"};
constexpr DiagnosticKind kDoubleNotAllocated{"double-buffer-allocation", Severity::kError,
                                             "{} has a double_buffer_scope and is not allocated around it"};
constexpr DiagnosticKind kDoubleInLet{"double-buffer-let", Severity::kError,
                                      "a double_buffer_scope in a let of {}, whose value is not pure"};
constexpr DiagnosticKind kSkipped{"double-buffer-skipped", Severity::kWarning,
                                  "{} is not double buffered: it is used other than by loads and stores"};
constexpr DiagnosticKind kOutside{"double-buffer-outside", Severity::kError,
                                  "{} is double buffered and {} outside of its double_buffer_scope"};
constexpr DiagnosticKind kDoubleNotFlat{"double-buffer-flat", Severity::kError,
                                        "only an allocation of one dimension can be double-buffered"};
constexpr DiagnosticKind kSplit{"double-buffer-split", Severity::kError,
                                "InjectDoubleBuffer: split_loop must be 0, 1 or even"};
constexpr DiagnosticKind kSplitLoopMin{"double-buffer-min", Severity::kError,
                                       "a loop that is double buffered and split must begin at 0"};
constexpr DiagnosticKind kSplitLoopSize{"double-buffer-size", Severity::kError,
                                        "a loop that is double buffered cannot be split by {}: {}"};

struct DoubleBufferOptions {
  int64_t split_loop = 1;
  static constexpr std::string_view kConfigKey = "tir.InjectDoubleBuffer";
  static constexpr auto Fields() {
    return std::array{Option<&DoubleBufferOptions::split_loop>(
        "how many iterations one of the new loop does; 1 or even, 0: the loop stays")};
  }
};

// Returns the variables of allocations that can be double buffered.
auto DoubleBuffered(const PrimFunc& func) -> absl::flat_hash_set<PrimExpr> {
  absl::flat_hash_set<PrimExpr> marked;
  for (StmtId id(0U); id.value() < func.size(); ++id) {
    const auto attr = func.stmt(id).As<AttrStmt>();
    if (!attr || attr->key_text() != "double_buffer_scope") continue;
    const PrimExpr var = attr->node().expr();
    if (var && func.terms().is_var(var)) marked.insert(var);
  }
  if (!marked.empty()) ForEachTerm(func.body(), [&](PrimExpr term) { marked.erase(term); });
  return marked;
}

class DoubleBufferInjector : public Rewriter {
 public:
  DoubleBufferInjector(const PrimFunc& func, const absl::flat_hash_set<PrimExpr>& marked, int64_t split_loop,
                       PassContext& context)
      : Rewriter(func), split_loop_(split_loop), room_(GrowthLimit(context)), pass_context_(context) {
    for (const PrimExpr var : marked) entries_[var];
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (stmt.is(StmtKind::kFor)) loops_.push_back({stmt.id(), lets_.size()});
    if (const auto alloc = stmt.As<Allocate>()) {
      if (Entry* entry = EntryOf(alloc->buffer_var())) {
        if (alloc->extents().size() != 1) return Fail(MakeDiagnostic(kDoubleNotFlat, stmt.range()));
        entry->stride = alloc->extents()[0];
      }
    }
    const auto attr = stmt.As<AttrStmt>();
    return attr && attr->key_text() == "double_buffer_scope" ? EnterScope(*attr) : Descent::Into();
  }

  void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
    if (const auto let = stmt.As<LetStmt>()) lets_.emplace_back(let->var(), exprs[0]);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    if (terms().kind(made) != PrimKind::kBufferLoad) return made;
    const Buffer& buffer = tables().buffer(terms().buffer(made));
    const Entry* entry = EntryOf(buffer.data);
    if (entry == nullptr) return made;
    if (!entry->read_half) {
      Fail(MakeDiagnostic(kOutside, {}, context().text(buffer.name), "read"));
      return made;
    }
    if (buffer.ndim() != 1) {
      Fail(MakeDiagnostic(kDoubleNotFlat, {}));
      return made;
    }
    const PrimExpr index = IndexIn(*entry, entry->read_half, terms().operand(made, 0));
    return terms().BufferLoad(Doubled(terms().buffer(made), *entry), {&index, 1}, terms().dtype(made));
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    switch (stmt.kind()) {
      case StmtKind::kStore: return LeaveStore(BufferStore(stmt), parts);
      case StmtKind::kAllocate: return LeaveAllocate(Allocate(stmt), parts);
      case StmtKind::kFor: return LeaveLoop(For(stmt), parts);
      case StmtKind::kLet: lets_.pop_back(); break;
      case StmtKind::kAttr:
        if (!scopes_.empty() && scopes_.back() == stmt.id()) return LeaveScope(AttrStmt(stmt), parts.stmts[0]);
        break;
      default: break;
    }
    return Rewriter::Leave(stmt, parts);
  }

 private:
  // A double buffered allocation.
  struct Entry {
    // The number of elements of one half.
    PrimExpr stride;
    StmtId loop;
    // The index of the half that is filled (a variable that LeaveScope replaces), and of the half that is read.
    PrimExpr write_half;
    PrimExpr read_half;
  };
  // The allocation that is moved in front of a loop.
  struct MovedAllocation {
    StmtId alloc;
    std::vector<PrimExpr> exprs;
    BufferId declared;
  };
  struct Loop {
    StmtId stmt;
    // The number of lets around it.
    size_t lets_before;
    std::vector<MovedAllocation> allocations;
    std::vector<StmtId> producers;
  };

  auto EntryOf(PrimExpr var) -> Entry* {
    const auto found = entries_.find(var);
    return found != entries_.end() ? &found->second : nullptr;
  }
  auto Fail(Diagnostic diagnostic) -> Descent {
    Rewriter::Fail(std::move(diagnostic));
    return Descent::Done({});
  }

  auto EnterScope(AttrStmt attr) -> Descent {
    if (loops_.empty()) return Fail(MakeDiagnostic(kDoubleNoLoop, attr.range()));
    const PrimExpr var = attr.node().expr();
    Entry* entry = var ? EntryOf(var) : nullptr;
    if (entry == nullptr) {
      const std::string_view name = var && terms().is_var(var) ? context().text(terms().var(var).name) : "what";
      pass_context_.diagnostics().Report(kSkipped, attr.range(), name);
      return Descent::Instead(attr.body());
    }
    if (!entry->stride)
      return Fail(MakeDiagnostic(kDoubleNotAllocated, attr.range(), context().text(terms().var(var).name)));
    for (size_t i = loops_.back().lets_before; i < lets_.size(); ++i) {
      if (terms().effect(lets_[i].second) <= arith::CallEffect::kPure) continue;
      return Fail(MakeDiagnostic(kDoubleInLet, attr.range(), context().text(terms().var(lets_[i].first).name)));
    }
    const For loop(func().stmt(loops_.back().stmt));
    const DataType type = terms().dtype(loop.loop_var());
    entry->loop = loop.id();
    entry->write_half = terms().Var(fmt::format("{}.db", context().text(terms().var(loop.loop_var()).name)), type);
    entry->read_half = arith::FloorMod(terms(), loop.loop_var(), terms().IntImm(type, 2));
    scopes_.push_back(attr.id());
    ForgetExprs();
    return Descent::Into();
  }

  auto LeaveScope(AttrStmt attr, StmtId body) -> StmtId {
    scopes_.pop_back();
    const PrimExpr var = attr.node().expr();
    const Entry& entry = *EntryOf(var);
    const For loop(func().stmt(entry.loop));
    const DataType type = terms().dtype(loop.loop_var());
    const PrimExpr two = terms().IntImm(type, 2);
    const VarMap first = At(loop, loop.min(), arith::FloorMod(terms(), loop.min(), two), entry);
    loops_.back().producers.push_back(Substitute(builder(), builder().stmt(body), first));
    const PrimExpr next = arith::Add(terms(), loop.loop_var(), terms().IntImm(type, 1));
    const VarMap ahead = At(loop, next, arith::FloorMod(terms(), next, two), entry);
    const StmtId producer = Substitute(builder(), builder().stmt(body), ahead);
    return builder().If(arith::Lt(terms(), next, arith::Add(terms(), loop.min(), loop.extent())),
                        builder().Attr(var, "double_buffer_write", terms().Int32(1), producer));
  }

  // The variables of an iteration of the loop: its own, those of the lets in it around the scope, and the half to fill.
  auto At(For loop, PrimExpr iteration, PrimExpr half, const Entry& entry) -> VarMap {
    VarMap map = {{entry.write_half, half}, {loop.loop_var(), iteration}};
    for (size_t i = loops_.back().lets_before; i < lets_.size(); ++i) {
      map[lets_[i].first] = Substitute(terms(), lets_[i].second, map);
    }
    return map;
  }

  auto IndexIn(const Entry& entry, PrimExpr half, PrimExpr index) -> PrimExpr {
    return arith::Add(terms(), arith::Mul(terms(), half, entry.stride), index);
  }

  auto Doubled(BufferId id, const Entry& entry) -> BufferId {
    BufferId& made = doubled_[id];
    if (!made) {
      Buffer buffer = tables().buffer(id);
      buffer.shape[0] = arith::Add(terms(), buffer.shape[0], entry.stride);
      made = tables().Add(std::move(buffer));
    }
    return made;
  }

  auto LeaveStore(BufferStore store, Parts parts) -> StmtId {
    const Buffer& buffer = tables().buffer(store.buffer());
    const Entry* entry = EntryOf(buffer.data);
    if (entry == nullptr) return Rewriter::Leave(store, parts);
    if (scopes_.empty() || !entry->write_half) {
      Fail(MakeDiagnostic(kOutside, store.range(), context().text(buffer.name), "written"));
      return {};
    }
    if (buffer.ndim() != 1) {
      Fail(MakeDiagnostic(kDoubleNotFlat, store.range()));
      return {};
    }
    const PrimExpr index = IndexIn(*entry, entry->write_half, parts.exprs[1]);
    return builder().Store(Doubled(store.buffer(), *entry), parts.exprs[0], {&index, 1});
  }

  auto LeaveAllocate(Allocate alloc, Parts parts) -> StmtId {
    const Entry* entry = EntryOf(alloc.buffer_var());
    if (entry == nullptr) return Rewriter::Leave(alloc, parts);
    const PrimExpr two = terms().IntImm(terms().dtype(parts.exprs[0]), 2);
    MovedAllocation moved{alloc.id(), {arith::Mul(terms(), parts.exprs[0], two), parts.exprs[1]}, {}};
    StmtId body = parts.stmts[0];
    if (const auto decl = builder().stmt(body).As<DeclBuffer>()) {
      moved.declared = Doubled(decl->buffer(), *entry);
      body = decl->body().id();
    }
    for (Loop& loop : loops_) {
      if (loop.stmt != entry->loop) continue;
      loop.allocations.push_back(std::move(moved));
      return body;
    }
    // It is outside of the loop already.
    return Place(moved, body);
  }

  auto Place(const MovedAllocation& moved, StmtId body) -> StmtId {
    if (moved.declared) body = builder().DeclBuffer(moved.declared, body);
    return builder().Copy(func().stmt(moved.alloc), {&body, 1}, moved.exprs);
  }

  auto LeaveLoop(For loop, Parts parts) -> StmtId {
    const Loop state = std::move(loops_.back());
    loops_.pop_back();
    StmtId made;
    if (state.producers.empty() || split_loop_ == 0) {
      made = Rewriter::Leave(loop, parts);
    } else {
      made = SplitLoop(loop, parts);
      if (failed()) return {};
    }
    if (!state.producers.empty()) {
      std::vector<StmtId> steps = state.producers;
      steps.push_back(made);
      made = builder().Seq(steps);
      const PrimExpr extent = parts.exprs[1];
      const PrimExpr zero = terms().IntImm(terms().dtype(extent), 0);
      arith::Analyzer analyzer(terms());
      const PrimExpr has_iteration = arith::Lt(terms(), zero, extent);
      if (!analyzer.CanProve(has_iteration)) made = builder().If(has_iteration, made);
    }
    for (size_t i = state.allocations.size(); i-- > 0;) made = Place(state.allocations[i], made);
    return made;
  }

  // Splits the loop: all iterations but the last ones, `split_loop` at a time, then the last ones.
  auto SplitLoop(For loop, Parts parts) -> StmtId {
    const PrimExpr extent = parts.exprs[1];
    if (!terms().IsInt(parts.exprs[0], 0)) {
      Fail(MakeDiagnostic(kSplitLoopMin, loop.range()));
      return {};
    }
    const DataType type = terms().dtype(loop.loop_var());
    const std::string_view fault = !arith::FitsType(type, split_loop_) ? "the type of its variable is too small"
                                   : !HasRoom(parts.stmts[0]) ? "its copies would be larger than --max-ops allows"
                                                              : "";
    if (!fault.empty()) {
      Fail(MakeDiagnostic(kSplitLoopSize, loop.range(), split_loop_, fault));
      return {};
    }
    const auto literal = [&](int64_t value) { return terms().IntImm(type, value); };
    const PrimExpr factor = literal(split_loop_);
    const PrimExpr outer_extent = arith::TruncDiv(terms(), arith::Sub(terms(), extent, literal(1)), factor);
    const PrimExpr tail = arith::Mul(terms(), outer_extent, factor);
    const PrimExpr outer =
        terms().Var(fmt::format("{}.outer", context().text(terms().var(loop.loop_var()).name)), type);
    const StmtId body = parts.stmts[0];
    const auto iteration = [&](StmtId from, PrimExpr index) {
      return Substitute(builder(), builder().stmt(from), {{loop.loop_var(), index}});
    };
    std::vector<StmtId> copies;
    const PrimExpr base = arith::Mul(terms(), outer, factor);
    copies.reserve(static_cast<size_t>(split_loop_));
    for (int64_t i = 0; i < split_loop_; ++i) copies.push_back(iteration(body, arith::Add(terms(), base, literal(i))));
    std::vector<StmtId> steps = {
        builder().For(outer, parts.exprs[0], outer_extent, loop.for_kind(), builder().Seq(copies))};
    const StmtId last = WithoutWrites(body);
    for (int64_t i = 0; i < split_loop_; ++i) {
      const PrimExpr index = arith::Add(terms(), tail, literal(i));
      steps.push_back(builder().If(arith::Lt(terms(), index, extent), iteration(last, index)));
    }
    return builder().Seq(steps);
  }

  // Whether twice `split_loop` copies of a body may be made; takes them from the limit.
  auto HasRoom(StmtId body) -> bool {
    int64_t size = 0;
    Walk(
        builder().stmt(body),
        [&](Stmt) {
          ++size;
          return true;
        },
        [](Stmt) {});
    if (split_loop_ > room_ / (2 * size)) return false;
    room_ -= 2 * size * split_loop_;
    return true;
  }

  // Returns a copy without the attributes that mark writes ahead.
  auto WithoutWrites(StmtId root) -> StmtId {
    std::vector<StmtId> done;
    Walk(
        builder().stmt(root), [](Stmt) { return true; },
        [&](Stmt stmt) {
          const auto attr = stmt.As<AttrStmt>();
          if (attr && attr->key_text() == "double_buffer_write") return;
          const std::vector<PrimExpr> exprs(stmt.exprs().begin(), stmt.exprs().end());
          const size_t parts = stmt.num_parts();
          const StmtId made = builder().Copy(stmt, std::span(done).last(parts), exprs);
          done.resize(done.size() - parts);
          done.push_back(made);
        });
    return done.back();
  }

  int64_t split_loop_;
  // The number of statements that copies may still have.
  int64_t room_;
  PassContext& pass_context_;
  absl::flat_hash_map<PrimExpr, Entry> entries_;
  absl::flat_hash_map<BufferId, BufferId> doubled_;
  std::vector<Loop> loops_;
  // The open lets with their new values.
  std::vector<std::pair<PrimExpr, PrimExpr>> lets_;
  // The attributes that are open.
  std::vector<StmtId> scopes_;
};

struct InjectDoubleBuffer {
  using Options = DoubleBufferOptions;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext& context) const
      -> Result<std::optional<PrimFunc>> {
    const int64_t split = options.split_loop;
    if (split < 0 || (split > 1 && split % 2 != 0)) return MakeDiagnostic(kSplit, {});
    const absl::flat_hash_set<PrimExpr> marked = DoubleBuffered(func);
    if (marked.empty()) return std::optional<PrimFunc>();
    RELAYOPT_TRY(std::optional<PrimFunc> made, DoubleBufferInjector(func, marked, split, context).RunOrFail());
    if (!made) return made;
    if (std::optional<PrimFunc> single = ConvertSSA(*made)) return single;
    return made;
  }
};

}  // namespace

constinit const PassDef kInjectDoubleBufferPass = DescribePass<InjectDoubleBuffer>({
    .name = "tir.InjectDoubleBuffer",
    .summary = "Double-buffer memory: fill it one iteration before its use",
    .details = R"(  for i in range(8):                                B = T.allocate([8], "float32")
      B = T.allocate([4], "float32")                fill B[0 * 4 + j] for i = 0
      with T.attr(B, "double_buffer_scope", 1): ->  for i in range(8):
          fill B[j] for i                               if i + 1 < 8:
      use B[j]                                              fill B[(i + 1) % 2 * 4 + j] for i + 1
                                                        use B[i % 2 * 4 + j]

The loop is split by split_loop, and its last iterations follow behind it. What is used in other ways than by loads and
stores is left alone, with a warning where other memory is double buffered.)",
    .aliases = "tir.transform.InjectDoubleBuffer",
});

}  // namespace relayopt::tir
