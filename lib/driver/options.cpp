// Parses the command line: CLI11 by the rows of flags, then the rules that relate several options.
#include "options.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>

#include "answers.h"
#include "arguments.h"
#include "completion.h"
#include "flag_help.h"
#include "flag_option.h"
#include "flags.h"
#include "output.h"
#include "relayopt/convert/compression.h"
#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/registry.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/process.h"
#include "relayopt/support/text_pieces.h"
#include "reporter.h"
#include "reproducer.h"
#include "run.h"
#include "spellings.h"

namespace relayopt {

namespace {

// The likely meaning of a word such as `-o3` or `-omodel.relay`, which is never cut after its letter.
auto LetterHint(std::string_view typed) -> std::string {
  const auto letter = static_cast<unsigned char>(typed[1]);
  const std::string_view rest = typed.substr(2);
  const bool is_number = !rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos;
  const FlagDef* upper = FindFlag(static_cast<char>(std::toupper(letter)));
  if (is_number && upper != nullptr && upper->value_may_follow) {
    return fmt::format(" (did you mean '-{}{}'?)", upper->letter, rest);
  }
  const FlagDef* flag = FindFlag(typed[1]);
  const bool is_word = rest.find_first_of("./=,<(") == std::string_view::npos;
  if (flag == nullptr || IsSwitch(*flag) || rest.empty() || is_word) return "";
  return fmt::format("; the value of -{0} is a word of its own: -{0} {1}", typed[1], rest);
}

// Returns the message about an option without a row, as it was typed.
auto UnknownOption(std::string_view typed) -> std::string {
  const std::string_view shown = typed.substr(0, typed.find('='));
  const bool has_one_dash = !shown.starts_with("--");
  std::string_view name = shown.substr(has_one_dash ? 1 : 2);
  if (const std::string_view hint = SpellingHint(name); !hint.empty()) {
    return fmt::format("unknown option '{}': {}", shown, hint);
  }
  if (name.starts_with("mlir-")) name.remove_prefix(5);
  const std::string letter = has_one_dash && name.size() > 1 ? LetterHint(typed) : "";
  if (letter.starts_with(" (did you mean")) return fmt::format("unknown option '{}'{}", shown, letter);
  std::vector<std::string_view> names;
  for (const FlagDef& flag : AllFlags()) {
    if (!flag.name.empty()) names.push_back(flag.name);
    for (const std::string_view synonym : SplitText(flag.synonyms, ' ')) names.push_back(synonym);
  }
  if (const auto near = Nearest(name, names); !near.empty()) {
    return fmt::format("unknown option '{}' (did you mean '--{}'?)", shown, near.front());
  }
  if (const std::string pass = DidYouMeanPass(name); !pass.empty()) {
    return fmt::format("unknown option '{}'; passes are given to --passes{}", shown, pass);
  }
  const auto longer = std::ranges::find_if(names, [&](std::string_view known) { return known.starts_with(name); });
  if (name.size() >= 3 && longer != names.end()) {
    return fmt::format("unknown option '{}' (did you mean '--{}'?)", shown, *longer);
  }
  if (!letter.empty()) return fmt::format("unknown option '{}'{}", shown, letter);
  return fmt::format("unknown option '{}'; see --help (passes are given to --passes)", shown);
}

// Devices and pipes may be read and written, and by several.
auto IsNoFile(const std::string& path) -> bool {
  struct stat info {};
  return path == "-" || path == "none" || (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode));
}

// A file named on the command line.
struct NamedFile {
  const FlagDef* flag;
  std::string path;
};

// Whether a file is one that --dump-ir-dir writes, or that it removes as the work of an earlier run.
auto IsDumpedOver(const std::string& path, const std::string& folder) -> bool {
  const std::filesystem::path file(path);
  if (folder.empty() || IsNoFile(path) || !IsNameOfDump(file.filename().string())) return false;
  return IsSameFile(file.has_parent_path() ? file.parent_path().string() : ".", folder);
}

// Returns an error when a report would overwrite an input or another report. -o may replace the input.
auto CheckWrittenFiles(const ToolOptions& options) -> std::optional<std::string> {
  auto taken = MapToVector<NamedFile>(options.input_files, [&](const std::string& input) {
    return NamedFile{nullptr, input};
  });
  std::vector<NamedFile> written;
  for (const FlagDef& flag : AllFlags()) {
    if (flag.kind != FlagKind::kFile && !IsWritten(flag)) continue;
    for (const std::string& path : FlagValues(flag, options)) {
      if (!IsNoFile(path) || flag.kind == FlagKind::kFile) (IsWritten(flag) ? written : taken).push_back({&flag, path});
    }
  }
  for (const NamedFile& file : taken) {
    if (IsDumpedOver(file.path, options.dump_ir_dir))
      return fmt::format("--dump-ir-dir would remove '{}', which the run reads", file.path);
  }
  for (const NamedFile& file : written) {
    if (IsDumpedOver(file.path, options.dump_ir_dir))
      return fmt::format("--dump-ir-dir would write over '{}', which {} names", file.path, ShownName(*file.flag));
    for (const NamedFile& other : taken) {
      const bool in_place = file.flag->kind == FlagKind::kResultFile && other.flag == nullptr;
      if (in_place || IsNoFile(other.path) || !IsSameFile(file.path, other.path)) continue;
      return fmt::format("{} would write over '{}', {}", ShownName(*file.flag), other.path,
                         other.flag == nullptr ? "the input" : "which " + ShownName(*other.flag) + " names");
    }
    taken.push_back(file);
  }
  return std::nullopt;
}

}  // namespace

auto FlagOfFile(const ToolOptions& options, const std::string& path) -> const FlagDef* {
  for (const FlagDef& flag : AllFlags()) {
    if (flag.kind != FlagKind::kFile && !IsWritten(flag)) continue;
    for (const std::string& named : FlagValues(flag, options)) {
      if (!named.empty() && !IsNoFile(named) && IsSameFile(named, path)) return &flag;
    }
  }
  return nullptr;
}

auto IsRead(const ToolOptions& options, const std::string& path) -> bool {
  if (!IsNoFile(options.input) && IsSameFile(options.input, path)) return true;
  const FlagDef* flag = FlagOfFile(options, path);
  return flag != nullptr && flag->kind == FlagKind::kFile;
}

namespace {

auto Exists(const std::string& path) -> bool { return ::access(path.c_str(), F_OK) == 0; }

// Returns an error when the first input is a command, as other tools have them.
auto CheckCommand(const std::vector<std::string>& inputs) -> std::optional<std::string> {
  struct Command {
    std::string_view name;
    std::string_view instead;
  };
  constexpr std::string_view kOptimize = " with -p PASSES or -O3, and -o FILE";
  static constexpr Command kCommands[] = {{"compile", kOptimize},   {"optimize", kOptimize},  {"opt", kOptimize},
                                          {"simplify", kOptimize},  {"convert", kOptimize},   {"tune", kOptimize},
                                          {"run", " with --run"},   {"infer", " with --run"}, {"help", " --help"},
                                          {"version", " --version"}};
  if (inputs.empty()) return std::nullopt;
  const auto* command = std::ranges::find(kCommands, inputs[0], &Command::name);
  if (command == std::end(kCommands) || Exists(inputs[0])) return std::nullopt;
  const bool has_flag_only = command->instead.starts_with(" --");
  const std::string input = has_flag_only ? "" : " " + (inputs.size() > 1 ? Printable(inputs[1]) : "MODEL");
  return fmt::format("there is no command '{}': write relayopt{}{}", inputs[0], input, command->instead);
}

// Returns an error when an input is a pipeline, which other tools take without a flag.
auto CheckPipeline(const std::vector<std::string>& inputs) -> std::optional<std::string> {
  for (const std::string& input : inputs) {
    if (input.empty() || Exists(input) || !ParsePipeline(input)) continue;
    return fmt::format("there is no file '{}': passes to run are given by -p '{}'", input, input);
  }
  return std::nullopt;
}

// The likely meaning of a second input without --out-dir.
auto SecondInput(const std::vector<std::string>& inputs) -> std::string {
  const bool is_output = inputs.size() == 2 && Exists(inputs[0]) && !Exists(inputs[1]);
  return fmt::format("more than one input: '{}'; {}", Printable(inputs[1]),
                     is_output ? fmt::format("-o {} writes the result there", Printable(inputs[1]))
                               : "--out-dir=FOLDER takes several");
}

// Resolves the options of a command line that depend on each other.
auto CheckInputs(const ToolOptions& options) -> std::optional<std::string> {
  if (options.out_dir.empty()) {
    const bool prints = !options.check_only && !options.disable_output;
    if (options.input_files.size() <= 1 || !prints) return std::nullopt;
    return SecondInput(options.input_files);
  }
  if (options.input_files.empty()) return "--out-dir needs inputs";
  for (const FlagDef& flag : AllFlags()) {
    // A rule of make, and a document of messages, may be about several.
    const bool holds_several = flag.name == "out-dir" || flag.name == "depfile" || flag.name == "diagnostics-file";
    if (holds_several || !IsWritten(flag) || FlagValues(flag, options).empty()) continue;
    return fmt::format("{} names one place, and --out-dir writes several results", ShownName(flag));
  }
  return std::nullopt;
}

// Lists, help and random programs read no input.
auto CheckInputIsRead(const ToolOptions& options) -> std::optional<std::string> {
  if (options.input_files.empty()) return std::nullopt;
  for (const FlagDef* flag : options.typed) {
    const AnswerDef* answer = FindAnswer(flag->name);
    const bool is_alone = flag->role == FlagRole::kList || (answer != nullptr && answer->alone != nullptr);
    if (!is_alone || FlagValues(*flag, options).empty()) continue;
    const PassDef* pass = FindPass(options.input_files.front());
    const std::string hint = pass == nullptr ? "" : fmt::format("; --help-pass={} describes the pass", pass->name);
    return fmt::format("{} reads no input: '{}'{}", ShownName(*flag), Printable(options.input_files.front()), hint);
  }
  return std::nullopt;
}

// Whether a list, or an update of tests, heeds another flag: several lists may be asked for at once.
auto IsHeededBy(const FlagDef& alone, const FlagDef& flag) -> bool {
  return &flag == &alone || flag.group == FlagGroup::kMessages || flag.name == "load-pass-plugin" ||
         (alone.role == FlagRole::kList && flag.group == FlagGroup::kHelp);
}

// Returns an error for a flag that a list, or an update of tests, does not heed.
auto CheckListsHeed(const ToolOptions& options) -> std::optional<std::string> {
  const auto is_on = [&](const FlagDef* flag) { return !FlagValues(*flag, options).empty(); };
  const auto is_alone = [&](const FlagDef* flag) {
    return (flag->role == FlagRole::kList || flag->name == "update-checks") && is_on(flag);
  };
  const auto alone = std::ranges::find_if(options.typed, is_alone);
  if (alone == options.typed.end()) return std::nullopt;
  const auto is_idle = [&](const FlagDef* flag) { return !IsHeededBy(**alone, *flag) && is_on(flag); };
  const auto idle = std::ranges::find_if(options.typed, is_idle);
  if (idle == options.typed.end()) return std::nullopt;
  return fmt::format("{} has no effect with {}", ShownName(**idle), ShownName(**alone));
}

// Returns the message if a flag excludes another because of what they are about, or empty if it does not. `writes_file`
// says whether -o names a file.
auto RoleConflict(const FlagDef& flag, const FlagDef& other, bool writes_file) -> std::string {
  using enum FlagRole;
  const bool is_answer = flag.role == kAnswer || flag.role == kSearch;
  if (!is_answer || &flag == &other) return "";
  const auto is_judged_by = [](const FlagDef& search, const FlagDef& answer) {
    const AnswerDef* def = FindAnswer(search.name);
    return def != nullptr && def->judged_by == answer.name;
  };
  if (is_judged_by(flag, other) || is_judged_by(other, flag)) return "";
  if (other.role == kAnswer || other.role == kSearch) {
    return fmt::format("{} and {} both answer instead of printing the module: one at a time", ShownName(flag),
                       ShownName(other));
  }
  const AnswerDef* answer = FindAnswer(flag.name);
  if (flag.role == kSearch && other.role == kOneRun) {
    return fmt::format("{} and {} exclude each other: a search runs parts of the pipeline again and again",
                       ShownName(flag), ShownName(other));
  }
  if (answer == nullptr) return "";
  if (answer->alone != nullptr && other.role == kOneRun) {
    return fmt::format("{} and {} exclude each other: the programs are made and run again and again", ShownName(flag),
                       ShownName(other));
  }
  if (other.name == "split-input-file" && !answer->of_parts) {
    return fmt::format("{} is about one module: not with {}", ShownName(flag), ShownName(other));
  }
  if (other.role == kModuleText && !(answer->beside_module && writes_file)) {
    return fmt::format("{} is about the module that is written, which {} replaces", ShownName(other), ShownName(flag));
  }
  return "";
}

// The parser: an option for each flag that the command line names.
class Parser {
 public:
  Parser(const CommandLine& line, ToolOptions& options) : line_(line) {
    app_.set_help_flag();
    app_.set_help_all_flag();
    // Limited, so that an input may be called `[x]`, too.
    const auto most = static_cast<int>(line.words.size()) + 1;
    app_.add_option("inputs", options.input_files)->expected(most)->take_all()->allow_extra_args(false);
    for (const NamedFlag& named : line.flags) AddOption(app_, *named.flag, options);
    for (const NamedFlag& named : line.flags) Relate(named);
  }

  auto Parse() -> std::optional<std::string> {
    // CLI11 takes the words from the end.
    std::vector<std::string> words(line_.words.rbegin(), line_.words.rend());
    try {
      app_.parse(words);
      return std::nullopt;
    } catch (const CLI::ExtrasError&) {
      return UnknownOption(line_.unknown);
    } catch (const CLI::ArgumentMismatch&) {
      const auto is_last = [&](const NamedFlag& named) { return ShownName(*named.flag) == line_.words.back(); };
      return MissingValue(*std::ranges::find_if(line_.flags, is_last)->flag);
    } catch (const CLI::RequiresError&) {
      return MissingNeed();
    } catch (const CLI::ExcludesError&) {
      return Conflict();
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
  }

 private:
  auto OptionOf(const FlagDef& flag) -> CLI::Option* { return app_.get_option(ShownName(flag)); }

  // Tells CLI11 what the flag needs and excludes. RELAYOPT_OPTIONS may hold flags that only some runs heed.
  void Relate(const NamedFlag& named) {
    if (!named.is_typed || !named.is_on) return;
    const std::vector<std::string_view> needs = NeedsOf(*named.flag);
    if (!needs.empty()) {
      const auto given = std::ranges::find_if(needs, [&](std::string_view name) { return IsNamed(name, false); });
      // One of them is enough; CLI11 misses the first if there is none.
      const FlagDef& needed = *FindFlag(given == needs.end() ? needs.front() : *given);
      CLI::Option* option = app_.get_option_no_throw(ShownName(needed));
      OptionOf(*named.flag)->needs(option != nullptr ? option : app_.add_option(ShownName(needed)));
    }
    for (const NamedFlag& other : line_.flags) {
      if (!Excludes(named, other).empty()) OptionOf(*named.flag)->excludes(OptionOf(*other.flag));
    }
  }

  // Returns the message if a flag excludes another that was typed, too, or empty if it does not.
  auto Excludes(const NamedFlag& named, const NamedFlag& other) const -> std::string {
    if (!named.is_typed || !named.is_on || !other.is_typed || !other.is_on) return "";
    const std::vector<std::string_view> excluded = SplitText(named.flag->excludes, ' ');
    if (std::ranges::any_of(excluded, [&](std::string_view name) { return FindFlag(name) == other.flag; })) {
      return fmt::format("{} and {} exclude each other", ShownName(*named.flag), ShownName(*other.flag));
    }
    return RoleConflict(*named.flag, *other.flag, IsNamed("output", false));
  }

  auto IsNamed(std::string_view name, bool is_typed) const -> bool {
    const FlagDef* flag = FindFlag(name);
    return std::ranges::any_of(line_.flags, [&](const NamedFlag& named) {
      return named.flag == flag && named.is_on && (named.is_typed || !is_typed);
    });
  }

  // Returns the messages for what CLI11 found, about the first of the options in question.
  auto MissingNeed() const -> std::string {
    for (const NamedFlag& named : line_.flags) {
      const std::vector<std::string_view> needs = NeedsOf(*named.flag);
      if (!named.is_typed || !named.is_on || needs.empty()) continue;
      if (std::ranges::any_of(needs, [&](std::string_view name) { return IsNamed(name, false); })) continue;
      auto shown = MapToVector<std::string>(needs, [&](std::string_view name) { return ShownName(*FindFlag(name)); });
      const std::string_view hint = named.flag->name == "params" ? "; --bind-params binds weights to the module" : "";
      return fmt::format("{} has no effect without {}{}", ShownName(*named.flag), fmt::join(shown, " or "), hint);
    }
    return "an option is missing";
  }

  auto Conflict() const -> std::string {
    for (const NamedFlag& named : line_.flags) {
      for (const NamedFlag& other : line_.flags) {
        if (std::string message = Excludes(named, other); !message.empty()) return message;
      }
    }
    return "two options exclude each other";
  }

  static auto MissingValue(const FlagDef& flag) -> std::string {
    const std::string how = ShownName(flag) + (flag.name.empty() ? "" : "=") + std::string(flag.value);
    if (!NeedsAttachedValue(flag)) return fmt::format("{} needs a value: {}", ShownName(flag), how);
    return fmt::format("{} names a {} that is written, which has to be attached: {}", ShownName(flag),
                       flag.kind == FlagKind::kOutFolder ? "folder" : "file", how);
  }

  const CommandLine& line_;
  CLI::App app_;
};

auto IsOnnxName(std::string_view path) -> bool { return WithoutCompression(path).ends_with(".onnx"); }

// Whether a file is an ONNX model by its name, or else by how it begins.
auto IsOnnxFile(const std::string& path) -> bool {
  if (IsOnnxName(path)) return true;
  // Input from a pipe or a terminal can be read only once.
  struct stat info {};
  const bool is_file =
      path == "-" ? !IsTerminal(STDIN_FILENO) : ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  std::string error;
  DiagnosticSink damage;
  const auto file = is_file ? OpenFile(path, error) : nullptr;
  const auto content = file == nullptr ? nullptr : Decompress(file, damage);
  return content != nullptr && LooksLikeOnnx(content->text());
}

// Whether the result is written as an ONNX model, and whether all inputs are ones.
auto WritesOnnx(const ToolOptions& options) -> bool {
  if (EvaluationOf(options).run || options.check_only || options.disable_output) return false;
  return options.emit.empty() ? IsOnnxName(options.output) : options.emit == "onnx";
}
auto ReadsOnnx(const ToolOptions& options) -> bool {
  if (!options.input_format.empty()) return options.input_format == "onnx";
  if (options.input_files.empty()) return IsOnnxFile(options.input);
  return std::ranges::all_of(options.input_files, IsOnnxFile);
}

// -ON is a pipeline by itself; for an ONNX model it is the one that is meant for these. A model that is only read and
// written is optimized, too.
auto AddDefaultPipeline(ToolOptions& options) -> std::optional<std::string> {
  const bool is_bare = options.default_level.empty();
  const bool has_passes = !options.passes.empty() || !options.passes_files.empty();
  if (is_bare && (has_passes || !WritesOnnx(options) || !ReadsOnnx(options))) return std::nullopt;
  if (!has_passes && WritesOnnx(options) && options.default_level != "0") {
    options.passes.emplace_back("default<onnx>");
    return std::nullopt;
  }
  if (has_passes) {
    return fmt::format("-O{0} stands for a pipeline of its own: write --passes='default<O{0}>,...'",
                       options.default_level);
  }
  options.passes.push_back("default<O" + options.default_level + ">");
  return std::nullopt;
}

// Returns the options in force, in the form of a response file.
auto OptionsText(const ToolOptions& options) -> std::string {
  std::string out;
  for (const FlagDef& flag : AllFlags()) {
    ToolOptions one;
    std::visit([&]<typename T>(const T* value) { *std::get<T*>(flag.edit(one)) = *value; }, flag.read(options));
    const std::string words = FlagArguments(one, [](const FlagDef& def) { return def.name != "print-options"; });
    if (!words.empty()) out += words.substr(1) + "\n";
  }
  return out;
}

// A file of messages holds data.
auto ChooseDiagnosticsFormat(ToolOptions& options) -> std::optional<std::string> {
  if (options.diagnostics_file.empty() || options.diagnostics_format != "text") return std::nullopt;
  if (IsTyped(*FindFlag("diagnostics-format"), options)) {
    return "--diagnostics-file holds JSON or SARIF; text goes to standard error";
  }
  options.diagnostics_format = options.diagnostics_file.ends_with(".sarif") ? "sarif" : "json";
  return std::nullopt;
}

auto Fail(const std::string& message, const ToolOptions& options) -> int {
  static constexpr DiagnosticKind kWrong = {"", Severity::kError, "{}"};
  // Errors of the command line are reported like other messages, as far as its options were understood.
  Reporter reporter(options);
  reporter.Report(MakeDiagnostic(kWrong, {}, message), nullptr);
  return 1;
}

}  // namespace

auto ParseWords(std::span<char* const> words, ToolOptions& options) -> std::optional<std::string> {
  const Result<CommandLine> line = TranslateArguments(words);
  if (!line) return line.error().text;
  for (const NamedFlag& named : line->flags) {
    if (named.is_typed && named.is_on) options.typed.push_back(named.flag);
  }
  const std::optional<std::string> wrong = Parser(*line, options).Parse();
  if (auto error = ChooseDiagnosticsFormat(options); wrong || error) return wrong ? wrong : error;
  // Inputs are then given by --update-checks only.
  if (!options.update_checks.empty()) {
    std::ranges::move(options.input_files, std::back_inserter(options.update_checks));
    options.input_files.clear();
  }
  if (!options.input_files.empty()) options.input = options.input_files.front();
  if (auto error = CheckInputIsRead(options)) return error;
  if (auto error = CheckListsHeed(options)) return error;
  if (auto error = CheckCommand(options.input_files)) return error;
  if (auto error = CheckPipeline(options.input_files)) return error;
  if (auto error = CheckInputs(options)) return error;
  return CheckWrittenFiles(options);
}

auto ParseCommandLine(int argc, char** argv, ToolOptions& options) -> std::optional<int> {
  const std::span<char*> given = std::span(argv, static_cast<size_t>(argc)).subspan(argc > 0 ? 1 : 0);
  if (const auto error = ParseWords(given, options)) return Fail(*error, options);
  if (options.help_hidden) options.help = "all";
  if (!options.help.empty()) return PrintText(FlagHelp(options.help));
  if (options.print_options) return PrintText(OptionsText(options));
  if (!options.completion.empty()) return PrintText(CompletionScript(options.completion));
  if (!options.complete.empty()) return PrintText(CompletionLines(options.complete));
  if (const auto error = AddDefaultPipeline(options)) return Fail(*error, options);
  return std::nullopt;
}

}  // namespace relayopt
