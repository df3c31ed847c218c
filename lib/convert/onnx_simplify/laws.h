// Laws of single operators: calls that are one of their operands, or a call that skips the one before.
#pragma once

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// Applies laws to the calls of a function that is being rebuilt.
class Laws {
 public:
  // `users` has the number of users of each old expression; all must outlive this.
  Laws(const Function& function, Rebuild& rebuild, const SideTable<ExprId, uint32_t>& users)
      : function_(function), rebuild_(rebuild), users_(users) {}

  // Returns what an operator call with a type becomes, or nothing if no law applies. All laws are exact.
  auto Apply(ExprId id) -> ExprId;
  // Returns what a choice with a type becomes, of Relay or of ONNX, or nothing.
  auto Choice(ExprId id) -> ExprId;
  // Returns the data of a Dropout that drops nothing, of which this is the only result, or the one beside the mask.
  auto DataOfDropout(ExprId result) -> ExprId;

 private:
  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto made() -> const Function& { return rebuild_.to().function(); }

  // `data`, if it has the type of the old call.
  auto Instead(ExprId id, ExprId data) -> ExprId;
  // The operand of a new call of this operator, if the old call was its only user; invalid for other expressions.
  auto Skipped(ExprId id, size_t operand, const OpDef* op) -> ExprId;
  // Whether a result of both has the extents of `data`, as far as types say.
  auto GivesNoExtent(ExprId id, ExprId data) -> bool;
  // The truth value of a constant all of whose elements are equal; with `data` only if it gives no extent to a result
  // with it.
  auto TruthOf(ExprId constant) -> std::optional<bool>;
  auto TruthOf(ExprId constant, ExprId data) -> std::optional<bool>;

  auto Repeated(ExprId id, const OpDef* op) -> ExprId;
  auto OfOne(ExprId id, size_t a, size_t b) -> ExprId;
  auto Reverted(ExprId id, const OpDef* op) -> ExprId;
  auto NotOfComparison(ExprId id) -> ExprId;
  auto WithTruth(ExprId id, const OpDef* op) -> ExprId;
  auto FirstPower(ExprId id) -> ExprId;
  auto Bounds(ExprId id) -> ExprId;

  const Function& function_;
  Rebuild& rebuild_;
  const SideTable<ExprId, uint32_t>& users_;
  // What TruthOf has found: a large constant may have many users.
  absl::flat_hash_map<ExprId, std::optional<bool>> truths_;
};

}  // namespace relayopt
