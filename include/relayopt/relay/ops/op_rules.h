// OpRules: what a pass knows about some of the operators, kept outside of the table of operators.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/check.h"

namespace relayopt {

// The rule of one operator, as passes list them:
//
//   constexpr OpRule<GradientRule> kRules[] = {{"abs"_op, AbsGradient}, {"add"_op, AddGradient}};
template <typename Rule>
struct OpRule {
  const OpDef* op = nullptr;
  Rule rule{};
};

// Rules by operator, found in constant time whatever their number. Made once, where the pass is first used:
//
//   static const OpRules<GradientRule> rules = {ArithmeticGradients(), ReduceGradients()};
//
// The operators may be of the table or registered (RegisterOp), but not unknown ones. A rule that is added replaces the
// one that was there, so that what is set at run time can go before what is built in.
template <typename Rule>
class OpRules {
 public:
  OpRules() = default;
  OpRules(std::initializer_list<OpRule<Rule>> rules) { AddAll(rules); }
  OpRules(std::initializer_list<std::span<const OpRule<Rule>>> families) {
    for (const auto& family : families) AddAll(family);
  }

  void Add(const OpDef* op, Rule rule) {
    RELAYOPT_CHECK(op->number != OpDef::kNoNumber, "operators with rules are in the table or registered");
    if (op->number >= places_.size()) places_.resize(op->number + size_t{1});
    uint16_t& place = places_[op->number];
    if (place == 0) {
      rules_.push_back({op, std::move(rule)});
      place = static_cast<uint16_t>(rules_.size());
    } else {
      rules_[place - size_t{1}].rule = std::move(rule);
    }
  }

  // Returns the rule for an operator, or null if there is none.
  auto Find(const OpDef* op) const -> const Rule* {
    if (op->number >= places_.size() || places_[op->number] == 0) return nullptr;
    return &rules_[places_[op->number] - size_t{1}].rule;
  }
  auto contains(const OpDef* op) const -> bool { return Find(op) != nullptr; }

  // The rules in the order in which they were added.
  auto begin() const { return rules_.begin(); }
  auto end() const { return rules_.end(); }
  auto size() const -> size_t { return rules_.size(); }

 private:
  void AddAll(std::span<const OpRule<Rule>> rules) {
    for (const OpRule<Rule>& row : rules) Add(row.op, row.rule);
  }

  // Indexed by the number of the operator: one plus the index in `rules_`, or 0 when there is no rule.
  std::vector<uint16_t> places_;
  std::vector<OpRule<Rule>> rules_;
};

}  // namespace relayopt
