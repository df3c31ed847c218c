// Plans which allocations share memory.
//
// The sequence of accesses is walked with the memory that is free. Where a variable begins, it takes free memory of the
// same thread scope and storage scope, the smallest that fits up to sixteen times its size, else the largest of its
// type down to a sixteenth; else new memory. Where it ends, its memory becomes free:
//
//   A: 16 floats, begins and ends in the first loop    ->   entry 1, free after it
//   B: 12 floats, in the second loop                   ->   entry 1 again
//
// A variable that begins where another one ends takes the memory over if the statement is `dst[i] = f(src[i])` all
// over.
#include "lib/tir/transforms/utils/storage_plan.h"

#include <algorithm>
#include <list>
#include <map>

#include "relayopt/arith/deduce.h"
#include "relayopt/arith/iter_map.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/ir/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNestedScope{"storage-scope-nested", Severity::kError,
                                      "threads inside of threads: run tir.InjectVirtualThread first"};

// Free memory is reused only if its size differs from the required size by at most this factor.
constexpr uint64_t kMatchRange = 16;
// Nests of more loops are not asked whether they compute an element twice.
constexpr size_t kMostLoops = 32;
constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();

// Whether a statement computes `dst` from `src` element by element, and each element once, so that both can be one
// memory: computed a second time, an element would be made from itself.
class InplaceChecker {
 public:
  explicit InplaceChecker(const PrimFunc& func)
      : func_(func),
        tables_(func.tables()),
        terms_(func.terms()),
        parents_(Parents(func.stmts())),
        budget_(64 * (func.size() + 64)) {}

  auto Check(StmtId root, PrimExpr dst, PrimExpr src) -> bool {
    switch (func_.stmts().kind(root)) {
      case StmtKind::kAttr:
      case StmtKind::kFor:
      case StmtKind::kIf:
      case StmtKind::kWhile:
      case StmtKind::kStore: break;
      default: return false;
    }
    root_ = root;
    dst_ = dst;
    src_ = src;
    for (StmtId id = func_.stmts().first(root); id <= root; ++id) {
      // Statements may be looked at for several pairs: where that becomes too much, memory is not taken over.
      if (budget_ == 0) return false;
      --budget_;
      if (!CheckStmt(func_.stmt(id))) return false;
    }
    return true;
  }

 private:
  auto CheckStmt(Stmt stmt) -> bool {
    if (const auto attr = stmt.As<AttrStmt>()) {
      if (attr->key_text() == "extern_scope" || attr->key_text() == "volatile_scope") return false;
    }
    const auto store = stmt.As<BufferStore>();
    if (!store) {
      return std::ranges::all_of(stmt.exprs(), [&](PrimExpr expr) { return CheckExpr(expr, nullptr, true); });
    }
    for (const PrimExpr index : store->indices()) {
      if (!CheckExpr(index, nullptr, false)) return false;
    }
    const bool to_dst = tables_.buffer(store->buffer()).data == dst_;
    if (!CheckExpr(store->value(), to_dst ? &*store : nullptr, true)) return false;
    return !to_dst || StoresEachOnce(*store);
  }

  // Whether a store of the statement goes to another element each time.
  auto StoresEachOnce(const BufferStore& store) -> bool {
    arith::Analyzer analyzer(terms_);
    std::vector<arith::IterRange> loops;
    for (StmtId id = store.id(); id != root_;) {
      if (budget_ == 0) return false;
      --budget_;
      id = parents_[id];
      const Stmt stmt = func_.stmt(id);
      if (stmt.is(StmtKind::kWhile)) return false;
      const auto loop = stmt.As<For>();
      if (loop && !terms_.IsInt(loop->extent(), 1)) loops.push_back({loop->loop_var(), {loop->min(), loop->extent()}});
    }
    if (loops.size() > kMostLoops) return false;
    const PrimExpr always = terms_.Bool(true);
    if (arith::DetectIterMap(analyzer, store.indices(), loops, always, arith::IterMapLevel::kBijective)) return true;
    absl::flat_hash_set<PrimExpr> told_apart;
    for (const PrimExpr index : store.indices()) {
      for (const PrimExpr var : ToldApart(analyzer, index, loops)) told_apart.insert(var);
    }
    return std::ranges::all_of(loops, [&](const arith::IterRange& loop) { return told_apart.contains(loop.var); });
  }

  // Returns the loop variables in an index if different values of them always give different indices, or else none.
  // Examples are `32 * i + j` where j < 32, and a single variable with a factor.
  auto ToldApart(arith::Analyzer& analyzer, PrimExpr index, std::span<const arith::IterRange> loops) const
      -> std::vector<PrimExpr> {
    std::vector<PrimExpr> vars;
    // Factors and the numbers of values they apply to; empty if one of these, or the beginning, is not a literal.
    std::vector<std::pair<int64_t, std::optional<int64_t>>> factors;
    if (terms_.kind(index) == PrimKind::kRamp) {
      const auto stride = terms_.AsInt(terms_.operand(index, 1));
      if (!stride) return {};
      factors.emplace_back(std::abs(*stride), terms_.dtype(index).lanes);
      index = terms_.operand(index, 0);
    }
    std::vector<std::optional<int64_t>> extents;
    for (const arith::IterRange& loop : loops) {
      if (!arith::UsesVar(terms_, index, loop.var)) continue;
      vars.push_back(loop.var);
      const bool begins_at_number = terms_.AsInt(loop.range.min).has_value();
      extents.push_back(begins_at_number ? terms_.AsInt(loop.range.extent) : std::nullopt);
    }
    const auto linear = arith::DetectLinearEquation(terms_, index, vars);
    if (!linear) return {};
    for (size_t i = 0; i < vars.size(); ++i) {
      const auto factor = terms_.AsInt(analyzer.Simplify((*linear)[i]));
      if (!factor) return {};
      factors.emplace_back(std::abs(*factor), extents[i]);
    }
    std::ranges::sort(factors, {}, [](const auto& factor) { return factor.first; });
    int64_t reach = 1;
    for (size_t i = 0; i < factors.size(); ++i) {
      const auto& [factor, extent] = factors[i];
      if (factor < reach || factor > kMaxInt32 || (!extent && i + 1 != factors.size())) return {};
      if (extent) reach += factor * std::clamp<int64_t>(*extent - 1, 0, kMaxInt32);
    }
    return vars;
  }

  // Checks an expression. `store` is the store whose value it is. Loads inside of indices are not safe.
  auto CheckExpr(PrimExpr expr, const BufferStore* store, bool may_load) const -> bool {
    for (const PrimExpr part : arith::PostOrder(terms_, expr)) {
      if (part == dst_ || part == src_) return false;
      if (terms_.kind(part) != PrimKind::kBufferLoad) continue;
      if (!may_load) return false;
      const PrimExpr data = tables_.buffer(terms_.buffer(part)).data;
      if (data == dst_) return false;
      const std::span<const PrimExpr> indices = terms_.operands(part);
      if (data == src_) {
        if (store == nullptr || terms_.dtype(store->value()) != terms_.dtype(part)) return false;
        if (!std::ranges::equal(store->indices(), indices)) return false;
      }
      for (const PrimExpr index : indices) {
        if (HasLoad(index)) return false;
      }
    }
    return true;
  }

  auto HasLoad(PrimExpr expr) const -> bool {
    return std::ranges::any_of(arith::PostOrder(terms_, expr),
                               [&](PrimExpr part) { return terms_.kind(part) == PrimKind::kBufferLoad; });
  }

  const PrimFunc& func_;
  Tables& tables_;
  Terms& terms_;
  SideTable<StmtId, StmtId> parents_;
  size_t budget_;
  StmtId root_;
  PrimExpr dst_;
  PrimExpr src_;
};

class Planner {
 public:
  Planner(const PrimFunc& func, const LinearAccesses& accesses)
      : func_(func), terms_(func.terms()), accesses_(accesses), liveness_(AnalyzeLiveness(accesses)), inplace_(func) {}

  auto Run(std::optional<Diagnostic>& fault) -> StoragePlan {
    for (const AccessEntry& entry : accesses_.sequence) {
      const auto event = liveness_.find(entry.stmt);
      if (event != liveness_.end() && entry.pair_offset >= 0) Begin(entry.stmt, event->second);
      EnterOrLeaveScope(func_.stmt(entry.stmt), fault);
      if (event != liveness_.end() && entry.pair_offset <= 0) {
        for (const PrimExpr var : event->second.ends) {
          if (!taken_over_.contains(var)) Free(*plan_.by_var.at(var));
        }
      }
    }
    return std::move(plan_);
  }

 private:
  // Free memory of one thread scope and storage scope: by size, and that of unknown size.
  struct FreeMemory {
    std::multimap<uint64_t, StorageEntry*> sized;
    std::list<StorageEntry*> symbolic;
  };
  struct FreeKey {
    StmtId attach;
    StorageScope scope;
    friend auto operator==(const FreeKey&, const FreeKey&) -> bool = default;
    template <typename H>
    friend auto AbslHashValue(H h, const FreeKey& key) -> H {
      return H::combine(std::move(h), key.attach.value(), static_cast<int>(key.scope.rank), key.scope.tag);
    }
  };

  void Begin(StmtId stmt, const LivenessEvent& event) {
    const bool detect_inplace = event.begins.size() <= 2;
    for (const PrimExpr var : event.begins) {
      const Allocate alloc(func_.stmt(accesses_.allocations.at(var).stmt));
      const StorageScope scope = ParseStorageScope(ScopeOf(terms_, func_.context(), var)).value_or(StorageScope());
      StorageEntry* entry = detect_inplace ? TakeOver(stmt, event, var, alloc, scope) : nullptr;
      if (entry == nullptr) entry = Find(alloc, scope);
      entry->allocs.push_back(alloc.id());
      plan_.by_var[var] = entry;
    }
  }

  auto TakeOver(StmtId stmt, const LivenessEvent& event, PrimExpr var, const Allocate& alloc, const StorageScope& scope)
      -> StorageEntry* {
    for (const PrimExpr source : event.ends) {
      const auto found = plan_.by_var.find(source);
      if (found == plan_.by_var.end() || taken_over_.contains(source)) continue;
      StorageEntry& entry = *found->second;
      // As TVM: two sizes that are not literals count as equal.
      const bool alike = entry.scope == scope && entry.attach == thread_scope_ &&
                         entry.element == arith::ElementOf(alloc.dtype()) && entry.bits == ConstantBits(terms_, alloc);
      if (!alike || !inplace_.Check(stmt, var, source)) continue;
      taken_over_.insert(source);
      return &entry;
    }
    return nullptr;
  }

  auto IsRegister(const StorageScope& scope, DataType type, uint64_t bits) const -> bool {
    return scope.tag.empty() && (scope.rank >= StorageRank::kWarp || arith::IsHandle(type) || (bits > 0 && bits <= 32));
  }

  auto Find(const Allocate& alloc, const StorageScope& scope) -> StorageEntry* {
    const uint64_t bits = ConstantBits(terms_, alloc);
    const DataType element = arith::ElementOf(alloc.dtype());
    const auto make = [&] {
      plan_.entries.push_back(std::make_unique<StorageEntry>(StorageEntry{thread_scope_, scope, element, bits, {}}));
      return plan_.entries.back().get();
    };
    // Small memory becomes registers, and memory of several dimensions is not shared.
    if (IsRegister(scope, alloc.dtype(), bits) || alloc.extents().size() != 1) return make();
    FreeMemory& free = free_[{thread_scope_, scope}];
    if (bits == 0) {
      const auto fits =
          std::ranges::find_if(free.symbolic, [&](const StorageEntry* e) { return e->element == element; });
      if (fits == free.symbolic.end()) return make();
      StorageEntry* entry = *fits;
      free.symbolic.erase(fits);
      return entry;
    }
    const auto take = [&](std::multimap<uint64_t, StorageEntry*>::iterator at) {
      StorageEntry* entry = at->second;
      entry->bits = std::max(entry->bits, bits);
      free.sized.erase(at);
      return entry;
    };
    const auto larger = free.sized.lower_bound(bits);
    if (larger != free.sized.end() && (larger->first - 1) / kMatchRange < bits) return take(larger);
    for (auto at = larger; at != free.sized.begin();) {
      --at;
      if (at->first < bits / kMatchRange) break;
      if (at->second->element == element) return take(at);
    }
    return make();
  }

  void Free(StorageEntry& entry) {
    const DataType type = Allocate(func_.stmt(entry.allocs[0])).dtype();
    if (IsRegister(entry.scope, type, entry.bits)) return;
    FreeMemory& free = free_[{entry.attach, entry.scope}];
    if (entry.bits != 0) {
      free.sized.emplace(entry.bits, &entry);
    } else {
      free.symbolic.push_back(&entry);
    }
  }

  // Threads, pragmas and parallel loops have memory of their own, which is not shared with code outside.
  void EnterOrLeaveScope(Stmt stmt, std::optional<Diagnostic>& fault) {
    bool opens = false;
    if (const auto attr = stmt.As<AttrStmt>()) opens = attr->key_text() != "extern_scope";
    if (const auto loop = stmt.As<For>()) {
      opens = loop->for_kind() == ForKind::kParallel && (!thread_scope_ || thread_scope_ == stmt.id());
    }
    if (!opens) return;
    if (!thread_scope_) {
      thread_scope_ = stmt.id();
    } else if (thread_scope_ == stmt.id()) {
      thread_scope_ = {};
    } else if (!fault) {
      fault = MakeDiagnostic(kNestedScope, stmt.range());
    }
  }

  const PrimFunc& func_;
  Terms& terms_;
  const LinearAccesses& accesses_;
  const Liveness liveness_;
  InplaceChecker inplace_;
  StoragePlan plan_;
  StmtId thread_scope_;
  // Variables whose memory another variable has taken over: it does not become free with them.
  absl::flat_hash_set<PrimExpr> taken_over_;
  absl::flat_hash_map<FreeKey, FreeMemory> free_;
};

}  // namespace

auto PlanStorage(const PrimFunc& func, const LinearAccesses& accesses, std::optional<Diagnostic>& fault)
    -> StoragePlan {
  return Planner(func, accesses).Run(fault);
}

}  // namespace relayopt::tir
