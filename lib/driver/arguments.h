// Words of a command line before they are parsed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relayopt {

// The words of a text as a shell splits it: quotes, backslashes, and `#` comments at the start of a word.
auto SplitWords(std::string_view text) -> std::vector<std::string>;

// The words that remain to be parsed. A word may expand to others, such as the content of a file.
class WordQueue {
 public:
  // The words in the environment variable RELAYOPT_OPTIONS, then the given ones.
  explicit WordQueue(std::span<char* const> argv);

  auto empty() const -> bool { return words_.empty(); }
  // The next word as it stands; it must not be empty().
  auto Peek() const -> const std::string& { return words_.back().text; }
  // Takes it.
  auto Take() -> std::string;
  // Whether the word that was taken last came from RELAYOPT_OPTIONS.
  auto from_environment() const -> bool { return from_environment_; }
  // Takes the next word, or replaces `@FILE` with the words in the file and takes the first of them. A file that cannot
  // be read stays as the word, which is then reported as an input that cannot be read. Nothing when only empty files
  // were left.
  auto TakeExpanded() -> std::optional<std::string>;
  // Puts words before those that are left.
  void Push(const std::vector<std::string>& words, int nesting = 0, bool from_environment = false);

 private:
  struct Word {
    std::string text;
    // How many files it came out of.
    int nesting = 0;
    bool from_environment = false;
  };
  // The next is the last.
  std::vector<Word> words_;
  bool from_environment_ = false;
};

}  // namespace relayopt
