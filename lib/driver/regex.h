// Regular expressions of the command line and of tests.
#pragma once

#include <regex.h>

#include <string>

namespace relayopt {

// An extended regular expression, as in LLVM's tools and `grep -E`. One that could take all the time or the memory is
// none: such with a back-reference, and such that repeat a character a thousand times.
class Regex {
 public:
  // `by_lines`: `^` and `$` are those of any line, and nothing matches over the end of one.
  explicit Regex(const std::string& text, bool by_lines = false);
  ~Regex();
  Regex(const Regex&) = delete;
  auto operator=(const Regex&) -> Regex& = delete;

  // What is wrong with the text, as the end of a sentence that begins with it; empty if nothing is.
  auto fault() const -> const std::string& { return fault_; }
  // Whether a part of `text` is as the expression says; false for one with a fault.
  auto Matches(const std::string& text) const -> bool;

 private:
  regex_t regex_;
  std::string fault_;
};

}  // namespace relayopt
