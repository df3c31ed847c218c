#include "copies.h"

#include <algorithm>

#include "lib/convert/onnx/foreign.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "zeros.h"

namespace relayopt {

namespace {

auto IsPaddingByNothing(const Function& function, ExprId id) -> bool {
  const auto* attrs = function.context().As<PadAttrs>(function.attrs(id));
  const auto is_zero = [](const Dim& width) { return width.is(0); };
  return attrs != nullptr && std::ranges::all_of(attrs->pad_width.values, [&](const auto& widths) {
           return std::ranges::all_of(widths, is_zero);
         });
}

// Reductions of which a single element is the result: for types without a kernel, they are calls of ONNX's operators.
auto IsReductionOfOne(const Function& function, ExprId id) -> bool {
  const auto operands = function.operands(id);
  const Type* data = TensorType(function, operands[0]);
  if (operands.size() != 2 || data == nullptr || function.kind(operands[1]) != ExprKind::kConstant) return false;
  const Constant& axes = function.constant(operands[1]);
  // Without axes, all are reduced.
  if (axes.dtype() != DataType::Int(64) || axes.num_elements() == 0) return false;
  return std::ranges::all_of(axes.Elements().ToVector<int64_t>(), [&](int64_t axis) {
    const int64_t at = NormalizedAxis(axis, data->rank());
    return at >= 0 && at < static_cast<int64_t>(data->rank()) && data->shape[static_cast<size_t>(at)].is(1);
  });
}

auto IsForeignCopy(const Function& function, ExprId id, const onnx::OpRow& row) -> bool {
  if (!row.domain.empty() || function.operands(id).empty()) return false;
  if (row.name == "Pad") return function.operands(id).size() > 1 && IsZeros(function, function.operand(id, 1));
  if (function.type(function.operand(id, 0)) != function.type(id)) return false;
  if (row.name == "Identity") return true;
  const bool is_reduction = row.name == "ReduceProd" || row.name == "ReduceSum" || row.name == "ReduceMax" ||
                            row.name == "ReduceMin" || row.name == "ReduceMean";
  return is_reduction && IsReductionOfOne(function, id);
}

}  // namespace

auto IsCopy(const Function& function, ExprId id) -> bool {
  const OpDef* op = function.op(id);
  if (const onnx::OpRow* row = onnx::RowOfOp(op)) return IsForeignCopy(function, id, *row);
  if (op == "nn.pad"_op) return IsPaddingByNothing(function, id);
  const Type* data = op == "nn.batch_flatten"_op ? TensorType(function, function.operand(id, 0)) : nullptr;
  return data != nullptr && data->rank() == 2;
}

}  // namespace relayopt
