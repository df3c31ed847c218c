// Gradients of operators that create tensors: none, or zeros for operands that only give shapes or positions.
#include "relayopt/relay/ops/creation.h"
#include "gradient_rules.h"
#include "relayopt/relay/ops/indexing.h"

namespace relayopt {

namespace {

auto NoGradients(GradientContext&) -> Gradients { return std::vector<ExprId>(); }
constexpr Formula kZeros = "zeros_like(x)"_formula;

auto OneHotGradient(GradientContext& r) -> Gradients {
  const ExprId zeros = r.ZerosLike(r.gradient());
  const ExprId is_on = r.Call("equal"_op, {r.call(), r.arg(1)});
  const ExprId on = r.Call("sum"_op, {r.Where(is_on, r.gradient(), zeros)});
  const ExprId off = r.Call("sum"_op, {r.Where(is_on, zeros, r.gradient())});
  return std::vector<ExprId>{r.ZerosLike(r.arg(0)), r.Call("cast_like"_op, {on, r.arg(1)}),
                             r.Call("cast_like"_op, {off, r.arg(2)})};
}

// Element i is start + i * step.
auto ArangeGradient(GradientContext& r) -> Gradients {
  const ExprId start = r.Call("cast_like"_op, {r.Call("sum"_op, {r.gradient()}), r.arg(0)});
  const DataType int32 = DataType::Int(32);
  const ExprId shape = r.CallWith("shape_of"_op, ShapeOfAttrs{.dtype = int32}, {r.call()});
  const ExprId zero = EmitScalar(r.to(), int32, int64_t{0});
  const ExprId length = r.CallWith("take"_op, TakeAttrs{.axis = Dim(0)}, {shape, zero});
  const ExprId first = EmitScalar(r.to(), int32, int64_t{0});
  const ExprId one = EmitScalar(r.to(), int32, int64_t{1});
  const ExprId numbers = r.CallWith("arange"_op, ArangeAttrs{.dtype = int32}, {first, length, one});
  const ExprId products = r.Multiply(r.Call("cast_like"_op, {numbers, r.gradient()}), r.gradient());
  const ExprId step = r.Call("cast_like"_op, {r.Call("sum"_op, {products}), r.arg(2)});
  return std::vector<ExprId>{start, r.ZerosLike(r.arg(1)), step};
}

constexpr GradientRow kCreationRows[] = {
    {"arange"_op, ArangeGradient},
    {"dyn.ones"_op, kZeros},
    {"dyn.zeros"_op, kZeros},
    {"one_hot"_op, OneHotGradient},
    {"ones"_op, NoGradients},
    {"ones_like"_op, kZeros},
    {"shape_of"_op, kZeros},
    {"zeros"_op, NoGradients},
    // The gradient equals the result: zeros of the same type.
    {"zeros_like"_op, "result"_formula},
};

}  // namespace

auto CreationGradients() -> std::span<const GradientRow> { return kCreationRows; }

}  // namespace relayopt
