#include "lib/tir/script/token.h"

#include <algorithm>
#include <iterator>

namespace relayopt::tir {

namespace {

constexpr Keyword kKeywords[] = {
    {"and", TokenKind::kAnd},
    {"as", TokenKind::kAs},
    {"assert", TokenKind::kAssert},
    {"class", TokenKind::kClass},
    {"def", TokenKind::kDef},
    {"elif", TokenKind::kElif},
    {"else", TokenKind::kElse},
    {"False", TokenKind::kFalse},
    {"for", TokenKind::kFor},
    {"from", TokenKind::kFrom},
    {"if", TokenKind::kIf},
    {"import", TokenKind::kImport},
    {"in", TokenKind::kIn},
    {"lambda", TokenKind::kLambda},
    {"None", TokenKind::kNone},
    {"not", TokenKind::kNot},
    {"or", TokenKind::kOr},
    {"pass", TokenKind::kPass},
    {"return", TokenKind::kReturn},
    {"True", TokenKind::kTrue},
    {"while", TokenKind::kWhile},
    {"with", TokenKind::kWith},
    {"async", TokenKind::kPythonOnly},
    {"await", TokenKind::kPythonOnly},
    {"break", TokenKind::kPythonOnly},
    {"continue", TokenKind::kPythonOnly},
    {"del", TokenKind::kPythonOnly},
    {"except", TokenKind::kPythonOnly},
    {"finally", TokenKind::kPythonOnly},
    {"global", TokenKind::kPythonOnly},
    {"is", TokenKind::kPythonOnly},
    {"nonlocal", TokenKind::kPythonOnly},
    {"raise", TokenKind::kPythonOnly},
    {"try", TokenKind::kPythonOnly},
    {"yield", TokenKind::kPythonOnly},
};

}  // namespace

auto Keywords() -> std::span<const Keyword> { return kKeywords; }

auto IsKeyword(std::string_view name) -> bool {
  return std::ranges::find(kKeywords, name, &Keyword::text) != std::end(kKeywords);
}

auto TokenName(TokenKind kind) -> std::string_view {
  switch (kind) {
    case TokenKind::kEnd: return "the end of the text";
    case TokenKind::kNewline: return "the end of the line";
    case TokenKind::kIndent: return "an indentation";
    case TokenKind::kDedent: return "the end of a block";
    case TokenKind::kName: return "a name";
    case TokenKind::kNumber: return "a number";
    case TokenKind::kString: return "a string";
    case TokenKind::kLParen: return "`(`";
    case TokenKind::kRParen: return "`)`";
    case TokenKind::kLSquare: return "`[`";
    case TokenKind::kRSquare: return "`]`";
    case TokenKind::kLBrace: return "`{`";
    case TokenKind::kRBrace: return "`}`";
    case TokenKind::kComma: return "`,`";
    case TokenKind::kColon: return "`:`";
    case TokenKind::kSemicolon: return "`;`";
    case TokenKind::kDot: return "`.`";
    case TokenKind::kAt: return "`@`";
    case TokenKind::kArrow: return "`->`";
    case TokenKind::kEqual: return "`=`";
    case TokenKind::kWalrus: return "`:=`";
    case TokenKind::kUnknown: return "an unknown character";
    default: break;
  }
  for (const Keyword& keyword : kKeywords) {
    if (keyword.kind == kind && kind != TokenKind::kPythonOnly) return keyword.text;
  }
  return kind == TokenKind::kPythonOnly ? "a keyword of Python" : "an operator";
}

}  // namespace relayopt::tir
