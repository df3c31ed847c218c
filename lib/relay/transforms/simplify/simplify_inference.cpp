// SimplifyInference: expands normalizations to arithmetic, and removes dropout.
#include <algorithm>
#include <optional>
#include <vector>

#include "lib/relay/transforms/expand_bias.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/reduce.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

struct SimplifyInferenceOptions {
  bool keep_layers = false;
  static constexpr auto Fields() {
    return std::array{Option<&SimplifyInferenceOptions::keep_layers>(
        "normalizations that depend on the data stay: layer_norm, instance_norm, group_norm, l2_normalize, and "
        "batch_norm whose parameters are not constant, or not float32 unless a convolution is before it")};
  }
};

class Simplifier {
 public:
  Simplifier(const Function& function, const SimplifyInferenceOptions& options, bool strict_fp)
      : function_(function), keeps_layers_(options.keep_layers), strict_fp_(strict_fp), rebuild_(function) {}

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) { return Simplify(id); });
  }

 private:
  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto Emit(const OpDef* op, std::initializer_list<ExprId> args) -> ExprId { return EmitCall(to(), op, args); }
  // As TVM: epsilon is narrowed to float32 before anything else.
  auto Epsilon(DataType dtype, double value) -> ExprId {
    return EmitScalar(to(), dtype, static_cast<double>(static_cast<float>(value)));
  }

  // Returns the replacement of the expression, or invalid if it stays.
  auto Simplify(ExprId id) -> ExprId {
    if (function_.kind(id) == ExprKind::kTupleGetItem) return SimplifyProjection(id);
    // The replacements below round differently from the operator.
    if (strict_fp_ || keeps_layers_ || function_.kind(id) != ExprKind::kOpCall || function_.operands(id).empty()) {
      return {};
    }
    const Type* data = TensorType(function_, function_.operand(id, 0));
    if (data == nullptr) return {};
    const Context& context = function_.context();
    if (const auto* layer = context.As<LayerNormAttrs>(function_.attrs(id)); layer != nullptr) {
      return LayerNorm(id, *layer, *data);
    }
    if (const auto* instance = context.As<InstanceNormAttrs>(function_.attrs(id)); instance != nullptr) {
      return InstanceNorm(id, *instance, *data);
    }
    if (const auto* group = context.As<GroupNormAttrs>(function_.attrs(id)); group != nullptr) {
      return GroupNorm(id, *group, *data);
    }
    if (const auto* l2 = context.As<L2NormalizeAttrs>(function_.attrs(id)); l2 != nullptr) {
      return L2Normalize(id, *l2, *data);
    }
    return {};
  }

  // For inference, only the first field of the results of batch_norm and dropout has a value.
  auto SimplifyProjection(ExprId id) -> ExprId {
    const ExprId tuple = function_.operand(id, 0);
    if (function_.index(id) != 0 || function_.kind(tuple) != ExprKind::kOpCall) return {};
    if (function_.op(tuple) == "nn.dropout"_op) return rebuild_.New(function_.operand(tuple, 0));
    const auto* attrs = function_.context().As<BatchNormAttrs>(function_.attrs(tuple));
    if (strict_fp_ || function_.op(tuple) != "nn.batch_norm"_op || attrs == nullptr) return {};
    const Type* data = TensorType(function_, function_.operand(tuple, 0));
    return data == nullptr ? ExprId() : BatchNorm(tuple, *attrs, *data);
  }

  auto BatchNorm(ExprId call, const BatchNormAttrs& attrs, const Type& type) -> ExprId {
    const auto is_constant = [&](ExprId param) { return function_.kind(param) == ExprKind::kConstant; };
    if (keeps_layers_ && !std::ranges::all_of(function_.operands(call).subspan(1), is_constant)) return {};
    if (keeps_layers_ && type.dtype != DataType::Float(32) && !FollowsConvolution(call)) return {};
    const std::vector<ExprId> args = NewArguments(call);
    const ExprId variance = Emit("add"_op, {args[4], Epsilon(type.dtype, attrs.epsilon)});
    ExprId scale = Emit("divide"_op, {EmitScalar(to(), type.dtype, 1.0), Emit("sqrt"_op, {variance})});
    if (attrs.scale) scale = Emit("multiply"_op, {scale, args[1]});
    ExprId shift = Emit("multiply"_op, {Emit("negative"_op, {args[3]}), scale});
    if (attrs.center) shift = Emit("add"_op, {shift, args[2]});
    const int64_t axis = NormalizedAxis(attrs.axis, type.rank());
    scale = Expanded(scale, type.rank(), axis);
    shift = Expanded(shift, type.rank(), axis);
    return Emit("add"_op, {Emit("multiply"_op, {args[0], scale}), shift});
  }

  // Whether the scale and the shift can become part of a convolution. Where they stay, JoinBatchNorm joins those of
  // float32 only.
  auto FollowsConvolution(ExprId call) const -> bool {
    ExprId data = function_.operand(call, 0);
    if (function_.kind(data) != ExprKind::kOpCall) return false;
    if (function_.op(data) == "nn.bias_add"_op) data = function_.operand(data, 0);
    return function_.kind(data) == ExprKind::kOpCall && function_.op(data)->name.starts_with("nn.conv");
  }

  // As ExpandBias, with the attributes of the last call if they are the same: a network has many of one kind.
  auto Expanded(ExprId bias, size_t rank, int64_t axis) -> ExprId {
    const int64_t behind = static_cast<int64_t>(rank) - axis - 1;
    if (behind <= 0) return bias;
    if (!expand_attrs_ || behind != expanded_) {
      expanded_ = behind;
      expand_attrs_ = to().context().InternAttrs(ExpandDimsAttrs{.axis = 1, .num_newaxis = behind});
    }
    return EmitCall(to(), "expand_dims"_op, {bias}, expand_attrs_);
  }

  auto LayerNorm(ExprId call, const LayerNormAttrs& attrs, const Type& type) -> ExprId {
    const std::vector<ExprId> args = NewArguments(call);
    const ExprId normal = Normalize(args[0], {attrs.axis}, type.dtype, attrs.epsilon);
    return ScaleAndShift(normal, args, attrs, type.rank());
  }

  auto InstanceNorm(ExprId call, const InstanceNormAttrs& attrs, const Type& type) -> ExprId {
    const int64_t channel = NormalizedAxis(attrs.axis, type.rank());
    DimList axes;
    for (size_t i = 1; i < type.rank(); ++i) {
      if (static_cast<int64_t>(i) != channel) axes.values.emplace_back(static_cast<int64_t>(i));
    }
    // An empty list of axes would reduce over all of them.
    if (axes.empty()) return {};
    const std::vector<ExprId> args = NewArguments(call);
    return ScaleAndShift(Normalize(args[0], std::move(axes), type.dtype, attrs.epsilon), args, attrs, type.rank());
  }

  auto GroupNorm(ExprId call, const GroupNormAttrs& attrs, const Type& type) -> ExprId {
    const int64_t channel = NormalizedAxis(attrs.axis, type.rank());
    DimList grouped;
    DimList axes;
    bool is_empty = false;
    for (size_t i = 0; i < type.rank(); ++i) {
      const Dim& extent = type.shape[i];
      // A reshape to unknown extents cannot be written with attributes.
      if (!extent.is_int()) return {};
      is_empty = is_empty || extent.value() == 0;
      if (static_cast<int64_t>(i) == channel) {
        if (attrs.num_groups <= 0 || extent.value() % attrs.num_groups != 0) return {};
        grouped.values.emplace_back(attrs.num_groups);
        grouped.values.emplace_back(extent.value() / attrs.num_groups);
      } else {
        grouped.values.push_back(extent);
      }
      if (static_cast<int64_t>(i) >= channel) axes.values.emplace_back(static_cast<int64_t>(i) + 1);
    }
    const std::vector<ExprId> args = NewArguments(call);
    const ExprId split = Reshape(args[0], std::move(grouped), is_empty);
    const ExprId normal = Normalize(split, std::move(axes), type.dtype, attrs.epsilon);
    const DimList shape(std::vector<Dim>(type.shape.begin(), type.shape.end()));
    return ScaleAndShift(Reshape(normal, shape, is_empty), args, attrs, type.rank());
  }

  // `is_empty`: an extent of 0 means an empty axis, and not the extent of the data.
  auto Reshape(ExprId data, DimList shape, bool is_empty) -> ExprId {
    return EmitCallWith(to(), "reshape"_op, ReshapeAttrs{.newshape = std::move(shape), .allowzero = is_empty}, {data});
  }

  auto L2Normalize(ExprId call, const L2NormalizeAttrs& attrs, const Type& type) -> ExprId {
    const ExprId data = rebuild_.New(function_.operand(call, 0));
    const ExprId squares = Emit("multiply"_op, {data, data});
    const ReduceAttrs reduce{.axis = attrs.axis, .keepdims = true};
    const ExprId sum = EmitCallWith(to(), "sum"_op, reduce, {squares});
    // Axes that sum rejects, such as one given twice.
    if (!to().function().type(sum)) return {};
    const ExprId bounded = Emit("maximum"_op, {sum, Epsilon(type.dtype, attrs.eps)});
    return Emit("divide"_op, {data, Emit("sqrt"_op, {bounded})});
  }

  // (data - mean) / sqrt(variance + epsilon)
  auto Normalize(ExprId data, DimList axes, DataType dtype, double epsilon) -> ExprId {
    const ReduceAttrs reduce{.axis = axes, .keepdims = true};
    const ExprId mean = EmitCallWith(to(), "mean"_op, reduce, {data});
    const VarianceAttrs moments{.axis = std::move(axes), .keepdims = true};
    const ExprId variance = EmitCallWith(to(), "variance"_op, moments, {data, mean});
    const ExprId root = Emit("sqrt"_op, {Emit("add"_op, {variance, Epsilon(dtype, epsilon)})});
    return Emit("divide"_op, {Emit("subtract"_op, {data, mean}), root});
  }

  // gamma and beta, if the attributes enable them; `args` are data, gamma, beta.
  template <typename A>
  auto ScaleAndShift(ExprId value, std::span<const ExprId> args, const A& attrs, size_t rank) -> ExprId {
    const int64_t axis = NormalizedAxis(attrs.axis, rank);
    if (attrs.scale) value = Emit("multiply"_op, {value, ExpandBias(to(), args[1], rank, axis)});
    if (attrs.center) value = Emit("add"_op, {value, ExpandBias(to(), args[2], rank, axis)});
    return value;
  }

  auto NewArguments(ExprId call) -> std::vector<ExprId> {
    const auto args = rebuild_.NewOperands(call);
    return {args.begin(), args.end()};
  }

  const Function& function_;
  bool keeps_layers_;
  bool strict_fp_;
  Rebuild rebuild_;
  int64_t expanded_ = 0;
  AttrsId expand_attrs_;
};

struct SimplifyInference {
  using Options = SimplifyInferenceOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    return Simplifier(function, options, context.strict_fp()).Run();
  }
};

}  // namespace

constinit const PassDef kSimplifyInferencePass = DescribePass<SimplifyInference>({
    .name = "SimplifyInference",
    .opt_level = 0,
    .required = "InferType",
    .summary = "turns normalizations into arithmetic and drops dropout",
    .details = R"(Writes the operators that only training needs as what they compute in inference:

  nn.batch_norm(x, gamma, beta, mean, var).0   =>   add(multiply(x, s), t)
      with s = 1 / sqrt(var + epsilon) * gamma and t = -mean * s + beta
  nn.dropout(x).0                              =>   x
  nn.layer_norm, nn.instance_norm  =>   divide(subtract(x, mean(x)), sqrt(variance(x) + epsilon)) * gamma + beta
  nn.group_norm                                =>   the same between two reshapes that split the channels into groups
  nn.l2_normalize(x)                           =>   divide(x, sqrt(maximum(sum(x * x), epsilon)))

gamma and beta are left out where `scale` and `center` say so. s and t have the shape of the parameters, so later
passes can compute them once. The results agree up to rounding.

Left alone: batch_norm and dropout whose tuple is used in any other way than by its field 0 (the projection must be
of the call itself), group_norm of data with unknown extents, and instance_norm of data with no axis to reduce over.
With --strict-fp only dropout goes, with keep_layers only dropout and batch_norm with constant parameters.)",
    .exactness = Exactness::kApproximate,
    .obeys_strict_fp = true,
    .idempotent = true,
});

}  // namespace relayopt
