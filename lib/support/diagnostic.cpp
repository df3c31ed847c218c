// Rendering of diagnostics, and names that are near a misspelt one.
#include "relayopt/support/diagnostic.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "relayopt/support/characters.h"
#include "relayopt/support/severity.h"
#include "relayopt/support/terminal.h"

namespace relayopt {

namespace {

constexpr auto Color(Severity severity) -> std::string_view {
  switch (severity) {
    case Severity::kNote: return "\x1b[36m";
    case Severity::kRemark: return "\x1b[34m";
    case Severity::kWarning: return "\x1b[35m";
    case Severity::kError: return "\x1b[31m";
  }
  return "";
}

// Long lines are cut to a window around the place, so that an error in a line of megabytes stays readable.
constexpr size_t kWindow = 160;
// Narrower ones would show nothing.
constexpr size_t kLeastWindow = 40;
// The blanks before a line.
constexpr size_t kMargin = 2;

// Returns the text, with its middle cut out if it is very long because it names something huge.
auto Shortened(std::string_view text) -> std::string {
  constexpr size_t kLongest = 2000;
  constexpr size_t kEnd = 200;
  if (text.size() <= kLongest) return std::string(text);
  const size_t left_out = text.size() - kLongest;
  return fmt::format("{}[... {} bytes ...]{}", text.substr(0, kLongest - kEnd), left_out,
                     text.substr(text.size() - kEnd));
}

// The source line and the marker line below it.
void RenderLine(std::string& out, const SourceText& source, SourceRange range, LineColumn at, size_t window) {
  std::string_view line = source.Line(at.line);
  size_t column = at.column - 1;
  column = std::min(column, line.size());
  size_t length = range.end > range.begin ? range.end - range.begin : 1;
  length = std::max<size_t>(1, std::min(length, line.size() - column));
  if (line.size() > window) {
    // Text before the position takes up to five eighths.
    const size_t most_before = window * 5 / 8;
    const size_t start = column > most_before ? column - most_before : 0;
    line = line.substr(start, window);
    column -= start;
    length = std::max<size_t>(1, std::min(length, line.size() - std::min(column, line.size())));
  }
  const std::string before = Printable(line.substr(0, column));
  const std::string marked = Printable(line.substr(column, length));
  fmt::format_to(std::back_inserter(out), "  {}\n  {}^{}\n", Printable(line), std::string(before.size(), ' '),
                 std::string(marked.empty() ? 0 : marked.size() - 1, '~'));
}

void RenderOne(std::string& out, Severity severity, std::string_view text, std::string_view id, SourceRange range,
               const SourceText* source, const RenderOptions& options, size_t window) {
  const auto append = std::back_inserter(out);
  LineColumn at;
  if (source != nullptr) {
    out += Printable(source->name());
    if (range.valid()) {
      at = source->Position(range.begin);
      fmt::format_to(append, ":{}:{}", at.line, at.column);
    }
    out += ": ";
  }
  if (options.color) out += Color(severity);
  fmt::format_to(append, "{}:{} ", Name(severity), options.color ? "\x1b[0m" : "");
  out += Printable(Shortened(text));
  if (!id.empty()) fmt::format_to(append, " [{}]", id);
  out += '\n';
  if (source != nullptr && range.valid()) RenderLine(out, *source, range, at, window);
}

// Case is ignored and punctuation costs nothing, so that fold-constant is FoldConstant.
auto Folded(std::string_view name) -> std::string {
  std::string out;
  for (const char c : name) {
    if (IsLetterOrDigit(c)) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

auto EditDistance(std::string_view a, std::string_view b, size_t limit) -> size_t {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::vector<size_t> next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

// A longer word is not a misspelling of any of our names, and the search takes quadratic time.
constexpr size_t kLongestName = 100;

}  // namespace

auto Name(Severity severity) -> std::string_view {
  switch (severity) {
    case Severity::kNote: return "note";
    case Severity::kRemark: return "remark";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
  }
  return "error";
}

auto DiagnosticSink::Report(Diagnostic diagnostic) -> Diagnostic& {
  if (diagnostic.kind->severity == Severity::kError) ++errors_;
  return diagnostics_.emplace_back(std::move(diagnostic));
}

auto Render(const Diagnostic& diagnostic, const SourceText* source, const RenderOptions& options) -> std::string {
  return RenderWithin(diagnostic, source, options, kWindow + kMargin);
}

auto RenderWithin(const Diagnostic& diagnostic, const SourceText* source, const RenderOptions& options, size_t width)
    -> std::string {
  const size_t window = std::clamp(width - std::min(width, kMargin), kLeastWindow, kWindow);
  std::string out;
  RenderOne(out, diagnostic.kind->severity, diagnostic.text, diagnostic.kind->id, diagnostic.range, source, options,
            window);
  for (const DiagnosticNote& note : diagnostic.notes) {
    RenderOne(out, Severity::kNote, note.text, "", note.range, source, options, window);
  }
  return out;
}

auto Printable(std::string_view text) -> std::string {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    // Most texts are one run of characters that pass.
    size_t end = i;
    while (end < text.size() && ((text[end] >= 0x20 && text[end] < 0x7f) || text[end] == '\n')) ++end;
    out.append(text, i, end - i);
    i = end;
    if (i == text.size()) break;
    const auto c = static_cast<unsigned char>(text[i]);
    // A well-formed UTF-8 sequence outside the control and bidirectional characters passes.
    const size_t length = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
    bool ok = length != 0 && c < 0xf5 && i + length <= text.size();
    uint32_t point = c & (0xffU >> (length + 1));
    for (size_t k = 1; ok && k < length; ++k) {
      const auto d = static_cast<unsigned char>(text[i + k]);
      ok = (d & 0xc0) == 0x80;
      point = (point << 6) | (d & 0x3f);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && (point < 0x10000 || point > 0x10ffff));
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    const bool steering = point < 0xa0 || (point >= 0x200b && point <= 0x200f) ||
                          (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069) ||
                          point == 0xfeff;
    if (ok && !overlong && !surrogate && !steering) {
      out += text.substr(i, length);
      i += length - 1;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02X}", c);
    }
  }
  return out;
}

auto Nearest(std::string_view name, const std::vector<std::string_view>& candidates) -> std::vector<std::string> {
  if (name.size() > kLongestName) return {};
  const std::string folded = Folded(name);
  const size_t limit = std::max<size_t>(1, folded.size() / 3);
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const std::string_view candidate : candidates) {
    const size_t distance = EditDistance(folded, Folded(candidate), limit);
    if (distance <= limit && distance < folded.size()) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> names;
  for (const auto& [distance, candidate] : near) {
    if (distance > near.front().first + 1 || names.size() == 3) break;
    if (names.empty() || names.back() != candidate) names.emplace_back(candidate);
  }
  return names;
}

auto DidYouMean(std::string_view name, const std::vector<std::string_view>& candidates) -> std::string {
  const std::vector<std::string> names = Nearest(name, candidates);
  if (names.empty()) return "";
  std::string out = " (did you mean ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0) out += i + 1 == names.size() ? " or " : ", ";
    out += "'" + names[i] + "'";
  }
  return out + "?)";
}

}  // namespace relayopt
