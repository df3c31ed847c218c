// The words of pipelines.
#include "pipeline_scanner.h"

#include <algorithm>

#include "relayopt/pass/diagnostics.h"
#include "relayopt/support/characters.h"

namespace relayopt {

void PipelineScanner::SkipSpace() {
  TakeWhile(IsSpace);
  while (Sees('#')) {
    MoveTo(text().find('\n', at()));
    TakeWhile(IsSpace);
  }
}

auto PipelineScanner::Name() -> std::string_view {
  return TakeWhile([](char c) { return IsNameCharacter(c) || c == '-' || c == '.'; });
}

auto PipelineScanner::Options() -> std::vector<RawOption> {
  const size_t open = at();
  const char close = Peek() == '<' ? '>' : '}';
  const auto separates = [&](char c) { return c == ';' || (close == '}' && (c == ',' || c == ' ')); };
  std::vector<RawOption> options;
  Advance();
  while (!error_) {
    SkipSpace();
    while (!at_end() && separates(Peek()) && !options.empty()) {
      Advance();
      SkipSpace();
    }
    if (at_end()) {
      Fail(diag::kUnclosedBracket, RangeAt(open), text()[open]);
    } else if (Take(close)) {
      return options;
    } else {
      options.push_back(OneOption(open, close));
    }
  }
  return options;
}

auto PipelineScanner::OneOption(size_t open, char close) -> RawOption {
  RawOption option;
  const size_t begin = at();
  option.key = Name();
  option.key_range = RangeSince(begin);
  if (option.key.empty()) {
    Fail(diag::kPipelineSyntax, RangeAt(at()), "the name of an option")
        .Note(fmt::format("to match this '{}'", text()[open]), RangeAt(open));
    return option;
  }
  SkipSpace();
  // `key!=value`: the mark belongs to the key.
  if (Sees("!=")) {
    Advance();
    option.key = Since(begin);
  }
  if (Sees(':')) {
    Fail(diag::kPipelineSyntax, RangeAt(at()), "'=' between an option and its value, not ':',");
    return option;
  }
  if (!Take('=')) return option;
  SkipSpace();
  option.value_range = Value(close);
  option.value = text().substr(option.value_range.begin, option.value_range.end - option.value_range.begin);
  return option;
}

// Text up to the end of the option, in which brackets, braces and quotes balance.
auto PipelineScanner::Value(char close) -> SourceRange {
  const size_t begin = at();
  std::vector<size_t> open;
  size_t end = begin;
  for (; !at_end() && !error_; Advance()) {
    const char c = Peek();
    if (open.empty() && (c == close || c == ';' || (close == '}' && IsSpace(c)))) break;
    if (c == '"') {
      SkipString();
    } else if (c == '{' || c == '[') {
      open.push_back(at());
    } else if (c == '}' || c == ']') {
      CloseInValue(open);
    }
    if (!IsSpace(c)) end = at() + 1;
  }
  if (!open.empty()) Fail(diag::kUnclosedBracket, RangeAt(open.back()), text()[open.back()]);
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(std::min(end, text().size()))};
}

void PipelineScanner::CloseInValue(std::vector<size_t>& open) {
  if (open.empty()) {
    Fail(diag::kUnopenedBracket, RangeAt(at()), Peek());
  } else if ((text()[open.back()] == '{') != (Peek() == '}')) {
    Fail(diag::kMismatchedBracket, RangeAt(at()), Peek(), text()[open.back()])
        .Note("which stands here", RangeAt(open.back()));
  } else {
    open.pop_back();
  }
}

// Begins at the opening quote, and ends at the closing one.
void PipelineScanner::SkipString() {
  const size_t open = at();
  for (Advance(); !at_end() && !Sees('"'); Advance()) {
    if (Sees('\\')) Advance();
  }
  if (at_end()) Fail(diag::kUnclosedBracket, RangeAt(open), '"');
}

}  // namespace relayopt
