// Reads and writes reproducers.
#include "reproducer.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "arguments.h"
#include "flags.h"
#include "output.h"
#include "relayopt/convert/module_text.h"
#include "relayopt/support/files.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

constexpr std::string_view kMagic = "relayopt-reproducer v1\n";
constexpr std::string_view kOption = "--run-reproducer";

constexpr DiagnosticKind kUnreadable = {"unreadable-file", Severity::kError, "cannot read '{}': {}"};
constexpr DiagnosticKind kReadTwice = {"unreadable-file", Severity::kError,
                                       "{}: '{}' is read twice, and so has to be a regular file"};
constexpr DiagnosticKind kNoReproducer = {"no-reproducer", Severity::kError, "{}: '{}' is not a reproducer"};

// Returns the value of a line `// KEY: VALUE` of the header, or empty if there is none.
auto HeaderLine(std::string_view text, std::string_view key) -> std::string {
  const std::string_view comment = TextKindOf(text).comment;
  const std::string prefix = fmt::format("{}{}: ", comment, key);
  while (text.starts_with(comment)) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(prefix)) return std::string(line.substr(prefix.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

}  // namespace

void PrintReproducer(const std::string& path, const Reproducer& reproducer, const Module& module, TextSink& sink) {
  const std::string_view comment = TextKindOf(module).comment;
  sink.Write(fmt::format("{0}{1}{0}tool: relayopt {2}\n{0}passes: {3}\n{0}args:{4}\n", comment, kMagic,
                         RELAYOPT_VERSION, reproducer.passes, reproducer.args));
  if (!reproducer.failure.empty()) sink.Write(fmt::format("{}failure: {}\n", comment, reproducer.failure));
  sink.Write(fmt::format("{}run: relayopt {}={}\n", comment, kOption, path));
  PrintModule(module, {}, sink);
}

auto WriteReproducer(std::string& path, const Reproducer& reproducer, const Module& module)
    -> std::optional<std::string> {
  const bool is_new = path.empty();
  if (is_new) {
    const char* folder = std::getenv("TMPDIR");
    const std::string_view ending = TextKindOf(module).extension;
    path = fmt::format("{}/relayopt-crash-XXXXXX{}", folder == nullptr || *folder == '\0' ? "/tmp" : folder, ending);
    const int fd = CreateUniqueFile(path, ending.size());
    if (fd < 0) return std::strerror(errno);
    ::close(fd);
  }
  const auto error = WriteFile(path, [&](TextSink& sink) { PrintReproducer(path, reproducer, module, sink); });
  if (error && is_new) ::unlink(path.c_str());
  return error;
}

auto IsReproducer(std::string_view text) -> bool {
  const std::string_view comment = TextKindOf(text).comment;
  return text.starts_with(comment) && text.substr(comment.size()).starts_with(kMagic);
}

auto ReproducerWords(const std::string& path) -> Result<std::vector<std::string>> {
  std::string error;
  struct stat info {};
  const bool is_special = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
  if (path == "-" || is_special) return MakeDiagnostic(kReadTwice, {}, kOption, path);
  const auto source = SourceText::Open(path, error);
  if (source == nullptr) return MakeDiagnostic(kUnreadable, {}, path, error);
  if (!IsReproducer(source->text())) return MakeDiagnostic(kNoReproducer, {}, kOption, path);
  std::vector<std::string> words = SplitWords(HeaderLine(source->text(), "args"));
  if (const std::string passes = HeaderLine(source->text(), "passes"); !passes.empty()) {
    words.push_back("--passes=" + passes);
  }
  return words;
}

auto IsHarmless(const FlagDef& flag, std::string_view value) -> bool {
  switch (flag.kind) {
    case FlagKind::kText:
    case FlagKind::kPass:
    case FlagKind::kPasses:
    case FlagKind::kOperator: break;
    case FlagKind::kFile:
    case FlagKind::kOutFile:
    case FlagKind::kOutFolder:
    case FlagKind::kResultFile: return false;
  }
  if (flag.effect != FlagEffect::kNone) return true;
  switch (flag.group) {
    case FlagGroup::kInput:
    case FlagGroup::kPipeline:
    case FlagGroup::kPrinting:
    case FlagGroup::kMessages:
    case FlagGroup::kChecks:
    case FlagGroup::kReports:
    case FlagGroup::kEvaluation:
    case FlagGroup::kOnnx: return true;
    // --bisect and --reduce take a program, too; --fuzz and --trust are not about the module in the file.
    case FlagGroup::kDebugging: {
      const std::vector<std::string_view> words = WordsOf(flag);
      return std::ranges::find(words, value) != words.end();
    }
    case FlagGroup::kHelp: return false;
  }
  return false;
}

auto ReproducerArguments(const ToolOptions& options, bool whole_run) -> std::string {
  const auto of_pass = [](const FlagDef& flag) { return flag.effect == FlagEffect::kResult; };
  const auto of_run = [](const FlagDef& flag) { return flag.effect != FlagEffect::kNone; };
  return whole_run ? FlagArguments(options, of_run) : FlagArguments(options, of_pass);
}

auto CountFrom(const std::string& counter, uint64_t asked) -> std::string {
  const size_t numbers = std::min(counter.find('=') + 1, counter.size());
  std::string out;
  for (size_t begin = numbers; begin < counter.size();) {
    const size_t end = std::min(counter.find(',', begin), counter.size());
    const std::string range = counter.substr(begin, end - begin);
    begin = end + 1;
    const size_t dash = range.find('-');
    const uint64_t first = std::strtoull(range.c_str(), nullptr, 10);
    const bool is_open = dash != std::string::npos && dash + 1 == range.size();
    const uint64_t last = dash == std::string::npos ? first : std::strtoull(range.c_str() + dash + 1, nullptr, 10);
    if (!is_open && last <= asked) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ",", first > asked ? first - asked : 1);
    if (is_open) out += '-';
    if (!is_open && last != first) out += fmt::format("-{}", last - asked);
  }
  return counter.substr(0, numbers) + (out.empty() ? "0" : out);
}

}  // namespace relayopt
