// The run: read, infer types, run passes, verify, print.
#include "driver.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "expectations.h"
#include "fuzz.h"
#include "lists.h"
#include "log.h"
#include "options.h"
#include "output.h"
#include "relayopt/ir/infer.h"
#include "relayopt/ir/verifier.h"
#include "relayopt/text/reader.h"
#include "relayopt/transforms/all_passes.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kBrokenModule = {"broken-ir", Severity::kError,
                                          "function @{} breaks a rule {} (a bug of relayopt): {}"};
constexpr DiagnosticKind kUnstable = {"unstable-output", Severity::kError,
                                      "running the pipeline a second time gave another result"};

constexpr std::string_view kSplitMarker = "// -----";

// The parts of a text between marker lines. A part keeps the line numbers of the whole.
auto Split(const std::shared_ptr<const SourceText>& source) -> std::vector<std::shared_ptr<const SourceText>> {
  std::vector<std::shared_ptr<const SourceText>> parts;
  const std::string_view text = source->text();
  std::string part;
  uint32_t first_line = 1;
  uint32_t line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string_view whole = text.substr(begin, end - begin);
    begin = end;
    std::string_view bare = whole;
    while (!bare.empty() && (bare.back() == '\n' || bare.back() == '\r' || bare.back() == ' ')) bare.remove_suffix(1);
    if (bare != kSplitMarker) {
      part += whole;
      continue;
    }
    parts.push_back(SourceText::FromString(source->name(), std::move(part), first_line));
    part.clear();
    first_line = line + 1;
  }
  parts.push_back(SourceText::FromString(source->name(), std::move(part), first_line));
  return parts;
}

// Runs the pipeline over the modules of one input.
class Driver {
 public:
  Driver(const ToolOptions& options, const Setup& setup, Reporter& reporter)
      : options_(options), setup_(setup), reporter_(reporter) {}

  auto Run() -> int {
    std::string error;
    const auto source = SourceText::Open(options_.input, error);
    if (source == nullptr) {
      reporter_.Error("cannot read '" + options_.input + "': " + error);
      return kFailure;
    }
    With<PassContext> scope(setup_.context);
    if (scope.error()) {
      reporter_.Report(*scope.error(), nullptr);
      return kFailure;
    }
    const int status = options_.split_input_file ? RunParts(source) : RunWhole(source);
    if (setup_.timing != nullptr) {
      const std::string table = setup_.timing->RenderTable();
      FdSink sink(STDERR_FILENO);
      sink.Write(table);
      sink.Flush();
    }
    return status;
  }

 private:
  auto RunWhole(const std::shared_ptr<const SourceText>& source) -> int {
    const std::optional<Module> module = Process(source);
    if (status_ != kSuccess) return status_;
    return Write([&](TextSink& sink) {
      if (module) PrintModule(*module, setup_.print, sink);
    });
  }

  // Results wait as text until all parts are known to be good.
  auto RunParts(const std::shared_ptr<const SourceText>& source) -> int {
    StringSink text;
    bool first = true;
    for (const auto& part : Split(source)) {
      const std::optional<Module> module = Process(part);
      if (!first) text.Write("// -----\n\n");
      first = false;
      if (module && status_ == kSuccess && prints()) PrintModule(*module, setup_.print, text);
    }
    if (status_ != kSuccess) return status_;
    return Write([&](TextSink& sink) { sink.Write(text.text()); });
  }

  auto prints() const -> bool { return !options_.disable_output && !options_.check_only; }

  // Reads, runs and verifies; reports what was found, or compares it with what is expected.
  auto Process(const std::shared_ptr<const SourceText>& source) -> std::optional<Module> {
    DiagnosticSink sink;
    std::optional<Module> module = Transform(source, sink);
    if (module && options_.run_twice) CompareWithSecondRun(source, *module);
    if (options_.verify_diagnostics) {
      CheckExpectations(*source, sink.diagnostics(), reporter_);
    } else {
      reporter_.Report(sink, source.get());
    }
    if (reporter_.failed() && status_ == kSuccess) status_ = kFailure;
    return module;
  }

  auto Transform(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink) -> std::optional<Module> {
    DiagnosticSink* before = setup_.context->SetDiagnostics(&sink);
    if (setup_.crash != nullptr) setup_.crash->Reset();
    std::optional<Module> module = ReadAndInfer(source, sink);
    if (module && setup_.pass != nullptr && !options_.check_only) {
      Log("running " + ToString(setup_.pipeline));
      const Result<bool> changed = setup_.pass->Apply(*module, *setup_.context);
      if (!changed)
        sink.Report(changed.error());
      else if (*changed)
        VerifyAll(*module, "after the passes", sink);
    }
    setup_.context->SetDiagnostics(before);
    if (sink.has_errors()) return std::nullopt;
    return module;
  }

  auto ReadAndInfer(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink) -> std::optional<Module> {
    Log("reading " + source->name());
    Begin("(read)");
    ReadOptions read;
    read.allow_unregistered_ops = options_.allow_unregistered_ops;
    std::optional<Module> module = ReadModule(source, sink, read);
    End("(read)");
    if (!module) return std::nullopt;
    Log("inferring types");
    Begin("(infer types)");
    const bool typed = InferTypes(*module, sink);
    End("(infer types)");
    if (!typed) return std::nullopt;
    setup_.context->MarkTyped(*module);
    // So that a pass is not blamed for what it was given.
    VerifyAll(*module, "as it was read", sink);
    if (sink.has_errors()) return std::nullopt;
    return module;
  }

  void VerifyAll(const Module& module, const char* when, DiagnosticSink& sink) {
    Begin("(verify)");
    for (const GlobalId id : module.SortedFunctions()) {
      const Function& function = *module.function(id);
      if (const std::optional<VerifierError> error = Verify(module, function, true)) {
        sink.Report(kBrokenModule, function.range(error->expr), module.name(id), when, error->text);
      }
    }
    End("(verify)");
  }

  void CompareWithSecondRun(const std::shared_ptr<const SourceText>& source, const Module& first) {
    DiagnosticSink sink;
    const std::optional<Module> second = Transform(source, sink);
    if (second && PrintModule(*second, setup_.print) == PrintModule(first, setup_.print)) return;
    reporter_.Report(MakeDiagnostic(kUnstable, {}), source.get());
    status_ = kCheckFailed;
  }

  template <typename Print>
  auto Write(Print&& print) -> int {
    if (!prints()) return kSuccess;
    OutputFile file;
    if (const auto error = file.Open(options_.output)) return CannotWrite(*error);
    FdSink sink(file.fd());
    Begin("(print)");
    print(sink);
    sink.Flush();
    End("(print)");
    if (sink.error() == EPIPE) return kClosedPipe;
    if (sink.error() != 0) return CannotWrite(std::strerror(sink.error()));
    if (const auto error = file.Commit()) return CannotWrite(*error);
    return kSuccess;
  }

  auto CannotWrite(const std::string& why) -> int {
    reporter_.Error("cannot write '" + options_.output + "': " + why);
    return kFailure;
  }

  // Steps of the tool itself appear in the timing table among the passes.
  void Begin(const char* step) {
    if (setup_.timing != nullptr) static_cast<void>(setup_.timing->RunBeforePass(Module(), PassInfo{0, step, {}}));
  }
  void End(const char* step) {
    if (setup_.timing != nullptr)
      static_cast<void>(setup_.timing->RunAfterPass(Module(), PassInfo{0, step, {}}, false));
  }

  const ToolOptions& options_;
  const Setup& setup_;
  Reporter& reporter_;
  int status_ = kSuccess;
};

auto PrintText(const std::string& text) -> int {
  FdSink sink(STDOUT_FILENO);
  sink.Write(text);
  sink.Flush();
  if (sink.error() == EPIPE) return kClosedPipe;
  return sink.error() == 0 ? kSuccess : kFailure;
}

}  // namespace

auto RunTool(int argc, char** argv) -> int {
  // A closed pipe shows as an error of write, which ends the run quietly.
  std::signal(SIGPIPE, SIG_IGN);
  ToolOptions options;
  if (const std::optional<int> status = ParseCommandLine(argc, argv, options)) return *status;
  if (options.verbose) EnableLog();
  RegisterAllPasses();
  Reporter reporter(options.color);
  const std::optional<std::string> text = ListsAndHelp(options, reporter);
  if (!text) return kFailure;
  if (!text->empty()) return PrintText(*text);
  if (options.fuzz > 0) return RunFuzzer(options, reporter);
  FdSink ir_sink(STDERR_FILENO);
  const std::unique_ptr<Setup> setup = Prepare(options, reporter, ir_sink);
  if (setup == nullptr) return kFailure;
  if (options.print_pipeline) return PrintText(ToString(setup->pipeline) + "\n");
    // Sanitizers have handlers of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  if (setup->crash != nullptr) ReportCrashesTo(setup->crash.get());
#endif
  const int status = Driver(options, *setup, reporter).Run();
  ir_sink.Flush();
  return status;
}

}  // namespace relayopt
