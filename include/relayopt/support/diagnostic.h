// What a user is told: errors, warnings and notes with a place in the source.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "relayopt/support/source.h"

namespace relayopt {

enum class Severity : uint8_t { kNote, kRemark, kWarning, kError };

// One kind of diagnostic: declared once as a named constant, whose `text` is a {fmt} format string and whose `id` is
// shown after the message and stays the same for ever.
struct DiagnosticKind {
  std::string_view id;
  Severity severity;
  std::string_view text;
};

// A further place or explanation below a diagnostic.
struct DiagnosticNote {
  std::string text;
  SourceRange range;
};

// An occurrence of a diagnostic.
struct Diagnostic {
  const DiagnosticKind* kind;
  std::string text;
  SourceRange range;
  std::vector<DiagnosticNote> notes;

  // Adds a note and returns the diagnostic, so that calls can be chained.
  auto Note(std::string note, SourceRange at = {}) -> Diagnostic& {
    notes.push_back({std::move(note), at});
    return *this;
  }
};

// A kind whose text takes arguments of these types: the compiler refuses another one where the kind is named. It is
// passed on like a kind, and can be kept.
template <typename... Args>
class KindFor {
 public:
  // Not explicit: kinds are named where diagnostics are made.
  consteval KindFor(const DiagnosticKind& kind) : kind_(&kind) {
    static_cast<void>(fmt::format_string<const Args&...>(kind.text));
  }
  auto operator*() const -> const DiagnosticKind& { return *kind_; }
  auto operator->() const -> const DiagnosticKind* { return kind_; }

 private:
  const DiagnosticKind* kind_;
};

// Formats `kind` with `args`.
template <typename... Args>
auto MakeDiagnostic(std::type_identity_t<KindFor<Args...>> kind, SourceRange range, const Args&... args) -> Diagnostic {
  return {&*kind, fmt::format(fmt::runtime(kind->text), args...), range, {}};
}

// Collects diagnostics in the order in which they are found.
class DiagnosticSink {
 public:
  template <typename... Args>
  auto Report(std::type_identity_t<KindFor<Args...>> kind, SourceRange range, const Args&... args) -> Diagnostic& {
    return Report(MakeDiagnostic(kind, range, args...));
  }
  // The reference is valid until the next report.
  auto Report(Diagnostic diagnostic) -> Diagnostic&;

  auto has_errors() const -> bool { return errors_ != 0; }
  auto errors() const -> size_t { return errors_; }
  auto diagnostics() const -> const std::vector<Diagnostic>& { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0;
};

struct RenderOptions {
  bool color = false;
};

// `file:line:col: severity: text [id]`, the source line and a caret line, then the notes in the same form. Bytes that
// could drive a terminal are shown escaped. `source` may be null for diagnostics without a place.
auto Render(const Diagnostic& diagnostic, const SourceText* source, const RenderOptions& options = {}) -> std::string;

// `text` with control characters and malformed UTF-8 written as \xHH.
auto Printable(std::string_view text) -> std::string;

// The names nearest to `name` among `candidates` (edit distance at most a third of its length, case and punctuation
// counted lightly), best first, at most three; for "did you mean".
auto Nearest(std::string_view name, const std::vector<std::string_view>& candidates) -> std::vector<std::string>;

// " (did you mean 'a' or 'b'?)", or nothing when nothing is near.
auto DidYouMean(std::string_view name, const std::vector<std::string_view>& candidates) -> std::string;

}  // namespace relayopt
