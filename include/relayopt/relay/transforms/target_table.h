// Target tables: which operators, in which layouts, suit a machine. AlterOpLayout rewrites by them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/core/context.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/result.h"
#include "relayopt/target/target.h"

namespace relayopt {

// A call, as input for a table.
struct AlterRequest {
  const OpDef* op = nullptr;
  AttrsId attrs;
  // The types of the operands and of the result.
  std::vector<TypeId> operands;
  TypeId result;
};

// The replacement that a table chooses: another operator on the same operands.
struct AlterAnswer {
  const OpDef* op = nullptr;
  AttrsId attrs;
};

// A list of rows, of which the first that matches a call determines its replacement. The help of AlterOpLayout
// describes the JSON notation.
class TargetTable {
 public:
  // Parses a table. Unknown operators, fields and attributes, and malformed fields are errors.
  static auto Parse(std::string_view json) -> Result<TargetTable>;
  // Returns the built-in table for a target, which makes TVM's choices, or null if TVM makes none
  // without tuning records.
  static auto BuiltIn(const Target& target) -> const TargetTable*;

  // Returns the replacement of a call, or nothing if no row matches, or when the row leaves the call alone.
  auto Find(Context& context, const Target* target, const AlterRequest& request) const -> std::optional<AlterAnswer>;

 private:
  // A name for the extent of an operand along an axis.
  struct Extent {
    std::string name;
    size_t operand = 0;
    size_t axis = 0;
  };
  // The largest divisor of an extent that is a multiple of `step` and at most `at_most`.
  struct Tile {
    std::string name;
    std::string divides;
    // A number, the name of a tile, or `lanes`; optionally with a factor, as in `2*lanes`.
    std::string at_most;
    int64_t at_least = 1;
    int64_t step = 1;
  };
  using Texts = std::vector<std::pair<std::string, std::string>>;
  struct Row {
    const OpDef* op = nullptr;
    std::vector<std::string> features;
    std::vector<std::string> dtypes;
    std::vector<int64_t> ranks;
    // Whether the extent must be unknown for the row to match.
    bool dynamic = false;
    std::vector<Extent> extents;
    std::vector<Tile> tiles;
    // The values that extents and attributes must have.
    Texts when;
    // The replacement; null: calls that match stay as they are.
    const OpDef* becomes = nullptr;
    Texts attrs;
  };
  friend class TableReader;
  friend class RowMatcher;

  std::vector<Row> rows_;
};

}  // namespace relayopt
