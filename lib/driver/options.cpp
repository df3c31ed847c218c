// Parses the command line by the rows of flags.
#include "options.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>

#include "answers.h"
#include "arguments.h"
#include "completion.h"
#include "flag_help.h"
#include "flags.h"
#include "output.h"
#include "relayopt/pass/registry.h"
#include "relayopt/support/diagnostic.h"
#include "reproducer.h"

namespace relayopt {

namespace {

// Options of other tools that we have by another way.
constexpr std::pair<std::string_view, std::string_view> kHints[] = {
    {"S", "text is what relayopt prints anyway"},
    {"disable-verify", "--verify-each=0 verifies at the end only"},
    {"print-pass-times", "--time-passes shows them"},
    {"q", "-w shows no warnings"},
    {"disable-threading", "there is one thread, unless -j takes more"},
    {"f", "text is what relayopt prints, also to a terminal"},
};

// An argument that begins with a dash, taken apart.
struct OptionArgument {
  // As it is written, for messages: dashes and name.
  std::string_view shown;
  const FlagDef* flag = nullptr;
  // The value that is attached to the name.
  std::optional<std::string_view> value;
};

// Names of several letters may have one dash, too; so `-print-after=x` is a name, and `-O2` a letter with its value.
auto TakeApart(std::string_view argument) -> OptionArgument {
  const size_t equals = std::min(argument.find('='), argument.size());
  OptionArgument given{.shown = argument.substr(0, equals)};
  if (equals < argument.size()) given.value = argument.substr(equals + 1);
  const std::string_view name = given.shown.substr(argument.starts_with("--") ? 2 : 1);
  given.flag = FindFlag(name);
  if (given.flag != nullptr || argument.starts_with("--")) return given;
  const FlagDef* flag = FindFlag(argument[1]);
  if (flag == nullptr) return given;
  if (argument.size() == 2) {
    given.flag = flag;
    return given;
  }
  // A long name with a typing error is not taken for -p with a pipeline.
  constexpr size_t kLikelyName = 6;
  std::vector<std::string_view> names;
  for (const FlagDef& known : AllFlags()) {
    if (!known.name.empty()) names.push_back(known.name);
  }
  if (IsSwitch(*flag) || (name.size() >= kLikelyName && !Nearest(name, names).empty())) return given;
  given.flag = flag;
  given.value = argument.substr(argument[2] == '=' ? 3 : 2);
  return given;
}

auto UnknownOption(std::string_view shown) -> std::string {
  const std::string_view name = shown.substr(shown.starts_with("--") ? 2 : 1);
  for (const auto& [theirs, hint] : kHints) {
    if (name == theirs) return fmt::format("unknown option '{}': {}", shown, hint);
  }
  if (const PassDef* pass = FindPass(name)) {
    return fmt::format("unknown option '{}': passes are given to --passes, as --passes={}", shown, pass->name);
  }
  std::vector<std::string_view> names;
  for (const FlagDef& flag : AllFlags()) {
    if (!flag.name.empty()) names.push_back(flag.name);
    for (const std::string_view synonym : SplitRow(flag.synonyms)) names.push_back(synonym);
  }
  const std::vector<std::string> near = Nearest(name, names);
  if (!near.empty()) return fmt::format("unknown option '{}' (did you mean '--{}'?)", shown, near.front());
  if (const std::string pass = DidYouMeanPass(name); !pass.empty()) {
    return fmt::format("unknown option '{}'; passes are given to --passes{}", shown, pass);
  }
  return fmt::format("unknown option '{}'; see --help (passes are given to --passes)", shown);
}

// Whether two paths lead to the same file, or would.
auto IsSameFile(const std::string& a, const std::string& b) -> bool {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

// Devices and pipes may be read and written, and by several.
auto IsNoFile(const std::string& path) -> bool {
  struct stat info {};
  return path == "-" || path == "none" || (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode));
}

// A file that the command line names.
struct NamedFile {
  const FlagDef* flag;
  std::string path;
};

// An error when a report would overwrite an input or another report. -o may replace the input.
auto CheckWrittenFiles(const ToolOptions& options) -> std::optional<std::string> {
  std::vector<NamedFile> taken;
  for (const std::string& input : options.input_files) taken.push_back({nullptr, input});
  std::vector<NamedFile> written;
  for (const FlagDef& flag : AllFlags()) {
    if (flag.kind != FlagKind::kFile && !IsWritten(flag)) continue;
    for (const std::string& path : FlagValues(flag, options)) {
      if (!IsNoFile(path) || flag.kind == FlagKind::kFile) (IsWritten(flag) ? written : taken).push_back({&flag, path});
    }
  }
  for (const NamedFile& file : written) {
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

auto IsRead(const ToolOptions& options, const std::string& path) -> bool {
  if (!IsNoFile(options.input) && IsSameFile(options.input, path)) return true;
  for (const FlagDef& flag : AllFlags()) {
    if (flag.kind != FlagKind::kFile) continue;
    for (const std::string& read : FlagValues(flag, options)) {
      if (!read.empty() && IsSameFile(read, path)) return true;
    }
  }
  return false;
}

namespace {

// Takes words until none is left.
class Parser {
 public:
  Parser(std::span<char* const> argv, ToolOptions& options) : words_(argv), options_(options) {}

  // Parses all words; returns the first fault.
  auto Parse() -> std::optional<std::string> {
    bool only_files = false;
    while (const std::optional<std::string> word = words_.TakeExpanded()) {
      std::optional<std::string> error;
      if (only_files || word->size() < 2 || word->front() != '-') {
        error = Input(*word);
      } else if (*word == "--" && !is_from_reproducer()) {
        only_files = true;
      } else {
        error = Option(*word);
      }
      if (error) return error;
    }
    if (!refused_.empty() && !options_.trust) {
      return fmt::format("--run-reproducer: '{}' asks for {}, which is left to you; --trust allows it",
                         options_.run_reproducer, refused_);
    }
    if (auto error = CheckAnswers(options_)) return error;
    if (auto error = CheckTogether()) return error;
    return CheckWrittenFiles(options_);
  }

 private:
  // Whether the word that was taken last stands in the header of a reproducer.
  auto is_from_reproducer() const -> bool { return words_.origin() == WordOrigin::kReproducer; }

  // Notes what the header of a reproducer asks for beyond passes and what they do.
  void Refuse(std::string_view word) {
    if (refused_.empty()) refused_ = Printable(word);
  }

  auto Input(const std::string& word) -> std::optional<std::string> {
    if (is_from_reproducer()) Refuse(word);
    // Inputs are then given by --update-checks only.
    if (!options_.update_checks.empty()) {
      options_.update_checks.push_back(word);
      return std::nullopt;
    }
    options_.input_files.push_back(word);
    options_.input = options_.input_files.front();
    return std::nullopt;
  }

  auto Option(const std::string& word) -> std::optional<std::string> {
    const OptionArgument given = TakeApart(word);
    if (given.flag == nullptr) return UnknownOption(given.shown);
    const FlagDef& flag = *given.flag;
    // The value may be another word.
    const WordOrigin origin = words_.origin();
    if (given.value) return Set(flag, *given.value, origin);
    if (IsSwitch(flag)) return Set(flag, "1", origin);
    if (!flag.bare.empty()) return Set(flag, flag.bare, origin);
    const std::string how = flag.name.empty() ? ShownName(flag) + std::string(flag.value)
                                              : fmt::format("{}={}", ShownName(flag), flag.value);
    if (NeedsAttachedValue(flag)) {
      return fmt::format("{} names a file that is written, which has to be attached: {}", given.shown, how);
    }
    if (words_.empty() || words_.next_origin() != origin || IsOption(words_.Peek()))
      return fmt::format("{} needs a value: {}", given.shown, how);
    return Set(flag, words_.Take(), origin);
  }

  static auto IsOption(std::string_view word) -> bool {
    return word.size() > 2 && word.starts_with("--") && TakeApart(word).flag != nullptr;
  }

  auto CheckInputs() const -> std::optional<std::string> {
    if (options_.out_dir.empty()) {
      const bool prints = !options_.check_only && !options_.disable_output;
      if (options_.input_files.size() <= 1 || !prints) return std::nullopt;
      return fmt::format("more than one input: '{}'; --out-dir=FOLDER takes several", options_.input_files[1]);
    }
    if (options_.input_files.empty()) return "--out-dir needs inputs";
    for (const FlagDef& flag : AllFlags()) {
      if (flag.name == "out-dir" || !IsWritten(flag) || FlagValues(flag, options_).empty()) continue;
      return fmt::format("{} names one place, and --out-dir writes several results", ShownName(flag));
    }
    return std::nullopt;
  }

  // Options that need others, or that others make useless.
  auto CheckTogether() const -> std::optional<std::string> {
    if (auto error = CheckInputs()) return error;
    const auto is_given = [&](std::string_view name) { return !FlagValues(*FindFlag(name), options_).empty(); };
    for (const FlagDef* flag : given_) {
      if (FlagValues(*flag, options_).empty()) continue;
      const std::vector<std::string_view> needs = SplitRow(flag->needs);
      if (!needs.empty() && std::ranges::none_of(needs, is_given)) {
        return fmt::format("{} has no effect without --{}", ShownName(*flag), fmt::join(needs, " or --"));
      }
      for (const std::string_view other : SplitRow(flag->excludes)) {
        if (std::ranges::find(given_, FindFlag(other)) != given_.end() && is_given(other))
          return fmt::format("{} and {} exclude each other", ShownName(*flag), ShownName(*FindFlag(other)));
      }
    }
    return std::nullopt;
  }

  auto Set(const FlagDef& flag, std::string_view value, WordOrigin origin) -> std::optional<std::string> {
    if (origin == WordOrigin::kReproducer) {
      // Trust is given on the command line, never by the file itself.
      if (flag.name == "trust" || flag.name == "run-reproducer") {
        return fmt::format("--run-reproducer: a reproducer cannot hold {}", ShownName(flag));
      }
      if (!IsHarmless(flag, value)) Refuse(ShownName(flag));
    }
    if (origin != WordOrigin::kEnvironment) given_.push_back(&flag);
    if (auto error = SetFlag(flag, value, options_)) return error;
    if (flag.name != "run-reproducer") return std::nullopt;
    auto words = ReproducerWords(options_.run_reproducer);
    if (!words) return words.error().text;
    words_.Push({options_.run_reproducer});
    words_.Push(*words, 0, WordOrigin::kReproducer);
    return std::nullopt;
  }

  WordQueue words_;
  ToolOptions& options_;
  // The flags on the command line.
  std::vector<const FlagDef*> given_;
  // The first thing in the header of a reproducer that needs --trust.
  std::string refused_;
};

// -ON is a pipeline by itself.
auto AddDefaultPipeline(ToolOptions& options) -> std::optional<std::string> {
  if (options.default_level.empty()) return std::nullopt;
  if (!options.passes.empty() || !options.passes_files.empty()) {
    return fmt::format("-O{0} stands for a pipeline of its own: write --passes='default<O{0}>,...'",
                       options.default_level);
  }
  options.passes.push_back("default<O" + options.default_level + ">");
  return std::nullopt;
}

// The options in force, in the form of a response file.
auto OptionsText(const ToolOptions& options) -> std::string {
  std::string out;
  for (const FlagDef& flag : AllFlags()) {
    ToolOptions one;
    std::visit([&](auto member) { one.*member = options.*member; }, flag.member);
    const std::string words = FlagArguments(one, [](const FlagDef& def) { return def.name != "print-options"; });
    if (!words.empty()) out += words.substr(1) + "\n";
  }
  return out;
}

auto Fail(const std::string& message) -> int {
  static constexpr DiagnosticKind kWrong = {"", Severity::kError, "{}"};
  const std::string text = "relayopt: " + Render(MakeDiagnostic(kWrong, {}, message), nullptr, {});
  std::fputs(text.c_str(), stderr);
  return 1;
}

}  // namespace

auto ParseCommandLine(int argc, char** argv, ToolOptions& options) -> std::optional<int> {
  const std::span<char*> given = std::span(argv, static_cast<size_t>(argc)).subspan(argc > 0 ? 1 : 0);
  if (const auto error = Parser(given, options).Parse()) return Fail(*error);
  if (options.help_hidden) options.help = "all";
  if (!options.help.empty()) return PrintText(FlagHelp(options.help));
  if (options.print_options) return PrintText(OptionsText(options));
  if (!options.completion.empty()) return PrintText(CompletionScript(options.completion));
  if (!options.complete.empty()) return PrintText(CompletionLines(options.complete));
  if (const auto error = AddDefaultPipeline(options)) return Fail(*error);
  return std::nullopt;
}

}  // namespace relayopt
