// Parses metadata references and span comments.
#include "parsing.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "relayopt/arith/expr_object.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/text_pieces.h"

namespace relayopt {

namespace {

// Returns the offset of `#[metadata]`, or the size of the text. A comment may mention the words: the section is the
// first mention that a JSON object follows.
auto FindMetadata(std::string_view text) -> size_t {
  constexpr std::string_view kName = "metadata";
  for (size_t at = text.find("#["); at != std::string_view::npos; at = text.find("#[", at + 1)) {
    size_t inside = at + 2;
    while (inside < text.size() && IsSpace(text[inside])) ++inside;
    if (text.substr(inside, kName.size()) != kName) continue;
    inside += kName.size();
    while (inside < text.size() && IsSpace(text[inside])) ++inside;
    if (inside >= text.size() || text[inside] != ']') continue;
    ++inside;
    while (inside < text.size() && IsSpace(text[inside])) ++inside;
    if (inside < text.size() && text[inside] == '{') return at;
  }
  return text.size();
}

// Returns the first `{` from `begin` on that nothing closes before `end`. Indentation shows which one that is: a `}`
// that begins a line has the indentation of the line of its `{`. Returns nothing if all are closed.
auto FindOpenBrace(std::string_view text, size_t begin, size_t end) -> std::optional<uint32_t> {
  struct Brace {
    size_t offset;
    size_t indent;
  };
  std::vector<Brace> open;
  std::optional<size_t> suspect;
  size_t line = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
  bool at_start = true;
  for (size_t at = begin; at < end; ++at) {
    const char c = text[at];
    const std::string_view rest = text.substr(at, end - at);
    if (c == '\n') {
      line = at + 1;
      at_start = true;
      continue;
    }
    if (IsSpace(c)) continue;
    const size_t indent = text.find_first_not_of(" \t", line) - line;
    if (rest.starts_with("//")) {
      at += std::min(rest.find('\n'), rest.size()) - 1;
    } else if (rest.starts_with("/*")) {
      at += std::min(rest.find("*/", 2), rest.size() - 2) + 1;
    } else if (c == '"') {
      for (++at; at < end && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    } else if (c == '{') {
      open.push_back({at, indent});
    } else if (c == '}') {
      while (at_start && open.size() > 1 && open.back().indent > indent) {
        if (!suspect) suspect = open.back().offset;
        open.pop_back();
      }
      if (!open.empty()) open.pop_back();
    }
    at_start = false;
  }
  if (!suspect && !open.empty()) suspect = open.back().offset;
  return suspect ? std::optional(static_cast<uint32_t>(*suspect)) : std::nullopt;
}

}  // namespace

void Parsing::ReportMissing(TokenKind kind) {
  const Token token = lexer.token();
  const bool ends = token.kind == TokenKind::kDef || token.kind == TokenKind::kEnd;
  const bool is_about_brace = ends || kind == TokenKind::kRBrace;
  const auto brace = is_about_brace && reporter.shows_errors()
                         ? FindOpenBrace(source.text(), definition, std::min<size_t>(token.begin, source.text().size()))
                         : std::nullopt;
  if (ends && brace) {
    Diagnostic* diagnostic = reporter.Report(diag::kUnclosedBrace, {*brace, *brace + 1});
    if (diagnostic != nullptr) diagnostic->Note("a `}` is missing before this", token.range());
    return;
  }
  Diagnostic* diagnostic = reporter.Report(diag::kExpected, token.range(), TokenName(kind), lexer.Found());
  if (diagnostic != nullptr && brace) diagnostic->Note("this `{` is open", {*brace, *brace + 1});
}

Parsing::Parsing(const SourceText& source, Module& module, DiagnosticSink& sink, const ReadOptions& options)
    : source(source),
      module(module),
      options(options),
      reporter(sink),
      lexer(source, static_cast<uint32_t>(FindMetadata(source.text())), reporter) {}

void Parsing::ReadMetadataSection() {
  const std::string_view text = source.text();
  if (lexer.end() == text.size()) return;
  has_metadata_ = true;
  const auto begin = static_cast<uint32_t>(text.find(']', lexer.end()) + 1);
  auto table =
      ReadMetadata(context(), source, {begin, static_cast<uint32_t>(text.size())}, reporter.sink(), options.constants);
  metadata_failed_ = !table.has_value();
  if (table) meta_ = *std::move(table);
}

auto Parsing::MetaKey(const Token& token) const -> std::string_view {
  const std::string_view text = lexer.text(token).substr(5);
  return text.substr(0, text.find(']'));
}

auto Parsing::MetaIndex(const Token& token) const -> std::string_view {
  const std::string_view text = lexer.text(token).substr(5);
  const size_t start = text.find(']');
  // A malformed reference has been reported by the lexer.
  const bool whole = start != std::string_view::npos && start + 3 < text.size();
  const std::string_view digits = whole ? text.substr(start + 2, text.size() - start - 3) : "";
  return digits.find_first_not_of("0123456789") == std::string_view::npos ? digits : "";
}

auto Parsing::FindMeta(const Token& token) -> std::optional<ObjectId> {
  const std::string_view digits = MetaIndex(token);
  if (digits.empty() || metadata_failed_) return std::nullopt;
  const std::string_view key = MetaKey(token);
  const auto found = meta_.find(key);
  if (found == meta_.end()) {
    if (has_metadata_) {
      reporter.Report(diag::kNoMetaKey, token.range(), key);
    } else {
      reporter.Report(diag::kNoMetadata, token.range(), key);
    }
    return std::nullopt;
  }
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || index >= found->second.size()) {
    reporter.Report(diag::kMetaIndex, token.range(), digits, found->second.size(), key);
    return std::nullopt;
  }
  return found->second[index];
}

auto DimOfObject(const Context& context, ObjectId object) -> std::optional<Dim> {
  if (!object) return Dim::Null();
  const Object& value = context.object(object);
  if (value.kind == ObjectKind::kInt) return Dim(value.integer, value.dtype.bits);
  if (value.kind != ObjectKind::kNode) return std::nullopt;
  const auto kind = arith::KindOf(context, object);
  if (!kind) return std::nullopt;
  return kind == arith::PrimKind::kAny ? Dim::Any() : Dim::Expr(object);
}

auto Parsing::CommentSpan() -> SpanId {
  std::string_view text = lexer.span();
  if (text.empty()) return {};
  const auto take_number = [&text](int32_t& number) {
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    const auto read = ParseNumber<int32_t>(text.substr(colon + 1));
    number = read.value_or(0);
    text = text.substr(0, colon);
    return read.has_value();
  };
  Span span;
  if (!take_number(span.column) || !take_number(span.line)) return {};
  span.source = context().Intern(text);
  span.end_line = span.line;
  span.end_column = span.column;
  return context().Intern(span);
}

}  // namespace relayopt
