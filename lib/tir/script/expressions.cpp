// Expressions of TVMScript: read and evaluated in one go, on explicit stacks, so that nesting costs no stack.
//
// `stack_` holds values, `ops_` operators that wait for their right operand, `groups_` the open brackets. Reading
// alternates between an operand (which may open a bracket or stack a prefix operator) and what follows one (a postfix,
// an infix operator, which first lets tighter ones to its left take their operands, or the end of the element):
//
//   f(a + b * c)     groups: top, call of f;  values: f a b c;  ops: + *
//                    `)` reduces  b * c,  then  a + ...,  then calls f with what lies above it
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "lib/tir/script/operators.h"
#include "lib/tir/script/reader_state.h"
#include "lib/tir/script/string_literal.h"

namespace relayopt::tir {

static auto IsLiteral(TokenKind token) -> bool { return token == TokenKind::kNumber || token == TokenKind::kString; }

auto Reader::ParseExpr(bool tuples, bool targets) -> Value {
  const size_t top = groups_.size();
  const uint32_t begin = lexer_.token().begin;
  PushGroup(Group::Kind::kTop, begin);
  const Group outer = groups_.back();
  Parsed next = Parsed::kOperandNext;
  do {
    // Most operands begin with a name or are a literal.
    const Token& token = lexer_.token();
    if (token.kind == TokenKind::kName) {
      next = ParseName(token);
    } else {
      next = IsLiteral(token.kind) || !EndsElement(tuples) ? ParseOperand() : Parsed::kOperatorNext;
    }
    while (next == Parsed::kOperatorNext) next = ParseOperator(top, tuples, targets);
  } while (next == Parsed::kOperandNext);
  Value result = Value::Error();
  if (next == Parsed::kEnd) {
    if (stack_.size() == outer.values_base) {
      Report(diag::kExpected, lexer_.token().range(), "an expression", TokenName(lexer_.token().kind));
    } else {
      const bool is_tuple = groups_.back().has_comma;
      result = is_tuple ? Sequence(ValueKind::kTuple, stack_.From(outer.values_base)) : stack_.back();
      result.range = {begin, lexer_.last_end()};
    }
  }
  groups_.Shrink(top);
  ops_.Shrink(outer.ops_base);
  stack_.Shrink(outer.values_base);
  keywords_.Shrink(outer.keywords_base);
  return result;
}

// Whether brackets close, or a slice or tuple goes on, where an operand would be.
auto Reader::EndsElement(bool tuples) -> bool {
  Group& group = groups_.back();
  const auto ends = [&] {
    switch (lexer_.token().kind) {
      case TokenKind::kRParen: return group.kind == Group::Kind::kParen || group.kind == Group::Kind::kCall;
      case TokenKind::kRSquare: return group.kind == Group::Kind::kList || group.kind == Group::Kind::kIndex;
      case TokenKind::kRBrace: return group.kind == Group::Kind::kDict;
      case TokenKind::kColon: return group.kind == Group::Kind::kIndex;
      case TokenKind::kComma: return group.kind == Group::Kind::kIndex && group.colons > 0;
      default: return false;
    }
  };
  const auto ends_tuple = [&] {
    const TokenKind token = lexer_.token().kind;
    return tuples && group.kind == Group::Kind::kTop && group.has_comma &&
           (token == TokenKind::kNewline || token == TokenKind::kEqual);
  };
  if (!(ends() && ops_.size() == group.ops_base) && !ends_tuple()) return false;
  group.has_operand = false;
  return true;
}

// One operand, prefix operator or opening bracket.
// NOLINTNEXTLINE(misc-no-recursion): of ParseName, which calls it for the value of an argument.
auto Reader::ParseOperand() -> Parsed {
  // Not a copy: tokens are written in parts, and the processor waits before it reads such parts as one.
  const Token& token = lexer_.token();
  const uint32_t begin = token.begin;
  const auto push = [&](const Value& value) {
    PushOperand(value, begin);
    return Parsed::kOperatorNext;
  };
  const auto open = [&](Group::Kind kind) {
    OpenGroup(kind, begin);
    return Parsed::kOperandNext;
  };
  const auto prefix = [&](Op op) {
    ops_.push_back({static_cast<int>(op), RowOf(op).precedence, true, begin});
    lexer_.Next();
    return Parsed::kOperandNext;
  };
  switch (token.kind) {
    case TokenKind::kName: return ParseName(token);
    case TokenKind::kNumber: {
      const Value value = token.plain ? Value::Int(token.number) : ParseNumber(token);
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
      return lambda.is_error() ? Parsed::kError : push(lambda);
    }
    case TokenKind::kStar: {
      Group& group = groups_.back();
      const bool may_be = group.kind != Group::Kind::kTop && group.kind != Group::Kind::kDict;
      if (may_be && !group.starred && group.colons == 0 && ops_.size() == group.ops_base) {
        group.starred = true;
        lexer_.Next();
        return Parsed::kOperandNext;
      }
      Report(diag::kNeedsPython, token.range(), "elements of a sequence");
      break;
    }
    case TokenKind::kDoubleStar: Report(diag::kNeedsPython, token.range(), "arguments from a sequence"); break;
    case TokenKind::kPythonOnly: Report(diag::kNeedsPython, token.range(), lexer_.text(token)); break;
    case TokenKind::kUnknown: break;
    default: Report(diag::kExpected, token.range(), "an expression", TokenName(token.kind));
  }
  return Parsed::kError;
}

// A name, with the names after dots that follow it in a namespace; or the keyword of an argument.
// NOLINTNEXTLINE(misc-no-recursion): of ParseKeyword, which calls ParseOperand for the value of an argument.
auto Reader::ParseName(const Token& token) -> Parsed {
  const bool may_be_keyword = groups_.back().kind == Group::Kind::kCall && ops_.size() == groups_.back().ops_base;
  if (may_be_keyword && lexer_.FollowedByEqual()) return ParseKeyword(token);
  const uint32_t begin = token.begin;
  const Binding& b = binding(token.name);
  stack_.push_back(b.bound || (b.value.is(ValueKind::kNamespace) && !is_outside_) ? b.value : LookUpUnbound(token));
  // The common case of a name with a dot: `T.name`.
  while (stack_.back().is(ValueKind::kNamespace) && lexer_.PassDot()) {
    const Value* known = KnownAttribute(static_cast<Namespace>(stack_.back().id()), token);
    stack_.back() = known != nullptr ? *known : Attribute(stack_.back(), token);
  }
  lexer_.Next();
  EndOperand(begin);
  while (lexer_.token().kind == TokenKind::kDot && stack_.back().is(ValueKind::kNamespace)) {
    if (!ParseAttribute(begin)) return Parsed::kError;
  }
  return Parsed::kOperatorNext;
}

// `name=value` among arguments.
// NOLINTNEXTLINE(misc-no-recursion): an operand is read once.
auto Reader::ParseKeyword(const Token& token) -> Parsed {
  const Group& group = groups_.back();
  const size_t position = group.keywords_base + stack_.size() - group.values_base;
  keywords_.Shrink(std::min(keywords_.size(), position));
  keywords_.Fill(position, UINT32_MAX);
  // In `a=b=value` the last name counts.
  NameIndex name{};
  do {
    name = token.name;
    lexer_.Next();
    lexer_.Next();
  } while (token.kind == TokenKind::kName && lexer_.FollowedByEqual());
  keywords_.push_back(name);
  return ParseOperand();
}

// The name after a dot.
auto Reader::ParseAttribute(uint32_t begin) -> bool {
  lexer_.Next();
  const Token& name = lexer_.token();
  // A keyword after a dot is a name like others.
  if (name.kind != TokenKind::kName && lexer_.text(name).empty()) {
    Report(diag::kExpected, name.range(), "a name", TokenName(name.kind));
    return false;
  }
  stack_.back() = Attribute(stack_.back(), name);
  lexer_.Next();
  EndOperand(begin);
  return true;
}

// What a token is after an operand.
enum class Follower : uint8_t { kOther, kInfix, kDot, kOpen, kEnd };

static constexpr auto kFollowers = [] {
  std::array<Follower, static_cast<size_t>(TokenKind::kNotEqual) + 1> followers{};
  const auto set = [&](TokenKind token, Follower what) { followers[static_cast<size_t>(token)] = what; };
  for (size_t token = 0; token < followers.size(); ++token) {
    if (kInfixOps[token] != nullptr) followers[token] = Follower::kInfix;
  }
  set(TokenKind::kDot, Follower::kDot);
  for (const TokenKind token : {TokenKind::kLParen, TokenKind::kLSquare}) set(token, Follower::kOpen);
  for (const TokenKind token : {TokenKind::kComma, TokenKind::kRParen, TokenKind::kRSquare, TokenKind::kRBrace,
                                TokenKind::kNewline, TokenKind::kColon, TokenKind::kEqual}) {
    set(token, Follower::kEnd);
  }
  return followers;
}();

// Parses what follows an operand: a postfix or infix operator, a comma, a colon, or the end of the brackets or of the
// expression.
[[gnu::always_inline]] inline auto Reader::ParseOperator(size_t top, bool tuples, bool targets) -> Parsed {
  const TokenKind token = lexer_.token().kind;
  Group& group = groups_.back();
  if (group.has_operand) {
    const uint32_t begin = stack_.back().range.begin;
    switch (kFollowers[static_cast<size_t>(token)]) {
      case Follower::kInfix: {
        // `**` takes its right operand first; everything else its left one.
        const OpRow& row = *InfixOp(token);
        if (ops_.size() > group.ops_base) {
          ReduceTo(group.ops_base, row.op == Op::kPower ? row.precedence + 1 : row.precedence);
        }
        ops_.push_back({static_cast<int>(row.op), row.precedence, false, begin});
        lexer_.Next();
        return Parsed::kOperandNext;
      }
      case Follower::kDot: return ParseAttribute(begin) ? Parsed::kOperatorNext : Parsed::kError;
      case Follower::kOpen:
        OpenGroup(token == TokenKind::kLParen ? Group::Kind::kCall : Group::Kind::kIndex, begin);
        return Parsed::kOperandNext;
      case Follower::kEnd: break;
      case Follower::kOther:
        if (!MayFollowOperand(token, groups_.size() > top + 1)) return Parsed::kError;
    }
    if (ops_.size() > group.ops_base) ReduceTo(group.ops_base, 0);
  }
  switch (token) {
    case TokenKind::kComma:
      if (group.kind == Group::Kind::kTop) {
        if (!tuples) return Parsed::kEnd;
        group.has_operand = false;
      } else if (!EndElement()) {
        return Parsed::kError;
      }
      group.has_comma = true;
      lexer_.Next();
      return Parsed::kOperandNext;
    case TokenKind::kColon:
      if (group.kind == Group::Kind::kIndex && group.colons < 2) {
        if (!group.has_operand) stack_.push_back(Value());
        group.has_operand = false;
        ++group.colons;
        lexer_.Next();
        return Parsed::kOperandNext;
      }
      if (group.kind == Group::Kind::kDict && group.colons == 0 && group.has_operand) {
        group.colons = 1;
        group.has_operand = false;
        lexer_.Next();
        return Parsed::kOperandNext;
      }
      break;
    case TokenKind::kRParen:
    case TokenKind::kRSquare:
    case TokenKind::kRBrace:
      if (group.kind == Group::Kind::kTop) break;
      return CloseGroup(targets, top) ? Parsed::kOperatorNext : Parsed::kError;
    default: break;
  }
  if (group.kind == Group::Kind::kTop) return Parsed::kEnd;
  Report(diag::kExpected, lexer_.token().range(), "`,` or the end of the brackets", TokenName(token));
  return Parsed::kError;
}

// Whether a token that is not an operator may follow an operand; reports an error when not.
auto Reader::MayFollowOperand(TokenKind token, bool in_brackets) -> bool {
  const SourceRange range = lexer_.token().range();
  switch (token) {
    case TokenKind::kIf: Report(diag::kNeedsPython, range, "a conditional expression"); return false;
    case TokenKind::kFor: Report(diag::kNeedsPython, range, "a comprehension"); return false;
    case TokenKind::kWalrus: Report(diag::kNeedsPython, range, "an assignment inside of an expression"); return false;
    case TokenKind::kAt: Report(diag::kNeedsPython, range, "matrix multiplication"); return false;
    case TokenKind::kPythonOnly: Report(diag::kNeedsPython, range, lexer_.text(lexer_.token())); return false;
    case TokenKind::kIn:
      if (!in_brackets) return true;
      Report(diag::kNeedsPython, range, "the operator `in`");
      return false;
    case TokenKind::kNot: Report(diag::kNeedsPython, range, "the operator `not in`"); return false;
    case TokenKind::kString:
    case TokenKind::kName:
    case TokenKind::kNumber:
      Report(diag::kExpected, range, "an operator or the end of the expression", TokenName(token));
      return false;
    default: return true;
  }
}

// Lets the operators above `ops_base` that bind at least as tightly as `precedence` take their operands.
void Reader::ReduceTo(size_t ops_base, int precedence) {
  while (ops_.size() > ops_base && ops_.back().precedence >= precedence) {
    const PendingOp op = ops_.back();
    ops_.pop_back();
    const SourceRange range{op.begin, lexer_.last_end()};
    if (op.unary) {
      stack_.back() = Unary(op.op, stack_.back(), range);
    } else {
      const Value& b = stack_.back();
      Value& a = stack_[stack_.size() - 2];
      a = Binary(op.op, a, b, range);
      stack_.pop_back();
    }
    stack_.back().range = range;
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
      const auto parts = stack_.From(stack_.size() - 3);
      const SourceRange range{parts[0].is_none() ? lexer_.last_end() : parts[0].range.begin, lexer_.last_end()};
      Value slice = Sequence(ValueKind::kSlice, parts);
      slice.range = range;
      stack_.Shrink(stack_.size() - 2);
      stack_.back() = slice;
    }
  } else if (!group.has_operand || group.kind == Group::Kind::kDict) {
    Report(diag::kExpected, lexer_.token().range(), group.kind == Group::Kind::kDict ? "`:`" : "an expression",
           TokenName(lexer_.token().kind));
    return false;
  }
  const bool starred = std::exchange(group.starred, false);
  group.colons = 0;
  group.has_operand = false;
  return !starred || SpreadElement();
}

// `*elements` among the elements of a bracket: the elements of a sequence take its place.
auto Reader::SpreadElement() -> bool {
  const Value sequence = stack_.back();
  if (sequence.is_error()) return true;
  if (!sequence.is_sequence()) {
    Report(diag::kWrongValue, sequence.range, "a sequence", Name(sequence.kind));
    return false;
  }
  // Lists of stars of lists double with each line.
  constexpr size_t kMostSpread = 1'000'000;
  spread_ += sequence.size;
  if (spread_ > kMostSpread) {
    Report(diag::kSpread, sequence.range, kMostSpread);
    return false;
  }
  stack_.Shrink(stack_.size() - 1);
  for (uint32_t i = 0; i < sequence.size; ++i) stack_.push_back(values_[sequence.id() + i]);
  return true;
}

// At a closing bracket: combines its content to one value.
auto Reader::CloseGroup(bool targets, size_t top) -> bool {
  const Token& token = lexer_.token();
  const Group::Kind kind = groups_.back().kind;
  const TokenKind wanted = kind == Group::Kind::kParen || kind == Group::Kind::kCall ? TokenKind::kRParen
                           : kind == Group::Kind::kDict                              ? TokenKind::kRBrace
                                                                                     : TokenKind::kRSquare;
  if (token.kind != wanted) {
    Report(diag::kExpected, token.range(), TokenName(wanted), TokenName(token.kind));
    return false;
  }
  if ((groups_.back().has_operand || groups_.back().colons > 0) && !EndElement()) return false;
  lexer_.Next();
  const Group& open = groups_.back();
  const Group group = open;
  groups_.pop_back();
  const auto elements = stack_.From(group.values_base);
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
      const bool named = keywords_.size() > group.keywords_base;
      if (named) keywords_.Fill(group.keywords_base + elements.size(), UINT32_MAX);
      result = Call(stack_[group.values_base - 1], elements, keywords_.From(group.keywords_base), range);
      --drop;
      break;
    }
    case Group::Kind::kIndex:
      result = CloseIndex(group, elements, targets && groups_.size() == top + 1);
      --drop;
      break;
  }
  keywords_.Shrink(group.keywords_base);
  stack_.Shrink(drop);
  result.range = range;
  stack_.push_back(result);
  groups_.back().has_operand = true;
  return true;
}

// `object[indices]`: a target where it may be one and an assignment follows.
auto Reader::CloseIndex(const Group& group, std::span<const Value> indices, bool may_be_target) -> Value {
  const Value& object = stack_[group.values_base - 1];
  const TokenKind next = lexer_.token().kind;
  const Group& outer = groups_.back();
  const bool is_target = may_be_target && (next == TokenKind::kEqual || next == TokenKind::kAugmented) &&
                         ops_.size() == outer.ops_base && group.values_base == outer.values_base + 1 &&
                         object.is(ValueKind::kBuffer);
  // `A[i, j]` and `A[(i, j)]` are one thing, and `A[()]` has no index.
  const bool is_tuple = indices.size() == 1 && !group.has_comma && indices[0].is(ValueKind::kTuple);
  if (is_tuple) indices = elements(indices[0]);
  if (!is_target) return Index(object, indices, {group.begin, lexer_.last_end()});
  if (!is_tuple) return Sequence(ValueKind::kTarget, stack_.From(group.values_base - 1));
  std::vector<Value> all = {object};
  all.insert(all.end(), indices.begin(), indices.end());
  return Sequence(ValueKind::kTarget, all);
}

// Returns an integer that is nothing but up to 18 digits.
static auto SmallInt(std::string_view text) -> std::optional<int64_t> {
  if (text.size() > 18 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  int64_t number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return number;
}

auto Reader::ParseNumber(const Token& token) -> Value {
  const std::string_view text = lexer_.text(token);
  if (const std::optional<int64_t> number = SmallInt(text)) return Value::Int(*number);
  const bool prefixed =
      text.size() > 1 && text[0] == '0' && std::string_view("xXoObB").find(text[1]) != std::string_view::npos;
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    // An underscore is allowed between digits, or after the prefix.
    const auto is_digit = [&](size_t at) {
      constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
      return at < text.size() && kDigits.substr(0, prefixed ? 22 : 10).find(text[at]) != std::string_view::npos;
    };
    if (text[i] != '_')
      digits += text[i];
    else if (i == 0 || !(is_digit(i - 1) || (prefixed && i == 2)) || !is_digit(i + 1))
      return Error(diag::kNumber, token.range(), text);
  }
  char* end = nullptr;
  if (!prefixed && digits.find_first_of(".eE") != std::string::npos) {
    const double real = std::strtod(digits.c_str(), &end);
    if (*end != '\0') return Error(diag::kNumber, token.range(), lexer_.text(token));
    return Value::Float(real);
  }
  // Python has no octal numbers of this form, to avoid confusion with those of C.
  const bool is_old_octal = !prefixed && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos;
  if (is_old_octal) return Error(diag::kNumber, token.range(), text);
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
  const std::string_view literal = lexer_.text(lexer_.token());
  const std::string_view body = literal.substr(1, literal.size() - 2);
  if (lexer_.token().plain) {
    lexer_.Next();
    if (lexer_.token().kind != TokenKind::kString) return Value::String(names_.id(names_.Find(body)));
    bytes = body;
  }
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

// Returns the value of the lambda's body for these parameters, or for fresh int32 variables if there are none.
auto Reader::EvaluateLambda(const Value& lambda, std::span<const PrimExpr> params, SourceRange range) -> Value {
  const Lexer::Mark after = lexer_.mark();
  Stacks stacks = SetAside();
  lexer_.Return(lambdas_[lambda.id()]);
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
  Restore(std::move(stacks));
  return result;
}

}  // namespace relayopt::tir
