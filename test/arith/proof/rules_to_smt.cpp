// Writes what is to be proved of every rewrite rule as SMT-LIB, for check_rules.py: of each left side a query that is
// satisfiable only where the rule is wrong.
//
// Vectors are proved lane by lane: in lane k `ramp(b, s, n)` is b + k*s and `broadcast(x, n)` is x.
#include <cstdio>
#include <set>
#include <string>

#include "lib/arith/rules.h"

using namespace relayopt::arith;  // NOLINT

namespace {

using enum PrimKind;

auto Number(int64_t value) -> std::string {
  return value < 0 ? "(- " + std::to_string(-value) + ")" : std::to_string(value);
}

auto SmtOperator(PrimKind kind) -> const char* {
  switch (kind) {
    case kAdd: return "+";
    case kSub: return "-";
    case kMul: return "*";
    case kDiv: return "tdiv";
    case kMod: return "tmod";
    case kFloorDiv: return "fdiv";
    case kFloorMod: return "fmod";
    case kMin: return "imin";
    case kMax: return "imax";
    case kEQ: return "=";
    case kNE: return "distinct";
    case kLT: return "<";
    case kLE: return "<=";
    case kGT: return ">";
    case kGE: return ">=";
    case kAnd: return "and";
    case kOr: return "or";
    case kNot: return "not";
    case kSelect: return "ite";
    default: return nullptr;
  }
}

// One query: the letters it declares, the divisors it meets, the formulas.
class Query {
 public:
  explicit Query(const RuleTable& table) : table_(table) {}

  auto Term(uint16_t index, std::set<std::string>& divisors, bool is_bool = false) -> std::string {
    const RuleNode& node = table_.node(index);
    switch (node.kind) {
      case RuleNode::Kind::kTerm: return Letter("t", node.slot, is_bool);
      case RuleNode::Kind::kLiteral: return Letter("c", node.slot, false);
      case RuleNode::Kind::kInt: return Number(node.value);
      case RuleNode::Kind::kFloat: return Number(static_cast<int64_t>(node.float_value));
      case RuleNode::Kind::kBool: return node.value != 0 ? "true" : "false";
      case RuleNode::Kind::kReads: return "true";
      default: break;
    }
    if (node.op == kBroadcast && node.kind == RuleNode::Kind::kNode) return Term(node.operands[0], divisors, is_bool);
    const bool logic = node.kind == RuleNode::Kind::kNode && (node.op == kAnd || node.op == kOr || node.op == kNot);
    std::string args[3];
    for (size_t i = 0; i < node.num_operands; ++i) {
      args[i] = Term(node.operands[i], divisors, logic || (node.op == kSelect && i == 0));
    }
    if (node.op == kRamp) {
      letters_.insert("(declare-const lane Int)\n");
      return "(+ " + args[0] + " (* lane " + args[1] + "))";
    }
    if (node.op == kDiv || node.op == kMod || node.op == kFloorDiv || node.op == kFloorMod) divisors.insert(args[1]);
    std::string out = std::string("(") + SmtOperator(node.op);
    for (size_t i = 0; i < node.num_operands; ++i) out += " " + args[i];
    return out + ")";
  }

  auto declarations() const -> std::string {
    std::string out;
    for (const std::string& letter : letters_) out += letter;
    return out;
  }

 private:
  auto Letter(const char* prefix, int slot, bool is_bool) -> std::string {
    const std::string name = prefix + std::to_string(slot);
    letters_.insert("(declare-const " + name + (is_bool ? " Bool)\n" : " Int)\n"));
    return name;
  }

  const RuleTable& table_;
  std::set<std::string> letters_;
};

auto NonZero(const std::set<std::string>& divisors) -> std::string {
  std::string out = "(and true";
  for (const std::string& divisor : divisors) out += " (distinct 0 " + divisor + ")";
  return out + ")";
}

}  // namespace

auto main() -> int {
  const RuleTable& table = RuleTable::Get();
  for (int root = 0; root < kNumPrimKinds; ++root) {
    int side = 0;
    std::string_view last;
    for (const Rule& rule : table.rules(static_cast<PrimKind>(root))) {
      side = rule.row->id == last ? side + 1 : 1;
      last = rule.row->id;
      const std::string id(last);
      if (rule.row->native != NativeRule::kNone) {
        std::printf("; native %s\n", id.c_str());
        continue;
      }
      Query query(table);
      std::set<std::string> given;
      std::set<std::string> made;
      const bool is_bool = table.node(rule.result).kind == RuleNode::Kind::kTerm && (root == static_cast<int>(kNot));
      const std::string left = query.Term(rule.pattern, given);
      const std::string right = query.Term(rule.result, made, is_bool);
      std::set<std::string> of_condition;
      const std::string condition =
          rule.condition == kNoRuleNode ? "true" : query.Term(rule.condition, of_condition, true);
      std::printf("; rule %s.%d\n%s(assert %s)\n(assert %s)\n(assert %s)\n(assert (not (and (= %s %s) %s)))\n",
                  id.c_str(), side, query.declarations().c_str(), NonZero(given).c_str(), NonZero(of_condition).c_str(),
                  condition.c_str(), left.c_str(), right.c_str(), NonZero(made).c_str());
    }
  }
  return 0;
}
