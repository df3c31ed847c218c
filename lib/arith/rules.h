// The rewrite rules: rows of text, and what they are compiled to at first use.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "relayopt/arith/prim_expr.h"

namespace relayopt::arith {

// The types of operands (or of a node without operands) to which a rule applies.
enum class RuleGuard : uint8_t {
  kAny,
  kIndex,   // signed scalars of 32 or 64 bits
  kVector,  // more than one lane
  kFloat,   // IEEE floats
};

// Rules that cannot be written as text.
enum class NativeRule : uint8_t {
  kNone,
  kDivideByFloat,
  kDivideRamp,
  kRampRemainder,
  kResidue,
  kModularRemainder,
  kDisjointBounds,
  kMergeConstants,
};

struct RuleRow {
  std::string_view id;
  RuleGuard guard;
  // Left sides, with ` ; ` between them: the first that matches and whose condition holds wins.
  std::string_view patterns;
  std::string_view result;
  std::string_view condition = "";
  // Whether the result is simplified again.
  bool revisit = false;
  NativeRule native = NativeRule::kNone;
};

// In the order in which rules of one root are tried.
auto RuleRows() -> std::span<const RuleRow>;

// A node of a compiled term. The nodes of all rules are in one table, operands before users.
struct RuleNode {
  enum class Kind : uint8_t {
    kTerm,     // a letter for any term; `slot`
    kLiteral,  // a letter for an integer literal; `slot`
    kInt,      // a numeral
    kFloat,
    kBool,
    kNode,    // `op` of `operands`; of Ramp and Broadcast `slot` is the number of lanes
    kProved,  // only in conditions: operand 0 compared by `op` with operand 1
    kReads,   // only in conditions
  };
  Kind kind;
  PrimKind op = PrimKind::kAny;
  uint8_t slot = 0;
  uint8_t num_operands = 0;
  std::array<uint16_t, 3> operands{};
  int64_t value = 0;
  double float_value = 0;
};

inline constexpr uint16_t kNoRuleNode = UINT16_MAX;
// Terms, literals and lane counts have slots of one numbering.
inline constexpr int kNumRuleSlots = 11;
inline constexpr int kFirstLiteralSlot = 7;
inline constexpr int kLanesSlot = 10;

// One left side of one row.
struct Rule {
  const RuleRow* row;
  uint16_t pattern = kNoRuleNode;
  uint16_t result = kNoRuleNode;     // none for native rules
  uint16_t condition = kNoRuleNode;  // none: always
  // The kinds that the first two operands may have, as bits.
  std::array<uint64_t, 2> operand_kinds{};
};

// All rules in compiled form; made once, on first use.
class RuleTable {
 public:
  static auto Get() -> const RuleTable&;

  // Returns the rules whose left side has this root, in order.
  auto rules(PrimKind root) const -> std::span<const Rule> { return by_root_[static_cast<size_t>(root)]; }
  auto node(uint16_t index) const -> const RuleNode& { return nodes_[index]; }

 private:
  RuleTable();
  friend class RuleCompiler;

  std::vector<RuleNode> nodes_;
  std::array<std::vector<Rule>, kNumPrimKinds> by_root_;
};

// The values of a rule's letters.
struct RuleBinding {
  std::array<PrimExpr, kNumRuleSlots> terms{};  // of literal letters: the literal
  int lanes = 0;

  auto Literal(const Terms& terms_table, int slot) const -> int64_t {
    return terms_table.int_value(terms[static_cast<size_t>(slot)]);
  }
};

// Whether `e` is an instance of the pattern; fills the binding, which the caller has cleared.
auto MatchRule(const Terms& terms, const RuleTable& table, uint16_t pattern, PrimExpr e, RuleBinding& binding) -> bool;
// Sums, differences and products in the result of a rule that are operands of other operations, such as `c - n` in
// `max(0, c - n)`. The given term may not have computed them, or only inside of a sum.
using InnerSums = std::vector<PrimExpr>;

// Returns the result of a rule at a term of type `root_type`: operations fold, numerals take the type beside them.
// Returns invalid if a literal in it would not fit its type. Appends to `inner`.
auto BuildRuleResult(Terms& terms, const RuleTable& table, uint16_t result, const RuleBinding& binding,
                     DataType root_type, InnerSums& inner) -> PrimExpr;

// Asks what conditions ask.
struct RuleProver {
  // Whether `e op value` (op is EQ, GE or LT) can be proved.
  std::function<bool(PrimKind op, PrimExpr e, int64_t value)> proved;
};
// Whether the condition holds; returns false if it divides by zero or leaves 64 bits.
auto RuleConditionHolds(Terms& terms, const RuleTable& table, uint16_t condition, const RuleBinding& binding,
                        const RuleProver& prover) -> bool;

}  // namespace relayopt::arith
