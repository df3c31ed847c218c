// Splits words, and reads them from files.
#include "arguments.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "relayopt/convert/compression.h"
#include "relayopt/support/source.h"

namespace relayopt {

namespace {

// Files of words may name further files, but not without end.
constexpr int kMaxNesting = 10;

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

WordQueue::WordQueue(std::span<char* const> argv) {
  Push(std::vector<std::string>(argv.begin(), argv.end()));
  if (const char* environment = std::getenv("RELAYOPT_OPTIONS"))
    Push(SplitWords(environment), 0, WordOrigin::kEnvironment);
}

auto WordQueue::Take() -> std::string {
  std::string word = std::move(words_.back().text);
  origin_ = words_.back().origin;
  words_.pop_back();
  return word;
}

auto WordQueue::TakeExpanded() -> std::optional<std::string> {
  while (!words_.empty()) {
    const Word& next = words_.back();
    std::string error;
    const auto file = next.text.size() > 1 && next.text[0] == '@' && next.nesting < kMaxNesting &&
                              next.origin != WordOrigin::kReproducer
                          ? SourceText::Open(next.text.substr(1), error)
                          : nullptr;
    if (file == nullptr) return Take();
    const Word naming = next;
    words_.pop_back();
    Push(SplitWords(WithoutByteOrderMark(file->text())), naming.nesting + 1, naming.origin);
  }
  return std::nullopt;
}

void WordQueue::Push(const std::vector<std::string>& words, int nesting, WordOrigin origin) {
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    words_.push_back({*word, nesting, origin});
  }
}

}  // namespace relayopt
