// Reads the pieces of pipeline text: names, option lists, values in which brackets balance.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "relayopt/support/diagnostic.h"

namespace relayopt {

// A `key=value` of an option list; `value` is nothing for a bare key.
struct RawOption {
  std::string_view key;
  std::optional<std::string_view> value;
  SourceRange key_range;
  SourceRange value_range;
};

// A position in pipeline text, and the first error. After an error nothing more is read.
class PipelineScanner {
 public:
  explicit PipelineScanner(std::string_view text) : text_(text) {}

  auto pos() const -> uint32_t { return static_cast<uint32_t>(pos_); }
  auto at_end() const -> bool { return pos_ >= text_.size(); }
  // Whether the next character is `c`.
  auto Sees(char c) const -> bool { return !at_end() && text_[pos_] == c; }
  void Advance() { ++pos_; }
  // Passes white space and `#` comments.
  void SkipSpace();
  // Returns the longest name here; may be empty.
  auto Name() -> std::string_view;
  // Scans `<a=1;b>` or `{a=1 b}`; the current character is the opening bracket.
  auto Options() -> std::vector<RawOption>;

  template <typename... Args>
  auto Fail(std::type_identity_t<KindFor<Args...>> kind, SourceRange where, const Args&... args) -> Diagnostic& {
    if (!error_) error_ = MakeDiagnostic(kind, where, args...);
    return *error_;
  }
  auto failed() const -> bool { return error_.has_value(); }
  auto error() -> std::optional<Diagnostic>& { return error_; }

 private:
  auto OneOption(size_t open, char close) -> RawOption;
  auto Value(char close) -> SourceRange;
  void CloseInValue(std::vector<size_t>& open);
  void SkipString();

  std::string_view text_;
  size_t pos_ = 0;
  std::optional<Diagnostic> error_;
};

// Returns the range of one character.
inline auto RangeAt(size_t offset) -> SourceRange {
  return {static_cast<uint32_t>(offset), static_cast<uint32_t>(offset) + 1};
}

}  // namespace relayopt
