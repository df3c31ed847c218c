// The signal handler does things that may no longer work (it allocates and prints), so it prints the essential first
// and limits the time for the rest.
#include "crash.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cleanup.h"
#include "output.h"
#include "relayopt/pass/plugin.h"
#include "relayopt/pass/registry.h"
#include "relayopt/support/files_read.h"
#include "relayopt/support/signals.h"
#include "reproducer.h"

namespace relayopt {

namespace {

// Seconds for saving the input.
constexpr unsigned kPatience = 20;

CrashReporter* g_reporter = nullptr;

// Prints what happened and the stack of this thread.
void SayCrash(const std::string& failure, std::string_view plugin = {}) {
  const std::string owner = plugin.empty() ? "relayopt" : fmt::format("the plugin '{}'", plugin);
  SayNow(fmt::format("relayopt: crashed: {}; this is a bug of {}\n", failure, owner));
  PrintStack();
}

// Reading a mapped file fails when another process truncates it, which is not a fault of the tool.
void ExplainMappedFile(const void* address) {
  const char* name = MappedFileAt(address);
  if (name == nullptr) return;
  SayNow("relayopt: ");
  SayNow(name);
  SayNow(": this file became shorter while it was read\n");
  EndNow("an input changed");
}

void OnCrash(int signal) {
  if (g_reporter != nullptr)
    g_reporter->Report(signal);
  else
    SayCrash(fmt::format("signal {} ({})", signal, SignalName(signal)));
}

// The passes of the pipeline, at all levels of nesting.
void CollectPasses(const Pipeline& pipeline, std::vector<const PipelineElement*>& out) {
  for (const PipelineElement& element : pipeline) {
    if (element.kind == PipelineElement::Kind::kPass) out.push_back(&element);
    CollectPasses(element.children, out);
  }
}

}  // namespace

CrashReporter::CrashReporter(const Pipeline& pipeline, Options options)
    : pipeline_(&pipeline), options_(std::move(options)) {}

CrashReporter::~CrashReporter() {
  if (g_reporter == this) g_reporter = nullptr;
}

auto CrashReporter::RunBeforePass(const Module& module, const PassInfo& info) -> std::optional<Diagnostic> {
  const std::lock_guard lock(mutex_);
  if (IsNumbered(info)) {
    numbers_.Begins();
    latest_ = {info.name, module, false};
  } else if (info.is_update && latest_) {
    // The pass has ended, but its instruments have not been called yet.
    latest_->module = module;
    latest_->is_result = true;
  }
  if (context_ != nullptr && running() == nullptr) {
    level_ = std::max(context_->opt_level(), info.opt_level);
    counts_ = context_->debug_counts();
  }
  running_.push_back({info.name, info.is_sequence ? std::nullopt : std::optional<Module>(module)});
  return std::nullopt;
}

auto CrashReporter::ShouldRun(const Module&, const PassInfo& info) -> Result<bool> {
  numbers_.Asks(info);
  return true;
}

auto CrashReporter::RunAfterPass(const Module& module, const PassInfo& info, bool) -> std::optional<Diagnostic> {
  const std::lock_guard lock(mutex_);
  if (IsNumbered(info)) latest_ = {info.name, module, true};
  if (!running_.empty()) running_.pop_back();
  return std::nullopt;
}

void CrashReporter::PassFailed(const Module&, const PassInfo&, const Diagnostic&) {
  const std::lock_guard lock(mutex_);
  if (!running_.empty()) running_.pop_back();
}

void CrashReporter::Reset() {
  const std::lock_guard lock(mutex_);
  running_.clear();
  latest_.reset();
}

// A crash in the type inference after a pass belongs to the pass.
auto CrashReporter::running() const -> const Running* {
  for (const Running& pass : running_) {
    if (pass.input) return &pass;
  }
  return nullptr;
}

auto CrashReporter::PassText(const std::string& name) const -> std::string {
  std::vector<const PipelineElement*> elements;
  CollectPasses(*pipeline_, elements);
  for (const PipelineElement* element : elements) {
    if (InfoOf(*element->def).name == name) return ToString(Pipeline{*element});
  }
  const PassDef* def = FindPass(name);
  return def == nullptr ? name : std::string(def->name);
}

// The pass runs alone then, so its rewrites are counted from 1.
auto CrashReporter::Arguments() const -> std::string {
  std::string words = level_ >= kHighestLevel ? "" : fmt::format(" --opt-level={}", level_);
  words += options_.args;
  for (size_t i = 0; i < options_.debug_counters.size() && i < counts_.size(); ++i) {
    words += fmt::format(" --debug-counter={}", CountFrom(options_.debug_counters[i], counts_[i]));
  }
  return words;
}

void CrashReporter::Report(int signal) {
  // The thread that holds the lock may be the one that crashed.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  std::string failure = fmt::format("signal {} ({})", signal, SignalName(signal));
  const Running* pass = running();
  if (pass != nullptr) {
    failure += " in pass " + pass->name;
    const GlobalId function = PassContext::CurrentFunction();
    if (function && function.value() < pass->input->globals().size()) {
      failure += fmt::format(" on @{}", pass->input->name(function));
    }
    failure += fmt::format(" (pass #{})", numbers_.number());
  }
  const PassDef* def = pass == nullptr ? nullptr : FindPass(pass->name);
  SayCrash(failure, def == nullptr ? "" : PluginOf(*def));
  if (pass != nullptr) Write(*pass, failure);
}

void CrashReporter::Save(const std::string& failure) {
  const std::lock_guard lock(mutex_);
  if (const Running* pass = running()) Write(*pass, failure);
}

void CrashReporter::Write(const Running& pass, const std::string& failure) {
  if (options_.print) {
    FdSink sink(STDERR_FILENO);
    sink.Write(fmt::format("*** IR Dump Before {} ***\n", pass.name));
    PrintModule(*pass.input, {}, sink);
    sink.Flush();
  }
  if (options_.file == "none") return;
  if (const auto error = WriteReproducer(options_.file, {PassText(pass.name), Arguments(), failure}, *pass.input)) {
    SayNow(fmt::format("relayopt: cannot write '{}': {}\n", options_.file, *error));
    return;
  }
  SayNow(fmt::format("relayopt: the input of the pass is saved; to run it again:\n  relayopt --run-reproducer {}\n",
                     options_.file));
}

void ReportCrashesTo(CrashReporter* reporter) {
  g_reporter = reporter;
  OnCrashes({.lost_page = ExplainMappedFile, .crashed = OnCrash, .seconds = kPatience});
}

}  // namespace relayopt
