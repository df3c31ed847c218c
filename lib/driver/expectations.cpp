// Reads expected-* comments and matches diagnostics with them.
#include "expectations.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "regex.h"
#include "relayopt/support/text_cursor.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kMissing = {"expectation-not-met", Severity::kError, "expected {} \"{}\" was not produced"};
constexpr DiagnosticKind kUnexpected = {"unexpected-diagnostic", Severity::kError, "unexpected {}: {}"};
constexpr DiagnosticKind kMalformed = {"malformed-expectation", Severity::kError, "malformed expectation: {}"};

constexpr std::string_view kSeverities[] = {"note", "remark", "warning", "error"};

// A line number that means "no position".
constexpr uint32_t kNoLine = 0;

struct Expectation {
  Severity severity;
  uint32_t line = kNoLine;
  std::string_view text = {};
  // What the text of a pattern becomes; null: the text stands for itself.
  std::shared_ptr<const Regex> pattern = nullptr;
  SourceRange range = {};
  bool met = false;
};

// A reported message, one for each diagnostic and note.
struct Message {
  Severity severity;
  uint32_t line = kNoLine;
  std::string text;
  SourceRange range;
};

// Converts an expectation to an extended regular expression: text outside of inner braces is literal.
auto AsRegex(std::string_view text) -> std::string {
  std::string out;
  while (!text.empty()) {
    const size_t open = std::min(text.find("{{"), text.size());
    for (const char c : text.substr(0, open)) {
      if (std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
    text.remove_prefix(open);
    if (text.empty()) break;
    const size_t close = std::min(text.find("}}"), text.size());
    out += "(" + std::string(text.substr(2, close - 2)) + ")";
    text.remove_prefix(std::min(close + 2, text.size()));
  }
  return out;
}

auto Matches(const Expectation& expectation, const std::string& text) -> bool {
  return expectation.pattern != nullptr ? expectation.pattern->Matches(text)
                                        : text.find(expectation.text) != std::string::npos;
}

class Scanner {
 public:
  Scanner(const SourceText& source, Reporter& reporter) : source_(source), in_(source.text()), reporter_(reporter) {}

  auto Scan() -> std::vector<Expectation> {
    constexpr std::string_view kWord = "expected-";
    std::vector<Expectation> found;
    for (in_.MoveTo(in_.text().find(kWord)); !in_.at_end(); in_.MoveTo(in_.text().find(kWord, in_.at()))) {
      begin_ = in_.at();
      in_.Take(kWord);
      if (const std::optional<Severity> severity = TakeSeverity()) {
        if (auto expectation = One(*severity)) found.push_back(*expectation);
      }
    }
    return found;
  }

 private:
  auto TakeSeverity() -> std::optional<Severity> {
    for (size_t i = 0; i < std::size(kSeverities); ++i) {
      if (in_.Take(kSeverities[i])) return static_cast<Severity>(i);
    }
    return std::nullopt;
  }

  auto One(Severity severity) -> std::optional<Expectation> {
    Expectation expectation{.severity = severity};
    const bool is_pattern = in_.Take("-re");
    const uint32_t line = source_.Position(static_cast<uint32_t>(begin_)).line;
    expectation.line = line;
    if (in_.Take('@') && !TakeLine(line, expectation.line))
      return Malformed("after @ comes +N, -N, above, below or unknown");
    while (in_.Take(' ')) {
    }
    if (!in_.Take("{{")) return Malformed("the text stands between {{ and }}");
    const size_t text_begin = in_.at();
    const size_t end = FindEnd();
    if (end == std::string_view::npos) return Malformed("}} is missing");
    in_.MoveTo(end);
    expectation.text = in_.Since(text_begin);
    in_.Take("}}");
    expectation.range = RangeHere();
    if (!is_pattern) return expectation;
    expectation.pattern = std::make_shared<const Regex>(AsRegex(expectation.text));
    const std::string& fault = expectation.pattern->fault();
    return fault.empty() ? std::optional(expectation) : Malformed("the pattern " + fault);
  }

  auto TakeLine(uint32_t here, uint32_t& line) -> bool {
    if (in_.Take("above"))
      line = here - 1;
    else if (in_.Take("below"))
      line = here + 1;
    else if (in_.Take("unknown"))
      line = kNoLine;
    else {
      const bool down = in_.Take('+');
      if (!down && !in_.Take('-')) return false;
      const auto distance = in_.TakeNumber<uint32_t>();
      if (!distance || (!down && *distance > here)) return false;
      line = down ? here + *distance : here - *distance;
    }
    return true;
  }

  // The closing braces on this line; inner pairs belong to patterns.
  auto FindEnd() const -> size_t {
    size_t depth = 1;
    const std::string_view text = in_.text();
    for (size_t i = in_.at(); i + 1 < text.size() && text[i] != '\n'; ++i) {
      if (text.substr(i, 2) == "{{") {
        ++depth;
        ++i;
      } else if (text.substr(i, 2) == "}}") {
        if (--depth == 0) return i;
        ++i;
      }
    }
    return std::string_view::npos;
  }

  auto Malformed(std::string_view why) -> std::optional<Expectation> {
    reporter_.Report(MakeDiagnostic(kMalformed, RangeHere(), why), &source_);
    return std::nullopt;
  }

  // The range from the beginning of the expectation up to here.
  auto RangeHere() const -> SourceRange { return {static_cast<uint32_t>(begin_), static_cast<uint32_t>(in_.at())}; }

  const SourceText& source_;
  TextCursor in_;
  Reporter& reporter_;
  size_t begin_ = 0;
};

auto MessagesOf(const SourceText& source, const std::vector<Diagnostic>& diagnostics) -> std::vector<Message> {
  std::vector<Message> messages;
  const auto add = [&](Severity severity, const std::string& text, SourceRange range) {
    messages.push_back({severity, range.valid() ? source.Position(range.begin).line : kNoLine, text, range});
  };
  for (const Diagnostic& diagnostic : diagnostics) {
    add(diagnostic.kind->severity, diagnostic.text, diagnostic.range);
    for (const DiagnosticNote& note : diagnostic.notes) add(Severity::kNote, note.text, note.range);
  }
  return messages;
}

}  // namespace

void CheckExpectations(const SourceText& source, const std::vector<Diagnostic>& diagnostics, bool only_expected,
                       Reporter& reporter) {
  std::vector<Expectation> expectations = Scanner(source, reporter).Scan();
  std::unordered_map<uint32_t, std::vector<Expectation*>> by_line;
  for (Expectation& expectation : expectations) by_line[expectation.line].push_back(&expectation);
  for (const Message& message : MessagesOf(source, diagnostics)) {
    const std::vector<Expectation*>& here = by_line[message.line];
    const auto met = std::ranges::find_if(here, [&](const Expectation* each) {
      return !each->met && each->severity == message.severity && Matches(*each, message.text);
    });
    if (met != here.end()) {
      (*met)->met = true;
    } else if (message.severity != Severity::kNote && !only_expected) {
      // Notes need not be expected.
      reporter.Report(
          MakeDiagnostic(kUnexpected, message.range, kSeverities[static_cast<size_t>(message.severity)], message.text),
          &source);
    }
  }
  for (const Expectation& expectation : expectations) {
    if (expectation.met) continue;
    reporter.Report(MakeDiagnostic(kMissing, expectation.range, kSeverities[static_cast<size_t>(expectation.severity)],
                                   expectation.text),
                    &source);
  }
}

}  // namespace relayopt
