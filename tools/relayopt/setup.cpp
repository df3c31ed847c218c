// From the command line to a pass and a context.
#include "setup.h"

#include <algorithm>

#include "relayopt/pass/registry.h"

namespace relayopt {

namespace {

// At this level every pass runs.
constexpr int kHighestLevel = 5;

// The pieces of a pipeline as one text, so that messages can show all of it.
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
    std::string error;
    const auto source = SourceText::Open(file, error);
    if (source == nullptr) {
      reporter.Error("cannot read '" + file + "': " + error);
      continue;
    }
    text += (text.empty() ? "" : ",\n") + std::string(source->text());
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

// The info names that a list of names means.
auto InfoNames(const std::vector<std::string>& names, const char* flag, Reporter& reporter)
    -> std::vector<std::string> {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (const PassDef* def = FindPass(name)) {
      out.push_back(InfoOf(*def).name);
      continue;
    }
    const std::vector<std::string> parts = PartNames();
    if (std::find(parts.begin(), parts.end(), name) != parts.end()) {
      out.push_back(name);
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
    std::vector<std::string_view> keys;
    for (const ConfigOption* known : ConfigOptions()) keys.push_back(known->key);
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

auto PrintOptionsOf(const ToolOptions& options) -> PrintOptions {
  PrintOptions print;
  print.types = options.print_types == "all";
  print.spans = options.print_spans;
  if (options.print_metadata == "omitted") print.metadata = MetadataPrinting::kOmitted;
  if (options.print_metadata == "none") print.metadata = MetadataPrinting::kSilent;
  return print;
}

// The flags that make a context like this one, for a command that runs a single pass again.
auto ContextFlags(const ToolOptions& options) -> std::string {
  std::string flags = " --opt-level=" + std::to_string(std::max(options.opt_level, kHighestLevel));
  for (const std::string& setting : options.config) flags += " --config='" + setting + "'";
  if (!options.target.empty()) flags += " --target='" + options.target + "'";
  return flags;
}

void AddInstruments(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink, Setup& setup,
                    PassContextOptions& context) {
  // Timing comes first, so that it does not count what the others do.
  if (options.time_passes) {
    setup.timing = std::make_shared<PassTimingInstrument>();
    context.instruments.push_back(setup.timing);
  }
  PrintIRInstrument::Options print;
  print.before_all = options.print_ir_before_all;
  print.after_all = options.print_ir_after_all || options.print_ir_after_change;
  print.only_changed = options.print_ir_after_change && !options.print_ir_after_all;
  print.before = InfoNames(options.print_ir_before, "--print-ir-before", reporter);
  print.after = InfoNames(options.print_ir_after, "--print-ir-after", reporter);
  print.print = setup.print;
  if (print.before_all || print.after_all || !print.before.empty() || !print.after.empty()) {
    context.instruments.push_back(std::make_shared<PrintIRInstrument>(std::move(print), ir_sink));
  }
  if (!options.dump_ir_dir.empty()) {
    context.instruments.push_back(std::make_shared<DumpIRInstrument>(options.dump_ir_dir, setup.print));
  }
  if (options.bisect_limit >= 0) {
    context.instruments.push_back(std::make_shared<BisectInstrument>(options.bisect_limit, ir_sink));
  }
  if (setup.pass != nullptr && options.crash_reproducer != "none") {
    setup.crash = std::make_shared<CrashReporter>(setup.pipeline, options.crash_reproducer, ContextFlags(options));
    context.instruments.push_back(setup.crash);
  }
  if (options.verify_each != "0") context.instruments.push_back(std::make_shared<VerifyInstrument>());
}

}  // namespace

auto Prepare(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink) -> std::unique_ptr<Setup> {
  auto prepared = std::make_unique<Setup>();
  Setup& setup = *prepared;
  const auto text = PipelineText(options, reporter);
  Result<Pipeline> pipeline = ParsePipeline(text->text());
  if (!pipeline) {
    reporter.Report(pipeline.error(), text.get());
    return nullptr;
  }
  setup.pipeline = std::move(*pipeline);
  if (!setup.pipeline.empty()) {
    Result<PassRef> pass = BuildPipeline(setup.pipeline);
    if (!pass)
      reporter.Report(pass.error(), nullptr);
    else
      setup.pass = std::move(*pass);
  }

  setup.print = PrintOptionsOf(options);
  PassContextOptions context;
  context.opt_level = options.opt_level;
  context.target = options.target;
  context.infer_types_after_module_passes = true;
  context.warn_about_skipped_passes = true;
  context.disabled_pass = InfoNames(options.disabled_pass, "--disabled-pass", reporter);
  context.required_pass = InfoNames(options.required_pass, "--required-pass", reporter);
  for (const std::string& setting : options.config) SetConfig(setting, context, reporter);
  AddInstruments(options, reporter, ir_sink, setup, context);
  Result<PassContextRef> made = PassContext::Create(std::move(context));
  if (!made)
    reporter.Report(made.error(), nullptr);
  else
    setup.context = std::move(*made);
  if (reporter.failed()) return nullptr;
  return prepared;
}

}  // namespace relayopt
