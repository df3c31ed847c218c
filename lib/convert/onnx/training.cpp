// Steps of optimizers.
#include "builders.h"
#include "families.h"
#include "relayopt/relay/analysis/emit.h"
#include "shared.h"

namespace relayopt::onnx {

namespace {

// How many tensors are optimized: after R and T, `groups` inputs belong to each.
auto TensorCount(Node& n, size_t groups) -> size_t {
  if ((n.num_inputs() - 2) % groups != 0)
    n.Fail("the number of inputs, {}, is not a multiple of {}", n.num_inputs() - 2, groups);
  return (n.num_inputs() - 2) / groups;
}

auto Choose(Emitter& em, ExprId condition, ExprId then_value, ExprId else_value) -> ExprId {
  if (em.failed() || !condition || !then_value || !else_value) return {};
  if (const auto known = em.IntOf(condition)) return *known != 0 ? then_value : else_value;
  FunctionBuilder& to = em.to();
  const ExprId choice = to.If(condition, then_value, else_value);
  to.SetType(choice, JoinTypes(em.context(), to.function().type(then_value), to.function().type(else_value)));
  return to.function().type(choice) ? choice : em.Fail("the branches have different types");
}

auto ConvertAdagrad(Node& n) -> Results {
  Emitter& em = n.em();
  const size_t count = TensorCount(n, 3);
  if (n.failed()) return {};
  const DataType dtype = em.dtype(n.in(3));
  const ExprId step = em.Call("cast_like"_op, {n.in(1), n.in(3)});
  Exprs xs;
  Exprs hs;
  for (size_t i = 0; i < count; ++i) {
    const ExprId decay = Add(em, em.Scalar(dtype, 1.0), Mul(em, step, em.Scalar(dtype, n.Float("decay_factor"))));
    const ExprId rate = Div(em, n.in(0), decay);
    const ExprId x = n.in(2 + i);
    const ExprId g = n.in(2 + count + i);
    const ExprId h = n.in(2 + 2 * count + i);
    const ExprId regular = Add(em, Mul(em, em.Scalar(dtype, n.Float("norm_coefficient")), x), g);
    const ExprId sum = Add(em, h, Mul(em, regular, regular));
    const ExprId adaptive = Add(em, em.Call("sqrt"_op, {sum}), em.Scalar(dtype, n.Float("epsilon")));
    xs.push_back(Sub(em, x, Div(em, Mul(em, rate, regular), adaptive)));
    hs.push_back(sum);
  }
  xs.insert(xs.end(), hs.begin(), hs.end());
  return xs;
}

auto ConvertAdam(Node& n) -> Results {
  Emitter& em = n.em();
  const size_t count = TensorCount(n, 4);
  if (n.failed()) return {};
  const ExprId rate = n.in(0);
  const DataType dtype = em.dtype(rate);
  const double alpha = n.Float("alpha");
  const double beta = n.Float("beta");
  const auto k = [&](double value) { return em.Scalar(dtype, value); };
  const ExprId turns = em.Call("cast_like"_op, {n.in(1), n.in(3)});
  Exprs xs;
  Exprs vs;
  Exprs hs;
  for (size_t i = 0; i < count; ++i) {
    const ExprId x = n.in(2 + i);
    const ExprId g = n.in(2 + count + i);
    const ExprId regular = Add(em, Mul(em, k(n.Float("norm_coefficient")), x), g);
    const ExprId v = Add(em, Mul(em, k(alpha), n.in(2 + 2 * count + i)), Mul(em, k(1 - alpha), regular));
    const ExprId h =
        Add(em, Mul(em, k(beta), n.in(2 + 3 * count + i)), Mul(em, Mul(em, k(1 - beta), regular), regular));
    const ExprId root = Add(em, em.Call("sqrt"_op, {h}), k(n.Float("epsilon")));
    const ExprId beta_power = em.Call("power"_op, {k(beta), turns});
    const ExprId alpha_power = em.Call("power"_op, {k(alpha), turns});
    const ExprId corrected =
        Div(em, Mul(em, rate, em.Call("sqrt"_op, {Sub(em, k(1), beta_power)})), Sub(em, k(1), alpha_power));
    const ExprId adjusted = Choose(em, Greater(em, turns, em.Scalar(em.dtype(g), 0)), corrected, rate);
    const ExprId moved = Sub(em, x, Mul(em, adjusted, Div(em, v, root)));
    xs.push_back(Mul(em, Sub(em, k(1), k(n.Float("norm_coefficient_post"))), moved));
    vs.push_back(v);
    hs.push_back(h);
  }
  xs.insert(xs.end(), vs.begin(), vs.end());
  xs.insert(xs.end(), hs.begin(), hs.end());
  return xs;
}

auto ConvertMomentum(Node& n) -> Results {
  Emitter& em = n.em();
  const size_t count = TensorCount(n, 3);
  const std::string mode = n.Choice("mode", "standard,nesterov");
  if (n.failed()) return {};
  const ExprId rate = n.in(0);
  const ExprId step = n.in(1);
  const DataType dtype = em.dtype(rate);
  const auto k = [&](double value) { return em.Scalar(dtype, value); };
  Exprs xs;
  Exprs vs;
  for (size_t i = 0; i < count; ++i) {
    const ExprId x = n.in(2 + i);
    const ExprId g = n.in(2 + count + i);
    const ExprId regular = Add(em, Mul(em, k(n.Float("norm_coefficient")), x), g);
    const ExprId beta = Choose(em, Greater(em, step, em.Scalar(em.dtype(step), 0)), k(n.Float("beta")), k(1));
    const ExprId v = Add(em, Mul(em, k(n.Float("alpha")), n.in(2 + 2 * count + i)), Mul(em, beta, regular));
    const ExprId direction = mode == "standard" ? v : Add(em, regular, Mul(em, k(n.Float("alpha")), v));
    xs.push_back(Sub(em, x, Mul(em, rate, direction)));
    vs.push_back(v);
  }
  xs.insert(xs.end(), vs.begin(), vs.end());
  return xs;
}

constexpr OpRow kTrainingRows[] = {
    {"ai.onnx.preview.training::Adagrad", "1", "R, T, inputs...",
     "float decay_factor = 0; float epsilon = 1e-6; float norm_coefficient = 0", ConvertAdagrad},
    // As TVM: ONNX's own test data for Adam expect it, too; the operator's description says 1e-6.
    {"ai.onnx.preview.training::Adam", "1", "R, T, inputs...",
     "float alpha = 0.9; float beta = 0.999; float epsilon = 0.01; float norm_coefficient = 0; float "
     "norm_coefficient_post = 0",
     ConvertAdam},
    {"ai.onnx.preview.training::Momentum", "1", "R, T, inputs...",
     "float alpha; float beta; string mode; float norm_coefficient", ConvertMomentum},
};

}  // namespace

auto TrainingRows() -> std::span<const OpRow> { return kTrainingRows; }

}  // namespace relayopt::onnx
