// Reads plain calls from their characters to a node, without tokens and frames.
//
// Nearly all lines of a large model are calls of operators on variables and literals:
//
//   %12 = nn.dense(%11, %w, units=16) /* ty=Tensor[(4, 16), float32] */;
//
// Such a call is read in one go: the name up to `(`, then arguments, each up to `,` or `)`, then a list of attributes,
// which must have been read before. Nothing is created or reported until all of it is known to be plain, so whatever is
// not (an unknown name, a nested call, a comment, an unusual name) is left to the steps that read everything, which
// also read the first call of each operator, each literal and each list.
#include "functions.h"

namespace relayopt {

namespace {

auto EndsArgument(char c) -> bool { return c == ',' || c == ')'; }

// Returns the position after the comment ` /* ty=float32 */`, or of another scalar type, if it is at `at`; else `at`.
auto BehindScalarType(const Lexer& lexer, uint32_t at) -> uint32_t {
  constexpr std::string_view kBegin = " /* ty=";
  constexpr std::string_view kEnd = " */";
  const auto is_at = [&](uint32_t where, std::string_view text) {
    return lexer.end() - where >= text.size() &&
           lexer.text({where, where + static_cast<uint32_t>(text.size())}) == text;
  };
  if (lexer.char_at(at) != ' ' || !is_at(at, kBegin)) return at;
  const uint32_t end = lexer.NameEnd(at + static_cast<uint32_t>(kBegin.size()), false);
  return is_at(end, kEnd) ? end + static_cast<uint32_t>(kEnd.size()) : at;
}

}  // namespace

auto FunctionParser::ReadPlainArgument(uint32_t& at) -> std::optional<PlainArgument> {
  const uint32_t begin = at;
  const char next = lexer_.char_at(begin + 1);
  if (lexer_.char_at(begin) != '%') {
    for (char c = lexer_.char_at(at); !EndsArgument(c) && c != ' ' && at - begin < kLongestLiteral;
         c = lexer_.char_at(at))
      ++at;
    const SourceRange range{begin, at};
    const auto known = literals_.find(lexer_.text(range));
    if (known == literals_.end()) return std::nullopt;
    at = BehindScalarType(lexer_, at);
    return PlainArgument{{}, known->second, range};
  }
  if (CharClass::Is(next, CharClass::kDigit)) {
    // No text has so many definitions that their numbers overflow.
    constexpr uint32_t kMostDigits = 10;
    uint64_t number = 0;
    for (++at; CharClass::Is(lexer_.char_at(at), CharClass::kDigit) && at - begin <= kMostDigits; ++at)
      number = 10 * number + static_cast<uint64_t>(lexer_.char_at(at) - '0');
    const GraphNames::Definition definition = graph_names_.Find(number);
    if (definition.function != graph_names_.function() || !definition.value) return std::nullopt;
    return PlainArgument{definition.value, {}, {}};
  }
  if (!CharClass::Is(next, CharClass::kIdentStart)) return std::nullopt;
  at = lexer_.NameEnd(begin + 1, false);
  if (!EndsArgument(lexer_.char_at(at))) return std::nullopt;
  const ExprId var = names_.FindPlain(begin + 1, at);
  return var ? std::optional(PlainArgument{var, {}, {}}) : std::nullopt;
}

auto FunctionParser::ReadPlainCall(uint32_t begin) -> std::optional<ExprId> {
  uint32_t at = begin;
  while (CharClass::Is(lexer_.char_at(at), CharClass::kIdent) || lexer_.char_at(at) == '.') ++at;
  if (lexer_.char_at(at) != '(' || module_names_.has_constructors()) return std::nullopt;
  const auto op = calls_.FindKnown(lexer_.text({begin, at}));
  if (!op) return std::nullopt;
  plain_arguments_.clear();
  OpInstanceId instance = calls_.KnownPlain(*op);
  // Behind the opening parenthesis, and then behind each comma.
  for (++at; lexer_.char_at(at) != ')';) {
    if (plain_arguments_.size() == kMostPlainArguments) return std::nullopt;
    if (CharClass::Is(lexer_.char_at(at), CharClass::kIdentStart)) {
      const auto known = calls_.FindKnownAttrs(*op, at);
      if (!known) return std::nullopt;
      instance = known->first;
      at = known->second;
      break;
    }
    const auto argument = ReadPlainArgument(at);
    if (!argument || !EndsArgument(lexer_.char_at(at))) return std::nullopt;
    plain_arguments_.push_back(*argument);
    if (lexer_.char_at(at) == ')') break;
    if (lexer_.char_at(++at) == ' ') ++at;
  }
  if (!instance) return std::nullopt;
  plain_operands_.clear();
  for (const PlainArgument& argument : plain_arguments_) {
    ExprId operand = argument.value;
    if (!operand) {
      operand = nodes_->Constant(argument.literal);
      nodes_->SetRange(operand, argument.range);
    }
    plain_operands_.push_back(operand);
  }
  const ExprId call = nodes_->OpCall(instance, plain_operands_);
  lexer_.JumpBehind(at + 1);
  nodes_.SetSource(call, {begin, at + 1});
  return call;
}

// The value of a graph variable, of which `at` is the first character. Returns false, and reads nothing, if it is not a
// plain call.
auto FunctionParser::ReadPlainValue(uint64_t number, uint32_t at) -> bool {
  if (!CharClass::Is(lexer_.char_at(at), CharClass::kIdentStart)) return false;
  const auto call = ReadPlainCall(at);
  if (!call) return false;
  if (lexer_.is(TokenKind::kSemicolon)) {
    lexer_.Next();
    DefineGraph(number, *call, at);
    return NeedOperand();
  }
  OpenBind(number, at);
  return Give({Value::Kind::kExpr, true, call->value(), at});
}

auto FunctionParser::ReadPlainStep(uint32_t at) -> bool {
  if (!CharClass::Is(lexer_.char_at(at), CharClass::kIdentStart)) return false;
  const auto call = ReadPlainCall(at);
  if (!call) return false;
  return Give({Value::Kind::kExpr, true, call->value(), at}) && (!lexer_.is(TokenKind::kSemicolon) || DeliverToLet());
}

}  // namespace relayopt
