// Translates the command line into words for CLI11.
#include "arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "relayopt/convert/compression.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/source.h"
#include "reproducer.h"
#include "spellings.h"

namespace relayopt {

namespace {

// Response files may refer to further files, up to this depth.
constexpr int kMaxNesting = 10;

}  // namespace

auto SplitWords(std::string_view text) -> std::vector<std::string> {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && !in_word && c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (quote == 0 && IsSpace(c)) {
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

namespace {

// A word that is still to be translated.
struct Word {
  std::string text;
  // The number of files in which it is nested.
  int nesting = 0;
  WordOrigin origin = WordOrigin::kCommandLine;
};

constexpr DiagnosticKind kNoValue = {"", Severity::kError, "{0} needs a value: {0}=VALUE"};
// A message about an option of a reproducer.
constexpr DiagnosticKind kReproducer = {"", Severity::kError, "--run-reproducer: {}"};
constexpr DiagnosticKind kMixedPasses = {
    "", Severity::kError, "'{}' names a pass, and {} names others: give all of them to --passes, in their order"};

class Translator {
 public:
  explicit Translator(std::span<char* const> argv) {
    Push(std::vector<std::string>(argv.begin(), argv.end()));
    if (const char* environment = std::getenv("RELAYOPT_OPTIONS"))
      Push(SplitWords(environment), 0, WordOrigin::kEnvironment);
  }

  auto Translate() -> Result<CommandLine> {
    bool only_files = false;
    while (!words_.empty()) {
      Word word = Take();
      const bool is_from_reproducer = word.origin == WordOrigin::kReproducer;
      if (IsExpanded(word)) continue;
      if (only_files || word.text.size() < 2 || word.text.front() != '-') {
        if (is_from_reproducer) Refuse(word.text);
        line_.words.push_back(std::move(word.text));
      } else if (word.text == "--" && !is_from_reproducer) {
        only_files = true;
        line_.words.push_back(std::move(word.text));
      } else {
        RELAYOPT_TRY(const bool goes_on, Option(word));
        if (!goes_on) break;
      }
    }
    if (!pass_word_.empty() && pipeline_flag_ != nullptr) {
      return MakeDiagnostic(kMixedPasses, {}, Printable(pass_word_), ShownName(*pipeline_flag_));
    }
    const auto is_trust = [](const NamedFlag& named) { return named.flag->name == "trust" && named.is_on; };
    if (!refused_.empty() && std::ranges::none_of(line_.flags, is_trust)) {
      return MakeDiagnostic(
          kReproducer, {},
          fmt::format("'{}' asks for {}, which is left to you; --trust allows it", reproducer_, refused_));
    }
    return std::move(line_);
  }

 private:
  auto Take() -> Word {
    Word word = std::move(words_.back());
    words_.pop_back();
    return word;
  }

  void Push(const std::vector<std::string>& words, int nesting = 0, WordOrigin origin = WordOrigin::kCommandLine) {
    for (auto word = words.rbegin(); word != words.rend(); ++word) words_.push_back({*word, nesting, origin});
  }

  // Records what the header of a reproducer requests beyond passes and their effects.
  void Refuse(std::string_view word) {
    if (refused_.empty()) refused_ = Printable(word);
  }

  // Replaces `@FILE` with the words in the file. A file that cannot be read stays as an input, which is then reported;
  // so does any `@FILE` in a reproducer.
  auto IsExpanded(const Word& word) -> bool {
    std::string error;
    if (word.text.size() < 2 || word.text.front() != '@' || word.nesting >= kMaxNesting) return false;
    if (word.origin == WordOrigin::kReproducer) return false;
    const auto file = SourceText::Open(word.text.substr(1), error);
    if (file == nullptr) return false;
    Push(SplitWords(WithoutByteOrderMark(file->text())), word.nesting + 1, word.origin);
    return true;
  }

  // Translates an option; returns false if its value is missing.
  auto Option(const Word& word) -> Result<bool> {
    std::optional<std::string_view> attached;
    const FlagDef* flag = FlagOfWord(word.text, attached);
    if (flag == nullptr) {
      RELAYOPT_TRY(const bool is_foreign, Foreign(word));
      if (is_foreign) return true;
      if (line_.unknown.empty()) line_.unknown = word.text;
      // With a second dash, CLI11 does not cut the word after its first letter.
      line_.words.push_back(word.text.starts_with("--") ? word.text : "-" + word.text);
      return true;
    }
    std::string value;
    if (attached) {
      // A list without elements has no value.
      const bool is_empty = flag->separator != 0 && attached->find_first_not_of(flag->separator) == attached->npos;
      value = is_empty ? "" : *attached;
    } else if (IsSwitch(*flag)) {
      value = "1";
    } else if (!flag->bare.empty()) {
      value = flag->bare;
    } else if (NeedsAttachedValue(*flag) || !NextIsValue(word.origin)) {
      line_.words.push_back(ShownName(*flag));
      Note(*flag, false, true);
      return false;
    } else {
      value = Take().text;
    }
    if (flag->name == "passes" || flag->name == "passes-file") pipeline_flag_ = flag;
    if (auto error = Emit(*flag, value, word.origin)) return *std::move(error);
    if (flag->name != "run-reproducer") return true;
    RELAYOPT_TRY(const std::vector<std::string> words, ReproducerWords(value));
    reproducer_ = value;
    // The name of the file is never a word of its own, whatever it begins with.
    line_.words.push_back(value.size() > 1 && value.front() == '-' ? "./" + value : value);
    Push(words, 0, WordOrigin::kReproducer);
    return true;
  }

  // Translates an option without a row: one of another tool, or a pass. Returns false if it is neither.
  auto Foreign(const Word& word) -> Result<bool> {
    const std::string_view text = word.text;
    const size_t equals = std::min(text.find('='), text.size());
    const size_t dashes = text.starts_with("--") ? 2 : 1;
    const std::string_view name = text.substr(dashes, std::max(equals, dashes) - dashes);
    std::optional<std::string> value;
    if (equals < text.size()) value = text.substr(equals + 1);
    if (const auto element = PassElement(name, value)) {
      if (pass_word_.empty()) pass_word_ = text;
      if (auto error = Emit(*FindFlag("passes"), *element, word.origin)) return *std::move(error);
      return true;
    }
    const SpellingDef* spelling = FindSpelling(name, value);
    if (spelling != nullptr && TakesValue(*spelling) && !value) {
      if (!NextIsValue(word.origin)) return MakeDiagnostic(kNoValue, {}, Printable(text));
      value = Take().text;
      spelling = FindSpelling(name, value);
    }
    if (spelling == nullptr) return false;
    Push(WordsOf(*spelling, value.value_or("")), word.nesting, word.origin);
    return true;
  }

  // Gives CLI11 a flag with its value.
  auto Emit(const FlagDef& flag, const std::string& value, WordOrigin origin) -> std::optional<Diagnostic> {
    line_.words.push_back(ShownName(flag));
    line_.words.push_back(value);
    if (auto error = CheckReproducer(flag, value, origin)) return error;
    Note(flag, origin != WordOrigin::kEnvironment,
         !IsSwitch(flag) || !(value == "0" || value == "false" || value == "off"));
    return std::nullopt;
  }

  // Trust is given on the command line, never by the file itself.
  auto CheckReproducer(const FlagDef& flag, const std::string& value, WordOrigin origin) -> std::optional<Diagnostic> {
    if (origin != WordOrigin::kReproducer) return std::nullopt;
    if (flag.name == "trust" || flag.name == "run-reproducer") {
      return MakeDiagnostic(kReproducer, {}, fmt::format("a reproducer cannot hold {}", ShownName(flag)));
    }
    const bool names_file = flag.kind == FlagKind::kPasses && value.starts_with('@');
    if (names_file || !IsHarmless(flag, value)) Refuse(ShownName(flag));
    return std::nullopt;
  }

  auto NextIsValue(WordOrigin origin) const -> bool {
    return !words_.empty() && words_.back().origin == origin && !IsLongOption(words_.back().text);
  }

  static auto IsLongOption(std::string_view word) -> bool {
    std::optional<std::string_view> value;
    return word.size() > 2 && word.starts_with("--") && FlagOfWord(word, value) != nullptr;
  }

  void Note(const FlagDef& flag, bool is_typed, bool is_on) {
    const auto known = std::ranges::find(line_.flags, &flag, &NamedFlag::flag);
    if (known == line_.flags.end()) {
      line_.flags.push_back({&flag, is_typed, is_on});
    } else {
      *known = {&flag, known->is_typed || is_typed, is_on};
    }
  }

  // The next word is the last one.
  std::vector<Word> words_;
  CommandLine line_;
  std::string reproducer_;
  // The first thing in the header of a reproducer that needs --trust.
  std::string refused_;
  // The first option that names a pass, and the last flag that names passes.
  std::string pass_word_;
  const FlagDef* pipeline_flag_ = nullptr;
};

}  // namespace

auto FlagOfWord(std::string_view word, std::optional<std::string_view>& value) -> const FlagDef* {
  const size_t equals = std::min(word.find('='), word.size());
  if (equals < word.size()) value = word.substr(equals + 1);
  const size_t dashes = word.starts_with("--") ? 2 : 1;
  const FlagDef* flag = FindFlag(word.substr(dashes, equals - dashes));
  if (flag != nullptr || dashes == 2 || word.size() < 3) return flag;
  // `-O3`: a number or a single letter follows. Other words with one dash are never cut.
  flag = FindFlag(word[1]);
  const std::string_view rest = word.substr(2);
  const bool is_number = rest.find_first_not_of("0123456789") == std::string_view::npos;
  if (flag == nullptr || !flag->value_may_follow || (rest.size() != 1 && !is_number)) return nullptr;
  value = rest;
  return flag;
}

auto TranslateArguments(std::span<char* const> argv) -> Result<CommandLine> { return Translator(argv).Translate(); }

}  // namespace relayopt
