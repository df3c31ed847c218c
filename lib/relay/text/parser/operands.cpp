// The parser's steps at the first token of an expression.
#include <charconv>

#include "functions.h"

namespace relayopt {

auto FunctionParser::Give(ExprId id, uint32_t begin) -> bool {
  nodes_.SetSource(id, {begin, lexer_.last_end()});
  return Give({Value::Kind::kExpr, true, id.value(), begin});
}

auto FunctionParser::ValueExpr() -> ExprId {
  switch (value_.kind) {
    case Value::Kind::kExpr: return ExprId(value_.id);
    case Value::Kind::kOp: {
      const OpInstance instance{&calls_.op(value_.id), {}};
      return nodes_.Leaf(ExprKind::kOp, InternOpInstance(parsing_.context(), instance).value(), value_.begin);
    }
    case Value::Kind::kCtor: {
      const CtorId ctor(value_.id);
      const ExprId leaf = nodes_.Leaf(ExprKind::kConstructor, value_.id, value_.begin);
      if (!parsing_.module.constructor(ctor).inputs.empty()) return leaf;
      // A constructor without inputs is always called.
      const ExprId call = nodes_->Call(leaf, {});
      nodes_.SetSource(call, {value_.begin, lexer_.last_end()});
      return call;
    }
    case Value::Kind::kUnknown: return nodes_->Tuple({});
  }
  return {};
}

void FunctionParser::ReportNoExpression() {
  const uint32_t end = lexer_.last_end();
  const bool is_block_end = lexer_.is(TokenKind::kRBrace) && end != 0 && parsing_.source.text()[end - 1] == ';';
  Diagnostic* diagnostic = parsing_.ReportExpected("an expression");
  if (diagnostic != nullptr && is_block_end)
    diagnostic->Note("a block ends with its result, which has no `;` after it");
}

auto FunctionParser::Start() -> bool {
  switch (lexer_.kind()) {
    case TokenKind::kNumber: return StartNumber();
    case TokenKind::kMinus: return StartMinus();
    case TokenKind::kTrue:
    case TokenKind::kFalse: return StartBool();
    case TokenKind::kIdent: return StartName();
    case TokenKind::kLocal: return StartLocal();
    case TokenKind::kGraph: return StartGraph();
    case TokenKind::kGlobal: return StartGlobal();
    case TokenKind::kMeta: return StartMeta();
    case TokenKind::kLParen: return StartParen();
    case TokenKind::kLBrace:
      frames_.Open(FrameKind::kBlock, lexer_.token().begin);
      names_.Enter();
      lexer_.Next();
      return NeedOperand();
    case TokenKind::kLet: return StartLet();
    case TokenKind::kFn: {
      const uint32_t begin = lexer_.token().begin;
      lexer_.Next();
      return StartFunction(begin);
    }
    case TokenKind::kIf: return StartIf();
    case TokenKind::kMatch:
    case TokenKind::kMatchPartial: return StartMatch();
    case TokenKind::kRef: return StartRef(ExprKind::kRefCreate);
    case TokenKind::kRefRead: return StartRef(ExprKind::kRefRead);
    case TokenKind::kRefWrite: return StartRef(ExprKind::kRefWrite);
    case TokenKind::kFreeVar: return ReadFreeVar();
    default: ReportNoExpression(); return false;
  }
}

auto FunctionParser::CanStartOperand() const -> bool {
  const TokenKind kind = lexer_.kind();
  return (kind >= TokenKind::kIdent && kind <= TokenKind::kFalse && kind != TokenKind::kString &&
          kind != TokenKind::kSection) ||
         (kind >= TokenKind::kFn && kind <= TokenKind::kRefWrite) || kind == TokenKind::kLParen ||
         kind == TokenKind::kLBrace;
}

auto FunctionParser::StartLiteral() -> bool {
  const uint32_t begin = lexer_.token().begin;
  const auto literal = ReadLiteral(parsing_);
  if (!literal) return false;
  const ConstantId constant = parsing_.context().ScalarConstant(literal->dtype(), literal->constant_bits());
  const std::string_view text = lexer_.text({begin, lexer_.last_end()});
  if (text.size() <= kLongestLiteral && literals_.size() < kMostLiterals && parsing_.reporter.errors() == 0)
    literals_.emplace(text, constant);
  return Give(nodes_->Constant(constant), begin);
}

// In front of a number, `-` is its sign; in front of anything else it is a negation that binds tighter than all binary
// operators. Consecutive signs are processed together, so that the token after the last one is examined only once.
auto FunctionParser::StartMinus() -> bool {
  uint32_t end = lexer_.token().end;
  while (lexer_.char_at(end) == '-') ++end;
  const char next = lexer_.char_at(end);
  if (next != '%' && next != '(' && next != '@') return StartLiteral();
  const auto op = calls_.Find("negative", lexer_.token().range());
  if (!op) return false;
  for (Token token = lexer_.token(); token.end <= end; token = lexer_.token()) {
    ParseFrame& frame = frames_.Open(FrameKind::kOperator, token.begin);
    frame.a = *op;
    frame.b = kPrefixPrecedence;
    lexer_.Next();
  }
  return NeedOperand();
}

auto FunctionParser::StartBool() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  const uint64_t bits = token.kind == TokenKind::kTrue ? 1 : 0;
  return Give(nodes_->Constant(parsing_.context().ScalarConstant(DataType::Bool(), bits)), token.begin);
}

auto FunctionParser::StartConstructor() -> std::optional<bool> {
  const CtorId ctor = module_names_.FindConstructor();
  if (!ctor) return std::nullopt;
  const uint32_t begin = lexer_.token().begin;
  lexer_.Next();
  return Give({Value::Kind::kCtor, true, ctor.value(), begin});
}

auto FunctionParser::StartNumber() -> bool {
  if (const auto started = StartConstructor()) return *started;
  return StartLiteral();
}

auto FunctionParser::StartName() -> bool {
  const Token token = lexer_.token();
  if (const auto call = ReadPlainCall(token.begin)) return GivePlain(*call, token.begin);
  if (const auto started = StartConstructor()) return *started;
  std::string_view name = lexer_.text();
  if (AtNumber(lexer_)) return StartLiteral();
  // The parts of the name usually touch.
  uint32_t end = token.end;
  while (lexer_.char_at(end) == '.' && CharClass::Is(lexer_.char_at(end + 1), CharClass::kIdentStart)) {
    end = lexer_.NameEnd(end + 1);
  }
  lexer_.SetEnd(end);
  name = lexer_.text();
  lexer_.Next();
  std::string parts;
  while (lexer_.is(TokenKind::kDot) && !CharClass::Is(lexer_.char_at(lexer_.Ahead()), CharClass::kDigit)) {
    lexer_.Next();
    if (!lexer_.is(TokenKind::kIdent)) break;
    if (parts.empty()) parts = name;
    parts += '.';
    parts += lexer_.text();
    name = parts;
    lexer_.Next();
  }
  const auto op = calls_.Find(name, {token.begin, lexer_.last_end()});
  if (!op) return GiveUnknown(token.begin);
  return Give({Value::Kind::kOp, true, *op, token.begin});
}

auto FunctionParser::StartLocal() -> bool {
  const uint32_t begin = lexer_.token().begin;
  const ExprId var = names_.Find();
  if (!var) names_.ReportUnknown();
  lexer_.Next();
  if (!var) return GiveUnknown(begin);
  return Give({Value::Kind::kExpr, true, var.value(), begin});
}

auto FunctionParser::StartGraph() -> bool {
  const Token token = lexer_.token();
  const std::string_view digits = lexer_.text().substr(1);
  uint64_t number = 0;
  const bool fits = std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc();
  const uint32_t ahead = lexer_.Ahead();
  if (lexer_.char_at(ahead) == '=' && lexer_.char_at(ahead + 1) != '=' && lexer_.char_at(ahead + 1) != '>') {
    return ReadLines({.value = lexer_.char_at(ahead + 1) == ' ' ? ahead + 2 : ahead + 1, .number = number});
  }
  // A name that starts with a digit.
  if (CharClass::Is(lexer_.char_at(token.end), CharClass::kIdent | CharClass::kOdd)) {
    if (const ExprId var = names_.Find()) {
      lexer_.Next();
      return Give({Value::Kind::kExpr, true, var.value(), token.begin});
    }
  }
  const GraphNames::Definition definition = fits ? graph_names_.Find(number) : GraphNames::Definition();
  if (definition.function == graph_names_.function() && definition.value) {
    lexer_.Next();
    return Give({Value::Kind::kExpr, true, definition.value.value(), token.begin});
  }
  if (const ExprId var = names_.Find()) {
    lexer_.Next();
    return Give({Value::Kind::kExpr, true, var.value(), token.begin});
  }
  if (definition.function != 0 && definition.function != graph_names_.function())
    return StartDetour(number, definition);
  parsing_.reporter.Report(diag::kUnknownGraphVar, token.range(), digits);
  lexer_.Next();
  return GiveUnknown(token.begin);
}

// TVM prints an expression that two functions share in the first one only. Here each function has its own, so the text
// of its value is parsed again.
auto FunctionParser::StartDetour(uint64_t number, const GraphNames::Definition& definition) -> bool {
  ParseFrame& frame = frames_.Open(FrameKind::kDetour, lexer_.token().end);
  frame.a = static_cast<uint32_t>(number);
  frame.b = static_cast<uint32_t>(number >> 32);
  // It has no value until it has been parsed, so that it cannot refer to itself.
  graph_names_.Define(number, ExprId(), definition.offset);
  lexer_.JumpTo(definition.offset);
  return NeedOperand();
}

auto FunctionParser::StartGlobal() -> bool {
  const uint32_t begin = lexer_.token().begin;
  const GlobalId global = module_names_.ReadMention();
  return Give({Value::Kind::kExpr, true, nodes_.Leaf(ExprKind::kGlobal, global.value(), begin).value(), begin});
}

auto FunctionParser::StartMeta() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  const auto id = parsing_.FindMeta(token);
  if (!id) return GiveUnknown(token.begin);
  const Object* object = *id ? &parsing_.context().object(*id) : nullptr;
  if (object == nullptr || object->kind != ObjectKind::kConstant) {
    parsing_.reporter.Report(diag::kMetaExpression, token.range(), parsing_.MetaKey(token));
    return GiveUnknown(token.begin);
  }
  return Give(nodes_.Leaf(ExprKind::kConstant, id->value(), token.begin), token.begin);
}

auto FunctionParser::StartParen() -> bool {
  const uint32_t begin = lexer_.token().begin;
  lexer_.Next();
  if (parsing_.Take(TokenKind::kRParen)) return Give(nodes_->Tuple({}), begin);
  frames_.Open(FrameKind::kParen, begin);
  return NeedOperand();
}

void FunctionParser::OpenLet(uint32_t begin) {
  if (frames_.back().kind != FrameKind::kLet || frames_.back().state != FrameState::kBody) {
    const ParseFrame& around = frames_.BehindOperators();
    const bool in_value = around.kind == FrameKind::kBind || around.kind == FrameKind::kDetour ||
                          (around.kind == FrameKind::kLet && (around.state == FrameState::kValue || around.in_value));
    frames_.Open(FrameKind::kLet, begin).in_value = in_value;
  }
  current_.has_inner_scope = true;
}

void FunctionParser::BeginStep(const DeclarationParser::Declared& var) {
  frames_.Push(var.var);
  ParseFrame& frame = frames_.back();
  declarations_.Bind(var, LocalNames::Binder::kLet);
  frame.a = var.name.value();
  frame.state = FrameState::kValue;
}

auto FunctionParser::StartLet() -> bool {
  const uint32_t begin = lexer_.token().begin;
  if (LineStart line; LetStart(begin, line)) return ReadLines(line);
  lexer_.Next();
  OpenLet(begin);
  const auto var = declarations_.Read();
  if (!var || !parsing_.Expect(TokenKind::kEqual)) return false;
  BeginStep(*var);
  return NeedOperand();
}

auto FunctionParser::StartIf() -> bool {
  const uint32_t begin = lexer_.token().begin;
  lexer_.Next();
  if (!parsing_.Expect(TokenKind::kLParen)) return false;
  frames_.Open(FrameKind::kIf, begin);
  return NeedOperand();
}

auto FunctionParser::StartMatch() -> bool {
  frames_.Open(FrameKind::kMatch, lexer_.token().begin);
  frames_.match().complete = lexer_.is(TokenKind::kMatch);
  current_.has_inner_scope = true;
  lexer_.Next();
  return NeedOperand();
}

auto FunctionParser::StartRef(ExprKind kind) -> bool {
  const uint32_t begin = lexer_.token().begin;
  lexer_.Next();
  if (!parsing_.Expect(TokenKind::kLParen)) return false;
  frames_.Open(FrameKind::kRef, begin).a = static_cast<uint32_t>(kind);
  return NeedOperand();
}

// `free_var %x: T;` declares a variable that nothing binds: an error if it is used, none otherwise.
auto FunctionParser::ReadFreeVar() -> bool {
  lexer_.Next();
  const auto var = declarations_.Read();
  if (!var) return false;
  declarations_.Bind(*var, LocalNames::Binder::kOther);
  current_.has_free_var = true;
  if (!parsing_.Expect(TokenKind::kSemicolon)) return false;
  return NeedOperand();
}

}  // namespace relayopt
