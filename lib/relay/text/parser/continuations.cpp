// What follows a completed operand, and what each frame does with it.
#include <charconv>

#include "functions.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

struct InfixOperator {
  std::string_view op;
  // Higher binds tighter; 0 is no operator.
  uint8_t precedence = 0;
};

auto OperatorOf(TokenKind kind) -> InfixOperator {
  switch (kind) {
    case TokenKind::kStar: return {"multiply", 12};
    case TokenKind::kSlash: return {"divide", 12};
    case TokenKind::kPlus: return {"add", 10};
    case TokenKind::kMinus: return {"subtract", 10};
    case TokenKind::kLess: return {"less", 8};
    case TokenKind::kLessEqual: return {"less_equal", 8};
    case TokenKind::kGreater: return {"greater", 8};
    case TokenKind::kGreaterEqual: return {"greater_equal", 8};
    case TokenKind::kEqualEqual: return {"equal", 7};
    case TokenKind::kNotEqual: return {"not_equal", 7};
    default: return {};
  }
}

}  // namespace

auto FunctionParser::Continue() -> bool {
  if (value_.callable && lexer_.is(TokenKind::kLParen)) return StartCall();
  if (lexer_.is(TokenKind::kDot)) return Project();
  if (lexer_.kind() >= TokenKind::kStar) return ContinueOperator();
  return Deliver();
}

auto FunctionParser::ContinueOperator() -> bool {
  const Token token = lexer_.token();
  const InfixOperator infix = OperatorOf(token.kind);
  while (frames_.back().kind == FrameKind::kOperator && frames_.back().b >= infix.precedence) Reduce();
  const Frame& outer = frames_.back();
  const bool in_list = outer.comma && (outer.kind == FrameKind::kParen || outer.kind == FrameKind::kCall);
  if (token.kind == TokenKind::kMinus && in_list && CharClass::Is(lexer_.char_at(token.end), CharClass::kDigit)) {
    lexer_.Next();
    parsing_.reporter.Report(diag::kGluedMinus, token.range(), fmt::format("-{}", lexer_.text()));
  } else {
    lexer_.Next();
  }
  const ExprId left = ValueExpr();
  const auto op = calls_.Find(infix.op, token.range());
  if (!op) return false;
  Frame& frame = Open(FrameKind::kOperator, value_.begin);
  frame.a = *op;
  frame.b = infix.precedence;
  parts_.push_back(left);
  return NeedOperand();
}

void FunctionParser::Reduce() {
  const Frame frame = frames_.back();
  const ExprId right = ValueExpr();
  const ExprId operands[] = {parts_.back(), right};
  Close();
  const SourceRange range{frame.begin, lexer_.last_end()};
  const ExprId call = builder_->OpCall(calls_.Plain(frame.a, range), operands);
  builder_->SetRange(call, range);
  Give({Value::Kind::kExpr, true, call.value(), frame.begin});
}

auto FunctionParser::Project() -> bool {
  const ExprId tuple = ValueExpr();
  lexer_.NextIndex();
  const std::string_view digits = lexer_.text();
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (!lexer_.is(TokenKind::kNumber) || error != std::errc() || end != digits.data() + digits.size()) {
    parsing_.ReportExpected("the index of a field");
    return false;
  }
  lexer_.Next();
  return Give(builder_->TupleGetItem(tuple, index), value_.begin);
}

auto FunctionParser::Deliver() -> bool {
  while (frames_.back().kind == FrameKind::kOperator) Reduce();
  switch (frames_.back().kind) {
    case FrameKind::kOperator: break;
    case FrameKind::kParen: return DeliverToParen();
    case FrameKind::kCall: return DeliverToCall();
    case FrameKind::kLet: return DeliverToLet();
    case FrameKind::kBind: return DeliverToBind();
    case FrameKind::kDetour: return DeliverToDetour();
    case FrameKind::kBlock: return DeliverToBlock();
    case FrameKind::kIf: return DeliverToIf();
    case FrameKind::kFunction: return FinishFunction();
    case FrameKind::kMatch: return DeliverToMatch();
    case FrameKind::kRef: return DeliverToRef();
  }
  return false;
}

// `a; b` is `let` with a variable that has no name.
auto FunctionParser::StartSequence() -> bool {
  if (frames_.back().kind != FrameKind::kLet) Open(FrameKind::kLet, value_.begin);
  has_inner_scope_ = true;
  const ExprId value = ValueExpr();
  VarInfo info;
  info.name = parsing_.context().Intern("");
  const ExprId var = builder_->Var(info);
  Push(var);
  Push(value);
  frames_.back().state = State::kBody;
  lexer_.Next();
  return NeedOperand();
}

auto FunctionParser::DeliverToLet() -> bool {
  Frame& frame = frames_.back();
  if (frame.state == State::kValue) {
    if (!parsing_.ExpectOrAssume(TokenKind::kSemicolon, AtNextLine())) return false;
    names_.Resume(frame.a);
    Push(ValueExpr());
    names_.Enter();
    frame.state = State::kBody;
    return NeedOperand();
  }
  if (lexer_.is(TokenKind::kSemicolon) && !frame.in_value) return StartSequence();
  const ExprId result = ValueExpr();
  const uint32_t begin = frame.begin;
  const ExprId let = Parts(frame).empty() ? result : builder_->Let(Parts(frame), result);
  Close();
  builder_->SetRange(let, {begin, lexer_.last_end()});
  return Give({Value::Kind::kExpr, false, let.value(), begin});
}

auto FunctionParser::DeliverToBind() -> bool {
  const Frame frame = frames_.back();
  if (!parsing_.ExpectOrAssume(TokenKind::kSemicolon, AtNextLine())) return false;
  const ExprId value = ValueExpr();
  Close();
  has_graph_var_ = true;
  const uint64_t number = frame.a | uint64_t{frame.b} << 32;
  const uint32_t before = graph_names_.Find(number).function;
  // One warning is enough for a text whose functions all count from zero.
  if (before == function_ || (before != 0 && !warned_numbers_)) {
    warned_numbers_ |= before != function_;
    parsing_.reporter.Report(diag::kRedefinedGraphVar, builder_->function().range(value), number);
  }
  graph_names_.Define(number, {value, function_, frame.begin});
  return NeedOperand();
}

auto FunctionParser::DeliverToDetour() -> bool {
  const Frame frame = frames_.back();
  const ExprId value = ValueExpr();
  if (!lexer_.is(TokenKind::kSemicolon)) return parsing_.Expect(TokenKind::kSemicolon);
  Close();
  has_graph_var_ = true;
  const uint64_t number = frame.a | uint64_t{frame.b} << 32;
  graph_names_.Define(number, {value, function_, graph_names_.Find(number).offset});
  lexer_.JumpTo(frame.begin);
  return Give({Value::Kind::kExpr, true, value.value(), value_.begin});
}

auto FunctionParser::DeliverToBlock() -> bool {
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  if (!parsing_.Expect(TokenKind::kRBrace)) return false;
  const ExprId value = ValueExpr();
  const uint32_t begin = frames_.back().begin;
  Close();
  return Give({Value::Kind::kExpr, false, value.value(), begin});
}

auto FunctionParser::DeliverToParen() -> bool {
  Frame& frame = frames_.back();
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  if (!frame.comma && lexer_.is(TokenKind::kRParen)) {
    // Only a grouping: the value stays what it is, though now anything may follow.
    const uint32_t begin = frame.begin;
    Close();
    lexer_.Next();
    value_.callable = true;
    value_.begin = begin;
    return true;
  }
  Push(ValueExpr());
  if (parsing_.Take(TokenKind::kComma)) {
    frame.comma = true;
  } else if (!lexer_.is(TokenKind::kRParen) && !(frame.comma && CanStartOperand())) {
    return parsing_.Expect(TokenKind::kRParen);
  }
  if (!parsing_.Take(TokenKind::kRParen)) return NeedOperand();
  const uint32_t begin = frame.begin;
  const ExprId tuple = builder_->Tuple(Parts(frame));
  Close();
  return Give(tuple, begin);
}

auto FunctionParser::StartCall() -> bool {
  Frame& frame = Open(FrameKind::kCall, value_.begin);
  frame.a = value_.id;
  frame.b = static_cast<uint32_t>(value_.kind);
  lexer_.Next();
  return lexer_.is(TokenKind::kRParen) ? FinishCall(std::nullopt) : StartArgument();
}

auto FunctionParser::StartArgument() -> bool {
  const Frame& frame = frames_.back();
  const auto kind = static_cast<Value::Kind>(frame.b);
  const SourceRange callee{frame.begin, lexer_.token().begin};
  if (attrs_.AtAttr()) {
    if (kind == Value::Kind::kUnknown) {
      return attrs_.ReadList(TokenKind::kRParen) && FinishCall(std::nullopt);
    }
    if (kind == Value::Kind::kOp) {
      const auto instance = calls_.ReadAttrs(frame.a, callee);
      return instance && FinishCall(instance->value());
    }
    const auto attrs = calls_.ReadForeignAttrs(callee);
    return attrs && FinishCall(attrs->value());
  }
  if (lexer_.is(TokenKind::kMeta) && lexer_.char_at(lexer_.Ahead()) == ')') {
    const Token token = lexer_.token();
    const auto id = parsing_.FindMeta(token);
    const AttrsId record = id ? calls_.RecordOfObject(*id) : AttrsId();
    if (!id || record) {
      lexer_.Next();
      if (!id || kind == Value::Kind::kUnknown) return FinishCall(std::nullopt);
      if (kind == Value::Kind::kOp) return FinishCall(calls_.WithAttrs(frame.a, record, token.range()).value());
      return FinishCall(record.value());
    }
  }
  return NeedOperand();
}

auto FunctionParser::DeliverToCall() -> bool {
  Frame& frame = frames_.back();
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  Push(ValueExpr());
  if (parsing_.Take(TokenKind::kComma)) {
    frame.comma = true;
  } else if (!lexer_.is(TokenKind::kRParen) && !(frame.comma && CanStartOperand())) {
    return parsing_.Expect(TokenKind::kRParen);
  }
  return lexer_.is(TokenKind::kRParen) ? FinishCall(std::nullopt) : StartArgument();
}

// At the closing parenthesis. `attrs` is an operator with its attributes for a call of an operator, else an attribute
// record.
auto FunctionParser::FinishCall(std::optional<uint32_t> attrs) -> bool {
  const Frame frame = frames_.back();
  const SourceRange range{frame.begin, lexer_.token().end};
  if (!parsing_.Expect(TokenKind::kRParen)) return false;
  ExprId call;
  switch (static_cast<Value::Kind>(frame.b)) {
    case Value::Kind::kOp:
      call = builder_->OpCall(attrs ? OpInstanceId(*attrs) : calls_.Plain(frame.a, range), Parts(frame));
      break;
    case Value::Kind::kCtor:
      call = builder_->Call(Leaf(ExprKind::kConstructor, frame.a, frame.begin), Parts(frame),
                            AttrsId(attrs.value_or(AttrsId::kNone)));
      break;
    case Value::Kind::kExpr:
      call = builder_->Call(ExprId(frame.a), Parts(frame), AttrsId(attrs.value_or(AttrsId::kNone)));
      break;
    case Value::Kind::kUnknown: call = builder_->Tuple(Parts(frame)); break;
  }
  Close();
  return Give(call, frame.begin);
}

auto FunctionParser::DeliverToIf() -> bool {
  Frame& frame = frames_.back();
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  if (frame.state == State::kFirst) {
    if (!parsing_.Expect(TokenKind::kRParen)) return false;
    Push(ValueExpr());
    if (!parsing_.Expect(TokenKind::kLBrace)) return false;
    names_.Enter();
    frame.state = State::kThen;
    return NeedOperand();
  }
  const bool is_forgotten = frame.state == State::kThen && lexer_.is(TokenKind::kElse);
  if (!parsing_.ExpectOrAssume(TokenKind::kRBrace, is_forgotten)) return false;
  names_.Leave(frame.scope);
  if (frame.state == State::kThen) {
    Push(ValueExpr());
    if (!parsing_.Expect(TokenKind::kElse) || !parsing_.Expect(TokenKind::kLBrace)) return false;
    names_.Enter();
    frame.state = State::kElse;
    return NeedOperand();
  }
  const auto parts = Parts(frame);
  const uint32_t begin = frame.begin;
  const ExprId value = builder_->If(parts[0], parts[1], ValueExpr());
  Close();
  return Give(value, begin);
}

auto FunctionParser::DeliverToMatch() -> bool {
  Frame& frame = frames_.back();
  MatchInfo& info = matches_.back();
  if (frame.state == State::kFirst) {
    if (!parsing_.Expect(TokenKind::kLBrace)) return false;
    Push(ValueExpr());
    frame.state = State::kBody;
  } else {
    if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
    info.clauses.back().rhs = static_cast<uint32_t>(parts_.size()) - frame.base;
    Push(ValueExpr());
    names_.Leave(frame.scope);
    if (parsing_.Take(TokenKind::kComma)) {
      frame.comma = true;
    } else if (!frame.comma && !lexer_.is(TokenKind::kRBrace)) {
      return parsing_.Expect(TokenKind::kRBrace);
    }
  }
  if (!parsing_.Take(TokenKind::kRBrace)) return ReadClause();
  const uint32_t begin = frame.begin;
  const ExprId match = builder_->Match(std::move(info), Parts(frame));
  Close();
  Give(match, begin);
  value_.callable = false;
  return true;
}

auto FunctionParser::DeliverToRef() -> bool {
  Frame& frame = frames_.back();
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  const auto kind = static_cast<ExprKind>(frame.a);
  const ExprId value = ValueExpr();
  if (kind == ExprKind::kRefWrite && Parts(frame).empty()) {
    if (!parsing_.Expect(TokenKind::kComma)) return false;
    Push(value);
    return NeedOperand();
  }
  if (!parsing_.Expect(TokenKind::kRParen)) return false;
  const ExprId ref = kind == ExprKind::kRefWrite  ? builder_->RefWrite(Parts(frame)[0], value)
                     : kind == ExprKind::kRefRead ? builder_->RefRead(value)
                                                  : builder_->RefCreate(value);
  const uint32_t begin = frame.begin;
  Close();
  return Give(ref, begin);
}

}  // namespace relayopt
