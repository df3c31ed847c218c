// Tokens of TVMScript, scanned on demand.
#include "lib/tir/script/lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "lib/tir/script/diagnostics.h"
#include "relayopt/support/characters.h"

namespace relayopt::tir {

namespace {

// The kind of token that a character can begin.
enum class CharClass : uint8_t {
  kOther,
  kBlank,
  kName,
  kDigit,
  kOpen,      // an opening bracket
  kClose,     // a closing bracket
  kAlone,     // punctuation that is not part of a longer token
  kOperator,  // punctuation that may be, or that a number may begin with
};

// Indexed by character; arrays of bytes, because they are accessed for every character.
struct CharTable {
  std::array<CharClass, 256> what{};
  std::array<bool, 256> in_name{};
  // The token that consists of this character.
  std::array<TokenKind, 256> token{};
};

constexpr auto kChars = [] {
  CharTable table;
  for (size_t c = 0; c < 256; ++c) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
    table.in_name[c] = digit || letter;
    if (digit) table.what[c] = CharClass::kDigit;
    if (letter) table.what[c] = CharClass::kName;
  }
  for (const char c : {' ', '\t', '\f'}) table.what[static_cast<unsigned char>(c)] = CharClass::kBlank;
  const auto set = [&](char c, CharClass what, TokenKind token) {
    table.what[static_cast<unsigned char>(c)] = what;
    table.token[static_cast<unsigned char>(c)] = token;
  };
  set('(', CharClass::kOpen, TokenKind::kLParen);
  set('[', CharClass::kOpen, TokenKind::kLSquare);
  set('{', CharClass::kOpen, TokenKind::kLBrace);
  set(')', CharClass::kClose, TokenKind::kRParen);
  set(']', CharClass::kClose, TokenKind::kRSquare);
  set('}', CharClass::kClose, TokenKind::kRBrace);
  set(',', CharClass::kAlone, TokenKind::kComma);
  set(';', CharClass::kAlone, TokenKind::kSemicolon);
  set('~', CharClass::kAlone, TokenKind::kTilde);
  set('.', CharClass::kOperator, TokenKind::kDot);
  set(':', CharClass::kOperator, TokenKind::kColon);
  set('=', CharClass::kOperator, TokenKind::kEqual);
  set('+', CharClass::kOperator, TokenKind::kPlus);
  set('-', CharClass::kOperator, TokenKind::kMinus);
  set('*', CharClass::kOperator, TokenKind::kStar);
  set('/', CharClass::kOperator, TokenKind::kSlash);
  set('<', CharClass::kOperator, TokenKind::kLess);
  set('>', CharClass::kOperator, TokenKind::kGreater);
  set('%', CharClass::kOperator, TokenKind::kPercent);
  set('&', CharClass::kOperator, TokenKind::kAmpersand);
  set('|', CharClass::kOperator, TokenKind::kPipe);
  set('^', CharClass::kOperator, TokenKind::kCaret);
  set('@', CharClass::kOperator, TokenKind::kAt);
  return table;
}();

auto ClassOf(char c) -> CharClass { return kChars.what[static_cast<unsigned char>(c)]; }
auto TokenOf(char c) -> TokenKind { return kChars.token[static_cast<unsigned char>(c)]; }
// Whether an operator before the character ends there, and no number begins with it.
auto EndsOperator(char c) -> bool { return ClassOf(c) != CharClass::kOperator && ClassOf(c) != CharClass::kDigit; }
auto IsQuote(char c) -> bool { return c == '"' || c == '\''; }
auto IsNameChar(char c) -> bool { return kChars.in_name[static_cast<unsigned char>(c)]; }

// Returns which bytes of a word are no part of a name, as their highest bits.
auto OutsideOfNames(uint64_t word) -> uint64_t {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighest = 0x80 * kOnes;
  const uint64_t ascii = word & ~kHighest;
  // The highest bits of those bytes of ASCII that are not below `c`.
  const auto from = [](uint64_t bytes, uint64_t c) { return bytes + (0x80 - c) * kOnes; };
  const uint64_t lower = ascii | 0x20 * kOnes;
  const uint64_t letters = from(lower, 'a') & ~from(lower, 'z' + 1);
  const uint64_t digits = from(ascii, '0') & ~from(ascii, '9' + 1);
  const uint64_t underscores = ~from(ascii ^ '_' * kOnes, 1);
  return ~(word | letters | digits | underscores) & kHighest;
}

// Returns which bytes of a word are a character of ASCII, as their highest bits. Those above the lowest may be wrong.
auto Equal(uint64_t word, char c) -> uint64_t {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t differs = word ^ static_cast<unsigned char>(c) * kOnes;
  return (differs - kOnes) & ~differs & 0x80 * kOnes;
}

}  // namespace

Lexer::Lexer(std::string_view text, NameTable& names, DiagnosticSink& sink, uint32_t begin)
    : text_(text), end_(static_cast<uint32_t>(text.size())), names_(names), sink_(sink) {
  token_.end = begin;
  if (begin == 0 && text_.starts_with("\xEF\xBB\xBF")) token_.end = 3;
  Next();
}

auto Lexer::PassDot() -> bool {
  const uint32_t dot = token_.end;
  if (end_ - dot < 2 || text_[dot] != '.' || ClassOf(text_[dot + 1]) != CharClass::kName) return false;
  last_end_ = dot + 1;
  ScanName(dot + 1);
  return true;
}

auto Lexer::FollowedByEqual() const -> bool {
  size_t at = token_.end;
  while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
  return at < text_.size() && text_[at] == '=' && (at + 1 == text_.size() || text_[at + 1] != '=');
}

auto Lexer::FollowingChar() const -> char {
  size_t at = token_.end;
  while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
  return at < text_.size() ? text_[at] : '\0';
}

void Lexer::Return(const Mark& mark) {
  token_ = mark.token;
  last_end_ = mark.last_end;
  brackets_.Shrink(mark.depth);
}

auto Lexer::Enter(uint32_t begin, uint32_t end) -> Outside {
  Outside outside{mark(), std::exchange(brackets_, {}), std::exchange(end_, end), std::exchange(at_line_start_, false)};
  token_.kind = TokenKind::kUnknown;
  token_.end = begin;
  Next();
  return outside;
}

void Lexer::Leave(Outside outside) {
  brackets_ = std::move(outside.brackets);
  end_ = outside.end;
  at_line_start_ = outside.at_line_start;
  Return(outside.mark);
}

void Lexer::SkipLine() {
  while (token_.kind != TokenKind::kNewline && token_.kind != TokenKind::kEnd && token_.kind != TokenKind::kDedent &&
         token_.kind != TokenKind::kIndent) {
    // An open bracket would swallow the lines below: a line that begins further left than the text in it ends it.
    if (!brackets_.empty() && text_.substr(last_end_, token_.begin - last_end_).find('\n') != std::string_view::npos) {
      const size_t line = text_.rfind('\n', token_.begin) + 1;
      if (token_.begin - line <= indents_.back()) {
        brackets_.Shrink(0);
        Set(TokenKind::kNewline, static_cast<uint32_t>(line - 1), 1);
        at_line_start_ = true;
        return;
      }
    }
    Next();
  }
}

void Lexer::SkipStatement() {
  SkipLine();
  if (token_.kind == TokenKind::kNewline) Next();
  if (token_.kind != TokenKind::kIndent) return;
  size_t depth = 0;
  do {
    if (token_.kind == TokenKind::kIndent) ++depth;
    if (token_.kind == TokenKind::kDedent) --depth;
    if (token_.kind == TokenKind::kEnd) return;
    Next();
  } while (depth > 0);
}

// Makes the tokens of a change of indentation; true when it made one.
auto Lexer::StartOfLine(uint32_t at) -> bool {
  for (;;) {
    const char* const text = text_.data();
    const auto size = static_cast<uint32_t>(text_.size());
    uint32_t p = at;
    constexpr std::string_view kBlanks = "        ";
    while (p + kBlanks.size() <= size && std::memcmp(text + p, kBlanks.data(), kBlanks.size()) == 0) {
      p += static_cast<uint32_t>(kBlanks.size());
    }
    while (p < size && text[p] == ' ') ++p;
    uint32_t column = p - at;
    for (; p < size; ++p) {
      if (text_[p] == ' ')
        ++column;
      else if (text_[p] == '\t')
        column = (column / 8 + 1) * 8;
      else if (text_[p] == '\f')
        column = 0;
      else
        break;
    }
    if (p < text_.size() && text_[p] == '#') {
      const size_t end = text_.find('\n', p);
      p = end == std::string_view::npos ? static_cast<uint32_t>(text_.size()) : static_cast<uint32_t>(end);
    }
    if (p < text_.size() && text_[p] == '\r' && p + 1 < text_.size() && text_[p + 1] == '\n') ++p;
    if (p < text_.size() && text_[p] == '\n') {
      at = p + 1;
      continue;
    }
    at_line_start_ = false;
    if (p >= text_.size()) column = 0;
    token_.end = p;
    if (column > indents_.back()) {
      indents_.push_back(column);
      Set(TokenKind::kIndent, p, 0);
      return true;
    }
    uint32_t dedents = 0;
    while (column < indents_.back()) {
      indents_.pop_back();
      ++dedents;
    }
    if (column != indents_.back()) {
      sink_.Report(diag::kIndentation, SourceRange{p, p + 1});
      indents_.push_back(column);
      --dedents;
    }
    if (dedents == 0) return false;
    pending_dedents_ = dedents - 1;
    Set(TokenKind::kDedent, p, 0);
    return true;
  }
}

// Every branch ends with the call of a function or without one, so that this one, which most tokens pass, saves no
// registers.
void Lexer::Scan(uint32_t at) {
  if (at_line_start_) return ScanLineStart(at);
  const char* const text = text_.data();
  // Most tokens follow one blank or none.
  if (at < end_ && text[at] == ' ') ++at;
  for (; at < end_; ++at) {
    const char c = text[at];
    switch (ClassOf(c)) {
      case CharClass::kBlank: continue;
      case CharClass::kName: return ScanName(at);
      case CharClass::kDigit: return ScanNumber(at);
      case CharClass::kOpen: Set(TokenOf(c), at, 1); return brackets_.push_back(at);
      case CharClass::kClose:
        if (!brackets_.empty()) brackets_.pop_back();
        return Set(TokenOf(c), at, 1);
      case CharClass::kAlone: return Set(TokenOf(c), at, 1);
      case CharClass::kOperator:
        if (at + 1 < end_ && EndsOperator(text[at + 1])) return Set(TokenOf(c), at, 1);
        return ScanOther(at);
      case CharClass::kOther: return ScanSpecial(at);
    }
  }
  ScanEnd();
}

void Lexer::ScanLineStart(uint32_t at) {
  if (!StartOfLine(at)) Scan(token_.end);
}

void Lexer::ScanName(uint32_t at) {
  if (end_ - at < 8) return ScanLongName(at);
  const char* const text = text_.data() + at;
  if (!IsNameChar(text[1])) {
    if (IsQuote(text[1])) return ScanLongName(at);
    return SetName(names_.FindLetter(text[0]), at, 1);
  }
  uint64_t word;
  std::memcpy(&word, text, sizeof word);
  const uint64_t outside = OutsideOfNames(word);
  if (outside == 0) return ScanLongName(at);
  const auto size = static_cast<uint32_t>(std::countr_zero(outside)) / 8;
  if (size == 2 && IsQuote(text[2])) return ScanLongName(at);
  SetName(names_.FindShort(word & ((uint64_t{1} << 8 * size) - 1)), at, size);
}

// A name of eight bytes or more, or close to the end, or the prefix of a string.
void Lexer::ScanLongName(uint32_t at) {
  const char* const text = text_.data();
  uint32_t end = at + 1;
  for (uint64_t word; end_ - end >= sizeof word; end += sizeof word) {
    std::memcpy(&word, text + end, sizeof word);
    if (OutsideOfNames(word) != 0) break;
  }
  while (end < end_ && IsNameChar(text[end])) ++end;
  const bool quoted = end - at <= 2 && end < end_ && IsQuote(text[end]);
  if (quoted && ScanString(at, end)) return;
  token_.name = names_.Find(text_.substr(at, end - at));
  Set(names_.keyword(token_.name), at, end - at);
}

// Ends of lines, comments, and what begins with a character that is not a part of any token.
void Lexer::ScanSpecial(uint32_t at) {
  const char* const text = text_.data();
  const uint32_t size = end_;
  while (at < size && (ClassOf(text[at]) == CharClass::kOther || ClassOf(text[at]) == CharClass::kBlank)) {
    const char c = text[at];
    if (ClassOf(c) == CharClass::kBlank) {
      ++at;
      continue;
    }
    const char next = at + 1 < size ? text[at + 1] : '\0';
    if (c == '\n') {
      if (brackets_.empty()) {
        at_line_start_ = true;
        return Set(TokenKind::kNewline, at, 1);
      }
      ++at;
    } else if (c == '\r' && next == '\n') {
      ++at;
    } else if (c == '#') {
      const size_t end = text_.find('\n', at);
      at = end == std::string_view::npos ? size : static_cast<uint32_t>(end);
    } else if (c == '\\' && (next == '\n' || (next == '\r' && text_.substr(at + 1, 2) == "\r\n"))) {
      at += next == '\n' ? 2 : 3;
    } else {
      return ScanOther(at);
    }
  }
  // A token begins here, so this function is not called again.
  Scan(at);
}

void Lexer::ScanEnd() {
  if (!brackets_.empty()) {
    sink_.Report(diag::kUnclosedBracket, SourceRange{brackets_.back(), brackets_.back() + 1});
    brackets_.Shrink(0);
  }
  // The last line may lack its end.
  const bool line_ended = token_.kind == TokenKind::kNewline || token_.kind == TokenKind::kDedent ||
                          token_.kind == TokenKind::kEnd || token_.end == 0;
  if (line_ended) return Set(TokenKind::kEnd, end_, 0);
  at_line_start_ = true;
  Set(TokenKind::kNewline, end_, 0);
}

// Operators, strings, and numbers that begin with a point.
void Lexer::ScanOther(uint32_t at) {
  const uint32_t size = end_;
  const char c = text_[at];
  const char next = at + 1 < size ? text_[at + 1] : '\0';
  const auto one_or_two = [&](TokenKind one, TokenKind with_equal) {
    next == '=' ? Set(with_equal, at, 2) : Set(one, at, 1);
  };
  // Two characters that are one operator, and the same with `=`.
  const auto doubled = [&](TokenKind one, TokenKind two) {
    if (next == c) {
      at + 2 < size&& text_[at + 2] == '=' ? Set(TokenKind::kAugmented, at, 3) : Set(two, at, 2);
    } else {
      one_or_two(one, one == TokenKind::kLess      ? TokenKind::kLessEqual
                      : one == TokenKind::kGreater ? TokenKind::kGreaterEqual
                                                   : TokenKind::kAugmented);
    }
  };
  switch (c) {
    case ':': return one_or_two(TokenKind::kColon, TokenKind::kWalrus);
    case '.': return IsDigit(next) ? ScanNumber(at) : Set(TokenKind::kDot, at, 1);
    case '@': return one_or_two(TokenKind::kAt, TokenKind::kAugmented);
    case '=': return one_or_two(TokenKind::kEqual, TokenKind::kEqualEqual);
    case '!':
      if (next == '=') return Set(TokenKind::kNotEqual, at, 2);
      break;
    case '+': return one_or_two(TokenKind::kPlus, TokenKind::kAugmented);
    case '-': return next == '>' ? Set(TokenKind::kArrow, at, 2) : one_or_two(TokenKind::kMinus, TokenKind::kAugmented);
    case '*': return doubled(TokenKind::kStar, TokenKind::kDoubleStar);
    case '/': return doubled(TokenKind::kSlash, TokenKind::kDoubleSlash);
    case '<': return doubled(TokenKind::kLess, TokenKind::kShiftLeft);
    case '>': return doubled(TokenKind::kGreater, TokenKind::kShiftRight);
    case '%': return one_or_two(TokenKind::kPercent, TokenKind::kAugmented);
    case '&': return one_or_two(TokenKind::kAmpersand, TokenKind::kAugmented);
    case '|': return one_or_two(TokenKind::kPipe, TokenKind::kAugmented);
    case '^': return one_or_two(TokenKind::kCaret, TokenKind::kAugmented);
    case '"':
    case '\'':
      if (ScanString(at, at)) return;
      break;
    default: break;
  }
  sink_.Report(diag::kUnknownCharacter, SourceRange{at, at + 1}, Printable(text_.substr(at, 1)));
  Set(TokenKind::kUnknown, at, 1);
}

void Lexer::ScanNumber(uint32_t at) {
  uint32_t end = at;
  const auto size = static_cast<uint32_t>(text_.size());
  // Most are a few digits.
  constexpr uint32_t kMostDigits = 9;
  token_.number = 0;
  for (; end < size && end - at < kMostDigits && IsDigit(text_[end]); ++end) {
    token_.number = 10 * token_.number + static_cast<uint32_t>(text_[end] - '0');
  }
  token_.plain = end < size && !IsNameChar(text_[end]) && text_[end] != '.' && (text_[at] != '0' || end == at + 1);
  if (token_.plain) return Set(TokenKind::kNumber, at, end - at);
  end = at;
  const bool hex = text_[at] == '0' && at + 1 < size && (text_[at + 1] == 'x' || text_[at + 1] == 'X');
  for (; end < size; ++end) {
    const char c = text_[end];
    if (IsNameChar(c) || c == '.') continue;
    // A sign belongs to an exponent.
    if ((c == '+' || c == '-') && !hex && (text_[end - 1] == 'e' || text_[end - 1] == 'E')) continue;
    break;
  }
  Set(TokenKind::kNumber, at, end - at);
}

// A literal from its prefix; `quote` is where its first quote stands. Returns false if the prefix is none of strings.
auto Lexer::ScanString(uint32_t at, uint32_t quote) -> bool {
  const char* const text = text_.data();
  const auto size = static_cast<uint32_t>(text_.size());
  for (uint32_t i = at; i < quote; ++i) {
    if (text[i] == 'f' || text[i] == 'F')
      sink_.Report(diag::kNeedsPython, SourceRange{at, quote}, "an f-string");
    else if (text[i] == 'b' || text[i] == 'B')
      sink_.Report(diag::kNeedsPython, SourceRange{at, quote}, "bytes");
    else if (std::string_view("rRuU").find(text[i]) == std::string_view::npos)
      return false;
  }
  const char mark = text[quote];
  uint32_t simple = quote + 1;
  for (uint64_t word; size - simple >= sizeof word; simple += sizeof word) {
    std::memcpy(&word, text + simple, sizeof word);
    if (const uint64_t found = Equal(word, mark) | Equal(word, '\\') | Equal(word, '\n')) {
      simple += static_cast<uint32_t>(std::countr_zero(found)) / 8;
      break;
    }
  }
  while (simple < size && text[simple] != mark && text[simple] != '\\' && text[simple] != '\n') ++simple;
  token_.plain = at == quote && simple < size && text[simple] == mark && simple > quote + 1;
  if (token_.plain) {
    Set(TokenKind::kString, at, simple + 1 - at);
    return true;
  }
  const bool triple = quote + 2 < size && text_[quote + 1] == mark && text_[quote + 2] == mark;
  uint32_t end = quote + (triple ? 3 : 1);
  for (; end < size; ++end) {
    const char c = text_[end];
    if (c == '\\') {
      ++end;
    } else if (c == '\n' && !triple) {
      break;
    } else if (c == mark) {
      if (!triple) {
        Set(TokenKind::kString, at, end + 1 - at);
        return true;
      }
      if (end + 2 < size && text_[end + 1] == mark && text_[end + 2] == mark) {
        Set(TokenKind::kString, at, end + 3 - at);
        return true;
      }
    }
  }
  sink_.Report(diag::kUnclosedString, SourceRange{at, at + 1});
  Set(TokenKind::kUnknown, at, std::min(end, size) - at);
  return true;
}

}  // namespace relayopt::tir
