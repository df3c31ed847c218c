// Files, functions and statements of TVMScript.
#include <algorithm>

#include "lib/tir/script/operators.h"
#include "lib/tir/script/reader_state.h"

namespace relayopt::tir {

Reader::Reader(const SourceText& source, Context& context, DiagnosticSink& sink, uint32_t begin)
    : source_(source),
      context_(context),
      terms_(context.Part<Terms>()),
      tables_(context.Part<Tables>()),
      sink_(sink),
      names_(context),
      lexer_(source.text(), names_, sink, begin),
      begin_(begin) {}

auto Reader::Run() -> std::optional<ScriptModule> {
  const size_t before = sink_.errors();
  DeclareFunctions();
  ReadFile();
  if (sink_.errors() != before) return std::nullopt;
  return ScriptModule{std::move(module_attrs_), std::move(functions_)};
}

auto ReadScript(const SourceText& source, Context& context, DiagnosticSink& sink, uint32_t begin)
    -> std::optional<ScriptModule> {
  return Reader(source, context, sink, begin).Run();
}

auto Reader::Expect(TokenKind kind) -> bool {
  if (lexer_.token().kind == kind) {
    lexer_.Next();
    return true;
  }
  Report(diag::kExpected, lexer_.token().range(), TokenName(kind), TokenName(lexer_.token().kind));
  return false;
}

auto Reader::EndOfLine() -> bool {
  line_ended_ = lexer_.token().kind == TokenKind::kNewline;
  if (lexer_.token().kind == TokenKind::kSemicolon) {
    lexer_.Next();
    if (lexer_.token().kind != TokenKind::kNewline) return true;
    line_ended_ = true;
  }
  if (lexer_.token().kind == TokenKind::kEnd) return true;
  return Expect(TokenKind::kNewline);
}

// Notes what every function returns before any body is read: bodies call functions that come later. Looks for `def` at
// the beginning of lines; what it finds wrong is reported where the function is read.
void Reader::DeclareFunctions() {
  const std::string_view text = source_.text();
  for (size_t at = text.find("def ", begin_); at != std::string_view::npos; at = text.find("def ", at + 4)) {
    size_t line = at;
    while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t')) --line;
    if (line > 0 && text[line - 1] != '\n') continue;
    size_t end = at + 4;
    while (end < text.size() && text[end] == ' ') ++end;
    const size_t begin = end;
    while (end < text.size() && text[end] != '(' && text[end] != ' ' && text[end] != '\n') ++end;
    const StringId name = context_.Intern(text.substr(begin, end - begin));
    size_t depth = 0;
    for (; end < text.size(); ++end) {
      if (text[end] == '(' || text[end] == '[') ++depth;
      if ((text[end] == ')' || text[end] == ']') && --depth == 0) break;
    }
    VarType type{VarType::Kind::kTuple, {}, {}};
    size_t arrow = end + 1;
    while (arrow < text.size() && text[arrow] == ' ') ++arrow;
    if (arrow + 1 < text.size() && text.substr(arrow, 2) == "->") {
      arrow += 2;
      while (arrow < text.size() && text[arrow] == ' ') ++arrow;
      size_t stop = arrow;
      while (stop < text.size() && text[stop] != ':') ++stop;
      std::string_view annotation = text.substr(arrow, stop - arrow);
      if (annotation.substr(0, 2) == "T.") annotation.remove_prefix(2);
      if (const auto dtype = ParseDataType(annotation); dtype && !annotation.empty()) type = VarType::Prim(*dtype);
    }
    declared_[name] = {type};
  }
}

void Reader::ReadFile() {
  for (;;) {
    const Token token = lexer_.token();
    switch (token.kind) {
      case TokenKind::kEnd: return;
      case TokenKind::kNewline:
      case TokenKind::kDedent: lexer_.Next(); break;
      case TokenKind::kFrom:
      case TokenKind::kImport: lexer_.SkipLine(); break;
      case TokenKind::kAt: {
        bool is_private = false;
        std::string which;
        if (!ReadDecorators(is_private, which)) {
          lexer_.SkipStatement();
        } else if (which == "ir_module") {
          ReadClass();
        } else {
          function_.is_private = is_private;
          ReadFunction();
        }
        break;
      }
      case TokenKind::kString: lexer_.SkipLine(); break;
      case TokenKind::kName: ReadMetadata(); break;
      case TokenKind::kClass:
      case TokenKind::kDef:
        Report(diag::kDecorator, token.range(), "none");
        lexer_.SkipStatement();
        break;
      default:
        if (token.kind != TokenKind::kUnknown) {
          Report(diag::kExpected, token.range(), "a module or a function", TokenName(token.kind));
        }
        lexer_.SkipStatement();
    }
  }
}

// What stands beside the module: only the metadata, whose objects are known by their places.
void Reader::ReadMetadata() {
  if (lexer_.text(lexer_.token()) != "metadata") {
    Report(diag::kNeedsPython, lexer_.token().range(), "a definition outside of the module");
  }
  lexer_.SkipStatement();
}

// `@I.ir_module`, `@T.prim_func(private=True)`, each on a line of its own.
auto Reader::ReadDecorators(bool& is_private, std::string& which) -> bool {
  while (lexer_.token().kind == TokenKind::kAt) {
    lexer_.Next();
    const uint32_t begin = lexer_.token().begin;
    std::string name;
    while (lexer_.token().kind == TokenKind::kName || lexer_.token().kind == TokenKind::kDot) {
      name += lexer_.text(lexer_.token());
      lexer_.Next();
    }
    const SourceRange range{begin, lexer_.last_end()};
    const size_t dot = name.rfind('.');
    which = dot == std::string::npos ? name : name.substr(dot + 1);
    if (which != "ir_module" && which != "prim_func") {
      const bool python = which == "macro" || which == "function";
      python ? Report(diag::kNeedsPython, range, "@" + name) : Report(diag::kDecorator, range, "@" + name);
      lexer_.SkipLine();
      if (lexer_.token().kind == TokenKind::kNewline) lexer_.Next();
      return false;
    }
    if (lexer_.token().kind == TokenKind::kLParen) {
      lexer_.Next();
      while (lexer_.token().kind == TokenKind::kName) {
        const Token key = lexer_.token();
        lexer_.Next();
        if (!Expect(TokenKind::kEqual)) return false;
        const Value value = ParseExpr();
        const std::string_view text = names_.text(key.name);
        if (which != "prim_func" || (text != "private" && text != "check_well_formed")) {
          Report(diag::kArguments, key.range(), "@" + name, "has no argument " + std::string(text));
          return false;
        }
        if (!value.is(ValueKind::kBool)) {
          if (!value.is_error()) Report(diag::kWrongValue, value.range, "True or False", Name(value.kind));
          return false;
        }
        if (text == "private") is_private = value.integer != 0;
        if (lexer_.token().kind == TokenKind::kComma) lexer_.Next();
      }
      if (!Expect(TokenKind::kRParen)) return false;
    }
    if (!Expect(TokenKind::kNewline)) return false;
  }
  return true;
}

void Reader::ReadClass() {
  if (!Expect(TokenKind::kClass)) return lexer_.SkipStatement();
  const Token name = lexer_.token();
  if (!Expect(TokenKind::kName)) return lexer_.SkipStatement();
  class_name_ = name.name;
  if (lexer_.token().kind == TokenKind::kLParen) {
    lexer_.Next();
    if (!Expect(TokenKind::kRParen)) return lexer_.SkipStatement();
  }
  if (!Expect(TokenKind::kColon)) return lexer_.SkipStatement();
  if (lexer_.token().kind == TokenKind::kPass) {
    lexer_.Next();
    EndOfLine();
    return;
  }
  if (!Expect(TokenKind::kNewline) || !Expect(TokenKind::kIndent)) return lexer_.SkipStatement();
  PushScope();
  while (lexer_.token().kind != TokenKind::kDedent && lexer_.token().kind != TokenKind::kEnd) {
    switch (lexer_.token().kind) {
      case TokenKind::kPass:
        lexer_.Next();
        if (!EndOfLine()) lexer_.SkipStatement();
        break;
      case TokenKind::kNewline: lexer_.Next(); break;
      case TokenKind::kAt: {
        std::string which;
        function_ = {};
        if (!ReadDecorators(function_.is_private, which))
          lexer_.SkipStatement();
        else
          ReadFunction();
        break;
      }
      case TokenKind::kDef:
        Report(diag::kDecorator, lexer_.token().range(), "none");
        lexer_.SkipStatement();
        break;
      case TokenKind::kString: lexer_.SkipLine(); break;
      default: {
        // An assignment means nothing here; a call sets the module's attributes.
        if (lexer_.token().kind == TokenKind::kName && lexer_.FollowedByEqual()) {
          lexer_.SkipStatement();
          break;
        }
        const size_t before = sink_.errors();
        ParseExpr();
        if (sink_.errors() != before || !EndOfLine()) lexer_.SkipStatement();
      }
    }
  }
  PopScope();
  if (lexer_.token().kind == TokenKind::kDedent) lexer_.Next();
}

void Reader::ReadFunction() {
  const size_t values = values_.size();
  if (!Expect(TokenKind::kDef)) return lexer_.SkipStatement();
  const Token name = lexer_.token();
  if (!Expect(TokenKind::kName)) return lexer_.SkipStatement();
  if (!defined_.insert(names_.id(name.name)).second) {
    Report(diag::kDuplicateFunction, name.range(), names_.text(name.name));
  }
  builder_.emplace(context_);
  frames_.clear();
  done_.clear();
  Frame frame;
  Open(std::move(frame));
  PushScope();
  const bool header = ReadParams();
  if (!header) {
    lexer_.SkipStatement();
  } else if (BeginSuite()) {
    suites_.back().kind = Suite::Kind::kFunction;
    ReadBody();
    FinishFunction(name);
  } else {
    lexer_.SkipStatement();
  }
  PopScope();
  function_ = {};
  pending_.clear();
  values_.resize(values);
  regions_.clear();
  lambdas_.clear();
}

auto Reader::ReadParams() -> bool {
  if (!Expect(TokenKind::kLParen)) return false;
  while (lexer_.token().kind != TokenKind::kRParen) {
    const Token name = lexer_.token();
    if (name.kind == TokenKind::kStar || name.kind == TokenKind::kDoubleStar) {
      Report(diag::kNeedsPython, name.range(), "parameters of any number");
      return false;
    }
    if (!Expect(TokenKind::kName)) return false;
    if (lexer_.token().kind != TokenKind::kColon) {
      Report(diag::kParameterType, name.range());
      return false;
    }
    lexer_.Next();
    const Value type = ParseExpr();
    if (type.is_error()) return false;
    const StringId id = names_.id(name.name);
    if (type.is(ValueKind::kBuffer)) {
      NameBuffer(type.buffer(), id);
      const std::string handle = std::string(names_.text(name.name)) + "_handle";
      const PrimExpr param = terms_.Var(handle, DataType{TypeCode::kHandle, 64, 1});
      function_.info.params.push_back(param);
      function_.info.buffer_map.push_back({param, type.buffer()});
      if (!BindName(name, type)) return false;
    } else {
      const PrimExpr var = ToVar(type);
      if (!var) return false;
      terms_.Rename(var, id);
      function_.info.params.push_back(var);
      if (!BindName(name, Value::Expr(var))) return false;
    }
    if (lexer_.token().kind == TokenKind::kEqual) {
      Report(diag::kNeedsPython, lexer_.token().range(), "a default of a parameter");
      return false;
    }
    if (lexer_.token().kind != TokenKind::kComma) break;
    lexer_.Next();
  }
  if (!Expect(TokenKind::kRParen)) return false;
  if (lexer_.token().kind == TokenKind::kArrow) {
    lexer_.Next();
    const Value type = ParseExpr();
    if (type.is_error()) return false;
    if (type.is(ValueKind::kDType)) {
      function_.info.ret_type = VarType::Prim(type.dtype);
    } else if (!type.is_none()) {
      const PrimExpr var = ToVar(type);
      if (!var) return false;
      function_.info.ret_type = terms_.var(var).type;
    }
  }
  return true;
}

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
auto Reader::ReadTargets(std::vector<Token>& targets) -> bool {
  size_t depth = 0;
  for (;;) {
    const TokenKind kind = lexer_.token().kind;
    if (kind == TokenKind::kLParen || kind == TokenKind::kLSquare) {
      ++depth;
    } else if ((kind == TokenKind::kRParen || kind == TokenKind::kRSquare) && depth > 0) {
      --depth;
    } else if (kind == TokenKind::kName) {
      for (const Token& other : targets) {
        if (other.name == lexer_.token().name && names_.text(other.name) != "_") {
          Report(diag::kDuplicateTarget, lexer_.token().range());
          return false;
        }
      }
      targets.push_back(lexer_.token());
    } else if (kind != TokenKind::kComma) {
      break;
    }
    lexer_.Next();
  }
  if (!targets.empty()) return true;
  Report(diag::kExpected, lexer_.token().range(), "a name", TokenName(lexer_.token().kind));
  return false;
}

auto Reader::ReadFor() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  std::vector<Token> targets;
  if (!ReadTargets(targets) || !Expect(TokenKind::kIn)) return false;
  const Value value = ParseExpr();
  if (value.is_error()) return false;
  if (!value.is(ValueKind::kFrame) || frame(value).kind != FrameKind::kFor) {
    const bool python = value.is_sequence();
    python ? Report(diag::kNeedsPython, value.range, "a loop over a sequence") : Report(diag::kForLoop, value.range);
    return false;
  }
  Frame loop = std::move(frame(value));
  loop.range = {token.begin, lexer_.last_end()};
  PushScope();
  if (!NameLoopTargets(targets, loop) || !BeginSuite()) {
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
  const PrimExpr condition = value.is_error() ? PrimExpr() : ToBool(value);
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

// An `if` or `elif` after its keyword.
auto Reader::ReadIf() -> bool {
  const uint32_t begin = lexer_.token().begin;
  const Value value = ParseExpr();
  const PrimExpr condition = value.is_error() ? PrimExpr() : ToBool(value);
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

auto Reader::ReadAssert() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  const Value condition = ParseExpr();
  if (condition.is_error() || !Expect(TokenKind::kComma)) return false;
  const Value message = ParseExpr();
  if (message.is_error()) return false;
  const PrimExpr test = ToBool(condition);
  const std::optional<StringId> text = test ? ToText(message) : std::nullopt;
  if (!text) return false;
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
      std::vector<Token> targets;
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

// A statement on one line: an assignment, a store, or an expression.
auto Reader::ReadSimple() -> bool {
  const Token token = lexer_.token();
  if (token.kind == TokenKind::kName) {
    const char next = lexer_.FollowingChar();
    if (next == '=' && lexer_.FollowedByEqual()) {
      lexer_.Next();
      std::vector<Token> targets = {token};
      return ReadAssignment(targets);
    }
    if (next == ':') {
      lexer_.Next();
      return ReadAnnotated(token);
    }
    if (next == ',') {
      std::vector<Token> targets;
      if (!ReadTargets(targets)) return false;
      if (lexer_.token().kind != TokenKind::kEqual) {
        Report(diag::kExpected, lexer_.token().range(), "`=`", TokenName(lexer_.token().kind));
        return false;
      }
      return ReadAssignment(targets);
    }
  }
  const Value value = ParseExpr(false, true);
  if (value.is_error()) {
    // Nothing more to say unless the line goes on.
    return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
  }
  const Token op = lexer_.token();
  if (op.kind == TokenKind::kAugmented) {
    const OpRow* row = AugmentedOp(lexer_.text(op));
    if (row == nullptr) {
      Report(diag::kNeedsPython, op.range(), lexer_.text(op));
      return false;
    }
    lexer_.Next();
    const Value right = ParseExpr();
    if (right.is_error()) return false;
    const SourceRange range{token.begin, lexer_.last_end()};
    if (value.is(ValueKind::kTarget)) {
      const std::vector<Value> parts(elements(value).begin(), elements(value).end());
      const Value old = Index(parts[0], std::span(parts).subspan(1), value.range);
      return Store(value, Binary(static_cast<int>(row->op), old, right, range), range) && EndOfLine();
    }
    if (token.kind == TokenKind::kName &&
        lexer_.text().substr(token.begin, value.range.end - token.begin) == names_.text(token.name)) {
      // As TVM: `x += e` binds a new `x`, which the scope may forbid.
      return Assign(token, Binary(static_cast<int>(row->op), value, right, range)) && EndOfLine();
    }
    Report(diag::kExpected, op.range(), "a name or an element before it", Name(value.kind));
    return false;
  }
  if (op.kind == TokenKind::kEqual) {
    if (!value.is(ValueKind::kTarget)) {
      Report(diag::kExpected, value.range, "a name or an element of a buffer", Name(value.kind));
      return false;
    }
    lexer_.Next();
    const Value right = ParseExpr(true);
    if (right.is_error()) return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
    if (lexer_.token().kind == TokenKind::kEqual) {
      Report(diag::kConsequential, lexer_.token().range());
      return false;
    }
    return Store(value, right, {token.begin, lexer_.last_end()}) && EndOfLine();
  }
  return ExpressionStatement(value) && EndOfLine();
}

auto Reader::ReadAssignment(std::vector<Token>& targets) -> bool {
  lexer_.Next();
  Value value = ParseExpr(true);
  if (lexer_.token().kind == TokenKind::kEqual) {
    Report(diag::kConsequential, lexer_.token().range());
    value = Value::Error();
  }
  if (value.is_error()) {
    BindPoison(targets);
    return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
  }
  bool fine = true;
  if (targets.size() == 1) {
    fine = Assign(targets[0], value);
  } else if (!value.is_sequence() || value.size != targets.size()) {
    Report(diag::kUnpack, value.range, value.is_sequence() ? value.size : 1, targets.size());
    fine = false;
  } else {
    const std::vector<Value> all(elements(value).begin(), elements(value).end());
    for (size_t i = 0; i < all.size() && fine; ++i) fine = Assign(targets[i], all[i]);
  }
  if (!fine) BindPoison(targets);
  return EndOfLine();
}

// `x: T.int32 = value`.
auto Reader::ReadAnnotated(const Token& target) -> bool {
  const uint32_t begin = target.begin;
  lexer_.Next();
  const Value type = ParseExpr();
  if (type.is_error() || !Expect(TokenKind::kEqual)) {
    BindPoison({&target, 1});
    return false;
  }
  const Value value = ParseExpr();
  const PrimExpr expr = value.is_error() ? PrimExpr() : ToExpr(value);
  const PrimExpr var = expr ? ToVar(type) : PrimExpr();
  if (!var || !CheckLet(var, expr, value.range)) {
    BindPoison({&target, 1});
    return lexer_.token().kind == TokenKind::kNewline ? EndOfLine() : false;
  }
  terms_.Rename(var, names_.id(target.name));
  Frame let;
  let.kind = FrameKind::kLet;
  let.range = {begin, lexer_.last_end()};
  let.var = var;
  let.value = expr;
  Open(std::move(let));
  return BindName(target, Value::Expr(var)) && EndOfLine();
}

auto Reader::CheckLet(PrimExpr var, PrimExpr value, SourceRange range) -> bool {
  const bool both_handles = arith::IsHandle(terms_.dtype(var)) && arith::IsHandle(terms_.dtype(value));
  if (terms_.dtype(var) == terms_.dtype(value) || both_handles) return true;
  Report(diag::kTypes, range, DTypeText(var), DTypeText(value));
  return false;
}

auto Reader::ExpressionStatement(const Value& value) -> bool {
  switch (value.kind) {
    case ValueKind::kNone:
    case ValueKind::kString: return true;
    case ValueKind::kFrame: {
      Frame opened = std::move(frame(value));
      if (!opened.range.valid()) opened.range = value.range;
      Open(std::move(opened));
      return true;
    }
    case ValueKind::kExpr:
    case ValueKind::kInt:
    case ValueKind::kBool:
    case ValueKind::kFloat:
    case ValueKind::kRegion: {
      const PrimExpr expr = ToExpr(value, BoolAs::kBool);
      if (!expr) return false;
      const StmtId made = builder_->Evaluate(expr);
      builder_->SetRange(made, value.range);
      Emit(made);
      return true;
    }
    default: Report(diag::kUnexpectedType, value.range, Name(value.kind)); return false;
  }
}

// `A[i] = value`.
auto Reader::Store(const Value& target, Value value, SourceRange range) -> bool {
  const std::vector<Value> parts(elements(target).begin(), elements(target).end());
  for (const Value& part : parts) {
    if (part.is_error()) return true;
  }
  if (value.is_error()) return true;
  const BufferId buffer = parts[0].buffer();
  const DataType element = tables_.buffer(buffer).dtype;
  PrimExpr expr = ToExpr(value, arith::IsBool(element) ? BoolAs::kBool : BoolAs::kInt32);
  if (!expr) return true;
  const auto indices = StoreIndices(buffer, std::span(parts).subspan(1), target.range);
  if (!indices) return true;
  return StoreTo(buffer, expr, *indices, range);
}

auto Reader::StoreTo(BufferId buffer, PrimExpr value, std::span<const PrimExpr> indices, SourceRange range) -> bool {
  const DataType element = tables_.buffer(buffer).dtype;
  const int index_lanes = indices.empty() ? 1 : terms_.lanes(indices.back());
  const DataType wanted = arith::WithLanes(element, element.lanes * index_lanes);
  const DataType given = terms_.dtype(value);
  if (given != wanted) {
    // A value of another element type is cast; lanes must agree.
    if (given.lanes != wanted.lanes || arith::IsHandle(given) != arith::IsHandle(wanted)) {
      Report(diag::kStoreTypes, range, TypeText(element), TypeText(given), index_lanes);
      return true;
    }
    if (!arith::IsHandle(given)) value = CastTo(wanted, value, range);
    if (!value) return true;
  }
  const StmtId made = builder_->Store(buffer, value, indices);
  builder_->SetRange(made, range);
  Emit(made);
  return true;
}

void Reader::FinishFunction(const Token& name) {
  CloseTo(1);
  const bool fine = !sink_.has_errors();
  if (!fine) {
    frames_.clear();
    return;
  }
  CloseTop();
  StmtId body = done_.back();
  const StringId symbol = context_.Intern("global_symbol");
  const bool has_symbol = std::any_of(function_.info.attrs.begin(), function_.info.attrs.end(),
                                      [&](const auto& attr) { return attr.key == symbol; });
  if (function_.is_private && has_symbol) return Report(diag::kPrivateSymbol, name.range());
  if (!function_.is_private && !has_symbol) {
    function_.info.attrs.push_back({symbol, context_.AddString(names_.text(name.name))});
  }
  body = RootBlock(body);
  functions_.push_back({names_.id(name.name),
                        std::make_shared<PrimFunc>(std::move(function_.info), builder_->Finish(body)), name.range()});
}

// As TVM: a body with blocks that are not those of the root itself is put into one.
auto Reader::RootBlock(StmtId body) -> StmtId {
  const Stmt stmt = builder_->stmt(body);
  bool needed = !function_.root_allocs.empty();
  if (const auto realize = stmt.As<BlockRealize>()) {
    needed = needed || !realize->block().axes().empty();
  } else if (!needed && has_blocks_) {
    // The builder may hold statements that are not in the body.
    Walk(
        stmt,
        [&](Stmt inner) {
          needed = needed || inner.is(StmtKind::kBlockRealize);
          return !needed;
        },
        [](Stmt) {});
  }
  has_blocks_ = false;
  if (!needed) return body;
  BlockInfo info;
  info.name = context_.Intern("root");
  info.alloc_buffers = function_.root_allocs;
  const StmtId block = builder_->Block(std::move(info), {}, body);
  return builder_->BlockRealize({}, terms_.Bool(true), block);
}

}  // namespace relayopt::tir
