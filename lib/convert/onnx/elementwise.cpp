// Operators of one tensor that work element by element.
#include <cmath>
#include <limits>
#include <numbers>

#include "builders.h"
#include "families.h"
#include "importer.h"
#include "shared.h"

namespace relayopt::onnx {

auto ConvertRename(Node& n) -> Results { return n.em().Call(n.row().relay, n.ins()); }

auto Gelu(Emitter& em, ExprId x) -> ExprId {
  const DataType dtype = em.dtype(x);
  const ExprId erf = em.Call("erf"_op, {Div(em, x, em.Scalar(dtype, std::numbers::sqrt2))});
  return Mul(em, Mul(em, em.Scalar(dtype, 0.5), x), Add(em, em.Scalar(dtype, 1.0), erf));
}

auto TanhGelu(Emitter& em, ExprId x) -> ExprId {
  const DataType dtype = em.dtype(x);
  const double c = std::sqrt(2 / std::numbers::pi);
  const ExprId linear = Mul(em, em.Scalar(dtype, c), x);
  const ExprId cubic = Mul(em, em.Scalar(dtype, 0.044715 * c), Power(em, x, 3));
  const ExprId tanh = em.Call("tanh"_op, {Add(em, linear, cubic)});
  return Mul(em, Mul(em, em.Scalar(dtype, 0.5), x), Add(em, em.Scalar(dtype, 1.0), tanh));
}

auto KeepNaN(Node& n, ExprId x, ExprId result) -> ExprId {
  return n.keeps_nan(x) ? Where(n.em(), IsNaN(n.em(), x), x, result) : result;
}

namespace {

auto Relu(Node& n, ExprId x) -> ExprId {
  Emitter& em = n.em();
  if (!n.keeps_nan(x)) return em.Call("nn.relu"_op, {x});
  const ExprId zero = em.Scalar(em.dtype(x), 0);
  return Where(em, Less(em, x, zero), zero, x);
}

auto ConvertRelu(Node& n) -> Results { return Relu(n, n.in(0)); }

auto ConvertSign(Node& n) -> Results { return KeepNaN(n, n.in(0), n.em().Call("sign"_op, {n.in(0)})); }

// alpha * relu(1 - exp(x)), negated: the left branch of Elu and Selu.
auto NegativeBranch(Node& n, ExprId x, double alpha) -> ExprId {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(x);
  const ExprId inner = Sub(em, em.Scalar(dtype, 1.0), em.Call("exp"_op, {x}));
  return Mul(em, em.Scalar(dtype, -alpha), Relu(n, inner));
}

auto ConvertLeakyRelu(Node& n) -> Results {
  return n.em().Call("nn.leaky_relu"_op, {n.in(0)}, {{"alpha", n.Decimal("alpha")}});
}

auto ConvertReciprocal(Node& n) -> Results { return Div(n.em(), n.em().Scalar(n.em().dtype(n.in(0)), 1.0), n.in(0)); }

auto ConvertRound(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  if (n.exact()) return RoundHalfEven(em, x);
  // As TVM: infinities become NaN.
  const DataType dtype = em.dtype(x);
  const ExprId half = em.Scalar(dtype, 0.5);
  const ExprId one = em.Scalar(dtype, 1.0);
  const ExprId two = em.Scalar(dtype, 2.0);
  const ExprId rounded = em.Call("ceil"_op, {Sub(em, x, half)});
  const ExprId up = em.Call("ceil"_op, {Add(em, x, half)});
  const ExprId down = em.Call("floor"_op, {Add(em, x, half)});
  const ExprId is_half = Sub(em, one, Sub(em, up, down));
  const ExprId is_odd = em.Call("abs"_op, {em.Call("mod"_op, {rounded, two})});
  return Add(em, rounded, Mul(em, is_half, is_odd));
}

auto ConvertIsInf(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  // Relay has no test for 16-bit floats.
  ExprId result = em.Call("isinf"_op, {x});
  const auto only = [&](const OpDef* side) {
    // As TVM: truth values are multiplied.
    result = em.Call("multiply"_op, {result, em.Call(side, {x, em.Scalar(em.dtype(x), 0)})});
  };
  if (!n.Flag("detect_negative")) only("greater"_op);
  if (!n.Flag("detect_positive")) only("less"_op);
  return result;
}

// max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
auto Softplus(Node& n, ExprId x) -> ExprId {
  Emitter& em = n.em();
  const ExprId magnitude = em.Call("abs"_op, {x});
  const ExprId exp = em.Call("exp"_op, {em.Call("negative"_op, {magnitude})});
  return Add(em, Relu(n, x), em.Call("log"_op, {Add(em, exp, em.Scalar(em.dtype(x), 1.0))}));
}

auto ConvertSoftplus(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  if (n.exact()) return Softplus(n, x);
  return em.Call("log"_op, {Add(em, em.Call("exp"_op, {x}), em.Scalar(em.dtype(x), 1.0))});
}

auto ConvertMish(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  if (n.exact()) return Mul(em, x, em.Call("tanh"_op, {Softplus(n, x)}));
  const ExprId log = em.Call("log"_op, {Add(em, em.Scalar(em.dtype(x), 1.0), em.Call("exp"_op, {x}))});
  return Mul(em, x, em.Call("tanh"_op, {log}));
}

auto ConvertSoftsign(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  return Div(em, x, Add(em, em.Scalar(em.dtype(x), 1.0), em.Call("abs"_op, {x})));
}

auto ConvertElu(Node& n) -> Results {
  return Add(n.em(), NegativeBranch(n, n.in(0), n.Float("alpha")), Relu(n, n.in(0)));
}

auto ConvertSelu(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const ExprId sum = Add(em, NegativeBranch(n, x, n.Float("alpha")), Relu(n, x));
  return Mul(em, em.Scalar(em.dtype(x), n.Float("gamma")), sum);
}

auto ConvertCelu(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const ExprId alpha = em.Scalar(dtype, n.Float("alpha"));
  const ExprId zero = em.Scalar(dtype, 0.0);
  const ExprId one = em.Scalar(dtype, 1.0);
  const ExprId negative = Mul(em, alpha, Sub(em, em.Call("exp"_op, {Div(em, x, alpha)}), one));
  // The right operand is the result where it is NaN.
  return Add(em, Maximum(em, zero, x), Minimum(em, zero, negative));
}

auto ConvertThresholdedRelu(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const ExprId bound = em.Call("full_like"_op, {x, em.Scalar(dtype, n.Float("alpha"))});
  // A product of an infinity and 0 is NaN.
  if (n.exact()) return Where(em, Greater(em, x, bound), x, em.Scalar(dtype, 0.0));
  return Mul(em, x, Cast(em, Greater(em, x, bound), dtype));
}

auto ConvertHardSigmoid(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(n.in(0));
  const ExprId scaled = Mul(em, n.in(0), em.Scalar(dtype, n.Float("alpha")));
  const ExprId sum = Add(em, scaled, em.Scalar(dtype, n.Float("beta")));
  return KeepNaN(n, sum, Clip(em, sum, 0, 1));
}

auto ConvertHardSwish(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const ExprId scaled = Mul(em, x, em.Scalar(dtype, 1.0 / 6));
  return Mul(em, x, Clip(em, Add(em, scaled, em.Scalar(dtype, 0.5)), 0, 1));
}

auto ConvertShrink(Node& n) -> Results {
  Emitter& em = n.em();
  const ExprId x = n.in(0);
  const DataType dtype = em.dtype(x);
  const ExprId bound = em.Scalar(dtype, n.Float("lambd"));
  const ExprId bias = em.Scalar(dtype, n.Float("bias"));
  const ExprId zeros = em.Call("zeros_like"_op, {x});
  const ExprId low = Where(em, Less(em, x, em.Call("negative"_op, {bound})), Add(em, x, bias), zeros);
  return Add(em, low, Where(em, Greater(em, x, bound), Sub(em, x, bias), zeros));
}

auto ConvertGelu(Node& n) -> Results {
  const std::string approximate = n.Choice("approximate", "none,tanh");
  return approximate == "tanh" ? TanhGelu(n.em(), n.in(0)) : Gelu(n.em(), n.in(0));
}

// Whether a double represents the bound of a clip of integers exactly.
auto IsExactBound(double bound) -> bool {
  constexpr double kLargest = 9007199254740992;
  return std::fabs(bound) <= kLargest;
}

// The bound where none is given: in evaluations the greatest finite number, as ONNX says.
auto DefaultBound(Node& n, DataType dtype) -> double {
  if (!n.keeps_nan(n.in(0))) return std::numeric_limits<double>::infinity();
  if (dtype.bits == 64) return std::numeric_limits<double>::max();
  return dtype == DataType::Float(16) ? 65504 : static_cast<double>(std::numeric_limits<float>::max());
}

auto ConvertClip(Node& n) -> Results {
  Emitter& em = n.em();
  ExprId x = n.in(0);
  const double bound = DefaultBound(n, em.dtype(x));
  if (n.opset() < 11) {
    const double least = n.Has("min") ? n.Decimal("min") : -bound;
    return KeepNaN(n, x, Clip(em, x, least, n.Has("max") ? n.Decimal("max") : bound));
  }
  const auto low = em.DoublesOf(n.in(1));
  const auto high = em.DoublesOf(n.in(2));
  const bool is_wide = !em.dtype(x).is_float() && em.dtype(x).bits == 64;
  const bool are_numbers = low && high && low->size() == 1 && high->size() == 1;
  if (are_numbers && (!is_wide || (IsExactBound(low->front()) && IsExactBound(high->front())))) {
    // The greater bound wins, as in ONNX.
    return KeepNaN(n, x, Clip(em, x, std::min(low->front(), high->front()), high->front()));
  }
  const ExprId given = x;
  const bool has_bounds = std::isfinite(bound);
  if (n.has(1) || has_bounds) x = Maximum(em, x, n.has(1) ? n.in(1) : em.Scalar(em.dtype(x), -bound));
  if (n.has(2) || has_bounds) x = Minimum(em, x, n.has(2) ? n.in(2) : em.Scalar(em.dtype(x), bound));
  return n.has(1) || n.has(2) ? KeepNaN(n, given, x) : x;
}

auto ConvertAffine(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(n.in(0));
  return Add(em, Mul(em, em.Scalar(dtype, n.Float("alpha")), n.in(0)), em.Scalar(dtype, n.Float("beta")));
}

auto ConvertScale(Node& n) -> Results {
  Emitter& em = n.em();
  return Mul(em, n.in(0), em.Scalar(em.dtype(n.in(0)), n.Float("scale")));
}

auto ConvertScaledTanh(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(n.in(0));
  const ExprId tanh = em.Call("tanh"_op, {Mul(em, em.Scalar(dtype, n.Float("beta")), n.in(0))});
  return Mul(em, tanh, em.Scalar(dtype, n.Float("alpha")));
}

auto ConvertParametricSoftplus(Node& n) -> Results {
  Emitter& em = n.em();
  const DataType dtype = em.dtype(n.in(0));
  const ExprId exp = em.Call("exp"_op, {Mul(em, em.Scalar(dtype, n.Float("beta")), n.in(0))});
  return Mul(em, em.Call("log"_op, {Add(em, exp, em.Scalar(dtype, 1.0))}), em.Scalar(dtype, n.Float("alpha")));
}

// Returns an operator that Relay has under another name.
constexpr auto Rename(std::string_view name, std::string_view versions, const OpDef* relay,
                      std::string_view attributes = "") -> OpRow {
  return {.name = name,
          .versions = versions,
          .inputs = "X",
          .attributes = attributes,
          .convert = ConvertRename,
          .relay = relay};
}

constexpr OpRow kElementwiseRows[] = {
    Rename("Abs", "1 6 13", "abs"_op, "ints consumed_inputs"),
    Rename("Acos", "7", "acos"_op),
    Rename("Acosh", "9", "acosh"_op),
    Rename("Asin", "7", "asin"_op),
    Rename("Asinh", "9", "asinh"_op),
    Rename("Atan", "7", "atan"_op),
    Rename("Atanh", "9", "atanh"_op),
    Rename("BitwiseNot", "18", "bitwise_not"_op),
    Rename("Ceil", "1 6 13", "ceil"_op, "ints consumed_inputs"),
    Rename("Cos", "7", "cos"_op),
    Rename("Cosh", "9", "cosh"_op),
    Rename("Erf", "9 13", "erf"_op),
    Rename("Exp", "1 6 13", "exp"_op, "ints consumed_inputs"),
    Rename("Floor", "1 6 13", "floor"_op, "ints consumed_inputs"),
    Rename("IsNaN", "9 13 20", "isnan"_op),
    Rename("Log", "1 6 13", "log"_op, "ints consumed_inputs"),
    Rename("Neg", "1 6 13", "negative"_op, "ints consumed_inputs"),
    Rename("Not", "1", "logical_not"_op),
    {.name = "Relu",
     .versions = "1 6 13 14",
     .inputs = "X",
     .attributes = "ints consumed_inputs",
     .convert = ConvertRelu},
    Rename("Sigmoid", "1 6 13", "sigmoid"_op, "ints consumed_inputs"),
    {.name = "Sign", .versions = "9 13", .inputs = "input", .convert = ConvertSign},
    Rename("Sin", "7", "sin"_op),
    Rename("Sinh", "9", "sinh"_op),
    Rename("Sqrt", "1 6 13", "sqrt"_op, "ints consumed_inputs"),
    Rename("Tan", "7", "tan"_op),
    Rename("Tanh", "1 6 13", "tanh"_op, "ints consumed_inputs"),
    {.name = "Reciprocal",
     .versions = "1 6 13",
     .inputs = "X",
     .attributes = "ints consumed_inputs",
     .convert = ConvertReciprocal},
    {.name = "Round", .versions = "11", .inputs = "X", .convert = ConvertRound},
    {.name = "IsInf",
     .versions = "10 20",
     .inputs = "X",
     .attributes = "int detect_negative = 1; int detect_positive = 1",
     .convert = ConvertIsInf},
    {.name = "LeakyRelu",
     .versions = "1 6 16",
     .inputs = "X",
     .attributes = "float alpha = 0.01; ints consumed_inputs",
     .convert = ConvertLeakyRelu},
    {.name = "Softplus", .versions = "1", .inputs = "X", .convert = ConvertSoftplus},
    {.name = "Mish", .versions = "18", .inputs = "X", .convert = ConvertMish},
    {.name = "Softsign", .versions = "1", .inputs = "X", .convert = ConvertSoftsign},
    {.name = "Elu",
     .versions = "1 6",
     .inputs = "X",
     .attributes = "float alpha = 1; ints consumed_inputs",
     .convert = ConvertElu},
    {.name = "Selu",
     .versions = "1 6",
     .inputs = "X",
     .attributes =
         "float alpha = 1.67326319217681884765625; float gamma = 1.05070102214813232421875; ints consumed_inputs",
     .convert = ConvertSelu},
    {.name = "Celu", .versions = "12", .inputs = "X", .attributes = "float alpha = 1", .convert = ConvertCelu},
    {.name = "ThresholdedRelu",
     .versions = "10",
     .inputs = "X",
     .attributes = "float alpha = 1",
     .convert = ConvertThresholdedRelu},
    {.name = "HardSigmoid",
     .versions = "1 6",
     .inputs = "X",
     .attributes = "float alpha = 0.2; float beta = 0.5; ints consumed_inputs",
     .convert = ConvertHardSigmoid},
    {.name = "HardSwish", .versions = "14", .inputs = "X", .convert = ConvertHardSwish},
    {.name = "Shrink",
     .versions = "9",
     .inputs = "X",
     .attributes = "float lambd = 0.5; float bias = 0",
     .convert = ConvertShrink},
    {.name = "Gelu",
     .versions = "20",
     .inputs = "X",
     .attributes = "string approximate = none",
     .convert = ConvertGelu},
    {.name = "Clip",
     .versions = "1 6 11 12 13",
     .inputs = "input, min?, max?",
     .attributes = "float min; float max; ints consumed_inputs",
     .convert = ConvertClip},
    {.name = "Affine",
     .versions = "1",
     .inputs = "X",
     .attributes = "float alpha = 1; float beta = 0",
     .convert = ConvertAffine},
    {.name = "Scale", .versions = "1", .inputs = "X", .attributes = "float scale = 1", .convert = ConvertScale},
    {.name = "ScaledTanh",
     .versions = "1",
     .inputs = "X",
     .attributes = "float alpha = 1; float beta = 1",
     .convert = ConvertScaledTanh},
    {.name = "ParametricSoftplus",
     .versions = "1",
     .inputs = "X",
     .attributes = "float alpha = 1; float beta = 1",
     .convert = ConvertParametricSoftplus},
};

}  // namespace

auto ElementwiseRows() -> std::span<const OpRow> { return kElementwiseRows; }

}  // namespace relayopt::onnx
