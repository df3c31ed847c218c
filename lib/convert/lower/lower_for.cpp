// LowerFor: expands operators that the target lacks into operators that it has.
#include <algorithm>
#include <string>

#include "relayopt/convert/lower.h"
#include "relayopt/relay/eval/run_kernel.h"
#include "relayopt/relay/formula/emit.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/creation.h"
#include "relayopt/relay/ops/indexing.h"
#include "relayopt/relay/ops/join.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/slicing.h"
#include "relayopt/relay/ops/transform.h"
#include "rules.h"
#include "without_elements.h"

namespace relayopt {

auto EmptyLayerExtents(const OpDef* op, const Type* result) -> std::optional<std::vector<int64_t>> {
  if (result == nullptr || !result->is_tensor()) return std::nullopt;
  // Few types have one.
  if (std::ranges::none_of(result->shape, [](const Dim& extent) { return extent.is(0); })) return std::nullopt;
  if (op->fusion == Fusion::kElemWise) return std::nullopt;
  const bool is_along_axis = op == "argsort"_op || op == "cumprod"_op || op == "cumsum"_op || op == "sort"_op;
  if (!is_along_axis && !op->name.starts_with("nn.") && !op->name.starts_with("image.")) return std::nullopt;
  return KnownExtents(result->shape);
}

auto LowerCall::HasIntegers() const -> bool {
  const Type* type = input(0);
  return type != nullptr && !type->dtype.is_float();
}

auto LowerCall::HasBools() const -> bool {
  const Type* type = input(0);
  return type != nullptr && type->dtype.is_bool();
}

auto LowerCall::Cast(ExprId data, DataType dtype) const -> ExprId {
  const Type* type = tensor(data);
  return type != nullptr && type->dtype == dtype ? data : CallEmitter::Cast(data, dtype);
}

auto LowerCall::Elements(std::span<const std::byte> bytes, DataType dtype, std::vector<int64_t> shape) -> ExprId {
  return EmitConstant({dtype, std::move(shape), {bytes.begin(), bytes.end()}});
}

auto LowerCall::Indices(std::span<const int64_t> values, std::vector<int64_t> shape) -> ExprId {
  return Elements(std::as_bytes(values), kInt64, std::move(shape));
}

auto LowerCall::Numbers(std::span<const double> values, std::vector<int64_t> shape) -> ExprId {
  return Elements(std::as_bytes(values), DataType::Float(64), std::move(shape));
}

auto LowerCall::Reshape(ExprId data, Shape shape) -> ExprId {
  const DimList extents(std::vector<Dim>(shape.begin(), shape.end()));
  return CallWith("reshape"_op, ReshapeAttrs{.newshape = extents, .allowzero = true}, {data});
}

auto LowerCall::Reshape(ExprId data, std::span<const int64_t> shape) -> ExprId {
  const std::vector<Dim> extents(shape.begin(), shape.end());
  return Reshape(data, Shape(extents));
}

auto LowerCall::Transpose(ExprId data, std::span<const int64_t> axes) -> ExprId {
  return CallWith("transpose"_op, TransposeAttrs{.axes = DimList(std::vector<Dim>(axes.begin(), axes.end()))}, {data});
}

auto LowerCall::Slice(ExprId data, int64_t axis, int64_t begin, int64_t end, int64_t stride) -> ExprId {
  const StridedSliceAttrs attrs{.begin = {begin}, .end = {end}, .strides = {stride}, .axes = {axis}};
  return CallWith("strided_slice"_op, attrs, {data});
}

auto LowerCall::Take(ExprId data, ExprId places, int64_t axis) -> ExprId {
  return CallWith("take"_op, TakeAttrs{.axis = axis, .mode = "clip"}, {data, places});
}

auto LowerCall::Concatenate(std::span<const ExprId> parts, int64_t axis) -> ExprId {
  return CallWith("concatenate"_op, ConcatenateAttrs{.axis = axis}, {EmitTuple(to(), parts)});
}

auto Bounded(LowerCall& call, const OpDef* reduce, ExprId data) -> ExprId {
  const Type* type = call.tensor(data);
  if (type == nullptr || !type->dtype.is_float() || (reduce != "max"_op && reduce != "min"_op)) return data;
  if (type->dtype == DataType::BFloat(16)) return {};
  const double greatest = LargestFinite(type->dtype);
  if (reduce == "max"_op) return call.Call("maximum"_op, {call.Real(-greatest, type->dtype), data});
  return call.Call("minimum"_op, {call.Real(greatest, type->dtype), data});
}

namespace {

struct LowerForOptions {
  std::string target;
  static constexpr auto Fields() {
    return std::array{
        RequiredOption<&LowerForOptions::target>("whose operators are wanted: relax or onnx", {.words = "relax onnx"})};
  }
};

// Whether two types differ at most in the width of their extents; tuples of tuples must be equal.
auto SameType(const Context& context, TypeId a, TypeId b, bool looks_inside = true) -> bool {
  if (a == b || !a || !b) return a == b;
  const Type& x = context.type(a);
  const Type& y = context.type(b);
  if (x.is_tuple() && y.is_tuple() && looks_inside) {
    return std::equal(x.args.begin(), x.args.end(), y.args.begin(), y.args.end(),
                      [&](TypeId i, TypeId j) { return SameType(context, i, j, false); });
  }
  return x.is_tensor() && y.is_tensor() && x.dtype == y.dtype &&
         std::equal(x.shape.begin(), x.shape.end(), y.shape.begin(), y.shape.end(), SameExtent);
}

using LowerRules = OpRules<const LowerRule*>;
auto Indexed(std::initializer_list<std::span<const OpRule<LowerRule>>> families) -> LowerRules {
  LowerRules rules;
  for (const auto& family : families) {
    for (const OpRule<LowerRule>& row : family) rules.Add(row.op, &row.rule);
  }
  return rules;
}

// Returns the rules that both targets share.
auto SharedRules() -> const LowerRules& {
  static const LowerRules rules = Indexed(
      {LowerArithmeticRules(), LowerNetworkRules(), LowerPoolRules(), LowerMovementRules(), LowerTensorRules()});
  return rules;
}

// Returns the rules that take precedence for each target.
auto RelaxRules() -> const LowerRules& {
  static const LowerRules rules = Indexed({LowerRelaxRules()});
  return rules;
}
auto OnnxRules() -> const LowerRules& {
  static const LowerRules rules = Indexed({LowerOnnxRules()});
  return rules;
}

// Returns the formula for the type of the first argument; none if there is none.
auto FormulaFor(LowerCall& call, const LowerRule::Formulas& formulas) -> const Formula& {
  if (!call.HasIntegers()) return formulas.floats;
  if (call.HasBools() && formulas.bools) return formulas.bools;
  return call.input(0)->dtype.is_uint() && formulas.unsigneds ? formulas.unsigneds : formulas.integers;
}

auto Apply(const LowerRule& rule, LowerCall& call) -> ExprId {
  if (rule.lowering != nullptr) return rule.lowering(call);
  if (rule.namesake != nullptr) return EmitCall(call.to(), rule.namesake, call.args, call.function().attrs(call.id()));
  const Type* type = call.input(0);
  const Formula& formula = FormulaFor(call, rule.formulas);
  if (type == nullptr || !formula) return {};
  TypedFormulaEmitter emitter(call.to(), type->dtype);
  const FormulaName names[] = {{"x", call.args[0]}, {"y", call.args.back()}};
  return EmitFormula(emitter, formula, names)[0];
}

// Rules may make lists as long as an axis, and loops over pairs of axes. What no computer holds is not rewritten.
auto HasUsualSize(LowerCall& call) -> bool {
  constexpr int64_t kMostElements = int64_t{1} << 40;
  constexpr int64_t kMostExtent = int64_t{1} << 26;
  const auto is_usual = [](const Type* type) {
    if (type == nullptr) return true;
    int64_t count = 1;
    for (const Dim& dim : type->shape) {
      if (!dim.is_int()) continue;
      const int64_t extent = dim.value();
      if (extent < 0 || extent > kMostExtent || __builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count))
        return false;
    }
    return count <= kMostElements;
  };
  bool all = is_usual(call.result());
  for (size_t i = 0; i < call.args.size(); ++i) all &= is_usual(call.input(i));
  return all;
}

auto WithoutElements(LowerCall& call) -> ExprId {
  const auto extents = EmptyLayerExtents(call.op(), call.result());
  if (!extents) return {};
  const InitOpAttrs attrs{.shape = DimList({extents->begin(), extents->end()}), .dtype = call.result()->dtype};
  return call.CallWith("zeros"_op, attrs, {});
}

auto EmitLowered(LowerCall& call) -> ExprId {
  if (const ExprId made = WithoutElements(call); made.has_value()) return made;
  if (!HasUsualSize(call)) return {};
  if (call.target == LowerTarget::kRelax) {
    if (const auto* rule = RelaxRules().Find(call.op()); rule != nullptr) return Apply(**rule, call);
  }
  if (call.target == LowerTarget::kOnnx) {
    if (const auto* found = OnnxRules().Find(call.op()); found != nullptr) {
      const LowerRule& rule = **found;
      if (rule.keeps != nullptr && rule.keeps(call)) return {};
      const ExprId made = Apply(rule, call);
      if (made.has_value()) return made;
    }
  }
  const auto* rule = SharedRules().Find(call.op());
  return rule == nullptr ? ExprId() : Apply(**rule, call);
}

// Returns the new call, or none if the old one stays.
auto Lower(Rebuild& rebuild, ExprId id, LowerTarget target) -> ExprId {
  const Function& from = rebuild.from();
  if (from.kind(id) != ExprKind::kOpCall) return {};
  if (PassesThrough(*from.op(id))) return rebuild.New(from.operand(id, 0));
  LowerCall call(rebuild.to(), from, id, rebuild.NewOperands(id), target);
  const ExprId made = EmitLowered(call);
  // If the type differs, the rule does not support the case, and the call stays.
  if (!made.has_value() || !SameType(from.context(), rebuild.to().function().type(made), from.type(id))) return {};
  rebuild.to().SetSpan(made, from.span(id));
  return made;
}

struct LowerFor {
  using Options = LowerForOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    const LowerTarget target = options.target == "onnx" ? LowerTarget::kOnnx : LowerTarget::kRelax;
    Rebuild rebuild(function);
    return rebuild.Rewrite([&](ExprId id) { return Lower(rebuild, id, target); });
  }
};

}  // namespace

auto HasLowering(std::string_view op, std::string_view target) -> bool {
  const OpDef* def = FindOp(op);
  if (def == nullptr) return false;
  return PassesThrough(*def) || SharedRules().contains(def) ||
         (target == "onnx" ? OnnxRules().contains(def) : RelaxRules().contains(def));
}

constinit const PassDef kLowerForPass = DescribePass<LowerFor>({
    .name = "LowerFor",
    .opt_level = 0,
    .required = "InferType",
    .summary = "expresses operators that another system lacks by those that it has",
    .details =
        R"(Prepares a module for being written as Relax (target=relax) or ONNX (target=onnx): an operator that has no
namesake there becomes several that have, as

  nn.dense(x, w)          =>  nn.matmul(x, transpose(w))
  nn.bias_add(x, b)       =>  add(x, expand_dims(b))
  fast_exp(x)             =>  exp(x)
  nn.global_avg_pool2d(x) =>  mean(x, axis=[2, 3], keepdims=True)
  nn.mirror_pad(x)        =>  take(take(x, [1, 0, 1, 2, 1], axis=2), ..., axis=3)

Annotations (on_device, copy, annotation.*) disappear. What only moves elements becomes reshape, transpose and take with
constant places. Results agree up to rounding.

Left alone: operators that the target has, those that have no form there, and calls whose extents are not known where the
form needs them.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
