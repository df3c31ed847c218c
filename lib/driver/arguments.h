// Words of a command line before they are parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayopt {

// The words of a text as a shell splits it: quotes, backslashes, and `#` comments at the start of a word.
auto SplitWords(std::string_view text) -> std::vector<std::string>;

// Where a word comes from.
enum class WordOrigin : uint8_t { kCommandLine, kEnvironment, kReproducer };

// The words that remain to be parsed. A word may expand to others, such as the content of a file.
class WordQueue {
 public:
  // The words in the environment variable RELAYOPT_OPTIONS, then the given ones.
  explicit WordQueue(std::span<char* const> argv);

  auto empty() const -> bool { return words_.empty(); }
  // The next word as it stands; it must not be empty().
  auto Peek() const -> const std::string& { return words_.back().text; }
  auto next_origin() const -> WordOrigin { return words_.back().origin; }
  // Takes it.
  auto Take() -> std::string;
  // Where the word that was taken last came from.
  auto origin() const -> WordOrigin { return origin_; }
  // Takes the next word, or replaces `@FILE` with the words in the file and takes the first of them. A file that cannot
  // be read stays as the word, which is then reported as an input that cannot be read; so does any `@FILE` in a
  // reproducer. Nothing when only empty files were left.
  auto TakeExpanded() -> std::optional<std::string>;
  // Puts words before those that are left.
  void Push(const std::vector<std::string>& words, int nesting = 0, WordOrigin origin = WordOrigin::kCommandLine);

 private:
  struct Word {
    std::string text;
    // How many files it came out of.
    int nesting = 0;
    WordOrigin origin = WordOrigin::kCommandLine;
  };
  // The next is the last.
  std::vector<Word> words_;
  WordOrigin origin_ = WordOrigin::kCommandLine;
};

}  // namespace relayopt
