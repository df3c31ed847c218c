// Finds all matches of a pattern in a function.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/pattern/matcher.h"

namespace relayopt {

// One of the subjects that a pattern matched.
struct PatternMatch {
  PatternId pattern;
  Subject subject;
};

// One match. The expressions between its inputs and its root can be replaced as a whole.
struct PatternGroup {
  ExprId root;
  // A running number, which also counts candidates that turned out not to be replaceable.
  uint32_t number = 0;
  // The expressions that the leaves of the pattern matched, each once; constants that the pattern asks for are inside
  // instead.
  std::vector<ExprId> inputs;
  // The expressions inside: operands first, the root last.
  std::vector<ExprId> inside;
  // The subjects that the patterns matched, pattern by pattern, those of one in order.
  std::vector<PatternMatch> matches;

  // Returns those of one pattern.
  auto MatchesOf(PatternId pattern) const -> std::span<const PatternMatch>;
  // Returns the expression that a pattern matched, or invalid if the pattern took no part in the match.
  auto Get(DFPattern pattern) const -> ExprId;
};

// Finds matches that do not overlap, searching from results to operands. Apart from the root, expressions inside a
// match must not be used outside of it, unless everything that the user produces flows into the root. The bodies of
// functions that were themselves cut out by a pattern (PartitionedFromPattern) are skipped, and so is everything after
// `last`, if that is given.
auto FindPatternGroups(DFPattern pattern, const Function& function, ExprId last = {}) -> std::vector<PatternGroup>;

// Returns the operators that a function mentions.
auto MentionedOps(const Function& function) -> absl::flat_hash_set<const OpDef*>;

// Returns false if no function that mentions only these operators has a match.
auto MayMatch(DFPattern pattern, const absl::flat_hash_set<const OpDef*>& ops) -> bool;

// Returns the names of the operators inside, in order, such as `nn.conv2d_nn.relu_`.
auto GroupName(const Function& function, const PatternGroup& group) -> std::string;

}  // namespace relayopt
