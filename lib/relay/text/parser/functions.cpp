// Parses functions from header to end, and recovers from errors.
#include "functions.h"

#include "relayopt/relay/analysis/verifier.h"

namespace relayopt {

auto FunctionParser::Read(uint32_t begin) -> FunctionRef {
  const size_t errors = parsing_.reporter.errors();
  nodes_.Start();
  graph_names_.EnterFunction();
  current_ = {};
  if (StartFunction(begin)) {
    Run();
  } else {
    SkipToDefinition();
  }
  while (!frames_.empty()) frames_.Close();
  names_.Reset();
  if (parsing_.reporter.errors() != errors || !current_.root) return nullptr;
  return Complete(current_.root);
}

auto FunctionParser::Complete(ExprId root) -> FunctionRef {
  auto function = std::make_shared<const Function>(Relayout(nodes_->Finish(root)));
  // Names are resolved by scope, so a variable can leave its scope only inside the value of a graph variable.
  const bool may_be_free = current_.has_free_var || (current_.has_graph_var && current_.has_inner_scope);
  if (!may_be_free) return function;
  const auto error = Verify(parsing_.module, *function);
  if (!error) return function;
  parsing_.reporter.Report(diag::kFreeVariable, function->range(error->expr), error->text);
  return nullptr;
}

void FunctionParser::Run() {
  while (!frames_.empty()) {
    if (!(need_operand_ ? Start() : Continue())) Recover();
  }
}

auto FunctionParser::AtDefinition() const -> bool {
  const Token& token = lexer_.token();
  if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kDef) return true;
  const bool line_start = token.begin == 0 || lexer_.char_at(token.begin - 1) == '\n';
  return line_start && (token.kind == TokenKind::kType || token.kind == TokenKind::kExtern);
}

auto FunctionParser::AtNextLine() const -> bool {
  if (frames_.in_detour() || !CanStartOperand()) return false;
  uint32_t at = lexer_.token().begin;
  while (at != 0 && (lexer_.char_at(at - 1) == ' ' || lexer_.char_at(at - 1) == '\t')) --at;
  return at != 0 && lexer_.char_at(at - 1) == '\n';
}

void FunctionParser::SkipToDefinition() {
  while (!AtDefinition()) lexer_.Next();
}

// Stops at a semicolon or closing brace that belongs to an open frame. Returns false if a definition comes first.
auto FunctionParser::SkipToRecovery() -> bool {
  for (size_t depth = 0;; lexer_.Next()) {
    if (AtDefinition()) return false;
    if (lexer_.is(TokenKind::kLBrace)) {
      ++depth;
    } else if (lexer_.is(TokenKind::kRBrace)) {
      if (depth == 0) return true;
      --depth;
    } else if (lexer_.is(TokenKind::kSemicolon) && depth == 0) {
      return true;
    }
  }
}

// After a syntax error, continues after the next semicolon or at the next closing brace.
void FunctionParser::Recover() {
  if (frames_.in_detour() || !SkipToRecovery()) {
    while (!frames_.empty()) {
      if (frames_.back().kind == FrameKind::kDetour) lexer_.JumpTo(frames_.back().begin);
      frames_.Close();
    }
    SkipToDefinition();
    return;
  }
  const bool brace = lexer_.is(TokenKind::kRBrace);
  while (!(brace ? frames_.back().AcceptsBrace() : frames_.back().AcceptsSemicolon())) frames_.Close();
  GiveUnknown(lexer_.token().begin);
}

auto FunctionParser::StartFunction(uint32_t begin) -> bool {
  current_.has_inner_scope |= !frames_.empty();
  frames_.Open(FrameKind::kFunction, begin);
  if (declarations_.ReadHeader(frames_)) return NeedOperand();
  frames_.Close();
  return false;
}

auto FunctionParser::FinishFunction() -> bool {
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  const ExprId body = ValueExpr();
  if (!lexer_.is(TokenKind::kRBrace)) return parsing_.Expect(TokenKind::kRBrace);
  const ParseFrame frame = frames_.back();
  const ExprId function = nodes_->Lambda(std::move(frames_.header()), frames_.Parts(frame), body);
  frames_.Close();
  lexer_.Next();
  if (frames_.empty()) current_.root = function;
  return Give(function, frame.begin);
}

}  // namespace relayopt
