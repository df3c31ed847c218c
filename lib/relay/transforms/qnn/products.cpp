// Lowering of dense layers and matrix products of quantized tensors.
#include "lowering.h"
#include "relayopt/relay/ir/with_attrs.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

// Arguments of a product.
struct ProductArgs {
  explicit ProductArgs(std::span<const ExprId> args)
      : data(args[0]), weight(args[1]), data_zero_point(args[2]), weight_zero_point(args[3]) {}

  ExprId data;
  ExprId weight;
  ExprId data_zero_point;
  ExprId weight_zero_point;
};

// a * b * depth: a constant where both zero points are. Returns none if the depth is not known.
auto ConstantTerm(QnnEmitter& emit, const ProductArgs& args, const ProductZeroPoints& known, const Dim& depth)
    -> ExprId {
  if (!depth.is_int()) return {};
  if (!known.is_dynamic()) return emit.Int(*known.data * *known.weight * depth.value());
  return emit.Multiply(emit.Multiply(args.data_zero_point, args.weight_zero_point), emit.Int(depth.value()));
}

auto LowerDense(QnnCall& call, const DenseAttrs& attrs) -> ExprId {
  QnnEmitter& emit = call.emit;
  const Type* data = call.input(0);
  const Type* weight = call.input(1);
  if (data == nullptr || weight == nullptr || data->rank() != 2 || weight->rank() != 2) return {};
  const ProductArgs args(call.args);
  const ProductZeroPoints known(emit, args.data_zero_point, args.weight_zero_point);
  ProductTerms terms{.product = emit.CallWith("nn.dense"_op, attrs, {args.data, args.weight})};
  if (known.weight_counts()) {
    ExprId rows = emit.Sum(emit.Cast(args.data, kInt32), {1}, true);
    if (!known.weight) {
      if (!weight->shape[0].is_int()) return {};
      rows = emit.CallWith("repeat"_op, RepeatAttrs{.repeats = weight->shape[0], .axis = 1}, {rows});
    }
    terms.weight_zero_point_term = emit.Multiply(args.weight_zero_point, rows);
  }
  if (known.data_counts()) {
    const ExprId columns = emit.Sum(emit.Cast(args.weight, kInt32), {1}, false);
    terms.data_zero_point_term = emit.Multiply(args.data_zero_point, columns);
  }
  terms.constant_term = ConstantTerm(emit, args, known, weight->shape[1]);
  return EmitProduct(emit, terms);
}

auto LowerBatchMatmul(QnnCall& call, const BatchMatmulAttrs& attrs) -> ExprId {
  QnnEmitter& emit = call.emit;
  const Type* x = call.input(0);
  const Type* y = call.input(1);
  if (x == nullptr || y == nullptr || x->rank() != 3 || y->rank() != 3) return {};
  // The axes that the product sums over.
  const int x_axis = attrs.transpose_a ? 1 : 2;
  const int y_axis = attrs.transpose_b ? 2 : 1;
  const ProductArgs args(call.args);
  const ProductZeroPoints known(emit, args.data_zero_point, args.weight_zero_point);
  ProductTerms terms{.product = emit.CallWith("nn.batch_matmul"_op, attrs, {args.data, args.weight})};
  if (known.weight_counts()) {
    ExprId rows = emit.Sum(emit.Cast(args.data, kInt32), {x_axis}, true);
    if (attrs.transpose_a) rows = emit.Reshape(rows, {0, -1, 1});
    terms.weight_zero_point_term = emit.Multiply(args.weight_zero_point, rows);
  }
  if (known.data_counts()) {
    const ExprId columns = emit.Sum(emit.Cast(args.weight, kInt32), {y_axis}, true);
    terms.data_zero_point_term = emit.Multiply(args.data_zero_point, columns);
    if (attrs.transpose_b) {
      const DimList flat = {0, 1, y->shape[1].is_int() ? y->shape[1] : Dim(-1)};
      terms.data_zero_point_term = emit.Reshape(terms.data_zero_point_term, flat);
    }
  }
  terms.constant_term = ConstantTerm(emit, args, known, x->shape[x_axis]);
  return EmitProduct(emit, terms);
}

constexpr QnnRuleOf kProductLowerings[] = {
    {"qnn.batch_matmul"_op, WithAttrs<LowerBatchMatmul>},
    {"qnn.dense"_op, WithAttrs<LowerDense>},
};

}  // namespace

auto QnnProductLowerings() -> std::span<const QnnRuleOf> { return kProductLowerings; }

auto EmitProduct(QnnEmitter& emit, const ProductTerms& terms) -> ExprId {
  const ExprId by_weight = terms.weight_zero_point_term;
  const ExprId by_data = terms.data_zero_point_term;
  if (!by_weight && !by_data) return terms.product;
  if (!by_data) return emit.Subtract(terms.product, by_weight);
  if (!by_weight) return emit.Subtract(terms.product, by_data);
  if (!terms.constant_term) return {};
  return emit.Add(emit.Subtract(terms.product, by_weight), emit.Subtract(terms.constant_term, by_data));
}

}  // namespace relayopt
