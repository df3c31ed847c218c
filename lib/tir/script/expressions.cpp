// Expressions of TVMScript: read and evaluated in one go, on explicit stacks, so that nesting costs no stack.
//
// `stack_` holds values, `ops_` operators that wait for their right operand, `groups_` the open brackets. Reading
// alternates between an operand (which may open a bracket or stack a prefix operator) and what follows one (a postfix,
// an infix operator, which first lets tighter ones to its left take their operands, or the end of the element):
//
//   f(a + b * c)     groups: top, call of f;  values: f a b c;  ops: + *
//                    `)` reduces  b * c,  then  a + ...,  then calls f with what lies above it
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "lib/tir/script/operators.h"
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

auto Reader::ParseExpr(bool tuples, bool targets) -> Value {
  const size_t top = groups_.size();
  const uint32_t begin = lexer_.token().begin;
  groups_.push_back({Group::Kind::kTop, false, 0, false, begin, ops_.size(), stack_.size(), keywords_.size()});
  const Group outer = groups_.back();
  const auto unwind = [&](Value result) {
    groups_.resize(top);
    ops_.erase(ops_.begin() + static_cast<ptrdiff_t>(outer.ops_base), ops_.end());
    stack_.resize(outer.values_base);
    keywords_.resize(outer.keywords_base);
    return result;
  };
  bool operand_next = true;
  for (;;) {
    if (operand_next) {
      const size_t before = groups_.size();
      const size_t ops_before = ops_.size();
      const Group::Kind kind = groups_.back().kind;
      const TokenKind token = lexer_.token().kind;
      // Brackets may close, and slices go on, where an operand would stand.
      const bool closes =
          (token == TokenKind::kRParen && (kind == Group::Kind::kParen || kind == Group::Kind::kCall)) ||
          (token == TokenKind::kRSquare && (kind == Group::Kind::kList || kind == Group::Kind::kIndex)) ||
          (token == TokenKind::kRBrace && kind == Group::Kind::kDict);
      const bool open_slice = kind == Group::Kind::kIndex && token == TokenKind::kColon;
      const bool comma_of_slice =
          kind == Group::Kind::kIndex && token == TokenKind::kComma && groups_.back().colons > 0;
      if ((closes || open_slice || comma_of_slice) && ops_.size() == groups_.back().ops_base) {
        operand_next = false;
        groups_.back().has_operand = false;
        continue;
      }
      if (kind == Group::Kind::kTop && groups_.back().has_comma && tuples &&
          (token == TokenKind::kNewline || token == TokenKind::kEqual)) {
        operand_next = false;
        groups_.back().has_operand = false;
        continue;
      }
      if (!ParseOperand()) return unwind(Value::Error());
      // A prefix operator or a bracket wants an operand again.
      operand_next = groups_.size() != before || ops_.size() != ops_before;
      if (!operand_next) groups_.back().has_operand = true;
      continue;
    }
    const int next = ParseOperator(top, tuples, targets);
    if (next < 0) return unwind(Value::Error());
    if (next == 2) break;
    operand_next = next == 0;
  }
  const Group& group = groups_.back();
  const size_t count = stack_.size() - outer.values_base;
  if (count == 0)
    return unwind(Error(diag::kExpected, lexer_.token().range(), "an expression", TokenName(lexer_.token().kind)));
  Value result = stack_.back();
  if (group.has_comma) result = Sequence(ValueKind::kTuple, std::span(stack_).subspan(outer.values_base));
  result.range = {begin, lexer_.last_end()};
  return unwind(result);
}

// One operand, prefix operator or opening bracket.
auto Reader::ParseOperand() -> bool {
  const Token token = lexer_.token();
  const auto push = [&](Value value) {
    value.range = {token.begin, lexer_.last_end()};
    stack_.push_back(value);
    return true;
  };
  const auto open = [&](Group::Kind kind) {
    groups_.push_back({kind, false, 0, false, token.begin, ops_.size(), stack_.size(), keywords_.size()});
    lexer_.Next();
    return true;
  };
  const auto prefix = [&](Op op) {
    ops_.push_back({static_cast<int>(op), RowOf(op).precedence, true, token.begin});
    lexer_.Next();
    return true;
  };
  switch (token.kind) {
    case TokenKind::kName: {
      // `name=value` among arguments.
      if (groups_.back().kind == Group::Kind::kCall && lexer_.FollowedByEqual() &&
          ops_.size() == groups_.back().ops_base) {
        const size_t position = stack_.size() - groups_.back().values_base;
        keywords_.resize(groups_.back().keywords_base + position, UINT32_MAX);
        keywords_.push_back(token.name);
        lexer_.Next();
        lexer_.Next();
        return ParseOperand();
      }
      const Value value = LookUp(token);
      lexer_.Next();
      return push(value);
    }
    case TokenKind::kNumber: {
      const Value value = ParseNumber(token);
      lexer_.Next();
      return push(value);
    }
    case TokenKind::kString: return push(ParseString());
    case TokenKind::kTrue: lexer_.Next(); return push(Value::Bool(true));
    case TokenKind::kFalse: lexer_.Next(); return push(Value::Bool(false));
    case TokenKind::kNone: lexer_.Next(); return push(Value());
    case TokenKind::kLParen: return open(Group::Kind::kParen);
    case TokenKind::kLSquare: return open(Group::Kind::kList);
    case TokenKind::kLBrace: return open(Group::Kind::kDict);
    case TokenKind::kMinus: return prefix(Op::kNegate);
    case TokenKind::kPlus: return prefix(Op::kPlus);
    case TokenKind::kTilde: return prefix(Op::kInvert);
    case TokenKind::kNot: return prefix(Op::kNot);
    case TokenKind::kLambda: {
      const Value lambda = SkipLambda();
      return !lambda.is_error() && push(lambda);
    }
    case TokenKind::kStar:
    case TokenKind::kDoubleStar: Report(diag::kNeedsPython, token.range(), "arguments from a sequence"); return false;
    case TokenKind::kPythonOnly: Report(diag::kNeedsPython, token.range(), lexer_.text(token)); return false;
    case TokenKind::kUnknown: return false;
    default: Report(diag::kExpected, token.range(), "an expression", TokenName(token.kind)); return false;
  }
}

// What follows an operand: 0 when another operand must follow, 1 when a value was finished, 2 at the end of the whole,
// -1 after an error.
auto Reader::ParseOperator(size_t top, bool tuples, bool targets) -> int {
  const Token token = lexer_.token();
  Group& group = groups_.back();
  const uint32_t begin = group.has_operand && !stack_.empty() ? stack_.back().range.begin : token.begin;
  if (group.has_operand) {
    switch (token.kind) {
      case TokenKind::kDot: {
        lexer_.Next();
        const Token name = lexer_.token();
        // A keyword after a dot is a name like others.
        if (name.kind != TokenKind::kName && lexer_.text(name).empty()) {
          Report(diag::kExpected, name.range(), "a name", TokenName(name.kind));
          return -1;
        }
        stack_.back() = Attribute(stack_.back(), name);
        lexer_.Next();
        stack_.back().range = {begin, lexer_.last_end()};
        return 1;
      }
      case TokenKind::kLParen:
        groups_.push_back({Group::Kind::kCall, false, 0, false, begin, ops_.size(), stack_.size(), keywords_.size()});
        lexer_.Next();
        return 0;
      case TokenKind::kLSquare:
        groups_.push_back({Group::Kind::kIndex, false, 0, false, begin, ops_.size(), stack_.size(), keywords_.size()});
        lexer_.Next();
        return 0;
      case TokenKind::kIf: Report(diag::kNeedsPython, token.range(), "a conditional expression"); return -1;
      case TokenKind::kFor: Report(diag::kNeedsPython, token.range(), "a comprehension"); return -1;
      case TokenKind::kWalrus:
        Report(diag::kNeedsPython, token.range(), "an assignment inside of an expression");
        return -1;
      case TokenKind::kAt: Report(diag::kNeedsPython, token.range(), "matrix multiplication"); return -1;
      case TokenKind::kPythonOnly: Report(diag::kNeedsPython, token.range(), lexer_.text(token)); return -1;
      case TokenKind::kIn:
        if (groups_.size() > top + 1) {
          Report(diag::kNeedsPython, token.range(), "the operator `in`");
          return -1;
        }
        break;
      case TokenKind::kNot: Report(diag::kNeedsPython, token.range(), "the operator `not in`"); return -1;
      case TokenKind::kString:
      case TokenKind::kName:
      case TokenKind::kNumber:
        Report(diag::kExpected, token.range(), "an operator or the end of the expression", TokenName(token.kind));
        return -1;
      default: break;
    }
    if (const OpRow* row = InfixOp(token.kind)) {
      // `**` takes its right operand first; everything else its left one.
      ReduceTo(group.ops_base, row->op == Op::kPower ? row->precedence + 1 : row->precedence);
      ops_.push_back({static_cast<int>(row->op), row->precedence, false, begin});
      lexer_.Next();
      return 0;
    }
    ReduceTo(group.ops_base, 0);
  }
  switch (token.kind) {
    case TokenKind::kComma:
      if (group.kind == Group::Kind::kTop) {
        if (!tuples) return 2;
        group.has_comma = true;
        group.has_operand = false;
        lexer_.Next();
        return 0;
      }
      if (!FinishElement()) return -1;
      group.has_comma = true;
      lexer_.Next();
      return 0;
    case TokenKind::kColon:
      if (group.kind == Group::Kind::kIndex && group.colons < 2) {
        if (!group.has_operand) stack_.push_back(Value());
        group.has_operand = false;
        ++group.colons;
        lexer_.Next();
        return 0;
      }
      if (group.kind == Group::Kind::kDict && group.colons == 0 && group.has_operand) {
        group.colons = 1;
        group.has_operand = false;
        lexer_.Next();
        return 0;
      }
      break;
    case TokenKind::kRParen:
    case TokenKind::kRSquare:
    case TokenKind::kRBrace:
      if (group.kind == Group::Kind::kTop) break;
      return CloseGroup(targets, top) ? 1 : -1;
    default: break;
  }
  if (group.kind == Group::Kind::kTop) return 2;
  Report(diag::kExpected, token.range(), "`,` or the end of the brackets", TokenName(token.kind));
  return -1;
}

// Lets the operators above `ops_base` that bind at least as tightly as `precedence` take their operands.
void Reader::ReduceTo(size_t ops_base, int precedence) {
  while (ops_.size() > ops_base && ops_.back().precedence >= precedence) {
    const PendingOp op = ops_.back();
    ops_.pop_back();
    const SourceRange range{op.begin, lexer_.last_end()};
    Value result;
    if (op.unary) {
      result = Unary(op.op, stack_.back(), range);
    } else {
      const Value b = stack_.back();
      stack_.pop_back();
      result = Binary(op.op, stack_.back(), b, range);
    }
    result.range = range;
    stack_.back() = result;
  }
}

// The end of an element of a bracket, at a comma or at its end. A missing element is fine where nothing was begun.
auto Reader::FinishElement() -> bool {
  Group& group = groups_.back();
  if (group.colons > 0) {
    if (!group.has_operand && group.kind == Group::Kind::kDict) {
      Report(diag::kExpected, lexer_.token().range(), "a value", TokenName(lexer_.token().kind));
      return false;
    }
    if (group.kind == Group::Kind::kIndex) {
      if (!group.has_operand) stack_.push_back(Value());
      if (group.colons == 1) stack_.push_back(Value());
      const auto parts = std::span(stack_).last(3);
      const SourceRange range{parts[0].is_none() ? lexer_.last_end() : parts[0].range.begin, lexer_.last_end()};
      Value slice = Sequence(ValueKind::kSlice, parts);
      slice.range = range;
      stack_.resize(stack_.size() - 2);
      stack_.back() = slice;
    }
  } else if (!group.has_operand || group.kind == Group::Kind::kDict) {
    Report(diag::kExpected, lexer_.token().range(), group.kind == Group::Kind::kDict ? "`:`" : "an expression",
           TokenName(lexer_.token().kind));
    return false;
  }
  group.colons = 0;
  group.has_operand = false;
  return true;
}

// A closing bracket: what it closes becomes one value.
auto Reader::CloseGroup(bool targets, size_t top) -> bool {
  const Token token = lexer_.token();
  const Group::Kind kind = groups_.back().kind;
  const TokenKind wanted = kind == Group::Kind::kParen || kind == Group::Kind::kCall ? TokenKind::kRParen
                           : kind == Group::Kind::kDict                              ? TokenKind::kRBrace
                                                                                     : TokenKind::kRSquare;
  if (token.kind != wanted) {
    Report(diag::kExpected, token.range(), TokenName(wanted), TokenName(token.kind));
    return false;
  }
  if ((groups_.back().has_operand || groups_.back().colons > 0) && !FinishElement()) return false;
  lexer_.Next();
  const Group group = groups_.back();
  groups_.pop_back();
  const auto elements = std::span<const Value>(stack_).subspan(group.values_base);
  const SourceRange range{group.begin, lexer_.last_end()};
  Value result;
  size_t drop = group.values_base;
  switch (kind) {
    case Group::Kind::kTop: break;
    case Group::Kind::kParen:
      result = elements.size() == 1 && !group.has_comma ? elements[0] : Sequence(ValueKind::kTuple, elements);
      break;
    case Group::Kind::kList: result = Sequence(ValueKind::kList, elements); break;
    case Group::Kind::kDict: result = Sequence(ValueKind::kDict, elements); break;
    case Group::Kind::kCall: {
      keywords_.resize(group.keywords_base + elements.size(), UINT32_MAX);
      // Copied: a call may evaluate further expressions on the same stacks.
      const std::vector<Value> args(elements.begin(), elements.end());
      const std::vector<NameIndex> names(keywords_.begin() + static_cast<ptrdiff_t>(group.keywords_base),
                                         keywords_.end());
      result = Call(stack_[group.values_base - 1], args, names, range);
      --drop;
      break;
    }
    case Group::Kind::kIndex: {
      const Value object = stack_[group.values_base - 1];
      const bool assigned = lexer_.token().kind == TokenKind::kEqual || lexer_.token().kind == TokenKind::kAugmented;
      std::vector<Value> indices(elements.begin(), elements.end());
      // `A[i, j]` and `A[(i, j)]` are one thing, and `A[()]` has no index.
      if (indices.size() == 1 && !group.has_comma && indices[0].is(ValueKind::kTuple)) {
        const Value tuple = indices[0];
        indices.assign(this->elements(tuple).begin(), this->elements(tuple).end());
      }
      if (targets && assigned && groups_.size() == top + 1 && ops_.size() == groups_[top].ops_base &&
          group.values_base == groups_[top].values_base + 1 && object.is(ValueKind::kBuffer)) {
        indices.insert(indices.begin(), object);
        result = Sequence(ValueKind::kTarget, indices);
      } else {
        result = Index(object, indices, range);
      }
      --drop;
      break;
    }
  }
  keywords_.resize(group.keywords_base);
  stack_.resize(drop);
  result.range = range;
  stack_.push_back(result);
  groups_.back().has_operand = true;
  return true;
}

auto Reader::ParseNumber(const Token& token) -> Value {
  std::string digits;
  for (const char c : lexer_.text(token)) {
    if (c != '_') digits += c;
  }
  const bool prefixed =
      digits.size() > 1 && digits[0] == '0' && std::string_view("xXoObB").find(digits[1]) != std::string_view::npos;
  char* end = nullptr;
  if (!prefixed && digits.find_first_of(".eE") != std::string::npos) {
    const double real = std::strtod(digits.c_str(), &end);
    if (*end != '\0') return Error(diag::kNumber, token.range(), lexer_.text(token));
    return Value::Float(real);
  }
  int base = 10;
  const char* start = digits.c_str();
  if (prefixed) {
    base = digits[1] == 'x' || digits[1] == 'X' ? 16 : digits[1] == 'o' || digits[1] == 'O' ? 8 : 2;
    start += 2;
  }
  errno = 0;
  const unsigned long long number = std::strtoull(start, &end, base);
  if (*end != '\0' || *start == '\0') return Error(diag::kNumber, token.range(), lexer_.text(token));
  if (errno == ERANGE) return Error(diag::kIntegerRange, token.range(), lexer_.text(token));
  Value value = Value::Int(static_cast<int64_t>(number));
  value.flag = value.integer < 0;
  return value;
}

// One or several literals, which join.
auto Reader::ParseString() -> Value {
  std::string bytes;
  while (lexer_.token().kind == TokenKind::kString) {
    const Token token = lexer_.token();
    if (!DecodeString(lexer_.text(token), bytes)) Report(diag::kBadEscape, token.range());
    lexer_.Next();
  }
  return Value::String(context_.Intern(bytes));
}

// Passes over a lambda and remembers where it begins.
auto Reader::SkipLambda() -> Value {
  const uint32_t begin = lexer_.token().begin;
  const Group::Kind kind = groups_.back().kind;
  if (kind != Group::Kind::kCall) {
    return Error(diag::kNeedsPython, lexer_.token().range(), "a lambda outside of T.comm_reducer and T.index_map");
  }
  const Lexer::Mark mark = lexer_.mark();
  size_t depth = 0;
  bool in_params = true;
  for (;; lexer_.Next()) {
    const TokenKind token = lexer_.token().kind;
    if (token == TokenKind::kEnd)
      return Error(diag::kExpected, lexer_.token().range(), "the end of the lambda", TokenName(token));
    if (token == TokenKind::kLParen || token == TokenKind::kLSquare || token == TokenKind::kLBrace) ++depth;
    if (token == TokenKind::kColon && depth == 0) in_params = false;
    if (depth == 0 && ((token == TokenKind::kComma && !in_params) || token == TokenKind::kRParen)) break;
    if (token == TokenKind::kRParen || token == TokenKind::kRSquare || token == TokenKind::kRBrace) --depth;
  }
  lambdas_.push_back(mark);
  Value lambda = Value::Of(ValueKind::kLambda, static_cast<uint32_t>(lambdas_.size() - 1));
  lambda.range = {begin, lexer_.last_end()};
  return lambda;
}

// The value of the lambda's body for these parameters, or for fresh int32 variables where there are none.
auto Reader::EvaluateLambda(const Value& lambda, std::span<const PrimExpr> params, SourceRange range) -> Value {
  const Lexer::Mark after = lexer_.mark();
  lexer_.Return(lambdas_[lambda.id]);
  lexer_.Next();
  PushScope();
  size_t count = 0;
  bool fine = true;
  while (fine && lexer_.token().kind == TokenKind::kName) {
    const Token name = lexer_.token();
    if (count >= params.size()) {
      Report(diag::kArguments, range, "the lambda", "has too many parameters");
      fine = false;
      break;
    }
    Rename(params[count], names_.id(name.name));
    fine = BindName(name, Value::Expr(params[count++]));
    lexer_.Next();
    if (lexer_.token().kind == TokenKind::kComma) lexer_.Next();
  }
  Value result = Value::Error();
  if (fine && count != params.size()) {
    Report(diag::kArguments, range, "the lambda", "has too few parameters");
  } else if (fine && Expect(TokenKind::kColon)) {
    result = ParseExpr();
  }
  PopScope();
  lexer_.Return(after);
  return result;
}

}  // namespace relayopt::tir
