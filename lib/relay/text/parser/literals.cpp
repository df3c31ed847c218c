// Parses numbers and checks that they fit their type.
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "parsing.h"

namespace relayopt {

namespace {

// Returns the width in a literal's suffix, or 0 if it is not a valid width.
auto ReadWidth(std::string_view digits) -> int {
  if (digits.empty()) return 32;
  int width = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
  return error == std::errc() && (width == 16 || width == 32 || width == 64) ? width : 0;
}

// As TVM: a float16 beyond the largest one is an error, also where it would be rounded to it. A float32 is rounded,
// because the printer's shortest digits for the largest one are beyond it.
auto IsInRange(double value, int bits) -> bool {
  if (bits == 16) return value <= 65504.0;
  if (bits == 32) return std::isfinite(static_cast<float>(value));
  return std::isfinite(value);
}

// Returns the value and width of `inff`, `nanf16` and the like.
auto ReadWord(std::string_view word) -> std::optional<Literal> {
  Literal literal;
  literal.is_float = true;
  if (word.starts_with("inff")) {
    literal.real = std::numeric_limits<double>::infinity();
  } else if (word.starts_with("nanf")) {
    literal.real = std::numeric_limits<double>::quiet_NaN();
  } else {
    return std::nullopt;
  }
  literal.bits = ReadWidth(word.substr(4));
  return literal.bits == 0 ? std::nullopt : std::optional(literal);
}

class NumberReader {
 public:
  NumberReader(ParseReporter& reporter, SourceRange range, bool negative)
      : reporter_(reporter), range_(range), negative_(negative) {}

  auto Read(std::string_view text) -> Literal {
    const size_t suffix = text.find_first_of("fi");
    const std::string_view body = text.substr(0, suffix);
    Literal literal;
    literal.is_float = suffix != std::string_view::npos && text[suffix] == 'f';
    if (suffix != std::string_view::npos) {
      literal.bits = ReadWidth(text.substr(suffix + 1));
      if (literal.bits == 0) {
        literal.bits = 32;
        reporter_.Report(diag::kLiteralWidth, range_, text.substr(suffix + 1),
                         literal.is_float ? "floating-point" : "integer");
        return literal;
      }
    }
    if (literal.is_float) {
      ReadFloat(body, literal);
    } else {
      ReadInteger(body, suffix == std::string_view::npos, literal);
    }
    return literal;
  }

 private:
  void ReadFloat(std::string_view body, Literal& literal) {
    double value = 0;
    const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value);
    if (error == std::errc::result_out_of_range) value = std::strtod(std::string(body).c_str(), nullptr);
    literal.real = negative_ ? -value : value;
    if (IsInRange(value, literal.bits)) return;
    reporter_.Report(diag::kFloatRange, range_, body, literal.bits);
    literal.real = 0;
  }

  // Without a suffix a number that does not fit 32 bits has 64.
  void ReadInteger(std::string_view body, bool widens, Literal& literal) {
    uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), magnitude);
    if (end != body.data() + body.size()) {
      reporter_.Report(diag::kInvalidInteger, range_, body);
      return;
    }
    const uint64_t sign = negative_ ? 1 : 0;
    if (error == std::errc() && widens && magnitude > (uint64_t{1} << 31) - 1 + sign) literal.bits = 64;
    if (error != std::errc() || magnitude > (uint64_t{1} << (literal.bits - 1)) - 1 + sign) {
      reporter_.Report(diag::kIntegerRange, range_, body, widens ? 64 : literal.bits);
      return;
    }
    literal.integer = static_cast<int64_t>(negative_ ? 0 - magnitude : magnitude);
  }

  ParseReporter& reporter_;
  SourceRange range_;
  bool negative_;
};

}  // namespace

auto Literal::constant_bits() const -> uint64_t {
  if (!is_float) {
    return static_cast<uint64_t>(integer) & (bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
  }
  if (bits == 16) return DoubleToHalf(real);
  if (bits == 32) return std::bit_cast<uint32_t>(static_cast<float>(real));
  return std::bit_cast<uint64_t>(real);
}

auto AtNumber(const Lexer& lexer) -> bool {
  if (lexer.is(TokenKind::kNumber) || lexer.is(TokenKind::kMinus)) return true;
  return lexer.is(TokenKind::kIdent) && ReadWord(lexer.text()).has_value();
}

auto ReadLiteral(Parsing& parsing) -> std::optional<Literal> {
  Lexer& lexer = parsing.lexer;
  const uint32_t begin = lexer.token().begin;
  bool negative = false;
  while (lexer.is(TokenKind::kMinus)) {
    const uint32_t end = lexer.token().end;
    lexer.Next();
    negative = !negative;
    if (lexer.token().begin != end) {
      parsing.reporter.Report(diag::kMinusSpace, {begin, end});
      return std::nullopt;
    }
  }
  const SourceRange range{begin, lexer.token().end};
  if (lexer.is(TokenKind::kIdent)) {
    if (auto literal = ReadWord(lexer.text())) {
      if (negative) literal->real = -literal->real;
      lexer.Next();
      return literal;
    }
  }
  if (!lexer.is(TokenKind::kNumber)) {
    parsing.ReportExpected("a number");
    return std::nullopt;
  }
  const std::string_view text = lexer.text();
  lexer.Next();
  return NumberReader(parsing.reporter, range, negative).Read(text);
}

}  // namespace relayopt
