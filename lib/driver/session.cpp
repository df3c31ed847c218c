// The steps of a run.
#include "relayopt/driver/session.h"

#include <algorithm>
#include <utility>

#include "relayopt/convert/compression.h"
#include "relayopt/convert/lower.h"
#include "relayopt/module/function_kind.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/tir/transforms/all_passes.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kBrokenModule = {"broken-ir", Severity::kError,
                                          "function @{} breaks a rule {} (a bug of relayopt): {}"};
constexpr DiagnosticKind kCannotOpen = {"unreadable-file", Severity::kError, "cannot read '{}': {}"};
constexpr DiagnosticKind kUnknownFormat = {"unknown-format", Severity::kError, "there is no format '{}' to {}{}"};

// Redirects the diagnostics of a step to a sink.
class SinkScope {
 public:
  SinkScope(PassContext& context, DiagnosticSink& sink) : context_(context), before_(context.SetDiagnostics(&sink)) {}
  ~SinkScope() { context_.SetDiagnostics(before_); }
  SinkScope(const SinkScope&) = delete;
  auto operator=(const SinkScope&) -> SinkScope& = delete;

 private:
  PassContext& context_;
  DiagnosticSink* before_;
};

}  // namespace

void RegisterBuiltins() {
  static const bool once = [] {
    RegisterAllPasses();
    tir::RegisterAllPasses();
    RegisterConvertPasses();
    return true;
  }();
  static_cast<void>(once);
}

Session::Session(SessionOptions options) : options_(std::move(options)) {
  RegisterBuiltins();
  Result<PassContextRef> made = PassContext::Create(options_.context);
  if (made)
    context_ = *std::move(made);
  else
    Keep(made.error(), nullptr);
}

Session::Session(SessionOptions options, PassContextRef context)
    : options_(std::move(options)), context_(std::move(context)) {
  RegisterBuiltins();
}

auto Session::ReadFile(const std::string& path) -> std::optional<Module> {
  std::string error;
  const auto source = SourceText::Open(path, error);
  if (source != nullptr) return ReadSource(source);
  Keep(MakeDiagnostic(kCannotOpen, {}, path, error), nullptr);
  return std::nullopt;
}

auto Session::Read(std::string name, std::string bytes) -> std::optional<Module> {
  return ReadSource(SourceText::FromString(std::move(name), std::move(bytes)));
}

auto Session::ReadSource(const std::shared_ptr<const SourceText>& source) -> std::optional<Module> {
  if (context_ == nullptr) return std::nullopt;
  DiagnosticSink sink;
  const auto text = AsText(source, sink);
  std::optional<ImportedModule> imported = text == nullptr ? std::nullopt : Import(text, sink);
  const bool is_fine = imported && Prepare(imported->module, sink);
  Keep(sink, text == nullptr ? source.get() : text.get());
  return is_fine ? std::optional(std::move(imported->module)) : std::nullopt;
}

auto Session::Run(Module& module, std::string_view pipeline) -> bool {
  if (context_ == nullptr) return false;
  const auto text = SourceText::FromString("passes", std::string(pipeline));
  const Result<Pipeline> parsed = ParsePipeline(text->text());
  if (!parsed) {
    Keep(parsed.error(), text.get());
    return false;
  }
  const Result<PassRef> pass = BuildPipeline(*parsed);
  if (!pass) {
    Keep(pass.error(), nullptr);
    return false;
  }
  With<PassContext> scope(context_);
  if (scope.error()) {
    Keep(*scope.error(), nullptr);
    return false;
  }
  DiagnosticSink sink;
  const bool is_fine = Apply(**pass, module, sink);
  Keep(sink, module.source().get());
  return is_fine;
}

auto Session::Print(const Module& module, std::string_view format) -> std::string {
  const FormatDef* def = FindFormat(format);
  StringSink text;
  if (def == nullptr || def->write == nullptr)
    Keep(MakeDiagnostic(kUnknownFormat, {}, format, "write", DidYouMean(format, WritableFormats())), nullptr);
  else {
    DiagnosticSink problems;
    Export out{text, problems};
    def->write(module, {options_.print}, out);
    Keep(problems, module.source().get());
    if (problems.has_errors()) return "";
  }
  return std::string(text.text());
}

auto Session::TakeDiagnostics() -> std::vector<DiagnosticRecord> { return std::exchange(records_, {}); }

auto Session::has_errors() const -> bool {
  return std::ranges::any_of(records_,
                             [](const DiagnosticRecord& record) { return record.severity == Severity::kError; });
}

auto Session::Import(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink)
    -> std::optional<ImportedModule> {
  const FormatDef* format =
      options_.input_format.empty() ? &RecognizeFormat(*source) : FindFormat(options_.input_format);
  if (format == nullptr) {
    sink.Report(kUnknownFormat, {}, options_.input_format, "read",
                DidYouMean(options_.input_format, ReadableFormats()));
    return std::nullopt;
  }
  Step("(read)", true);
  std::optional<ImportedModule> imported = ReadFormat(*format, source, options_.imports, sink);
  Step("(read)", false);
  return imported;
}

auto Session::Prepare(Module& module, DiagnosticSink& sink) -> bool {
  const SinkScope scope(*context_, sink);
  Step("(infer types)", true);
  const bool is_typed = InferTypes(module, sink, context_->options().threads);
  Step("(infer types)", false);
  if (!is_typed) return false;
  Verify(module, "as it was read", sink);
  return !sink.has_errors();
}

auto Session::Apply(const Pass& pass, Module& module, DiagnosticSink& sink) -> bool {
  const SinkScope scope(*context_, sink);
  const Result<bool> changed = pass.Apply(module, *context_);
  if (!changed) {
    sink.Report(changed.error());
    return false;
  }
  if (*changed) Verify(module, "after the passes", sink, Verifier());
  return !sink.has_errors();
}

auto Session::Verifier() const -> const VerifyInstrument* {
  for (const std::shared_ptr<PassInstrument>& instrument : context_->options().instruments) {
    if (const auto* verifier = dynamic_cast<const VerifyInstrument*>(instrument.get())) return verifier;
  }
  return nullptr;
}

void Session::Verify(const Module& module, const char* when, DiagnosticSink& sink, const VerifyInstrument* verifier) {
  Step("(verify)", true);
  for (const GlobalId id : module.SortedFunctions()) {
    const bool keeps_rules = verifier != nullptr && verifier->HasVerified(id, module.function(id));
    if (const auto broken = FindBrokenRule(module, id, keeps_rules)) {
      sink.Report(kBrokenModule, broken->range, module.name(id), when, broken->text);
    }
  }
  Step("(verify)", false);
}

void Session::Keep(const DiagnosticSink& sink, const SourceText* source) {
  for (const Diagnostic& diagnostic : sink.diagnostics()) Keep(diagnostic, source);
}

void Session::Keep(const Diagnostic& diagnostic, const SourceText* source) {
  records_.push_back(MakeRecord(diagnostic, source));
}

void Session::Step(const char* step, bool begins) const {
  if (at_step_) at_step_(step, begins);
}

}  // namespace relayopt
