// Plans barriers.
//
// Statements of one list are walked in order, with the accesses since the last barrier. A read of what was written, or
// a write of what was read, needs a barrier in front of its statement, unless both access the one element that the
// innermost thread owns. A loop is walked on from its beginning with what is left at its end. To the list around it a
// loop or branch is one statement: what it accesses before its first and after its last barrier.
//
//   for i in range(4):           writes A[tx]; reads A[tx + 1]: barrier in front of the second statement;
//       A[tx] = i                next iteration: writes A[tx] while A[tx + 1] may still be read: barrier in front of
//       B[i] = A[tx + 1]         the first one
//
// Accesses are numbered, equal ones alike, so that a list holds each only once; of accesses to one buffer two different
// ones say as much as all, because every further one conflicts with one of them.
#include "lib/tir/transforms/utils/thread_accesses.h"

#include <algorithm>
#include <vector>

#include "relayopt/arith/int_set.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kInCondition{"sync-condition", Severity::kError,
                                      "ThreadSync: Cannot insert syncs inside condition: this statement needs a "
                                      "barrier in front of it, and not every thread reaches it"};
constexpr DiagnosticKind kUnknownPointer{
    "sync-pointer", Severity::kError, "T.tvm_access_ptr needs a type, a variable, offset, extent and a literal mask"};

struct Access {
  bool is_write = false;
  // An earlier half of a double buffer, which is read in the next iteration only.
  bool is_double_buffer = false;
  PrimExpr buffer;
  // For each index.
  std::vector<arith::IntSet> touched;
  // The innermost thread around.
  PrimExpr thread;
  friend auto operator==(const Access&, const Access&) -> bool = default;
  template <typename H>
  friend auto AbslHashValue(H h, const Access& a) -> H {
    for (const arith::IntSet& set : a.touched) h = H::combine(std::move(h), set.min, set.max);
    return H::combine(std::move(h), a.is_write, a.is_double_buffer, a.buffer, a.thread);
  }
};
using AccessId = uint32_t;

// A statement of a list, or all of a nested one.
struct Entry {
  StmtId stmt;
  // The accesses before the first barrier; all if there is none.
  std::vector<AccessId> head;
  bool has_barrier = false;
  // The accesses after the last barrier.
  std::vector<AccessId> tail;

  void Add(AccessId access) { (has_barrier ? tail : head).push_back(access); }
  void Barrier() {
    has_barrier = true;
    tail.clear();
  }
  auto empty() const -> bool { return head.empty() && !has_barrier; }
};

// Accesses since the last barrier, of one kind.
class Pending {
 public:
  explicit Pending(const std::vector<Access>& all) : all_(all) {}

  void Add(PrimExpr group, AccessId id) {
    auto& known = (all_[id].is_double_buffer ? double_buffers_ : others_)[group];
    const auto same = [&](AccessId other) {
      return all_[other].buffer == all_[id].buffer && all_[other].touched == all_[id].touched;
    };
    if (known.size() < 2 && std::ranges::none_of(known, same)) known.push_back(id);
  }
  template <typename Conflict>
  auto Any(PrimExpr group, bool with_double_buffers, const Conflict& conflict) const -> bool {
    const auto any = [&](const auto& map) {
      const auto found = map.find(group);
      return found != map.end() && std::ranges::any_of(found->second, conflict);
    };
    return any(others_) || (with_double_buffers && any(double_buffers_));
  }
  void clear() {
    others_.clear();
    double_buffers_.clear();
  }
  auto empty() const -> bool { return others_.empty() && double_buffers_.empty(); }

 private:
  const std::vector<Access>& all_;
  absl::flat_hash_map<PrimExpr, std::vector<AccessId>> others_;
  absl::flat_hash_map<PrimExpr, std::vector<AccessId>> double_buffers_;
};

class BarrierPlanner {
 public:
  BarrierPlanner(const PrimFunc& func, const StorageScope& scope)
      : func_(func),
        terms_(func.terms()),
        analyzer_(terms_),
        scope_(scope),
        one_buffer_(scope.rank == StorageRank::kShared && scope.tag == ".dyn"),
        address_of_(terms_.Intrinsic("tir.address_of"_intrin)),
        access_ptr_(terms_.Intrinsic("tir.tvm_access_ptr"_intrin)),
        sync_(terms_.Intrinsic("tir.tvm_storage_sync"_intrin)) {}

  auto Run() -> absl::flat_hash_set<StmtId> {
    lists_.emplace_back();
    Walk(
        func_.body(), [&](Stmt stmt) { return Enter(stmt) && !fault_; }, [&](Stmt stmt) { Leave(stmt); });
    return std::move(barriers_);
  }

  auto fault() -> std::optional<Diagnostic>& { return fault_; }

 private:
  // The statements of a scope that is open.
  struct List {
    std::vector<Entry> entries;
    // For a branch: its second case, and the accesses of the first one.
    StmtId else_case;
    Entry then_case;
    // The accesses in the condition or the bounds.
    Entry header;
  };

  static auto KeyOf(Stmt stmt) -> std::string_view {
    const auto attr = stmt.As<AttrStmt>();
    return attr ? attr->key_text() : std::string_view();
  }
  static auto OpensList(Stmt stmt) -> bool {
    return stmt.is(StmtKind::kFor) || stmt.is(StmtKind::kIf) || stmt.is(StmtKind::kWhile) ||
           KeyOf(stmt) == "double_buffer_write";
  }
  static auto IsCondition(Stmt stmt) -> bool { return stmt.is(StmtKind::kIf) || stmt.is(StmtKind::kWhile); }

  auto Enter(Stmt stmt) -> bool {
    if (List& list = lists_.back(); list.else_case == stmt.id()) EndThenCase();
    const std::string_view key = KeyOf(stmt);
    // Its author has placed the barriers in it.
    if (key == "hand_threaded") return false;
    Entry own{.stmt = stmt.id()};
    if (in_device_ && key != "thread_extent") Collect(stmt, own);
    const auto attr = stmt.As<AttrStmt>();
    if ((key == "thread_extent" || key == "coproc_scope") && attr->node().iter_var()) {
      threads_.push_back(func_.tables().iter_var(attr->node().iter_var()).var);
    }
    if (key == "thread_extent" && !in_device_) {
      in_device_ = true;
      kernel_ = stmt.id();
      lists_.emplace_back();
    }
    if (!OpensList(stmt)) {
      if (!own.empty()) lists_.back().entries.push_back(std::move(own));
      return true;
    }
    if (IsCondition(stmt)) ++conditions_;
    lists_.emplace_back();
    lists_.back().header = std::move(own);
    const auto branch = stmt.As<IfThenElse>();
    if (branch && branch->has_else()) lists_.back().else_case = branch->else_case().id();
    return true;
  }

  void EndThenCase() {
    List& list = lists_.back();
    list.else_case = {};
    list.then_case = Summarize(list.entries, {});
    list.entries.clear();
  }

  void Leave(Stmt stmt) {
    const std::string_view key = KeyOf(stmt);
    if (OpensList(stmt)) {
      List list = std::move(lists_.back());
      Entry made = Summarize(list.entries, stmt);
      lists_.pop_back();
      if (IsCondition(stmt)) --conditions_;
      Entry all{.stmt = stmt.id()};
      for (const Entry* part : {&list.header, &list.then_case, &made}) Append(all, *part);
      if (stmt.is(StmtKind::kFor)) Relax(For(stmt), all);
      if (key == "double_buffer_write") MarkWrites(AttrStmt(stmt), all);
      // TVM fails when bounds and conditions access memory. Here, memory they read must not change inside.
      if (Clashes(list.header, list.then_case) || Clashes(list.header, made)) Fail(stmt.id());
      if (!all.empty()) lists_.back().entries.push_back(std::move(all));
    }
    if (key == "thread_extent" && kernel_ == stmt.id()) {
      // The end of a kernel is a barrier.
      Summarize(lists_.back().entries, {});
      lists_.pop_back();
      in_device_ = false;
      kernel_ = {};
    }
    const auto attr = stmt.As<AttrStmt>();
    if ((key == "thread_extent" || key == "coproc_scope") && attr->node().iter_var()) threads_.pop_back();
  }

  void Append(Entry& to, const Entry& from) {
    for (const AccessId id : from.head) to.Add(id);
    if (from.has_barrier) to.Barrier();
    for (const AccessId id : from.tail) to.Add(id);
    Deduplicate(to.head);
    Deduplicate(to.tail);
  }

  void Deduplicate(std::vector<AccessId>& ids) {
    ++stamp_;
    std::erase_if(ids, [&](AccessId id) {
      if (stamps_.size() <= id) stamps_.resize(accesses_.size());
      return std::exchange(stamps_[id], stamp_) == stamp_;
    });
  }

  void Fail(StmtId id) {
    if (!fault_) fault_ = MakeDiagnostic(kInCondition, func_.stmts().range(id));
  }

  // Whether a barrier between the two would be needed.
  auto Clashes(const Entry& first, const Entry& second) -> bool {
    if (first.head.empty()) return false;
    Pending reads(accesses_);
    for (const AccessId id : first.head) reads.Add(GroupOf(id), id);
    const Pending writes(accesses_);
    return NeedsBarrier(second, reads, writes, false);
  }

  // Collecting.

  void Collect(Stmt stmt, Entry& entry) {
    if (const auto store = stmt.As<BufferStore>()) Note(entry, store->buffer(), store->indices(), true);
    for (const PrimExpr expr : stmt.exprs()) CollectExpr(stmt, expr, entry);
  }

  void CollectExpr(Stmt stmt, PrimExpr root, Entry& entry) {
    absl::flat_hash_set<PrimExpr> seen;
    std::vector<PrimExpr> stack = {root};
    while (!stack.empty()) {
      const PrimExpr e = stack.back();
      stack.pop_back();
      if (terms_.operands(e).empty() || !seen.insert(e).second) continue;
      std::span<const PrimExpr> inner = terms_.operands(e);
      if (terms_.kind(e) == PrimKind::kBufferLoad) Note(entry, terms_.buffer(e), inner, false);
      if (terms_.IsCall(e, access_ptr_)) NotePointer(stmt, inner, entry);
      if (terms_.IsCall(e, sync_) && IsBarrier(e)) entry.Barrier();
      // Taking the address of an element is not an access.
      if (terms_.IsCall(e, address_of_) && terms_.kind(inner[0]) == PrimKind::kBufferLoad)
        inner = terms_.operands(inner[0]);
      for (size_t i = inner.size(); i-- > 0;) stack.push_back(inner[i]);
    }
  }

  // As TVM: a barrier of any scope but that of a warp.
  auto IsBarrier(PrimExpr call) const -> bool {
    const PrimExpr scope = terms_.operand(call, 0);
    return terms_.kind(scope) != PrimKind::kStringImm || func_.context().text(terms_.string_value(scope)) != "warp";
  }

  auto IsFollowed(PrimExpr data) const -> bool {
    const auto scope = ParseStorageScope(ScopeOf(terms_, func_.context(), data));
    return scope && *scope == scope_;
  }

  void Note(Entry& entry, BufferId buffer, std::span<const PrimExpr> indices, bool is_write) {
    const PrimExpr data = func_.tables().buffer(buffer).data;
    if (!IsFollowed(data)) return;
    Access access{.is_write = is_write, .buffer = data, .thread = threads_.empty() ? PrimExpr() : threads_.back()};
    for (const PrimExpr index : indices) access.touched.push_back(arith::SetFromVector(analyzer_, index));
    entry.Add(Number(std::move(access)));
  }

  void NotePointer(Stmt stmt, std::span<const PrimExpr> args, Entry& entry) {
    const auto mask = args.size() == 5 ? terms_.AsInt(args[4]) : std::nullopt;
    if (!mask || !terms_.is_var(args[1])) {
      if (!fault_) fault_ = MakeDiagnostic(kUnknownPointer, stmt.range());
      return;
    }
    if (!IsFollowed(args[1])) return;
    Access access{.buffer = args[1],
                  .touched = {arith::SetFromRange(terms_, {args[2], args[3]})},
                  .thread = threads_.empty() ? PrimExpr() : threads_.back()};
    if ((*mask & 1) != 0) entry.Add(Number(access));
    access.is_write = true;
    if ((*mask & 2) != 0) entry.Add(Number(access));
  }

  auto Number(Access access) -> AccessId {
    const auto [at, is_new] = numbers_.try_emplace(access, static_cast<AccessId>(accesses_.size()));
    if (is_new) accesses_.push_back(std::move(access));
    return at->second;
  }

  template <typename Change>
  void Renumber(Entry& entry, const Change& change) {
    for (auto* ids : {&entry.head, &entry.tail}) {
      for (AccessId& id : *ids) {
        Access access = accesses_[id];
        if (change(access)) id = Number(std::move(access));
      }
      Deduplicate(*ids);
    }
  }

  // The accesses of all iterations.
  void Relax(const For& loop, Entry& entry) {
    const arith::Analyzer::VarSet var{loop.loop_var(), arith::SetFromRange(terms_, {loop.min(), loop.extent()})};
    Renumber(entry, [&](Access& access) {
      // The double buffering ends with the loop it belongs to.
      bool changed = std::exchange(access.is_double_buffer, false);
      for (arith::IntSet& set : access.touched) {
        const auto uses = [&](PrimExpr end) { return arith::UsesVar(terms_, end, loop.loop_var()); };
        if (!uses(set.min) && !uses(set.max)) continue;
        set = {arith::EvalSet(terms_, set.min, {&var, 1}).min, arith::EvalSet(terms_, set.max, {&var, 1}).max};
        changed = true;
      }
      return changed;
    });
  }

  void MarkWrites(const AttrStmt& attr, Entry& entry) {
    Renumber(entry, [&](Access& access) {
      if (!access.is_write || access.buffer != attr.node().expr()) return false;
      access.is_double_buffer = true;
      return true;
    });
  }

  // Planning.

  auto GroupOf(AccessId id) const -> PrimExpr { return one_buffer_ ? PrimExpr(0U) : accesses_[id].buffer; }

  auto Conflicts(const Access& before, const Access& after) const -> bool {
    if (before.buffer != after.buffer || before.touched != after.touched || before.touched.empty()) return true;
    return std::ranges::any_of(after.touched, [&](const arith::IntSet& set) {
      return !set.is_point() || (after.thread && !arith::UsesVar(terms_, set.min, after.thread));
    });
  }

  auto NeedsBarrier(const Entry& entry, const Pending& reads, const Pending& writes, bool next_iteration) const
      -> bool {
    return std::ranges::any_of(entry.head, [&](AccessId id) {
      const Access& after = accesses_[id];
      const auto conflict = [&](AccessId before) { return Conflicts(accesses_[before], after); };
      // As TVM: two writes do not conflict.
      if (after.is_write) return reads.Any(GroupOf(id), true, conflict);
      return writes.Any(GroupOf(id), next_iteration, conflict);
    });
  }

  void PutBarrier(StmtId stmt) {
    if (conditions_ != 0) Fail(stmt);
    barriers_.insert(stmt);
  }

  // Plans the barriers of a list; `loop` is the statement around it if there is one.
  auto Summarize(const std::vector<Entry>& entries, std::optional<Stmt> loop) -> Entry {
    Pending reads(accesses_);
    Pending writes(accesses_);
    const auto clear = [&] {
      reads.clear();
      writes.clear();
    };
    const auto add = [&](AccessId id) { (accesses_[id].is_write ? writes : reads).Add(GroupOf(id), id); };
    for (const Entry& entry : entries) {
      if (barriers_.contains(entry.stmt)) {
        clear();
      } else if (NeedsBarrier(entry, reads, writes, false)) {
        clear();
        PutBarrier(entry.stmt);
      }
      if (entry.has_barrier) {
        clear();
        std::ranges::for_each(entry.tail, add);
      } else {
        std::ranges::for_each(entry.head, add);
      }
    }
    if (loop && (loop->is(StmtKind::kFor) || loop->is(StmtKind::kWhile))) {
      for (const Entry& entry : entries) {
        if (barriers_.contains(entry.stmt) || (reads.empty() && writes.empty())) break;
        if (NeedsBarrier(entry, reads, writes, true)) {
          PutBarrier(entry.stmt);
          break;
        }
        if (entry.has_barrier) break;
      }
    }
    Entry all;
    for (const Entry& entry : entries) {
      if (barriers_.contains(entry.stmt)) all.Barrier();
      for (const AccessId id : entry.head) all.Add(id);
      if (entry.has_barrier) all.Barrier();
      for (const AccessId id : entry.tail) all.Add(id);
    }
    Deduplicate(all.head);
    Deduplicate(all.tail);
    return all;
  }

  const PrimFunc& func_;
  Terms& terms_;
  arith::Analyzer analyzer_;
  const StorageScope scope_;
  // All buffers of this scope may overlap, once they are merged.
  const bool one_buffer_;
  arith::CallOpId address_of_, access_ptr_, sync_;
  absl::flat_hash_map<Access, AccessId> numbers_;
  std::vector<Access> accesses_;
  // When an access was last seen by Deduplicate.
  std::vector<uint32_t> stamps_;
  uint32_t stamp_ = 0;
  std::vector<List> lists_;
  std::vector<PrimExpr> threads_;
  bool in_device_ = false;
  StmtId kernel_;
  int conditions_ = 0;
  absl::flat_hash_set<StmtId> barriers_;
  std::optional<Diagnostic> fault_;
};

}  // namespace

auto PlanBarriers(const PrimFunc& func, const StorageScope& scope, std::optional<Diagnostic>& fault)
    -> absl::flat_hash_set<StmtId> {
  BarrierPlanner planner(func, scope);
  auto barriers = planner.Run();
  fault = std::move(planner.fault());
  return barriers;
}

}  // namespace relayopt::tir
