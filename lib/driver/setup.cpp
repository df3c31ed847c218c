// From the command line to a pass and a context.
#include "setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "answers.h"
#include "flags.h"
#include "format_options.h"
#include "hooks.h"
#include "relayopt/convert/compression.h"
#include "relayopt/pass/growth.h"
#include "relayopt/pass/registry.h"
#include "relayopt/pass/rewrite_gate.h"
#include "relayopt/relay/text/module_diff.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/process.h"
#include "relayopt/support/text_pieces.h"
#include "relayopt/target/target.h"
#include "reports.h"
#include "reproducer.h"
#include "run.h"

namespace relayopt {

namespace {

// Returns the pieces of a pipeline as one text, so that messages can show all of it.
auto PipelineText(const ToolOptions& options, Reporter& reporter) -> std::shared_ptr<const SourceText> {
  std::vector<std::string> files = options.passes_files;
  std::string text;
  for (const std::string& piece : options.passes) {
    // As in other tools, `--passes=@FILE` is --passes-file=FILE.
    if (piece.starts_with('@'))
      files.push_back(piece.substr(1));
    else
      text += (text.empty() ? "" : ",") + piece;
  }
  // A single file is shown under its own name.
  const std::string name = text.empty() && files.size() == 1 ? files.front() : "--passes";
  for (const std::string& file : files) {
    const auto source = OpenText(file, reporter);
    if (source != nullptr) text += (text.empty() ? "" : ",\n") + std::string(source->text());
  }
  return SourceText::FromString(name, std::move(text));
}

// Info names of passes that are parts of others and have no row.
void AddPartNames(const Pass& pass, std::vector<std::string>& names) {
  for (const PassRef& part : pass.passes()) {
    names.push_back(part->info().name);
    AddPartNames(*part, names);
  }
}

auto PartNames() -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const PassDef* def : AllPasses()) {
    if (def->kind != PassKind::kSequence) continue;
    if (const Result<PassRef> pass = CreatePass(*def)) AddPartNames(**pass, names);
  }
  return names;
}

// Returns the info names that a list of names means, each once.
auto InfoNames(const std::vector<std::string>& names, const char* flag, Reporter& reporter)
    -> std::vector<std::string> {
  std::vector<std::string> out;
  const auto add = [&out](const std::string& name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  // Listing them makes every pass, which most runs need not.
  std::vector<std::string> parts;
  for (const std::string& name : names) {
    if (const PassDef* def = FindPass(name)) {
      add(InfoOf(*def).name);
      continue;
    }
    if (parts.empty()) parts = PartNames();
    if (std::ranges::find(parts, name) != parts.end()) {
      add(name);
    } else {
      reporter.Error(std::string(flag) + ": unknown pass '" + name + "'" + DidYouMeanPass(name));
    }
  }
  return out;
}

void SetConfig(const std::string& setting, PassContextOptions& context, Reporter& reporter) {
  const size_t equals = setting.find('=');
  const std::string key = setting.substr(0, equals);
  const ConfigOption* option = FindConfigOption(key);
  if (option == nullptr) {
    const auto keys = MapToVector<std::string_view>(ConfigOptions(), &ConfigOption::key);
    reporter.Error("--config: unknown key '" + key + "'" + DidYouMean(key, keys));
    return;
  }
  const std::string text = equals == std::string::npos ? "" : setting.substr(equals + 1);
  std::optional<OptionValue> value = ParseOptionValue(option->kind, text);
  if (equals == std::string::npos || !value) {
    reporter.Error("--config: '" + key + "' expects " + std::string(KindName(option->kind)) + ", not '" + text + "'");
    return;
  }
  context.config[key] = std::move(*value);
}

// Returns the target with its host.
auto TargetText(const ToolOptions& options, Reporter& reporter) -> std::string {
  if (options.target_host.empty()) return options.target;
  Result<Target> target = Target::Parse(options.target);
  Result<Target> host = Target::Parse(options.target_host);
  for (const Result<Target>* parsed : {&target, &host}) {
    if (!*parsed) reporter.Report(parsed->error(), nullptr);
  }
  if (!target || !host) return {};
  return target->WithHost(std::make_shared<const Target>(*std::move(host))).ToJson();
}

// Print options for text that will be read again.
auto Whole(PrintOptions print) -> PrintOptions {
  print.elide_constants_if_larger.reset();
  return print;
}

auto PrintOptionsOf(const ToolOptions& options) -> PrintOptions {
  PrintOptions print;
  print.types = options.print_types == "all"     ? TypePrinting::kAll
                : options.print_types == "calls" ? TypePrinting::kCalls
                                                 : TypePrinting::kNone;
  print.spans = options.print_spans;
  print.elide_constants_if_larger = options.elide_constants_if_larger;
  // A terminal gets no megabytes of base64; a note in the text says what is left out.
  const bool to_terminal = options.output == "-" && IsTerminal(STDOUT_FILENO);
  const bool is_left_out = to_terminal && !IsTyped(*FindFlag("print-metadata"), options);
  if (options.print_metadata == "omitted" || is_left_out) print.metadata = MetadataPrinting::kOmitted;
  if (options.print_metadata == "none") print.metadata = MetadataPrinting::kSilent;
  return print;
}

// Removes the number from the end of `NAME,N` and returns it: 1 if there is none, nothing if it is malformed.
auto CutNumber(std::string& text) -> std::optional<uint64_t> {
  const size_t comma = text.find(',');
  if (comma == std::string::npos) return 1;
  const auto number = ParseNumber<uint64_t>(std::string_view(text).substr(comma + 1));
  if (number == 0) return std::nullopt;
  text.resize(comma);
  return number;
}

// Returns the run of a pass that `NAME` or `NAME,N` means, or nothing if the flag is not given or wrong.
auto PointOf(std::string text, const char* flag, Reporter& reporter) -> std::optional<PassRangeInstrument::Point> {
  if (text.empty()) return std::nullopt;
  const std::string given = text;
  const std::optional<uint64_t> run = CutNumber(text);
  if (!run) {
    reporter.Error(fmt::format("{}: expected NAME or NAME,N with N from 1, not '{}'", flag, given));
    return std::nullopt;
  }
  const std::vector<std::string> names = InfoNames({text}, flag, reporter);
  if (names.empty()) return std::nullopt;
  return PassRangeInstrument::Point{names.front(), *run};
}

// Returns the set of numbers that a flag gives, or nothing if it is not given or wrong.
auto NumbersOf(const std::string& text, const char* flag, Reporter& reporter) -> std::optional<NumberSet> {
  if (text.empty()) return std::nullopt;
  std::optional<NumberSet> numbers = NumberSet::Parse(text);
  if (!numbers) reporter.Error(fmt::format("{}: expected rising numbers as in 1-10,12, not '{}'", flag, text));
  return numbers;
}

auto BisectNumbers(const ToolOptions& options, Reporter& reporter) -> std::optional<NumberSet> {
  if (!options.bisect.empty()) {
    return NumbersOf(fmt::format("{}", fmt::join(options.bisect, ",")), "--opt-bisect", reporter);
  }
  if (!options.bisect_limit) return std::nullopt;
  const int64_t limit = *options.bisect_limit;
  return limit < 0 ? NumberSet::Parse("1-") : NumberSet::UpTo(static_cast<uint64_t>(limit));
}

// Returns the debug counter called `PASS.NAME`, or `PASS` when the pass declares one or none, or null if there is none.
auto FindDebugCounter(const std::string& name) -> const Statistic* {
  const size_t dot = name.rfind('.');
  const PassDef* whole = FindPass(name);
  const PassDef* def = whole != nullptr || dot == std::string::npos ? whole : FindPass(name.substr(0, dot));
  if (def == nullptr) return nullptr;
  if (whole == nullptr && name.substr(dot + 1) == RewriteGate::kCounter) return &RewritesOf(*def);
  const Statistic* found = nullptr;
  for (const Statistic& statistic : def->statistics) {
    if (!statistic.is_debug_counter) continue;
    if (whole == nullptr && statistic.name != name.substr(dot + 1)) continue;
    if (found != nullptr) return nullptr;
    found = &statistic;
  }
  return found == nullptr && whole != nullptr ? &RewritesOf(*def) : found;
}

void AddDebugCounter(const std::string& text, PassContextOptions& context, Reporter& reporter) {
  const size_t equals = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, equals);
  const Statistic* statistic = FindDebugCounter(name);
  if (statistic == nullptr) {
    std::vector<std::string> names;
    for (const PassDef* def : AllPasses()) {
      for (const Statistic& known : def->statistics) {
        if (known.is_debug_counter) names.push_back(fmt::format("{}.{}", known.pass, known.name));
      }
      names.push_back(fmt::format("{}.{}", def->name, RewriteGate::kCounter));
    }
    reporter.Error(fmt::format("--debug-counter: unknown counter '{}'{}; see --list-debug-counters", name,
                               DidYouMean(name, std::vector<std::string_view>(names.begin(), names.end()))));
    return;
  }
  const std::string numbers = equals == text.size() ? "none" : text.substr(equals + 1);
  if (numbers == "0") {
    context.debug_counters.push_back({statistic, NumberSet::UpTo(0)});
  } else if (auto allowed = NumbersOf(numbers, "--debug-counter", reporter)) {
    context.debug_counters.push_back({statistic, std::move(*allowed)});
  }
}

// Returns the info names of the passes that a pipeline names.
auto NamedPasses(const Pipeline& pipeline) -> std::vector<std::string> {
  std::vector<std::string> names;
  std::vector<const Pipeline*> open = {&pipeline};
  while (!open.empty()) {
    const Pipeline& part = *open.back();
    open.pop_back();
    for (const PipelineElement& element : part) {
      if (element.kind == PipelineElement::Kind::kPass) names.push_back(InfoOf(*element.def).name);
      open.push_back(&element.children);
    }
  }
  return names;
}

void AddPrinting(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink, const Setup& setup,
                 PassContextOptions& context) {
  PrintIRInstrument::Options print;
  print.before_all = options.print_ir_before_all;
  print.after_all = options.print_ir_after_all || options.print_ir_after_change;
  print.only_changed = options.print_ir_after_change && !options.print_ir_after_all;
  print.named = NamedPasses(setup.pipeline);
  print.before = InfoNames(options.print_ir_before, "--print-ir-before", reporter);
  print.after = InfoNames(options.print_ir_after, "--print-ir-after", reporter);
  print.before_numbers = NumbersOf(options.print_before_pass_number, "--print-before-pass-number", reporter);
  print.after_numbers = NumbersOf(options.print_after_pass_number, "--print-after-pass-number", reporter);
  print.show_numbers = options.print_pass_numbers;
  if (!options.print_module_scope) print.functions = options.filter_print_funcs;
  print.print = setup.print;
  if (print.before_all || print.after_all || !print.before.empty() || !print.after.empty() || print.before_numbers ||
      print.after_numbers || print.show_numbers) {
    context.instruments.push_back(std::make_shared<PrintIRInstrument>(std::move(print), ir_sink));
  }
  const std::vector<std::string> shown = InfoNames(options.filter_passes, "--filter-passes", reporter);
  if (!options.print_changed.empty()) {
    const std::string_view mode = options.print_changed;
    PrintChangedInstrument::Options changed;
    changed.diff = mode.find("diff") != std::string_view::npos;
    changed.quiet = mode.ends_with("quiet");
    changed.color = mode.starts_with("cdiff");
    if (!options.print_module_scope) changed.functions = options.filter_print_funcs;
    changed.passes = shown;
    changed.print = setup.print;
    changed.differ = [color = changed.color](const Module& before, const Module& after,
                                             const std::vector<std::string>& functions) {
      return ToText(DiffModules(before, after, functions), {.color = color});
    };
    context.instruments.push_back(std::make_shared<PrintChangedInstrument>(std::move(changed), ir_sink));
  }
  if (!options.dump_ir_dir.empty()) {
    context.instruments.push_back(std::make_shared<DumpIRInstrument>(options.dump_ir_dir, setup.print));
  }
}

// Whether an option writes to standard error while passes run.
auto PrintsWhilePassesRun(const ToolOptions& options) -> bool {
  return options.print_ir_before_all || options.print_ir_after_all || options.print_ir_after_change ||
         !options.print_ir_before.empty() || !options.print_ir_after.empty() || !options.print_changed.empty() ||
         !options.print_before_pass_number.empty() || !options.print_after_pass_number.empty() ||
         options.print_pass_numbers || !options.bisect.empty() || options.bisect_limit ||
         !options.exec_on_ir_change.empty() || options.verbose;
}

// Adds the instruments that decide which passes run.
void AddChoosing(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink, Setup& setup,
                 PassContextOptions& context) {
  auto start = PointOf(options.start_before, "--start-before", reporter);
  auto stop = PointOf(options.stop_after, "--stop-after", reporter);
  if (start || stop) {
    setup.range = std::make_shared<PassRangeInstrument>(std::move(start), std::move(stop));
    context.instruments.push_back(setup.range);
  }
  if (std::optional<NumberSet> numbers = BisectNumbers(options, reporter)) {
    context.instruments.push_back(std::make_shared<BisectInstrument>(std::move(*numbers), ir_sink, setup.range));
  }
}

// The level is that at which the pass ran when it crashed, which only the reporter knows.
auto CrashArguments(ToolOptions options) -> std::string {
  options.opt_level.reset();
  return ReproducerArguments(options, /*whole_run=*/false);
}

// Returns what the monitor of a run limits and shows.
auto LimitsOfRun(const ToolOptions& options, const Pipeline& pipeline) -> Monitor::Options {
  Monitor::Options limits;
  limits.pass_timeout = std::chrono::duration<double>(LimitsOf(options).pass_timeout);
  limits.max_memory = LimitsOf(options).max_memory;
  const AnswerDef* answer = WantedAnswer(options);
  // Searches show their own progress.
  const bool searches = answer != nullptr && answer->search != nullptr;
  limits.progress = IsTerminal(STDERR_FILENO) && !PrintsWhilePassesRun(options) && !searches;
  limits.passes = limits.progress ? CountPasses(pipeline) : 0;
  return limits;
}

void AddInstruments(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink, Setup& setup,
                    PassContextOptions& context) {
  // Timing comes first, so that it does not count what the others do.
  if (!ReportOptionsOf(options).time_passes.empty() || !ReportOptionsOf(options).time_passes_json.empty() ||
      !ReportOptionsOf(options).time_trace.empty()) {
    setup.timing = std::make_shared<PassTimingInstrument>();
    context.instruments.push_back(setup.timing);
  }
  if (RecordsRuns(options)) {
    setup.recorder = std::make_shared<RunRecorder>();
    context.instruments.push_back(setup.recorder);
  }
  const AnswerDef* answer = WantedAnswer(options);
  const bool tracks_origins = answer != nullptr && answer->tracks_origins;
  if (tracks_origins || !options.validate.empty() || WantsRemarks(options)) {
    setup.origins = std::make_shared<OriginRecorder>();
    context.instruments.push_back(setup.origins);
  }
  if (options.verbose || NamesRuns(options)) {
    setup.watch = std::make_shared<RunWatch>();
    context.instruments.push_back(setup.watch);
  }
  AddPrinting(options, reporter, ir_sink, setup, context);
  AddChoosing(options, reporter, ir_sink, setup, context);
  if (!options.exec_on_ir_change.empty()) {
    context.instruments.push_back(
        std::make_shared<ExecOnChange>(options.exec_on_ir_change, options.exec_stop, Whole(setup.print)));
  }
  if (!ReportOptionsOf(options).stats.empty() || !ReportOptionsOf(options).stats_json.empty()) {
    setup.statistics = std::make_shared<Statistics>();
    context.statistics = setup.statistics;
    context.instruments.push_back(std::make_shared<StatisticsInstrument>(setup.statistics));
  }
  if (answer != nullptr && answer->instrument != nullptr) {
    setup.watcher = answer->instrument();
    context.instruments.push_back(setup.watcher);
  }
  CheckRemarkPatterns(options, reporter);
  if (WantsRemarks(options)) {
    setup.remarks = std::make_shared<RemarkLog>();
    context.remarks = setup.remarks;
    context.instruments.push_back(setup.remarks);
  }
  if (setup.pass != nullptr) {
    setup.crash = std::make_shared<CrashReporter>(
        setup.pipeline, CrashReporter::Options{options.crash_reproducer, CrashArguments(options),
                                               options.debug_counters, options.print_on_crash});
    context.instruments.push_back(setup.crash);
  }
  setup.monitor = std::make_shared<Monitor>(LimitsOfRun(options, setup.pipeline), setup.crash);
  context.instruments.push_back(setup.monitor);
  if (options.verify_each) context.instruments.push_back(std::make_shared<VerifyInstrument>());
  if (!options.validate.empty()) {
    setup.validation = MakeValidation(options, Whole(setup.print), ir_sink, reporter);
    context.instruments.push_back(setup.validation);
  }
}

// The format given by --emit, or else by the ending of -o. With --run, the result is printed and not the module.
auto OutputFormat(const ToolOptions& options, Reporter& reporter) -> const FormatDef* {
  const FormatDef* text = FindFormat("text");
  if (!options.emit.empty()) return FindFormat(options.emit);
  const FormatDef* by_ending = EvaluationOf(options).run ? nullptr : FormatOfEnding(WithoutCompression(options.output));
  if (by_ending == nullptr) return text;
  if (by_ending->write == nullptr) {
    const std::string_view instead = by_ending->write_instead;
    reporter.Error(fmt::format("-o {}: relayopt does not write {}; {}", Printable(options.output), by_ending->title,
                               instead.empty() ? "--emit=text writes text whatever the name" : instead));
  }
  return by_ending;
}

// Whether a report is about a model that becomes ONNX again although it is not written.
auto ReportsOnnx(const ToolOptions& options, const Pipeline& pipeline) -> bool {
  if (options.report.empty() || !options.emit.empty() || IsTyped(*FindFlag("output"), options)) return false;
  return std::ranges::any_of(pipeline, [](const PipelineElement& element) {
    return element.kind == PipelineElement::Kind::kNamed && element.named->name == "onnx";
  });
}

// Checks that the requested output can be written in this format, and to this destination.
void CheckOutput(const ToolOptions& options, const FormatDef& format, Reporter& reporter) {
  for (const FlagDef* flag : options.typed) {
    const std::vector<std::string_view> formats = SplitText(flag->writes_format, ' ');
    if (formats.empty() || std::ranges::find(formats, format.name) != formats.end()) continue;
    reporter.Error(fmt::format("{} is about writing {}, and the output is {}", ShownName(*flag),
                               FindFormat(formats.front())->title, format.title));
  }
  if (options.print_value_users && format.name != "text") {
    reporter.Error(fmt::format("--print-value-users belongs to text, which {} is not", format.title));
  }
  if (!format.is_binary || EvaluationOf(options).run || options.disable_output) return;
  if (!options.split_input_file.empty()) {
    reporter.Error(fmt::format("--split-input-file makes several modules; {} holds one", format.name));
  }
  if (options.output == "-" && !options.force && IsTerminal(STDOUT_FILENO)) {
    reporter.Error(fmt::format(
        "--emit={} does not write text: not to a terminal, but to -o FILE; -f writes it all the same", format.name));
  }
}

// The text of the table for AlterOpLayout.
void SetTargetTable(const std::string& file, PassContextOptions& context, Reporter& reporter) {
  if (file.empty()) return;
  std::string error;
  const auto source = SourceText::Open(file, error);
  if (source == nullptr) {
    reporter.Error("--target-table: cannot read '" + file + "': " + error);
    return;
  }
  context.config["relay.AlterOpLayout.target_table"] = std::string(source->text());
}

// Parses the pipeline and makes its pass. Returns false if the pipeline cannot be parsed; other errors are only
// reported, so that further ones are found.
auto PreparePipeline(const ToolOptions& options, Reporter& reporter, Setup& setup) -> bool {
  const auto text = PipelineText(options, reporter);
  Result<Pipeline> pipeline = ParsePipeline(text->text());
  if (!pipeline) {
    reporter.Report(pipeline.error(), text.get());
    return false;
  }
  setup.pipeline = std::move(*pipeline);
  if (setup.pipeline.empty()) return true;
  if (options.converge) {
    PipelineElement loop;
    loop.kind = PipelineElement::Kind::kFixpoint;
    loop.count = kFixpointDefault;
    loop.children = std::exchange(setup.pipeline, {});
    setup.pipeline.push_back(std::move(loop));
  }
  Result<PassRef> pass = BuildPipeline(setup.pipeline);
  if (!pass)
    reporter.Report(pass.error(), nullptr);
  else
    setup.pass = std::move(*pass);
  return true;
}

// Makes the context of the passes, with the instruments that the options ask for.
void PrepareContext(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink, Setup& setup) {
  PassContextOptions context;
  context.opt_level = static_cast<int>(options.opt_level.value_or(kHighestLevel));
  context.threads = options.threads == 0 ? std::max(std::thread::hardware_concurrency(), 1U) : options.threads;
  context.target = TargetText(options, reporter);
  context.strict_fp = options.strict_fp;
  context.infer_types_after_module_passes = true;
  context.warn_about_skipped_passes = true;
  context.disabled_pass = InfoNames(options.disabled_pass, "--disabled-pass", reporter);
  context.required_pass = InfoNames(options.required_pass, "--required-pass", reporter);
  if (LimitsOf(options).max_ops != 0)
    context.config.insert_or_assign(std::string(kMaxOpsKey),
                                    static_cast<int64_t>(std::min<uint64_t>(LimitsOf(options).max_ops, INT64_MAX)));
  for (const std::string& setting : options.config) SetConfig(setting, context, reporter);
  SetTargetTable(options.target_table, context, reporter);
  for (const std::string& counter : options.debug_counters) AddDebugCounter(counter, context, reporter);
  context.functions = options.functions;
  AddInstruments(options, reporter, ir_sink, setup, context);
  Result<PassContextRef> made = PassContext::Create(std::move(context));
  if (!made)
    reporter.Report(made.error(), nullptr);
  else
    setup.context = std::move(*made);
  if (setup.crash != nullptr) setup.crash->SetContext(setup.context.get());
}

}  // namespace

auto Prepare(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink) -> std::unique_ptr<Setup> {
  auto prepared = std::make_unique<Setup>();
  Setup& setup = *prepared;
  if (!PreparePipeline(options, reporter, setup)) return nullptr;
  setup.print = PrintOptionsOf(options);
  PrepareContext(options, reporter, ir_sink, setup);
  setup.output = OutputFormat(options, reporter);
  CheckOutput(options, *setup.output, reporter);
  if (ReportsOnnx(options, setup.pipeline)) setup.output = FindFormat("onnx");
  std::optional<ImportOptions> imports = ImportOptionsOf(options, *setup.output, reporter);
  if (reporter.failed() || !imports) return nullptr;
  SessionOptions session{.imports = *std::move(imports), .print = setup.print, .input_format = options.input_format};
  setup.session = std::make_unique<Session>(std::move(session), setup.context);
  if (setup.timing != nullptr) {
    // Steps of the tool itself appear in the timing table among the passes.
    setup.session->WatchSteps([timing = setup.timing.get()](const char* step, bool begins) {
      const PassInfo info{0, step, {}};
      static_cast<void>(begins ? timing->RunBeforePass(Module(), info) : timing->RunAfterPass(Module(), info, false));
    });
  }
  return prepared;
}

}  // namespace relayopt
