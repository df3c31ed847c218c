// The lexer for Relay text. Tokens are scanned on demand.
#include "lexer.h"

#include <algorithm>
#include <cstring>

#include "relayopt/support/characters.h"

namespace relayopt {

namespace {

struct Keyword {
  std::string_view text;
  TokenKind kind;
};

constexpr Keyword kKeywords[] = {
    {"let", TokenKind::kLet},
    {"if", TokenKind::kIf},
    {"fn", TokenKind::kFn},
    {"def", TokenKind::kDef},
    {"else", TokenKind::kElse},
    {"type", TokenKind::kType},
    {"match", TokenKind::kMatch},
    {"extern", TokenKind::kExtern},
    {"ref", TokenKind::kRef},
    {"ref_read", TokenKind::kRefRead},
    {"ref_write", TokenKind::kRefWrite},
    {"free_var", TokenKind::kFreeVar},
    {"True", TokenKind::kTrue},
    {"False", TokenKind::kFalse},
    {"_", TokenKind::kUnderscore},
};

// Tokens of one character, by that character.
constexpr auto kPunctuation = [] {
  std::array<TokenKind, 128> table{};
  table.fill(TokenKind::kUnknown);
  table['('] = TokenKind::kLParen;
  table[')'] = TokenKind::kRParen;
  table['{'] = TokenKind::kLBrace;
  table['}'] = TokenKind::kRBrace;
  table['['] = TokenKind::kLSquare;
  table[']'] = TokenKind::kRSquare;
  table[','] = TokenKind::kComma;
  table[';'] = TokenKind::kSemicolon;
  table[':'] = TokenKind::kColon;
  table['.'] = TokenKind::kDot;
  table['?'] = TokenKind::kQuestion;
  table['*'] = TokenKind::kStar;
  table['/'] = TokenKind::kSlash;
  table['+'] = TokenKind::kPlus;
  table['-'] = TokenKind::kMinus;
  table['<'] = TokenKind::kLess;
  table['>'] = TokenKind::kGreater;
  table['='] = TokenKind::kEqual;
  return table;
}();

}  // namespace

void Lexer::Next() {
  last_end_ = token_.end;
  span_ = {};
  Scan(SkipBlanks(token_.end));
}

void Lexer::NextIndex() {
  last_end_ = token_.end;
  span_ = {};
  const uint32_t begin = SkipBlanks(token_.end);
  uint32_t end = begin;
  while (end < end_ && IsDigit(text_[end])) ++end;
  if (end == begin) return Scan(begin);
  Set(TokenKind::kNumber, begin, end);
}

void Lexer::JumpTo(uint32_t offset) {
  token_ = {TokenKind::kEnd, offset, offset};
  Next();
}

auto Lexer::SkipBlanks(uint32_t at) -> uint32_t {
  // Most tokens touch, or one blank separates them.
  if (at < end_ && text_[at] == ' ') ++at;
  if (at < end_ && CharClass::Is(text_[at], CharClass::kIdent) && text_[at] != '/') return at;
  // Indentation, eight blanks at a time.
  constexpr uint64_t kBlanks = 0x2020202020202020;
  while (at < end_) {
    uint64_t eight = 0;
    if (text_[at] == ' ' && end_ - at >= sizeof eight) {
      std::memcpy(&eight, text_ + at, sizeof eight);
      if (eight == kBlanks) {
        at += sizeof eight;
        continue;
      }
    }
    const char c = text_[at];
    if (CharClass::Is(c, CharClass::kBlank)) {
      ++at;
    } else if (c == '/' && IsComment(at)) {
      at = SkipComment(at);
    } else if (c == '\r') {
      if (at + 1 >= end_ || text_[at + 1] != '\n') {
        if (reported_ != at) reporter_->Report(diag::kCarriageReturn, {at, at + 1});
        reported_ = at;
      }
      ++at;
    } else {
      break;
    }
  }
  return at;
}

auto Lexer::SkipComment(uint32_t begin) -> uint32_t {
  const auto find = [this](uint32_t from, char c) {
    return from < end_ ? static_cast<const char*>(std::memchr(text_ + from, c, end_ - from)) : nullptr;
  };
  if (text_[begin + 1] == '/') {
    const char* newline = find(begin, '\n');
    return newline == nullptr ? end_ : static_cast<uint32_t>(newline - text_);
  }
  int64_t depth = 1;
  uint32_t at = begin + 2;
  // Up to here every character belongs to a bracket already counted.
  uint32_t taken = at;
  while (const char* star = find(at, '*')) {
    at = static_cast<uint32_t>(star - text_);
    if (at + 1 < end_ && text_[at + 1] == '/') {
      at += 2;
      taken = at;
      if (--depth == 0) {
        FindSpan(begin + 2, at - 2);
        return at;
      }
    } else if (at > taken && text_[at - 1] == '/') {
      ++at;
      taken = at;
      ++depth;
    } else {
      ++at;
    }
  }
  if (reported_ != begin) reporter_->Report(diag::kUnclosedComment, {begin, begin + 2});
  reported_ = begin;
  return end_;
}

// A comment as TVM prints it ends in `span=NAME:LINE:COLUMN `.
void Lexer::FindSpan(uint32_t begin, uint32_t end) {
  if (end - begin < 8 || text_[end - 1] != ' ' || !IsDigit(text_[end - 2])) return;
  const std::string_view comment(text_ + begin, end - begin - 1);
  size_t digits = comment.size();
  while (digits > 0 && IsDigit(comment[digits - 1])) --digits;
  if (digits == 0 || (comment[digits - 1] != ':' && comment[digits - 1] != '-')) return;
  constexpr std::string_view kMark = " span=";
  const size_t mark =
      comment.starts_with(" ty=") || comment.starts_with(kMark) ? comment.find(kMark) : std::string::npos;
  if (mark != std::string_view::npos) span_ = comment.substr(mark + kMark.size());
}

auto Lexer::OddNameEnd(uint32_t at) const -> uint32_t {
  while (at < end_ && CharClass::Is(text_[at], CharClass::kIdent | CharClass::kOdd)) {
    if (text_[at] == '/' && at + 1 < end_ && text_[at + 1] == '*') break;
    ++at;
  }
  return at;
}

void Lexer::Scan(uint32_t at) {
  if (at >= end_) return Set(TokenKind::kEnd, end_, end_);
  const char c = text_[at];
  if (CharClass::Is(c, CharClass::kIdentStart)) return ScanIdent(at);
  if (IsDigit(c)) return ScanNumber(at);
  const char next = at + 1 < end_ ? text_[at + 1] : '\0';
  switch (c) {
    case '%':
    case '@': return ScanSigil(at);
    case '"': return ScanString(at);
    case '#': return ScanSection(at);
    case '=':
      if (next == '=') return Set(TokenKind::kEqualEqual, at, at + 2);
      if (next == '>') return Set(TokenKind::kFatArrow, at, at + 2);
      break;
    case '<':
      if (next == '=') return Set(TokenKind::kLessEqual, at, at + 2);
      break;
    case '>':
      if (next == '=') return Set(TokenKind::kGreaterEqual, at, at + 2);
      break;
    case '!':
      if (next == '=') return Set(TokenKind::kNotEqual, at, at + 2);
      break;
    default: break;
  }
  const auto code = static_cast<unsigned char>(c);
  if (code >= kPunctuation.size() || kPunctuation[code] == TokenKind::kUnknown) return ScanUnknown(at);
  Set(kPunctuation[code], at, at + 1);
}

void Lexer::ScanIdent(uint32_t at) {
  const uint32_t end = NameEnd(at);
  const std::string_view word(text_ + at, end - at);
  Set(TokenKind::kIdent, at, end);
  if (word.size() > 9) return;
  if (word == "meta" && char_at(end) == '[') return ScanMeta(at);
  for (const Keyword& keyword : kKeywords) {
    if (word[0] != keyword.text[0] || word != keyword.text) continue;
    token_.kind = keyword.kind;
    if (keyword.kind == TokenKind::kMatch && char_at(end) == '?') Set(TokenKind::kMatchPartial, at, end + 1);
    return;
  }
}

void Lexer::ScanSigil(uint32_t at) {
  const bool local = text_[at] == '%';
  const char next = char_at(at + 1);
  if (CharClass::Is(next, CharClass::kIdentStart)) {
    return Set(local ? TokenKind::kLocal : TokenKind::kGlobal, at, NameEnd(at + 1));
  }
  if (local && IsDigit(next)) {
    uint32_t end = at + 2;
    while (end < end_ && IsDigit(text_[end])) ++end;
    return Set(TokenKind::kGraph, at, end);
  }
  ScanUnknown(at);
}

// `[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?([fi][0-9]*)?`
void Lexer::ScanNumber(uint32_t begin) {
  uint32_t at = begin;
  const auto digits = [&] {
    while (at < end_ && IsDigit(text_[at])) ++at;
  };
  digits();
  if (char_at(at) == '.') {
    ++at;
    digits();
  }
  if (char_at(at) == 'e' || char_at(at) == 'E') {
    const bool sign = char_at(at + 1) == '+' || char_at(at + 1) == '-';
    if (IsDigit(char_at(at + (sign ? 2 : 1)))) {
      at += sign ? 2 : 1;
      digits();
    }
  }
  if (char_at(at) == 'f' || char_at(at) == 'i') {
    ++at;
    digits();
  }
  Set(TokenKind::kNumber, begin, at);
}

void Lexer::ScanString(uint32_t begin) {
  uint32_t at = begin + 1;
  while (at < end_ && text_[at] != '"') at += text_[at] == '\\' ? 2 : 1;
  if (at < end_) return Set(TokenKind::kString, begin, at + 1);
  if (reported_ != begin) reporter_->Report(diag::kUnclosedString, {begin, begin + 1});
  reported_ = begin;
  Set(TokenKind::kString, begin, end_);
}

void Lexer::ScanMeta(uint32_t begin) {
  // Longer keys do not occur; without a limit a text full of open brackets would take quadratic time.
  constexpr uint32_t kLongest = 1000;
  const auto bracket_end = [this](uint32_t at) {
    const uint32_t limit = std::min(end_, at + kLongest);
    while (at < limit && text_[at] != ']' && text_[at] != '\n') ++at;
    return at < limit && text_[at] == ']' ? at + 1 : 0;
  };
  uint32_t end = bracket_end(begin + 5);
  if (end != 0 && char_at(end) == '[') {
    const uint32_t index = end + 1;
    end = bracket_end(index);
    const bool digits = std::all_of(text_ + index, text_ + std::max(index, end) - (end == 0 ? 0 : 1), IsDigit);
    if (end > index + 1 && digits) return Set(TokenKind::kMeta, begin, end);
  }
  // A reference to null, which the parser skips.
  Set(TokenKind::kMeta, begin, end != 0 ? end : begin + 5);
  reporter_->Report(diag::kMalformedMeta, token_.range());
}

void Lexer::ScanSection(uint32_t begin) {
  uint32_t at = begin + 1;
  if (char_at(at) != '[') return ScanUnknown(begin);
  while (at < end_ && text_[at] != ']' && text_[at] != '\n') ++at;
  Set(TokenKind::kSection, begin, at < end_ ? at + 1 : at);
}

void Lexer::ScanUnknown(uint32_t begin) {
  uint32_t at = begin + 1;
  while (at < end_ && !CharClass::Is(text_[at], CharClass::kBlank) && text_[at] != '\r') ++at;
  Set(TokenKind::kUnknown, begin, at);
}

auto Lexer::Decode(const Token& string) const -> std::string {
  std::string_view body = text(string).substr(1);
  if (body.ends_with('"')) body.remove_suffix(1);
  std::string out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i];
      continue;
    }
    const char c = body[++i];
    switch (c) {
      case 'n': out += '\n'; break;
      case 't': out += '\t'; break;
      case 'r': out += '\r'; break;
      case '"':
      case '\\': out += c; break;
      case 'x':
        if (i + 2 < body.size() && HexValue(body[i + 1]) >= 0 && HexValue(body[i + 2]) >= 0) {
          out += static_cast<char>(HexValue(body[i + 1]) * 16 + HexValue(body[i + 2]));
          i += 2;
          break;
        }
        [[fallthrough]];
      default: out += '\\'; out += c;
    }
  }
  return out;
}

auto TokenName(TokenKind kind) -> std::string_view {
  switch (kind) {
    case TokenKind::kEnd: return "the end of the text";
    case TokenKind::kUnknown: return "an unknown character";
    case TokenKind::kIdent: return "an identifier";
    case TokenKind::kLocal: return "a variable";
    case TokenKind::kGraph: return "a graph variable";
    case TokenKind::kGlobal: return "a global";
    case TokenKind::kNumber: return "a number";
    case TokenKind::kString: return "a string";
    case TokenKind::kMeta: return "a metadata reference";
    case TokenKind::kSection: return "a section";
    case TokenKind::kTrue: return "`True`";
    case TokenKind::kFalse: return "`False`";
    case TokenKind::kUnderscore: return "`_`";
    case TokenKind::kDef: return "`def`";
    case TokenKind::kElse: return "`else`";
    case TokenKind::kExtern: return "`extern`";
    case TokenKind::kFn: return "`fn`";
    case TokenKind::kFreeVar: return "`free_var`";
    case TokenKind::kIf: return "`if`";
    case TokenKind::kLet: return "`let`";
    case TokenKind::kMatch: return "`match`";
    case TokenKind::kMatchPartial: return "`match?`";
    case TokenKind::kRef: return "`ref`";
    case TokenKind::kRefRead: return "`ref_read`";
    case TokenKind::kRefWrite: return "`ref_write`";
    case TokenKind::kType: return "`type`";
    case TokenKind::kLParen: return "`(`";
    case TokenKind::kRParen: return "`)`";
    case TokenKind::kLBrace: return "`{`";
    case TokenKind::kRBrace: return "`}`";
    case TokenKind::kLSquare: return "`[`";
    case TokenKind::kRSquare: return "`]`";
    case TokenKind::kComma: return "`,`";
    case TokenKind::kSemicolon: return "`;`";
    case TokenKind::kColon: return "`:`";
    case TokenKind::kDot: return "`.`";
    case TokenKind::kQuestion: return "`?`";
    case TokenKind::kEqual: return "`=`";
    case TokenKind::kFatArrow: return "`=>`";
    case TokenKind::kStar: return "`*`";
    case TokenKind::kSlash: return "`/`";
    case TokenKind::kPlus: return "`+`";
    case TokenKind::kMinus: return "`-`";
    case TokenKind::kLess: return "`<`";
    case TokenKind::kLessEqual: return "`<=`";
    case TokenKind::kGreater: return "`>`";
    case TokenKind::kGreaterEqual: return "`>=`";
    case TokenKind::kEqualEqual: return "`==`";
    case TokenKind::kNotEqual: return "`!=`";
  }
  return "";
}

auto Lexer::Found() const -> std::string {
  switch (token_.kind) {
    case TokenKind::kUnknown:
    case TokenKind::kIdent:
    case TokenKind::kLocal:
    case TokenKind::kGraph:
    case TokenKind::kGlobal:
    case TokenKind::kNumber: {
      constexpr size_t kLongest = 40;
      const std::string_view word = text();
      return fmt::format("`{}{}`", word.substr(0, kLongest), word.size() > kLongest ? "..." : "");
    }
    default: return std::string(TokenName(token_.kind));
  }
}

}  // namespace relayopt
