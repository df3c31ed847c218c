// Type rules and rows of matrix products.
#include "relayopt/relay/ops/nn_dense.h"

#include <utility>

#include "lib/relay/ops/rule_helpers.h"
#include "relayopt/relay/ops/op_table.h"

namespace relayopt {

KernelFunction BatchMatmulKernel, DenseKernel, DensePackKernel, MatmulKernel;
LayoutRuleFunction DenseLayout, DensePackLayout;

namespace {

// The parameters of dense and matmul in a common form.
struct Product {
  const Dim& units;
  DataType out_dtype;
  bool transpose_a;
  bool transpose_b;
};

// Whether the second operand, a matrix, has as many rows (columns) as the first has columns; reports an error if not.
auto CheckInner(RuleContext& rule, const Product& product, const Dim& inner) -> bool {
  const Dim& found = rule.type(1).shape[product.transpose_b ? 1 : 0];
  if (!ProvablyDifferent(found, inner)) return true;
  rule.ErrorAt(1, "{}: {} has {} {}, {} has {}", rule.op().name, InputName(rule.op(), 1), ToString(found),
               product.transpose_b ? "columns" : "rows", InputName(rule.op(), 0), ToString(inner));
  return false;
}

// Returns the number of columns of the product, if `units` gives it: then the second operand's type is inferred.
auto LearnOperand(RuleContext& rule, const Product& product, const Dim& inner) -> std::optional<Dim> {
  const Type* b = rule.tensor(1);
  Dim units = product.units;
  if (b != nullptr && b->rank() == 2) {
    if (!CheckInner(rule, product, inner)) return std::nullopt;
    // `units=?` only means that the importer did not know them; the weight may give them.
    const Dim& found = b->shape[product.transpose_b ? 0 : 1];
    if (units.is_any() && found.is_int()) units = found;
  }
  const std::array shape = product.transpose_b ? std::array{units, inner} : std::array{inner, units};
  if (!AssignShape(rule, 1, shape, b != nullptr ? b->dtype : rule.type(0).dtype)) return std::nullopt;
  return units;
}

auto Multiply(RuleContext& rule, const Product& product) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const Type& a = rule.type(0);
  const size_t need = product.transpose_a ? 2 : 1;
  if (a.rank() < need) {
    return rule.ErrorAt(0, "{}: {} must have at least {} dimensions, it has shape {}", rule.op().name,
                        InputName(rule.op(), 0), need, ToString(a.shape));
  }
  std::vector<Dim> shape(a.shape.begin(), a.shape.end());
  if (product.transpose_a) std::swap(shape[shape.size() - 2], shape.back());
  const Dim inner = shape.back();
  if (!product.units.is_null()) {
    const auto units = LearnOperand(rule, product, inner);
    if (!units) return RuleStatus::kFailed;
    shape.back() = *units;
    return DoneShape(rule, shape, OutType(product.out_dtype, a.dtype));
  }
  if (const auto status = rule.NeedTensors(1, 2)) return *status;
  if (const auto status = NeedRank(rule, 1, 2)) return *status;
  // As TVM: the inner extents are not compared when the columns come from the weight.
  shape.back() = rule.type(1).shape[product.transpose_b ? 0 : 1];
  return DoneShape(rule, shape, OutType(product.out_dtype, a.dtype));
}

auto Dense(RuleContext& rule, const DenseAttrs& attrs) -> RuleStatus {
  return Multiply(rule, {attrs.units, attrs.out_dtype, false, true});
}

auto Matmul(RuleContext& rule, const MatmulAttrs& attrs) -> RuleStatus {
  return Multiply(rule, {attrs.units, attrs.out_dtype, attrs.transpose_a, attrs.transpose_b});
}

auto DensePack(RuleContext& rule, const DensePackAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  if (const auto status = NeedRank(rule, 0, 2)) return *status;
  const Type& data = rule.type(0);
  const Type& weight = rule.type(1);
  if (weight.rank() != 3 && weight.rank() != 4) {
    return rule.ErrorAt(1, "{}: weight must have 3 or 4 dimensions, it has shape {}", rule.op().name,
                        ToString(weight.shape));
  }
  const Dim columns = Mul(rule.context(), weight.shape[0], weight.shape[2]);
  return DoneShape(rule, std::array{data.shape[0], columns}, OutType(attrs.out_dtype, data.dtype));
}

auto BatchMatmul(RuleContext& rule, const BatchMatmulAttrs& attrs) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 2)) return *status;
  for (size_t i = 0; i < 2; ++i) {
    if (const auto status = NeedRank(rule, i, 3)) return *status;
  }
  const Shape x = rule.type(0).shape;
  const Shape y = rule.type(1).shape;
  const Dim& rows = x[attrs.transpose_a ? 2 : 1];
  const Dim& x_inner = x[attrs.transpose_a ? 1 : 2];
  const Dim& y_inner = y[attrs.transpose_b ? 2 : 1];
  const Dim& columns = y[attrs.transpose_b ? 1 : 2];
  if (ProvablyDifferent(x_inner, y_inner)) {
    return rule.ErrorAt(1, "{}: {} has {} rows, {} has {} columns", rule.op().name, InputName(rule.op(), 1),
                        ToString(y_inner), InputName(rule.op(), 0), ToString(x_inner));
  }
  if (ProvablyDifferent(x[0], y[0]) && !x[0].is(1) && !y[0].is(1)) {
    return rule.ErrorAt(1, "{}: {} has {} matrices, {} has {}", rule.op().name, InputName(rule.op(), 1), ToString(y[0]),
                        InputName(rule.op(), 0), ToString(x[0]));
  }
  const bool any = x[0].is_any() || y[0].is_any();
  const Dim batch = any ? Dim::Any() : Max(rule.context(), x[0], y[0]);
  return DoneShape(rule, std::array{batch, rows, columns}, OutType(attrs.out_dtype, rule.type(0).dtype));
}

}  // namespace

auto DenseRule(RuleContext& rule) -> RuleStatus { return WithAttrs<DenseAttrs>(rule, Dense); }

namespace {

auto MatmulRule(RuleContext& rule) -> RuleStatus { return WithAttrs<MatmulAttrs>(rule, Matmul); }

auto DensePackRule(RuleContext& rule) -> RuleStatus { return WithAttrs<DensePackAttrs>(rule, DensePack); }

}  // namespace

auto BatchMatmulRule(RuleContext& rule) -> RuleStatus { return WithAttrs<BatchMatmulAttrs>(rule, BatchMatmul); }

constinit const OpRows<OpFamily::kNnDense> kNnDenseOps = NumberedRows<OpFamily::kNnDense>({
    {.name = "nn.batch_matmul",
     .inputs = "tensor_a, tensor_b",
     .attrs = &kSchema<BatchMatmulAttrs>,
     .type = BatchMatmulRule,
     .kernel = BatchMatmulKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .precision = Precision::kAlways,
     .doc = "matrix product of each pair of matrices in two batches"},
    {.name = "nn.contrib_dense_pack",
     .inputs = "data, weight",
     .attrs = &kSchema<DensePackAttrs>,
     .type = DensePackRule,
     .kernel = DensePackKernel,
     .fusion = Fusion::kOutEWiseFusable,
     // As TVM: the operator declares DenseAttrs, but its type rule needs other attributes.
     .attrs_undeclared = true,
     .layout = DensePackLayout,
     .doc = "dense with a packed weight"},
    {.name = "nn.dense",
     .inputs = "data, weight",
     .attrs = &kSchema<DenseAttrs>,
     .type = DenseRule,
     .kernel = DenseKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .precision = Precision::kAlways,
     .scale_rule = ScaleRule::kDense,
     .layout = DenseLayout,
     .doc = "data times the transposed weight"},
    {.name = "nn.matmul",
     .inputs = "tensor_a, tensor_b",
     .attrs = &kSchema<MatmulAttrs>,
     .type = MatmulRule,
     .kernel = MatmulKernel,
     .fusion = Fusion::kOutEWiseFusable,
     .doc = "matrix product, each operand transposed or not"},
});

}  // namespace relayopt
