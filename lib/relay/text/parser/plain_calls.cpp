// Reads plain lines from their characters to nodes, without tokens and frames.
//
// Nearly all lines of a large model bind calls of operators on variables and literals:
//
//   %12 = nn.dense(%11, %w, units=16) /* ty=Tensor[(4, 16), float32] */;
//   let %x: Tensor[(4, 16), float32] = add(%12, 1f);
//
// Such a call is read in one go: the name up to `(`, then arguments, each up to `,` or `)`, then a list of attributes,
// which must have been read before. Its type is inferred anyway. The next line may be another one, without a look at
// the tokens in between. Nothing is created or reported until all of a call is known to be plain, so whatever is not
// (an unknown name, a nested call, a comment, an unusual name) is left to the steps that read everything, which also
// read the first call of each operator, each literal, each list and each type.
#include <cstring>

#include "functions.h"

namespace relayopt {

namespace {

auto EndsArgument(char c) -> bool { return c == ',' || c == ')'; }
auto EndsLiteral(char c) -> bool { return EndsArgument(c) || c == ';' || c == ' '; }

// Returns the position after the comment ` /* ty=float32 */`, or of another type, if it is at `at`; else `at`. A
// comment that may end in a span is left to the lexer.
auto BehindType(const Lexer& lexer, uint32_t at) -> uint32_t {
  constexpr std::string_view kBegin = " /* ty=";
  if (lexer.peek(at) != ' ' || lexer.peek(at + 1) != '/' || lexer.end() - at < kBegin.size() + 4) return at;
  const std::string_view rest = lexer.text({at, lexer.end()});
  if (!rest.starts_with(kBegin)) return at;
  const auto* const star =
      static_cast<const char*>(std::memchr(rest.data() + kBegin.size(), '*', rest.size() - kBegin.size() - 1));
  if (star == nullptr || star[1] != '/' || star[-1] != ' ') return at;
  const auto star_at = at + static_cast<uint32_t>(star - rest.data());
  // A span ends in a digit, and so does the name of an element type.
  const bool is_type =
      star[-2] == ']' || star[-2] == ')' || lexer.NameEnd(at + static_cast<uint32_t>(kBegin.size())) + 1 == star_at;
  return is_type ? star_at + 2 : at;
}

// Reads a number of at most ten digits: no text has so many definitions that their numbers overflow.
auto ReadDigits(const Lexer& lexer, uint32_t& at) -> uint64_t {
  constexpr uint32_t kMostDigits = 10;
  uint64_t number = 0;
  for (const uint32_t end = at + kMostDigits; CharClass::Is(lexer.peek(at), CharClass::kDigit) && at != end; ++at)
    number = 10 * number + static_cast<uint64_t>(lexer.peek(at) - '0');
  return number;
}

// Whether ` = ` is at `at`.
auto AtEqual(const Lexer& lexer, uint32_t at) -> bool {
  return lexer.peek(at) == ' ' && lexer.peek(at + 1) == '=' && lexer.peek(at + 2) == ' ';
}
constexpr uint32_t kEqualSize = 3;

}  // namespace

auto FunctionParser::LetStart(uint32_t begin, LineStart& line) -> bool {
  constexpr std::string_view kLet = "let ";
  if (!lexer_.text({begin, lexer_.end()}).starts_with(kLet)) return false;
  line.is_let = true;
  line.let = begin;
  line.var.begin = begin + static_cast<uint32_t>(kLet.size());
  uint32_t at = line.var.begin;
  if (lexer_.peek(at) != '%' || !CharClass::Is(lexer_.peek(at + 1), CharClass::kIdentStart)) return false;
  at = line.var.end = lexer_.NameEnd(at + 1);
  line.annotation = {};
  if (lexer_.peek(at) == ':' && lexer_.peek(at + 1) == ' ') {
    const auto type = types_.FindKnown(at + 2);
    if (!type) return false;
    line.annotation = type->first;
    at = type->second;
  }
  at = BehindType(lexer_, at);
  line.value = at + kEqualSize;
  return AtEqual(lexer_, at);
}

auto FunctionParser::NextLine(uint32_t at, LineStart& line) -> bool {
  if (lexer_.peek(at) != '\n') return false;
  for (++at; lexer_.peek(at) == ' ';) ++at;
  if (lexer_.peek(at) == 'l') return LetStart(at, line);
  if (lexer_.peek(at) != '%' || !CharClass::Is(lexer_.peek(at + 1), CharClass::kDigit)) return false;
  ++at;
  line.is_let = false;
  line.number = ReadDigits(lexer_, at);
  line.value = at + kEqualSize;
  return AtEqual(lexer_, at);
}

auto FunctionParser::FindLiteral(uint32_t& at) -> const ConstantId* {
  const auto behind_last = at + static_cast<uint32_t>(last_literal_.size());
  const bool is_last = last_constant_ && lexer_.text({at, lexer_.end()}).starts_with(last_literal_) &&
                       EndsLiteral(lexer_.peek(behind_last));
  if (!is_last) {
    const uint32_t begin = at;
    uint32_t end = at;
    while (!EndsLiteral(lexer_.peek(end)) && end - begin < kLongestLiteral) ++end;
    // The text ended, or the literal is longer than those that are remembered.
    if (end >= lexer_.end() || !EndsLiteral(lexer_.peek(end))) return nullptr;
    const auto known = literals_.find(lexer_.text({begin, end}));
    if (known == literals_.end()) return nullptr;
    last_literal_ = known->first;
    last_constant_ = known->second;
  }
  at += static_cast<uint32_t>(last_literal_.size());
  return &last_constant_;
}

auto FunctionParser::ReadPlainArgument(uint32_t& at) -> bool {
  ExprId& argument = plain_arguments_[num_plain_arguments_++];
  const uint32_t begin = at;
  if (lexer_.peek(at) != '%') {
    const ConstantId* literal = FindLiteral(at);
    if (literal == nullptr) return false;
    plain_literals_.push_back({num_plain_arguments_ - 1, *literal, {begin, at}});
    at = BehindType(lexer_, at);
    return true;
  }
  const char next = lexer_.peek(++at);
  if (CharClass::Is(next, CharClass::kDigit)) {
    argument = graph_names_.FindNear(ReadDigits(lexer_, at));
  } else if (CharClass::Is(next, CharClass::kIdentStart)) {
    at = lexer_.NameEnd(at);
    argument = EndsArgument(lexer_.peek(at)) ? names_.FindPlain(begin + 1, at) : ExprId();
  } else {
    return false;
  }
  return argument.has_value();
}

auto FunctionParser::ReadPlainCall(uint32_t begin) -> std::optional<PlainValue> {
  uint32_t at = begin;
  while (CharClass::Is(lexer_.peek(at), CharClass::kIdentStart | CharClass::kDigit) || lexer_.peek(at) == '.') ++at;
  if (lexer_.peek(at) != '(' || at == begin || module_names_.has_constructors()) return std::nullopt;
  const auto op = calls_.FindKnown(lexer_.text({begin, at}));
  if (!op) return std::nullopt;
  num_plain_arguments_ = 0;
  plain_literals_.clear();
  OpInstanceId instance = calls_.KnownPlain(*op);
  // After the opening parenthesis, and then after each comma.
  for (++at; lexer_.peek(at) != ')';) {
    if (CharClass::Is(lexer_.peek(at), CharClass::kIdentStart)) {
      const auto known = calls_.FindKnownAttrs(*op, at);
      if (!known) return std::nullopt;
      instance = known->first;
      at = known->second;
      break;
    }
    if (num_plain_arguments_ == kMostPlainArguments || !ReadPlainArgument(at)) return std::nullopt;
    if (lexer_.peek(at) == ')') break;
    if (lexer_.peek(at) != ',') return std::nullopt;
    if (lexer_.peek(++at) == ' ') ++at;
  }
  if (!instance) return std::nullopt;
  for (const PlainLiteral& literal : plain_literals_) {
    ExprId& argument = plain_arguments_[literal.argument];
    argument = nodes_->Constant(literal.constant);
    nodes_->SetRange(argument, literal.range);
  }
  const ExprId call = nodes_->OpCall(instance, std::span(plain_arguments_).first(num_plain_arguments_));
  nodes_->SetRange(call, {begin, at + 1});
  return PlainValue{call, at + 1};
}

auto FunctionParser::ReadPlainValue(uint32_t begin) -> std::optional<PlainValue> {
  if (CharClass::Is(lexer_.peek(begin), CharClass::kIdentStart)) return ReadPlainCall(begin);
  uint32_t end = begin;
  const ConstantId* literal = CharClass::Is(lexer_.peek(begin), CharClass::kDigit) && !module_names_.has_constructors()
                                  ? FindLiteral(end)
                                  : nullptr;
  if (literal == nullptr) return std::nullopt;
  const ExprId constant = nodes_->Constant(*literal);
  nodes_->SetRange(constant, {begin, end});
  return PlainValue{constant, end};
}

auto FunctionParser::GivePlain(const PlainValue& value, uint32_t begin) -> bool {
  lexer_.JumpBehind(value.end);
  nodes_.SetSpan(value.value);
  return Give({Value::Kind::kExpr, true, value.value.value(), begin});
}

auto FunctionParser::ReadLines(LineStart line) -> bool {
  for (;;) {
    if (line.is_let) {
      OpenLet(line.let);
      BeginStep(declarations_.Declare(line.var, line.annotation));
    }
    const auto value = ReadPlainValue(line.value);
    if (!value) {
      lexer_.JumpTo(line.value);
      if (!line.is_let) OpenBind(line.number, lexer_.token().begin);
      return NeedOperand();
    }
    const uint32_t end = BehindType(lexer_, value->end);
    if (lexer_.peek(end) != ';') {
      if (!line.is_let) OpenBind(line.number, line.value);
      return GivePlain(*value, line.value);
    }
    if (line.is_let)
      EndStep(value->value);
    else
      DefineGraph(line.number, value->value, line.value);
    if (!NextLine(end + 1, line)) {
      lexer_.JumpBehind(end + 1);
      return NeedOperand();
    }
  }
}

}  // namespace relayopt
