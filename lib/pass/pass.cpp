// How passes run.
#include "relayopt/pass/pass.h"

#include "relayopt/arith/strict_floats.h"
#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/growth.h"
#include "relayopt/pass/registry.h"
#include "relayopt/pass/rewrite_gate.h"
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

// Brings the functions of one kind up to date where some have changed since the last time.
class Update final : public Pass {
 public:
  explicit Update(const FunctionKindDef& def)
      : Pass({.name = std::string(def.update_name), .required = {}, .is_update = true}), def_(def) {}

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    if (module.IsUpToDate(*def_.kind)) return false;
    if (!def_.update(module, context.diagnostics(), context.options().threads))
      return MakeDiagnostic(diag::kPassFailed, {}, info().name);
    module.MarkUpToDate(*def_.kind);
    return true;
  }

 private:
  const FunctionKindDef& def_;
};

// Brings the functions of a kind up to date, as a nested pass.
auto UpdateFunctions(const FunctionKindDef& def, Module& module, PassContext& context) -> std::optional<Diagnostic> {
  if (def.update == nullptr) return std::nullopt;
  Result<bool> updated = Update(def).Apply(module, context);
  return updated ? std::nullopt : std::optional<Diagnostic>(std::move(updated).error());
}

// Warns about a pass that its level keeps from running, once for a pass; nothing if it was switched off by name.
void WarnAboutSkippedPass(const PassInfo& info, PassContext& context) {
  if (!context.options().warn_about_skipped_passes || context.opt_level() >= info.opt_level) return;
  for (const std::string& name : context.options().disabled_pass) {
    if (name == info.name) return;
  }
  Diagnostic warning =
      MakeDiagnostic(diag::kPassSkipped, {}, info.name, info.opt_level, context.opt_level(), info.opt_level, info.name);
  for (const Diagnostic& known : context.diagnostics().diagnostics()) {
    if (known.kind == warning.kind && known.text == warning.text) return;
  }
  context.diagnostics().Report(std::move(warning));
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
  if (context.strict_fp() && info_.skipped_when_strict) {
    if (context.options().warn_about_skipped_passes)
      context.diagnostics().Report(diag::kSkippedWhenStrict, {}, info_.name);
    return false;
  }
  context.set_applied(this);
  const Result<bool> wanted = context.InstrumentBeforePass(module, info_);
  context.set_applied(nullptr);
  if (!wanted) return wanted.error();
  if (!*wanted) return false;
  const size_t errors = context.diagnostics().errors();
  const arith::StrictFloatsScope floats(context.strict_fp());
  const GrowthScope growth(module, context);
  Result<bool> run = Run(module, context);
  if (run && context.diagnostics().errors() != errors) {
    run = MakeDiagnostic(diag::kPassFailed, {}, info_.name);
  } else if (!run && passes().empty()) {
    // Sequences only pass on the messages of their parts.
    run.error().Note(fmt::format("while running {}", info_.name));
  }
  if (!run) {
    context.InstrumentFailedPass(module, info_, run.error());
    return std::move(run).error();
  }
  const bool changed = *run;
  if (auto error = context.InstrumentAfterPass(module, info_, changed)) return std::move(*error);
  return changed;
}

namespace {

// Returns an error if the module that a pass made is too large, before its types are inferred, which takes the longest.
auto CheckGrowth(const PassInfo& info, const Module& module, const PassContext& context) -> std::optional<Diagnostic> {
  return IsNumbered(info) ? GrowthScope::Check(info.name, module, context) : std::nullopt;
}

// The result of a pass on one function: a function, null (unchanged), or an error.
using FunctionResult = Result<GlobalFunctionRef>;

// Whether rewrites are counted or reported (RewriteGate).
auto WatchesRewrites(const PassContext& context) -> bool {
  return context.wants_remarks() || !context.options().debug_counters.empty();
}

auto RunOne(const AnyFunctionPass& pass, const Module& module, GlobalId id, PassContext& context) -> FunctionResult {
  context.EnterFunction(id);
  if (!WatchesRewrites(context)) return pass.RunOnGlobal(module, id, context);
  RewriteGate gate(context, pass.info().name, module.name(id));
  FunctionResult result = pass.RunOnGlobal(module, id, context);
  const bool is_rewrite = result && *result != nullptr && !gate.was_asked();
  return is_rewrite && !gate.Allows() ? FunctionResult(nullptr) : std::move(result);
}

// Runs the pass on all functions at once; `take(i, result)` sees the results in the order of the functions, as if they
// had run one after the other, and returns false to stop.
template <typename Take>
void RunInParallel(const AnyFunctionPass& pass, const Module& module, std::span<const GlobalId> ids,
                   PassContext& context, Take&& take) {
  std::vector<std::optional<FunctionResult>> results(ids.size());
  std::vector<std::unique_ptr<Worker>> workers(ids.size());
  ParallelFor(ids.size(), context.options().threads, [&](size_t i) {
    workers[i] = std::make_unique<Worker>(context);
    const WorkerScope scope(*workers[i]);
    const arith::StrictFloatsScope floats(context.strict_fp());
    results[i] = RunOne(pass, module, ids[i], context);
  });
  for (size_t i = 0; i < ids.size(); ++i) {
    // The generated names depend on how many names earlier functions have used.
    if (workers[i]->drew_names)
      results[i] = RunOne(pass, module, ids[i], context);
    else
      workers[i]->Deliver(context);
    if (!take(i, *std::move(results[i]))) return;
  }
}

// Returns the functions that a pass over functions of this kind rewrites.
auto FunctionsToRewrite(const Module& module, const FunctionKindDef& def, const PassContext& context)
    -> std::vector<GlobalId> {
  std::vector<GlobalId> ids;
  for (const GlobalId id : module.ids()) {
    const GlobalFunction* function = module.function(id).get();
    if (function == nullptr || &function->function_kind() != def.kind) continue;
    if (def.is_left_alone != nullptr && def.is_left_alone(*function)) continue;
    if (context.RunsOn(module, id)) ids.push_back(id);
  }
  return ids;
}

auto RunWatched(const ModulePass& pass, const Module& module, PassContext& context) -> Result<std::optional<Module>> {
  if (!WatchesRewrites(context)) return pass.RunOnModule(module, context);
  RewriteGate gate(context, pass.info().name, {});
  RELAYOPT_TRY(std::optional<Module> result, pass.RunOnModule(module, context));
  if (result && !gate.was_asked() && !gate.Allows()) result.reset();
  return result;
}

}  // namespace

auto AnyFunctionPass::Run(Module& module, PassContext& context) const -> Result<bool> {
  const FunctionKindDef& def = DefOf(*kind_);
  const std::vector<GlobalId> ids = FunctionsToRewrite(module, def, context);
  std::vector<std::pair<GlobalId, GlobalFunctionRef>> made;
  std::optional<Diagnostic> error;
  const auto take = [&](size_t i, FunctionResult&& result) {
    if (!result)
      error = std::move(result).error();
    else if (*result != nullptr)
      made.emplace_back(ids[i], std::move(result).value());
    return !error.has_value();
  };
  // Rewrites that are counted have an order.
  if (context.options().threads > 1 && ids.size() > 1 && context.options().debug_counters.empty()) {
    RunInParallel(*this, module, ids, context, take);
  } else {
    for (size_t i = 0; i < ids.size() && take(i, RunOne(*this, module, ids[i], context));) ++i;
  }
  context.EnterFunction(GlobalId());
  if (error) return *std::move(error);
  for (auto& [id, function] : made) module.SetFunction(id, std::move(function));
  if (auto grown = CheckGrowth(info(), module, context)) return *std::move(grown);
  if (auto failed = UpdateFunctions(def, module, context)) return *std::move(failed);
  return !made.empty();
}

auto ModulePass::Run(Module& module, PassContext& context) const -> Result<bool> {
  RELAYOPT_TRY(std::optional<Module> result, RunWatched(*this, module, context));
  if (result) module = std::move(*result);
  if (auto grown = CheckGrowth(info(), module, context)) return *std::move(grown);
  if (context.options().infer_types_after_module_passes) {
    for (const FunctionKindDef* def : FunctionKinds()) {
      if (auto failed = UpdateFunctions(*def, module, context)) return *std::move(failed);
    }
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

auto UpdatePass(const FunctionKind& kind) -> PassRef {
  const FunctionKindDef& def = DefOf(kind);
  return def.update == nullptr ? nullptr : std::make_shared<Update>(def);
}

auto InfoOf(const PassDef& def) -> PassInfo {
  PassInfo info{def.opt_level, std::string(def.info_name.empty() ? def.name : def.info_name), {}};
  for (std::string_view rest = def.required; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    info.required.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  info.skipped_when_strict = def.exactness == Exactness::kApproximate && !def.obeys_strict_fp;
  return info;
}

auto KindName(const PassDef& def) -> std::string_view {
  switch (def.kind) {
    case PassKind::kFunction: return def.functions->pass_level;
    case PassKind::kModule: return "module";
    case PassKind::kSequence: return "sequence";
  }
  RELAYOPT_CHECK(false, "every kind of pass has a name");
}

auto CreateModulePass(CallableModulePass::Body body, int opt_level, std::string name, std::vector<std::string> required)
    -> PassRef {
  return std::make_shared<CallableModulePass>(PassInfo{opt_level, std::move(name), std::move(required)},
                                              std::move(body));
}

}  // namespace relayopt
