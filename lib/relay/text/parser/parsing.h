// The state that all parts of the parser share: the text, the module under construction, errors and metadata.
#pragma once

#include <optional>
#include <string_view>

#include "lib/relay/text/lexer/lexer.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/text/metadata.h"
#include "relayopt/relay/text/reader.h"
#include "reporter.h"

namespace relayopt {

// Parses one text. Everything that is parsed goes through `lexer`.
class Parsing {
 public:
  Parsing(const SourceText& source, Module& module, DiagnosticSink& sink, const ReadOptions& options);

  auto context() const -> Context& { return module.context(); }

  // Whether there was an error, also in the metadata section.
  auto has_errors() const -> bool { return reporter.errors() != 0 || metadata_failed_; }
  // Reads the metadata section, if there is one; and ends the text before it.
  void ReadMetadataSection();

  // Whether the current token is of this kind; if so, advances to the next.
  auto Take(TokenKind kind) -> bool {
    if (!lexer.is(kind)) return false;
    lexer.Next();
    return true;
  }
  // Consumes a token of this kind, or reports an error.
  auto Expect(TokenKind kind) -> bool {
    if (Take(kind)) return true;
    ReportMissing(kind);
    return false;
  }
  // The same for a token that is easily forgotten. Returns whether to continue as if it were there.
  auto ExpectOrAssume(TokenKind kind, bool may_assume) -> bool {
    if (Take(kind)) return true;
    ReportMissing(kind);
    return may_assume;
  }
  // Reports what is expected in place of the current token. Returns the diagnostic, if it is kept, for a note.
  auto ReportExpected(std::string_view what) -> Diagnostic* {
    return reporter.Report(diag::kExpected, lexer.token().range(), what, lexer.Found());
  }
  // The same, with a note about the sign that a name lacks.
  void ReportUnsigned(std::string_view what, std::string_view note) {
    const bool is_name = lexer.is(TokenKind::kIdent);
    const std::string name(lexer.text());
    Diagnostic* diagnostic = ReportExpected(what);
    if (diagnostic != nullptr && is_name) diagnostic->Note(std::string(note) + name);
  }

  // The object that a kMeta token names (which may be the null object); nothing, with a diagnostic, when there is none.
  auto FindMeta(const Token& token) -> std::optional<ObjectId>;
  // KEY and INDEX of a kMeta token.
  auto MetaKey(const Token& token) const -> std::string_view;
  auto MetaIndex(const Token& token) const -> std::string_view;

  // Returns the span of the comment before the current token, or none.
  auto CommentSpan() -> SpanId;

  // The offset of the definition that is being parsed.
  uint32_t definition = 0;

  const SourceText& source;
  Module& module;
  const ReadOptions options;
  ParseReporter reporter;
  Lexer lexer;

 private:
  // Reports that the current token is not of this kind. If a definition ends too early, or a closing brace is missing,
  // a note points at the opening one.
  void ReportMissing(TokenKind kind);

  MetaTable meta_;
  bool has_metadata_ = false;
  // The section could not be read: references to it are not diagnosed.
  bool metadata_failed_ = false;
};

// A number in the text.
struct Literal {
  bool is_float = false;
  int bits = 32;
  int64_t integer = 0;
  double real = 0;

  auto dtype() const -> DataType { return is_float ? DataType::Float(bits) : DataType::Int(bits); }
  // Returns the bytes of the scalar constant.
  auto constant_bits() const -> uint64_t;
};

// Whether the current token can start a number: a number, a minus, or a word for infinity or NaN.
auto AtNumber(const Lexer& lexer) -> bool;
// Reads the number that starts at the current token. A malformed or too large one is reported and read as zero;
// nothing, with a diagnostic, when there is none at all.
auto ReadLiteral(Parsing& parsing) -> std::optional<Literal>;

// The dimension that an object of the metadata section represents; returns nothing if it is not an integer expression.
auto DimOfObject(const Context& context, ObjectId object) -> std::optional<Dim>;

}  // namespace relayopt
