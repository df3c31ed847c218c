// A position in a text, for parsers of short notations: formulas, terms, patterns, pipelines. Relay text and TVMScript
// have lexers of their own, made for large files.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace relayopt {

class TextCursor {
 public:
  constexpr explicit TextCursor(std::string_view text) : text_(text) {}

  constexpr auto text() const -> std::string_view { return text_; }
  // The offset of the next character.
  constexpr auto at() const -> size_t { return at_; }
  constexpr auto at_end() const -> bool { return at_ == text_.size(); }
  // Returns the next character, or 0 at the end.
  constexpr auto Peek() const -> char { return at_end() ? '\0' : text_[at_]; }
  // Returns the text from here on.
  constexpr auto rest() const -> std::string_view { return text_.substr(at_); }
  // Returns the text from an earlier offset up to here.
  constexpr auto Since(size_t begin) const -> std::string_view { return text_.substr(begin, at_ - begin); }

  // Whether the text goes on with this.
  constexpr auto Sees(char c) const -> bool { return !at_end() && text_[at_] == c; }
  constexpr auto Sees(std::string_view word) const -> bool { return rest().starts_with(word); }
  // Passes it and returns true if the text goes on with it.
  constexpr auto Take(char c) -> bool {
    const bool sees = Sees(c);
    if (sees) ++at_;
    return sees;
  }
  constexpr auto Take(std::string_view word) -> bool {
    const bool sees = Sees(word);
    if (sees) at_ += word.size();
    return sees;
  }
  // Passes the characters for which `matches(c)` holds, and returns them.
  template <typename Matches>
  constexpr auto TakeWhile(Matches matches) -> std::string_view {
    const size_t begin = at_;
    while (!at_end() && matches(text_[at_])) ++at_;
    return Since(begin);
  }
  // Passes a number as std::from_chars reads it. Returns nothing, and passes nothing, if there is none that fits T.
  template <typename T>
  auto TakeNumber() -> std::optional<T> {
    T value = {};
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    at_ = static_cast<size_t>(end - text_.data());
    return value;
  }

  // Passes so many characters, at most up to the end.
  constexpr void Advance(size_t count = 1) { MoveTo(at_ + count); }
  // Moves to an offset; to the end if the text is shorter.
  constexpr void MoveTo(size_t at) { at_ = std::min(at, text_.size()); }
  constexpr void MoveToEnd() { at_ = text_.size(); }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace relayopt
