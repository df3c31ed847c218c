// Statements of TVMScript that hold others, and the suites that they open.
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

// After a header: the colon and the beginning of the block, or of the statements on the same line.
auto Reader::BeginSuite() -> bool {
  if (!Expect(TokenKind::kColon)) return false;
  Suite suite;
  suite.frames = frames_.size();
  if (lexer_.token().kind != TokenKind::kNewline) {
    suite.single_line = true;
  } else {
    lexer_.Next();
    if (lexer_.token().kind != TokenKind::kIndent) {
      Report(diag::kExpected, lexer_.token().range(), "an indented block", TokenName(lexer_.token().kind));
      return false;
    }
    lexer_.Next();
  }
  suites_.push_back(suite);
  return true;
}

// Reads statements until the suite of the function has ended. Suites in it are opened and closed on the stack of
// suites.
void Reader::ReadBody() {
  const size_t bottom = suites_.size();
  while (suites_.size() >= bottom) {
    const TokenKind kind = lexer_.token().kind;
    if (kind == TokenKind::kDedent || kind == TokenKind::kEnd) {
      if (kind != TokenKind::kEnd) lexer_.Next();
      EndSuite();
      continue;
    }
    if (kind == TokenKind::kNewline) {
      lexer_.Next();
      continue;
    }
    if (kind == TokenKind::kIndent) {
      Report(diag::kIndentation, lexer_.token().range());
      lexer_.SkipStatement();
      continue;
    }
    const bool single = suites_.back().single_line;
    const bool fine = ReadStatement();
    if (!fine) {
      lexer_.SkipStatement();
      // The branches of an `if` that was not understood.
      while (lexer_.token().kind == TokenKind::kElse || lexer_.token().kind == TokenKind::kElif) lexer_.SkipStatement();
    }
    // The suite on the line of its header ends with that line.
    if (single && (!fine || line_ended_)) EndSuite();
    pending_.clear();
    if (sink_.errors() > kMaxErrors) break;
  }
  suites_.resize(bottom - 1);
}

// Closes the innermost suite with the statements that are open in it.
void Reader::EndSuite() {
  const Suite suite = suites_.back();
  if (suite.kind == Suite::Kind::kFunction) {
    suites_.pop_back();
    return;
  }
  // The frame of the suite is the first one above those that were open before.
  CloseTo(suite.frames + (suite.kind == Suite::Kind::kThen ? 1 : 0));
  PopScope();
  suites_.pop_back();
  if (suite.kind == Suite::Kind::kThen) {
    if (lexer_.token().kind == TokenKind::kElif || lexer_.token().kind == TokenKind::kElse) {
      // The then-branch is done; the same frame goes on as its else-branch.
      Frame& frame = frames_.back();
      frame.then_case = builder_->Seq(std::span(done_).subspan(frame.first_stmt));
      done_.resize(frame.first_stmt);
      frame.kind = FrameKind::kElse;
      const bool elif = lexer_.token().kind == TokenKind::kElif;
      lexer_.Next();
      if (elif ? ReadIf() : ReadElse()) {
        suites_.back().elifs = suite.elifs + (elif ? 1 : 0);
        suites_.back().frames = elif ? suites_.back().frames : suite.frames;
        return;
      }
      lexer_.SkipStatement();
    }
    CloseTo(suite.frames);
  }
  // An `elif` is an `if` alone in an else-branch, which ends with it.
  for (uint32_t i = 0; i < suite.elifs; ++i) CloseTop();
}

auto Reader::ReadStatement() -> bool {
  const Token token = lexer_.token();
  switch (token.kind) {
    case TokenKind::kFor: return ReadFor();
    case TokenKind::kWhile: return ReadWhile();
    case TokenKind::kWith: return ReadWith();
    case TokenKind::kIf: lexer_.Next(); return ReadIf();
    case TokenKind::kAssert: return ReadAssert();
    case TokenKind::kPass: lexer_.Next(); return EndOfLine();
    case TokenKind::kReturn: Report(diag::kReturn, token.range()); return false;
    case TokenKind::kDef:
    case TokenKind::kAt:
    case TokenKind::kClass: Report(diag::kNeedsPython, token.range(), "a nested definition"); return false;
    case TokenKind::kFrom:
    case TokenKind::kImport: Report(diag::kNeedsPython, token.range(), "an import inside of a function"); return false;
    case TokenKind::kElse:
    case TokenKind::kElif: Report(diag::kExpected, token.range(), "a statement", lexer_.text(token)); return false;
    case TokenKind::kPythonOnly: Report(diag::kNeedsPython, token.range(), lexer_.text(token)); return false;
    default: return ReadSimple();
  }
}

// Names separated by commas, also in brackets.
auto Reader::ReadTargets(Targets& targets, std::optional<size_t>* starred) -> bool {
  size_t depth = 0;
  // Of several targets.
  absl::flat_hash_set<NameIndex> names;
  for (;;) {
    const TokenKind kind = lexer_.token().kind;
    if (kind == TokenKind::kLParen || kind == TokenKind::kLSquare) {
      ++depth;
    } else if ((kind == TokenKind::kRParen || kind == TokenKind::kRSquare) && depth > 0) {
      --depth;
    } else if (kind == TokenKind::kName) {
      if (targets.size() == 1) names.insert(targets[0].name);
      const bool is_new = targets.empty() || names.insert(lexer_.token().name).second;
      if (!is_new && names_.text(lexer_.token().name) != "_") {
        Report(diag::kDuplicateTarget, lexer_.token().range());
        return false;
      }
      targets.push_back(lexer_.token());
    } else if (kind == TokenKind::kStar && starred != nullptr && !*starred) {
      *starred = targets.size();
    } else if (kind != TokenKind::kComma) {
      break;
    }
    lexer_.Next();
  }
  if (!targets.empty()) return true;
  Report(diag::kExpected, lexer_.token().range(), "a name", TokenName(lexer_.token().kind));
  return false;
}

// As TVM: declarations that the range of a loop uses may be at the top of its body, because TVM prints them
// there.
//
//     for i in range(A_1[0]):
//         A_1 = T.Buffer((8,), "int32", data=A.data)
//
// Returns the value of the name; returns none if there is no such declaration.
auto Reader::DeclaredBelow(const Token& token) -> Value {
  LoopHeader& header = *loop_header_;
  if (!header.is_scanned) FindDeclarationsBelow();
  const auto found = header.declarations.find(token.name);
  if (found == header.declarations.end()) return {};
  if (found->second.is_read) return found->second.value;
  if (header.reads) {
    header.missing = token.name;
    return Value::Error();
  }
  // A declaration that needs another one is read again after that one.
  header.reads = true;
  std::vector<NameIndex> stack = {token.name};
  while (!stack.empty()) {
    Declaration& declaration = header.declarations.at(stack.back());
    header.missing = UINT32_MAX;
    Token after;
    const Value value = EvaluateAside(declaration.begin, declaration.end, after);
    if (header.missing != UINT32_MAX && std::ranges::find(stack, header.missing) == stack.end()) {
      stack.push_back(header.missing);
      continue;
    }
    if (header.missing != UINT32_MAX) Report(diag::kUndefined, token.range(), names_.text(header.missing), "");
    declaration.value = value;
    declaration.is_read = true;
    early_values_[declaration.begin] = value;
    stack.pop_back();
  }
  header.reads = false;
  return found->second.value;
}

// The first lines of the body, as far as they declare buffers and variables.
void Reader::FindDeclarationsBelow() {
  loop_header_->is_scanned = true;
  const std::string_view text = lexer_.text();
  size_t end = text.find('\n', loop_header_->begin);
  while (end != std::string_view::npos) {
    const size_t line = text.find_first_not_of(' ', end + 1);
    if (line == std::string_view::npos) return;
    end = text.find('\n', line);
    const std::string_view statement = text.substr(line, end - line);
    const size_t equal = statement.find(" = T.");
    const std::string_view name = statement.substr(0, equal);
    const std::string_view made = equal == std::string_view::npos ? "" : statement.substr(equal + 5);
    const bool declares = made.starts_with("Buffer(") || made.ends_with("()");
    if (!declares || name.find_first_of(" .,:[(") != std::string_view::npos) return;
    const size_t begin = line + equal + 3;
    loop_header_->declarations.try_emplace(
        names_.Find(name),
        Declaration{static_cast<uint32_t>(begin), static_cast<uint32_t>(line + statement.size()), false, {}});
  }
}

auto Reader::ReadFor() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  Targets targets;
  std::optional<size_t> starred;
  if (!ReadTargets(targets, &starred) || !Expect(TokenKind::kIn)) return false;
  LoopHeader header;
  header.begin = token.begin;
  loop_header_ = header;
  const Value value = ParseExpr();
  loop_header_.reset();
  if (value.is_error()) return false;
  if (!value.is(ValueKind::kFrame) || frame(value).kind != FrameKind::kFor) {
    const bool python = value.is_sequence();
    python ? Report(diag::kNeedsPython, value.range, "a loop over a sequence") : Report(diag::kForLoop, value.range);
    return false;
  }
  Frame& loop = frame(value);
  loop.range = {token.begin, lexer_.last_end()};
  PushScope();
  if (!NameLoopTargets(targets, starred, loop) || !BeginSuite()) {
    PopScope();
    return false;
  }
  suites_.back().kind = Suite::Kind::kFor;
  Open(std::move(loop));
  return true;
}

auto Reader::ReadWhile() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  const Value value = ParseExpr();
  const PrimExpr condition = ToCondition(value);
  if (!condition) return false;
  if (terms_.AsInt(condition)) {
    Report(diag::kTrivialWhile, value.range);
    return false;
  }
  PushScope();
  if (!BeginSuite()) {
    PopScope();
    return false;
  }
  suites_.back().kind = Suite::Kind::kWhile;
  Frame loop;
  loop.kind = FrameKind::kWhile;
  loop.range = {token.begin, lexer_.last_end()};
  loop.value = condition;
  Open(std::move(loop));
  return true;
}

auto Reader::ToCondition(const Value& value) -> PrimExpr {
  const PrimExpr condition = value.is_error() ? PrimExpr() : ToBool(value);
  if (!condition) return {};
  const DataType type = terms_.dtype(condition);
  if (type.is_int() || type.is_uint()) return condition;
  Report(diag::kTypeOf, value.range, "a condition", "bool", DTypeText(condition));
  return {};
}

// An `if` or `elif` after its keyword.
auto Reader::ReadIf() -> bool {
  const uint32_t begin = lexer_.token().begin;
  const Value value = ParseExpr();
  const PrimExpr condition = ToCondition(value);
  if (!condition) return false;
  PushScope();
  if (!BeginSuite()) {
    PopScope();
    return false;
  }
  suites_.back().kind = Suite::Kind::kThen;
  Frame branch;
  branch.kind = FrameKind::kThen;
  branch.range = {begin, value.range.end};
  branch.value = condition;
  Open(std::move(branch));
  return true;
}

auto Reader::ReadElse() -> bool {
  PushScope();
  if (!BeginSuite()) {
    PopScope();
    return false;
  }
  suites_.back().kind = Suite::Kind::kElse;
  return true;
}

// Returns a string, or as TVM 0.27 writes it: `("RuntimeError", ["part", "part"])`.
auto Reader::AssertMessage(const Value& value) -> std::optional<StringId> {
  if (!value.is(ValueKind::kTuple) || value.size != 2) return ToText(value);
  const std::span<const Value> both = elements(value);
  const std::optional<StringId> kind = ToText(both[0]);
  if (!kind) return std::nullopt;
  if (context_.text(*kind) != "RuntimeError") {
    Report(diag::kWrongValue, both[0].range, "\"RuntimeError\"", context_.text(*kind));
    return std::nullopt;
  }
  std::string message;
  for (const Value& part : ElementsOrOne(both[1])) {
    const std::optional<StringId> text = ToText(part);
    if (!text) return std::nullopt;
    message += context_.text(*text);
  }
  return context_.Intern(message);
}

auto Reader::ReadAssert() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  const Value condition = ParseExpr();
  if (condition.is_error() || !Expect(TokenKind::kComma)) return false;
  const Value message = ParseExpr();
  if (message.is_error()) return false;
  const PrimExpr test = ToBool(condition);
  const std::optional<StringId> text = test ? AssertMessage(message) : std::nullopt;
  if (!text) return false;
  if (!arith::IsBool(terms_.dtype(test))) {
    Report(diag::kTypeOf, condition.range, "a condition", "bool", DTypeText(test));
    return false;
  }
  Frame frame;
  frame.kind = FrameKind::kAssert;
  frame.range = {token.begin, lexer_.last_end()};
  frame.value = test;
  frame.var = terms_.StringImm(context_.text(*text));
  Open(std::move(frame));
  return EndOfLine();
}

auto Reader::ReadWith() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  PushScope();
  const size_t frames = frames_.size();
  const auto fail = [&] {
    frames_.resize(frames);
    PopScope();
    return false;
  };
  // Brackets around all items are allowed; each item opens its frame before the next is read.
  for (;;) {
    const Value value = ParseExpr();
    if (value.is_error()) return fail();
    if (!value.is(ValueKind::kFrame)) {
      Report(diag::kWith, value.range);
      return fail();
    }
    Frame opened = std::move(frame(value));
    opened.range = {token.begin, lexer_.last_end()};
    const Value yields = opened.yields;
    Open(std::move(opened));
    if (lexer_.token().kind == TokenKind::kAs) {
      lexer_.Next();
      const Token target = lexer_.token();
      if (!Expect(TokenKind::kName)) return fail();
      if (yields.is(ValueKind::kBuffer)) {
        NameBuffer(yields.buffer(), names_.id(target.name));
      } else if (yields.is(ValueKind::kExpr)) {
        terms_.Rename(yields.expr(), names_.id(target.name));
      } else {
        Report(diag::kBinding, target.range(), Name(yields.kind), "a with statement");
        return fail();
      }
      if (!BindName(target, yields)) return fail();
    }
    if (lexer_.token().kind != TokenKind::kComma) break;
    lexer_.Next();
  }
  if (!BeginSuite()) return fail();
  suites_.back().kind = Suite::Kind::kWith;
  suites_.back().frames = frames;
  return true;
}

}  // namespace relayopt::tir
