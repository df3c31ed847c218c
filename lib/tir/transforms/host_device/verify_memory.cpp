// VerifyMemory: a check that the host does not touch the memory of a device.
//
// A function for a device such as cuda accesses its arguments inside of launched threads only. Arguments are the data
// of bound buffers, parameters, and what lets take out of parameters with `tvm_struct_get`.
//
//   A: T.Buffer((16,), "float32")         target cuda
//   A[0] = T.float32(0)                   error: nothing launches a thread around it
#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetToVerify{"memory-target", Severity::kError,
                                           "VerifyMemory: the function @{} has no attribute target"};
constexpr DiagnosticKind kHostAccess{
    "memory-host-access", Severity::kError,
    "RuntimeError: Memory verification failed with the following errors:\n{}  Did you forget to bind?"};

// Whether kernels have memory of their own there, by the numbers of DLPack: cuda, opencl, vulkan, metal, rocm, aocl,
// sdaccel, opengl. As TVM: not webgpu and hexagon.
auto HasOwnMemory(int device_type) -> bool {
  constexpr int kDevices[] = {2, 4, 7, 8, 10, 32, 33, 34};
  return std::ranges::find(kDevices, device_type) != std::end(kDevices);
}

class MemoryVerifier {
 public:
  explicit MemoryVerifier(const PrimFunc& func) : func_(func), terms_(func.terms()) {
    for (const PrimExpr param : func.params()) from_arguments_.insert(param);
    for (const BufferBinding& binding : func.buffer_map()) {
      from_arguments_.insert(func.tables().buffer(binding.buffer).data);
    }
  }

  auto Run() -> std::optional<Diagnostic> {
    Walk(
        func_.body(),
        [&](Stmt stmt) {
          const auto attr = stmt.As<AttrStmt>();
          const bool threads =
              attr && (attr->key_text() == "thread_extent" || attr->key_text() == "pipeline_exec_scope");
          // As TVM: the extent is not looked at.
          if (threads) return false;
          if (const auto store = stmt.As<BufferStore>()) See(stmt, store->buffer());
          for (const PrimExpr expr : stmt.exprs()) Loads(stmt, expr);
          if (const auto let = stmt.As<LetStmt>()) Define(*let);
          return true;
        },
        [](Stmt) {});
    if (accesses_.empty()) return std::nullopt;
    return MakeDiagnostic(kHostAccess, first_, accesses_);
  }

 private:
  void Define(const LetStmt& let) {
    const PrimExpr value = let.value();
    if (terms_.IsCall(value, struct_get_) && from_arguments_.contains(terms_.operand(value, 0))) {
      from_arguments_.insert(let.var());
    }
  }

  void Loads(Stmt stmt, PrimExpr expr) {
    if (terms_.operands(expr).empty()) return;
    for (const PrimExpr part : arith::PostOrder(terms_, expr)) {
      if (terms_.kind(part) == PrimKind::kBufferLoad) See(stmt, terms_.buffer(part));
    }
  }

  void See(Stmt stmt, BufferId buffer) {
    const PrimExpr data = func_.tables().buffer(buffer).data;
    if (!from_arguments_.contains(data)) return;
    if (accesses_.empty()) first_ = stmt.range();
    // As TVM: nothing closes the parenthesis.
    accesses_ += fmt::format(
        "    Variable `{}` is directly accessed by host memory (it is not contained in a thread environment or in the "
        "function arguments.\n",
        func_.context().text(terms_.var(data).name));
  }

  const PrimFunc& func_;
  Terms& terms_;
  arith::CallOpId struct_get_ = terms_.Intrinsic("tir.tvm_struct_get"_intrin);
  absl::flat_hash_set<PrimExpr> from_arguments_;
  // A line for each access, and the place of the first one.
  std::string accesses_;
  SourceRange first_;
};

struct VerifyMemoryPass {
  auto Run(const Module& module, GlobalId id, const PrimFunc& func, PassContext&) const
      -> Result<std::optional<PrimFunc>> {
    const std::optional<TargetView> target = TargetView::Of(func);
    if (!target) return MakeDiagnostic(kNoTargetToVerify, module.global(id).range, module.name(id));
    if (func.IntAttr("calling_conv") != 0 || !HasOwnMemory(target->device_type())) return std::optional<PrimFunc>();
    if (std::optional<Diagnostic> fault = MemoryVerifier(func).Run()) return *std::move(fault);
    return std::optional<PrimFunc>();
  }
};

}  // namespace

constinit const PassDef kVerifyMemoryPass = DescribePass<VerifyMemoryPass>({
    .name = "tir.VerifyMemory",
    .summary = "Check that the host does not access device memory",
    .details =
        R"(A function whose target is a device with memory of its own (cuda, rocm, opencl, vulkan, metal and the like) may access
its arguments only where threads are launched. Functions for the host pass.)",
    .aliases = "tir.transform.VerifyMemory",
    .idempotent = true,
});

}  // namespace relayopt::tir
