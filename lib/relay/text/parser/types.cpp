// Parses types.
#include "types.h"

#include <algorithm>

namespace relayopt {

namespace {

// A name that starts like this is an element type, whatever has been declared.
auto IsScalarName(std::string_view name) -> bool {
  return name.starts_with("int") || name.starts_with("float") || name.starts_with("uint") || name.starts_with("bool");
}

}  // namespace

void TypeVars::Leave(size_t before) {
  while (undo_.size() > before) {
    vars_[undo_.back().first] = undo_.back().second;
    undo_.pop_back();
  }
}

void TypeVars::Bind(std::string_view name, TypeId var) {
  TypeId& meaning = vars_[name];
  undo_.emplace_back(name, meaning);
  meaning = var;
}

auto TypeParser::Read() -> std::optional<TypeId> {
  frames_.clear();
  parts_.clear();
  params_.clear();
  failed_ = false;
  const size_t vars = vars_.Here();
  bool complete = Start();
  while (!failed_) {
    if (!complete) {
      complete = Start();
    } else if (frames_.empty()) {
      return done_;
    } else {
      complete = Continue();
    }
  }
  vars_.Leave(vars);
  return std::nullopt;
}

auto TypeParser::Fail() -> bool {
  failed_ = true;
  return false;
}

auto TypeParser::Open(FrameKind kind) -> Frame& {
  Frame& frame = frames_.emplace_back();
  frame.kind = kind;
  frame.base = static_cast<uint32_t>(parts_.size());
  frame.params = static_cast<uint32_t>(params_.size());
  frame.vars = vars_.Here();
  return frame;
}

void TypeParser::Finish(TypeId type) { done_ = type; }

auto TypeParser::Start() -> bool {
  switch (lexer_.kind()) {
    case TokenKind::kIdent: return StartName();
    case TokenKind::kFn: return StartFunction();
    case TokenKind::kMeta: return StartMeta();
    case TokenKind::kUnderscore:
      lexer_.Next();
      Finish(frames_.empty() ? TypeId() : parsing_.context().NullType());
      return true;
    case TokenKind::kRef:
      lexer_.Next();
      if (!parsing_.Expect(TokenKind::kLParen)) return Fail();
      Open(FrameKind::kRef);
      return false;
    case TokenKind::kLParen: {
      // The text that TVM prints for a missing type inside another type.
      constexpr std::string_view kNull = "(nullptr)";
      const uint32_t begin = lexer_.token().begin;
      if (lexer_.text({begin, std::min(lexer_.end(), begin + static_cast<uint32_t>(kNull.size()))}) == kNull) {
        lexer_.JumpTo(begin + static_cast<uint32_t>(kNull.size()));
        Finish(parsing_.context().NullType());
        return true;
      }
      lexer_.Next();
      Frame& frame = Open(FrameKind::kTuple);
      if (!parsing_.Take(TokenKind::kRParen)) return false;
      CloseList(frame);
      return true;
    }
    default: parsing_.ReportExpected("a type"); return Fail();
  }
}

auto TypeParser::StartName() -> bool {
  Context& context = parsing_.context();
  const std::string_view name = lexer_.text();
  const SourceRange range = lexer_.token().range();
  if (name == "Tensor") return StartTensor();
  if (IsScalarName(name)) {
    const auto dtype = ReadDataType();
    if (!dtype) return Fail();
    Finish(context.Scalar(*dtype));
    last_text_ = name;
    last_type_ = done_;
    return true;
  }
  lexer_.Next();
  if (const TypeId var = vars_.Find(name)) {
    if (lexer_.is(TokenKind::kLSquare)) {
      parsing_.reporter.Report(diag::kTypeVariableArgs, range, name);
      return Fail();
    }
    Finish(var);
    return true;
  }
  const StringId id = context.Intern(name);
  if (!parsing_.module.FindTypeDef(id)) {
    // Element types that TVM prints as types of rank 0 but does not read: bfloat16 and the like.
    const auto dtype = ParseDataType(name);
    if (dtype && !dtype->is_void()) {
      Finish(context.Scalar(*dtype));
      return true;
    }
    mentioned_.try_emplace(id, range);
  }
  if (!parsing_.Take(TokenKind::kLSquare)) {
    Finish(context.TypeCall(id, {}));
    return true;
  }
  Frame& frame = Open(FrameKind::kArgs);
  frame.name = id;
  if (!parsing_.Take(TokenKind::kRSquare)) return false;
  CloseList(frame);
  return true;
}

auto TypeParser::StartFunction() -> bool {
  lexer_.Next();
  Frame& frame = Open(FrameKind::kParams);
  if (!ReadParams(params_) || !parsing_.Expect(TokenKind::kLParen)) return Fail();
  if (!parsing_.Take(TokenKind::kRParen)) return false;
  frame.kind = FrameKind::kResult;
  if (!parsing_.Expect(TokenKind::kMinus) || !parsing_.Expect(TokenKind::kGreater)) return Fail();
  return false;
}

auto TypeParser::ReadParams(std::vector<TypeId>& params) -> bool {
  if (!parsing_.Take(TokenKind::kLSquare)) return true;
  bool comma = true;
  while (!parsing_.Take(TokenKind::kRSquare)) {
    if (!comma && !parsing_.Expect(TokenKind::kComma)) return false;
    if (!lexer_.is(TokenKind::kIdent)) {
      parsing_.ReportExpected("the name of a type variable");
      return false;
    }
    const TypeId var = parsing_.context().FreshVar(parsing_.context().Intern(lexer_.text()));
    vars_.Bind(lexer_.text(), var);
    params.push_back(var);
    lexer_.Next();
    comma = parsing_.Take(TokenKind::kComma);
  }
  return true;
}

auto TypeParser::StartMeta() -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  const auto object = parsing_.FindMeta(token);
  if (!object) {
    // The error is reported; any type will do to continue.
    Finish(parsing_.context().UnitType());
    return true;
  }
  const Object* value = *object ? &parsing_.context().object(*object) : nullptr;
  if (value != nullptr && value->kind == ObjectKind::kType) {
    Finish(value->type);
    return true;
  }
  if (value != nullptr && value->type_key && parsing_.context().text(value->type_key) == "IncompleteType") {
    TypeId& type = incomplete_[*object];
    if (!type) type = parsing_.context().FreshIncomplete();
    Finish(type);
    return true;
  }
  parsing_.reporter.Report(diag::kNoType, token.range(), parsing_.MetaKey(token), parsing_.MetaIndex(token));
  return Fail();
}

auto TypeParser::TensorText(uint32_t begin) const -> std::string_view {
  constexpr uint32_t kBracket = 6;
  // Longer types are not looked up, because they rarely repeat.
  constexpr uint32_t kLongest = 200;
  uint32_t end = begin + kBracket;
  if (lexer_.char_at(end) != '[') return {};
  ++end;
  while (end - begin < kLongest && lexer_.char_at(end) != '\0' && lexer_.char_at(end) != ']' &&
         lexer_.char_at(end) != '[') {
    ++end;
  }
  return lexer_.char_at(end) == ']' ? lexer_.text({begin, end + 1}) : std::string_view();
}

auto TypeParser::FindKnown(uint32_t at) -> std::optional<std::pair<TypeId, uint32_t>> {
  const std::string_view rest = lexer_.text({at, lexer_.end()});
  if (!last_type_ || !rest.starts_with(last_text_)) {
    if (!rest.starts_with("Tensor[")) return std::nullopt;
    const auto found = tensors_.find(TensorText(at));
    if (found == tensors_.end()) return std::nullopt;
    last_text_ = found->first;
    last_type_ = found->second;
  }
  const auto end = at + static_cast<uint32_t>(last_text_.size());
  if (lexer_.peek(end) != ' ') return std::nullopt;
  return std::pair(last_type_, end);
}

auto TypeParser::StartTensor() -> bool {
  const uint32_t begin = lexer_.token().begin;
  const std::string_view text = TensorText(begin);
  const auto end = begin + static_cast<uint32_t>(text.size());
  if (!text.empty()) {
    if (const auto found = tensors_.find(text); found != tensors_.end()) {
      lexer_.JumpTo(end);
      Finish(found->second);
      return true;
    }
  }
  lexer_.Next();
  std::vector<Dim> shape;
  if (!parsing_.Expect(TokenKind::kLSquare) || !ReadShape(shape) || !parsing_.Expect(TokenKind::kComma)) return Fail();
  // An operator whose attribute gives no element type gives tensors without one, which print as `Tensor[(2), ]`.
  const auto dtype = lexer_.is(TokenKind::kRSquare) ? DataType::Void() : ReadDataType();
  if (!dtype || !parsing_.Expect(TokenKind::kRSquare)) return Fail();
  Finish(parsing_.context().Tensor(shape, *dtype));
  if (!text.empty() && lexer_.last_end() == end) tensors_.emplace(text, done_);
  return true;
}

auto TypeParser::ReadShape(std::vector<Dim>& shape) -> bool {
  if (!parsing_.Expect(TokenKind::kLParen)) return false;
  while (!parsing_.Take(TokenKind::kRParen)) {
    if (!ReadDim(shape)) return false;
    const bool comma = parsing_.Take(TokenKind::kComma);
    if (!comma && shape.size() == 1 && !lexer_.is(TokenKind::kRParen)) return parsing_.Expect(TokenKind::kRParen);
  }
  return true;
}

auto TypeParser::ReadDim(std::vector<Dim>& shape) -> bool {
  const uint32_t begin = lexer_.token().begin;
  if (parsing_.Take(TokenKind::kQuestion)) {
    shape.push_back(Dim::Any());
    return true;
  }
  if (lexer_.is(TokenKind::kMeta)) return ReadMetaDim(shape);
  if (!AtNumber(lexer_)) {
    parsing_.ReportExpected("a dimension");
    return false;
  }
  const auto literal = ReadLiteral(parsing_);
  if (!literal) return false;
  if (literal->is_float || literal->integer < 0) {
    const SourceRange range{begin, lexer_.last_end()};
    parsing_.reporter.Report(diag::kBadDimension, range, lexer_.text(range));
  }
  shape.emplace_back(literal->integer, literal->bits);
  return true;
}

auto TypeParser::ReadMetaDim(std::vector<Dim>& shape) -> bool {
  const Token token = lexer_.token();
  lexer_.Next();
  const auto object = parsing_.FindMeta(token);
  if (!object) {
    shape.push_back(Dim::Any());
    return true;
  }
  const auto dim = DimOfObject(parsing_.context(), *object);
  if (!dim || dim->is_null()) parsing_.reporter.Report(diag::kBadDimension, token.range(), lexer_.text(token));
  shape.push_back(dim.value_or(Dim::Any()));
  return true;
}

auto TypeParser::ReadDataType() -> std::optional<DataType> {
  if (!lexer_.is(TokenKind::kIdent)) {
    parsing_.ReportExpected("an element type");
    return std::nullopt;
  }
  const auto dtype = ParseDataType(lexer_.text());
  if (!dtype) {
    std::string help;
    if (parsing_.reporter.shows_errors()) {
      help = DidYouMean(lexer_.text(), {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                        "uint64", "float16", "float32", "float64", "bfloat16"});
    }
    parsing_.reporter.Report(diag::kUnknownDataType, lexer_.token().range(), lexer_.text(), help);
    return std::nullopt;
  }
  lexer_.Next();
  return dtype;
}

auto TypeParser::More(Frame& frame, TokenKind close) -> bool {
  if (parsing_.Take(TokenKind::kComma)) frame.comma = true;
  if (parsing_.Take(close)) return false;
  // The comma may be missing from the second element on.
  if (frame.comma) return true;
  parsing_.Expect(close);
  return Fail();
}

void TypeParser::CloseList(Frame frame) {
  Context& context = parsing_.context();
  const TypeId type =
      frame.kind == FrameKind::kTuple ? context.Tuple(Parts(frame)) : context.TypeCall(frame.name, Parts(frame));
  frames_.pop_back();
  parts_.resize(frame.base);
  Finish(type);
}

auto TypeParser::Continue() -> bool {
  Context& context = parsing_.context();
  Frame& frame = frames_.back();
  const TypeId part = done_ ? done_ : context.NullType();
  switch (frame.kind) {
    case FrameKind::kTuple:
    case FrameKind::kArgs:
      parts_.push_back(part);
      if (More(frame, frame.kind == FrameKind::kTuple ? TokenKind::kRParen : TokenKind::kRSquare) || failed_) {
        return false;
      }
      CloseList(frame);
      return true;
    case FrameKind::kParams:
      parts_.push_back(part);
      if (More(frame, TokenKind::kRParen) || failed_) return false;
      frame.kind = FrameKind::kResult;
      if (!parsing_.Expect(TokenKind::kMinus) || !parsing_.Expect(TokenKind::kGreater)) return Fail();
      return false;
    case FrameKind::kResult: {
      const TypeId type = context.FunctionType(Parts(frame), part, std::span(params_).subspan(frame.params));
      vars_.Leave(frame.vars);
      parts_.resize(frame.base);
      params_.resize(frame.params);
      frames_.pop_back();
      Finish(type);
      return true;
    }
    case FrameKind::kRef:
      if (!parsing_.Expect(TokenKind::kRParen)) return Fail();
      frames_.pop_back();
      Finish(context.RefType(part));
      return true;
  }
  return Fail();
}

void TypeParser::ReportUndefined() {
  std::vector<std::pair<SourceRange, StringId>> unknown;
  for (const auto& [name, range] : mentioned_) {
    if (!parsing_.module.FindTypeDef(name)) unknown.emplace_back(range, name);
  }
  std::sort(unknown.begin(), unknown.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  std::vector<std::string_view> known = {"Tensor"};
  for (const TypeDef& def : parsing_.module.type_defs()) known.push_back(parsing_.context().text(def.name));
  for (const auto& [range, name] : unknown) {
    const std::string_view text = parsing_.context().text(name);
    const std::string help = parsing_.reporter.shows_errors() ? DidYouMean(text, known) : "";
    parsing_.reporter.Report(diag::kUnknownType, range, text, help);
  }
}

}  // namespace relayopt
