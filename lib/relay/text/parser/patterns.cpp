// Clauses of `match` and their patterns.
#include "functions.h"

namespace relayopt {

auto FunctionParser::ReadClause() -> bool {
  names_.Enter();
  MatchInfo& info = matches_.back();
  MatchClause clause;
  clause.first_operand = static_cast<uint32_t>(parts_.size()) - frames_.back().base;
  const auto pattern = ReadPattern(info);
  clause.pattern = pattern.value_or(0);
  clause.rhs = static_cast<uint32_t>(parts_.size()) - frames_.back().base;
  info.clauses.push_back(clause);
  if (!pattern || !parsing_.Expect(TokenKind::kFatArrow)) return false;
  return NeedOperand();
}

auto FunctionParser::ReadPattern(MatchInfo& info) -> std::optional<uint32_t> {
  pattern_frames_.clear();
  sub_patterns_.clear();
  const auto root = static_cast<uint32_t>(info.patterns.size());
  auto complete = StartPattern(info);
  while (complete) {
    if (!*complete) {
      complete = StartPattern(info);
    } else if (pattern_frames_.empty()) {
      return root;
    } else {
      complete = ContinuePattern(info);
    }
  }
  return std::nullopt;
}

auto FunctionParser::StartPattern(MatchInfo& info) -> std::optional<bool> {
  const auto index = static_cast<uint32_t>(info.patterns.size());
  Pattern& pattern = info.patterns.emplace_back();
  sub_patterns_.push_back(index);
  bool list = false;
  switch (lexer_.kind()) {
    case TokenKind::kUnderscore: lexer_.Next(); return true;
    case TokenKind::kLocal:
    case TokenKind::kGraph: {
      std::string_view name;
      ExprId var;
      if (!ReadDeclaration(name, var)) return std::nullopt;
      pattern.kind = PatternKind::kVar;
      pattern.operand = static_cast<uint32_t>(parts_.size()) - frames_.back().base;
      const auto& function = builder_->function();
      names_.Bind(name, var, function.var(var).annotation, LocalNames::Repeated::kFirstCounts, function.range(var));
      Push(var);
      return true;
    }
    case TokenKind::kNumber:
    case TokenKind::kIdent: {
      const auto ctor = ctors_.find(lexer_.text());
      if (ctor == ctors_.end()) {
        parsing_.reporter.Report(diag::kUnknownConstructor, lexer_.token().range(), lexer_.text(), lexer_.text());
      } else {
        pattern.ctor = ctor->second;
      }
      pattern.kind = PatternKind::kConstructor;
      lexer_.Next();
      list = lexer_.is(TokenKind::kLParen);
      break;
    }
    case TokenKind::kLParen:
      pattern.kind = PatternKind::kTuple;
      list = true;
      break;
    default: parsing_.ReportExpected("a pattern"); return std::nullopt;
  }
  if (!list) return true;
  lexer_.Next();
  if (parsing_.Take(TokenKind::kRParen)) return true;
  pattern_frames_.push_back({index, static_cast<uint32_t>(sub_patterns_.size()), false});
  return false;
}

// After an element of a list. True when that was the last one, so that the list is complete.
auto FunctionParser::ContinuePattern(MatchInfo& info) -> std::optional<bool> {
  PatternFrame& frame = pattern_frames_.back();
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
  pattern_frames_.pop_back();
  return true;
}

}  // namespace relayopt
