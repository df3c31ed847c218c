// Cuts TVMScript into tokens, one at a time and on demand.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/tir/script/name_table.h"
#include "lib/tir/script/plain_stack.h"
#include "lib/tir/script/token.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/source.h"

namespace relayopt::tir {

// The tokens of a text. Indentation is Python's: inside of brackets it means nothing.
class Lexer {
 public:
  Lexer(std::string_view text, NameTable& names, DiagnosticSink& sink, uint32_t begin);

  auto token() const -> const Token& { return token_; }
  auto text() const -> std::string_view { return text_; }
  auto text(const Token& token) const -> std::string_view { return text_.substr(token.begin, token.end - token.begin); }
  // Returns the end of the token before this one.
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
  // Goes on to the name after a dot, if both directly follow the token, which is a name.
  auto PassDot() -> bool;
  // Whether a single `=` follows the token, which is a name: it names an argument.
  auto FollowedByEqual() const -> bool;
  // Returns the first character after the token and blanks; 0 at the end.
  auto FollowingChar() const -> char;

  // A position to come back to, inside of brackets.
  struct Mark {
    Token token;
    uint32_t last_end;
    size_t depth;
  };
  auto mark() const -> Mark { return {token_, last_end_, brackets_.size()}; }
  void Return(const Mark& mark);

  // Goes on inside of a string, from `begin` to `end`, as if nothing surrounded it; Leave comes back to where it was.
  struct Outside {
    Mark mark;
    PlainStack<uint32_t> brackets;
    uint32_t end;
    bool at_line_start;
  };
  auto Enter(uint32_t begin, uint32_t end) -> Outside;
  void Leave(Outside outside);

  // Passes over the rest of the line and the block below it, if there is one.
  void SkipStatement();
  // Passes over the rest of the line (to its newline), whatever brackets are open.
  void SkipLine();

 private:
  void Scan(uint32_t at);
  void ScanLineStart(uint32_t at);
  void ScanName(uint32_t at);
  void ScanLongName(uint32_t at);
  void ScanSpecial(uint32_t at);
  void ScanEnd();
  void ScanOther(uint32_t at);
  auto StartOfLine(uint32_t at) -> bool;
  void ScanNumber(uint32_t at);
  auto ScanString(uint32_t at, uint32_t quote) -> bool;
  void SetName(const NameTable::Short& name, uint32_t begin, uint32_t size) {
    token_.name = name.name;
    Set(name.keyword, begin, size);
  }
  void Set(TokenKind kind, uint32_t begin, uint32_t size) {
    token_.kind = kind;
    token_.begin = begin;
    token_.end = begin + size;
  }

  std::string_view text_;
  // The offset at which reading ends: the end of the text, except while the content of a string is read.
  uint32_t end_ = 0;
  NameTable& names_;
  DiagnosticSink& sink_;
  Token token_;
  uint32_t last_end_ = 0;
  // Offsets of the open brackets.
  PlainStack<uint32_t> brackets_;
  std::vector<uint32_t> indents_ = {0};
  uint32_t pending_dedents_ = 0;
  bool at_line_start_ = true;
};

}  // namespace relayopt::tir
