// Which operators in which layouts suit a machine: what AlterOpLayout goes by.
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

// A call that a table is asked about.
struct AlterRequest {
  const OpDef* op = nullptr;
  AttrsId attrs;
  // Types of the operands and of the result.
  std::vector<TypeId> operands;
  TypeId result;
};

// What a table answers: another operator on the same operands.
struct AlterAnswer {
  const OpDef* op = nullptr;
  AttrsId attrs;
};

// A list of rows: the first that fits a call says what becomes of it. Written as JSON: see the help of
// AlterOpLayout.
class TargetTable {
 public:
  // Unknown operators, fields and attributes, and fields of the wrong form are errors.
  static auto Parse(std::string_view json) -> Result<TargetTable>;
  // The table of the reference's choices for a target; null when it makes none without tuning records.
  static auto BuiltIn(const Target& target) -> const TargetTable*;

  // Nothing when no row fits, or the one that does leaves the call alone.
  auto Find(Context& context, const Target* target, const AlterRequest& request) const -> std::optional<AlterAnswer>;

 private:
  // A name for the extent of an operand along an axis.
  struct Extent {
    std::string name;
    size_t operand = 0;
    size_t axis = 0;
  };
  // The largest multiple of `step`, at most `at_most`, that divides an extent.
  struct Tile {
    std::string name;
    std::string divides;
    // A number, the name of a tile, or `lanes`; with a factor as in `2*lanes`.
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
    // Whether an extent of an operand must be unknown.
    bool dynamic = false;
    std::vector<Extent> extents;
    std::vector<Tile> tiles;
    // Extents and attributes, and what they must be.
    Texts when;
    // Null: calls that fit stay as they are.
    const OpDef* becomes = nullptr;
    Texts attrs;
  };
  friend class TableReader;
  friend class RowMatcher;

  std::vector<Row> rows_;
};

}  // namespace relayopt
