// MergeDynamicSharedMemoryAllocations: the dynamic shared memory of a kernel becomes one allocation of bytes.
//
// Allocations that do not live at the same time share memory. A piece of memory is a list of layers that overlay each
// other; the allocations of a layer lie one after the other. A new allocation takes the smallest free piece that is
// large enough as a new layer, else it covers several smaller ones, whose layers are joined:
//
//   A: 64 bytes, B: 32 bytes, both end; C: 96 bytes    ->   piece of 96 bytes: layer [A, B] and layer [C]
//
// Accesses and tvm_access_ptr get the offset in the memory added; other mentions of a pointer become the address of its
// first element there.
#include <algorithm>
#include <list>
#include <map>
#include <memory>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/address_of.h"
#include "lib/tir/transforms/utils/linear_accesses.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kManyDimensions{"merge-shared-dimensions", Severity::kError,
                                         "dynamic shared memory {} is accessed with several indices: run "
                                         "tir.FlattenBuffer first"};

constexpr std::string_view kDynamicShared = "shared.dyn";
constexpr uint64_t kPieceRange = 16;

// Memory for several allocations.
struct SharedPiece {
  std::vector<std::vector<PrimExpr>> layers;
  // In bits; 0 when it is not a literal.
  uint64_t bits = 0;
};

class SharedMemoryMerger : public Rewriter {
 public:
  explicit SharedMemoryMerger(const PrimFunc& func) : Rewriter(func) {
    CollectKernels();
    LinearOptions options;
    options.let_scopes = false;
    options.follows = [this](const Allocate& alloc) { return kernels_.contains(alloc.buffer_var()); };
    accesses_ = LinearizeAccesses(func, options, fault());
    if (!failed()) Plan();
    if (!failed()) PlaceAll();
  }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    if (failed()) return Descent::Done({});
    const auto alloc = stmt.As<Allocate>();
    return alloc && offsets_.contains(alloc->buffer_var()) ? Descent::Instead(alloc->body()) : Descent::Into();
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (const auto found = memories_.find(stmt.id()); found != memories_.end()) {
      parts.stmts[0] = builder().Allocate(found->second.var, DataType::UInt(8), {&found->second.bytes, 1},
                                          terms().Bool(true), parts.stmts[0]);
    }
    if (const auto attr = stmt.As<AttrStmt>(); attr && offsets_.contains(attr->node().expr())) {
      return builder().Attr(MemoryVar(attr->node().expr()), attr->key(), parts.exprs[0], parts.stmts[0]);
    }
    const auto store = stmt.As<BufferStore>();
    if (!store || !offsets_.contains(tables().buffer(store->buffer()).data)) return Rewriter::Leave(stmt, parts);
    std::vector<PrimExpr> indices(parts.exprs.begin() + 1, parts.exprs.end());
    Shift(store->buffer(), indices);
    return builder().Store(RewriteBuffer(store->buffer()), parts.exprs[0], indices);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    // A plain pointer argument of a call is that of the first element, whatever the call adds to it.
    if (offsets_.contains(old)) return AddressOf(tables(), MemoryVar(old), TypeOf(old), InElements(old, TypeOf(old)));
    if (terms().IsCall(made, access_ptr_) && offsets_.contains(terms().operand(old, 1))) {
      std::vector<PrimExpr> args(terms().operands(made).begin(), terms().operands(made).end());
      args[1] = MemoryVar(terms().operand(old, 1));
      const PrimExpr extra = InElements(terms().operand(old, 1), terms().dtype(args[0]));
      args[2] = arith::Add(terms(), extra, args[2]);
      return terms().WithOperands(made, args);
    }
    if (terms().kind(made) != PrimKind::kBufferLoad) return Rewriter::RewriteNode(old, made);
    const BufferId buffer = terms().buffer(made);
    std::vector<PrimExpr> indices(terms().operands(made).begin(), terms().operands(made).end());
    Shift(buffer, indices);
    return terms().BufferLoad(RewriteBuffer(buffer), indices, terms().dtype(made));
  }

  auto RewriteBuffer(BufferId id) -> BufferId override {
    const PrimExpr data = tables().buffer(id).data;
    if (!offsets_.contains(data)) return id;
    BufferId& made = buffers_[id];
    if (made) return made;
    // The view begins at the start of the memory and ends with its own elements.
    Buffer buffer = tables().buffer(id);
    buffer.data = MemoryVar(data);
    if (buffer.ndim() == 1) buffer.shape[0] = arith::Add(terms(), buffer.shape[0], InElements(data, buffer.dtype));
    return made = tables().Add(std::move(buffer));
  }

 private:
  struct Memory {
    PrimExpr var;
    PrimExpr bytes;
  };
  struct Kernel {
    std::vector<std::unique_ptr<SharedPiece>> pieces;
    std::multimap<uint64_t, SharedPiece*> free;
    std::list<SharedPiece*> symbolic;
  };

  // Returns the variable of the memory that an allocation became a part of.
  auto MemoryVar(PrimExpr var) const -> PrimExpr { return memories_.at(kernels_.at(var)).var; }
  auto TypeOf(PrimExpr var) const -> DataType { return AllocOf(var).dtype(); }
  auto AllocOf(PrimExpr var) const -> Allocate { return Allocate(func().stmt(accesses_.allocations.at(var).stmt)); }
  static auto ElementBytes(DataType type) -> int64_t { return (int64_t{type.bits} * type.lanes + 7) / 8; }

  // Allocations of kernels that have several.
  void CollectKernels() {
    absl::flat_hash_map<StmtId, std::vector<PrimExpr>> by_kernel;
    StmtId kernel;
    Walk(
        func().body(),
        [&](Stmt stmt) {
          const auto attr = stmt.As<AttrStmt>();
          if (attr && attr->key_text() == "thread_extent" && !kernel) kernel = stmt.id();
          const auto alloc = stmt.As<Allocate>();
          if (alloc && kernel && ScopeOf(terms(), context(), alloc->buffer_var()) == kDynamicShared) {
            by_kernel[kernel].push_back(alloc->buffer_var());
          }
          return true;
        },
        [&](Stmt stmt) {
          if (stmt.id() == kernel) kernel = {};
        });
    for (const auto& [id, vars] : by_kernel) {
      if (vars.size() < 2) continue;
      for (const PrimExpr var : vars) kernels_[var] = id;
    }
  }

  void Plan() {
    const Liveness liveness = AnalyzeLiveness(accesses_);
    for (const AccessEntry& entry : accesses_.sequence) {
      const auto event = liveness.find(entry.stmt);
      if (event == liveness.end()) continue;
      const auto& [begins, ends] = event->second;
      // Within a statement some threads may still read the memory that ends while others write the memory that begins;
      // between scopes nothing runs.
      if (entry.pair_offset >= 0) {
        for (const PrimExpr var : begins) Find(var);
      }
      if (entry.pair_offset <= 0) {
        for (const PrimExpr var : ends) Free(var);
      }
    }
  }

  void Free(PrimExpr var) {
    SharedPiece& piece = *pieces_.at(var);
    if (piece.bits > 0 && piece.bits <= 32) return;
    Kernel& kernel = state_[kernels_.at(var)];
    if (piece.bits != 0) {
      kernel.free.emplace(piece.bits, &piece);
    } else {
      kernel.symbolic.push_back(&piece);
    }
  }

  void Find(PrimExpr var) {
    Kernel& kernel = state_[kernels_.at(var)];
    const uint64_t bits = ConstantBits(terms(), AllocOf(var));
    SharedPiece* piece = nullptr;
    if (bits > 32) {
      piece = FindSized(kernel, bits);
    } else if (bits == 0 && !kernel.symbolic.empty()) {
      piece = kernel.symbolic.front();
      kernel.symbolic.pop_front();
    }
    if (piece == nullptr) {
      kernel.pieces.push_back(std::make_unique<SharedPiece>());
      piece = kernel.pieces.back().get();
      piece->bits = bits;
    }
    piece->layers.push_back({var});
    pieces_[var] = piece;
  }

  auto FindSized(Kernel& kernel, uint64_t bits) -> SharedPiece* {
    const auto larger = kernel.free.lower_bound(bits);
    if (larger != kernel.free.end() && (larger->first - 1) / kPieceRange < bits) {
      SharedPiece* piece = larger->second;
      kernel.free.erase(larger);
      return piece;
    }
    // Several smaller ones side by side, the largest first.
    SharedPiece* joined = nullptr;
    uint64_t sum = 0;
    for (auto at = larger; at != kernel.free.begin() && sum < bits;) {
      --at;
      SharedPiece* piece = at->second;
      at = kernel.free.erase(at);
      sum += piece->bits;
      joined = joined == nullptr ? piece : Join(kernel, *joined, *piece);
    }
    if (joined != nullptr) joined->bits = std::max(bits, sum);
    return joined;
  }

  // Puts the layers of the second piece after those of the first.
  auto Join(Kernel& kernel, SharedPiece& first, SharedPiece& second) -> SharedPiece* {
    for (size_t i = 0; i < second.layers.size(); ++i) {
      if (i == first.layers.size()) first.layers.emplace_back();
      for (const PrimExpr var : second.layers[i]) {
        first.layers[i].push_back(var);
        pieces_[var] = &first;
      }
    }
    std::erase_if(kernel.pieces, [&](const auto& piece) { return piece.get() == &second; });
    return &first;
  }

  void PlaceAll() {
    for (auto& [kernel, state] : state_) {
      // Small pieces first, those of unknown size last.
      std::ranges::stable_sort(state.pieces, {}, [](const auto& p) { return p->bits == 0 ? UINT64_MAX : p->bits; });
      // All pieces of a layer are padded to the largest element type in it.
      std::vector<int64_t> aligns;
      for (const auto& piece : state.pieces) {
        aligns.resize(std::max(aligns.size(), piece->layers.size()), 1);
        for (size_t i = 0; i < piece->layers.size(); ++i) aligns[i] = std::max(aligns[i], AlignOf(piece->layers[i]));
      }
      PrimExpr total = terms().Int32(0);
      for (const auto& piece : state.pieces) total = Place(*piece, aligns, total);
      const arith::VarType type = arith::VarType::Pointer(DataType::UInt(8), context().Intern(kDynamicShared));
      memories_[kernel] = {terms().Var("buf_dyn_shmem", type), total};
    }
  }

  // Returns the bytes of the largest element.
  auto AlignOf(std::span<const PrimExpr> vars) const -> int64_t {
    int64_t align = 1;
    for (const PrimExpr var : vars) align = std::max(align, ElementBytes(AllocOf(var).dtype()));
    return align;
  }

  auto Aligned(PrimExpr bytes, int64_t align) const -> PrimExpr {
    const PrimExpr unit = terms().Int32(align);
    const PrimExpr rest = arith::Sub(terms(), unit, arith::FloorMod(terms(), bytes, unit));
    return arith::Add(terms(), bytes, arith::FloorMod(terms(), rest, unit));
  }

  // Returns the end of the piece that begins at `begin`, or where its elements are aligned; both in bytes.
  auto Place(const SharedPiece& piece, std::span<const int64_t> aligns, PrimExpr begin) -> PrimExpr {
    int64_t align = 1;
    for (const auto& layer : piece.layers) align = std::max(align, AlignOf(layer));
    begin = Aligned(begin, align);
    PrimExpr size = terms().Int32(0);
    for (size_t i = 0; i < piece.layers.size(); ++i) {
      PrimExpr inner = terms().Int32(0);
      for (const PrimExpr var : piece.layers[i]) {
        offsets_[var] = arith::Add(terms(), begin, inner);
        const Allocate alloc = AllocOf(var);
        PrimExpr bytes = terms().Int32(ElementBytes(alloc.dtype()));
        for (const PrimExpr extent : alloc.extents()) bytes = arith::Mul(terms(), bytes, extent);
        inner = Aligned(arith::Add(terms(), inner, bytes), aligns[i]);
      }
      size = arith::Max(terms(), size, inner);
    }
    return arith::Add(terms(), begin, size);
  }

  auto InElements(PrimExpr var, DataType type) const -> PrimExpr {
    return arith::FloorDiv(terms(), offsets_.at(var), terms().Int32(ElementBytes(type)));
  }

  void Shift(BufferId id, std::vector<PrimExpr>& indices) {
    const Buffer& buffer = tables().buffer(id);
    if (!offsets_.contains(buffer.data)) return;
    if (indices.size() != 1) {
      Fail(MakeDiagnostic(kManyDimensions, {}, context().text(buffer.name)));
      return;
    }
    indices[0] = arith::Add(terms(), indices[0], InElements(buffer.data, buffer.dtype));
  }

  // The kernel of each allocation that is merged.
  absl::flat_hash_map<PrimExpr, StmtId> kernels_;
  LinearAccesses accesses_;
  absl::flat_hash_map<StmtId, Kernel> state_;
  absl::flat_hash_map<PrimExpr, SharedPiece*> pieces_;
  // In bytes.
  VarMap offsets_;
  absl::flat_hash_map<StmtId, Memory> memories_;
  absl::flat_hash_map<BufferId, BufferId> buffers_;
  arith::CallOpId access_ptr_ = terms().Intrinsic("tir.tvm_access_ptr"_intrin);
};

}  // namespace

constinit const PassDef kMergeDynamicSharedMemoryAllocationsPass = DescribePass<RewriterPass<SharedMemoryMerger>>({
    .name = "tir.MergeDynamicSharedMemoryAllocations",
    .summary = "Merge the dynamic shared memory of a kernel into one allocation",
    .details =
        R"(  A = T.allocate([16], "float32", "shared.dyn")    ->    buf_dyn_shmem = T.allocate([128], "uint8", "shared.dyn")
  B = T.allocate([16], "float32", "shared.dyn")          A and B are buffers in it

What does not live at the same time shares memory. A kernel with one such allocation keeps it.)",
    .aliases = "tir.transform.MergeDynamicSharedMemoryAllocations",
});

}  // namespace relayopt::tir
