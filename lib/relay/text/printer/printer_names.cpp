// Names of variables, made unique in a module.
#include "printer_names.h"

#include <algorithm>

#include "lib/relay/text/lexer/lexer.h"
#include "printer_literals.h"
#include "relayopt/relay/text/printer.h"

namespace relayopt {

namespace {

auto StartsWithLetter(std::string_view hint) -> bool {
  return !hint.empty() && ((hint[0] >= 'a' && hint[0] <= 'z') || (hint[0] >= 'A' && hint[0] <= 'Z'));
}

// Whether a hint has no character that AppendReadableName would replace.
auto IsPlain(std::string_view hint) -> bool {
  return std::ranges::all_of(hint, [](char c) { return CharClass::Is(c, CharClass::kIdentStart | CharClass::kDigit); });
}

// Appends a hint with `_` for each character that LocalNames::DeclaredName would not take for a part of the name.
void AppendReadableName(std::string& out, std::string_view hint, bool annotated) {
  const size_t begin = out.size();
  out += hint;
  if (IsPlain(hint)) return;
  for (size_t i = begin; i < out.size(); ++i) {
    const bool begins_comment = out[i] == '/' && i + 1 < out.size() && out[i + 1] == '*';
    if (begins_comment || !CharClass::Is(out[i], CharClass::kIdent | CharClass::kOdd)) out[i] = '_';
  }
  // The mark of a variable that is bound twice.
  if (constexpr std::string_view kMark = "-malformed-ir"; out.ends_with(kMark)) out[out.size() - kMark.size()] = '_';
  // Without an annotation, an identifier after a colon would be read as one.
  const size_t colon = annotated ? std::string::npos : out.rfind(':');
  if (colon == std::string::npos || colon < begin) return;
  const std::string_view rest = std::string_view(out).substr(colon + 1);
  const bool is_identifier =
      std::all_of(rest.begin(), rest.end(), [](char c) { return CharClass::Is(c, CharClass::kIdent); });
  if (rest.empty() || (is_identifier && CharClass::Is(rest[0], CharClass::kIdentStart))) out[colon] = '_';
}

}  // namespace

auto ReadableModuleName(std::string_view name, bool is_global) -> std::string {
  // Text reads more characters in the names of globals than in those of types.
  const uint8_t classes = is_global ? CharClass::kIdent | CharClass::kOdd : CharClass::kIdent;
  std::string readable(name);
  for (size_t i = 0; i < readable.size(); ++i) {
    const bool begins_comment = readable[i] == '/' && i + 1 < readable.size() && (readable[i + 1] == '*');
    if (begins_comment || !CharClass::Is(readable[i], classes)) readable[i] = '_';
  }
  if (readable.empty() || !CharClass::Is(readable[0], CharClass::kIdentStart)) readable.insert(0, "v");
  return readable;
}

void AppendSpanSource(std::string& out, std::string_view name) {
  for (const char c : name) {
    const bool closes = !out.empty() && ((c == '/' && out.back() == '*') || (c == '*' && out.back() == '/'));
    out += closes || static_cast<unsigned char>(c) < ' ' ? '_' : c;
  }
}

auto NameTable::Declare(StringId hint, bool annotated) -> std::string_view {
  if (!is_indexed_) {
    if (const auto name = DeclarePlain(hint)) return *name;
    IndexByText();
  }
  return DeclareByText(hint ? context_.text(hint) : std::string_view(), annotated);
}

auto NameTable::DeclarePlain(StringId hint) -> std::optional<std::string_view> {
  if (!hint) return std::nullopt;
  const std::string_view text = context_.text(hint);
  uint32_t& next = numbers_[hint];
  if (next == 0) {
    if (!StartsWithLetter(text) || !IsPlain(text)) return std::nullopt;
    const bool ends_in_digit = CharClass::Is(text.back(), CharClass::kDigit);
    if (ends_in_digit && has_number_) return std::nullopt;
    has_hint_with_digit_ |= ends_in_digit;
    next = 1;
    return text;
  }
  if (has_hint_with_digit_) return std::nullopt;
  has_number_ = true;
  candidate_ = text;
  AppendInt(candidate_, next++);
  return arena_.Copy(candidate_);
}

void NameTable::IndexByText() {
  is_indexed_ = true;
  numbers_.ForEach([this](StringId hint, uint32_t next) {
    if (next == 0) return;
    const std::string_view text = context_.text(hint);
    used_.emplace(text, next - 1);
    for (uint32_t number = 1; number < next; ++number) {
      candidate_ = text;
      AppendInt(candidate_, number);
      used_.emplace(arena_.Copy(candidate_), 0U);
    }
  });
}

auto NameTable::DeclareByText(std::string_view hint, bool annotated) -> std::string_view {
  candidate_ = StartsWithLetter(hint) ? "" : "v";
  AppendReadableName(candidate_, hint, annotated);
  std::string_view taken;
  const auto entry = used_.lazy_emplace(std::string_view(candidate_), [&](const auto& construct) {
    taken = arena_.Copy(candidate_);
    construct(taken, 0U);
  });
  if (!taken.empty()) return taken;
  const size_t base = candidate_.size();
  // The table grows only after the number is found, so the entry does not move.
  uint32_t suffix = entry->second;
  do {
    candidate_.resize(base);
    AppendInt(candidate_, ++suffix);
  } while (used_.contains(candidate_));
  entry->second = suffix;
  taken = arena_.Copy(candidate_);
  used_.emplace(taken, 0U);
  return taken;
}

}  // namespace relayopt
