// Reads the pieces of pipeline text: names, option lists, values in which brackets balance.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "relayopt/support/diagnostic.h"
#include "relayopt/support/text_cursor.h"

namespace relayopt {

// A `key=value` of an option list; `value` is nothing for a bare key.
struct RawOption {
  std::string_view key;
  std::optional<std::string_view> value;
  SourceRange key_range;
  SourceRange value_range;
};

// A position in pipeline text, and the first error. After an error nothing more is read.
class PipelineScanner : public TextCursor {
 public:
  using TextCursor::TextCursor;

  // Returns the range from an earlier offset up to here.
  auto RangeSince(size_t begin) const -> SourceRange {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(at())};
  }
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

  std::optional<Diagnostic> error_;
};

// Returns the range of one character.
inline auto RangeAt(size_t offset) -> SourceRange {
  return {static_cast<uint32_t>(offset), static_cast<uint32_t>(offset) + 1};
}

}  // namespace relayopt
