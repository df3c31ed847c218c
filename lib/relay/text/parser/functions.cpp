// Function headers, the stack of frames, and recovery from errors.
#include "functions.h"

#include "relayopt/relay/analysis/verifier.h"

namespace relayopt {

auto FunctionParser::Read(uint32_t begin) -> FunctionRef {
  const size_t errors = parsing_.reporter.errors();
  builder_.emplace(parsing_.context());
  ++function_;
  leaves_.clear();
  root_ = ExprId();
  has_inner_scope_ = has_graph_var_ = has_free_var_ = false;
  if (StartFunction(begin)) {
    Run();
  } else {
    SkipToDefinition();
  }
  while (!frames_.empty()) Close();
  names_.Reset();
  if (parsing_.reporter.errors() != errors || !root_) return nullptr;
  return Complete(root_);
}

auto FunctionParser::Complete(ExprId root) -> FunctionRef {
  auto function = std::make_shared<const Function>(Relayout(builder_->Finish(root)));
  // Names are resolved by scope, so a variable can leave its scope only inside the value of a graph variable.
  const bool may_be_free = has_free_var_ || (has_graph_var_ && has_inner_scope_);
  if (!may_be_free) return function;
  const auto error = Verify(parsing_.module, *function, false);
  if (!error) return function;
  parsing_.reporter.Report(diag::kFreeVariable, function->range(error->expr), error->text);
  return nullptr;
}

void FunctionParser::Run() {
  while (!frames_.empty()) {
    if (!(need_operand_ ? Start() : Continue())) Recover();
  }
}

auto FunctionParser::Open(FrameKind kind, uint32_t begin) -> Frame& {
  Frame& frame = frames_.emplace_back();
  frame.kind = kind;
  frame.begin = begin;
  frame.base = static_cast<uint32_t>(parts_.size());
  frame.scope = names_.Here();
  return frame;
}

void FunctionParser::Close() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  parts_.resize(frame.base);
  names_.Leave(frame.scope);
  if (frame.kind == FrameKind::kFunction) {
    types_.vars().Leave(headers_.back().type_vars);
    headers_.pop_back();
    names_.LeaveFunction();
  } else if (frame.kind == FrameKind::kMatch) {
    matches_.pop_back();
  } else if (frame.kind == FrameKind::kDetour) {
    --detours_;
  }
}

auto FunctionParser::AtDefinition() const -> bool {
  const Token& token = lexer_.token();
  if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kDef) return true;
  const bool line_start = token.begin == 0 || lexer_.char_at(token.begin - 1) == '\n';
  return line_start && (token.kind == TokenKind::kType || token.kind == TokenKind::kExtern);
}

auto FunctionParser::AtNextLine() const -> bool {
  if (detours_ != 0 || !CanStartOperand()) return false;
  uint32_t at = lexer_.token().begin;
  while (at != 0 && (lexer_.char_at(at - 1) == ' ' || lexer_.char_at(at - 1) == '\t')) --at;
  return at != 0 && lexer_.char_at(at - 1) == '\n';
}

void FunctionParser::SkipToDefinition() {
  while (!AtDefinition()) lexer_.Next();
}

auto FunctionParser::AcceptsBrace(const Frame& frame) const -> bool {
  switch (frame.kind) {
    case FrameKind::kBlock:
    case FrameKind::kFunction: return true;
    case FrameKind::kIf: return frame.state != State::kFirst;
    case FrameKind::kMatch: return frame.state == State::kBody;
    default: return false;
  }
}

auto FunctionParser::AcceptsSemicolon(const Frame& frame) const -> bool {
  return AcceptsBrace(frame) || frame.kind == FrameKind::kLet || frame.kind == FrameKind::kBind ||
         frame.kind == FrameKind::kDetour;
}

// Stops at a semicolon or closing brace that belongs to an open frame. False when a definition comes first.
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

// After a syntax error: goes on behind the next semicolon or at the next closing brace. The text of an earlier function
// is no place to do that.
void FunctionParser::Recover() {
  if (detours_ != 0 || !SkipToRecovery()) {
    while (!frames_.empty()) {
      if (frames_.back().kind == FrameKind::kDetour) lexer_.JumpTo(frames_.back().begin);
      Close();
    }
    SkipToDefinition();
    return;
  }
  const bool brace = lexer_.is(TokenKind::kRBrace);
  while (!(brace ? AcceptsBrace(frames_.back()) : AcceptsSemicolon(frames_.back()))) Close();
  GiveUnknown(lexer_.token().begin);
}

auto FunctionParser::ReadVirtualDevice(ObjectId& device) -> bool {
  if (!parsing_.Take(TokenKind::kLBrace)) return true;
  if (!attrs_.ReadList(TokenKind::kRBrace)) return false;
  if (const auto attr = attrs_.TakeAttr("virtual_device")) device = attrs_.VirtualDeviceOf(*attr);
  return parsing_.Expect(TokenKind::kRBrace);
}

auto FunctionParser::ReadDeclaration(std::string_view& name, ExprId& var) -> bool {
  if (!lexer_.is(TokenKind::kLocal) && !lexer_.is(TokenKind::kGraph)) {
    parsing_.ReportExpected("a variable");
    return false;
  }
  const uint32_t begin = lexer_.token().begin;
  name = names_.DeclaredName();
  const SourceRange range{begin, lexer_.token().end};
  lexer_.Next();
  VarInfo info;
  const bool repeated = LocalNames::TakeMalformed(name);
  info.name = parsing_.context().Intern(name);
  if (!ReadVirtualDevice(info.virtual_device)) return false;
  if (parsing_.Take(TokenKind::kColon)) {
    const auto type = types_.Read();
    if (!type) return false;
    info.annotation = *type;
  } else if (repeated) {
    // Its declaration stands in another function.
    info.annotation = names_.LastAnnotation(name);
  }
  var = builder_->Var(info);
  builder_->SetRange(var, range);
  if (!lexer_.span().empty()) builder_->SetSpan(var, parsing_.CommentSpan());
  return true;
}

auto FunctionParser::ReadParam() -> bool {
  std::string_view name;
  ExprId var;
  if (!ReadDeclaration(name, var)) return false;
  const VarInfo& info = builder_->function().var(var);
  names_.Bind(name, var, info.annotation, LocalNames::Repeated::kFirstCounts, builder_->function().range(var));
  Push(var);
  return true;
}

auto FunctionParser::ReadHeaderAttrs(Header& header) -> bool {
  if (!attrs_.ReadList(TokenKind::kRParen)) return false;
  if (const auto attr = attrs_.TakeAttr("virtual_device")) header.info.virtual_device = attrs_.VirtualDeviceOf(*attr);
  header.info.attrs = attrs_.FunctionAttrs();
  return true;
}

auto FunctionParser::ReadHeader(Header& header) -> bool {
  if (!types_.ReadParams(header.info.type_params) || !parsing_.Expect(TokenKind::kLParen)) return false;
  bool comma = true;
  while (!lexer_.is(TokenKind::kRParen)) {
    if (!comma) return parsing_.Expect(TokenKind::kRParen);
    if (attrs_.AtAttr()) {
      if (!ReadHeaderAttrs(header)) return false;
      break;
    }
    if (!ReadParam()) return false;
    // The reference lets commas be missing from the second parameter on.
    comma = parsing_.Take(TokenKind::kComma) || parts_.size() - frames_.back().base > 1;
  }
  if (!parsing_.Expect(TokenKind::kRParen)) return false;
  if (parsing_.Take(TokenKind::kMinus)) {
    if (!parsing_.Expect(TokenKind::kGreater)) return false;
    const auto result = types_.Read();
    if (!result) return false;
    header.info.result = *result;
  }
  return parsing_.Expect(TokenKind::kLBrace);
}

auto FunctionParser::StartFunction(uint32_t begin) -> bool {
  has_inner_scope_ |= !frames_.empty();
  Open(FrameKind::kFunction, begin);
  names_.Enter();
  names_.EnterFunction();
  headers_.push_back({{}, types_.vars().Here()});
  if (ReadHeader(headers_.back())) return NeedOperand();
  Close();
  return false;
}

auto FunctionParser::FinishFunction() -> bool {
  if (lexer_.is(TokenKind::kSemicolon)) return StartSequence();
  const ExprId body = ValueExpr();
  if (!lexer_.is(TokenKind::kRBrace)) return parsing_.Expect(TokenKind::kRBrace);
  const Frame frame = frames_.back();
  const ExprId function = builder_->Lambda(std::move(headers_.back().info), Parts(frame), body);
  Close();
  lexer_.Next();
  if (frames_.empty()) root_ = function;
  return Give(function, frame.begin);
}

}  // namespace relayopt
