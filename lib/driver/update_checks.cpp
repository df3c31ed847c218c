// Rewrites the check lines of tests.
//
//   // RUN: %relayopt --passes=FastMath %s | FileCheck %s --check-prefix=FAST
//
// runs this very program as `relayopt --passes=FastMath FILE --emit-checks=FAST`, in the folder of the test, and puts
// its output where lines like `// FAST-NEXT:` were.
#include "update_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arguments.h"
#include "driver.h"
#include "output.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/process.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

using Lines = std::vector<std::string>;

auto SplitIntoLines(std::string_view text) -> Lines {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The parts of a RUN line.
struct CheckRun {
  std::vector<std::string> arguments;
  std::string prefix = "CHECK";
  // The text before `RUN:`, such as `// `.
  std::string comment;
};

// Returns the parts of a shell command between `|`, as words, or nothing if there is more in it than pipes and words.
auto SplitPipeline(std::string_view command) -> std::optional<std::vector<std::vector<std::string>>> {
  std::vector<std::string> parts(1);
  char quote = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '|') {
      parts.emplace_back();
      continue;
    } else if (std::string_view("<>&;`$").find(c) != std::string_view::npos) {
      return std::nullopt;
    }
    parts.back() += c;
  }
  return MapToVector<std::vector<std::string>>(parts, [&](const std::string& part) { return SplitWords(part); });
}

// Replaces lit's substitutions in a word; returns nothing if it contains one that is not supported here.
auto Substituted(std::string word, const std::filesystem::path& file) -> std::optional<std::string> {
  const std::pair<std::string_view, std::string> known[] = {
      {"%s", file.string()}, {"%S", file.parent_path().string()}, {"%p", file.parent_path().string()}};
  for (size_t at = word.find('%'); at != std::string::npos; at = word.find('%', at)) {
    const auto* found =
        std::ranges::find_if(known, [&](const auto& entry) { return word.compare(at, 2, entry.first) == 0; });
    // `%s2` would be a substitution of its own.
    const bool ends = at + 2 >= word.size() || !IsLetterOrDigit(word[at + 2]);
    if (found == std::end(known) || !ends) return std::nullopt;
    word.replace(at, 2, found->second);
    at += found->second.size();
  }
  return word;
}

// Returns the run of a RUN line whose command is given, or nothing if it is not one of relayopt into FileCheck.
auto ReadRun(std::string_view command, const std::filesystem::path& file) -> std::optional<CheckRun> {
  auto parts = SplitPipeline(command);
  if (!parts || parts->size() != 2 || (*parts)[0].empty() || (*parts)[1].empty()) return std::nullopt;
  const auto& [tool, check] = std::tie((*parts)[0], (*parts)[1]);
  if ((tool[0] != "%relayopt" && tool[0] != "relayopt") || check[0] != "FileCheck") return std::nullopt;
  CheckRun run;
  bool checks_file = false;
  for (size_t i = 1; i < check.size(); ++i) {
    std::string_view word = check[i];
    if (word == "%s") checks_file = true;
    while (word.starts_with('-')) word.remove_prefix(1);
    if (word == "check-prefix" && i + 1 < check.size()) run.prefix = check[++i];
    if (word.starts_with("check-prefix=")) run.prefix = word.substr(word.find('=') + 1);
    if (word.starts_with("check-prefixes") || word == "input-file") return std::nullopt;
  }
  for (size_t i = 1; i < tool.size(); ++i) {
    auto word = Substituted(tool[i], file);
    if (!word) return std::nullopt;
    run.arguments.push_back(*std::move(word));
  }
  return checks_file ? std::optional(run) : std::nullopt;
}

// Whether a line is a check of this prefix: `// CHECK-NEXT: ...`.
auto IsCheck(std::string_view line, std::string_view prefix) -> bool {
  const size_t begin = line.find_first_not_of(" \t/#;");
  if (begin == std::string_view::npos) return false;
  line.remove_prefix(begin);
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  if (line.starts_with(':')) return true;
  constexpr std::string_view kSuffixes[] = {"-LABEL:", "-NEXT:", "-SAME:", "-NOT:", "-DAG:", "-EMPTY:", "-COUNT-"};
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) { return line.starts_with(suffix); });
}

// One file.
class Updater {
 public:
  Updater(std::filesystem::path file, Reporter& reporter) : file_(std::move(file)), reporter_(reporter) {}

  // False after an error.
  auto Run() -> bool {
    std::string error;
    const auto source = SourceText::Open(file_.string(), error);
    if (source == nullptr) {
      reporter_.Error(fmt::format("cannot read '{}': {}", file_.string(), error));
      return false;
    }
    const std::string before(source->text());
    lines_ = SplitIntoLines(before);
    if (!RunAll()) return false;
    if (num_runs_ == 0) {
      reporter_.Error(fmt::format("{}: no RUN line says how to make checks", file_.string()));
      return false;
    }
    std::string after;
    for (const std::string& line : lines_) after += line + '\n';
    if (after != before) {
      if (const auto failure = WriteBack(after)) {
        reporter_.Error(fmt::format("cannot write '{}': {}", file_.string(), *failure));
        return false;
      }
    }
    AddToAnswer(fmt::format(
        "{}: {}{}\n", file_.string(), after == before ? "unchanged" : "updated",
        left_alone_ == 0 ? "" : fmt::format(", {} RUN lines are not plain relayopt | FileCheck", left_alone_)));
    return true;
  }

 private:
  auto WriteBack(std::string_view text) const -> std::optional<std::string> {
    OutputFile out;
    if (auto error = out.Fill(file_.string(), [text](TextSink& sink) { sink.Write(text); })) return error;
    return out.Commit();
  }

  auto RunAll() -> bool {
    constexpr std::string_view kRun = "RUN:";
    // The text for each prefix.
    std::map<std::string, std::string> texts;
    std::vector<CheckRun> runs;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const size_t at = lines_[i].find(kRun);
      if (at == std::string::npos || lines_[i].find_first_not_of(" \t/#;") != at) continue;
      ++num_runs_;
      std::string command = lines_[i].substr(at + kRun.size());
      const std::string comment = lines_[i].substr(0, at);
      while (command.ends_with('\\') && i + 1 < lines_.size()) {
        command.pop_back();
        const size_t next = lines_[++i].find(kRun);
        if (next != std::string::npos) command += lines_[i].substr(next + kRun.size());
      }
      auto run = ReadRun(command, file_);
      if (!run) {
        ++left_alone_;
        continue;
      }
      run->comment = comment;
      auto arguments = run->arguments;
      arguments.push_back("--emit-checks=" + run->prefix);
      const auto text = OutputOfSelf(arguments);
      if (!text) {
        reporter_.Error(fmt::format("{}: the run failed: relayopt {}", file_.string(), fmt::join(run->arguments, " ")));
        return false;
      }
      const auto [entry, is_new] = texts.try_emplace(run->prefix, *text);
      if (!is_new && entry->second != *text) {
        reporter_.Error(
            fmt::format("{}: RUN lines of prefix {} print different things: give them prefixes of their own",
                        file_.string(), run->prefix));
        return false;
      }
      if (is_new) runs.push_back(*std::move(run));
    }
    for (const CheckRun& run : runs) Replace(run, texts[run.prefix]);
    return true;
  }

  // Replaces the checks of this prefix by the lines.
  void Replace(const CheckRun& run, const std::string& text) {
    Lines checks;
    for (const std::string& line : SplitIntoLines(text))
      checks.push_back(run.comment + line.substr(line.find(' ') + 1));
    const auto is_check = [&](const std::string& line) { return IsCheck(line, run.prefix); };
    const auto first = std::ranges::find_if(lines_, is_check);
    size_t at = static_cast<size_t>(first - lines_.begin());
    if (first == lines_.end()) {
      if (!lines_.empty() && !lines_.back().empty()) lines_.emplace_back();
      at = lines_.size();
    }
    std::erase_if(lines_, is_check);
    lines_.insert(lines_.begin() + static_cast<ptrdiff_t>(at), checks.begin(), checks.end());
  }

  std::filesystem::path file_;
  Reporter& reporter_;
  Lines lines_;
  size_t num_runs_ = 0;
  size_t left_alone_ = 0;
};

}  // namespace

auto UpdateChecks(const ToolOptions& options, Reporter& reporter) -> int {
  bool ok = true;
  for (const std::string& file : options.update_checks) ok &= Updater(std::filesystem::absolute(file), reporter).Run();
  return ok ? kSuccess : kFailure;
}

}  // namespace relayopt
