// Diagnostics: errors, warnings and notes for the user, with their range in the source.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "relayopt/support/source.h"

namespace relayopt {

// How serious a diagnostic is, in ascending order. An error means that the operation has failed.
enum class Severity : uint8_t { kNote, kRemark, kWarning, kError };

// One kind of diagnostic, declared once as a named constant. `text` is a {fmt} format string; `id` is shown after the
// message and never changes.
struct DiagnosticKind {
  std::string_view id;
  Severity severity;
  std::string_view text;
};

// A note below a diagnostic: another range, or an explanation.
struct DiagnosticNote {
  std::string text;
  SourceRange range;
};

// One occurrence of a diagnostic.
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

// A reference to a kind whose text takes arguments of the types `Args`. Naming a kind that takes others does not
// compile. Converts to the kind, and can be stored.
template <typename... Args>
class KindFor {
 public:
  // Implicit, so that a diagnostic is made by naming its kind.
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
  // TVM is valid until the next report.
  auto Report(Diagnostic diagnostic) -> Diagnostic&;

  auto has_errors() const -> bool { return errors_ != 0; }
  auto errors() const -> size_t { return errors_; }
  auto diagnostics() const -> const std::vector<Diagnostic>& { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
  size_t errors_ = 0;
};

// How diagnostics are rendered.
struct RenderOptions {
  bool color = false;
};

// Renders `file:line:col: severity: text [id]`, the source line and a line with a caret, then the notes in the same
// form. Bytes that a terminal could interpret are escaped. `source` may be null for diagnostics without a range.
auto Render(const Diagnostic& diagnostic, const SourceText* source, const RenderOptions& options = {}) -> std::string;

// `text` with control characters and malformed UTF-8 written as \xHH.
auto Printable(std::string_view text) -> std::string;

// Returns the names among `candidates` that are nearest to `name`, best first and at most three, for "did you mean".
// Near means an edit distance of at most a third of its length; differences of case and punctuation count little.
auto Nearest(std::string_view name, const std::vector<std::string_view>& candidates) -> std::vector<std::string>;

// " (did you mean 'a' or 'b'?)", or nothing if nothing is near.
auto DidYouMean(std::string_view name, const std::vector<std::string_view>& candidates) -> std::string;

}  // namespace relayopt
