// The tokens of TVMScript.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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
  kPythonOnly,  // a keyword of Python that is not supported
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

// A keyword.
struct Keyword {
  std::string_view text;
  TokenKind kind;
};
auto Keywords() -> std::span<const Keyword>;

// Whether Python reserves this name.
auto IsKeyword(std::string_view name) -> bool;

// The position of a name in the reader's table of names.
using NameIndex = uint32_t;

struct Token {
  TokenKind kind = TokenKind::kEnd;
  // For kString: the content is exactly the text between the quotes. For kNumber: it is `number`.
  bool plain = false;
  uint32_t begin = 0;
  uint32_t end = 0;
  union {
    // For kName.
    NameIndex name = 0;
    uint32_t number;
  };

  auto range() const -> SourceRange { return {begin, end}; }
};

}  // namespace relayopt::tir
