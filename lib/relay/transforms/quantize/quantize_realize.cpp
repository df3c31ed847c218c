// QuantizeRealize: simulated quantization becomes integer arithmetic.
//
// One walk upwards (ForwardRewriter). A value is plain, or it is marked: integers q of some type that stand for the
// reals dom_scale * q (ScaledValue). An operator with a rule for marked operands computes on the integers and marks its
// result; every other one, and the result of the function, gets the reals back (Realize), once for a value.
//
//   %0 = simulated_quantize(%x, s, -127, 127)   q = clip(round(x / s)), marked (s, float32)
//   %1 = simulated_quantize(%w, t, -127, 127)   the same with t
//   %2 = nn.conv2d(%0, %1)                      int8 x int8 -> int32, marked (s * t, int32)
//   %3 = nn.relu(%2)                            on integers, marked alike
//   nn.softmax(%3)                              no rule: cast(%3) * (s * t)
#include <algorithm>
#include <cmath>
#include <limits>

#include "config.h"
#include "forward_rewriter.h"
#include "lib/relay/transforms/pass_remarks.h"
#include "relayopt/relay/ops/elementwise.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Marks integers q that represent the real numbers dom_scale * q.
struct ScaledValue {
  // A scalar constant.
  ExprId dom_scale;
  // The type of q; float32 for quantized real numbers.
  DataType dtype;
  // Whether q have as few bits as an input or weight.
  bool is_narrow = false;
};

class Realizer : public ForwardRewriter<Realizer, ScaledValue> {
 public:
  Realizer(const Function& function, const QuantizeConfig& config)
      : ForwardRewriter(function), config_(config), emit_(to()) {}

  auto Rewrite(ExprId id, std::span<const Value> args) -> std::optional<Value> {
    static const OpRules<Rule> rules = {
        {"add"_op, &Realizer::Sum},
        {"annotation.cast_hint"_op, &Realizer::CastHint},
        {"annotation.stop_fusion"_op, &Realizer::Same},
        {"clip"_op, &Realizer::Clip},
        {"concatenate"_op, &Realizer::Concatenation},
        {"multiply"_op, &Realizer::Product},
        {"nn.avg_pool2d"_op, &Realizer::Average},
        {"nn.batch_flatten"_op, &Realizer::Same},
        {"nn.batch_matmul"_op, &Realizer::Accumulated},
        {"nn.conv1d"_op, &Realizer::Accumulated},
        {"nn.conv2d"_op, &Realizer::Accumulated},
        {"nn.dense"_op, &Realizer::Accumulated},
        {"nn.global_avg_pool2d"_op, &Realizer::Average},
        {"nn.max_pool1d"_op, &Realizer::Maximum},
        {"nn.max_pool2d"_op, &Realizer::Maximum},
        {"nn.relu"_op, &Realizer::Same},
        {"relay.op.annotation.simulated_quantize"_op, &Realizer::Quantization},
        {"reshape"_op, &Realizer::Same},
        {"strided_slice"_op, &Realizer::Same},
        {"transpose"_op, &Realizer::Same},
    };
    const Rule* rule = rules.Find(function().op(id));
    return rule == nullptr ? std::nullopt : (this->**rule)(id, args);
  }

  auto Realize(ExprId expr, const ScaledValue& scaled) -> ExprId {
    return emit_.Multiply(emit_.Cast(expr, kFloat32), scaled.dom_scale);
  }

 private:
  using Args = std::span<const Value>;
  using Rule = auto(Realizer::*)(ExprId id, Args args) -> std::optional<Value>;

  // Returns the call on numbers; typed again.
  auto ForwardNumbers(ExprId id, std::initializer_list<ExprId> args) -> ExprId {
    const ExprId made = EmitCall(to(), function().op(id), args, function().attrs(id));
    to().SetRange(made, function().range(id));
    return made;
  }

  auto CastUnless(DataType have, ExprId data, DataType want) -> ExprId {
    return have == want ? data : emit_.Cast(data, want);
  }
  auto ScaleOf(const ScaledValue& scaled) const -> float {
    return static_cast<float>(*emit_.constant(scaled.dom_scale)->ScalarAsDouble());
  }
  auto FloatConstant(float value) -> ExprId { return emit_.Real(value); }
  // Returns a float32 scalar constant that can be a scale or a bound.
  auto ScalarOf(const Value& value) const -> std::optional<float> {
    const Constant* constant = value.is_marked() || !value.expr ? nullptr : emit_.constant(value.expr);
    if (constant == nullptr || constant->dtype() != kFloat32 || !constant->is_scalar()) return std::nullopt;
    const auto number = static_cast<float>(*constant->ScalarAsDouble());
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  }
  static auto IsIntegral(float number) -> bool {
    return std::abs(number) < 0x1p31F && static_cast<float>(static_cast<int>(number)) == number;
  }

  // Whether numbers of one scale can be brought to the other by factors and shifts of 32 bits.
  static auto AreComparable(float a, float b) -> bool {
    const float ratio = a / b;
    return ratio > 0x1p-31F && ratio < 0x1p31F;
  }

  // Multiplies the data by a factor that is not a power of two.
  auto FixedPointProduct(ExprId data, float factor) -> ExprId {
    const bool to_nearest = config_.rounding == RequantizeRounding::kToNearest && emit_.tensor(data) != nullptr;
    return to_nearest ? EmitFixedPointMultiplyToNearest(emit_, data, factor)
                      : EmitFixedPointMultiply(emit_, data, factor);
  }

  auto Quantization(ExprId id, Args args) -> std::optional<Value> {
    const auto* attrs = function().context().As<QuantizationAttrs>(function().attrs(id));
    const auto scale = ScalarOf(args[1]);
    const auto low = ScalarOf(args[2]);
    const auto high = ScalarOf(args[3]);
    if (!scale || !(*scale > 0) || !low || !high || attrs->rounding != "round" || !attrs->sign) return std::nullopt;
    const bool is_narrow = attrs->kind == static_cast<int64_t>(QuantizedKind::kInput) ||
                           attrs->kind == static_cast<int64_t>(QuantizedKind::kWeight);
    const Bounds bounds = {*low, *high};
    const DataType dtype = is_narrow ? config_.dtype_input : config_.dtype_activation;
    if (const ScaledValue* from = MarkOf(args[0]); from != nullptr && AreComparable(ScaleOf(*from), *scale)) {
      const ScaledValue data = *from;
      return Marked(Requantized(args[0].expr, data, *scale, bounds), {args[1].expr, data.dtype, is_narrow});
    }
    const ExprId real = Realized(args[0]);
    const Type* type = emit_.tensor(real);
    if (type == nullptr || type->dtype != kFloat32) return std::nullopt;
    const ExprId scaled = emit_.Multiply(real, FloatConstant(1 / *scale));
    const ExprId rounded =
        emit_.Clip(emit_.Call("round"_op, {scaled}), bounds.low, std::min(bounds.high, LargestFloat(dtype)));
    return Marked(rounded, {args[1].expr, kFloat32, is_narrow});
  }

  // Returns the largest float32 that the conversion to this type of integers is defined for.
  static auto LargestFloat(DataType dtype) -> double { return std::nextafter(std::ldexp(1.0F, dtype.bits - 1), 0.0F); }

  struct Bounds {
    double low = 0;
    double high = 0;
  };

  // Numbers in another scale: from * q == to * q'.
  auto Requantized(ExprId data, const ScaledValue& from, float scale, const Bounds& bounds) -> ExprId {
    const float old_scale = ScaleOf(from);
    if (old_scale == scale) return emit_.Clip(data, bounds.low, bounds.high);
    const float bits = std::log2(scale / old_scale);
    if (bits != 0 && IsIntegral(bits)) {
      const DataType dtype = config_.dtype_activation;
      // Widens the data, because a narrow type could not hold the shifted value.
      const ExprId wide = CastUnless(from.dtype, data, dtype);
      const ExprId clipped = emit_.Clip(Shifted(wide, static_cast<int>(bits), dtype), bounds.low, bounds.high);
      return CastUnless(dtype, clipped, from.dtype);
    }
    const ExprId product = FixedPointProduct(emit_.Cast(data, kInt64), old_scale / scale);
    return emit_.Cast(emit_.Clip(product, bounds.low, bounds.high), from.dtype);
  }

  // To the right for a positive number of bits.
  auto Shifted(ExprId data, int bits, DataType dtype) -> ExprId {
    if (bits < 0) return emit_.Call("left_shift"_op, {data, emit_.Int(-bits, dtype)});
    if (config_.round_for_shift) data = emit_.Add(data, emit_.Int(int64_t{1} << (bits - 1), dtype));
    return emit_.Call("right_shift"_op, {data, emit_.Int(bits, dtype)});
  }

  // Convolutions and matrix products; both operands must have few bits, and the result be float32, which quantized
  // numbers become again.
  auto Accumulated(ExprId id, Args args) -> std::optional<Value> {
    const Type* type = TensorType(function(), id);
    if (type != nullptr && type->dtype != kFloat32) return std::nullopt;
    const ScaledValue* left = MarkOf(args[0]);
    const ScaledValue* right = MarkOf(args[1]);
    if (left == nullptr || right == nullptr || !left->is_narrow || !right->is_narrow) return std::nullopt;
    const ExprId data = CastUnless(left->dtype, args[0].expr, config_.dtype_input);
    const bool has_weight_type = function().op(id) == "nn.batch_matmul"_op && right->dtype == config_.dtype_weight;
    const ExprId weight = has_weight_type ? args[1].expr : emit_.Cast(args[1].expr, config_.dtype_weight);
    const auto scale = ProductOfScales(*left, *right);
    if (!scale) return std::nullopt;
    const ExprId sums = EmitCall(to(), function().op(id), {data, weight}, AccumulatingAttrs(id));
    to().SetRange(sums, function().range(id));
    return Marked(sums, {*scale, config_.dtype_activation});
  }

  auto AccumulatingAttrs(ExprId id) -> AttrsId {
    const AttrsRecord& record = function().context().attrs(function().attrs(id));
    AttrsBuilder builder(*record.schema, record.data);
    builder.schema().Find("out_dtype")->Mutable<DataType>(builder.data()) = config_.dtype_activation;
    return function().context().InternAttrs(std::move(builder));
  }

  // Returns the product of two scales, or nothing if it is not a valid scale.
  auto ProductOfScales(const ScaledValue& a, const ScaledValue& b) -> std::optional<ExprId> {
    const float product = ScaleOf(a) * ScaleOf(b);
    if (!(product > 0) || !std::isfinite(product)) return std::nullopt;
    return FloatConstant(product);
  }

  auto Product(ExprId id, Args args) -> std::optional<Value> {
    const ScaledValue* left = MarkOf(args[0]);
    const ScaledValue* right = MarkOf(args[1]);
    if (left == nullptr || right == nullptr || !left->is_narrow || !right->is_narrow) return std::nullopt;
    const DataType dtype = config_.dtype_activation;
    const ExprId lhs = CastUnless(left->dtype, args[0].expr, dtype);
    const ExprId rhs = CastUnless(right->dtype, args[1].expr, dtype);
    const auto scale = ProductOfScales(*left, *right);
    if (!scale) return std::nullopt;
    return Marked(ForwardNumbers(id, {lhs, rhs}), {*scale, dtype});
  }

  // Operands of one element type and scale.
  struct UnifiedOperands {
    std::vector<ExprId> data;
    DataType dtype;
    ExprId dom_scale;
  };

  auto Unify(std::span<const Value> values, std::span<const ExprId> old, DataType dtype)
      -> std::optional<UnifiedOperands> {
    std::vector<ScaledValue> scales;
    for (const Value& value : values) {
      const ScaledValue* scaled = MarkOf(value);
      if (scaled == nullptr) return std::nullopt;
      scales.push_back(*scaled);
    }
    const float scale = CommonScale(scales, dtype);
    for (const ScaledValue& scaled : scales) {
      if (!AreComparable(ScaleOf(scaled), scale)) return std::nullopt;
    }
    UnifiedOperands unified{{}, dtype, FloatConstant(scale)};
    for (size_t i = 0; i < values.size(); ++i) {
      ExprId data = values[i].expr;
      if (scales[i].dtype != dtype) {
        data = emit_.Cast(data, dtype);
      } else if (IsQuantizedInput(old[i])) {
        const ExprId narrow = emit_.Call("annotation.stop_fusion"_op, {emit_.Cast(data, config_.dtype_input)});
        data = emit_.Cast(narrow, dtype);
      }
      unified.data.push_back(Rescaled(data, ScaleOf(scales[i]), scale, dtype));
    }
    return unified;
  }

  auto IsQuantizedInput(ExprId old) const -> bool {
    if (function().kind(old) != ExprKind::kOpCall) return false;
    const auto* attrs = function().context().As<QuantizationAttrs>(function().attrs(old));
    return attrs != nullptr && attrs->kind == static_cast<int64_t>(QuantizedKind::kInput);
  }

  // The scale that operands are brought to: the smaller one of two; of several, one in which the whole range fits.
  auto CommonScale(std::span<const ScaledValue> scales, DataType dtype) const -> float {
    float smallest = std::numeric_limits<float>::infinity();
    float largest = 0;
    for (const ScaledValue& scaled : scales) {
      smallest = std::min(smallest, ScaleOf(scaled));
      largest = std::max(largest, ScaleOf(scaled));
    }
    if (scales.size() == 2) return smallest;
    const auto fixed =
        static_cast<float>(static_cast<float>(config_.global_scale) / std::pow(2.0, config_.nbit_activation - 1));
    // The data may show a larger range: numbers of few bits must not overflow.
    const double most = std::ldexp(1.0, dtype.bits - 1);
    const bool overflows = std::ranges::any_of(scales, [&](const ScaledValue& scaled) {
      const double bound = std::ldexp(1.0, config_.nbit_input - 1) - 1;
      return scaled.is_narrow && bound * (double{ScaleOf(scaled)} / fixed) >= most;
    });
    return fixed > smallest || overflows ? smallest : fixed;
  }

  // data * from / to, where from >= to.
  auto Rescaled(ExprId data, float from, float to_scale, DataType dtype) -> ExprId {
    if (from == to_scale) return data;
    const float factor = from / to_scale;
    const float bits = std::log2(factor);
    if (bits > 0 && IsIntegral(bits)) return emit_.Call("left_shift"_op, {data, emit_.Int(int64_t(bits), dtype)});
    if (IsIntegral(factor)) return emit_.Multiply(data, emit_.Int(int64_t(factor), dtype));
    return emit_.Cast(FixedPointProduct(data, factor), dtype);
  }

  auto Sum(ExprId id, Args args) -> std::optional<Value> {
    const ExprId old[] = {function().operand(id, 0), function().operand(id, 1)};
    auto unified = Unify(args, old, config_.dtype_activation);
    if (!unified) return std::nullopt;
    for (size_t i = 0; i < args.size(); ++i) {
      // Reals that were quantized here are converted in a kernel of their own.
      if (MarkOf(args[i])->dtype == kFloat32) {
        unified->data[i] = emit_.Call("annotation.stop_fusion"_op, {unified->data[i]});
      }
    }
    const ExprId sum = ForwardNumbers(id, {unified->data[0], unified->data[1]});
    return Marked(sum, {unified->dom_scale, unified->dtype});
  }

  auto Concatenation(ExprId id, Args args) -> std::optional<Value> {
    const ExprId tuple = function().operand(id, 0);
    const auto fields = Fields(args[0]);
    if (fields.empty() || function().kind(tuple) != ExprKind::kTuple) return std::nullopt;
    const auto unified = Unify(fields, function().operands(tuple), ConcatenatedType(fields));
    if (!unified) return std::nullopt;
    const bool is_narrow = unified->dtype == config_.dtype_input &&
                           std::ranges::all_of(fields, [&](const Value& field) { return MarkOf(field)->is_narrow; });
    const ExprId result = ForwardNumbers(id, {EmitTuple(to(), unified->data)});
    return Marked(result, {unified->dom_scale, unified->dtype, is_narrow});
  }

  // Two inputs of one scale stay inputs; else there must be room for a change of scale.
  auto ConcatenatedType(std::span<const Value> fields) const -> DataType {
    const bool ends_in_input =
        fields.size() == 2 && fields[1].is_marked() && MarkOf(fields[1])->dtype == config_.dtype_input;
    if (!ends_in_input || !fields[0].is_marked()) return config_.dtype_activation;
    const bool same_scale = ScaleOf(*MarkOf(fields[0])) == ScaleOf(*MarkOf(fields[1]));
    return same_scale && MarkOf(fields[0])->is_narrow ? config_.dtype_input : config_.dtype_activation;
  }

  auto Clip(ExprId id, Args args) -> std::optional<Value> {
    const ScaledValue* from = MarkOf(args[0]);
    const auto* attrs = function().context().As<ClipAttrs>(function().attrs(id));
    if (from == nullptr || attrs == nullptr) return std::nullopt;
    const ScaledValue data = *from;
    const double scale = ScaleOf(data);
    // Larger bounds cannot be printed.
    constexpr double kLargest = std::numeric_limits<float>::max();
    const auto bound = [&](double limit) { return std::clamp(limit / scale, -kLargest, kLargest); };
    return Marked(emit_.Clip(args[0].expr, bound(attrs->a_min), bound(attrs->a_max)), data);
  }

  auto Same(ExprId id, Args args) -> std::optional<Value> {
    if (!args[0].is_marked()) return std::nullopt;
    const ScaledValue data = *MarkOf(args[0]);
    return Marked(ForwardNumbers(id, {args[0].expr}), data);
  }

  auto Maximum(ExprId id, Args args) -> std::optional<Value> {
    if (!args[0].is_marked() || !MarkOf(args[0])->is_narrow) return std::nullopt;
    const ExprId scale = MarkOf(args[0])->dom_scale;
    const ExprId data = emit_.Cast(args[0].expr, config_.dtype_input);
    return Marked(ForwardNumbers(id, {data}), {scale, config_.dtype_input, true});
  }

  auto Average(ExprId id, Args args) -> std::optional<Value> {
    if (!args[0].is_marked()) return std::nullopt;
    const ScaledValue from = *MarkOf(args[0]);
    const ExprId data = CastUnless(from.dtype, args[0].expr, config_.dtype_activation);
    return Marked(ForwardNumbers(id, {data}), {from.dom_scale, config_.dtype_activation, from.is_narrow});
  }

  auto CastHint(ExprId id, Args args) -> std::optional<Value> {
    const auto* attrs = function().context().As<CastHintAttrs>(function().attrs(id));
    if (attrs == nullptr || !args[0].is_marked() || !MarkOf(args[0])->is_narrow) return std::nullopt;
    const ExprId scale = MarkOf(args[0])->dom_scale;
    return Marked(emit_.Cast(args[0].expr, attrs->dtype), {scale, attrs->dtype, true});
  }

  const QuantizeConfig& config_;
  QnnEmitter emit_;
};

struct QuantizeRealize {
  using Options = QuantizeOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    RELAYOPT_TRY(const QuantizeConfig config, ReadQuantizeConfig(options, context));
    std::optional<Function> made = Realizer(function, config).Run();
    PassRemarks remarks(context, "QuantizeRealize", module, made ? *made : function, id);
    if (remarks.is_wanted()) Report(made ? *made : function, remarks);
    return made;
  }

  // Which layers are computed on integers now.
  static void Report(const Function& function, PassRemarks& remarks) {
    constexpr const OpDef* kLayers[] = {"nn.batch_matmul"_op, "nn.conv1d"_op, "nn.conv2d"_op, "nn.dense"_op};
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kOpCall) continue;
      if (std::ranges::find(kLayers, function.op(id)) == std::end(kLayers)) continue;
      const TypeId type = function.type(function.operand(id, 0));
      const bool is_int =
          type && function.context().type(type).is_tensor() && function.context().type(type).dtype.is_int();
      if (is_int) {
        remarks.PassedOp("Integers", id, fmt::format("computes on {}", ToString(function.context().type(type).dtype)));
      } else {
        remarks.MissedOp("Floats", id,
                         "stays in floats: its operands are not quantized (skip_conv_layers, skip_dense_layer, or no "
                         "constant weight)");
      }
    }
  }
};

}  // namespace

constinit const PassDef kQuantizeRealizePass = DescribePass<QuantizeRealize>({
    .name = "QuantizeRealize",
    .opt_level = 1,
    .required = "InferType",
    .summary = "replaces simulated quantization by integer arithmetic",
    .details = R"(Behind a simulated quantization reals are integers q times a scale:

  relay.op.annotation.simulated_quantize(%x, s, -127, 127)    =>    clip(round(%x * (1 / s)), -127, 127)
  the same of integers in another scale                       =>    a shift, or fixed_point_multiply, clipped
  nn.conv2d, nn.conv1d, nn.dense, nn.batch_matmul             =>    the same on int8, with results of int32
  add, concatenate                                            =>    on operands brought to one scale
  multiply                                                    =>    on int32
  clip                                                        =>    with bounds divided by the scale
  nn.max_pool1d, nn.max_pool2d                                =>    on int8
  nn.avg_pool2d, nn.global_avg_pool2d                         =>    on int32
  nn.relu, reshape, strided_slice, transpose, ...             =>    the same

The scale of a product is the product of the scales. Where another operator takes the result, or the function ends, it
is cast to float32 and multiplied by its scale. FoldConstant computes what the weights have become.

Left alone: quantizations without constant scale and bounds, and operators with operands that are not quantized.)",
    .exactness = Exactness::kQuantizes,
});

}  // namespace relayopt
