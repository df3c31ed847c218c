// SplitHostDevice: code for a device becomes a function of its own, which the host calls.
//
// The body of an attribute "target" (see tir.AnnotateDeviceRegions) becomes the body of a new function; what it uses
// and does not define are the parameters, pointers first, then by name:
//
//   def main(n: T.int32):                  def main_kernel(n: T.int32):
//       with T.attr(T.target("cuda"),          T.evaluate(n)
//                   "target", 0):     ->
//           T.evaluate(n)                  def main(n: T.int32):
//                                              Module.main_kernel(n)
//
// Devices that can report an error return its code, which the host checks. The functions share variables then, so
// ConvertSSA ends the pass.
#include <fmt/core.h>

#include <algorithm>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/simplify/convert_ssa.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/module/functions.h"
#include "relayopt/tir/analysis/undefined.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetNode{"split-target", Severity::kError,
                                       "the attribute \"target\" must be about a target"};

// Names of functions that the module does not have.
class FreshNames {
 public:
  explicit FreshNames(const Module& module) {
    for (const GlobalId id : module.ids()) taken_.insert(std::string(module.name(id)));
  }

  auto Make(std::string base) -> std::string {
    std::ranges::replace(base, '.', '_');
    std::string name = base;
    while (!taken_.insert(name).second) name = fmt::format("{}_{}", base, ++counts_[base]);
    return name;
  }

 private:
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int> counts_;
};

struct Kernel {
  std::string name;
  PrimFunc function;
};

// Whether functions for such a device return an error code.
auto CanReportErrors(int device) -> bool {
  return device == kCpuDevice || device == kExtDevice || device == kHexagonDevice;
}

class HostDeviceSplitter : public Rewriter {
 public:
  HostDeviceSplitter(const PrimFunc& func, std::string base, FreshNames& names, std::vector<Kernel>& kernels)
      : Rewriter(func), base_(std::move(base)), names_(names), kernels_(kernels) {}

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Enter(Stmt stmt) -> Descent override {
    const auto attr = stmt.As<AttrStmt>();
    if (!attr || attr->key_text() != "target") return Descent::Into();
    const std::optional<TargetView> target = TargetView::Of(context(), attr->node().object());
    if (!target) {
      Fail(MakeDiagnostic(kNoTargetNode, stmt.range()));
      return Descent::Done({});
    }
    return Descent::Done(Split(*target, attr->body()));
  }

 private:
  auto Split(const TargetView& target, Stmt body) -> StmtId {
    const Undefined undefined = FindUndefined(body, {}, {.visit_thread_extent = false});
    std::vector<PrimExpr> params = undefined.vars;
    const auto rank = [this](PrimExpr var) {
      return std::pair(!arith::IsHandle(terms().dtype(var)), context().text(terms().var(var).name));
    };
    std::ranges::stable_sort(params, {}, rank);
    const bool reports = CanReportErrors(target.device_type());
    const std::string name = names_.Make(base_);
    kernels_.push_back({name, MakeKernel(target, body, params, undefined.buffers, reports)});
    return MakeCall(name, params, reports);
  }

  auto MakeKernel(const TargetView& target, Stmt body, const std::vector<PrimExpr>& params,
                  std::span<const BufferId> buffers, bool reports) -> PrimFunc {
    StmtBuilder kernel(context());
    StmtId whole = kernel.CopyTree(body);
    if (reports) {
      const PrimExpr zero = terms().Int32(0);
      const PrimExpr ret = terms().Call(DataType::Int(32), terms().Intrinsic("tir.ret"_intrin), {zero});
      whole = kernel.Seq({whole, kernel.Evaluate(ret)});
    }
    for (const BufferId buffer : buffers) whole = kernel.DeclBuffer(buffer, whole);
    PrimFuncInfo info;
    info.params = params;
    if (reports) info.ret_type = VarType::Prim(DataType::Int(32));
    PrimFunc made(std::move(info), kernel.Finish(whole));
    const ObjectId yes = context().AddInt(1, DataType::Bool());
    made.SetAttr("target", target.WithHost({}));
    made.SetAttr("tir.noalias", yes);
    made.SetAttr("tir.is_global_func", yes);
    return made;
  }

  auto MakeCall(const std::string& name, std::span<const PrimExpr> args, bool reports) -> StmtId {
    const arith::CallOpId kernel = terms().GlobalFunction(name);
    if (!reports) return builder().Evaluate(terms().Call(DataType::Void(), kernel, args));
    const PrimExpr code = terms().Var("kernel_error_code", DataType::Int(32));
    const PrimExpr ok = arith::Eq(terms(), code, terms().Int32(0));
    const PrimExpr message = terms().StringImm("Error executing compute kernel");
    return builder().Let(code, terms().Call(DataType::Int(32), kernel, args),
                         builder().Assert(ok, message, builder().NoOp()));
  }

  std::string base_;
  FreshNames& names_;
  std::vector<Kernel>& kernels_;
};

struct SplitHostDevice {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    FreshNames names(module);
    std::vector<Kernel> kernels;
    Module result = module;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      const StringId symbol = func.StringAttr("global_symbol");
      const std::string_view base = symbol ? module.context().text(symbol) : module.name(id);
      RELAYOPT_TRY(std::optional<PrimFunc> made,
                   HostDeviceSplitter(func, fmt::format("{}_kernel", base), names, kernels).RunOrFail());
      if (made) result.SetFunction(id, std::make_shared<const PrimFunc>(*std::move(made)));
    }
    for (Kernel& kernel : kernels) {
      result.SetFunction(result.NameGlobal(kernel.name), std::make_shared<const PrimFunc>(std::move(kernel.function)));
    }
    if (std::optional<Module> single = ConvertSSA(result)) return single;
    return kernels.empty() ? std::nullopt : std::optional(std::move(result));
  }
};

}  // namespace

constinit const PassDef kSplitHostDevicePass = DescribePass<SplitHostDevice>({
    .name = "tir.SplitHostDevice",
    .summary = "Move device code into functions of its own",
    .details = R"(  def main(n: T.int32):                  def main_kernel(n: T.int32):
      with T.attr(T.target("cuda"),          T.evaluate(n)
                  "target", 0):     ->
          T.evaluate(n)                  def main(n: T.int32):
                                             Module.main_kernel(n)

What a region uses and does not define are the parameters: pointers first, then by name. tir.ConvertSSA ends the pass.)",
    .aliases = "tir.transform.SplitHostDevice",
});

}  // namespace relayopt::tir
