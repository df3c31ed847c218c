// Parses patterns. They may be nested arbitrarily deep, so open lists are kept on a stack.
#include "patterns.h"

namespace relayopt {

auto PatternParser::Read(FrameStack& frames) -> std::optional<uint32_t> {
  frames_.clear();
  sub_patterns_.clear();
  MatchInfo& info = frames.match();
  const auto root = static_cast<uint32_t>(info.patterns.size());
  auto complete = Start(frames);
  while (complete) {
    if (!*complete) {
      complete = Start(frames);
    } else if (frames_.empty()) {
      return root;
    } else {
      complete = Continue(info);
    }
  }
  return std::nullopt;
}

auto PatternParser::Start(FrameStack& frames) -> std::optional<bool> {
  MatchInfo& info = frames.match();
  const auto index = static_cast<uint32_t>(info.patterns.size());
  Pattern& pattern = info.patterns.emplace_back();
  sub_patterns_.push_back(index);
  switch (parsing_.lexer.kind()) {
    case TokenKind::kUnderscore: parsing_.lexer.Next(); return true;
    case TokenKind::kLocal:
    case TokenKind::kGraph: {
      const auto var = declarations_.Read();
      if (!var) return std::nullopt;
      pattern.kind = PatternKind::kVar;
      pattern.operand = frames.num_parts();
      declarations_.Bind(*var, LocalNames::Binder::kOther);
      frames.Push(var->var);
      return true;
    }
    case TokenKind::kNumber:
    case TokenKind::kIdent: ReadConstructor(pattern); return !parsing_.lexer.is(TokenKind::kLParen) || OpenList(index);
    case TokenKind::kLParen: pattern.kind = PatternKind::kTuple; return OpenList(index);
    default: parsing_.ReportExpected("a pattern"); return std::nullopt;
  }
}

void PatternParser::ReadConstructor(Pattern& pattern) {
  Lexer& lexer = parsing_.lexer;
  const CtorId ctor = names_.FindConstructor();
  if (!ctor) {
    parsing_.reporter.Report(diag::kUnknownConstructor, lexer.token().range(), lexer.text(), lexer.text());
  } else {
    pattern.ctor = ctor;
  }
  pattern.kind = PatternKind::kConstructor;
  lexer.Next();
}

// Called at the opening parenthesis. Returns true if the list is empty and the pattern therefore complete.
auto PatternParser::OpenList(uint32_t pattern) -> bool {
  parsing_.lexer.Next();
  if (parsing_.Take(TokenKind::kRParen)) return true;
  frames_.push_back({pattern, static_cast<uint32_t>(sub_patterns_.size()), false});
  return false;
}

// Called after an element of a list. Returns true if that was the last one, so that the list is complete.
auto PatternParser::Continue(MatchInfo& info) -> std::optional<bool> {
  Frame& frame = frames_.back();
  if (parsing_.Take(TokenKind::kComma)) frame.comma = true;
  if (!parsing_.Take(TokenKind::kRParen)) {
    if (frame.comma) return false;
    parsing_.Expect(TokenKind::kRParen);
    return std::nullopt;
  }
  Pattern& pattern = info.patterns[frame.pattern];
  pattern.first_child = static_cast<uint32_t>(info.children.size());
  pattern.num_children = static_cast<uint32_t>(sub_patterns_.size()) - frame.base;
  info.children.insert(info.children.end(), sub_patterns_.begin() + frame.base, sub_patterns_.end());
  sub_patterns_.resize(frame.base);
  frames_.pop_back();
  return true;
}

}  // namespace relayopt
