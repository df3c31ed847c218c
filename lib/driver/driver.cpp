// The run: read, infer types, run passes, verify, print.
#include "driver.h"

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "answers.h"
#include "assertions.h"
#include "checks.h"
#include "compare.h"
#include "expectations.h"
#include "flags.h"
#include "format_options.h"
#include "growth.h"
#include "log.h"
#include "memory_report.h"
#include "options.h"
#include "output.h"
#include "params.h"
#include "parts.h"
#include "relayopt/convert/compression.h"
#include "relayopt/convert/expanded.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/pass/plugin.h"
#include "relayopt/relay/analysis/summary.h"
#include "relayopt/relay/text/checks.h"
#include "relayopt/relay/text/value_users.h"
#include "relayopt/support/process.h"
#include "relayopt/support/text_pieces.h"
#include "reporter.h"
#include "reports.h"
#include "reproducer.h"
#include "setup.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kIgnoredHeader = {"ignored-reproducer", Severity::kWarning,
                                           "this is a reproducer: --run-reproducer runs the passes that it names"};
constexpr DiagnosticKind kValidated = {"validated", Severity::kRemark, "{}"};
constexpr DiagnosticKind kUnstable = {"unstable-output", Severity::kError,
                                      "running the pipeline a second time gave a different result"};

// Tells a user at a terminal that the tool is waiting for input.
void TellTerminal(const ToolOptions& options) {
  if (options.input != "-" || !IsTerminal(STDIN_FILENO)) return;
  std::fputs("relayopt: reading a module from the terminal (Ctrl-D ends it); --help says what else can be done\n",
             stderr);
}

// Runs the pipeline over the modules of one input.
class Driver {
 public:
  Driver(const ToolOptions& options, const Setup& setup, Reporter& reporter, TextSink& ir_sink)
      : options_(options),
        setup_(setup),
        reporter_(reporter),
        ir_sink_(ir_sink),
        remarks_(options),
        params_(options),
        answer_(WantedAnswer(options)) {}

  auto Run() -> int {
    TellTerminal(options_);
    const auto source = OpenText(options_.input, reporter_);
    if (source == nullptr) return kFailure;
    if (answer_ != nullptr && answer_->describe != nullptr) {
      const auto text = answer_->describe(source, options_, reporter_);
      return text ? Write([&](TextSink& out) { out.Write(*text); }) : kFailure;
    }
    if (!params_.Open(reporter_)) return kFailure;
    With<PassContext> scope(setup_.context);
    if (scope.error()) {
      reporter_.Report(*scope.error(), nullptr);
      return kFailure;
    }
    if (options_.run_reproducer.empty() && IsReproducer(source->text())) {
      reporter_.Report(MakeDiagnostic(kIgnoredHeader, {}), source.get());
    }
    setup_.monitor->Start(*setup_.context);
    const int status = IsSearch()                           ? Search(source)
                       : !options_.split_input_file.empty() ? RunParts(source)
                                                            : RunWhole(source);
    setup_.monitor->Stop();
    WriteReports(options_, setup_, remarks_.offload() + memory_, remarks_.yaml(), reporter_);
    return status == kSuccess && reporter_.failed() ? kFailure : status;
  }

 private:
  auto IsSearch() const -> bool { return answer_ != nullptr && answer_->search != nullptr; }

  auto Search(const std::shared_ptr<const SourceText>& source) -> int {
    DiagnosticSink sink;
    const std::optional<Module> module = ReadAndInfer(source, sink);
    reporter_.Report(sink, source.get());
    if (!module) return kFailure;
    return answer_->search(*module, options_, setup_, known_extents_, reporter_);
  }

  auto RunWhole(const std::shared_ptr<const SourceText>& source) -> int {
    const std::optional<Module> module = Process(source);
    if (status_ != kSuccess) return status_;
    std::optional<AnswerText> answer;
    if (answer_ != nullptr && module) {
      answer = MakeAnswer(*module);
      if (!answer) return kFailure;
      // If a file for the module is given, both are wanted.
      if (!answer_->beside_module || options_.output == "-") return WriteAnswer(*answer);
    }
    const int status = module ? WriteModule(*module) : Write([](TextSink&) {});
    if (status != kSuccess || !answer) return status;
    const int printed = PrintText(answer->text);
    return printed == kSuccess && !answer->agrees ? kCheckFailed : printed;
  }

  auto MakeAnswer(const Module& module) -> std::optional<AnswerText> {
    return answer_->make({.module = module,
                          .input = input_ ? &*input_ : nullptr,
                          .options = options_,
                          .setup = setup_,
                          .known_extents = known_extents_,
                          .imported = *imported_,
                          .reporter = reporter_});
  }

  auto WriteAnswer(const AnswerText& answer) -> int {
    const int status = Write([&](TextSink& sink) { sink.Write(answer.text); });
    return status == kSuccess && !answer.agrees ? kCheckFailed : status;
  }

  auto WriteModule(const Module& module) -> int {
    std::optional<std::string> result;
    if (!options_.write_params.empty() && !reporter_.failed()) {
      std::optional<TextAndParams> written = PrintWithParams(module, options_, setup_.print, reporter_);
      if (!written) return kFailure;
      const auto write = [&written](TextSink& sink) { sink.Write(written->params); };
      if (const auto error = companions_.Add(options_.write_params, write)) {
        reporter_.Error(*error);
        return kFailure;
      }
      result = std::move(written->text);
    } else if (setup_.output->may_refuse && prints()) {
      result = WholeExport(module);
      if (!result) return kFailure;
    }
    const int status = Write([&](TextSink& sink) {
      if (result)
        sink.Write(*result);
      else
        Print(module, sink);
    });
    if (status == kSuccess && status_ != kSuccess) return status_;
    if (status == kSuccess && TellsCosts()) ShowCosts(module);
    return status;
  }

  // Whether a model is written to a file for another system, so that its changes are reported.
  auto TellsCosts() const -> bool {
    return setup_.output->may_refuse && options_.output != "-" && prints() && setup_.pass != nullptr &&
           answer_ == nullptr && !options_.quiet && options_.diagnostics_format == "text";
  }

  void ShowCosts(const Module& module) {
    if (!input_ || module.SortedFunctions<Function>().empty()) return;
    std::error_code error;
    const auto bytes = std::filesystem::file_size(options_.output, error);
    const std::optional<NodeCounts> nodes = CountNodes();
    ir_sink_.Write(ToTable(SummarizeWithSymbols(Expanded(*input_)), SummarizeWithSymbols(Expanded(module)),
                           nodes ? &*nodes : nullptr));
    if (nodes) {
      DiagnosticSink remarks;
      RemarkGrowth(*nodes, remarks);
      reporter_.Report(remarks, nullptr);
    }
    if (!options_.validate.empty()) ir_sink_.Write(LargestDifference(module));
    std::string written = Printable(options_.output) + (error ? "" : fmt::format(" ({})", BytesText(bytes)));
    for (const std::string& path : companions_.paths()) {
      const auto size = std::filesystem::file_size(path, error);
      written += fmt::format(" and {}{}", Printable(path), error ? "" : fmt::format(" ({})", BytesText(size)));
    }
    ir_sink_.Write(fmt::format("relayopt: wrote {}\n", written));
  }

  // Returns a line about the results before and after the passes, or an empty text if they cannot be computed.
  auto LargestDifference(const Module& module) const -> std::string {
    ToolOptions compared = options_;
    compared.diagnostics_format = "json";
    Reporter silent(compared);
    const auto agreement = CompareModules(*input_, module, "--validate", compared, known_extents_, silent);
    silent.Finish(/*as_data=*/false);
    if (!agreement) return "";
    double largest = 0;
    for (const OutputAgreement& output : agreement->outputs()) largest = std::max(largest, output.max_absolute);
    return fmt::format("{:<24}{:>24}\n", "largest difference", largest == 0 ? "none" : fmt::format("{:.1e}", largest));
  }

  // Returns the counts of the graph that was written, and of the one that was read, or nothing for formats without.
  auto CountNodes() const -> std::optional<NodeCounts> {
    std::string error;
    DiagnosticSink damage;
    auto written = SourceText::Open(options_.output, error);
    if (written != nullptr) written = Decompress(std::move(written), damage);
    if (written == nullptr || setup_.output->count == nullptr) return std::nullopt;
    const auto after = setup_.output->count(*written);
    const FormatDef* read = FindFormat(imported_->format);
    const bool has_counts = read != nullptr && read->count != nullptr && input_->source() != nullptr;
    return after ? std::optional(NodeCounts{has_counts ? read->count(*input_->source()) : std::nullopt, *after})
                 : std::nullopt;
  }

  // Writes the module, and files beside it, in a format that may refuse it. Returns the text, or nothing if it is
  // refused.
  auto WholeExport(const Module& module) -> std::optional<std::string> {
    StringSink text;
    DiagnosticSink problems;
    Export out{text, problems};
    setup_.output->write(module, ExportOptionsOf(options_, setup_.print), out);
    reporter_.Report(problems, module.source().get());
    if (problems.has_errors()) return std::nullopt;
    if (out.failed) status_ = kFailure;
    for (const CompanionFile& file : out.companions) {
      if (const auto owner = OwnerOf(file.path)) {
        reporter_.Error(fmt::format("-o {} would write its arrays over '{}', {}", Printable(options_.output),
                                    Printable(file.path), *owner));
        return std::nullopt;
      }
      // Where the main file is there, too, both are from an earlier run.
      const bool is_bystander = !std::filesystem::exists(options_.output) && std::filesystem::exists(file.path);
      if (is_bystander && !options_.force) {
        reporter_.Error(fmt::format("-o {} writes its arrays into '{}', which exists; --force replaces it",
                                    Printable(options_.output), Printable(file.path)));
        return std::nullopt;
      }
      if (const auto error = companions_.Add(file.path, file.write)) {
        reporter_.Error(*error);
        return std::nullopt;
      }
    }
    return std::move(text.text());
  }

  // Whose file the arrays of the output would replace, if it is not theirs. A model that is replaced itself may lose
  // the arrays that it has had.
  auto OwnerOf(const std::string& path) const -> std::optional<std::string> {
    if (const FlagDef* flag = FlagOfFile(options_, path)) return "which " + ShownName(*flag) + " names";
    if (IsRead(options_, path)) return "which is an input";
    if (!IsSameFile(options_.input, options_.output) && CannotReplaceRead(path)) return "which belongs to an input";
    return std::nullopt;
  }

  auto CommitCompanions() -> int {
    const auto error = companions_.Commit();
    if (error) reporter_.Error(*error);
    return error ? kFailure : kSuccess;
  }

  // Results are kept as text until all parts have succeeded.
  auto RunParts(const std::shared_ptr<const SourceText>& source) -> int {
    StringSink text;
    bool first = true;
    for (const auto& part : SplitParts(source, options_.split_input_file)) {
      const std::optional<Module> module = Process(part);
      if (!first) text.Write(OutputMarker(*part) + "\n\n");
      first = false;
      if (module && status_ == kSuccess && prints()) PrintPart(*module, text);
    }
    if (status_ != kSuccess) return status_;
    return Write([&](TextSink& sink) { sink.Write(text.text()); });
  }

  // Returns the line before a result that is not the first.
  auto OutputMarker(const SourceText& part) const -> std::string {
    if (!options_.output_split_marker.empty()) return options_.output_split_marker;
    if (options_.split_input_file != kPartMarker) return options_.split_input_file;
    return fmt::format("{}-----", TextKindOf(part.text()).comment);
  }

  void PrintPart(const Module& module, TextSink& sink) {
    if (answer_ == nullptr) return Print(module, sink);
    const std::optional<AnswerText> answer = MakeAnswer(module);
    if (answer)
      sink.Write(answer->text);
    else
      status_ = kFailure;
  }

  void Print(const Module& module, TextSink& sink) const {
    if (!options_.emit_checks.empty()) {
      const std::string_view comment = TextKindOf(module).comment;
      const bool is_relay = module.SortedFunctions<Function>().size() == module.SortedFunctions().size();
      return sink.Write(is_relay ? CheckLines(module, options_.emit_checks, comment, setup_.print.types)
                                 : CheckLinesOfText(PrintModule(module, setup_.print), options_.emit_checks, comment));
    }
    if (options_.print_value_users) return sink.Write(PrintWithUsers(module, setup_.print));
    DiagnosticSink problems;
    Export out{sink, problems};
    setup_.output->write(module, {.print = setup_.print}, out);
    reporter_.Report(problems, module.source().get());
  }

  // Who wants a report does not wait for the module on standard output, unless that is asked for.
  auto prints() const -> bool {
    const bool shows_only = !options_.report.empty() && answer_ == nullptr && !IsTyped(*FindFlag("output"), options_);
    return !options_.disable_output && !options_.check_only && !shows_only;
  }

  // Reads a source, runs passes and verifies; then reports the result, or compares it with the expected one.
  auto Process(const std::shared_ptr<const SourceText>& source) -> std::optional<Module> {
    DiagnosticSink sink;
    std::optional<Module> module = Transform(source, sink);
    if (module) Check(source, *module);
    if (module && options_.print_value_users && module->SortedFunctions<Function>().empty()) {
      reporter_.Error("--print-value-users is for functions of Relay, and the module has none");
    }
    if (setup_.recorder != nullptr && recorded_input_) {
      std::vector<ReportStep> steps = setup_.recorder->steps();
      const std::optional<size_t> nodes = module ? AddWrittenModel(setup_, *module, steps) : std::nullopt;
      WriteReport(options_, setup_, *recorded_input_, steps, remarks_.TakeForReport(), "", nodes, reporter_);
    }
    if (module) remarks_.AddOffload(*module);
    if (module && options_.mem_report) memory_ += MemoryReport(*module);
    if (!options_.verify_diagnostics.empty()) {
      CheckExpectations(*source, sink.diagnostics(), options_.verify_diagnostics == "only-expected", reporter_);
    } else {
      reporter_.Report(sink, source.get());
    }
    if (reporter_.failed() && status_ == kSuccess) status_ = kFailure;
    return module;
  }

  void Check(const std::shared_ptr<const SourceText>& source, const Module& module) {
    if (options_.verify_roundtrip && !CheckRoundTrip(module, options_, "as it is printed", reporter_)) {
      status_ = kCheckFailed;
    }
    if (!MeetsAssertions(module, options_, reporter_)) status_ = kCheckFailed;
    if (options_.run_twice) CompareWithSecondRun(source, module);
    if (setup_.validation != nullptr && !options_.check_only) {
      std::string tally = setup_.validation->Tally();
      if (options_.diagnostics_format == "text") {
        ir_sink_.Write(tally);
      } else {
        tally.pop_back();
        reporter_.Report(MakeDiagnostic(kValidated, {}, tally), nullptr);
      }
      const bool is_strict = options_.validate == "strict";
      const bool is_doubtful = is_strict && !setup_.validation->not_validated().empty();
      if (setup_.validation->has_mismatch() || is_doubtful) status_ = kCheckFailed;
    }
  }

  auto Transform(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink) -> std::optional<Module> {
    DiagnosticSink* before = setup_.context->SetDiagnostics(&sink);
    setup_.context->EnterFunction(GlobalId());
    if (setup_.crash != nullptr) setup_.crash->Reset();
    std::optional<Module> module = ReadAndInfer(source, sink);
    if (module && !options_.check_only) Run(*module, sink);
    if (setup_.remarks != nullptr) remarks_.Collect(*setup_.remarks, source.get(), sink);
    setup_.context->SetDiagnostics(before);
    if (sink.has_errors()) return std::nullopt;
    return module;
  }

  // Runs the passes.
  void Run(Module& module, DiagnosticSink& sink) {
    if (setup_.origins != nullptr) TrackOrigins(module);
    const Module input = module;
    if (setup_.recorder != nullptr) recorded_input_ = module;
    if ((answer_ != nullptr && answer_->keeps_input) || TellsCosts()) input_ = module;
    if (!options_.generate_reproducer.empty()) {
      const Reproducer reproducer = {ToString(setup_.pipeline), ReproducerArguments(options_, /*whole_run=*/true), ""};
      StringSink text;
      PrintReproducer(options_.generate_reproducer, reproducer, module, text);
      if (const auto error = WriteFile(options_.generate_reproducer, text.text())) {
        reporter_.Error("cannot write '" + options_.generate_reproducer + "': " + *error);
      }
    }
    if (setup_.pass != nullptr) {
      Log("running " + ToString(setup_.pipeline));
      CheckKindsOfFunctions(setup_.pipeline, module, sink);
      if (!setup_.session->Apply(*setup_.pass, module, sink)) {
        PrintFailure();
        return;
      }
      if (setup_.validation != nullptr) setup_.validation->Finish(input, module);
      if (setup_.watch != nullptr) WarnOfAbsentRuns(options_, *setup_.watch, sink);
    }
    CheckFunctionNames("--func", options_.functions, input, module, sink);
    CheckFunctionNames("--filter-print-funcs", options_.filter_print_funcs, input, module, sink);
  }

  // Prints the result of the faulty pass, or else the module on which it failed.
  void PrintFailure() {
    if (!options_.print_ir_after_failure || !setup_.crash->latest()) return;
    const CrashReporter::Latest& failed = *setup_.crash->latest();
    ir_sink_.Write(fmt::format("*** IR Dump After {} Failed ***{}\n", failed.name,
                               failed.is_result ? "" : " (the pass changed nothing)"));
    PrintModule(failed.module, setup_.print, ir_sink_);
  }

  auto ReadAndInfer(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink) -> std::optional<Module> {
    Log("reading " + source->name());
    setup_.session->imports().text.constants = params_.Constants();
    imported_ = setup_.session->Import(source, sink);
    if (!imported_) return std::nullopt;
    if (!CheckReadingFlags(*source)) return std::nullopt;
    Module module = imported_->module;
    if (!params_.Bind(module, sink)) return std::nullopt;
    Log("inferring types");
    const std::vector<TypeId> declared = AnnotationsOfMain(module);
    if (!setup_.session->Prepare(module, sink)) return std::nullopt;
    if (!declared.empty()) {
      known_extents_ = ForgottenExtents(declared, *module.function<Function>(module.FindGlobal("main")));
    }
    if (setup_.validation != nullptr) setup_.validation->SetKnownExtents(known_extents_);
    if (options_.verify_roundtrip && !CheckRoundTrip(module, options_, "as it was read", reporter_)) {
      status_ = kCheckFailed;
    }
    return module;
  }

  // Flags for a format that was not read would have no effect; several inputs, and the other side of a comparison, may
  // be of that format.
  auto CheckReadingFlags(const SourceText& source) -> bool {
    const bool reads_other = answer_ != nullptr && answer_->reads_other;
    if (options_.input_files.size() > 1 || reads_other) return true;
    const std::string_view read = imported_->format;
    for (const FlagDef* flag : options_.typed) {
      const std::vector<std::string_view> formats = SplitText(flag->reads_format, ' ');
      if (formats.empty() || std::ranges::find(formats, read) != formats.end()) continue;
      reporter_.Error(fmt::format("{} is about reading {}, which '{}' is not", ShownName(*flag),
                                  FindFormat(formats.front())->title, Printable(source.name())));
      return false;
    }
    return true;
  }

  // Returns empty if @main will not be evaluated.
  auto AnnotationsOfMain(const Module& module) const -> std::vector<TypeId> {
    std::vector<TypeId> types;
    const GlobalId main = module.FindGlobal("main");
    const bool evaluates = setup_.validation != nullptr || (answer_ != nullptr && answer_->evaluates);
    if (!evaluates || !main || module.function<Function>(main) == nullptr) return types;
    const Function& function = *module.function<Function>(main);
    for (const ExprId param : function.params()) types.push_back(function.var(param).annotation);
    return types;
  }

  void CompareWithSecondRun(const std::shared_ptr<const SourceText>& source, const Module& first) {
    DiagnosticSink sink;
    const std::optional<Module> second = Transform(source, sink);
    PrintOptions print = setup_.print;
    print.elide_constants_if_larger.reset();
    if (second && PrintModule(*second, print) == PrintModule(first, print)) return;
    reporter_.Report(MakeDiagnostic(kUnstable, {}), source.get());
    status_ = kCheckFailed;
  }

  template <typename Print>
  auto Write(Print&& print) -> int {
    setup_.monitor->Stop();
    if (setup_.range != nullptr && setup_.pass != nullptr && !options_.check_only) CheckRange(*setup_.range, reporter_);
    if (reporter_.failed()) return kFailure;
    if (!prints()) return CommitCompanions();
    OutputFile file;
    if (!IsSameFile(options_.input, options_.output)) {
      if (const auto error = CannotReplaceRead(options_.output)) return CannotWrite(*error);
    }
    if (const auto error = file.Open(options_.output)) return CannotWrite(*error);
    FdSink sink(file.fd());
    setup_.session->Step("(print)", true);
    if (WithoutCompression(options_.output) == options_.output)
      print(sink);
    else if (const auto error = WriteCompressed(print, sink))
      return CannotWrite(*error);
    sink.Flush();
    setup_.session->Step("(print)", false);
    if (reporter_.failed()) return kFailure;
    if (sink.error() == EPIPE) return kClosedPipe;
    if (sink.error() != 0) return CannotWrite(std::strerror(sink.error()));
    if (CommitCompanions() != kSuccess) return kFailure;
    if (const auto error = file.Commit(options_.write_if_changed)) return CannotWrite(*error);
    return kSuccess;
  }

  template <typename Print>
  auto WriteCompressed(Print& print, TextSink& sink) -> std::optional<std::string> {
    StringSink whole;
    print(whole);
    std::string bytes(whole.text());
    if (auto error = CompressFor(options_.output, bytes)) return error;
    sink.Write(bytes);
    return std::nullopt;
  }

  auto CannotWrite(const std::string& why) -> int {
    const std::string where =
        options_.output == "-" ? "standard output" : fmt::format("'{}'", Printable(options_.output));
    reporter_.Error(fmt::format("cannot write {}: {}", where, why));
    return kFailure;
  }

  const ToolOptions& options_;
  const Setup& setup_;
  Reporter& reporter_;
  TextSink& ir_sink_;
  RemarkReport remarks_;
  // The text for --mem-report.
  std::string memory_;
  BoundFile params_;
  // Null if the module is printed.
  const AnswerDef* answer_;
  int status_ = kSuccess;
  Companions companions_;
  // The input of the passes, for answers that keep it.
  std::optional<Module> input_;
  // The same, for --report.
  std::optional<Module> recorded_input_;
  // Known extents of the program being transformed, for evaluating it.
  std::vector<BoundExtent> known_extents_;
  // What was read.
  std::optional<ImportedModule> imported_;
};

// Removes passes that are disabled, and combinators that are empty without them. Pipelines nest a limited depth.
void RemoveDisabled(Pipeline& pipeline, const std::vector<std::string>& disabled) {
  std::erase_if(pipeline, [&](PipelineElement& element) {
    if (element.kind == PipelineElement::Kind::kPass)
      return std::ranges::find(disabled, InfoOf(*element.def).name) != disabled.end();
    if (element.children.empty()) return false;
    RemoveDisabled(element.children, disabled);
    return element.children.empty();
  });
}

// The passes that a named pipeline stands for, without disabled ones.
auto ExpansionWithout(const PipelineElement& element, const std::vector<std::string>& disabled) -> std::string {
  std::string text = Expansion(element);
  if (disabled.empty()) return text;
  Result<Pipeline> passes = ParsePipeline(text);
  if (!passes) return text;
  RemoveDisabled(*passes, disabled);
  return ToString(*passes);
}

// Named pipelines are expanded when everything is to be shown. Their passes run at a level of their own, which a
// comment states.
auto PrintPipeline(const ToolOptions& options, const Setup& setup) -> int {
  Pipeline pipeline = setup.pipeline;
  const std::vector<std::string>& disabled = setup.context->options().disabled_pass;
  if (options.print_pipeline == "full") RemoveDisabled(pipeline, disabled);
  std::string text = ToString(pipeline) + "\n";
  if (options.print_pipeline == "full") {
    text.clear();
    for (const PipelineElement& element : pipeline) {
      const bool is_last = &element == &pipeline.back();
      const std::string itself = ToString(Pipeline{element});
      text += element.kind == PipelineElement::Kind::kNamed
                  ? fmt::format("# {}: those of level {} and below of\n{}{}\n", itself, element.named->opt_level,
                                ExpansionWithout(element, disabled), is_last ? "" : ",")
                  : fmt::format("{}{}\n", itself, is_last ? "" : ",");
    }
  }
  return PrintText(text);
}

}  // namespace

auto RunInput(const ToolOptions& options, Reporter& reporter) -> int {
  FdSink ir_sink(STDERR_FILENO, /*buffered=*/false);
  const std::unique_ptr<Setup> setup = Prepare(options, reporter, ir_sink);
  if (setup == nullptr) return kFailure;
  if (!options.print_pipeline.empty()) return PrintPipeline(options, *setup);
  if (options.dump_pass_pipeline) ir_sink.Write(ToString(setup->pipeline) + "\n");
  ReportCrashesTo(setup->crash.get());
  return Driver(options, *setup, reporter, ir_sink).Run();
}

}  // namespace relayopt
