// All places of a function that look like a pattern.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/pattern/matcher.h"

namespace relayopt {

// One place: what lies between the root and the inputs can be replaced as a whole.
struct PatternGroup {
  ExprId root;
  // Counts the candidates of the function, those that turned out not to be replaceable included.
  uint32_t number = 0;
  // What the leaves of the pattern matched, each expression once; constants that the pattern asks for are inside.
  std::vector<ExprId> inputs;
  // The expressions inside, operands first, the root last.
  std::vector<ExprId> inside;
  // What each pattern matched, in order.
  absl::flat_hash_map<PatternId, std::vector<Subject>> matched;

  // The expression that a pattern matched; none when it did not take part.
  auto Get(DFPattern pattern) const -> ExprId;
};

// Finds groups that do not overlap, from results to operands. No expression inside one but the root is used outside,
// unless all that the user produces flows into the root. The insides of functions that a pattern made
// (PartitionedFromPattern) are left out.
auto FindPatternGroups(DFPattern pattern, const Function& function) -> std::vector<PatternGroup>;

// The names of the operators inside, in order: `nn.conv2d_nn.relu_`.
auto GroupName(const Function& function, const PatternGroup& group) -> std::string;

}  // namespace relayopt
