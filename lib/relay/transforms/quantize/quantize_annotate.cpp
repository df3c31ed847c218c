// QuantizeAnnotate: inserts simulated quantization in front of operators that can compute on integers.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "config.h"
#include "forward_rewriter.h"
#include "lib/relay/transforms/named_globals.h"
#include "lib/relay/transforms/root_params.h"
#include "relayopt/relay/analysis/analysis.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kPackedConvolution = {
    "packed-convolution", Severity::kWarning,
    "nn.contrib_conv2d_NCHWc stays in floats: quantize before layouts are changed"};

// Inserts quantization, and marks values computed with integers: kInput has few bits, kActivation is a sum of products.
class Annotator : public ForwardRewriter<Annotator, QuantizedKind> {
 public:
  Annotator(const Function& function, const QuantizeConfig& config, PassContext& context)
      : ForwardRewriter(function), config_(config), context_(context) {}

  auto Rewrite(ExprId id, std::span<const Value> args) -> std::optional<Value> {
    const OpDef* op = function().op(id);
    const auto& enabled = config_.debug_enabled_ops;
    const Rule* rule = Rules().Find(op);
    if (rule == nullptr || !ComputesOnFloats(id)) return std::nullopt;
    if (!enabled.empty() && std::ranges::find(enabled, op->name) == enabled.end()) return std::nullopt;
    return (this->**rule)(id, args);
  }

  auto Realize(ExprId expr, const QuantizedKind&) -> ExprId { return expr; }

  // Whether a function has an operator whose rule acts although nothing is quantized before it, or a projection, which
  // may be one of a literal tuple. Any other function stays as it is.
  static auto MayAct(const Function& function) -> bool {
    return std::ranges::any_of(function.ids(), [&](ExprId id) {
      if (function.kind(id) == ExprKind::kTupleGetItem) return true;
      if (function.kind(id) != ExprKind::kOpCall) return false;
      const Rule* rule = Rules().Find(function.op(id));
      return rule != nullptr && StartsQuantization(*rule);
    });
  }

  // Free variables become parameters, after the others.
  auto Root(ExprId root) -> ExprId {
    std::vector<ExprId> params(made().params(root).begin(), made().params(root).end());
    const std::vector<ExprId> free = FindVars(made(), root).free;
    params.insert(params.end(), free.begin(), free.end());
    return EmitRoot(to(), function(), std::move(params), made().body(root));
  }

  // Users that share a value share its quantization.
  auto ForManyUses(const Value& value) -> Value {
    return Marked(Quantized(value.expr, QuantizedKind::kInput), QuantizedKind::kInput);
  }

 private:
  using Args = std::span<const Value>;
  using Rule = auto(Annotator::*)(ExprId id, Args args) -> std::optional<Value>;

  static auto Rules() -> const OpRules<Rule>& {
    static const OpRules<Rule> rules = {
        {"add"_op, &Annotator::Sum},
        {"annotation.cast_hint"_op, &Annotator::CastHint},
        {"annotation.stop_fusion"_op, &Annotator::Same},
        {"clip"_op, &Annotator::Same},
        {"concatenate"_op, &Annotator::Concatenation},
        {"multiply"_op, &Annotator::Product},
        {"nn.avg_pool2d"_op, &Annotator::Same},
        {"nn.batch_flatten"_op, &Annotator::Same},
        {"nn.batch_matmul"_op, &Annotator::BatchMatmul},
        {"nn.contrib_conv2d_NCHWc"_op, &Annotator::PackedConvolution},
        {"nn.conv1d"_op, &Annotator::Weighted},
        {"nn.conv2d"_op, &Annotator::Weighted},
        {"nn.dense"_op, &Annotator::Dense},
        {"nn.global_avg_pool2d"_op, &Annotator::Last},
        {"nn.max_pool1d"_op, &Annotator::Maximum},
        {"nn.max_pool2d"_op, &Annotator::Maximum},
        {"nn.relu"_op, &Annotator::Same},
        {"reshape"_op, &Annotator::Same},
        {"strided_slice"_op, &Annotator::Same},
        {"transpose"_op, &Annotator::Same},
    };
    return rules;
  }
  static auto StartsQuantization(Rule rule) -> bool {
    return rule == &Annotator::CastHint || rule == &Annotator::BatchMatmul || rule == &Annotator::PackedConvolution ||
           rule == &Annotator::Weighted || rule == &Annotator::Dense;
  }

  // Integers need no quantization, and floats of other types get none.
  auto ComputesOnFloats(ExprId id) const -> bool {
    const auto may_be_float = [&](ExprId expr) {
      const TypeId type = function().type(expr);
      if (!type || !function().context().type(type).is_tensor()) return true;
      return function().context().type(type).dtype == DataType::Float(32);
    };
    return may_be_float(id) && std::ranges::all_of(function().operands(id), may_be_float);
  }

  // Whether the operator is to stay in floats; counts convolutions.
  auto Skips(ExprId id) -> bool {
    if (has_ended_) return true;
    if (function().op(id) != "nn.conv2d"_op || config_.skip_conv_layers.empty()) return false;
    return std::ranges::find(config_.skip_conv_layers, num_convolutions_++) != config_.skip_conv_layers.end();
  }

  // The value, quantized in simulation; one quantization for each value and kind. Its scale and bounds are variables.
  auto Quantized(ExprId value, QuantizedKind kind) -> ExprId {
    if (made().kind(value) == ExprKind::kOpCall && made().op(value) == kSimulatedQuantize) {
      const auto* attrs = made().context().As<QuantizationAttrs>(made().attrs(value));
      if (attrs->kind == static_cast<int64_t>(kind) && attrs->sign && attrs->rounding == "round") return value;
    }
    ExprId& quantized = quantized_[{value, kind}];
    if (!quantized) {
      const ExprId scale = Parameter("dom_scale");
      const ExprId low = Parameter("clip_min");
      const ExprId high = Parameter("clip_max");
      quantized = EmitCallWith(to(), kSimulatedQuantize, QuantizationAttrs{.kind = static_cast<int64_t>(kind)},
                               {value, scale, low, high});
      to().SetRange(quantized, made().range(value));
    }
    return quantized;
  }

  auto Parameter(std::string_view name) -> ExprId {
    const TypeId type = to().context().Scalar(DataType::Float(32));
    const ExprId var = to().Var({.name = to().context().Intern(name), .annotation = type});
    to().SetType(var, type);
    return var;
  }

  auto IsConstant(const Value& value) const -> bool {
    return value.expr && made().kind(value.expr) == ExprKind::kConstant;
  }
  // Keeps a value that already has few bits; quantizes others.
  auto AsInput(const Value& value) -> ExprId {
    const QuantizedKind* kind = MarkOf(value);
    if (kind != nullptr && *kind == QuantizedKind::kInput) return value.expr;
    return Quantized(Realized(value), QuantizedKind::kInput);
  }
  // The same, but a constant counts as a weight.
  auto AsFactor(const Value& value) -> ExprId {
    return IsConstant(value) ? Quantized(value.expr, QuantizedKind::kWeight) : AsInput(value);
  }

  // Products with a weight.
  auto Weighted(ExprId id, Args args) -> std::optional<Value> {
    if (Skips(id) || args[1].is_marked()) return std::nullopt;
    const ExprId data = AsInput(args[0]);
    const ExprId weight = Quantized(Realized(args[1]), QuantizedKind::kWeight);
    return Marked(Forward(id, {data, weight}), QuantizedKind::kActivation);
  }
  auto Dense(ExprId id, Args args) -> std::optional<Value> {
    return config_.skip_dense_layer ? std::nullopt : Weighted(id, args);
  }
  auto BatchMatmul(ExprId id, Args args) -> std::optional<Value> {
    if (Skips(id)) return std::nullopt;
    const ExprId left = AsFactor(args[0]);
    const ExprId right = AsFactor(args[1]);
    return Marked(Forward(id, {left, right}), QuantizedKind::kActivation);
  }
  auto PackedConvolution(ExprId id, Args) -> std::optional<Value> {
    context_.diagnostics().Report(kPackedConvolution, function().range(id));
    return std::nullopt;
  }

  auto Product(ExprId id, Args args) -> std::optional<Value> {
    if (Skips(id) || (!args[0].is_marked() && !args[1].is_marked())) return std::nullopt;
    const ExprId left = AsFactor(args[0]);
    const ExprId right = AsFactor(args[1]);
    return Marked(Forward(id, {left, right}), QuantizedKind::kActivation);
  }

  auto Sum(ExprId id, Args args) -> std::optional<Value> {
    const QuantizedKind* left = MarkOf(args[0]);
    const QuantizedKind* right = MarkOf(args[1]);
    if (Skips(id) || (left == nullptr && right == nullptr)) return std::nullopt;
    ExprId lhs = args[0].expr;
    ExprId rhs = args[1].expr;
    if (left == nullptr) {
      lhs = Quantized(Realized(args[0]), QuantizedKind::kInput);
    } else if (right == nullptr) {
      rhs = AsFactor(args[1]);
    } else if (*left == QuantizedKind::kActivation && *right == QuantizedKind::kActivation) {
      rhs = Quantized(rhs, QuantizedKind::kInput);
    }
    return Marked(Forward(id, {lhs, rhs}), QuantizedKind::kActivation);
  }

  // Operators that compute the same on integers as on reals.
  auto Same(ExprId id, Args args) -> std::optional<Value> {
    const QuantizedKind* kind = MarkOf(args[0]);
    if (Skips(id) || kind == nullptr) return std::nullopt;
    const QuantizedKind same = *kind;
    return Marked(Forward(id, {args[0].expr}), same);
  }
  auto Maximum(ExprId id, Args args) -> std::optional<Value> {
    if (Skips(id) || !args[0].is_marked()) return std::nullopt;
    return Marked(Forward(id, {AsInput(args[0])}), QuantizedKind::kInput);
  }
  // A cast hint has no meaning for a float.
  auto CastHint(ExprId id, Args args) -> std::optional<Value> {
    if (Skips(id)) return Plain(Realized(args[0]));
    if (!args[0].is_marked()) return args[0];
    return Marked(Forward(id, {AsInput(args[0])}), QuantizedKind::kInput);
  }

  auto Concatenation(ExprId id, Args args) -> std::optional<Value> {
    if (Skips(id)) return std::nullopt;
    const auto fields = Fields(args[0]);
    if (std::ranges::none_of(fields, &Value::is_marked)) return std::nullopt;
    auto parts = MapToVector<ExprId>(fields, [&](const Value& field) {
      return field.is_marked() ? field.expr : Quantized(Realized(field), QuantizedKind::kActivation);
    });
    return Marked(Forward(id, {EmitTuple(to(), parts)}), QuantizedKind::kActivation);
  }

  // The classifier after the last average stays in floats.
  auto Last(ExprId id, Args args) -> std::optional<Value> {
    if (Skips(id) || !args[0].is_marked()) return std::nullopt;
    has_ended_ = true;
    return Plain(Forward(id, {args[0].expr}));
  }

  static constexpr const OpDef* kSimulatedQuantize = "relay.op.annotation.simulated_quantize"_op;

  const QuantizeConfig& config_;
  PassContext& context_;
  absl::flat_hash_map<std::pair<ExprId, QuantizedKind>, ExprId> quantized_;
  int64_t num_convolutions_ = 0;
  bool has_ended_ = false;
};

struct QuantizeAnnotate {
  using Options = QuantizeOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    RELAYOPT_TRY(const QuantizeConfig config, ReadQuantizeConfig(options, context));
    // Callers would not pass the new parameters.
    if (!Annotator::MayAct(function) || module.Analysis<NamedGlobals>().contains(id)) return std::nullopt;
    return Annotator(function, config, context).Run();
  }
};

}  // namespace

constinit const PassDef kQuantizeAnnotatePass = DescribePass<QuantizeAnnotate>({
    .name = "QuantizeAnnotate",
    .opt_level = 1,
    .summary = "inserts simulated quantization before operators that can compute on integers",
    .details =
        R"(Operands of convolutions and other products are rounded as integers of few bits would be, still in floats:

  nn.conv2d(%x, %w)   =>   %0 = relay.op.annotation.simulated_quantize(%x, %dom_scale, %clip_min, %clip_max, kind=1);
                           %1 = relay.op.annotation.simulated_quantize(%w, %dom_scale1, %clip_min1, %clip_max1, kind=2);
                           nn.conv2d(%0, %1)

Scales and bounds become parameters behind the others; QuantizeCalibrate finds them. The kinds are 1 for inputs of
products, 2 for weights and 3 for sums of products. Behind a product:

  add                                      a constant is quantized as a weight, another operand as an input
  multiply, nn.batch_matmul                both operands are quantized
  nn.relu, clip, reshape, transpose, ...   go on as they are
  nn.max_pool1d, nn.max_pool2d             the operand is quantized as an input
  concatenate                              fields that are still floats are quantized as activations
  nn.global_avg_pool2d                     is the last: all behind it stays in floats

A value with several users is quantized once, for all of them.

Left alone: the convolutions that skip_conv_layers counts, nn.dense with skip_dense_layer, operators that
debug_enabled_ops does not name, products with a computed weight, operators of other kinds or on other types than
float32, and functions that others call, which could not be given their parameters.)",
    .exactness = Exactness::kChanges,
});

}  // namespace relayopt
