// VerifyGPUCode: whether the kernels of a program fit a device.
//
// A kernel is an outermost attribute that launches threads. Its threads, the memory that it allocates and the lengths
// of its vectors are compared with limits.
#include <array>

#include "lib/tir/transforms/passes.h"
#include "relayopt/arith/walk.h"
#include "relayopt/tir/analysis/storage_scope.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kExceeds{"gpu-limit", Severity::kError, "{} is {}, and the limit is {}"};
constexpr DiagnosticKind kThreadDiffers{"gpu-thread-extent", Severity::kError,
                                        "{} has the extent {} here, and {} in an earlier launch"};
constexpr DiagnosticKind kNotLiteral{"gpu-thread-literal", Severity::kError, "the extent of {} is not a literal"};

constexpr int64_t kUnlimited = INT64_MAX;

struct GpuLimits {
  int64_t max_local_memory_per_block = kUnlimited;
  int64_t max_shared_memory_per_block = kUnlimited;
  int64_t max_threads_per_block = kUnlimited;
  int64_t max_thread_x = kUnlimited;
  int64_t max_thread_y = kUnlimited;
  int64_t max_thread_z = kUnlimited;
  int64_t max_vthread = kUnlimited;
  int64_t max_vector_bytes = kUnlimited;
  int64_t max_kernels = kUnlimited;
  static constexpr OptionValues kLimit = {.min = 0};
  static constexpr auto Fields() {
    return std::array{
        Option<&GpuLimits::max_local_memory_per_block>("bytes of local memory", kLimit),
        Option<&GpuLimits::max_shared_memory_per_block>("bytes of shared memory", kLimit),
        Option<&GpuLimits::max_threads_per_block>("threads of a block", kLimit),
        Option<&GpuLimits::max_thread_x>("extent of threadIdx.x", kLimit),
        Option<&GpuLimits::max_thread_y>("extent of threadIdx.y", kLimit),
        Option<&GpuLimits::max_thread_z>("extent of threadIdx.z", kLimit),
        Option<&GpuLimits::max_vthread>("extent of virtual threads", kLimit),
        Option<&GpuLimits::max_vector_bytes>("bytes of a vector", kLimit),
        Option<&GpuLimits::max_kernels>("kernels of a function", kLimit),
    };
  }
};

class GpuVerifier {
 public:
  GpuVerifier(const PrimFunc& func, const GpuLimits& limits) : func_(func), terms_(func.terms()), limits_(limits) {}

  auto Run() -> std::optional<Diagnostic> {
    Walk(
        func_.body(),
        [&](Stmt stmt) {
          Enter(stmt);
          return !fault_;
        },
        [&](Stmt stmt) {
          if (kernel_ == stmt.id()) EndKernel(stmt);
        });
    return std::move(fault_);
  }

 private:
  void Limit(Stmt stmt, std::string_view what, int64_t value, int64_t limit) {
    if (value > limit && !fault_) fault_ = MakeDiagnostic(kExceeds, stmt.range(), what, value, limit);
  }

  static auto Bytes(DataType type) -> int64_t { return (int64_t{type.bits} + 7) / 8 * type.lanes; }

  void Enter(Stmt stmt) {
    if (const auto attr = stmt.As<AttrStmt>()) EnterThread(*attr);
    if (const auto alloc = stmt.As<Allocate>()) EnterAllocate(*alloc);
    if (const auto loop = stmt.As<For>()) {
      // Made of a virtual thread; the dot is lost in text.
      const std::string_view name = NameOf(loop->loop_var());
      if (name == "vthread.s" || name == "vthread_s") CheckVirtual(*loop, loop->extent());
    }
    if (const auto store = stmt.As<BufferStore>()) {
      CheckVector(stmt, terms_.dtype(store->value()));
      CheckIndices(stmt, store->indices());
    }
    TermVisitor visitor(terms_);
    for (const PrimExpr expr : stmt.exprs()) {
      visitor.Visit(expr, [&](PrimExpr e) {
        const PrimKind kind = terms_.kind(e);
        if (kind == PrimKind::kCast || kind == PrimKind::kBufferLoad) CheckVector(stmt, terms_.dtype(e));
        if (kind == PrimKind::kBufferLoad) CheckIndices(stmt, terms_.operands(e));
      });
    }
  }

  void CheckVector(Stmt stmt, DataType type) {
    if (type.lanes > 1) Limit(stmt, "the number of bytes of a vector", Bytes(type), limits_.max_vector_bytes);
  }

  // Vectors of elements that are apart need a vector of their indices.
  template <typename Indices>
  void CheckIndices(Stmt stmt, const Indices& indices) {
    for (const PrimExpr index : indices) {
      if (terms_.kind(index) != PrimKind::kRamp || terms_.IsInt(terms_.operand(index, 1), 1)) continue;
      Limit(stmt, "the number of bytes of a vector of indices", Bytes(terms_.dtype(index)), limits_.max_vector_bytes);
    }
  }

  auto NameOf(PrimExpr var) const -> std::string_view { return func_.context().text(terms_.var(var).name); }

  void CheckVirtual(Stmt stmt, PrimExpr extent) {
    if (const auto literal = terms_.AsInt(extent)) {
      Limit(stmt, "the extent of vthread", *literal, limits_.max_vthread);
    } else if (!fault_) {
      fault_ = MakeDiagnostic(kNotLiteral, stmt.range(), "vthread");
    }
  }

  void EnterThread(AttrStmt attr) {
    if (!attr.launched_thread()) return;
    if (!kernel_) {
      kernel_ = attr.id();
      local_ = shared_ = 0;
      threads_ = 1;
      extents_ = {};
      Limit(attr, "the number of kernels", ++kernels_, limits_.max_kernels);
    }
    const std::string_view name = func_.context().text(func_.tables().iter_var(attr.node().iter_var()).thread_tag);
    if (name == "vthread") return CheckVirtual(attr, attr.value());
    const std::pair<std::string_view, int64_t> axes[] = {{"threadIdx.x", limits_.max_thread_x},
                                                         {"threadIdx.y", limits_.max_thread_y},
                                                         {"threadIdx.z", limits_.max_thread_z}};
    for (size_t i = 0; i < std::size(axes); ++i) {
      if (name != axes[i].first) continue;
      const auto extent = terms_.AsInt(attr.value());
      if (!extent) {
        if (!fault_) fault_ = MakeDiagnostic(kNotLiteral, attr.range(), name);
        return;
      }
      if (extents_[i] == 0) {
        extents_[i] = *extent;
        if (__builtin_mul_overflow(threads_, *extent, &threads_)) threads_ = INT64_MAX;
        Limit(attr, fmt::format("the extent of {}", name), *extent, axes[i].second);
      } else if (extents_[i] != *extent && !fault_) {
        fault_ = MakeDiagnostic(kThreadDiffers, attr.range(), name, *extent, extents_[i]);
      }
    }
  }

  void EnterAllocate(const Allocate& alloc) {
    CheckVector(alloc, alloc.dtype());
    int64_t size = Bytes(alloc.dtype());
    for (const PrimExpr extent : alloc.extents()) {
      const auto literal = terms_.AsInt(extent);
      // Unknown sizes count as nothing.
      if (!literal) return;
      if (__builtin_mul_overflow(size, *literal, &size)) size = INT64_MAX / 2;
    }
    const auto scope = ParseStorageScope(ScopeOf(terms_, func_.context(), alloc.buffer_var()));
    if (!scope) return;
    int64_t* sum = scope->rank == StorageRank::kLocal    ? &local_
                   : scope->rank == StorageRank::kShared ? &shared_
                                                         : nullptr;
    if (sum != nullptr && __builtin_add_overflow(*sum, size, sum)) *sum = INT64_MAX;
  }

  void EndKernel(Stmt stmt) {
    kernel_ = {};
    Limit(stmt, "the number of threads of a block", threads_, limits_.max_threads_per_block);
    Limit(stmt, "the number of bytes of local memory", local_, limits_.max_local_memory_per_block);
    Limit(stmt, "the number of bytes of shared memory", shared_, limits_.max_shared_memory_per_block);
  }

  const PrimFunc& func_;
  Terms& terms_;
  const GpuLimits& limits_;
  StmtId kernel_;
  int64_t kernels_ = 0;
  int64_t local_ = 0;
  int64_t shared_ = 0;
  int64_t threads_ = 1;
  // The extents of threadIdx.x, y and z; 0 until they occur.
  std::array<int64_t, 3> extents_ = {};
  std::optional<Diagnostic> fault_;
};

struct VerifyGPUCodePass {
  using Options = GpuLimits;
  Options options;

  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    if (std::optional<Diagnostic> fault = GpuVerifier(func, options).Run()) return *std::move(fault);
    return std::optional<PrimFunc>();
  }
};

}  // namespace

constinit const PassDef kVerifyGPUCodePass = DescribePass<VerifyGPUCodePass>({
    .name = "tir.VerifyGPUCode",
    .summary = "Check that kernels stay below limits of a device",
    .details =
        R"(A kernel is an outermost attribute that launches threads. Its threads, its local and shared memory, the lengths of its
vectors, its virtual threads and the number of kernels are compared with the limits that are given; memory whose size is no
literal counts as none.)",
    .aliases = "tir.transform.VerifyGPUCode",
    .idempotent = true,
});

}  // namespace relayopt::tir
