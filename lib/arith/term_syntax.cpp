// Reads terms by operator precedence, with operands and operators on stacks of their own.
#include "lib/arith/term_syntax.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>

#include "relayopt/arith/diagnostics.h"

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

auto IsNameStart(char c) -> bool { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
auto IsDigit(char c) -> bool { return c >= '0' && c <= '9'; }

class SyntaxReader {
 public:
  explicit SyntaxReader(std::string_view text) : text_(text) {}

  auto Run() -> Result<SyntaxTable> {
    bool wants_operand = true;
    for (SkipSpace(); at_ < text_.size(); SkipSpace()) {
      if (wants_operand ? !ReadOperand(wants_operand) : !ReadOperator(wants_operand)) return Fault();
    }
    if (wants_operand) {
      Fail("expected a term");
      return Fault();
    }
    while (!pending_.empty()) {
      if (pending_.back().kind == Pending::kGroup || pending_.back().kind == Pending::kCallOf) {
        at_ = pending_.back().at;
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
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  void Fail(const std::string& message) {
    if (!fault_) {
      const auto at = static_cast<uint32_t>(at_);
      fault_ = MakeDiagnostic(kTermSyntax, {at, at + 1}, message);
    }
  }
  auto Fault() -> Diagnostic { return *fault_; }

  auto ReadWord() const -> std::string_view {
    size_t end = at_;
    while (end < text_.size() && (IsNameStart(text_[end]) || IsDigit(text_[end]) || text_[end] == '.')) ++end;
    return text_.substr(at_, end - at_);
  }

  auto Append(SyntaxNode node) -> uint32_t {
    table_.push_back(std::move(node));
    return static_cast<uint32_t>(table_.size() - 1);
  }
  void PushOperand(SyntaxNode node) { operands_.push_back({Append(std::move(node))}); }
  auto RangeFrom(size_t begin) const -> SourceRange {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)};
  }

  auto ReadOperand(bool& wants_operand) -> bool {
    const char c = text_[at_];
    const size_t begin = at_;
    if (c == '(') {
      pending_.push_back({Pending::kGroup, kAny, 0, at_++});
      return true;
    }
    if (c == '-' || (c == '!' && text_.substr(at_, 2) != "!=")) {
      ++at_;
      pending_.push_back(c == '-' ? Pending{Pending::kMinus, kSub, kMinusLevel, begin}
                                  : Pending{Pending::kNotOf, kNot, kMinusLevel, begin});
      return true;
    }
    if (IsDigit(c)) {
      wants_operand = false;
      return ReadNumber();
    }
    if (!IsNameStart(c)) {
      Fail("expected a term");
      return false;
    }
    const std::string_view word = ReadWord();
    if (word == "and" || word == "or") {
      Fail("expected a term");
      return false;
    }
    at_ += word.size();
    if (word == "not") {
      pending_.push_back({Pending::kNotOf, kNot, kNotLevel, begin});
      return true;
    }
    SkipSpace();
    if (at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      pending_.push_back({Pending::kCallOf, kAny, 0, begin, word, operands_.size()});
      SkipSpace();
      if (at_ < text_.size() && text_[at_] == ')') {
        ++at_;
        CloseCall();
        wants_operand = false;
      }
      return true;
    }
    at_ = begin + word.size();
    PushOperand({.kind = SyntaxNode::Kind::kName, .name = word, .range = RangeFrom(begin)});
    wants_operand = false;
    return true;
  }

  auto ReadNumber() -> bool {
    const size_t begin = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    bool is_float = false;
    if (at_ < text_.size() && text_[at_] == '.') {
      is_float = true;
      ++at_;
      while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      size_t end = at_ + 1;
      if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
      if (end < text_.size() && IsDigit(text_[end])) {
        is_float = true;
        while (end < text_.size() && IsDigit(text_[end])) ++end;
        at_ = end;
      }
    }
    const std::string_view digits = text_.substr(begin, at_ - begin);
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
      at_ = begin;
      Fail("this number does not fit 64 bits");
      return false;
    }
    PushOperand(std::move(node));
    return true;
  }

  auto ReadOperator(bool& wants_operand) -> bool {
    if (text_[at_] == ')' || text_[at_] == ',') return Close(wants_operand);
    const std::string_view rest = text_.substr(at_);
    const std::string_view word = IsNameStart(text_[at_]) ? ReadWord() : std::string_view();
    for (const OperatorRow& row : kInfix) {
      if (word.empty() ? !rest.starts_with(row.text) : word != row.text) continue;
      while (!pending_.empty() && pending_.back().precedence >= row.precedence) Reduce();
      pending_.push_back({Pending::kInfixOf, row.op, row.precedence, at_});
      at_ += row.text.size();
      wants_operand = true;
      return true;
    }
    Fail("expected an operator");
    return false;
  }

  // At `)` or `,`.
  auto Close(bool& wants_operand) -> bool {
    while (!pending_.empty() && pending_.back().precedence > 0) Reduce();
    const bool comma = text_[at_] == ',';
    if (pending_.empty() || (comma && pending_.back().kind != Pending::kCallOf)) {
      Fail(comma ? "this comma separates no arguments" : "this parenthesis was not opened");
      return false;
    }
    ++at_;
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

  std::string_view text_;
  size_t at_ = 0;
  SyntaxTable table_;
  std::vector<Operand> operands_;
  std::vector<Pending> pending_;
  std::optional<Diagnostic> fault_;
};

}  // namespace

auto ParseTermSyntax(std::string_view text) -> Result<SyntaxTable> { return SyntaxReader(text).Run(); }

}  // namespace relayopt::arith
