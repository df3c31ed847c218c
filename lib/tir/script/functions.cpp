// Files, classes and functions of TVMScript: what surrounds statements.
#include <algorithm>

#include "lib/tir/script/reader_state.h"
#include "lib/tir/script/string_literal.h"
#include "relayopt/support/characters.h"

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

// Whether the text before the first decorator imports the dialect of TVM 0.27, also in a comment, as it prints it.
static auto ImportsTirx(std::string_view text) -> bool {
  return text.substr(0, text.find("\n@")).find("import tirx") != std::string_view::npos;
}

auto Reader::Run() -> std::optional<ScriptModule> {
  const size_t before = sink_.errors();
  imports_tirx_ = ImportsTirx(lexer_.text().substr(begin_));
  DeclareFunctions();
  ReadFile();
  if (sink_.errors() != before) return std::nullopt;
  return ScriptModule{std::move(module_attrs_), std::move(functions_)};
}

auto ReadScript(const SourceText& source, Context& context, DiagnosticSink& sink, uint32_t begin)
    -> std::optional<ScriptModule> {
  if (const auto at = FirstInvalidByte(source.text().substr(begin))) {
    const auto byte = begin + static_cast<uint32_t>(*at);
    sink.Report(diag::kNotUtf8, SourceRange{byte, byte + 1},
                static_cast<unsigned>(static_cast<unsigned char>(source.text()[byte])));
    return std::nullopt;
  }
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

// Determines the result types of all functions before any body is read, because bodies call functions that come later.
// Searches for `def` at the beginning of lines; errors are reported when the function itself is read.
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
      if (annotation.starts_with("T.")) annotation.remove_prefix(2);
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
        std::string which;
        function_ = {};
        if (!ReadDecorators(function_, which)) {
          lexer_.SkipStatement();
        } else if (which == "ir_module") {
          ReadClass();
        } else {
          ReadFunction();
        }
        break;
      }
      case TokenKind::kString: lexer_.SkipLine(); break;
      case TokenKind::kName: ReadDefinition(); break;
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

// A definition beside the module: constants such as `N = 128` or `M, N = 4, N * 2`, which the functions below can use,
// or the metadata, whose objects are identified by their positions.
void Reader::ReadDefinition() {
  const Token first = lexer_.token();
  if (lexer_.text(first) == "metadata") return lexer_.SkipStatement();
  if (!lexer_.FollowedByEqual() && lexer_.FollowingChar() != ',') {
    Report(diag::kNeedsPython, first.range(), "a statement outside of the module");
    return lexer_.SkipStatement();
  }
  Targets names;
  if (!ReadTargets(names) || !Expect(TokenKind::kEqual)) return lexer_.SkipStatement();
  is_outside_ = true;
  const Value value = ParseExpr(/*tuples=*/true);
  is_outside_ = false;
  if (value.is_error() || !EndOfLine()) {
    BindPoison(names);
    return lexer_.SkipStatement();
  }
  std::span<const Value> values(&value, 1);
  if (names.size() > 1 && value.is_sequence()) values = elements(value);
  if (values.size() != names.size()) return Report(diag::kUnpack, first.range(), values.size(), names.size());
  // In Python the last definition counts.
  for (size_t i = 0; i < names.size(); ++i) binding(names[i].name) = {values[i], 0, true};
}

// `@I.ir_module`, `@T.prim_func(private=True)`, each on a line of its own. After a report nothing is left of the line.
auto Reader::ReadDecorators(FunctionState& function, std::string& which) -> bool {
  const auto fail = [&] {
    lexer_.SkipLine();
    if (lexer_.token().kind == TokenKind::kNewline) lexer_.Next();
    return false;
  };
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
    if (name == "R.function" || name == "relax.function") {
      Report(diag::kRelax, range);
      return fail();
    }
    if (which != "ir_module" && which != "prim_func") {
      const bool python = which == "macro" || which == "function";
      python ? Report(diag::kNeedsPython, range, "@" + name) : Report(diag::kDecorator, range, "@" + name);
      return fail();
    }
    if (lexer_.token().kind == TokenKind::kLParen) {
      lexer_.Next();
      while (lexer_.token().kind == TokenKind::kName) {
        const Token key = lexer_.token();
        lexer_.Next();
        if (!Expect(TokenKind::kEqual)) return fail();
        const Value value = ParseExpr();
        const std::string_view text = names_.text(key.name);
        const bool known = text == "private" || text == "check_well_formed" || text == "s_tir";
        if (which != "prim_func" || !known) {
          Report(diag::kArguments, key.range(), "@" + name, "has no argument " + std::string(text));
          return fail();
        }
        if (!value.is(ValueKind::kBool)) {
          if (!value.is_error()) Report(diag::kWrongValue, value.range, "True or False", Name(value.kind));
          return fail();
        }
        if (text == "private") function.is_private = value.integer != 0;
        if (text == "s_tir") function.is_s_tir = value.integer != 0;
        if (lexer_.token().kind == TokenKind::kComma) lexer_.Next();
      }
      if (!Expect(TokenKind::kRParen)) return fail();
    }
    if (!Expect(TokenKind::kNewline)) return fail();
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
        if (!ReadDecorators(function_, which))
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
  if (!Expect(TokenKind::kDef)) return lexer_.SkipStatement();
  const Token name = lexer_.token();
  if (!Expect(TokenKind::kName)) return lexer_.SkipStatement();
  if (!defined_.insert(names_.id(name.name)).second) {
    Report(diag::kDuplicateFunction, name.range(), names_.text(name.name));
  }
  const uint32_t values = values_.size();
  builder_.emplace(context_);
  builder_->Reserve(16);
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
  visible_buffers_.clear();
  outer_block_ = {};
  pending_.clear();
  early_values_.clear();
  early_views_ = {};
  values_.Release(values);
  regions_.clear();
  lambdas_.clear();
}

auto Reader::ReadParams() -> bool {
  if (!Expect(TokenKind::kLParen)) return false;
  // As many as most functions have.
  function_.info.params.reserve(4);
  function_.info.buffer_map.reserve(4);
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
      ShowBuffer(type.buffer());
      if (!BindName(name, type)) return false;
    } else {
      const PrimExpr var = NamedExtentOr(name, ToVar(type));
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

// TVM 0.27 writes extents of parameters in quotes when a variable in them is a parameter or a variable of the body,
// both of which come later.
auto Reader::QuotedExtent(const Value& value) -> PrimExpr {
  in_quotes_ = true;
  Token after;
  const Value extent = EvaluateAside(value.range.begin + 1, value.range.end - 1, after);
  in_quotes_ = false;
  if (extent.is_error()) return {};
  if (after.kind != TokenKind::kNewline) {
    Report(diag::kExpected, after.range(), "the end of the extent", lexer_.text(after));
    return {};
  }
  return ToExpr(extent);
}

// Returns the value of an expression that is elsewhere, and the token after it: a newline at the end.
auto Reader::EvaluateAside(uint32_t begin, uint32_t end, Token& after) -> Value {
  Lexer::Outside outside = lexer_.Enter(begin, end);
  Stacks stacks = SetAside();
  const Value value = ParseExpr();
  Restore(std::move(stacks));
  after = lexer_.token();
  lexer_.Leave(std::move(outside));
  return value;
}

// The variable of a name that the header of a function of TVM 0.27 uses before its declaration; none if it is never
// declared.
auto Reader::HeaderExtent(const Token& token) -> PrimExpr {
  const bool in_header = frames_.size() == 1 && suites_.empty();
  if (!in_header || !(in_quotes_ || speaks_tirx())) return {};
  const std::string_view name = names_.text(token.name);
  const auto known = function_.named_extents.find(names_.id(token.name));
  if (known != function_.named_extents.end()) return known->second;
  const std::optional<DataType> dtype = DTypeDeclaredFor(name);
  // A failed look-up is remembered, too.
  return function_.named_extents[names_.id(token.name)] = dtype ? terms_.Var(name, *dtype) : PrimExpr();
}

// Returns the type of `name: T.int64`, `name = T.int64()` or `name, m = T.int64(), T.int32()` in the rest of the header
// or right below it.
auto Reader::DTypeDeclaredFor(std::string_view name) const -> std::optional<DataType> {
  constexpr size_t kHeader = 4096;
  const std::string_view rest = lexer_.text().substr(lexer_.token().begin, kHeader);
  const auto type_at = [&](std::string_view text) -> std::optional<DataType> {
    if (!text.starts_with("T.")) return std::nullopt;
    text.remove_prefix(2);
    const auto end = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsNameCharacter) - text.begin());
    return ParseDataType(text.substr(0, end));
  };
  for (size_t at = rest.find(name); at != std::string_view::npos; at = rest.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (at == 0 || IsNameCharacter(rest[at - 1]) || end == rest.size() || IsNameCharacter(rest[end])) continue;
    if (rest.substr(end).starts_with(": T.")) return type_at(rest.substr(end + 2));
    // The name and the value at the same position of an assignment.
    const size_t begin = rest.rfind('\n', at) + 1;
    const std::string_view line = rest.substr(begin, rest.find('\n', at) - begin);
    const size_t equal = line.find(" = ");
    if (begin == 0 || equal == std::string_view::npos || at - begin > equal) continue;
    std::string_view values = line.substr(equal + 3);
    for (auto left = std::count(line.begin(), line.begin() + static_cast<ptrdiff_t>(at - begin), ','); left > 0;
         --left) {
      const size_t comma = values.find(", ");
      values.remove_prefix(comma == std::string_view::npos ? values.size() : comma + 2);
    }
    if (const auto dtype = type_at(values)) return dtype;
  }
  return std::nullopt;
}

// Returns the variable for the definition `made`: the variable that extents have introduced under its name, if there is
// one.
auto Reader::NamedExtentOr(const Token& name, PrimExpr made) -> PrimExpr {
  const auto named = function_.named_extents.find(names_.id(name.name));
  if (named == function_.named_extents.end() || !named->second || !made) return made;
  if (terms_.dtype(named->second) == terms_.dtype(made)) return named->second;
  Report(diag::kRedefined, name.range(), names_.text(name.name));
  return {};
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
  const StringId symbol = Text("global_symbol");
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
  // As TVM: the root has only the regions that it declares.
  if (!needed) return body == outer_block_.made ? outer_block_.as_declared : body;
  BlockInfo info;
  info.name = context_.Intern("root");
  info.alloc_buffers = function_.root_allocs;
  const StmtId block = builder_->Block(std::move(info), {}, body);
  return builder_->BlockRealize({}, terms_.Bool(true), block);
}

}  // namespace relayopt::tir
