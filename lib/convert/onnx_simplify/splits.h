// Splits and concatenations that undo each other.
#pragma once

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt {

// Returns the axis, counted from the first one, along which a call concatenates the fields of a tuple; nothing for
// other expressions.
auto ConcatenationAxis(const Function& function, ExprId id) -> std::optional<int64_t>;

// Returns what was split along this axis into all the fields of a tuple, in order; none for other tuples.
auto WholeOfParts(const Function& function, ExprId tuple, int64_t axis) -> ExprId;

// What the parts of the splits of a function are.
class PartsOfSplits {
 public:
  // Returns, for a part of a split whose data became `data` of `made`: the data if it is the only part, or the field of
  // a concatenation that it is; else none. Looks at each split once.
  auto Part(const Function& function, ExprId part, const Function& made, ExprId data) -> ExprId;

 private:
  absl::flat_hash_map<ExprId, std::vector<ExprId>> fields_;
};

}  // namespace relayopt
