// Regular expressions, with the C library. Its compiler copies what is repeated, as often as it may be repeated, and
// its matcher tries all ways to match what a back-reference refers to.
#include "regex.h"

#include <algorithm>
#include <vector>

#include "relayopt/support/characters.h"
#include "relayopt/support/text_cursor.h"

namespace relayopt {

namespace {

// More copies than this take hundreds of megabytes.
constexpr size_t kMostCopies = 1000;

// Walks an expression and counts what the compiler makes of it. What is no expression is found by the compiler.
class Measure {
 public:
  explicit Measure(std::string_view text) : in_(text) {}

  // How many characters there are when the repeats are written out, those of inner repeats counted again; a larger
  // number than kMostCopies stands for all such.
  auto copies() const -> size_t { return copies_; }
  auto has_back_reference() const -> bool { return has_back_reference_; }

  void Run() {
    while (!in_.at_end()) {
      if (in_.Take('(')) {
        groups_.push_back(0);
        last_ = 0;
      } else if (in_.Take(')')) {
        Close();
      } else if (in_.Take('{')) {
        Repeat();
      } else {
        Character();
      }
    }
  }

 private:
  void Close() {
    if (groups_.size() == 1) return Add(1);
    const size_t inside = groups_.back();
    groups_.pop_back();
    Add(inside);
  }

  // `{3}`, `{3,}` or `{3,5}`: the last part is counted as often as the larger number says.
  void Repeat() {
    const size_t least = in_.TakeNumber<size_t>().value_or(1);
    const size_t most = in_.Take(',') ? in_.TakeNumber<size_t>().value_or(least) : least;
    in_.Take('}');
    size_t made = 0;
    const size_t count = std::max({least, most, size_t{1}});
    if (__builtin_mul_overflow(last_, count, &made)) made = kMostCopies + 1;
    made = std::min(made, kMostCopies + 1);
    copies_ = std::min(copies_ + made, kMostCopies + 1);
    groups_.back() -= last_;
    Add(made);
  }

  void Character() {
    if (in_.Take('\\')) {
      has_back_reference_ |= IsDigit(in_.Peek()) && in_.Peek() != '0';
    } else if (in_.Take('[')) {
      in_.Take('^');
      in_.Take(']');
      in_.TakeWhile([](char c) { return c != ']'; });
    }
    in_.Advance();
    Add(1);
  }

  void Add(size_t size) {
    last_ = size;
    groups_.back() += size;
  }

  TextCursor in_;
  // The characters of the open groups; the first is the whole.
  std::vector<size_t> groups_ = {0};
  // Those of the last part, which a repeat would repeat.
  size_t last_ = 0;
  size_t copies_ = 0;
  bool has_back_reference_ = false;
};

auto FaultOf(std::string_view text) -> std::string {
  Measure measure(text);
  measure.Run();
  if (measure.has_back_reference()) return "has a back-reference, which is not supported";
  if (measure.copies() > kMostCopies) return "repeats more than 1000 characters";
  return "";
}

}  // namespace

Regex::Regex(const std::string& text, bool by_lines) : fault_(FaultOf(text)) {
  const int flags = REG_EXTENDED | REG_NOSUB | (by_lines ? REG_NEWLINE : 0);
  if (fault_.empty() && ::regcomp(&regex_, text.c_str(), flags) != 0) fault_ = "is not a regular expression";
}

Regex::~Regex() {
  if (fault_.empty()) ::regfree(&regex_);
}

auto Regex::Matches(const std::string& text) const -> bool {
  return fault_.empty() && ::regexec(&regex_, text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace relayopt
