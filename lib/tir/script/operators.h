// The operators of the text and how tightly they bind.
#pragma once

#include <array>
#include <string_view>

#include "lib/tir/script/token.h"
#include "relayopt/arith/prim_expr.h"

namespace relayopt::tir {

enum class Op : int {
  kOr,
  kAnd,
  kNot,
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterEqual,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kMod,
  kNegate,
  kPlus,
  kInvert,
  kPower,
};

struct OpRow {
  Op op;
  std::string_view text;
  // Higher binds tighter; Python's order.
  int precedence;
  TokenKind token;
  // The kind of term that it makes of expressions; kAny when it does something else.
  arith::PrimKind kind;
};

inline constexpr OpRow kOps[] = {
    {Op::kOr, "or", 1, TokenKind::kOr, arith::PrimKind::kOr},
    {Op::kAnd, "and", 2, TokenKind::kAnd, arith::PrimKind::kAnd},
    {Op::kNot, "not", 3, TokenKind::kNot, arith::PrimKind::kNot},
    {Op::kLess, "<", 4, TokenKind::kLess, arith::PrimKind::kLT},
    {Op::kLessEqual, "<=", 4, TokenKind::kLessEqual, arith::PrimKind::kLE},
    {Op::kEqual, "==", 4, TokenKind::kEqualEqual, arith::PrimKind::kEQ},
    {Op::kNotEqual, "!=", 4, TokenKind::kNotEqual, arith::PrimKind::kNE},
    {Op::kGreater, ">", 4, TokenKind::kGreater, arith::PrimKind::kGT},
    {Op::kGreaterEqual, ">=", 4, TokenKind::kGreaterEqual, arith::PrimKind::kGE},
    {Op::kBitOr, "|", 5, TokenKind::kPipe, arith::PrimKind::kAny},
    {Op::kBitXor, "^", 6, TokenKind::kCaret, arith::PrimKind::kAny},
    {Op::kBitAnd, "&", 7, TokenKind::kAmpersand, arith::PrimKind::kAny},
    {Op::kShiftLeft, "<<", 8, TokenKind::kShiftLeft, arith::PrimKind::kAny},
    {Op::kShiftRight, ">>", 8, TokenKind::kShiftRight, arith::PrimKind::kAny},
    {Op::kAdd, "+", 9, TokenKind::kPlus, arith::PrimKind::kAdd},
    {Op::kSub, "-", 9, TokenKind::kMinus, arith::PrimKind::kSub},
    {Op::kMul, "*", 10, TokenKind::kStar, arith::PrimKind::kMul},
    {Op::kDiv, "/", 10, TokenKind::kSlash, arith::PrimKind::kDiv},
    {Op::kFloorDiv, "//", 10, TokenKind::kDoubleSlash, arith::PrimKind::kFloorDiv},
    {Op::kMod, "%", 10, TokenKind::kPercent, arith::PrimKind::kFloorMod},
    {Op::kNegate, "-", 11, TokenKind::kUnknown, arith::PrimKind::kAny},
    {Op::kPlus, "+", 11, TokenKind::kUnknown, arith::PrimKind::kAny},
    {Op::kInvert, "~", 11, TokenKind::kTilde, arith::PrimKind::kAny},
    {Op::kPower, "**", 12, TokenKind::kDoubleStar, arith::PrimKind::kAny},
};

inline auto RowOf(Op op) -> const OpRow& { return kOps[static_cast<int>(op)]; }

// The row of each token that is an infix operator.
inline constexpr auto kInfixOps = [] {
  std::array<const OpRow*, static_cast<size_t>(TokenKind::kNotEqual) + 1> rows{};
  for (const OpRow& row : kOps) {
    if (row.token == TokenKind::kUnknown || row.token == TokenKind::kNot || row.token == TokenKind::kTilde) continue;
    rows[static_cast<size_t>(row.token)] = &row;
  }
  return rows;
}();

// Returns the infix operator that a token is, or null if it is none.
inline auto InfixOp(TokenKind token) -> const OpRow* { return kInfixOps[static_cast<size_t>(token)]; }

// Returns the operator of an augmented assignment, `+=` and the like, or null for an unknown one.
inline auto AugmentedOp(std::string_view text) -> const OpRow* {
  for (const OpRow& row : kOps) {
    if (row.precedence >= 5 && row.token != TokenKind::kUnknown && text.substr(0, text.size() - 1) == row.text) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace relayopt::tir
