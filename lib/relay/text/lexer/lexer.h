// The lexer: splits Relay text into tokens, one at a time and on demand.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/relay/text/parser/reporter.h"
#include "relayopt/support/source.h"

namespace relayopt {

enum class TokenKind : uint8_t {
  kEnd,
  kUnknown,
  kIdent,    // letters, digits, `_` and `/`
  kLocal,    // `%name`
  kGraph,    // `%12`
  kGlobal,   // `@name`
  kNumber,   // without sign, with suffix
  kString,   // including quotes
  kMeta,     // `meta[KEY][INDEX]`
  kSection,  // `#[...]`
  kTrue,
  kFalse,
  kUnderscore,
  // Keywords.
  kDef,
  kElse,
  kExtern,
  kFn,
  kFreeVar,
  kIf,
  kLet,
  kMatch,
  kMatchPartial,
  kRef,
  kRefRead,
  kRefWrite,
  kType,
  // Punctuation.
  kLParen,
  kRParen,
  kLBrace,
  kRBrace,
  kLSquare,
  kRSquare,
  kComma,
  kSemicolon,
  kColon,
  kDot,
  kQuestion,
  kEqual,
  kFatArrow,
  // Operators.
  kStar,
  kSlash,
  kPlus,
  kMinus,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqualEqual,
  kNotEqual,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t begin = 0;
  uint32_t end = 0;

  auto range() const -> SourceRange { return {begin, end}; }
};

// As diagnostics name it: "`(`", "an identifier".
auto TokenName(TokenKind kind) -> std::string_view;

// The kinds of tokens that a character may be part of.
struct CharClass {
  static constexpr uint8_t kIdentStart = 1;
  static constexpr uint8_t kIdent = 2;
  static constexpr uint8_t kDigit = 4;
  static constexpr uint8_t kBlank = 8;
  // Part of a variable's name as TVM may print it, though not of an identifier.
  static constexpr uint8_t kOdd = 16;

  static auto Of(char c) -> uint8_t { return kTable[static_cast<unsigned char>(c)]; }
  static auto Is(char c, uint8_t classes) -> bool { return (Of(c) & classes) != 0; }

 private:
  static constexpr auto kTable = [] {
    std::array<uint8_t, 256> table{};
    for (unsigned c = 0x21; c < 256; ++c) table[c] = c == 0x7F ? 0 : kOdd;
    for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = kIdentStart | kIdent;
    for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] = kIdentStart | kIdent;
    for (unsigned c = '0'; c <= '9'; ++c) table[c] = kIdent | kDigit;
    table['_'] = kIdentStart | kIdent;
    table['/'] = kIdent;
    for (const char c : {',', ';', '(', ')', '=', '{', '}', '[', ']', '"', '%', '@'}) {
      table[static_cast<unsigned char>(c)] = 0;
    }
    for (const char c : {' ', '\t', '\n'}) table[static_cast<unsigned char>(c)] = kBlank;
    return table;
  }();
};

// Reads tokens up to an end offset. The text must have SourceText::kPadding readable bytes after it.
class Lexer {
 public:
  // Starts before the first token: call Next().
  Lexer(const SourceText& source, uint32_t end, ParseReporter& reporter)
      : text_(source.text().data()), end_(end), reporter_(&reporter) {}

  // Returns the current token.
  auto token() const -> const Token& { return token_; }
  auto kind() const -> TokenKind { return token_.kind; }
  auto is(TokenKind kind) const -> bool { return token_.kind == kind; }
  auto text() const -> std::string_view { return text(token_); }
  auto text(const Token& token) const -> std::string_view { return {text_ + token.begin, token.end - token.begin}; }
  auto text(SourceRange range) const -> std::string_view { return {text_ + range.begin, range.end - range.begin}; }
  // Returns the range in the source of a part of its text.
  auto RangeOf(std::string_view part) const -> SourceRange {
    const auto begin = static_cast<uint32_t>(part.data() - text_);
    return {begin, begin + static_cast<uint32_t>(part.size())};
  }
  auto char_at(uint32_t offset) const -> char { return offset < end_ ? text_[offset] : '\0'; }
  // The same for readers that come to `offset` from before the end, character by character: what follows the end, `#`
  // or zeros, is part of nothing that they step over.
  auto peek(uint32_t offset) const -> char { return text_[offset]; }
  // Returns the end of the token before the current one.
  auto last_end() const -> uint32_t { return last_end_; }
  auto end() const -> uint32_t { return end_; }

  // Returns the text after `span=` in a comment between the token before and this one, or empty if there is none.
  auto span() const -> std::string_view { return span_; }

  void Next();
  // Like Next, but if digits follow, the token is those digits only, as an index after a dot.
  void NextIndex();
  // Makes the current token end elsewhere; the next one starts there.
  void SetEnd(uint32_t end) { token_.end = end; }
  // Continues at another offset.
  void JumpTo(uint32_t offset);
  // Continues after a token that ends at `end` and was read by its characters.
  void JumpBehind(uint32_t end) {
    token_.end = end;
    Next();
  }
  // Returns the offset of the next character after the current token that is neither blank nor in a comment.
  auto Ahead() -> uint32_t {
    const std::string_view span = span_;
    const uint32_t at = SkipBlanks(token_.end);
    span_ = span;
    return at;
  }
  // Returns the end of the longest run of identifier characters from `at`. A run ends before a comment.
  auto NameEnd(uint32_t at) const -> uint32_t {
    for (;; ++at) {
      while (CharClass::Is(text_[at], CharClass::kIdentStart | CharClass::kDigit)) ++at;
      if (text_[at] != '/' || text_[at + 1] == '*') return at;
    }
  }
  // The same with unusual characters included.
  auto OddNameEnd(uint32_t at) const -> uint32_t;

  // Returns the content of a string token with escapes resolved.
  auto Decode(const Token& string) const -> std::string;
  // Returns the current token as diagnostics name it.
  auto Found() const -> std::string;

 private:
  void Scan(uint32_t at);
  // Returns the offset of the first character from `at` that is neither blank nor in a comment.
  auto SkipBlanks(uint32_t at) -> uint32_t;
  void Set(TokenKind kind, uint32_t begin, uint32_t end) { token_ = {kind, begin, end}; }
  void ScanIdent(uint32_t at);
  void ScanNumber(uint32_t at);
  void ScanString(uint32_t at);
  void ScanMeta(uint32_t at);
  void ScanSection(uint32_t at);
  void ScanSigil(uint32_t at);
  void ScanUnknown(uint32_t at);
  // Returns the offset after the comment that starts at `at`.
  auto SkipComment(uint32_t at) -> uint32_t;
  void FindSpan(uint32_t begin, uint32_t end);
  auto IsComment(uint32_t at) const -> bool {
    return text_[at] == '/' && at + 1 < end_ && (text_[at + 1] == '*' || text_[at + 1] == '/');
  }

  const char* text_;
  uint32_t end_;
  ParseReporter* reporter_;
  Token token_;
  uint32_t last_end_ = 0;
  std::string_view span_;
  // Errors of the same comment are reported once, although look-ahead may scan it twice.
  uint32_t reported_ = UINT32_MAX;
};

}  // namespace relayopt
