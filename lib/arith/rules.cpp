// Compiling, matching and applying rules.
#include "lib/arith/rules.h"

#include <cmath>

#include "lib/arith/overflow.h"
#include "lib/arith/term_syntax.h"
#include "relayopt/arith/fold.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): as deep as the rules are.

namespace {

using enum PrimKind;

constexpr std::string_view kTermLetters = "xyzabuv";
static_assert(kTermLetters.size() == kFirstLiteralSlot);

struct RuleFunction {
  std::string_view name;
  PrimKind op;
};

constexpr RuleFunction kRuleFunctions[] = {
    {"min", kMin},       {"max", kMax},   {"tdiv", kDiv},           {"tmod", kMod},
    {"select", kSelect}, {"ramp", kRamp}, {"broadcast", kBroadcast}};

}  // namespace

// Turns the text of rows into nodes. The rows are part of the program, so a fault in one is a failed check.
class RuleCompiler {
 public:
  explicit RuleCompiler(RuleTable& table) : table_(table) {}

  void Add(const RuleRow& row) {
    Rule rule{.row = &row};
    const bool native = row.native != NativeRule::kNone;
    if (!native) rule.result = Compile(row.result);
    if (!row.condition.empty()) rule.condition = Compile(row.condition);
    std::string_view rest = row.patterns;
    while (!rest.empty()) {
      constexpr std::string_view kSeparator = " ; ";
      const size_t end = rest.find(kSeparator);
      rule.pattern = Compile(rest.substr(0, end));
      rest = end == std::string_view::npos ? "" : rest.substr(end + kSeparator.size());
      const RuleNode& root = table_.nodes_[rule.pattern];
      RELAYOPT_CHECK(root.kind == RuleNode::Kind::kNode, "a rule's left side is an operation");
      for (size_t i = 0; i < 2; ++i) {
        rule.operand_kinds[i] = i < root.num_operands ? KindsOf(root.operands[i]) : ~uint64_t{0};
      }
      table_.by_root_[static_cast<size_t>(root.op)].push_back(rule);
    }
  }

 private:
  auto KindsOf(uint16_t index) const -> uint64_t {
    const RuleNode& node = table_.nodes_[index];
    switch (node.kind) {
      case RuleNode::Kind::kTerm: return ~uint64_t{0};
      case RuleNode::Kind::kFloat: return uint64_t{1} << static_cast<int>(kFloatImm);
      case RuleNode::Kind::kNode: return uint64_t{1} << static_cast<int>(node.op);
      default: return uint64_t{1} << static_cast<int>(kIntImm);
    }
  }

  auto Compile(std::string_view text) -> uint16_t {
    const Result<SyntaxTable> syntax = ParseTermSyntax(text);
    RELAYOPT_CHECK(syntax.has_value(), "the text of a rule is a term");
    std::vector<uint16_t> made;
    made.reserve(syntax->size());
    for (const SyntaxNode& node : *syntax) made.push_back(CompileNode(node, *syntax, made));
    return made.back();
  }

  auto CompileNode(const SyntaxNode& syntax, const SyntaxTable& all, const std::vector<uint16_t>& made) -> uint16_t {
    RuleNode node{.kind = RuleNode::Kind::kNode, .op = syntax.op};
    switch (syntax.kind) {
      case SyntaxNode::Kind::kInt:
        node.kind = RuleNode::Kind::kInt;
        node.value = syntax.int_value;
        break;
      case SyntaxNode::Kind::kFloat:
        node.kind = RuleNode::Kind::kFloat;
        node.float_value = syntax.float_value;
        break;
      case SyntaxNode::Kind::kName: CompileName(syntax.name, node); break;
      case SyntaxNode::Kind::kOperation: SetOperands(node, syntax, made, syntax.operands.size()); break;
      case SyntaxNode::Kind::kCall: CompileCall(syntax, all, made, node); break;
    }
    table_.nodes_.push_back(node);
    return static_cast<uint16_t>(table_.nodes_.size() - 1);
  }

  static void SetOperands(RuleNode& node, const SyntaxNode& syntax, const std::vector<uint16_t>& made, size_t count) {
    RELAYOPT_CHECK(count <= node.operands.size(), "an operation of a rule has at most three operands");
    node.num_operands = static_cast<uint8_t>(count);
    for (size_t i = 0; i < count; ++i) node.operands[i] = made[syntax.operands[i]];
  }

  static void CompileName(std::string_view name, RuleNode& node) {
    if (name == "True" || name == "False") {
      node.kind = RuleNode::Kind::kBool;
      node.value = name == "True" ? 1 : 0;
    } else if (name == "n") {
      node.kind = RuleNode::Kind::kLiteral;
      node.slot = kLanesSlot;
    } else if (name.size() == 2 && name[0] == 'c') {
      node.kind = RuleNode::Kind::kLiteral;
      node.slot = static_cast<uint8_t>(kFirstLiteralSlot + (name[1] - '1'));
    } else {
      const size_t letter = kTermLetters.find(name);
      RELAYOPT_CHECK(name.size() == 1 && letter != std::string_view::npos, "a known letter in a rule");
      node.kind = RuleNode::Kind::kTerm;
      node.slot = static_cast<uint8_t>(letter);
    }
  }

  void CompileCall(const SyntaxNode& syntax, const SyntaxTable& all, const std::vector<uint16_t>& made,
                   RuleNode& node) const {
    if (syntax.name == "proved") {
      const SyntaxNode& comparison = all[syntax.operands[0]];
      node.kind = RuleNode::Kind::kProved;
      node.op = comparison.op;
      SetOperands(node, comparison, made, 2);
      return;
    }
    if (syntax.name == "reads") {
      node.kind = RuleNode::Kind::kReads;
      SetOperands(node, syntax, made, 1);
      return;
    }
    for (const RuleFunction& function : kRuleFunctions) {
      if (function.name != syntax.name) continue;
      node.op = function.op;
      const bool vector = function.op == kRamp || function.op == kBroadcast;
      if (vector) node.slot = kLanesSlot;
      SetOperands(node, syntax, made, syntax.operands.size() - (vector ? 1 : 0));
      return;
    }
    RELAYOPT_CHECK(false, "a known function in a rule");
  }

  RuleTable& table_;
};

RuleTable::RuleTable() {
  RuleCompiler compiler(*this);
  for (const RuleRow& row : RuleRows()) compiler.Add(row);
}

auto RuleTable::Get() -> const RuleTable& {
  static const RuleTable table;
  return table;
}

auto MatchRule(const Terms& terms, const RuleTable& table, uint16_t pattern, PrimExpr e, RuleBinding& binding) -> bool {
  const RuleNode& node = table.node(pattern);
  switch (node.kind) {
    case RuleNode::Kind::kTerm: {
      PrimExpr& bound = binding.terms[node.slot];
      if (bound) return bound == e;
      bound = e;
      return true;
    }
    case RuleNode::Kind::kLiteral: {
      if (terms.kind(e) != kIntImm) return false;
      PrimExpr& bound = binding.terms[node.slot];
      if (bound) return terms.int_value(bound) == terms.int_value(e);
      bound = e;
      return true;
    }
    case RuleNode::Kind::kInt: return terms.IsInt(e, node.value);
    case RuleNode::Kind::kFloat:
      return terms.kind(e) == kFloatImm && std::fabs(terms.float_value(e) - node.float_value) < 1e-20;
    case RuleNode::Kind::kNode: break;
    default: return false;
  }
  if (terms.kind(e) != node.op) return false;
  if (node.op == kRamp || node.op == kBroadcast) {
    if (binding.lanes != 0 && binding.lanes != terms.lanes(e)) return false;
    binding.lanes = terms.lanes(e);
  }
  const auto operands = terms.operands(e);
  for (size_t i = 0; i < node.num_operands; ++i) {
    if (!MatchRule(terms, table, node.operands[i], operands[i], binding)) return false;
  }
  return true;
}

namespace {

class ResultBuilder {
 public:
  ResultBuilder(Terms& terms, const RuleTable& table, const RuleBinding& binding, DataType root_type)
      : terms_(terms), table_(table), binding_(binding), root_type_(root_type) {}

  // `beside` is the type that a numeral takes; void if nothing determines it.
  auto Build(uint16_t index, DataType beside) -> PrimExpr {
    const RuleNode& node = table_.node(index);
    switch (node.kind) {
      case RuleNode::Kind::kTerm:
      case RuleNode::Kind::kLiteral: return binding_.terms[node.slot];
      case RuleNode::Kind::kInt:
      case RuleNode::Kind::kBool: return MakeConst(terms_, beside.is_void() ? root_type_ : beside, node.value);
      case RuleNode::Kind::kFloat: return MakeFloat(terms_, beside.is_void() ? root_type_ : beside, node.float_value);
      default: break;
    }
    if (IsBinary(node.op)) {
      // A numeral waits for its type from the other operand.
      const bool a_waits = IsNumeral(node.operands[0]);
      const PrimExpr first = Build(node.operands[a_waits ? 1 : 0], {});
      const PrimExpr second = Build(node.operands[a_waits ? 0 : 1], terms_.dtype(first));
      const PrimExpr a = a_waits ? second : first, b = a_waits ? first : second;
      fits_ = fits_ && LiteralFits(terms_, node.op, a, b);
      if (!IsSumOrProduct(node.op)) {
        NoteInnerSum(node.operands[0], a);
        NoteInnerSum(node.operands[1], b);
      }
      return Fold(terms_, node.op, a, b);
    }
    switch (node.op) {
      case kNot: return terms_.Not(Build(node.operands[0], {}));
      case kSelect: {
        const PrimExpr condition = Build(node.operands[0], {});
        const bool a_waits = IsNumeral(node.operands[1]);
        const PrimExpr first = Build(node.operands[a_waits ? 2 : 1], {});
        const PrimExpr second = Build(node.operands[a_waits ? 1 : 2], terms_.dtype(first));
        return terms_.Select(condition, a_waits ? second : first, a_waits ? first : second);
      }
      case kRamp:
        return terms_.Ramp(Build(node.operands[0], {}), Build(node.operands[1], ElementOf(root_type_)), binding_.lanes);
      case kBroadcast: return terms_.Broadcast(Build(node.operands[0], ElementOf(root_type_)), binding_.lanes);
      default: break;
    }
    RELAYOPT_CHECK(false, "an operation that results of rules have");
    return {};
  }

  // Whether all literals that were computed are what they are in mathematics. The rules are proved for such only: with
  // c1 * c2 wrapped to 0, `x // c1 // c2` would become `x // 0`.
  auto fits() const -> bool { return fits_; }
  auto inner_sums() const -> const InnerSums& { return inner_sums_; }

 private:
  void NoteInnerSum(uint16_t index, PrimExpr built) {
    const RuleNode::Kind kind = table_.node(index).kind;
    const bool is_term = kind == RuleNode::Kind::kNode || kind == RuleNode::Kind::kTerm;
    if (is_term && IsSumOrProduct(terms_.kind(built))) inner_sums_.push_back(built);
  }
  auto IsNumeral(uint16_t index) const -> bool {
    const RuleNode::Kind kind = table_.node(index).kind;
    return kind == RuleNode::Kind::kInt || kind == RuleNode::Kind::kBool || kind == RuleNode::Kind::kFloat;
  }

  Terms& terms_;
  const RuleTable& table_;
  const RuleBinding& binding_;
  DataType root_type_;
  bool fits_ = true;
  InnerSums inner_sums_;
};

// Evaluates conditions: integers as they are in mathematics, nothing where 64 bits do not suffice.
class ConditionEvaluator {
 public:
  ConditionEvaluator(Terms& terms, const RuleTable& table, const RuleBinding& binding, const RuleProver& prover)
      : terms_(terms), table_(table), binding_(binding), prover_(prover) {}

  auto Evaluate(uint16_t index) -> std::optional<int64_t> {
    const RuleNode& node = table_.node(index);
    switch (node.kind) {
      case RuleNode::Kind::kLiteral: return binding_.Literal(terms_, node.slot);
      case RuleNode::Kind::kInt: return node.value;
      case RuleNode::Kind::kReads:
        return terms_.effect(binding_.terms[table_.node(node.operands[0]).slot]) <= CallEffect::kReadState ? 1 : 0;
      case RuleNode::Kind::kProved: {
        const auto value = Evaluate(node.operands[1]);
        if (!value) return std::nullopt;
        ResultBuilder builder(terms_, table_, binding_, DataType::Int(32));
        return prover_.proved(node.op, builder.Build(node.operands[0], {}), *value) ? 1 : 0;
      }
      case RuleNode::Kind::kNode: break;
      default: return std::nullopt;
    }
    const auto a = Evaluate(node.operands[0]);
    if (!a) return std::nullopt;
    if (node.op == kAnd && *a == 0) return 0;
    if (node.op == kOr && *a != 0) return 1;
    const auto b = Evaluate(node.operands[1]);
    if (!b) return std::nullopt;
    return Compute(node.op, *a, *b);
  }

 private:
  static auto Compute(PrimKind op, int64_t a, int64_t b) -> std::optional<int64_t> {
    int64_t r = 0;
    switch (op) {
      case kAnd:
      case kOr: return b;
      case kAdd: return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
      case kSub: return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
      case kMul: return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
      case kEQ: return a == b;
      case kNE: return a != b;
      case kLT: return a < b;
      case kLE: return a <= b;
      case kGT: return a > b;
      case kGE: return a >= b;
      default: break;
    }
    if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
    switch (op) {
      case kDiv: return TruncDivInt(a, b);
      case kMod: return TruncModInt(a, b);
      case kFloorDiv: return FloorDivInt(a, b);
      case kFloorMod: return FloorModInt(a, b);
      default: return std::nullopt;
    }
  }

  Terms& terms_;
  const RuleTable& table_;
  const RuleBinding& binding_;
  const RuleProver& prover_;
};

}  // namespace

auto BuildRuleResult(Terms& terms, const RuleTable& table, uint16_t result, const RuleBinding& binding,
                     DataType root_type, InnerSums& inner) -> PrimExpr {
  ResultBuilder builder(terms, table, binding, root_type);
  const PrimExpr made = builder.Build(result, {});
  inner.insert(inner.end(), builder.inner_sums().begin(), builder.inner_sums().end());
  return builder.fits() ? made : PrimExpr();
}

auto RuleConditionHolds(Terms& terms, const RuleTable& table, uint16_t condition, const RuleBinding& binding,
                        const RuleProver& prover) -> bool {
  return ConditionEvaluator(terms, table, binding, prover).Evaluate(condition).value_or(0) != 0;
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
