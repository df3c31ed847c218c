// Gradients of matrix products.
#include "gradient_rules.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"

namespace relayopt {

namespace {

auto Transposed(GradientContext& r, ExprId matrix) -> ExprId {
  return r.CallWith("transpose"_op, TransposeAttrs(), {matrix});
}

// Returns the extent of the second axis, or null.
auto Columns(GradientContext& r, ExprId matrix) -> Dim {
  const Type* type = r.tensor(matrix);
  return type != nullptr && type->rank() > 1 ? type->shape[1] : Dim();
}

// Returns a tensor as a matrix of its last axis.
auto Rows(GradientContext& r, ExprId tensor) -> ExprId {
  const Type* type = r.tensor(tensor);
  if (type == nullptr || type->rank() == 0 || !type->shape[type->rank() - 1].is_int()) return tensor;
  const ReshapeAttrs attrs{.newshape = {Dim(-1), type->shape[type->rank() - 1]}};
  return r.CallWith("reshape"_op, attrs, {tensor});
}

// Data whose rank is not 2 is flattened for the weight's gradient, and keeps its axes for its own.
auto DenseGradientOfRows(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId w = r.arg(1);
  DenseAttrs of_x;
  of_x.units = Columns(r, w);
  const ExprId rows = Rows(r, x);
  DenseAttrs of_w;
  of_w.units = Columns(r, rows);
  const ExprId x_gradient = r.CallWith("nn.dense"_op, of_x, {r.gradient(), Transposed(r, w)});
  const ExprId w_gradient =
      r.CallWith("nn.dense"_op, of_w, {Transposed(r, Rows(r, r.gradient())), Transposed(r, rows)});
  return std::vector<ExprId>{r.CollapseSumLike(x_gradient, x), r.CollapseSumLike(w_gradient, w)};
}

auto DenseGradient(GradientContext& r) -> Gradients {
  const ExprId x = r.arg(0);
  const ExprId w = r.arg(1);
  const Type* data = r.tensor(x);
  if (data != nullptr && data->rank() != 2) return DenseGradientOfRows(r);
  DenseAttrs of_x;
  of_x.units = Columns(r, w);
  DenseAttrs of_w;
  of_w.units = Columns(r, x);
  const ExprId x_gradient = r.CallWith("nn.dense"_op, of_x, {r.gradient(), Transposed(r, w)});
  const ExprId w_gradient = r.CallWith("nn.dense"_op, of_w, {Transposed(r, r.gradient()), Transposed(r, x)});
  return std::vector<ExprId>{r.CollapseSumLike(x_gradient, x), r.CollapseSumLike(w_gradient, w)};
}

auto Product(GradientContext& r, ExprId a, ExprId b, bool transpose_a, bool transpose_b) -> ExprId {
  // nn.dense is matmul with a transposed second operand.
  if (!transpose_a && transpose_b) return r.CallWith("nn.dense"_op, DenseAttrs(), {a, b});
  MatmulAttrs attrs;
  attrs.transpose_a = transpose_a;
  attrs.transpose_b = transpose_b;
  return r.CallWith("nn.matmul"_op, attrs, {a, b});
}

auto BatchProduct(GradientContext& r, ExprId a, ExprId b, bool transpose_a, bool transpose_b) -> ExprId {
  BatchMatmulAttrs attrs;
  attrs.transpose_a = transpose_a;
  attrs.transpose_b = transpose_b;
  return r.CallWith("nn.batch_matmul"_op, attrs, {a, b});
}

using Multiplier = auto(*)(GradientContext&, ExprId, ExprId, bool, bool) -> ExprId;

// Handles all cases except the one with only the second operand transposed.
auto GradientOfProduct(GradientContext& r, Multiplier multiply, bool transpose_a, bool transpose_b) -> Gradients {
  const ExprId a = r.arg(0);
  const ExprId b = r.arg(1);
  const ExprId g = r.gradient();
  ExprId of_a;
  ExprId of_b;
  if (transpose_a) {
    of_a = multiply(r, b, g, transpose_b, true);
    of_b = transpose_b ? multiply(r, g, a, true, true) : multiply(r, a, g, false, false);
  } else {
    of_a = multiply(r, g, b, false, true);
    of_b = multiply(r, a, g, true, false);
  }
  return std::vector<ExprId>{r.CollapseSumLike(of_a, a), r.CollapseSumLike(of_b, b)};
}

auto MatmulGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<MatmulAttrs>();
  if (!attrs.transpose_a && attrs.transpose_b) return DenseGradient(r);
  return GradientOfProduct(r, Product, attrs.transpose_a, attrs.transpose_b);
}

auto BatchMatmulGradient(GradientContext& r) -> Gradients {
  const auto& attrs = r.attrs<BatchMatmulAttrs>();
  if (attrs.transpose_a || !attrs.transpose_b) {
    return GradientOfProduct(r, BatchProduct, attrs.transpose_a, attrs.transpose_b);
  }
  const TransposeAttrs swap{.axes = {Dim(0), Dim(2), Dim(1)}};
  const auto swapped = [&](ExprId matrix) { return r.CallWith("transpose"_op, swap, {matrix}); };
  const ExprId a = r.arg(0);
  const ExprId b = r.arg(1);
  const ExprId of_a = BatchProduct(r, r.gradient(), swapped(b), false, true);
  const ExprId of_b = BatchProduct(r, swapped(r.gradient()), swapped(a), false, true);
  return std::vector<ExprId>{r.CollapseSumLike(of_a, a), r.CollapseSumLike(of_b, b)};
}

constexpr GradientRow kProductRows[] = {
    {"nn.batch_matmul"_op, BatchMatmulGradient},
    {"nn.dense"_op, DenseGradient},
    {"nn.matmul"_op, MatmulGradient},
};

}  // namespace

auto ProductGradients() -> std::span<const GradientRow> { return kProductRows; }

}  // namespace relayopt
