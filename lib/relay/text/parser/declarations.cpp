// Parses variables with their devices and types, and the parameters and attributes of function headers.
#include "declarations.h"

namespace relayopt {

auto DeclarationParser::ReadVirtualDevice(ObjectId& device) -> bool {
  if (!parsing_.Take(TokenKind::kLBrace)) return true;
  if (!attrs_.ReadList(TokenKind::kRBrace)) return false;
  if (const auto attr = attrs_.TakeAttr("virtual_device")) device = attrs_.VirtualDeviceOf(*attr);
  return parsing_.Expect(TokenKind::kRBrace);
}

auto DeclarationParser::Declare(SourceRange range, TypeId annotation) -> Declared {
  const StringId name = parsing_.context().Intern(parsing_.lexer.text({range.begin + 1, range.end}));
  const ExprId var = nodes_->Var({name, annotation, {}});
  nodes_->SetRange(var, range);
  return {name, var};
}

auto DeclarationParser::Read() -> std::optional<Declared> {
  Lexer& lexer = parsing_.lexer;
  if (!lexer.is(TokenKind::kLocal) && !lexer.is(TokenKind::kGraph)) {
    parsing_.ReportUnsigned("a variable", "names of variables begin with `%`: %");
    return std::nullopt;
  }
  const uint32_t begin = lexer.token().begin;
  std::string_view name = names_.DeclaredName();
  const SourceRange range{begin, lexer.token().end};
  lexer.Next();
  VarInfo info;
  const bool repeated = LocalNames::TakeMalformed(name);
  info.name = parsing_.context().Intern(name);
  names_.AddSpelling(name);
  if (!ReadVirtualDevice(info.virtual_device)) return std::nullopt;
  if (parsing_.Take(TokenKind::kColon)) {
    const auto type = types_.Read();
    if (!type) return std::nullopt;
    info.annotation = *type;
  } else if (repeated) {
    // The variable is declared in another function.
    info.annotation = names_.LastAnnotation(info.name);
  }
  const ExprId var = nodes_->Var(info);
  nodes_.SetSource(var, range);
  return Declared{info.name, var};
}

void DeclarationParser::Bind(const Declared& declared, LocalNames::Binder binder) {
  const auto& function = nodes_->function();
  names_.Bind(declared.name, declared.var, function.var(declared.var).annotation, binder, function.range(declared.var));
}

auto DeclarationParser::ReadAttrs(FunctionInfo& info) -> bool {
  if (!attrs_.ReadList(TokenKind::kRParen)) return false;
  if (const auto attr = attrs_.TakeAttr("virtual_device")) info.virtual_device = attrs_.VirtualDeviceOf(*attr);
  info.attrs = attrs_.FunctionAttrs();
  return true;
}

auto DeclarationParser::ReadHeader(FrameStack& frames) -> bool {
  if (!types_.ReadParams(frames.header().type_params) || !parsing_.Expect(TokenKind::kLParen)) return false;
  bool comma = true;
  while (!parsing_.lexer.is(TokenKind::kRParen)) {
    if (!comma) return parsing_.Expect(TokenKind::kRParen);
    if (attrs_.AtAttr()) {
      if (!ReadAttrs(frames.header())) return false;
      break;
    }
    const auto param = Read();
    if (!param) return false;
    Bind(*param, LocalNames::Binder::kOther);
    frames.Push(param->var);
    // As TVM: commas may be missing from the second parameter on.
    comma = parsing_.Take(TokenKind::kComma) || frames.num_parts() > 1;
  }
  if (!parsing_.Expect(TokenKind::kRParen)) return false;
  if (parsing_.Take(TokenKind::kMinus)) {
    if (!parsing_.Expect(TokenKind::kGreater)) return false;
    const auto result = types_.Read();
    if (!result) return false;
    frames.header().result = *result;
  }
  return parsing_.Expect(TokenKind::kLBrace);
}

}  // namespace relayopt
