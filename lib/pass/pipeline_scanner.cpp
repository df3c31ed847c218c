// The words of pipelines.
#include "pipeline_scanner.h"

#include <algorithm>

#include "relayopt/pass/diagnostics.h"

namespace relayopt {

namespace {

auto Range(size_t begin, size_t end) -> SourceRange {
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

auto IsSpace(char c) -> bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

auto IsNameChar(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

}  // namespace

void PipelineScanner::SkipSpace() {
  while (pos_ < text_.size()) {
    const char c = text_[pos_];
    if (c == '#')
      pos_ = std::min(text_.find('\n', pos_), text_.size());
    else if (IsSpace(c))
      ++pos_;
    else
      break;
  }
}

auto PipelineScanner::Name() -> std::string_view {
  const size_t begin = pos_;
  while (pos_ < text_.size() && IsNameChar(text_[pos_])) ++pos_;
  return text_.substr(begin, pos_ - begin);
}

auto PipelineScanner::Options() -> std::vector<RawOption> {
  const size_t open = pos_;
  const char close = text_[open] == '<' ? '>' : '}';
  const auto separates = [&](char c) { return c == ';' || (close == '}' && (c == ',' || c == ' ')); };
  std::vector<RawOption> options;
  ++pos_;
  while (!error_) {
    SkipSpace();
    while (pos_ < text_.size() && separates(text_[pos_]) && !options.empty()) {
      ++pos_;
      SkipSpace();
    }
    if (pos_ == text_.size()) {
      Fail(diag::kUnclosedBracket, RangeAt(open), text_[open]);
    } else if (text_[pos_] == close) {
      ++pos_;
      return options;
    } else {
      options.push_back(OneOption(open, close));
    }
  }
  return options;
}

auto PipelineScanner::OneOption(size_t open, char close) -> RawOption {
  RawOption option;
  const size_t begin = pos_;
  option.key = Name();
  option.key_range = Range(begin, pos_);
  if (option.key.empty()) {
    Fail(diag::kPipelineSyntax, RangeAt(pos_), "the name of an option")
        .Note(fmt::format("to match this '{}'", text_[open]), RangeAt(open));
    return option;
  }
  SkipSpace();
  // `key!=value`: the mark belongs to the key.
  if (text_.substr(pos_).starts_with("!=")) option.key = text_.substr(begin, ++pos_ - begin);
  if (pos_ < text_.size() && text_[pos_] == ':') {
    Fail(diag::kPipelineSyntax, RangeAt(pos_), "'=' between an option and its value, not ':',");
    return option;
  }
  if (pos_ == text_.size() || text_[pos_] != '=') return option;
  ++pos_;
  SkipSpace();
  option.value_range = Value(close);
  option.value = text_.substr(option.value_range.begin, option.value_range.end - option.value_range.begin);
  return option;
}

// Text up to the end of the option, in which brackets, braces and quotes balance.
auto PipelineScanner::Value(char close) -> SourceRange {
  const size_t begin = pos_;
  std::vector<size_t> open;
  size_t end = begin;
  for (; pos_ < text_.size() && !error_; ++pos_) {
    const char c = text_[pos_];
    if (open.empty() && (c == close || c == ';' || (close == '}' && IsSpace(c)))) break;
    if (c == '"') {
      SkipString();
    } else if (c == '{' || c == '[') {
      open.push_back(pos_);
    } else if (c == '}' || c == ']') {
      CloseInValue(open);
    }
    if (!IsSpace(c)) end = pos_ + 1;
  }
  if (!open.empty()) Fail(diag::kUnclosedBracket, RangeAt(open.back()), text_[open.back()]);
  return Range(begin, std::min(end, text_.size()));
}

void PipelineScanner::CloseInValue(std::vector<size_t>& open) {
  if (open.empty()) {
    Fail(diag::kUnopenedBracket, RangeAt(pos_), text_[pos_]);
  } else if ((text_[open.back()] == '{') != (text_[pos_] == '}')) {
    Fail(diag::kMismatchedBracket, RangeAt(pos_), text_[pos_], text_[open.back()])
        .Note("which stands here", RangeAt(open.back()));
  } else {
    open.pop_back();
  }
}

// Begins at the opening quote, and ends at the closing one.
void PipelineScanner::SkipString() {
  const size_t open = pos_;
  for (++pos_; pos_ < text_.size() && text_[pos_] != '"'; ++pos_) {
    if (text_[pos_] == '\\') ++pos_;
  }
  if (pos_ >= text_.size()) {
    Fail(diag::kUnclosedBracket, RangeAt(open), '"');
    pos_ = text_.size();
  }
}

}  // namespace relayopt
