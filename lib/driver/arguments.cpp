// Rewrites arguments into the form in which options are declared.
#include "arguments.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "relayopt/support/source.h"

namespace relayopt {

namespace {

// What opt, mlir-opt and tvmc call our options.
constexpr std::pair<std::string_view, std::string_view> kSynonyms[] = {
    {"pass-pipeline", "passes"},
    {"print-before", "print-ir-before"},
    {"print-after", "print-ir-after"},
    {"print-before-all", "print-ir-before-all"},
    {"print-after-all", "print-ir-after-all"},
    {"print-passes", "list-passes"},
    {"print-pipeline-passes", "print-pipeline"},
    {"disable-pass", "disabled-pass"},
    {"opt-disable", "disabled-pass"},
    {"pass-config", "config"},
    {"timing", "time-passes"},
    {"pass-statistics", "stats"},
    {"pass-pipeline-crash-reproducer", "crash-reproducer"},
    {"print-ir-module-scope", "print-module-scope"},
    {"ir-dump-directory", "dump-ir-dir"},
    {"print-ir-tree-dir", "dump-ir-dir"},
    {"time-trace-file", "time-trace"},
    {"elide-elementsattrs-if-larger", "elide-constants-if-larger"},
    {"allow-unregistered-dialect", "allow-unregistered-ops"},
};

// What an option means that was given without its value.
constexpr std::pair<std::string_view, std::string_view> kBareValues[] = {
    {"color", "always"},
    {"verify-each", "1"},
    {"list-passes", "text"},
    {"list-ops", "text"},
    {"print-changed", "full"},
    {"time-passes", "tree"},
    {"stats", "text"},
    {"validate", "changed"},
    {"pass-remarks", "."},
    {"pass-remarks-missed", "."},
    {"pass-remarks-analysis", "."},
};

template <size_t N>
auto Lookup(const std::pair<std::string_view, std::string_view> (&table)[N], std::string_view key)
    -> std::optional<std::string_view> {
  for (const auto& [from, to] : table) {
    if (from == key) return to;
  }
  return std::nullopt;
}

// The argument as it is declared: two dashes, our own name, and a value where one is needed.
auto Canonical(const std::string& argument, const std::vector<std::string>& names) -> std::string {
  if (argument.size() < 3 || argument[0] != '-') return argument;
  const std::string written = OptionName(argument);
  std::string name = written;
  // mlir-opt's options carry a prefix.
  if (name.starts_with("mlir-")) name.erase(0, 5);
  if (const auto ours = Lookup(kSynonyms, name)) name = *ours;
  if (std::find(names.begin(), names.end(), name) == names.end()) return argument;
  const size_t rest = argument.find(written) + written.size();
  std::string canonical = "--" + name + argument.substr(rest);
  if (rest == argument.size()) {
    if (const auto value = Lookup(kBareValues, name)) canonical += "=" + std::string(*value);
  }
  return canonical;
}

// Files of words may name further files, but not without end.
constexpr int kMaxNesting = 10;

// Appends the word, or the words of the file that it names. A file that cannot be read stays as the word, which is
// then reported as an input that cannot be read.
void Expand(const std::string& word, int nesting, std::vector<std::string>& out) {
  std::string error;
  const auto file =
      word.size() > 1 && word[0] == '@' && nesting < kMaxNesting ? SourceText::Open(word.substr(1), error) : nullptr;
  if (file == nullptr) {
    out.push_back(word);
    return;
  }
  for (const std::string& inner : SplitWords(file->text())) Expand(inner, nesting + 1, out);
}

}  // namespace

auto SplitWords(std::string_view text) -> std::vector<std::string> {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (quote == 0 && !in_word && c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (quote == 0 && is_space) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else {
      if (c == '\\' && quote != '\'' && i + 1 < text.size()) ++i;
      word += text[i];
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

auto OptionName(std::string_view argument) -> std::string {
  const size_t begin = argument.starts_with("--") ? 2 : 1;
  return std::string(argument.substr(begin, argument.find('=') - begin));
}

auto Arguments(std::span<char* const> argv, const std::vector<std::string>& names) -> std::vector<std::string> {
  std::vector<std::string> words;
  if (const char* environment = std::getenv("RELAYOPT_OPTIONS")) words = SplitWords(environment);
  for (const char* argument : argv) Expand(argument, 0, words);
  bool only_files = false;
  for (std::string& word : words) {
    only_files = only_files || word == "--";
    if (!only_files) word = Canonical(word, names);
  }
  return words;
}

}  // namespace relayopt
