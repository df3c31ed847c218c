// TestPlantedFault: rules that give wrong results, one at a time: most of TVM, and some that are wrong in few places
// only.
//
// Random programs are judged by what they compute. This pass measures that judge: each of these faults must be found.
#include <algorithm>
#include <array>
#include <cmath>

#include "relayopt/check/planted_faults.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_spatial.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/transform.h"
#include "test_passes.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNoSuchFault = {"no-such-fault", Severity::kError, "there is no fault '{}'; there are {}"};

// A function whose expressions are replaced one by one.
class FaultyRewriter {
 public:
  explicit FaultyRewriter(const Function& function) : function_(function), rebuild_(function), lets_(function) {}

  template <typename Rule>
  auto Run(Rule&& rule) -> std::optional<Function> {
    return rebuild_.Rewrite([&](ExprId id) { return rule(*this, id); });
  }

  auto function() const -> const Function& { return function_; }
  auto context() const -> Context& { return function_.context(); }
  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto lets() const -> const LetIndex& { return lets_; }
  auto New(ExprId old) -> ExprId { return rebuild_.New(old); }
  auto Copy(ExprId old) -> ExprId { return rebuild_.Copy(old); }
  void Set(ExprId old, ExprId made) { rebuild_.Set(old, made); }

  auto IsCallOf(ExprId id, const OpDef* op) const -> bool {
    return function_.kind(id) == ExprKind::kOpCall && function_.op(id) == op;
  }
  auto Arg(ExprId id, size_t i) const -> ExprId { return function_.operand(id, i); }
  // Returns the type as a tensor, or null.
  auto Tensor(ExprId id) const -> const Type* { return TensorType(function_, id); }
  auto SameType(ExprId a, ExprId b) const -> bool {
    return function_.type(a) && function_.type(a) == function_.type(b);
  }
  template <typename A>
  auto AttrsOf(ExprId id) const -> const A* {
    return context().As<A>(function_.attrs(id));
  }
  // Returns the value of a scalar constant.
  auto Number(ExprId id) const -> std::optional<double> {
    if (function_.kind(id) != ExprKind::kConstant || !function_.constant(id).is_scalar()) return std::nullopt;
    return function_.constant(id).ScalarAsDouble();
  }

 private:
  const Function& function_;
  Rebuild rebuild_;
  LetIndex lets_;
};

// Largest number of integers of up to 32 bits and of floats.
auto LargestOf(DataType dtype) -> double {
  if (dtype.is_float()) return LargestFinite(dtype);
  return std::ldexp(1.0, dtype.is_int() ? dtype.bits - 1 : dtype.bits) - 1;
}
auto SmallestOf(DataType dtype) -> double {
  if (dtype.is_float()) return -LargestOf(dtype);
  return dtype.is_int() ? -LargestOf(dtype) - 1 : 0;
}
auto Holds(DataType dtype, const ClipAttrs& bounds) -> bool {
  return dtype.bits <= 32 && bounds.a_min >= SmallestOf(dtype) && bounds.a_max <= LargestOf(dtype);
}

// cast(cast(clip(x, a, b), T), U)  =>  clip(x, a, b), because T holds a and b.
auto DropCasts(FaultyRewriter& to, ExprId id, bool through_integers) -> ExprId {
  if (!to.IsCallOf(id, "cast"_op)) return {};
  const ExprId inner = to.Arg(id, 0);
  if (!to.IsCallOf(inner, "cast"_op)) return {};
  const ExprId clip = to.Arg(inner, 0);
  const auto* bounds = to.IsCallOf(clip, "clip"_op) ? to.AttrsOf<ClipAttrs>(clip) : nullptr;
  if (bounds == nullptr || !to.SameType(id, clip)) return {};
  const DataType dtype = to.AttrsOf<CastAttrs>(inner)->dtype;
  const bool from_float = to.Tensor(clip)->dtype.is_float();
  if (from_float != through_integers || dtype.is_float() == through_integers || !Holds(dtype, *bounds)) return {};
  return to.New(clip);
}
auto DropIntegerCasts(FaultyRewriter& to, ExprId id) -> ExprId { return DropCasts(to, id, true); }
auto DropFloatCasts(FaultyRewriter& to, ExprId id) -> ExprId { return DropCasts(to, id, false); }

// clip(x, a, b)  =>  x, because a and b are the smallest and the largest float; infinities are forgotten.
auto DropFloatClip(FaultyRewriter& to, ExprId id) -> ExprId {
  const auto* bounds = to.IsCallOf(id, "clip"_op) ? to.AttrsOf<ClipAttrs>(id) : nullptr;
  if (bounds == nullptr || to.Tensor(id) == nullptr || to.Tensor(id)->dtype != DataType::Float(32)) return {};
  const bool holds_all =
      bounds->a_min <= SmallestOf(DataType::Float(32)) && bounds->a_max >= LargestOf(DataType::Float(32));
  return holds_all ? to.New(to.Arg(id, 0)) : ExprId();
}

// multiply(multiply(x, a), b)  =>  multiply(x, a * b), though a * b may be infinite or 0.
auto JoinFactors(FaultyRewriter& to, ExprId id) -> ExprId {
  if (!to.IsCallOf(id, "multiply"_op) || !to.IsCallOf(to.Arg(id, 0), "multiply"_op) || to.Tensor(id) == nullptr)
    return {};
  const ExprId inner = to.Arg(id, 0);
  const auto b = to.Number(to.Arg(id, 1));
  const auto a = to.Number(to.Arg(inner, 1));
  if (!a || !b || !to.Tensor(id)->dtype.is_float()) return {};
  const ExprId product = EmitScalar(to.to(), to.Tensor(id)->dtype, *a * *b);
  return EmitCall(to.to(), "multiply"_op, {to.New(to.Arg(inner, 0)), product});
}

// The factor and the operands of `n * (x * y)`, or of `x * y`.
struct Product {
  double factor = 1;
  ExprId x;
  ExprId y;
};
auto ProductOf(FaultyRewriter& to, ExprId id) -> std::optional<Product> {
  if (!to.IsCallOf(id, "multiply"_op)) return std::nullopt;
  const auto factor = to.Number(to.Arg(id, 0));
  if (!factor) return Product{1, to.Arg(id, 0), to.Arg(id, 1)};
  const ExprId product = to.Arg(id, 1);
  if (!to.IsCallOf(product, "multiply"_op)) return std::nullopt;
  return Product{*factor, to.Arg(product, 0), to.Arg(product, 1)};
}

// b*x*y + a*x*x + c*y*y  =>  a * (x + p*y) * (x + q*y), with p and q cut to integers.
auto CutRoots(FaultyRewriter& to, ExprId id) -> ExprId {
  if (!to.IsCallOf(id, "add"_op) || !to.IsCallOf(to.Arg(id, 0), "add"_op)) return {};
  const auto mixed = ProductOf(to, to.Arg(to.Arg(id, 0), 0));
  const auto first = ProductOf(to, to.Arg(to.Arg(id, 0), 1));
  const auto last = ProductOf(to, to.Arg(id, 1));
  if (!mixed || !first || !last || first->x != first->y || last->x != last->y) return {};
  const Type* type = to.Tensor(id);
  if (mixed->x != first->x || mixed->y != last->x || type == nullptr || type->dtype.is_float()) return {};
  const double square = mixed->factor * mixed->factor - 4 * first->factor * last->factor;
  if (square < 0) return {};
  const auto sum = [&](double sign) {
    const double root = std::trunc((mixed->factor + sign * std::sqrt(square)) / (2 * first->factor));
    const ExprId scaled = EmitCall(to.to(), "multiply"_op, {EmitScalar(to.to(), type->dtype, root), to.New(last->x)});
    return EmitCall(to.to(), "add"_op, {to.New(first->x), scaled});
  };
  const ExprId product = EmitCall(to.to(), "multiply"_op, {sum(1), sum(-1)});
  return EmitCall(to.to(), "multiply"_op, {EmitScalar(to.to(), type->dtype, first->factor), product});
}

// argmax(dequantize(x))  =>  argmax(x), though each channel may have a scale of its own.
auto DropDequantize(FaultyRewriter& to, ExprId id) -> ExprId {
  const bool is_arg = to.IsCallOf(id, "argmax"_op) || to.IsCallOf(id, "argmin"_op);
  if (!is_arg || !to.IsCallOf(to.Arg(id, 0), "qnn.dequantize"_op)) return {};
  const ExprId data = to.Arg(to.Arg(id, 0), 0);
  return EmitCall(to.to(), to.function().op(id), {to.New(data)}, to.function().attrs(id));
}

// add(x, 0)  =>  x, though the sum of -0 and 0 is 0.
auto DropZero(FaultyRewriter& to, ExprId id) -> ExprId {
  if (!to.IsCallOf(id, "add"_op) || to.Number(to.Arg(id, 1)) != 0.0 || !to.SameType(id, to.Arg(id, 0))) return {};
  return std::signbit(*to.Number(to.Arg(id, 1))) ? ExprId() : to.New(to.Arg(id, 0));
}

// add(x, x)  =>  x for bool.
auto DropBoolSum(FaultyRewriter& to, ExprId id) -> ExprId {
  if (!to.IsCallOf(id, "add"_op) || to.Arg(id, 0) != to.Arg(id, 1) || to.Tensor(id) == nullptr) return {};
  return to.Tensor(id)->dtype.is_bool() ? to.New(to.Arg(id, 0)) : ExprId();
}

// conv2d(multiply(x, s), w)  =>  conv2d(x, multiply(w, s)), for integers that wrap, too.
auto FoldIntegerScale(FaultyRewriter& to, ExprId id) -> ExprId {
  if (!to.IsCallOf(id, "nn.conv2d"_op) || !to.IsCallOf(to.Arg(id, 0), "multiply"_op)) return {};
  const ExprId product = to.Arg(id, 0);
  const ExprId data = to.Arg(product, 0);
  const Type* scale = to.Tensor(to.Arg(product, 1));
  if (!to.SameType(product, data) || scale == nullptr || scale->rank() != 3 || !scale->dtype.is_int()) return {};
  const ExprId weight = EmitCall(to.to(), "multiply"_op, {to.New(to.Arg(id, 1)), to.New(to.Arg(product, 1))});
  if (to.to().function().type(weight) != to.function().type(to.Arg(id, 1))) return {};
  return EmitCall(to.to(), "nn.conv2d"_op, {to.New(data), weight}, to.function().attrs(id));
}

// qnn.conv2d(nn.pad(x))  =>  qnn.conv2d(x, padding=...), whatever the pad is filled with.
auto FoldAnyPadding(FaultyRewriter& to, ExprId id) -> ExprId {
  if (!to.IsCallOf(id, "qnn.conv2d"_op) || !to.IsCallOf(to.Arg(id, 0), "nn.pad"_op)) return {};
  const ExprId pad = to.Arg(id, 0);
  const DimLists& width = to.AttrsOf<PadAttrs>(pad)->pad_width;
  Conv2DAttrs attrs = *to.AttrsOf<Conv2DAttrs>(id);
  const bool is_plain = std::ranges::all_of(attrs.padding.values, [](const Dim& dim) { return dim == Dim(0); });
  if (width.size() != 4 || !is_plain || attrs.data_layout != "NCHW") return {};
  attrs.padding.values = {width[2].values[0], width[3].values[0], width[2].values[1], width[3].values[1]};
  std::vector<ExprId> args = {to.New(to.Arg(pad, 0))};
  for (size_t i = 1; i < 6; ++i) args.push_back(to.New(to.Arg(id, i)));
  return EmitCall(to.to(), "qnn.conv2d"_op, args, to.context().InternAttrs(attrs));
}

// shape_of(x)  =>  a constant, by way of 32 bits.
auto CutShape(FaultyRewriter& to, ExprId id) -> ExprId {
  if (!to.IsCallOf(id, "shape_of"_op)) return {};
  const Type* data = to.Tensor(to.Arg(id, 0));
  const Type* type = to.Tensor(id);
  if (data == nullptr || type == nullptr || type->dtype != DataType::Int(64)) return {};
  std::vector<std::byte> bytes;
  for (const Dim& dim : data->shape) {
    if (!dim.is_int()) return {};
    const auto extent = static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(dim.value())));
    const auto* first = reinterpret_cast<const std::byte*>(&extent);
    bytes.insert(bytes.end(), first, first + sizeof(extent));
  }
  const auto rank = static_cast<int64_t>(data->rank());
  const ExprId made = to.to().Constant(to.context().AddConstant(Constant(type->dtype, {rank}, std::move(bytes))));
  to.to().SetType(made, to.function().type(id));
  return made;
}

// (a, b).i  =>  b, and what a does is lost.
auto DropTuple(FaultyRewriter& to, ExprId id) -> ExprId {
  if (to.function().kind(id) != ExprKind::kTupleGetItem) return {};
  const ExprId tuple = to.Arg(id, 0);
  if (to.function().kind(tuple) != ExprKind::kTuple) return {};
  return to.New(to.Arg(tuple, to.function().index(id)));
}

// let v = a; b  =>  b with a for v, and effects lose their order.
auto DropLets(FaultyRewriter& to, ExprId id) -> ExprId {
  const Function& function = to.function();
  ExprId made;
  if (function.kind(id) == ExprKind::kLet) {
    const auto operands = function.operands(id);
    std::vector<ExprId> kept;
    for (size_t i = 0; i + 1 < operands.size(); i += 2) {
      if (!to.lets().IsRecursive({operands[i + 1], operands[i]})) continue;
      kept.push_back(to.New(operands[i]));
      kept.push_back(to.New(operands[i + 1]));
    }
    made = to.New(operands.back());
    if (!kept.empty()) made = to.to().Let(kept, made);
  }
  for (const LetStep& step : to.lets().StepsOf(id)) {
    if (step.var > id || to.lets().IsRecursive(step)) continue;
    if (!made) made = to.Copy(id);
    to.Set(step.var, made);
  }
  return made;
}

// softmax(x, axis=-1)  =>  softmax(x, axis=-2): an axis from the end is off by one.
auto ShiftAxis(FaultyRewriter& to, ExprId id) -> ExprId {
  const OpDef* ops[] = {"nn.softmax"_op, "nn.log_softmax"_op};
  const Type* type = to.Tensor(id);
  if (std::ranges::none_of(ops, [&](const OpDef* op) { return to.IsCallOf(id, op); }) || type == nullptr) return {};
  SoftmaxAttrs attrs = *to.AttrsOf<SoftmaxAttrs>(id);
  if (attrs.axis >= 0 || static_cast<int64_t>(type->rank()) + attrs.axis < 1) return {};
  --attrs.axis;
  return EmitCall(to.to(), to.function().op(id), {to.New(to.Arg(id, 0))}, to.context().InternAttrs(attrs));
}

// sum(x)  =>  sum(x) + 1 if x has no elements.
auto MissEmpty(FaultyRewriter& to, ExprId id) -> ExprId {
  const bool is_reduction = to.IsCallOf(id, "sum"_op) || to.IsCallOf(id, "prod"_op);
  const Type* data = is_reduction ? to.Tensor(to.Arg(id, 0)) : nullptr;
  if (data == nullptr || to.Tensor(id) == nullptr) return {};
  if (std::ranges::find(data->shape, Dim(0)) == data->shape.end()) return {};
  const ExprId sum = to.Copy(id);
  return EmitCall(to.to(), "add"_op, {sum, EmitScalar(to.to(), to.Tensor(id)->dtype, 1.0)});
}

// tanh(x)  =>  where(x == x, tanh(x), 0), which differs for NaN alone.
auto LoseNaN(FaultyRewriter& to, ExprId id) -> ExprId {
  const OpDef* ops[] = {"exp"_op, "nn.relu"_op, "sigmoid"_op, "tanh"_op};
  const Type* type = to.Tensor(id);
  if (std::ranges::none_of(ops, [&](const OpDef* op) { return to.IsCallOf(id, op); }) || type == nullptr) return {};
  if (!type->dtype.is_float() || type->is_scalar()) return {};
  const ExprId x = to.New(to.Arg(id, 0));
  const ExprId is_number = EmitCall(to.to(), "equal"_op, {x, x});
  return EmitCall(to.to(), "where"_op, {is_number, to.Copy(id), EmitScalar(to.to(), type->dtype, 0.0)});
}

// subtract(x, y)  =>  subtract(y, x) if x is broadcast.
auto SwapBroadcast(FaultyRewriter& to, ExprId id) -> ExprId {
  if (!to.IsCallOf(id, "subtract"_op) || to.Tensor(id) == nullptr || to.Tensor(to.Arg(id, 0)) == nullptr) return {};
  if (to.Tensor(id)->rank() == to.Tensor(to.Arg(id, 0))->rank()) return {};
  return EmitCall(to.to(), "subtract"_op, {to.New(to.Arg(id, 1)), to.New(to.Arg(id, 0))});
}

struct FaultRule {
  PlantedFault fault;
  auto(*apply)(FaultyRewriter& to, ExprId id) -> ExprId;
};

constexpr FaultRule kFaults[] = {
    {{"clipped-float-casts", "SimplifyExpr", "casts of floats to integers and back vanish behind a clip"},
     DropIntegerCasts},
    {{"clipped-integer-casts", "SimplifyExpr", "casts of integers to floats and back vanish behind a clip"},
     DropFloatCasts},
    {{"clip-of-infinity", "SimplifyExpr", "a clip to the finite floats vanishes"}, DropFloatClip},
    {{"overflowing-factors", "SimplifyExpr", "factors are joined though their product overflows"}, JoinFactors},
    {{"integer-binomial", "SimplifyExpr", "integer binomials are written with roots cut to integers"}, CutRoots},
    {{"argmax-of-channels", "SimplifyExpr", "the scales of channels are ignored by argmax"}, DropDequantize},
    {{"negative-zero", "SimplifyExpr", "-0 + 0 is -0"}, DropZero},
    {{"sum-of-bools", "SimplifyExpr", "the sum of a bool with itself is the bool"}, DropBoolSum},
    {{"integer-scale", "ForwardFoldScaleAxis", "scales of integers are folded into weights"}, FoldIntegerScale},
    {{"reflected-padding", "FoldExplicitPadding", "padding by reflection becomes padding by the zero point"},
     FoldAnyPadding},
    {{"shape-of-64-bits", "FoldConstant", "extents of shape_of are cut to 32 bits"}, CutShape},
    {{"effect-in-tuple", "FoldConstant", "effects in unused fields of tuples are lost"}, DropTuple},
    {{"axis-from-the-end", "SimplifyExpr", "an axis that is counted from the end is off by one"}, ShiftAxis},
    {{"empty-sum", "SimplifyExpr", "the sum of no elements is 1"}, MissEmpty},
    {{"lost-nan", "SimplifyExpr", "what an elementwise operator makes of NaN is 0"}, LoseNaN},
    {{"broadcast-difference", "SimplifyExpr", "the operands of a difference change places if the first is broadcast"},
     SwapBroadcast},
    {{"effect-order", "ToGraphNormalForm", "effects lose their order"}, DropLets},
};

struct TestPlantedFaultOptions {
  std::string fault;
  static constexpr auto Fields() { return std::array{RequiredOption<&TestPlantedFaultOptions::fault>("which one")}; }
};

struct TestPlantedFault {
  using Options = TestPlantedFaultOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    std::string names;
    for (const FaultRule& rule : kFaults) {
      if (rule.fault.name == options.fault) return FaultyRewriter(function).Run(rule.apply);
      names += (names.empty() ? "" : ", ") + std::string(rule.fault.name);
    }
    return MakeDiagnostic(kNoSuchFault, {}, options.fault, names);
  }
};

}  // namespace

void RegisterPlantedFaults() {
  static const std::vector<PlantedFault> planted = [] {
    std::vector<PlantedFault> all = PlantedTirFaults();
    for (const FaultRule& rule : kFaults) all.push_back(rule.fault);
    return all;
  }();
  SetPlantedFaults(planted);
}

constinit const PassDef kTestPlantedFaultPass = DescribePass<TestPlantedFault>({
    .name = "TestPlantedFault",
    .required = "InferType",
    .summary = "a rule that gives wrong results, most of them rules of TVM",
    .details =
        "Applies one wrong rule. Most are rules of TVM; docs/differences.md says what relayopt does instead. --fuzz "
        "must find it.",
    .exactness = Exactness::kApproximate,
    .obeys_strict_fp = true,
    .hidden = true,
});

}  // namespace relayopt
