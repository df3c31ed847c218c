// The parser's steps after an operand is complete, for each kind of frame.

#include "functions.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

struct InfixOperator {
  std::string_view op;
  // Operators with higher precedence bind tighter; 0 means that it is not an operator.
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
  const ParseFrame& outer = frames_.back();
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
  ParseFrame& frame = frames_.Open(FrameKind::kOperator, value_.begin);
  frame.a = *op;
  frame.b = infix.precedence;
  frames_.Push(left);
  return NeedOperand();
}

void FunctionParser::Reduce() {
  const ParseFrame frame = frames_.back();
  const bool is_prefix = frame.b == kPrefixPrecedence;
  const ExprId right = ValueExpr();
  const ExprId operands[] = {is_prefix ? right : frames_.Parts(frame)[0], right};
  frames_.Close();
  const SourceRange range{frame.begin, lexer_.last_end()};
  const ExprId call = nodes_->OpCall(calls_.Plain(frame.a, range), std::span(operands).first(is_prefix ? 1 : 2));
  nodes_->SetRange(call, range);
  Give({Value::Kind::kExpr, true, call.value(), frame.begin});
}

auto FunctionParser::Project() -> bool {
  const ExprId tuple = ValueExpr();
  lexer_.NextIndex();
  const auto index = ParseNumber<uint32_t>(lexer_.text());
  if (!lexer_.is(TokenKind::kNumber) || !index) {
    parsing_.ReportExpected("the index of a field");
    return false;
  }
  lexer_.Next();
  return Give(nodes_->TupleGetItem(tuple, *index), value_.begin);
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
  if (frames_.back().kind != FrameKind::kLet) frames_.Open(FrameKind::kLet, value_.begin);
  current_.has_inner_scope = true;
  const ExprId value = ValueExpr();
  VarInfo info;
  info.name = parsing_.context().Intern("");
  const ExprId var = nodes_->Var(info);
  frames_.Push(var);
  frames_.Push(value);
  frames_.back().state = FrameState::kBody;
  lexer_.Next();
  return NeedOperand();
}

void FunctionParser::EndStep(ExprId value) {
  ParseFrame& frame = frames_.back();
  names_.Resume(StringId(frame.a));
  frames_.Push(value);
  names_.Enter();
  frame.state = FrameState::kBody;
}

auto FunctionParser::DeliverToLet() -> bool {
  ParseFrame& frame = frames_.back();
  if (frame.state == FrameState::kValue) {
    if (!parsing_.ExpectOrAssume(TokenKind::kSemicolon, AtNextLine())) return false;
    EndStep(ValueExpr());
    return NeedOperand();
  }
  if (lexer_.is(TokenKind::kSemicolon) && !frame.in_value) return StartSequence();
  const ExprId result = ValueExpr();
  const uint32_t begin = frame.begin;
  const ExprId let = frames_.Parts(frame).empty() ? result : nodes_->Let(frames_.Parts(frame), result);
  frames_.Close();
  nodes_->SetRange(let, {begin, lexer_.last_end()});
  return Give({Value::Kind::kExpr, false, let.value(), begin});
}

void FunctionParser::OpenBind(uint64_t number, uint32_t begin) {
  ParseFrame& frame = frames_.Open(FrameKind::kBind, begin);
  frame.a = static_cast<uint32_t>(number);
  frame.b = static_cast<uint32_t>(number >> 32);
}

auto FunctionParser::DeliverToBind() -> bool {
  const ParseFrame frame = frames_.back();
  if (!parsing_.ExpectOrAssume(TokenKind::kSemicolon, AtNextLine())) return false;
  const ExprId value = ValueExpr();
  frames_.Close();
  DefineGraph(frame.a | uint64_t{frame.b} << 32, value, frame.begin);
  return NeedOperand();
}

void FunctionParser::DefineGraph(uint64_t number, ExprId value, uint32_t begin) {
  current_.has_graph_var = true;
  if (graph_names_.IsRemarkable(number)) {
    parsing_.reporter.Report(diag::kRedefinedGraphVar, nodes_->function().range(value), number);
  }
  graph_names_.Define(number, value, begin);
}

auto FunctionParser::DeliverToDetour() -> bool {
  const ParseFrame frame = frames_.back();
  const ExprId value = ValueExpr();
  if (!lexer_.is(TokenKind::kSemicolon)) return parsing_.Expect(TokenKind::kSemicolon);
  frames_.Close();
  current_.has_graph_var = true;
  const uint64_t number = frame.a | uint64_t{frame.b} << 32;
  graph_names_.Define(number, value, graph_names_.Find(number).offset);
  lexer_.JumpTo(frame.begin);
  return Give({Value::Kind::kExpr, true, value.value(), value_.begin});
}

auto FunctionParser::DeliverToBlock() -> bool {
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  if (!parsing_.Expect(TokenKind::kRBrace)) return false;
  const ExprId value = ValueExpr();
  const uint32_t begin = frames_.back().begin;
  frames_.Close();
  return Give({Value::Kind::kExpr, false, value.value(), begin});
}

auto FunctionParser::DeliverToParen() -> bool {
  ParseFrame& frame = frames_.back();
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  if (!frame.comma && lexer_.is(TokenKind::kRParen)) {
    // Parentheses only group: the value stays the same, but any operator may follow.
    const uint32_t begin = frame.begin;
    frames_.Close();
    lexer_.Next();
    value_.callable = true;
    value_.begin = begin;
    return true;
  }
  frames_.Push(ValueExpr());
  if (parsing_.Take(TokenKind::kComma)) {
    frame.comma = true;
  } else if (!lexer_.is(TokenKind::kRParen) && !(frame.comma && CanStartOperand())) {
    return parsing_.Expect(TokenKind::kRParen);
  }
  if (!parsing_.Take(TokenKind::kRParen)) return NeedOperand();
  const uint32_t begin = frame.begin;
  const ExprId tuple = nodes_->Tuple(frames_.Parts(frame));
  frames_.Close();
  return Give(tuple, begin);
}

auto FunctionParser::StartCall() -> bool {
  ParseFrame& frame = frames_.Open(FrameKind::kCall, value_.begin);
  frame.a = value_.id;
  frame.b = static_cast<uint32_t>(value_.kind);
  lexer_.Next();
  return lexer_.is(TokenKind::kRParen) ? FinishCall(std::nullopt) : StartArgument();
}

auto FunctionParser::StartArgument() -> bool {
  const ParseFrame& frame = frames_.back();
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
  ParseFrame& frame = frames_.back();
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  frames_.Push(ValueExpr());
  if (parsing_.Take(TokenKind::kComma)) {
    frame.comma = true;
  } else if (!lexer_.is(TokenKind::kRParen) && !(frame.comma && CanStartOperand())) {
    return parsing_.Expect(TokenKind::kRParen);
  }
  return lexer_.is(TokenKind::kRParen) ? FinishCall(std::nullopt) : StartArgument();
}

// Called at the closing parenthesis. `attrs` is an operator with its attributes for a call of an operator, else an
// attribute record.
auto FunctionParser::FinishCall(std::optional<uint32_t> attrs) -> bool {
  const ParseFrame frame = frames_.back();
  const SourceRange range{frame.begin, lexer_.token().end};
  if (!parsing_.Expect(TokenKind::kRParen)) return false;
  ExprId call;
  switch (static_cast<Value::Kind>(frame.b)) {
    case Value::Kind::kOp:
      call = nodes_->OpCall(attrs ? OpInstanceId(*attrs) : calls_.Plain(frame.a, range), frames_.Parts(frame));
      break;
    case Value::Kind::kCtor:
      call = nodes_->Call(nodes_.Leaf(ExprKind::kConstructor, frame.a, frame.begin), frames_.Parts(frame),
                          AttrsId(attrs.value_or(AttrsId::kNone)));
      break;
    case Value::Kind::kExpr:
      call = nodes_->Call(ExprId(frame.a), frames_.Parts(frame), AttrsId(attrs.value_or(AttrsId::kNone)));
      break;
    case Value::Kind::kUnknown: call = nodes_->Tuple(frames_.Parts(frame)); break;
  }
  frames_.Close();
  return Give(call, frame.begin);
}

auto FunctionParser::DeliverToIf() -> bool {
  ParseFrame& frame = frames_.back();
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  if (frame.state == FrameState::kFirst) {
    if (!parsing_.Expect(TokenKind::kRParen)) return false;
    frames_.Push(ValueExpr());
    if (!parsing_.Expect(TokenKind::kLBrace)) return false;
    names_.Enter();
    frame.state = FrameState::kThen;
    return NeedOperand();
  }
  const bool is_forgotten = frame.state == FrameState::kThen && lexer_.is(TokenKind::kElse);
  if (!parsing_.ExpectOrAssume(TokenKind::kRBrace, is_forgotten)) return false;
  names_.Leave(frame.scope);
  if (frame.state == FrameState::kThen) {
    frames_.Push(ValueExpr());
    if (!parsing_.Expect(TokenKind::kElse) || !parsing_.Expect(TokenKind::kLBrace)) return false;
    names_.Enter();
    frame.state = FrameState::kElse;
    return NeedOperand();
  }
  const auto parts = frames_.Parts(frame);
  const uint32_t begin = frame.begin;
  const ExprId value = nodes_->If(parts[0], parts[1], ValueExpr());
  frames_.Close();
  return Give(value, begin);
}

auto FunctionParser::DeliverToMatch() -> bool {
  ParseFrame& frame = frames_.back();
  MatchInfo& info = frames_.match();
  if (frame.state == FrameState::kFirst) {
    if (!parsing_.Expect(TokenKind::kLBrace)) return false;
    frames_.Push(ValueExpr());
    frame.state = FrameState::kBody;
  } else {
    if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
    info.clauses.back().rhs = frames_.num_parts();
    frames_.Push(ValueExpr());
    names_.Leave(frame.scope);
    if (parsing_.Take(TokenKind::kComma)) {
      frame.comma = true;
    } else if (!frame.comma && !lexer_.is(TokenKind::kRBrace)) {
      return parsing_.Expect(TokenKind::kRBrace);
    }
  }
  if (!parsing_.Take(TokenKind::kRBrace)) return ReadClause();
  const uint32_t begin = frame.begin;
  const ExprId match = nodes_->Match(std::move(info), frames_.Parts(frame));
  frames_.Close();
  Give(match, begin);
  value_.callable = false;
  return true;
}

auto FunctionParser::ReadClause() -> bool {
  names_.Enter();
  MatchInfo& info = frames_.match();
  MatchClause clause;
  clause.first_operand = frames_.num_parts();
  const auto pattern = patterns_.Read(frames_);
  clause.pattern = pattern.value_or(0);
  clause.rhs = frames_.num_parts();
  info.clauses.push_back(clause);
  if (!pattern || !parsing_.Expect(TokenKind::kFatArrow)) return false;
  return NeedOperand();
}

auto FunctionParser::DeliverToRef() -> bool {
  ParseFrame& frame = frames_.back();
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  const auto kind = static_cast<ExprKind>(frame.a);
  const ExprId value = ValueExpr();
  if (kind == ExprKind::kRefWrite && frames_.Parts(frame).empty()) {
    if (!parsing_.Expect(TokenKind::kComma)) return false;
    frames_.Push(value);
    return NeedOperand();
  }
  if (!parsing_.Expect(TokenKind::kRParen)) return false;
  const ExprId ref = kind == ExprKind::kRefWrite  ? nodes_->RefWrite(frames_.Parts(frame)[0], value)
                     : kind == ExprKind::kRefRead ? nodes_->RefRead(value)
                                                  : nodes_->RefCreate(value);
  const uint32_t begin = frame.begin;
  frames_.Close();
  return Give(ref, begin);
}

}  // namespace relayopt
