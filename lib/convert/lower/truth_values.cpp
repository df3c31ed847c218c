// Comparisons of truth values, which TVM 0.27 does not compile, by operators that it compiles.
#include "relayopt/relay/ops/op_table.h"
#include "rules.h"

namespace relayopt {

namespace {

auto Not(LowerCall& call, ExprId value) -> ExprId { return call.Call("logical_not"_op, {value}); }

// Returns the comparison, where one operand counts negated: false is less than true.
template <bool kNegatesFirst, bool kIsOr>
auto LowerOrder(LowerCall& call) -> ExprId {
  if (!call.HasBools()) return {};
  const ExprId a = kNegatesFirst ? Not(call, call.args[0]) : call.args[0];
  const ExprId b = kNegatesFirst ? call.args[1] : Not(call, call.args[1]);
  return call.Call(kIsOr ? "logical_or"_op : "logical_and"_op, {a, b});
}

auto LowerNotEqual(LowerCall& call) -> ExprId {
  return call.HasBools() ? call.Call("logical_xor"_op, {call.args[0], call.args[1]}) : ExprId();
}

auto LowerEqual(LowerCall& call) -> ExprId {
  const ExprId differs = LowerNotEqual(call);
  return differs.has_value() ? Not(call, differs) : ExprId();
}

constexpr OpRule<LowerRule> kTruthRules[] = {
    {"equal"_op, LowerEqual},
    {"greater"_op, LowerOrder<false, false>},
    {"greater_equal"_op, LowerOrder<false, true>},
    {"less"_op, LowerOrder<true, false>},
    {"less_equal"_op, LowerOrder<true, true>},
    {"not_equal"_op, LowerNotEqual},
};

}  // namespace

auto LowerTruthRules() -> std::span<const OpRule<LowerRule>> { return kTruthRules; }

}  // namespace relayopt
