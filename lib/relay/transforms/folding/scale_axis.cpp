// Channel axes, and tensors that broadcast along them.
#include "scale_axis.h"

#include <algorithm>
#include <cstring>

#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ops/layout.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

// Returns the axes of primal axis `primal` and of its blocks in a layout.
auto AxesOf(const Layout& layout, char primal) -> std::optional<ScaleAxes> {
  const auto blocks = layout.Find(primal);
  const auto inside = layout.Find(static_cast<char>(primal - 'A' + 'a'));
  if (!blocks || (inside && *inside < *blocks)) return std::nullopt;
  return inside ? ScaleAxes{{*blocks, *inside}, 2} : ScaleAxes{{*blocks, 0}, 1};
}

// Returns the number of elements along axes, or nothing if an extent is not known.
auto Elements(Shape shape, const ScaleAxes& axes) -> std::optional<int64_t> {
  const auto extents = MapToVector<Dim>(axes.all(), [&](size_t axis) { return shape[axis]; });
  return NumElements(extents);
}

auto IsNumber(DataType dtype) -> bool {
  return dtype == DataType::Float(16) || dtype == DataType::Float(32) || dtype == DataType::Float(64);
}

// Returns an element of a constant as a double.
auto ElementAt(const Constant& constant, const std::byte* data) -> double {
  const DataType dtype = constant.dtype();
  const auto read = [data]<typename T>(T value) {
    std::memcpy(&value, data, sizeof(T));
    return value;
  };
  switch (dtype.bits) {
    case 16: return static_cast<double>(HalfToFloat(read(uint16_t{})));
    case 32: return static_cast<double>(read(float{}));
    default: return read(double{});
  }
}

}  // namespace

auto HasScalableLayers(const Function& function) -> bool {
  return std::ranges::any_of(function.ids(), [&](ExprId id) {
    if (function.kind(id) != ExprKind::kOpCall) return false;
    const ScaleRule rule = function.op(id)->scale_rule;
    return rule == ScaleRule::kConvolution || rule == ScaleRule::kDense;
  });
}

ScaleAxisAnalysis::ScaleAxisAnalysis(const Function& function, Scope scope)
    : function_(function), scope_(scope), effects_(function.size()) {
  FindEffects();
  if (scope_.constants_only) uses_.emplace(function);
}

void ScaleAxisAnalysis::FindEffects() {
  for (const ExprId id : function_.ids()) {
    switch (function_.kind(id)) {
      // Making a closure has no effect, calling it may have.
      case ExprKind::kFunction: continue;
      case ExprKind::kCall:
      case ExprKind::kRefCreate:
      case ExprKind::kRefRead:
      case ExprKind::kRefWrite: effects_[id] = true; break;
      case ExprKind::kOpCall: effects_[id] = function_.op(id)->stateful; break;
      default: break;
    }
    for (const ExprId operand : function_.operands(id)) effects_[id] = effects_[id] || effects_[operand];
  }
}

auto ScaleAxisAnalysis::ConvolutionOf(ExprId call) const -> std::optional<ConvolutionInfo> {
  const Context& context = function_.context();
  const AttrsId attrs = function_.attrs(call);
  if (const auto* conv = context.As<Conv2DAttrs>(attrs)) {
    return ConvolutionInfo{conv->groups, conv->data_layout, conv->kernel_layout, conv->out_layout, "OIHW"};
  }
  if (const auto* conv = context.As<Conv3DAttrs>(attrs)) {
    return ConvolutionInfo{conv->groups, conv->data_layout, conv->kernel_layout, conv->out_layout, "OIDHW"};
  }
  return std::nullopt;
}

auto ScaleAxisAnalysis::WeightedAxes(ExprId call, bool input) const -> std::optional<ScaleAxes> {
  if (function_.operands(call).size() != 2) return std::nullopt;
  const ExprId weights = function_.operand(call, 1);
  if (scope_.constants_only && !IsOwn(weights)) return std::nullopt;
  const Type* scaled = TensorType(function_, input ? function_.operand(call, 0) : call);
  const Type* weight = TensorType(function_, weights);
  const Type* result = TensorType(function_, call);
  // With rounding or wrap-around, a scaled sum is not the sum of scaled products.
  if (scaled == nullptr || weight == nullptr || !scaled->dtype.is_float() || scaled->dtype != weight->dtype ||
      result == nullptr || !result->dtype.is_float()) {
    return std::nullopt;
  }
  switch (RuleOf(call)) {
    case ScaleRule::kDense: return scaled->rank() == 2 ? std::optional(ScaleAxes{{1, 0}, 1}) : std::nullopt;
    case ScaleRule::kConvolution: return ConvolutionAxes(call, input);
    default: return std::nullopt;
  }
}

// Whether a product with this expression may be a part of an activation or a normalization, which other systems
// recognize only if it is left whole: x * (1 + erf(y)) * 0.5, (x - mean) / root * gamma.
auto ScaleAxisAnalysis::IsSpelledOut(ExprId id) const -> bool {
  return function_.kind(id) == ExprKind::kOpCall &&
         (function_.op(id) == "multiply"_op || function_.op(id) == "divide"_op);
}

// Whether a constant may be replaced: it has no other use, or is so small that a copy does not matter.
auto ScaleAxisAnalysis::IsOwn(ExprId weights) const -> bool {
  constexpr size_t kSmall = 1024;
  if (function_.kind(weights) != ExprKind::kConstant) return false;
  return uses_->IsOwn(weights) || function_.constant(weights).num_bytes() <= kSmall;
}

auto ScaleAxisAnalysis::ConvolutionAxes(ExprId call, bool input) const -> std::optional<ScaleAxes> {
  const auto info = ConvolutionOf(call);
  if (!info) return std::nullopt;
  const auto layout = Layout::Parse(input || info->out_layout.empty() ? info->data_layout : info->out_layout);
  const Type& scaled = *TensorType(function_, input ? function_.operand(call, 0) : call);
  if (!layout || layout->rank() != scaled.rank()) return std::nullopt;
  const auto axes = AxesOf(*layout, 'C');
  const auto weight_axes = WeightAxes(call, *info, input);
  if (!axes || !weight_axes || axes->count != weight_axes->count) return std::nullopt;
  if (axes->count == 1) return axes;
  // The scale is reshaped, which needs as many elements on both sides.
  const auto elements = Elements(scaled.shape, *axes);
  const Type& weight = *TensorType(function_, function_.operand(call, 1));
  return elements && elements == Elements(weight.shape, *weight_axes) ? axes : std::nullopt;
}

// Returns the axes of the weight that a scale of the input or the output belongs to, or nothing for the input of
// grouped convolutions, and where only a part of the layouts is blocked.
auto ScaleAxisAnalysis::WeightAxes(ExprId call, const ConvolutionInfo& info, bool input) const
    -> std::optional<ScaleAxes> {
  const auto layout = Layout::Parse(info.kernel_layout);
  const auto plain = Layout::Parse(info.plain_kernel_layout);
  const Type& weight = *TensorType(function_, function_.operand(call, 1));
  if (!layout || !layout->ConvertibleTo(*plain) || layout->rank() != weight.rank()) return std::nullopt;
  if (layout->Contains('o') != layout->Contains('i')) return std::nullopt;
  const std::vector<Dim> shape = layout->ForwardShape(function_.context(), *plain, weight.shape);
  const bool depthwise = shape[0].is(info.groups) && shape[1].is(1);
  // As TVM: results of grouped convolutions are scaled only on request.
  if (info.groups != 1 && !depthwise && (input || !scope_.groups)) return std::nullopt;
  return AxesOf(*layout, input && !depthwise ? 'I' : 'O');
}

auto ScaleAxisAnalysis::EmitWeight(FunctionBuilder& to, ExprId call, ExprId weight, ExprId scale, bool input) const
    -> ExprId {
  const ExprId old_weight = function_.operand(call, 1);
  const auto info = ConvolutionOf(call);
  const ScaleAxes axes = info ? *WeightAxes(call, *info, input) : ScaleAxes{{input ? size_t{1} : size_t{0}, 0}, 1};
  return EmitCall(to, "multiply"_op, {weight, EmitAlong(to, old_weight, scale, axes)});
}

auto ScaleAxisAnalysis::LiesAlong(ExprId whole, ExprId part, const ScaleAxes& axes) const -> bool {
  const Type* outer = TensorType(function_, whole);
  const Type* inner = TensorType(function_, part);
  if (outer == nullptr || inner == nullptr || inner->rank() > outer->rank()) return false;
  const size_t base = outer->rank() - inner->rank();
  size_t met = 0;
  for (size_t i = base; i < outer->rank(); ++i) {
    const bool wanted = std::ranges::find(axes.all(), i) != axes.all().end();
    met += wanted ? 1 : 0;
    const Dim& extent = inner->shape[i - base];
    if (wanted ? !extent.is_int() || extent != outer->shape[i] : !extent.is(1)) return false;
  }
  return met == axes.count;
}

auto ScaleAxisAnalysis::IsScale(ExprId whole, ExprId part, const ScaleDemand& demand) -> bool {
  const Type* outer = TensorType(function_, whole);
  const Type* inner = TensorType(function_, part);
  if (outer == nullptr || inner == nullptr || effects_[part]) return false;
  if (scope_.constants_only && (!ConstantValuesOf(part) || IsSpelledOut(whole))) return false;
  if (inner->rank() == 0) {
    if (!Elements(outer->shape, demand.axes)) return false;
  } else if (!LiesAlong(whole, part, demand.axes)) {
    return false;
  }
  if (!demand.positive && !demand.nonzero) return true;
  const auto values = ValuesOf(part);
  // Unknown scales are assumed to be finite and not 0.
  return values ? (values->positive || !demand.positive) && (values->nonzero || !demand.nonzero) : !demand.positive;
}

auto ScaleAxisAnalysis::EmitScale(FunctionBuilder& to, ExprId whole, ExprId part, ExprId made_part,
                                  const ScaleAxes& axes) const -> ExprId {
  const Type& outer = *TensorType(function_, whole);
  const Type& inner = *TensorType(function_, part);
  if (inner.rank() == 0 && scope_.constants_only && function_.kind(part) == ExprKind::kConstant)
    return EmitFilled(to, function_.constant(part), outer, axes);
  if (inner.rank() == 0) {
    const auto count = static_cast<int64_t>(axes.count);
    ExprId scale = EmitCallWith(to, "expand_dims"_op, ExpandDimsAttrs{.axis = 0, .num_newaxis = count}, {made_part});
    for (size_t i = 0; i < axes.count; ++i) {
      const RepeatAttrs attrs{.repeats = outer.shape[axes.axes[i]].value(), .axis = static_cast<int64_t>(i)};
      scale = EmitCallWith(to, "repeat"_op, attrs, {scale});
    }
    return scale;
  }
  const size_t base = outer.rank() - inner.rank();
  SqueezeAttrs attrs;
  attrs.axis = DimList();
  for (size_t i = 0; i < inner.rank(); ++i) {
    if (std::ranges::find(axes.all(), base + i) == axes.all().end())
      attrs.axis.values.emplace_back(static_cast<int64_t>(i));
  }
  return attrs.axis.empty() ? made_part : EmitCallWith(to, "squeeze"_op, attrs, {made_part});
}

// Returns a constant of one number. FoldConstant would leave its repetition alone where it makes a constant larger.
auto ScaleAxisAnalysis::EmitFilled(FunctionBuilder& to, const Constant& number, const Type& outer,
                                   const ScaleAxes& axes) -> ExprId {
  const auto shape = MapToVector<int64_t>(axes.all(), [&](size_t axis) { return outer.shape[axis].value(); });
  Tensor filled(number.dtype(), shape);
  const auto bytes = number.Bytes();
  for (size_t at = 0; at < filled.num_bytes(); at += bytes->size())
    std::ranges::copy(*bytes, filled.MutableBytes() + at);
  return EmitConstant(to, filled);
}

auto ScaleAxisAnalysis::EmitAlong(FunctionBuilder& to, ExprId whole, ExprId scale, const ScaleAxes& axes) const
    -> ExprId {
  const Type& outer = *TensorType(function_, whole);
  if (axes.count == 1) return ExpandBias(to, scale, outer.rank(), static_cast<int64_t>(axes.axes[0]));
  ReshapeAttrs attrs;
  attrs.newshape = DimList(std::vector<Dim>(outer.rank(), 1));
  for (const size_t axis : axes.all()) attrs.newshape.values[axis] = outer.shape[axis].value();
  return EmitCallWith(to, "reshape"_op, attrs, {scale});
}

auto ScaleAxisAnalysis::ValuesOf(ExprId id) -> std::optional<Values> {
  if (const auto values = ConstantValuesOf(id)) return values;
  if (AreIntegers(id)) return Values{false, false};
  id = WithoutRearrangement(id);
  if (function_.kind(id) != ExprKind::kOpCall || function_.op(id) != "multiply"_op) return std::nullopt;
  // A product with zeros has zeros.
  for (const ExprId factor : function_.operands(id)) {
    const auto values = ConstantValuesOf(factor);
    if (values ? !values->nonzero : AreIntegers(factor)) return Values{false, false};
  }
  return std::nullopt;
}

auto ScaleAxisAnalysis::WithoutRearrangement(ExprId id) const -> ExprId {
  // Expansion, a squeeze: more are not worth the time.
  constexpr int kMaxSteps = 4;
  for (int i = 0; i < kMaxSteps && RuleOf(id) == ScaleRule::kRearranges; ++i) id = function_.operand(id, 0);
  return id;
}

// Random integers, unlike floats, are often zero.
auto ScaleAxisAnalysis::AreIntegers(ExprId id) const -> bool {
  id = WithoutRearrangement(id);
  if (function_.kind(id) != ExprKind::kOpCall || function_.op(id) != "cast"_op) return false;
  const Type* type = TensorType(function_, function_.operand(id, 0));
  return type != nullptr && !type->dtype.is_float();
}

// Returns the elements of a constant, or of an expression that rearranges one, or nothing for other expressions.
auto ScaleAxisAnalysis::ConstantValuesOf(ExprId id) -> std::optional<Values> {
  std::vector<ExprId> way;
  std::optional<Values> values;
  while (true) {
    if (const auto known = values_.find(id); known != values_.end()) {
      values = known->second;
      break;
    }
    way.push_back(id);
    if (RuleOf(id) == ScaleRule::kRearranges) {
      id = function_.operand(id, 0);
      continue;
    }
    if (function_.kind(id) != ExprKind::kConstant || !IsNumber(function_.constant(id).dtype())) break;
    const Constant& constant = function_.constant(id);
    const ElementBytes elements = constant.Elements();
    const size_t step = constant.dtype().bytes();
    values = Values{true, true};
    for (size_t i = 0; i + step <= elements.size(); i += step) {
      const double element = ElementAt(constant, elements.data() + i);
      // As TVM: a scale of zero counts as positive: both sides are zero then.
      if (element < 0) values->positive = false;
      if (element == 0) values->nonzero = false;
    }
    break;
  }
  for (const ExprId known : way) values_.emplace(known, values);
  return values;
}

}  // namespace relayopt
