// Regular expressions of the command line.
#pragma once

#include <regex.h>

#include <string>

namespace relayopt {

// An extended regular expression, as in LLVM's tools and `grep -E`.
class Regex {
 public:
  // `by_lines`: `^` and `$` are those of any line, and nothing matches over the end of one.
  explicit Regex(const std::string& text, bool by_lines = false)
      : valid_(::regcomp(&regex_, text.c_str(), REG_EXTENDED | REG_NOSUB | (by_lines ? REG_NEWLINE : 0)) == 0) {}
  ~Regex() {
    if (valid_) ::regfree(&regex_);
  }
  Regex(const Regex&) = delete;
  auto operator=(const Regex&) -> Regex& = delete;

  auto valid() const -> bool { return valid_; }
  auto Matches(const std::string& text) const -> bool {
    return valid_ && ::regexec(&regex_, text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  regex_t regex_;
  bool valid_;
};

}  // namespace relayopt
