// How passes run.
#include "relayopt/pass/pass.h"

#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/support/parallel.h"
#include "worker.h"

namespace relayopt {

namespace {

// A module pass made from a callable.
class CallableModulePass final : public ModulePass {
 public:
  using Body = std::function<Result<std::optional<Module>>(const Module&, PassContext&)>;
  CallableModulePass(PassInfo info, Body body) : ModulePass(std::move(info)), body_(std::move(body)) {}
  auto RunOnModule(const Module& module, PassContext& context) const -> Result<std::optional<Module>> override {
    return body_(module, context);
  }

 private:
  Body body_;
};

// A function pass made from a callable.
class CallableFunctionPass final : public FunctionPass {
 public:
  using Body = std::function<Result<std::optional<Function>>(const Module&, GlobalId, const Function&, PassContext&)>;
  CallableFunctionPass(PassInfo info, Body body) : FunctionPass(std::move(info)), body_(std::move(body)) {}
  auto RunOnFunction(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> override {
    return body_(module, id, function, context);
  }

 private:
  Body body_;
};

// Infers types where functions have changed since the last time.
class InferType final : public Pass {
 public:
  InferType() : Pass({0, "InferType", {}}) {}

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    if (context.IsTyped(module)) return false;
    if (!InferTypes(module, context.diagnostics(), context.options().threads))
      return MakeDiagnostic(diag::kPassFailed, {}, info().name);
    context.MarkTyped(module);
    return true;
  }
};

// Warns about a pass that its level keeps from running; nothing when it was switched off by name.
void WarnAboutSkippedPass(const PassInfo& info, PassContext& context) {
  if (!context.options().warn_about_skipped_passes || context.opt_level() >= info.opt_level) return;
  for (const std::string& name : context.options().disabled_pass) {
    if (name == info.name) return;
  }
  context.diagnostics().Report(diag::kPassSkipped, {}, info.name, info.opt_level, context.opt_level(), info.opt_level,
                               info.name);
}

}  // namespace

Pass::~Pass() = default;

auto Pass::operator()(Module module) const -> Result<Module> {
  return (*this)(std::move(module), PassContext::Current());
}

auto Pass::operator()(Module module, PassContext& context) const -> Result<Module> {
  Result<bool> changed = Apply(module, context);
  if (!changed) return std::move(changed).error();
  return module;
}

auto Pass::Apply(Module& module, PassContext& context) const -> Result<bool> {
  if (context.strict_fp() && info_.steps_aside_when_strict) {
    if (context.options().warn_about_skipped_passes)
      context.diagnostics().Report(diag::kPassStepsAside, {}, info_.name);
    return false;
  }
  RELAYOPT_TRY(const bool wanted, context.InstrumentBeforePass(module, info_));
  if (!wanted) return false;
  const size_t errors = context.diagnostics().errors();
  Result<bool> run = Run(module, context);
  if (!run) {
    // Sequences only pass on what their parts have to say.
    if (passes().empty()) run.error().Note(fmt::format("while running {}", info_.name));
    return std::move(run).error();
  }
  const bool changed = *run;
  if (context.diagnostics().errors() != errors) return MakeDiagnostic(diag::kPassFailed, {}, info_.name);
  if (auto error = context.InstrumentAfterPass(module, info_, changed)) return std::move(*error);
  return changed;
}

auto IsSkippedByFunctionPasses(const Function& function) -> bool {
  const ExprId root = function.root();
  return function.StringAttr(root, "Compiler").has_value() || function.IntAttr(root, "Extern") != 0 ||
         function.IntAttr(root, "SkipOptimization") != 0;
}

namespace {

// What a pass made of one function: a function, nothing, or an error.
using FunctionResult = Result<std::optional<Function>>;

auto RunOne(const FunctionPass& pass, const Module& module, GlobalId id, PassContext& context) -> FunctionResult {
  context.EnterFunction(id);
  return pass.RunOnFunction(module, id, *module.function(id), context);
}

// Runs the pass on all functions at once; `take(i, result)` sees the results in the order of the functions, as if they
// had run one after the other, and returns false to stop.
template <typename Take>
void RunInParallel(const FunctionPass& pass, const Module& module, std::span<const GlobalId> ids, PassContext& context,
                   Take&& take) {
  std::vector<std::optional<FunctionResult>> results(ids.size());
  std::vector<std::unique_ptr<Worker>> workers(ids.size());
  ParallelFor(ids.size(), context.options().threads, [&](size_t i) {
    workers[i] = std::make_unique<Worker>(context);
    const WorkerScope scope(*workers[i]);
    results[i] = RunOne(pass, module, ids[i], context);
  });
  for (size_t i = 0; i < ids.size(); ++i) {
    // Its names depend on how many the functions before it have drawn.
    if (workers[i]->drew_names)
      results[i] = RunOne(pass, module, ids[i], context);
    else
      workers[i]->Deliver(context);
    if (!take(i, *std::move(results[i]))) return;
  }
}

}  // namespace

auto FunctionPass::Run(Module& module, PassContext& context) const -> Result<bool> {
  context.ForgetAnalysis();
  std::vector<GlobalId> ids;
  for (GlobalId id(0U); id.value() < module.globals().size(); ++id) {
    const FunctionRef& function = module.function(id);
    if (function != nullptr && !IsSkippedByFunctionPasses(*function) && context.RunsOn(module, id)) ids.push_back(id);
  }
  std::vector<std::pair<GlobalId, FunctionRef>> made;
  std::optional<Diagnostic> error;
  const auto take = [&](size_t i, FunctionResult&& result) {
    if (!result)
      error = std::move(result).error();
    else if (*result)
      made.emplace_back(ids[i], std::make_shared<const Function>(*std::move(result).value()));
    return !error.has_value();
  };
  // Rewrites that are counted have an order.
  if (context.options().threads > 1 && ids.size() > 1 && context.options().debug_counters.empty()) {
    RunInParallel(*this, module, ids, context, take);
  } else {
    for (size_t i = 0; i < ids.size() && take(i, RunOne(*this, module, ids[i], context));) ++i;
  }
  context.EnterFunction(GlobalId());
  // It speaks of the module as it was.
  context.ForgetAnalysis();
  if (error) return *std::move(error);
  for (auto& [id, function] : made) module.SetFunction(id, std::move(function));
  RELAYOPT_TRY(const bool inferred, InferTypePass()->Apply(module, context));
  static_cast<void>(inferred);
  return !made.empty();
}

auto ModulePass::Run(Module& module, PassContext& context) const -> Result<bool> {
  RELAYOPT_TRY(std::optional<Module> result, RunOnModule(module, context));
  if (result) module = std::move(*result);
  if (context.options().infer_types_after_module_passes) {
    RELAYOPT_TRY(const bool inferred, InferTypePass()->Apply(module, context));
    static_cast<void>(inferred);
  }
  return result.has_value();
}

auto Sequential::Run(Module& module, PassContext& context) const -> Result<bool> {
  bool changed = false;
  for (const PassRef& pass : passes_) {
    if (!context.PassEnabled(pass->info())) {
      WarnAboutSkippedPass(pass->info(), context);
      continue;
    }
    for (const std::string& name : pass->info().required) {
      if (FindPass(name) == nullptr) return MakeDiagnostic(diag::kNoRequiredPass, {}, pass->info().name, name);
      RELAYOPT_TRY(const PassRef required, GetPass(name));
      RELAYOPT_TRY(const bool by_required, required->Apply(module, context));
      changed = changed || by_required;
    }
    RELAYOPT_TRY(const bool by_pass, pass->Apply(module, context));
    changed = changed || by_pass;
  }
  return changed;
}

auto InferTypePass() -> const PassRef& {
  static const PassRef pass = std::make_shared<InferType>();
  return pass;
}

auto InfoOf(const PassDef& def) -> PassInfo {
  PassInfo info{def.opt_level, std::string(def.info_name.empty() ? def.name : def.info_name), {}};
  for (std::string_view rest = def.required; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    info.required.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  info.steps_aside_when_strict = def.exactness == Exactness::kApproximate && !def.obeys_strict_fp;
  return info;
}

auto CreateFunctionPass(CallableFunctionPass::Body body, int opt_level, std::string name,
                        std::vector<std::string> required) -> PassRef {
  return std::make_shared<CallableFunctionPass>(PassInfo{opt_level, std::move(name), std::move(required)},
                                                std::move(body));
}

auto CreateModulePass(CallableModulePass::Body body, int opt_level, std::string name, std::vector<std::string> required)
    -> PassRef {
  return std::make_shared<CallableModulePass>(PassInfo{opt_level, std::move(name), std::move(required)},
                                              std::move(body));
}

}  // namespace relayopt
