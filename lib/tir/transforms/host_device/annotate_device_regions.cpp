// AnnotateDeviceRegions: what runs on the device is put into an attribute "target", for SplitHostDevice to find.
//
//   tx = T.launch_thread("threadIdx.x", 8)    ->    with T.attr(T.target({"kind": "cuda", ...}), "target", 0):
//   A[tx] = 0                                           tx = T.launch_thread("threadIdx.x", 8)
//                                                       A[tx] = 0
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetOfRegion{"device-region-target", Severity::kError,
                                           "AnnotateDeviceRegions: the function has no attribute target"};

class RegionAnnotator : public Rewriter {
 public:
  RegionAnnotator(const PrimFunc& func, ObjectId device) : Rewriter(func), device_(device) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Enter(Stmt stmt) -> Descent override {
    const auto attr = stmt.As<AttrStmt>();
    if (!attr) return Descent::Into();
    const std::string_view key = attr->key_text();
    // Regions that are already marked stay as they are.
    if (key == "target") return Descent::Done(builder().CopyTree(stmt));
    if (key != "thread_extent" && key != "pipeline_exec_scope" && key != "device_scope") return Descent::Into();
    return Descent::Done(builder().Attr(device_, "target", terms().Int32(0), builder().CopyTree(stmt)));
  }

 private:
  ObjectId device_;
};

struct AnnotateDeviceRegions {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const std::optional<TargetView> target = TargetView::Of(func);
    if (!target) return MakeDiagnostic(kNoTargetOfRegion, {});
    if (!target->host()) return std::optional<PrimFunc>();
    return RegionAnnotator(func, target->WithHost({})).Run();
  }
};

}  // namespace

constinit const PassDef kAnnotateDeviceRegionsPass = DescribePass<AnnotateDeviceRegions>({
    .name = "tir.AnnotateDeviceRegions",
    .summary = "Mark the regions that run on the device",
    .details =
        R"(  tx = T.launch_thread("threadIdx.x", 8)    ->    with T.attr(T.target({"kind": "cuda", ...}), "target", 0):
  A[tx] = 0                                           tx = T.launch_thread("threadIdx.x", 8)
                                                      A[tx] = 0

The outermost attributes thread_extent, pipeline_exec_scope and device_scope, in functions whose target has a host.)",
    .aliases = "tir.transform.AnnotateDeviceRegions",
    .idempotent = true,
});

}  // namespace relayopt::tir
