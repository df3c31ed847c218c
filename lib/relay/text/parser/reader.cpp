// Parses a module: version, definitions, metadata section.
#include "relayopt/relay/text/reader.h"

#include <algorithm>

#include "functions.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

class ModuleParser {
 public:
  explicit ModuleParser(Parsing& parsing)
      : parsing_(parsing),
        lexer_(parsing.lexer),
        types_(parsing),
        names_(parsing),
        functions_(parsing, types_, names_) {}

  void Read() {
    parsing_.ReadMetadataSection();
    lexer_.Next();
    ReadVersion();
    KnowInitial();
    while (!lexer_.is(TokenKind::kEnd)) ReadDefinition();
    types_.ReportUndefined();
    ReportUndefinedGlobals();
  }

 private:
  // Adds the names that the module already has.
  void KnowInitial() {
    const Module& module = parsing_.module;
    defined_.resize(module.globals().size());
    for (const GlobalId id : module.ids()) defined_[id.value()] = module.function(id) != nullptr;
    initial_ = defined_.size();
    for (const TypeDef& def : module.type_defs()) {
      for (const CtorId ctor : def.constructors) {
        names_.AddConstructor(module.context().text(module.constructor(ctor).name), ctor);
      }
    }
  }

  void ReadVersion() {
    const Token token = lexer_.token();
    const std::string_view text = lexer_.text();
    if (token.kind != TokenKind::kSection) {
      if (token.kind == TokenKind::kEnd) {
        parsing_.reporter.Report(diag::kEmptyText, token.range());
        return;
      }
      Diagnostic* diagnostic = parsing_.reporter.Report(diag::kMissingVersion, token.range());
      if (diagnostic != nullptr) diagnostic->Note("this text starts with " + lexer_.Found());
      return;
    }
    const std::string_view inside = Trimmed(text.substr(2, text.size() - (text.ends_with(']') ? 3 : 2)));
    if (!inside.starts_with("version")) {
      parsing_.reporter.Report(diag::kMissingVersion, token.range());
    } else {
      const size_t equal = inside.find('=');
      const std::string_view version = equal == std::string_view::npos ? "" : Trimmed(inside.substr(equal + 1));
      if (version != "\"0.0.5\"") parsing_.reporter.Report(diag::kWrongVersion, token.range(), version);
    }
    lexer_.Next();
  }

  void ReadDefinition() {
    const uint32_t begin = lexer_.token().begin;
    parsing_.definition = begin;
    switch (lexer_.kind()) {
      case TokenKind::kDef:
        lexer_.Next();
        if (!ReadFunction(begin)) functions_.SkipToDefinition();
        return;
      case TokenKind::kType:
        lexer_.Next();
        if (!ReadType(false)) functions_.SkipToDefinition();
        return;
      case TokenKind::kExtern:
        lexer_.Next();
        if (!parsing_.Expect(TokenKind::kType) || !ReadType(true)) functions_.SkipToDefinition();
        return;
      case TokenKind::kSection:
        parsing_.reporter.Report(diag::kUnsupportedSection, lexer_.token().range(), lexer_.text());
        lexer_.Next();
        functions_.SkipToDefinition();
        return;
      default:
        parsing_.ReportExpected("a definition");
        lexer_.Next();
        functions_.SkipToDefinition();
    }
  }

  auto ReadFunction(uint32_t begin) -> bool {
    if (!lexer_.is(TokenKind::kGlobal)) {
      parsing_.ReportUnsigned("the name of a function", "names of functions begin with `@`: @");
      return false;
    }
    const uint32_t name_begin = lexer_.token().begin;
    const GlobalId id = names_.ReadGlobal();
    const SourceRange range{name_begin, lexer_.last_end()};
    if (id.value() >= defined_.size()) defined_.resize(id.value() + 1);
    const bool repeated = defined_[id.value()];
    if (repeated) {
      Diagnostic* diagnostic = parsing_.reporter.Report(diag::kDuplicateFunction, range, parsing_.module.name(id));
      // Ranges of what was in the module before refer to another text.
      if (diagnostic != nullptr && id.value() >= initial_)
        diagnostic->Note("the first definition is here", parsing_.module.global(id).range);
    }
    defined_[id.value()] = true;
    FunctionRef function = functions_.Read(begin);
    if (repeated || function == nullptr) return true;
    parsing_.module.SetRange(id, range);
    parsing_.module.SetFunction(id, std::move(function));
    return true;
  }

  auto ReadType(bool is_extern) -> bool {
    if (!lexer_.is(TokenKind::kIdent)) {
      parsing_.ReportExpected("the name of a type");
      return false;
    }
    Context& context = parsing_.context();
    TypeDef def;
    def.name = context.Intern(lexer_.text());
    def.is_extern = is_extern;
    const bool repeated = parsing_.module.FindTypeDef(def.name).has_value();
    if (repeated) parsing_.reporter.Report(diag::kDuplicateType, lexer_.token().range(), lexer_.text());
    lexer_.Next();
    const size_t vars = types_.vars().Here();
    bool ok = types_.ReadParams(def.params);
    if (ok) {
      const TypeDefId id = repeated ? TypeDefId() : parsing_.module.AddTypeDef(std::move(def));
      ok = ReadConstructors(id, is_extern);
    }
    types_.vars().Leave(vars);
    return ok;
  }

  // Defunctionalization names constructors by numbers.
  auto AtConstructor() const -> bool {
    if (lexer_.is(TokenKind::kIdent)) return true;
    return lexer_.is(TokenKind::kNumber) && std::ranges::all_of(lexer_.text(), IsDigit);
  }

  auto ReadConstructors(TypeDefId type, bool is_extern) -> bool {
    if (!parsing_.Take(TokenKind::kLBrace)) return true;
    bool comma = true;
    // Commas may be missing from the second constructor on.
    for (size_t count = 0; !parsing_.Take(TokenKind::kRBrace); ++count) {
      if (!comma && count == 1) return parsing_.Expect(TokenKind::kRBrace);
      if (!AtConstructor()) {
        parsing_.ReportExpected("a constructor");
        return false;
      }
      if (is_extern) parsing_.reporter.Report(diag::kExternConstructors, lexer_.token().range());
      if (!ReadConstructor(type)) return false;
      comma = parsing_.Take(TokenKind::kComma);
    }
    return true;
  }

  auto ReadConstructor(TypeDefId type) -> bool {
    const std::string_view name = lexer_.text();
    const SourceRange range = lexer_.token().range();
    lexer_.Next();
    std::vector<TypeId> inputs;
    if (parsing_.Take(TokenKind::kLParen)) {
      bool comma = true;
      while (!parsing_.Take(TokenKind::kRParen)) {
        if (!comma && inputs.size() == 1) return parsing_.Expect(TokenKind::kRParen);
        const auto input = types_.Read();
        if (!input) return false;
        inputs.push_back(*input ? *input : parsing_.context().NullType());
        comma = parsing_.Take(TokenKind::kComma);
      }
    }
    const StringId id = parsing_.context().Intern(name);
    if (parsing_.module.FindConstructor(id)) {
      parsing_.reporter.Report(diag::kDuplicateConstructor, range, name);
    } else if (type) {
      names_.AddConstructor(name, parsing_.module.AddConstructor(type, id, std::move(inputs)));
    }
    return true;
  }

  void ReportUndefinedGlobals() {
    const auto& mentions = names_.mentions();
    defined_.resize(std::max(defined_.size(), mentions.size()));
    std::vector<std::pair<SourceRange, GlobalId>> unknown;
    for (size_t i = 0; i < mentions.size(); ++i) {
      if (mentions[i].valid() && !defined_[i]) unknown.emplace_back(mentions[i], GlobalId(i));
    }
    std::sort(unknown.begin(), unknown.end(),
              [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
    std::vector<std::string_view> known;
    constexpr size_t kMostKnown = 10000;
    for (size_t i = 0; i < defined_.size() && !unknown.empty() && known.size() < kMostKnown; ++i) {
      if (defined_[i]) known.push_back(parsing_.module.name(GlobalId(i)));
    }
    for (const auto& [range, id] : unknown) {
      const std::string_view name = parsing_.module.name(id);
      const std::string help = parsing_.reporter.shows_errors() ? DidYouMean(name, known) : "";
      parsing_.reporter.Report(diag::kUnknownGlobal, range, name, help);
    }
  }

  Parsing& parsing_;
  Lexer& lexer_;
  TypeParser types_;
  ModuleNames names_;
  FunctionParser functions_;
  std::vector<bool> defined_;
  size_t initial_ = 0;
};

}  // namespace

auto ReadModule(const std::shared_ptr<const SourceText>& source, std::shared_ptr<Context> context, DiagnosticSink& sink,
                const ReadOptions& options) -> std::optional<Module> {
  Module module = options.initial == nullptr ? Module(std::move(context)) : *options.initial;
  module.context().Keep(source);
  module.set_source(source);
  Parsing parsing(*source, module, sink, options);
  ModuleParser(parsing).Read();
  parsing.reporter.Finish();
  if (parsing.has_errors()) return std::nullopt;
  return module;
}

auto ReadModule(const std::shared_ptr<const SourceText>& source, DiagnosticSink& sink, const ReadOptions& options)
    -> std::optional<Module> {
  return ReadModule(source, std::make_shared<Context>(), sink, options);
}

}  // namespace relayopt
