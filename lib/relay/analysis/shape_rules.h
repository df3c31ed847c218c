// The input of the rules of SymbolicShapes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/op_rules.h"

namespace relayopt {

// A call of an operator whose operands have been looked at.
class ShapeCall : public CallView {
 public:
  using Numbers = SymbolicShapes::Numbers;
  using Result = std::optional<Numbers>;

  ShapeCall(const Function& function, ExprId id, SymbolicShapes& shapes) : CallView(function, id), shapes_(shapes) {}

  auto table() const -> ExtentTable& { return shapes_.table(); }
  // Returns null if they are not known, and beyond the last operand.
  auto extents(size_t i) const -> const Numbers* {
    return i < num_operands() ? shapes_.ExtentsOf(operand(i)) : nullptr;
  }
  auto numbers(size_t i) const -> const Numbers* {
    return i < num_operands() ? shapes_.NumbersOf(operand(i)) : nullptr;
  }
  auto integers(size_t i) const -> std::optional<std::vector<int64_t>> {
    return i < num_operands() ? shapes_.IntegersOf(operand(i)) : std::nullopt;
  }
  // Returns the fields of the i-th operand, where it is a literal tuple.
  auto fields(size_t i) const -> std::span<const ExprId> {
    const ExprId tuple = operand(i);
    return function().kind(tuple) == ExprKind::kTuple ? function().operands(tuple) : std::span<const ExprId>();
  }
  auto extents_of(ExprId id) const -> const Numbers* { return shapes_.ExtentsOf(id); }
  auto numbers_of(ExprId id) const -> const Numbers* { return shapes_.NumbersOf(id); }

 private:
  SymbolicShapes& shapes_;
};

using ShapeRule = ShapeCall::Result (*)(const ShapeCall& call);

// Extents of a result, and the numbers in it. Operators without a rule: what the type says.
auto ExtentRules() -> const OpRules<ShapeRule>&;
auto NumberRules() -> const OpRules<ShapeRule>&;

// The rule for the extents of foreign operators (IsForeignOp); null, the default, for none.
void SetForeignExtents(ShapeRule rule);
auto ForeignExtents() -> ShapeRule;

// Returns the axis along which the results of a call of a foreign operator are cut from its first operand, one after
// the other, or nullopt if they are something else.
using PartsRule = std::optional<int64_t> (*)(const Function& function, ExprId call);
// The rule for foreign operators; null, the default, for none.
void SetForeignParts(PartsRule rule);
auto ForeignParts() -> PartsRule;

// The extents of a tensor of which only the first axis is known.
auto BatchExtents(ExtentTable& table, ExtentId batch, size_t rank) -> ShapeCall::Numbers;

// Extents that are broadcast against each other, as those of arithmetic are.
auto BroadcastExtents(ExtentTable& table, const ShapeCall::Numbers& a, const ShapeCall::Numbers& b)
    -> ShapeCall::Numbers;

auto ProductOf(ExtentTable& table, std::span<const ExtentId> extents) -> ExtentId;

// The extents of the first operand, each repeated as often as the numbers of the second say.
auto TiledExtents(const ShapeCall& call) -> ShapeCall::Result;

// Extents after `codes` as reshape reads them: 0 keeps one, -1 infers one, -2 keeps the rest, -3 merges two, -4 splits.
auto ReshapedExtents(ExtentTable& table, std::span<const ExtentId> data, std::span<const ExtentId> codes,
                     bool allows_zero) -> ShapeCall::Result;

}  // namespace relayopt
