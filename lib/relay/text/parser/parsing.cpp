// Metadata references and comments with spans.
#include "parsing.h"

#include <charconv>

namespace relayopt {

namespace {

auto IsBlank(char c) -> bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The offset of `#[metadata]`, or the size of the text. A comment may mention the words: the section is the first
// mention that a JSON object follows.
auto FindMetadata(std::string_view text) -> size_t {
  constexpr std::string_view kName = "metadata";
  for (size_t at = text.find("#["); at != std::string_view::npos; at = text.find("#[", at + 1)) {
    size_t inside = at + 2;
    while (inside < text.size() && IsBlank(text[inside])) ++inside;
    if (text.substr(inside, kName.size()) != kName) continue;
    inside += kName.size();
    while (inside < text.size() && IsBlank(text[inside])) ++inside;
    if (inside >= text.size() || text[inside] != ']') continue;
    ++inside;
    while (inside < text.size() && IsBlank(text[inside])) ++inside;
    if (inside < text.size() && text[inside] == '{') return at;
  }
  return text.size();
}

}  // namespace

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
  auto table = ReadMetadata(context(), source, {begin, static_cast<uint32_t>(text.size())}, reporter.sink(),
                            options.constants);
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
  const std::string_view key = context.text(value.type_key);
  if (key == "tir.Any") return Dim::Any();
  return key.starts_with("tir.") ? std::optional(Dim::Expr(object)) : std::nullopt;
}

auto Parsing::CommentSpan() -> SpanId {
  std::string_view text = lexer.span();
  if (text.empty()) return {};
  const auto take_number = [&text](int32_t& number) {
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    text = text.substr(0, colon);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  Span span;
  if (!take_number(span.column) || !take_number(span.line)) return {};
  span.source = context().Intern(text);
  span.end_line = span.line;
  span.end_column = span.column;
  return context().Intern(span);
}

}  // namespace relayopt
