// Reads terms by operator precedence, with operands and operators on stacks of their own.
#include "lib/arith/term_syntax.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

#include "relayopt/arith/diagnostics.h"
#include "relayopt/support/characters.h"
#include "relayopt/support/text_cursor.h"

namespace relayopt::arith {

namespace {

using enum PrimKind;

struct OperatorRow {
  std::string_view text;
  PrimKind op;
  int precedence;
};

constexpr int kOrLevel = 1, kAndLevel = 2, kNotLevel = 3, kCompareLevel = 4, kSumLevel = 5, kProductLevel = 6,
              kMinusLevel = 7;

// Longer operators come before their prefixes.
constexpr OperatorRow kInfix[] = {
    {"||", kOr, kOrLevel},
    {"or", kOr, kOrLevel},
    {"&&", kAnd, kAndLevel},
    {"and", kAnd, kAndLevel},
    {"==", kEQ, kCompareLevel},
    {"!=", kNE, kCompareLevel},
    {"<=", kLE, kCompareLevel},
    {">=", kGE, kCompareLevel},
    {"<", kLT, kCompareLevel},
    {">", kGT, kCompareLevel},
    {"+", kAdd, kSumLevel},
    {"-", kSub, kSumLevel},
    {"//", kFloorDiv, kProductLevel},
    {"*", kMul, kProductLevel},
    {"/", kDiv, kProductLevel},
    {"%", kFloorMod, kProductLevel},
};

class SyntaxReader {
 public:
  explicit SyntaxReader(std::string_view text) : in_(text) {}

  auto Run() -> Result<SyntaxTable> {
    bool wants_operand = true;
    for (SkipSpace(); !in_.at_end(); SkipSpace()) {
      if (wants_operand ? !ReadOperand(wants_operand) : !ReadOperator(wants_operand)) return Fault();
    }
    if (wants_operand) {
      Fail("expected a term");
      return Fault();
    }
    while (!pending_.empty()) {
      if (pending_.back().kind == Pending::kGroup || pending_.back().kind == Pending::kCallOf) {
        in_.MoveTo(pending_.back().at);
        Fail("this parenthesis is not closed");
        return Fault();
      }
      Reduce();
    }
    return std::move(table_);
  }

 private:
  struct Pending {
    enum Kind : uint8_t { kInfixOf, kMinus, kNotOf, kGroup, kCallOf };
    Kind kind;
    PrimKind op = kAny;
    int precedence = 0;
    size_t at = 0;
    std::string_view name;
    size_t first_operand = 0;  // of a call: where its arguments begin among the operands
  };
  struct Operand {
    uint32_t node;
    bool is_comparison = false;  // unparenthesized, so that a further comparison chains
  };

  void SkipSpace() {
    in_.TakeWhile([](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  }
  void Fail(const std::string& message) {
    if (!fault_) {
      const auto at = static_cast<uint32_t>(in_.at());
      fault_ = MakeDiagnostic(kTermSyntax, {at, at + 1}, message);
    }
  }
  auto Fault() -> Diagnostic { return *fault_; }

  auto TakeWord() -> std::string_view {
    return in_.TakeWhile([](char c) { return IsNameCharacter(c) || c == '.'; });
  }

  auto Append(SyntaxNode node) -> uint32_t {
    table_.push_back(std::move(node));
    return static_cast<uint32_t>(table_.size() - 1);
  }
  void PushOperand(SyntaxNode node) { operands_.push_back({Append(std::move(node))}); }
  auto RangeFrom(size_t begin) const -> SourceRange {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(in_.at())};
  }

  auto ReadOperand(bool& wants_operand) -> bool {
    const char c = in_.Peek();
    const size_t begin = in_.at();
    if (in_.Take('(')) {
      pending_.push_back({Pending::kGroup, kAny, 0, begin});
      return true;
    }
    if (c == '-' || (c == '!' && !in_.Sees("!="))) {
      in_.Advance();
      pending_.push_back(c == '-' ? Pending{Pending::kMinus, kSub, kMinusLevel, begin}
                                  : Pending{Pending::kNotOf, kNot, kMinusLevel, begin});
      return true;
    }
    if (IsDigit(c)) {
      wants_operand = false;
      return ReadNumber();
    }
    const std::string_view word = IsNameStart(c) ? TakeWord() : std::string_view();
    if (word.empty() || word == "and" || word == "or") {
      in_.MoveTo(begin);
      Fail("expected a term");
      return false;
    }
    if (word == "not") {
      pending_.push_back({Pending::kNotOf, kNot, kNotLevel, begin});
      return true;
    }
    SkipSpace();
    if (in_.Take('(')) {
      pending_.push_back({Pending::kCallOf, kAny, 0, begin, word, operands_.size()});
      SkipSpace();
      if (in_.Take(')')) {
        CloseCall();
        wants_operand = false;
      }
      return true;
    }
    in_.MoveTo(begin + word.size());
    PushOperand({.kind = SyntaxNode::Kind::kName, .name = word, .range = RangeFrom(begin)});
    wants_operand = false;
    return true;
  }

  // Passes an exponent, `e-5`, if there is one.
  auto TakeExponent() -> bool {
    const size_t begin = in_.at();
    const bool begins = in_.Take('e') || in_.Take('E');
    if (begins && !in_.Take('-')) in_.Take('+');
    const bool is_exponent = begins && !in_.TakeWhile(IsDigit).empty();
    if (!is_exponent) in_.MoveTo(begin);
    return is_exponent;
  }

  auto ReadNumber() -> bool {
    const size_t begin = in_.at();
    in_.TakeWhile(IsDigit);
    const bool has_point = in_.Take('.');
    if (has_point) in_.TakeWhile(IsDigit);
    const bool is_float = TakeExponent() || has_point;
    const std::string_view digits = in_.Since(begin);
    SyntaxNode node{.kind = SyntaxNode::Kind::kInt, .range = RangeFrom(begin)};
    if (is_float) {
      node.kind = SyntaxNode::Kind::kFloat;
      node.float_value = std::strtod(std::string(digits).c_str(), nullptr);
    } else if (digits == "9223372036854775808" && !pending_.empty() && pending_.back().kind == Pending::kMinus &&
               pending_.back().at + 1 == begin) {
      // The least integer is not a negated literal.
      node.int_value = INT64_MIN;
      node.range = RangeFrom(pending_.back().at);
      pending_.pop_back();
    } else if (std::from_chars(digits.data(), digits.data() + digits.size(), node.int_value).ec != std::errc()) {
      in_.MoveTo(begin);
      Fail("this number does not fit 64 bits");
      return false;
    }
    PushOperand(std::move(node));
    return true;
  }

  auto ReadOperator(bool& wants_operand) -> bool {
    if (in_.Sees(')') || in_.Sees(',')) return Close(wants_operand);
    const size_t begin = in_.at();
    const std::string_view word = IsNameStart(in_.Peek()) ? TakeWord() : std::string_view();
    for (const OperatorRow& row : kInfix) {
      if (word.empty() ? !in_.Take(row.text) : word != row.text) continue;
      while (!pending_.empty() && pending_.back().precedence >= row.precedence) Reduce();
      pending_.push_back({Pending::kInfixOf, row.op, row.precedence, begin});
      wants_operand = true;
      return true;
    }
    in_.MoveTo(begin);
    Fail("expected an operator");
    return false;
  }

  // At `)` or `,`.
  auto Close(bool& wants_operand) -> bool {
    while (!pending_.empty() && pending_.back().precedence > 0) Reduce();
    const bool comma = in_.Sees(',');
    if (pending_.empty() || (comma && pending_.back().kind != Pending::kCallOf)) {
      Fail(comma ? "this comma separates no arguments" : "this parenthesis was not opened");
      return false;
    }
    in_.Advance();
    wants_operand = comma;
    if (comma) return true;
    if (pending_.back().kind == Pending::kCallOf) {
      CloseCall();
    } else {
      pending_.pop_back();
      operands_.back().is_comparison = false;
    }
    return true;
  }

  void CloseCall() {
    const Pending call = pending_.back();
    pending_.pop_back();
    SyntaxNode node{.kind = SyntaxNode::Kind::kCall, .name = call.name, .range = RangeFrom(call.at)};
    for (size_t i = call.first_operand; i < operands_.size(); ++i) node.operands.push_back(operands_[i].node);
    operands_.resize(call.first_operand);
    PushOperand(std::move(node));
  }

  void Reduce() {
    const Pending top = pending_.back();
    pending_.pop_back();
    const Operand b = operands_.back();
    SyntaxNode node{.kind = SyntaxNode::Kind::kOperation, .op = top.op};
    node.range = {static_cast<uint32_t>(top.at), table_[b.node].range.end};
    if (top.kind == Pending::kMinus) {
      if (SyntaxNode& value = table_[b.node]; value.kind == SyntaxNode::Kind::kInt) {
        value.int_value = -value.int_value;
        value.range.begin = node.range.begin;
        return;
      }
      if (SyntaxNode& value = table_[b.node]; value.kind == SyntaxNode::Kind::kFloat) {
        value.float_value = -value.float_value;
        return;
      }
      const uint32_t zero = Append({.kind = SyntaxNode::Kind::kInt, .range = node.range});
      node.operands = {zero, b.node};
    } else if (top.kind == Pending::kNotOf) {
      node.operands = {b.node};
    } else {
      operands_.pop_back();
      const Operand a = operands_.back();
      node.range.begin = table_[a.node].range.begin;
      const bool compares = IsComparison(top.op);
      if (compares && a.is_comparison) {
        // `a < b < c` is `a < b and b < c`.
        const uint32_t shared =
            table_[a.node].op == kAnd ? table_[table_[a.node].operands[1]].operands[1] : table_[a.node].operands[1];
        node.operands = {shared, b.node};
        const uint32_t second = Append(std::move(node));
        operands_.back() = {Append({.kind = SyntaxNode::Kind::kOperation,
                                    .op = kAnd,
                                    .operands = {a.node, second},
                                    .range = {table_[a.node].range.begin, table_[b.node].range.end}}),
                            true};
        return;
      }
      node.operands = {a.node, b.node};
      operands_.back() = {Append(std::move(node)), compares};
      return;
    }
    operands_.back() = {Append(std::move(node))};
  }

  TextCursor in_;
  SyntaxTable table_;
  std::vector<Operand> operands_;
  std::vector<Pending> pending_;
  std::optional<Diagnostic> fault_;
};

}  // namespace

auto ParseTermSyntax(std::string_view text) -> Result<SyntaxTable> { return SyntaxReader(text).Run(); }

}  // namespace relayopt::arith
