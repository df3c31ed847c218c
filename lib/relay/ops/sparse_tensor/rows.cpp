// Type rules and rows of the operators on sparse tensors.
#include "relayopt/relay/ops/sparse_tensor.h"

#include "lib/relay/ops/operand_checks.h"
#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction SparseFillEmptyRowsKernel, SparseReshapeKernel, SparseToDenseKernel;

auto CheckSparseEntries(RuleContext& rule) -> std::optional<RuleStatus> {
  if (const auto status = rule.NeedTensors(0, 3)) return status;
  if (const auto status = NeedSignedInteger(rule, 0)) return status;
  // As TVM: 3 axes are accepted, although its message mentions 2.
  if (const auto status = NeedRankAtMost(rule, 0, 3)) return status;
  if (const auto status = NeedRankAtMost(rule, 1, 2)) return status;
  return NeedRank(rule, 2, 0);
}

namespace {

auto SparseToDense(RuleContext& rule, const SparseToDenseAttrs& attrs) -> RuleStatus {
  if (const auto status = CheckSparseEntries(rule)) return *status;
  const auto shape = ShapeOf(rule, "output_shape", attrs.output_shape);
  if (!shape) return RuleStatus::kFailed;
  return rule.Done(*shape, rule.type(1).dtype);
}

auto SparseToDenseRule(RuleContext& rule) -> RuleStatus { return WithAttrs(rule, SparseToDense); }

auto SparseFillEmptyRowsRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Shape indices = rule.type(0).shape;
  if (indices.size() < 2) {
    return rule.ErrorAt(0, "sparse_fill_empty_rows: sparse_indices must have 2 axes, found shape {}",
                        ToString(indices));
  }
  Context& context = rule.context();
  const TypeId rows = context.Tensor({Dim::Any(), indices[1]}, DataType::Int(64));
  const TypeId column = context.Tensor({Dim::Any()}, DataType::Int(64));
  return rule.DoneTuple(std::array{rows, column, column});
}

auto SparseReshapeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 3)) return *status;
  for (const size_t i : {0, 1, 2}) {
    if (const auto status = NeedSignedInteger(rule, i)) return *status;
    if (const auto status = NeedRank(rule, i, i == 0 ? 2 : 1)) return *status;
  }
  const Type& indices = rule.type(0);
  const TypeId out = rule.context().Tensor({indices.shape[0], rule.type(2).shape[0]}, indices.dtype);
  return rule.DoneTuple(std::array{out, rule.input(2)});
}

}  // namespace

constinit const OpRows<OpFamily::kSparseTensor> kSparseTensorOps = NumberedRows<OpFamily::kSparseTensor>({
    {.name = "sparse_fill_empty_rows",
     .inputs = "sparse_indices, sparse_values, dense_shape, default_value",
     .type = SparseFillEmptyRowsRule,
     .kernel = SparseFillEmptyRowsKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "d",
     .doc = "adds an entry to each row that has none, and tells which rows these are"},
    {.name = "sparse_reshape",
     .inputs = "sparse_indices, prev_shape, new_shape",
     .type = SparseReshapeRule,
     .kernel = SparseReshapeKernel,
     .fusion = Fusion::kInjective,
     .shape_function = "s",
     .doc = "coordinates of the same entries in another shape"},
    {.name = "sparse_to_dense",
     .inputs = "sparse_indices, sparse_values, default_value",
     .attrs = &kSchema<SparseToDenseAttrs>,
     .type = SparseToDenseRule,
     .kernel = SparseToDenseKernel,
     .fusion = Fusion::kOpaque,
     .layout = ElementwiseLayout,
     .doc = "a dense tensor with values at the given coordinates and a default elsewhere"},
});

}  // namespace relayopt
