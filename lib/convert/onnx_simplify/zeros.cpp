// A value is zeros when it is made of zeros: by an operator that makes them, or by operators that only move elements.
#include "zeros.h"

#include <algorithm>

#include "lib/convert/onnx/foreign.h"
#include "lib/convert/onnx/tensor_data.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

namespace {

auto AreZeros(const Constant& constant) -> bool {
  return std::ranges::all_of(constant.Elements(), [](std::byte byte) { return byte == std::byte{0}; });
}

auto MakesZeros(const Function& function, ExprId id) -> bool {
  const OpDef* op = function.op(id);
  if (op == "zeros"_op || op == "zeros_like"_op || op == "dyn.zeros"_op) return true;
  const onnx::OpRow* row = onnx::RowOfOp(op);
  if (row == nullptr || row->name != "ConstantOfShape") return false;
  const onnx::ForeignNode node = onnx::ReadForeign(function.context(), function.instance(id));
  return std::ranges::all_of(node.attributes, [&](const onnx::AttributeProto& attribute) {
    if (attribute.name != "value") return true;
    if (attribute.tensor == nullptr) return false;
    onnx::ExternalFiles none("-");
    const auto value = onnx::ToConstant(*attribute.tensor, none, function.context());
    return value.has_value() && AreZeros(*value);
  });
}

// Whether the result consists of elements of the first operand.
auto KeepsZeros(const OpDef* op) -> bool {
  const onnx::OpRow* row = onnx::RowOfOp(op);
  if (row != nullptr) return row->domain.empty() && (row->name == "Expand" || row->name == "Tile");
  return op == "expand_dims"_op || op == "squeeze"_op || op == "reshape"_op || op == "dyn.reshape"_op ||
         op == "transpose"_op || op == "broadcast_to"_op || op == "dyn.broadcast_to"_op || op == "tile"_op ||
         op == "concatenate"_op || op == "strided_slice"_op || op == "full"_op || op == "dyn.full"_op ||
         op == "cast"_op || op == "repeat"_op;
}

}  // namespace

auto IsZeros(const Function& function, ExprId id) -> bool {
  std::vector<ExprId> pending = {id};
  constexpr size_t kMost = 32;
  for (size_t i = 0; i < pending.size(); ++i) {
    if (pending.size() > kMost) return false;
    const ExprId next = pending[i];
    if (function.kind(next) == ExprKind::kConstant) {
      if (!AreZeros(function.constant(next))) return false;
      continue;
    }
    if (function.kind(next) == ExprKind::kTuple) {
      const auto fields = function.operands(next);
      pending.insert(pending.end(), fields.begin(), fields.end());
      continue;
    }
    if (function.kind(next) != ExprKind::kOpCall) return false;
    if (MakesZeros(function, next)) continue;
    if (!KeepsZeros(function.op(next))) return false;
    pending.push_back(function.operand(next, 0));
  }
  return true;
}

}  // namespace relayopt
