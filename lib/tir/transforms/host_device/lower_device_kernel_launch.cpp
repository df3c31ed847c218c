// LowerDeviceKernelLaunch: calls of functions for another target become launches of kernels, or external calls.
//
// A call of a function for the same target stays. For a target of the same kind of devices it becomes a call of an
// external function; for another device a packed call of the kernel by its symbol, with the arguments and then the
// extents of the threads and the bytes of dynamic shared memory, as the attributes of the kernel list them:
//
//   Module.main_kernel(A.data)    ->    T.call_packed("main_kernel", A.data, 8)
//
//   def main_kernel(A: ...):            def main_kernel(A: ...):
//       tx = T.launch_thread(...)   ->      T.func_attr({"calling_conv": 2, "tir.kernel_launch_params":
//       ["threadIdx.x"], ...})
#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"
#include "relayopt/arith/walk.h"
#include "relayopt/module/functions.h"
#include "relayopt/tir/ir/calling_convention.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetToLaunch{"kernel-target", Severity::kError,
                                           "LowerDeviceKernelLaunch: the function @{} has no attribute target"};
constexpr DiagnosticKind kTwoDynamic{
    "kernel-shared", Severity::kError,
    "@{} allocates dynamic shared memory several times; only one such allocation is allowed"};
constexpr DiagnosticKind kKernelReturn{"kernel-return", Severity::kError,
                                       "the kernel @{} may return nothing but T.ret(0)"};
constexpr DiagnosticKind kBothWays{
    "kernel-and-extern", Severity::kError,
    "@{} is called from its own kind of device and from another one: it cannot be an external function and a kernel"};
constexpr DiagnosticKind kNoCallee{"kernel-callee", Severity::kError,
                                   "LowerDeviceKernelLaunch: the module has no tensor program @{} to be called"};
constexpr DiagnosticKind kArgumentCount{"kernel-arguments", Severity::kError, "@{} is called with {} arguments for {}"};

constexpr std::string_view kDynamicSharedMemory = "tir.use_dyn_shared_memory";

// How a function can be launched.
struct Launch {
  GlobalId id;
  std::string target;
  int device_type = kCpuDevice;
  StringId symbol;
  std::vector<PrimExpr> params;
  // Tags of threads and their extents, in the order in which they are passed.
  std::vector<std::pair<StringId, PrimExpr>> threads;
  // Bytes; none if there is none.
  PrimExpr dynamic_bytes;
  bool is_kernel = false;
  bool is_extern = false;
};

// The threads that a statement launches, as an attribute or as a loop that tir.LowerOpaqueBlock has not lowered.
auto ThreadOf(Stmt stmt) -> std::pair<IterVarId, PrimExpr> {
  const auto attr = stmt.As<AttrStmt>();
  if (attr && attr->key_text() == "thread_extent") return {attr->node().iter_var(), attr->value()};
  const auto loop = stmt.As<For>();
  if (loop && loop->for_kind() == ForKind::kThreadBinding) return {loop->thread_binding(), loop->extent()};
  return {};
}

auto FindLaunch(const Module& module, GlobalId id, const PrimFunc& func) -> Result<Launch> {
  Context& context = module.context();
  Terms& terms = func.terms();
  const std::optional<TargetView> target = TargetView::Of(func);
  if (!target) return MakeDiagnostic(kNoTargetToLaunch, module.global(id).range, module.name(id));
  const StringId symbol = func.StringAttr("global_symbol");
  Launch launch{.id = id,
                .target = target->ToString(),
                .device_type = target->device_type(),
                .symbol = symbol ? symbol : module.global(id).name,
                .params = {func.params().begin(), func.params().end()}};
  std::optional<Diagnostic> fault;
  const auto enter = [&](Stmt stmt) {
    if (const auto [thread, extent] = ThreadOf(stmt); thread) {
      const StringId tag = func.tables().iter_var(thread).thread_tag;
      const bool known = std::ranges::any_of(launch.threads, [&](const auto& other) { return other.first == tag; });
      if (!known) launch.threads.emplace_back(tag, extent);
    }
    const auto alloc = stmt.As<Allocate>();
    if (alloc && ScopeOf(terms, context, alloc->buffer_var()) == "shared.dyn") {
      if (launch.dynamic_bytes) fault = MakeDiagnostic(kTwoDynamic, stmt.range(), module.name(id));
      PrimExpr bytes = terms.Int32(1);
      for (const PrimExpr extent : alloc->extents()) bytes = arith::Mul(terms, bytes, extent);
      launch.dynamic_bytes = arith::Mul(terms, bytes, terms.Int32(static_cast<int64_t>(alloc->dtype().bytes())));
    }
    return true;
  };
  Walk(func.body(), enter, [](Stmt) {});
  if (fault) return *std::move(fault);
  return launch;
}

using Launches = absl::flat_hash_map<StringId, Launch>;

// Rewrites the calls in one function.
class LaunchRewriter : public Rewriter {
 public:
  LaunchRewriter(const PrimFunc& func, const Launch& caller, Launches& launches)
      : Rewriter(func), caller_(caller), launches_(launches) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    at_ = stmt.range();
    return Descent::Into();
  }
  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    made = Rewriter::RewriteNode(old, made);
    if (terms().kind(made) != PrimKind::kCall) return made;
    const arith::CallOp& op = terms().op(terms().call_op(made));
    if (op.kind != arith::CallOpKind::kGlobal) return made;
    const auto found = launches_.find(op.name);
    if (found == launches_.end()) {
      Fail(MakeDiagnostic(kNoCallee, at_, context().text(op.name)));
      return made;
    }
    if (found->second.target == caller_.target) return made;
    Launch& callee = found->second;
    const auto args = terms().operands(made);
    std::vector<PrimExpr> all;
    if (callee.device_type == caller_.device_type) {
      callee.is_extern = true;
      all.push_back(terms().StringImm(context().text(op.name)));
      all.insert(all.end(), args.begin(), args.end());
      return terms().Call(terms().dtype(made), terms().Intrinsic("tir.call_extern"_intrin), all);
    }
    callee.is_kernel = true;
    if (args.size() != callee.params.size()) {
      Fail(MakeDiagnostic(kArgumentCount, at_, context().text(op.name), args.size(), callee.params.size()));
      return made;
    }
    VarMap map;
    for (size_t i = 0; i < args.size(); ++i) map[callee.params[i]] = args[i];
    all.push_back(terms().StringImm(context().text(callee.symbol)));
    all.insert(all.end(), args.begin(), args.end());
    for (const auto& [tag, extent] : callee.threads) all.push_back(Substitute(terms(), extent, map));
    if (callee.dynamic_bytes) all.push_back(Substitute(terms(), callee.dynamic_bytes, map));
    const DataType type = terms().dtype(made).is_void() ? DataType::Int(32) : terms().dtype(made);
    return terms().Call(type, terms().Intrinsic("tir.tvm_call_packed"_intrin), all);
  }

 private:
  const Launch& caller_;
  Launches& launches_;
  SourceRange at_;
};

// A kernel returns nothing.
class KernelReturns : public Rewriter {
 public:
  explicit KernelReturns(const PrimFunc& func) : Rewriter(func), ret_(terms().Intrinsic("tir.ret"_intrin)) {}

  auto is_faulty() const -> bool { return is_faulty_; }

 protected:
  auto RewriteExpr(Stmt, PrimExpr expr) -> PrimExpr override { return expr; }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    const auto evaluate = stmt.As<Evaluate>();
    if (!evaluate || !terms().IsCall(evaluate->value(), ret_)) return Rewriter::Leave(stmt, parts);
    is_faulty_ = is_faulty_ || !terms().IsInt(terms().operand(evaluate->value(), 0), 0);
    return builder().NoOp();
  }
  void Finish(PrimFuncInfo& info) override { info.ret_type = PrimFuncInfo().ret_type; }

 private:
  arith::CallOpId ret_;
  bool is_faulty_ = false;
};

// Returns the function as its callers see it.
auto AsCallee(const Module& module, const PrimFunc& func, const Launch& launch) -> Result<PrimFunc> {
  Context& context = module.context();
  if (launch.is_kernel && launch.is_extern) return MakeDiagnostic(kBothWays, {}, module.name(launch.id));
  PrimFunc made = func;
  if (launch.is_kernel) {
    KernelReturns returns(func);
    if (std::optional<PrimFunc> without = returns.Run()) made = *std::move(without);
    if (returns.is_faulty()) return MakeDiagnostic(kKernelReturn, {}, module.name(launch.id));
    std::vector<ObjectId> tags;
    tags.reserve(launch.threads.size() + 1);
    for (const auto& [tag, extent] : launch.threads) tags.push_back(context.AddString(context.text(tag)));
    if (launch.dynamic_bytes) tags.push_back(context.AddString(kDynamicSharedMemory));
    made.SetAttr("calling_conv", context.AddInt(kKernelConvention));
    made.SetAttr("tir.kernel_launch_params", context.AddArray(tags));
    made.SetAttr("global_symbol", context.AddString(context.text(launch.symbol)));
  } else if (!func.StringAttr("global_symbol")) {
    made.SetAttr("global_symbol", context.AddString(module.name(launch.id)));
  }
  made.SetAttr("tir.is_global_func", context.AddInt(1, DataType::Bool()));
  return made;
}

struct LowerDeviceKernelLaunch {
  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    Launches launches;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      RELAYOPT_TRY(Launch launch, FindLaunch(module, id, func));
      launches.emplace(module.global(id).name, std::move(launch));
    }
    Module result = module;
    bool changed = false;
    for (const auto& [id, func] : FunctionsOf<PrimFunc>(module)) {
      RELAYOPT_TRY(std::optional<PrimFunc> made,
                   LaunchRewriter(func, launches.at(module.global(id).name), launches).RunOrFail());
      if (!made) continue;
      result.SetFunction(id, std::make_shared<const PrimFunc>(*std::move(made)));
      changed = true;
    }
    for (const GlobalId id : module.ids()) {
      const PrimFunc* func = result.function<PrimFunc>(id);
      if (func == nullptr) continue;
      const Launch& launch = launches.at(module.global(id).name);
      if (!launch.is_kernel && !launch.is_extern) continue;
      RELAYOPT_TRY(PrimFunc made, AsCallee(module, *func, launch));
      result.SetFunction(id, std::make_shared<const PrimFunc>(std::move(made)));
      changed = true;
    }
    return changed ? std::optional(std::move(result)) : std::nullopt;
  }
};

}  // namespace

constinit const PassDef kLowerDeviceKernelLaunchPass = DescribePass<LowerDeviceKernelLaunch>({
    .name = "tir.LowerDeviceKernelLaunch",
    .summary = "Replace calls of functions for other devices by kernel launches",
    .details = R"(  Module.main_kernel(A.data)    ->    T.call_packed("main_kernel", A.data, 8)

The arguments are followed by the extents of the threads and the bytes of dynamic shared memory, in the order of the
kernel's attribute tir.kernel_launch_params. Between targets of one kind of devices a call becomes T.call_extern.)",
    .aliases = "tir.transform.LowerDeviceKernelLaunch",
    .idempotent = true,
});

}  // namespace relayopt::tir
