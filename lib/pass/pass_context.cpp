// Contexts: switches, the stack, and the order in which instruments are called.
#include "relayopt/pass/pass_context.h"

#include <algorithm>

#include "relayopt/pass/diagnostics.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/support/check.h"
#include "relayopt/support/map_to_vector.h"
#include "worker.h"

namespace relayopt {

namespace {

// Returns the contexts that this thread has entered, innermost last.
auto Stack() -> std::vector<PassContextRef>& {
  static thread_local std::vector<PassContextRef> stack;
  return stack;
}

auto ThisThreadsFunction() -> GlobalId& {
  static thread_local GlobalId id;
  return id;
}

auto IsListed(const std::vector<std::string>& names, std::string_view name) -> bool {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// As TVM: an integer literal serves for a boolean and the other way round.
auto ConfigValueAs(OptionKind kind, const OptionValue& value) -> std::optional<OptionValue> {
  if (value.index() == static_cast<size_t>(kind)) return value;
  if (const auto* boolean = std::get_if<bool>(&value); boolean != nullptr && kind == OptionKind::kInt) {
    return OptionValue(int64_t{*boolean});
  }
  if (const auto* integer = std::get_if<int64_t>(&value); integer != nullptr && kind == OptionKind::kBool) {
    return OptionValue(*integer != 0);
  }
  if (const auto* text = std::get_if<std::string>(&value); text != nullptr && kind == OptionKind::kJson) {
    return ParseOptionValue(kind, *text);
  }
  return std::nullopt;
}

}  // namespace

PassInstrument::~PassInstrument() = default;

auto ToString(const PassInfo& info) -> std::string {
  std::string out = fmt::format("The meta data of the pass - pass name: {}, opt_level: {}, required passes: [",
                                info.name, info.opt_level);
  if (!info.required.empty()) out += '\n';
  for (const std::string& name : info.required) out += fmt::format("\"{}\", ", name);
  return out + "]\n";
}

auto PassContext::Create(PassContextOptions options) -> Result<PassContextRef> {
  auto context = std::make_shared<PassContext>();
  for (auto& [key, value] : options.config) {
    const ConfigOption* option = FindConfigOption(key);
    if (option == nullptr) {
      auto keys = MapToVector<std::string_view>(ConfigOptions(), &ConfigOption::key);
      return MakeDiagnostic(diag::kUnknownConfig, {}, key, DidYouMean(key, keys));
    }
    std::optional<OptionValue> converted = ConfigValueAs(option->kind, value);
    if (!converted) return MakeDiagnostic(diag::kBadConfigValue, {}, key, KindName(option->kind), ToString(value));
    value = std::move(*converted);
    if (option->fields == nullptr) continue;
    PassOptions fields(*option->fields);
    if (std::optional<Diagnostic> error = fields.SetJson(std::get<JsonText>(value).text)) {
      return std::move(error->Note(fmt::format("in the config option {}", key)));
    }
    context->configured_.emplace(key, std::move(fields));
  }
  context->options_ = std::move(options);
  context->debug_counts_.resize(context->options_.debug_counters.size());
  return context;
}

auto PassContext::Current() -> PassContext& {
  static thread_local PassContext fallback;
  return Stack().empty() ? fallback : *Stack().back();
}

auto PassContext::PassEnabled(const PassInfo& info) const -> bool {
  if (IsListed(options_.disabled_pass, info.name)) return false;
  if (IsListed(options_.required_pass, info.name)) return true;
  return options_.opt_level >= info.opt_level;
}

auto PassContext::ConfigValue(std::string_view key) const -> OptionValue {
  const ConfigOption* option = FindConfigOption(key);
  RELAYOPT_CHECK(option != nullptr, "passes read declared config keys only");
  const auto found = options_.config.find(key);
  if (found != options_.config.end()) return found->second;
  const std::optional<OptionValue> fallback = ParseOptionValue(option->kind, option->default_text);
  RELAYOPT_CHECK(fallback.has_value(), "a key without a default is read only where it is configured");
  return *fallback;
}

auto PassContext::ConfigBool(std::string_view key) const -> bool { return std::get<bool>(ConfigValue(key)); }
auto PassContext::ConfigInt(std::string_view key) const -> int64_t { return std::get<int64_t>(ConfigValue(key)); }
auto PassContext::ConfigString(std::string_view key) const -> std::string {
  return std::get<std::string>(ConfigValue(key));
}

auto PassContext::Configured(std::string_view key, const PassOptions& given) const -> PassOptions {
  const auto found = configured_.find(key);
  return found == configured_.end() ? given : given.CompletedBy(found->second);
}

auto Worker::Current() -> Worker*& {
  static thread_local Worker* worker = nullptr;
  return worker;
}

void Worker::Deliver(PassContext& to) const {
  for (const Diagnostic& diagnostic : diagnostics.diagnostics()) to.diagnostics().Report(diagnostic);
  for (const Remark& remark : remarks) to.Report(remark);
  for (const Count& count : counts) to.options().statistics->Add(count.pass, count.name, count.doc, count.count);
}

auto PassContext::diagnostics() -> DiagnosticSink& {
  Worker* const worker = Worker::Current();
  return worker != nullptr && worker->context == this ? worker->diagnostics : *diagnostics_;
}

auto PassContext::NextFreshName() -> uint64_t {
  Worker* const worker = Worker::Current();
  if (worker == nullptr || worker->context != this) return next_fresh_name_++;
  worker->drew_names = true;
  return 0;
}

auto PassContext::SetDiagnostics(DiagnosticSink* sink) -> DiagnosticSink* {
  return std::exchange(diagnostics_, sink == nullptr ? &own_diagnostics_ : sink);
}

auto PassContext::AskCounter(const Statistic& statistic) -> bool {
  for (size_t i = 0; i < debug_counts_.size(); ++i) {
    const DebugCounter& counter = options_.debug_counters[i];
    // Statistics are identified by name: a constant in a header may have several addresses.
    if (counter.statistic->pass != statistic.pass || counter.statistic->name != statistic.name) continue;
    return counter.allowed.Contains(++debug_counts_[i]);
  }
  return true;
}

void PassContext::Report(Remark remark) {
  if (options_.remarks == nullptr) return;
  Worker* const worker = Worker::Current();
  if (worker != nullptr && worker->context == this)
    worker->remarks.push_back(std::move(remark));
  else
    options_.remarks->Add(std::move(remark));
}

auto PassContext::RunsOn(const Module& module, GlobalId id) const -> bool {
  return options_.functions.empty() || IsListed(options_.functions, module.name(id));
}

void PassContext::EnterFunction(GlobalId id) {
  ThisThreadsFunction() = id;
  latest_function_.store(id, std::memory_order_relaxed);
}

auto PassContext::CurrentFunction() -> GlobalId { return ThisThreadsFunction(); }

auto PassContext::EnterInstruments() -> std::optional<Diagnostic> {
  auto& instruments = options_.instruments;
  for (size_t i = 0; i < instruments.size(); ++i) {
    std::optional<Diagnostic> error = instruments[i]->EnterPassContext();
    if (!error) continue;
    // Instruments that have entered the context leave it in reverse order; the context continues without instruments.
    while (i != 0) static_cast<void>(instruments[--i]->ExitPassContext());
    instruments.clear();
    return error;
  }
  return std::nullopt;
}

auto PassContext::ExitInstruments() -> std::optional<Diagnostic> {
  for (const InstrumentRef& instrument : options_.instruments) {
    std::optional<Diagnostic> error = instrument->ExitPassContext();
    if (!error) continue;
    options_.instruments.clear();
    return error;
  }
  return std::nullopt;
}

auto PassContext::OverrideInstruments(std::vector<InstrumentRef> instruments) -> std::optional<Diagnostic> {
  if (auto error = ExitInstruments()) return error;
  options_.instruments = std::move(instruments);
  return EnterInstruments();
}

auto PassContext::InstrumentBeforePass(const Module& module, const PassInfo& info) -> Result<bool> {
  if (!IsListed(options_.required_pass, info.name)) {
    // All instruments are asked, even after one voted no.
    bool should_run = true;
    for (const InstrumentRef& instrument : options_.instruments) {
      RELAYOPT_TRY(const bool vote, instrument->ShouldRun(module, info));
      should_run = should_run && vote;
    }
    if (!should_run) return false;
  }
  const std::vector<InstrumentRef>& instruments = options_.instruments;
  for (size_t i = 0; i < instruments.size(); ++i) {
    std::optional<Diagnostic> error = instruments[i]->RunBeforePass(module, info);
    if (!error) continue;
    // The pass does not run: instruments that have seen it begin also see it end.
    for (size_t k = 0; k < i; ++k) instruments[k]->PassFailed(module, info, *error);
    return std::move(*error);
  }
  return true;
}

auto PassContext::InstrumentAfterPass(const Module& module, const PassInfo& info, bool changed)
    -> std::optional<Diagnostic> {
  const std::vector<InstrumentRef>& instruments = options_.instruments;
  for (size_t i = 0; i < instruments.size(); ++i) {
    std::optional<Diagnostic> error = instruments[i]->RunAfterPass(module, info, changed);
    if (!error) continue;
    for (size_t k = i + 1; k < instruments.size(); ++k) instruments[k]->PassFailed(module, info, *error);
    return error;
  }
  return std::nullopt;
}

void PassContext::InstrumentFailedPass(const Module& module, const PassInfo& info, const Diagnostic& error) {
  for (const InstrumentRef& instrument : options_.instruments) instrument->PassFailed(module, info, error);
}

With<PassContext>::With(PassContextRef context) : context_(std::move(context)) {
  error_ = context_->EnterInstruments();
  if (error_) return;
  Stack().push_back(context_);
  entered_ = true;
}

auto With<PassContext>::Leave() -> std::optional<Diagnostic> {
  if (!entered_) return std::nullopt;
  entered_ = false;
  RELAYOPT_CHECK(!Stack().empty() && Stack().back() == context_, "contexts are left in the reverse order of entering");
  Stack().pop_back();
  return context_->ExitInstruments();
}

}  // namespace relayopt
