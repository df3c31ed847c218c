// StorageRewrite: allocations move out of loops, and those that do not live at the same time share memory.
//
// Which allocations share memory is planned first (storage_plan.h). The old allocations go; new ones are at the
// beginning of the function or of the thread, and every buffer on them becomes one on the memory that it shares:
//
//   for i in range(16):                  A = T.decl_buffer((16,))
//       A = T.decl_buffer((16,))         for i in range(16):
//       A[0] = B[i]                 ->       A[0] = B[i]
//       C[i] = A[0]                          C[i] = A[0]
//
// Pointers to memory that is only accessed as vectors become pointers to vectors.
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/storage/pointer_value_type_rewrite.h"
#include "lib/tir/transforms/utils/address_of.h"
#include "lib/tir/transforms/utils/storage_plan.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kVectorized{"storage-rewrite-vectorized", Severity::kError,
                                     "tir.StorageRewrite: a vectorized loop is left: run tir.VectorizeLoop first"};
constexpr DiagnosticKind kSpecialSize{"storage-rewrite-size", Severity::kError,
                                      "tir.StorageRewrite: memory of scope {} must have literal extents"};
constexpr DiagnosticKind kTooLarge{"storage-rewrite-limit", Severity::kError,
                                   "tir.StorageRewrite: {} bits are allocated in {}, which has {}"};
constexpr DiagnosticKind kOffset{"storage-rewrite-offset", Severity::kError,
                                 "tir.StorageRewrite: elements of {} bits do not fit at an offset of {} bits"};

// An allocation of the new program.
struct NewAllocation {
  PrimExpr var;
  DataType type;
  std::vector<PrimExpr> extents;
  PrimExpr condition;
  ObjectId annotations;
  // A declaration that comes along; none if there is none.
  BufferId declared;
};

class StorageRewriter : public Rewriter {
 public:
  explicit StorageRewriter(const PrimFunc& func) : Rewriter(func), analyzer_(func.terms()), root_(func.body().id()) {
    LinearOptions options;
    const absl::flat_hash_set<StmtId> bound = CollectBound();
    options.follows = [bound](const Allocate& alloc) { return !bound.contains(alloc.id()); };
    accesses_ = LinearizeAccesses(func, options, fault());
    if (failed()) return;
    plan_ = PlanStorage(func, accesses_, fault());
    if (!failed()) PrepareAllocations();
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    if (const auto loop = stmt.As<For>(); loop && loop->for_kind() == ForKind::kVectorized) {
      Fail(MakeDiagnostic(kVectorized, stmt.range()));
    }
    if (const auto alloc = stmt.As<Allocate>(); alloc && accesses_.allocations.contains(alloc->buffer_var())) {
      return Instead(stmt, alloc->body());
    }
    if (const auto decl = stmt.As<DeclBuffer>()) {
      if (hoisted_.contains(decl->buffer()) || !accesses_.accessed.contains(decl->buffer())) {
        return Instead(stmt, decl->body());
      }
    }
    return Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (const auto found = attached_.find(stmt.id()); found != attached_.end()) {
      parts.stmts[0] = Attach(found->second, parts.stmts[0]);
    }
    StmtId made;
    if (const auto store = stmt.As<BufferStore>()) {
      made = LeaveStore(*store, parts);
    } else if (const auto attr = stmt.As<AttrStmt>(); attr && attr->node().expr()) {
      const StorageEntry* entry = EntryOf(attr->node().expr());
      made = entry == nullptr ? Rewriter::Leave(stmt, parts)
                              : builder().Attr(placed_.at(entry).var, attr->key(), parts.exprs[0], parts.stmts[0]);
    } else {
      made = Rewriter::Leave(stmt, parts);
    }
    return stmt.id() == root_ ? Attach(attached_[StmtId()], made) : made;
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    if (const StorageEntry* entry = terms().is_var(old) ? EntryOf(old) : nullptr) return PointerTo(*entry);
    if (terms().IsCall(made, access_ptr_)) return RewriteAccessPtr(old, made);
    if (terms().kind(made) != PrimKind::kBufferLoad) return Rewriter::RewriteNode(old, made);
    const BufferId buffer = terms().buffer(made);
    std::vector<PrimExpr> indices(terms().operands(made).begin(), terms().operands(made).end());
    Shift(buffer, indices);
    return terms().BufferLoad(RewriteBuffer(buffer), indices, terms().dtype(made));
  }

  auto RewriteBuffer(BufferId id) -> BufferId override {
    const StorageEntry* entry = EntryOf(tables().buffer(id).data);
    if (entry == nullptr) return id;
    BufferId& made = buffers_[id];
    if (made) return made;
    Buffer buffer = tables().buffer(id);
    buffer.data = placed_.at(entry).var;
    buffer.name = terms().var(buffer.data).name;
    return made = tables().Add(std::move(buffer));
  }

 private:
  // The location of an entry's memory: a variable, and an offset.
  struct Place {
    PrimExpr var;
    uint64_t bits_offset = 0;
  };

  auto Instead(Stmt stmt, Stmt body) -> Descent {
    if (stmt.id() == root_) root_ = body.id();
    return Descent::Instead(body);
  }

  // Allocations whose extents use variables that are not yet defined at the target position.
  auto CollectBound() const -> absl::flat_hash_set<StmtId> {
    absl::flat_hash_set<StmtId> bound;
    // The open definitions by loops and lets, and where the current thread scope begins among them.
    std::vector<PrimExpr> defined;
    absl::flat_hash_map<PrimExpr, size_t> positions;
    size_t scope_begin = 0;
    StmtId scope;
    const auto is_scope = [&](Stmt stmt) {
      const auto loop = stmt.As<For>();
      const auto attr = stmt.As<AttrStmt>();
      return (loop && loop->for_kind() == ForKind::kParallel) || (attr && attr->key_text() == "thread_extent");
    };
    Walk(
        func().body(),
        [&](Stmt stmt) {
          PrimExpr var;
          if (const auto loop = stmt.As<For>()) var = loop->loop_var();
          if (const auto let = stmt.As<LetStmt>()) var = let->var();
          if (var) {
            positions[var] = defined.size();
            defined.push_back(var);
          }
          if (!scope && is_scope(stmt)) {
            scope = stmt.id();
            scope_begin = defined.size();
          }
          if (const auto alloc = stmt.As<Allocate>()) {
            for (const PrimExpr extent : alloc->extents()) {
              const bool uses = arith::UsesVar(terms(), extent, [&](PrimExpr used) {
                const auto found = positions.find(used);
                return found != positions.end() && found->second >= scope_begin;
              });
              if (uses) bound.insert(stmt.id());
            }
          }
          return true;
        },
        [&](Stmt stmt) {
          if (stmt.is(StmtKind::kFor) || stmt.is(StmtKind::kLet)) {
            positions.erase(defined.back());
            defined.pop_back();
          }
          if (scope == stmt.id()) {
            scope = {};
            scope_begin = 0;
          }
        });
    return bound;
  }

  auto EntryOf(PrimExpr data) const -> const StorageEntry* {
    const auto found = plan_.by_var.find(data);
    return found == plan_.by_var.end() ? nullptr : found->second;
  }

  auto AllocOf(StmtId id) const -> Allocate { return Allocate(func().stmt(id)); }

  auto ScopeText(const StorageEntry& entry) const -> std::string_view {
    return ScopeOf(terms(), func().context(), AllocOf(entry.allocs[0]).buffer_var());
  }

  void CheckLimit(const StorageEntry& entry, uint64_t bits) {
    const MemoryInfo* memory = FindMemoryInfo(ScopeText(entry));
    if (memory == nullptr || bits <= memory->max_bits || failed()) return;
    Fail(MakeDiagnostic(kTooLarge, AllocOf(entry.allocs[0]).range(), bits, ScopeText(entry), memory->max_bits));
  }

  void PrepareAllocations() {
    // In a scope, all memory of one special kind is one allocation: its first entry with the others after it.
    absl::flat_hash_map<StmtId, std::vector<StorageEntry*>> by_scope;
    for (const auto& entry : plan_.entries) by_scope[entry->attach].push_back(entry.get());
    for (const auto& entry : plan_.entries) {
      std::vector<StorageEntry*> children;
      if (IsSpecialMemory(entry->scope)) {
        if (entry->bits == 0) {
          Fail(MakeDiagnostic(kSpecialSize, AllocOf(entry->allocs[0]).range(), ScopeText(*entry)));
          return;
        }
        if (placed_.contains(entry.get())) continue;
        for (StorageEntry* other : by_scope[entry->attach]) {
          if (other != entry.get() && other->scope == entry->scope && other->bits != 0) children.push_back(other);
        }
      }
      placed_[entry.get()] = {AllocOf(entry->allocs[0]).buffer_var()};
      attached_[entry->attach].push_back(children.empty() ? Plain(*entry) : Merged(*entry, children));
    }
  }

  auto Plain(const StorageEntry& entry) -> NewAllocation {
    const Allocate first = AllocOf(entry.allocs[0]);
    DataType type = first.dtype();
    for (const StmtId id : entry.allocs) {
      if (AllocOf(id).dtype().lanes > type.lanes) type = AllocOf(id).dtype();
    }
    const bool identical = std::ranges::all_of(entry.allocs, [&](StmtId id) {
      return AllocOf(id).dtype() == first.dtype() && std::ranges::equal(AllocOf(id).extents(), first.extents());
    });
    CheckLimit(entry, entry.bits);
    NewAllocation made{first.buffer_var(), type, {}, terms().Bool(true), first.annotations(), {}};
    if (!identical) {
      made.extents = {CommonExtent(entry, type)};
      return made;
    }
    made.extents.assign(first.extents().begin(), first.extents().end());
    made.condition = first.condition();
    // A nested declaration may be for different memory.
    const auto decl = first.body().As<DeclBuffer>();
    if (decl && EntryOf(tables().buffer(decl->buffer()).data) == &entry) {
      made.declared = RewriteBuffer(decl->buffer());
      hoisted_.insert(decl->buffer());
    }
    return made;
  }

  // Returns the number of elements of the type that hold the largest allocation.
  auto CommonExtent(const StorageEntry& entry, DataType type) -> PrimExpr {
    PrimExpr size;
    for (const StmtId id : entry.allocs) {
      const Allocate alloc = AllocOf(id);
      const int64_t bits = int64_t{alloc.dtype().bits} * alloc.dtype().lanes;
      PrimExpr extent = alloc.extents()[0];
      if (const auto literal = terms().AsInt(extent); literal && *literal > INT32_MAX / bits) {
        extent = terms().IntImm(DataType::Int(64), *literal);
      }
      const PrimExpr total = arith::Mul(terms(), extent, arith::MakeConst(terms(), terms().dtype(extent), bits));
      size = size ? arith::Max(terms(), size, total) : total;
    }
    const PrimExpr unit = arith::MakeConst(terms(), terms().dtype(size), int64_t{type.bits} * type.lanes);
    const PrimExpr rest = arith::FloorMod(terms(), size, unit);
    const bool divides = analyzer_.CanProve(arith::Eq(terms(), rest, arith::MakeZero(terms(), terms().dtype(rest))));
    PrimExpr extent = arith::FloorDiv(terms(), size, unit);
    if (!divides) extent = arith::Add(terms(), extent, terms().Int32(1));
    return analyzer_.Simplify(extent);
  }

  auto Merged(const StorageEntry& entry, const std::vector<StorageEntry*>& children) -> NewAllocation {
    const Allocate first = AllocOf(entry.allocs[0]);
    const MemoryInfo* memory = FindMemoryInfo(ScopeText(entry));
    const uint64_t align = memory != nullptr ? memory->simd_bits : 32;
    const auto aligned = [&](uint64_t bits) { return (bits + align - 1) / align * align; };
    uint64_t total = aligned(entry.bits);
    for (const StorageEntry* child : children) {
      placed_[child] = {first.buffer_var(), total};
      total = aligned(total + child->bits);
    }
    CheckLimit(entry, total);
    const uint64_t unit = uint64_t{entry.element.bits} * entry.element.lanes;
    const DataType index = terms().dtype(first.extents()[0]);
    const PrimExpr extent = arith::MakeConst(terms(), index, static_cast<int64_t>((total + unit - 1) / unit));
    return {first.buffer_var(), entry.element, {extent}, terms().Bool(true), {}, {}};
  }

  // Returns the allocations around the body, the first one outermost.
  auto Attach(const std::vector<NewAllocation>& allocations, StmtId body) -> StmtId {
    for (size_t i = allocations.size(); i-- > 0;) {
      const NewAllocation& alloc = allocations[i];
      if (alloc.declared) body = builder().DeclBuffer(alloc.declared, body);
      body = builder().Allocate(alloc.var, alloc.type, alloc.extents, alloc.condition, body, alloc.annotations);
    }
    return body;
  }

  auto LeaveStore(BufferStore store, Parts parts) -> StmtId {
    std::vector<PrimExpr> indices(parts.exprs.begin() + 1, parts.exprs.end());
    Shift(store.buffer(), indices);
    return builder().Store(RewriteBuffer(store.buffer()), parts.exprs[0], indices);
  }

  void Shift(BufferId id, std::vector<PrimExpr>& indices) {
    const Buffer& buffer = tables().buffer(id);
    const StorageEntry* entry = EntryOf(buffer.data);
    if (entry == nullptr || indices.empty()) return;
    indices.back() = Shifted(placed_.at(entry).bits_offset, buffer.dtype.bits, indices.back());
  }

  auto Shifted(uint64_t offset, uint64_t element_bits, PrimExpr index) -> PrimExpr {
    if (offset == 0) return index;
    if (offset % element_bits != 0) Fail(MakeDiagnostic(kOffset, {}, element_bits, offset));
    const auto elements = static_cast<int64_t>(offset / element_bits);
    const DataType type = terms().dtype(index);
    return arith::Add(terms(), arith::MakeConst(terms(), type, elements), index);
  }

  // Returns a pointer that is used by itself: to the first element of what may be a part of a larger allocation.
  auto PointerTo(const StorageEntry& entry) -> PrimExpr {
    const Place& place = placed_.at(&entry);
    if (place.bits_offset == 0) return place.var;
    const DataType type = AllocOf(entry.allocs[0]).dtype();
    return AddressOf(tables(), place.var, type,
                     Shifted(place.bits_offset, uint64_t{type.bits} * type.lanes, terms().Int32(0)));
  }

  auto RewriteAccessPtr(PrimExpr old, PrimExpr made) -> PrimExpr {
    const StorageEntry* entry = EntryOf(terms().operand(old, 1));
    if (entry == nullptr) return made;
    const DataType type = terms().dtype(terms().operand(made, 0));
    std::vector<PrimExpr> args(terms().operands(made).begin(), terms().operands(made).end());
    args[1] = placed_.at(entry).var;
    args[2] = Shifted(placed_.at(entry).bits_offset, uint64_t{type.bits} * type.lanes, args[2]);
    return terms().WithOperands(made, args);
  }

  arith::Analyzer analyzer_;
  // The statement that is the body of the new function, without allocations around it.
  StmtId root_;
  LinearAccesses accesses_;
  StoragePlan plan_;
  absl::flat_hash_map<const StorageEntry*, Place> placed_;
  absl::flat_hash_map<StmtId, std::vector<NewAllocation>> attached_;
  absl::flat_hash_map<BufferId, BufferId> buffers_;
  // Buffers whose declaration has moved with the allocation.
  absl::flat_hash_set<BufferId> hoisted_;
  arith::CallOpId access_ptr_ = terms().Intrinsic("tir.tvm_access_ptr"_intrin);
};

struct StorageRewritePass {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    RELAYOPT_TRY(std::optional<PrimFunc> made, StorageRewriter(func).RunOrFail());
    const PointerTypeOptions options{.allow_untyped_pointers = true,
                                     .rewrite_params = false,
                                     .rewrite_allocate_const = false,
                                     .shuffle_scalar_reads = false};
    RELAYOPT_TRY(std::optional<PrimFunc> typed, RewritePointerTypes(made ? *made : func, options));
    return typed ? std::move(typed) : std::move(made);
  }
};

}  // namespace

constinit const PassDef kStorageRewritePass = DescribePass<StorageRewritePass>({
    .name = "tir.StorageRewrite",
    .summary = "Move allocations out of loops, and share memory between those with disjoint lifetimes",
    .details = R"(  for i in range(16):                  A = T.decl_buffer((16,))
      A = T.decl_buffer((16,))         for i in range(16):
      A[0] = B[i]                 ->       A[0] = B[i]
      C[i] = A[0]                          C[i] = A[0]

Allocations move to the beginning of the function, of the outermost thread or of the parallel loop around them. Memory with a tag of
its own becomes one allocation. Allocations that nobody accesses go. Then pointers change their type as by
tir.PointerValueTypeRewrite.)",
    .aliases = "tir.transform.StorageRewrite",
});

}  // namespace relayopt::tir
