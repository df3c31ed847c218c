// Operators on sparse tensors given as coordinates and values.
#pragma once

#include "relayopt/relay/ops/kernels_tensor.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

struct SparseToDenseAttrs {
  static constexpr std::string_view kTypeKey = "relay.attrs.SparseToDenseAttrs";
  DimList output_shape = DimList::Null();
  static constexpr auto Fields() {
    return std::array{Required<&SparseToDenseAttrs::output_shape>("output_shape", "shape of the result")};
  }
};

// What sparse_to_dense and its dynamic form ask of their first three inputs: nothing when these are fit, else the
// status to return.
auto CheckSparseEntries(RuleContext& rule) -> std::optional<RuleStatus>;

auto SparseToDenseRule(RuleContext& rule) -> RuleStatus;
auto SparseFillEmptyRowsRule(RuleContext& rule) -> RuleStatus;
auto SparseReshapeRule(RuleContext& rule) -> RuleStatus;

inline constexpr OpDef kSparseTensorOps[] = {
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
};

}  // namespace relayopt
