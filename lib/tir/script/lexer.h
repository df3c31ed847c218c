// Cuts TVMScript into tokens, one at a time and on demand.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/core/context.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt::tir {

enum class TokenKind : uint8_t {
  kEnd,
  kNewline,
  kIndent,
  kDedent,
  kName,
  kNumber,
  kString,  // one literal with prefix and quotes
  kUnknown,
  // Keywords.
  kAnd,
  kAs,
  kAssert,
  kClass,
  kDef,
  kElif,
  kElse,
  kFalse,
  kFor,
  kFrom,
  kIf,
  kImport,
  kIn,
  kLambda,
  kNone,
  kNot,
  kOr,
  kPass,
  kReturn,
  kTrue,
  kWhile,
  kWith,
  kPythonOnly,  // a keyword of Python that nothing here understands
  // Punctuation.
  kLParen,
  kRParen,
  kLSquare,
  kRSquare,
  kLBrace,
  kRBrace,
  kComma,
  kColon,
  kSemicolon,
  kDot,
  kAt,
  kArrow,
  kEqual,
  kWalrus,
  kAugmented,  // `+=` and its kin
  // Operators.
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kDoubleSlash,
  kPercent,
  kDoubleStar,
  kShiftLeft,
  kShiftRight,
  kAmpersand,
  kPipe,
  kCaret,
  kTilde,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqualEqual,
  kNotEqual,
};

// As diagnostics name it: "`(`", "a name".
auto TokenName(TokenKind kind) -> std::string_view;

// The position of a name in the reader's table of names.
using NameIndex = uint32_t;

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // Of a kString: it stands for what is between its two quotes.
  bool plain = false;
  uint32_t begin = 0;
  uint32_t end = 0;
  // Of a kName.
  NameIndex name = 0;

  auto range() const -> SourceRange { return {begin, end}; }
};

// The distinct names of a text. Looking one up costs a hash and a comparison.
class NameTable {
 public:
  explicit NameTable(Context& context);

  auto Find(std::string_view text) -> NameIndex;
  // `head`: its first eight bytes, with zeros behind.
  auto Find(std::string_view text, uint64_t head) -> NameIndex;
  // The name of one character.
  auto FindLetter(char letter) -> NameIndex;
  auto text(NameIndex name) const -> std::string_view { return entries_[name].text; }
  auto id(NameIndex name) const -> StringId { return entries_[name].id; }
  auto keyword(NameIndex name) const -> TokenKind { return entries_[name].keyword; }
  auto size() const -> size_t { return entries_.size(); }

 private:
  struct Entry {
    std::string_view text;
    // Its first and its last eight bytes, which is all of most names.
    uint64_t head = 0;
    uint64_t tail = 0;
    StringId id;
    // kName for those that are none.
    TokenKind keyword = TokenKind::kName;
  };
  // At a free slot.
  auto Add(std::string_view text, uint64_t head, uint64_t tail, size_t at, uint64_t hash) -> NameIndex;
  void Grow();

  Context& context_;
  std::vector<Entry> entries_;
  // Index + 1 of an entry with the upper half of its hash, or 0.
  struct Slot {
    uint32_t entry = 0;
    uint32_t hash = 0;
  };
  std::vector<Slot> slots_;
  size_t mask_;
  // Index + 1 of the names of one character, or 0.
  std::array<NameIndex, 256> letters_{};
};

// The tokens of a text. Indentation is Python's: inside of brackets it means nothing.
class Lexer {
 public:
  Lexer(std::string_view text, NameTable& names, DiagnosticSink& sink, uint32_t begin);

  auto token() const -> const Token& { return token_; }
  auto text() const -> std::string_view { return text_; }
  auto text(const Token& token) const -> std::string_view { return text_.substr(token.begin, token.end - token.begin); }
  // Where the token before this one ends.
  auto last_end() const -> uint32_t { return last_end_; }
  void Next() {
    last_end_ = token_.end;
    if (pending_dedents_ > 0) {
      --pending_dedents_;
      Set(TokenKind::kDedent, token_.end, 0);
    } else {
      Scan(token_.end);
    }
  }
  // Whether a single `=` follows the token, which is a name: it names an argument.
  auto FollowedByEqual() const -> bool;
  // The first character after the token and blanks; 0 at the end.
  auto FollowingChar() const -> char;

  // A place to come back to, inside of brackets.
  struct Mark {
    Token token;
    uint32_t last_end;
    size_t depth;
  };
  auto mark() const -> Mark { return {token_, last_end_, brackets_.size()}; }
  void Return(const Mark& mark);

  // Goes on inside of a string, from `begin` to `end`, as if nothing stood around it; Leave comes back to where it was.
  struct Outside {
    Mark mark;
    std::vector<uint32_t> brackets;
    uint32_t end;
  };
  auto Enter(uint32_t begin, uint32_t end) -> Outside;
  void Leave(Outside outside);

  // Passes over the rest of the line and the block below it, if there is one.
  void SkipStatement();
  // Passes over the rest of the line (to its newline), whatever brackets are open.
  void SkipLine();

 private:
  void Scan(uint32_t at);
  void ScanEnd();
  void ScanOther(uint32_t at);
  auto StartOfLine(uint32_t at) -> bool;
  void ScanNumber(uint32_t at);
  auto ScanString(uint32_t at, uint32_t quote) -> bool;
  void Set(TokenKind kind, uint32_t begin, uint32_t size) {
    token_.kind = kind;
    token_.begin = begin;
    token_.end = begin + size;
  }

  std::string_view text_;
  // Where reading ends: that of the text, but inside of a string.
  uint32_t end_ = 0;
  NameTable& names_;
  DiagnosticSink& sink_;
  Token token_;
  uint32_t last_end_ = 0;
  // Offsets of the open brackets.
  std::vector<uint32_t> brackets_;
  std::vector<uint32_t> indents_ = {0};
  uint32_t pending_dedents_ = 0;
  bool at_line_start_ = true;
};

// The bytes that a string token stands for; false when an escape is malformed. `\xHH` is the byte HH.
auto DecodeString(std::string_view literal, std::string& bytes) -> bool;

}  // namespace relayopt::tir
