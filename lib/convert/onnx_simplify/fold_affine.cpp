// FoldAffine: constant scales and shifts of the result of a convolution become part of its weight and bias.
//
// Expressions are visited in ascending order, so that the operand of a product or sum is in its final form: a layer,
// which is a convolution or a nn.bias_add of one. Each step makes a new layer; products of constants are left to
// FoldConstant:
//
//   %0 = nn.conv2d(%x, w)      a layer
//   %1 = nn.bias_add(%0, b)    a layer with a bias
//   %2 = multiply(2f, %1)      nn.bias_add(nn.conv2d(%x, multiply(w, 2f)), multiply(b, 2f))
//   %3 = add(%2, 1f)           nn.bias_add(nn.conv2d(%x, multiply(w, 2f)), add(multiply(b, 2f), 1f))
//
// A number that the data of a convolution are multiplied by goes into the weight, too: padded zeros stay zeros.
#include <algorithm>
#include <cmath>
#include <optional>

#include "moves.h"
#include "relayopt/convert/onnx/simplify.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/analysis/constant_uses.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/reshape.h"
#include "relayopt/relay/ops/transform.h"
#include "relayopt/relay/transforms/fold_constant.h"

namespace relayopt {

namespace {

// A convolution with its channels on axis 1, in ONNX's layouts.
struct ConvKind {
  int64_t groups = 1;
  // The axis of the weight that its output channels are on.
  size_t weight_axis = 0;
};

template <typename A>
auto KindByAttrs(const A& attrs, std::string_view data, std::string_view kernel, size_t weight_axis)
    -> std::optional<ConvKind> {
  const bool is_plain = attrs.data_layout == data && attrs.kernel_layout == kernel &&
                        (attrs.out_layout.empty() || attrs.out_layout == attrs.data_layout);
  return is_plain ? std::optional(ConvKind{attrs.groups, weight_axis}) : std::nullopt;
}

auto KindOfConv(const Function& function, ExprId id) -> std::optional<ConvKind> {
  if (function.kind(id) != ExprKind::kOpCall || function.operands(id).size() != 2) return std::nullopt;
  const Context& context = function.context();
  const AttrsId attrs = function.attrs(id);
  if (const auto* conv = context.As<Conv1DAttrs>(attrs)) return KindByAttrs(*conv, "NCW", "OIW", 0);
  if (const auto* conv = context.As<Conv2DAttrs>(attrs)) return KindByAttrs(*conv, "NCHW", "OIHW", 0);
  if (const auto* conv = context.As<Conv3DAttrs>(attrs)) return KindByAttrs(*conv, "NCDHW", "OIDHW", 0);
  // The groups of a transposed convolution share the axis of output channels.
  if (const auto* conv = context.As<Conv1DTransposeAttrs>(attrs)) return KindByAttrs(*conv, "NCW", "IOW", 1);
  if (const auto* conv = context.As<Conv2DTransposeAttrs>(attrs)) return KindByAttrs(*conv, "NCHW", "IOHW", 1);
  if (const auto* conv = context.As<Conv3DTransposeAttrs>(attrs)) return KindByAttrs(*conv, "NCDHW", "IODHW", 1);
  return std::nullopt;
}

// Whether a number is a normal one that does not belong to a formula: a half and a sixth are the last factors of Gelu,
// HardSigmoid and HardSwish, which would not be recognized without.
auto IsPlainFactor(double number, const OpDef* op) -> bool {
  constexpr double kRange = 1e6;
  constexpr double kClose = 1e-4;
  const double factor = op == "divide"_op ? 1 / number : number;
  if (!(std::abs(factor) < kRange && std::abs(factor) > 1 / kRange)) return false;
  return std::abs(factor * 2 - 1) > kClose && std::abs(factor * 6 - 1) > kClose;
}

class AffineFolder {
 public:
  explicit AffineFolder(const Function& function)
      : function_(function),
        rebuild_(function),
        users_(function.size()),
        constants_(function),
        layers_(function.size()) {
    for (const ExprId id : function.ids()) {
      for (const ExprId operand : function.operands(id)) ++users_[operand];
    }
  }

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) { return Visit(id); });
  }

 private:
  // The result for an old expression: its new weight and bias, and the number of its channels.
  struct Layer {
    ExprId data;
    ExprId weight;
    ExprId bias;
    // The convolution before, for its attributes.
    ExprId old_conv;
    ConvKind kind;
    int64_t channels = 0;
    // Whether the weight is a constant that nothing else uses.
    bool can_scale = false;
  };

  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto TypeOf(ExprId old) const -> const Type* { return TensorType(function_, old); }

  auto Visit(ExprId id) -> ExprId {
    if (function_.kind(id) != ExprKind::kOpCall) return {};
    if (const auto kind = KindOfConv(function_, id)) {
      NoteConv(id, *kind);
      return layers_[id] ? WithoutScale(id) : ExprId();
    }
    const OpDef* op = function_.op(id);
    if (op == "nn.bias_add"_op) return NoteBias(id);
    if (op != "add"_op && op != "multiply"_op && op != "subtract"_op && op != "divide"_op) return {};
    const bool is_second = function_.kind(function_.operand(id, 1)) == ExprKind::kConstant;
    const bool commutes = op == "add"_op || op == "multiply"_op;
    if (!is_second && (!commutes || function_.kind(function_.operand(id, 0)) != ExprKind::kConstant)) return {};
    const ExprId data = function_.operand(id, is_second ? 0 : 1);
    const Layer* layer = FindLayer(data);
    if (layer == nullptr) return {};
    Layer changed = *layer;
    const bool is_shift = op == "add"_op || op == "subtract"_op;
    const ExprId constant = function_.operand(id, is_second ? 1 : 0);
    const ExprId vector = VectorOf(constant, *TypeOf(data), changed.channels, is_shift && !changed.bias);
    if (!vector || function_.type(id) != function_.type(data)) return {};
    if (is_shift ? !Shift(changed, op, vector) : !Scale(changed, op, vector)) return {};
    return Store(id, changed);
  }

  // The layer that an old expression is, if nothing but one expression uses it.
  auto FindLayer(ExprId old) const -> const Layer* {
    return layers_[old] && users_[old] == 1 ? &*layers_[old] : nullptr;
  }

  void NoteConv(ExprId id, const ConvKind& kind) {
    const Type* result = TypeOf(id);
    const ExprId weight = function_.operand(id, 1);
    const Type* weight_type = TypeOf(weight);
    if (result == nullptr || weight_type == nullptr || !result->dtype.is_float() ||
        result->dtype != weight_type->dtype) {
      return;
    }
    const std::vector<Dim> shape = ShapeOfWeight(id);
    if (shape.size() <= kind.weight_axis) return;
    const Dim channels = shape[kind.weight_axis];
    if (!channels.is_int() || !shape[0].is_int()) return;
    Layer layer;
    layer.old_conv = id;
    layer.kind = kind;
    layer.channels = channels.value() * (kind.weight_axis == 0 ? 1 : kind.groups);
    layer.data = rebuild_.New(function_.operand(id, 0));
    layer.weight = rebuild_.New(weight);
    layer.can_scale = function_.kind(weight) == ExprKind::kConstant && constants_.IsOwn(weight);
    layers_[id] = layer;
  }

  // Returns the shape of the weight of a convolution. The type of a constant lacks extents that the data do not state.
  auto ShapeOfWeight(ExprId conv) const -> std::vector<Dim> {
    const ExprId weight = function_.operand(conv, 1);
    const Constant* constant = ConstantOf(function_, weight);
    if (constant == nullptr) return {TypeOf(weight)->shape.begin(), TypeOf(weight)->shape.end()};
    return {constant->shape().begin(), constant->shape().end()};
  }

  // The convolution of a product or quotient with a number, by a weight that has the number.
  auto WithoutScale(ExprId id) -> ExprId {
    Layer layer = *layers_[id];
    const ExprId product = function_.operand(id, 0);
    if (!layer.can_scale || users_[product] != 1 || function_.kind(product) != ExprKind::kOpCall) return {};
    const OpDef* op = function_.op(product);
    if (op != "multiply"_op && op != "divide"_op) return {};
    const bool is_second = function_.kind(function_.operand(product, 1)) == ExprKind::kConstant;
    const ExprId factor = function_.operand(product, is_second ? 1 : 0);
    const ExprId data = function_.operand(product, is_second ? 0 : 1);
    if ((!is_second && op == "divide"_op) || function_.type(data) != function_.type(product)) return {};
    const Constant* constant = ConstantOf(function_, factor);
    const auto number = constant == nullptr ? std::nullopt : constant->ScalarAsDouble();
    const Type* type = TypeOf(factor);
    if (!number || !IsPlainFactor(*number, op)) return {};
    // Products of weights in narrower types may be out of their range.
    if (type == nullptr || type->dtype.bits < 32) return {};
    layer.data = rebuild_.New(data);
    layer.weight = EmitCall(to(), op, {layer.weight, EmitScalar(to(), type->dtype, *number)});
    return Store(id, layer);
  }

  // A bias of a convolution that is used here only makes a layer, which stays as it is.
  auto NoteBias(ExprId id) -> ExprId {
    const auto* attrs = function_.context().As<BiasAddAttrs>(function_.attrs(id));
    const ExprId conv = function_.operand(id, 0);
    const Layer* layer = FindLayer(conv);
    if (attrs == nullptr || attrs->axis != 1 || layer == nullptr || layer->bias) return {};
    Layer biased = *layer;
    biased.bias = rebuild_.New(function_.operand(id, 1));
    // A bias that others use, too, would be there twice.
    const ExprId bias = function_.operand(id, 1);
    biased.can_scale = biased.can_scale && function_.kind(bias) == ExprKind::kConstant;
    layers_[id] = biased;
    return {};
  }

  // Returns a constant along the channels as a vector; one with a single element as a vector of one element, or of all
  // channels if `all`. Returns none for others.
  auto VectorOf(ExprId constant, const Type& whole, int64_t channels, bool all) -> ExprId {
    const Constant& value = function_.constant(constant);
    const auto shape = value.shape();
    if (value.dtype() != whole.dtype || shape.size() > whole.rank()) return {};
    const size_t base = whole.rank() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != 1 && (base + i != 1 || shape[i] != channels)) return {};
    }
    const bool is_single = value.num_elements() == 1;
    if (!is_single && static_cast<int64_t>(value.num_elements()) != channels) return {};
    if (shape.size() == 1 && (!is_single || !all)) return rebuild_.New(constant);
    // FoldConstant would not make a constant that is so much larger.
    const ElementBytes elements = value.Elements();
    Tensor vector(value.dtype(), {is_single && !all ? 1 : channels});
    for (size_t at = 0; at < vector.num_bytes(); at += elements.size())
      std::ranges::copy(elements, vector.MutableBytes() + at);
    const ExprId made = EmitConstant(to(), vector);
    const ConstantId origin = function_.constant_id(constant);
    function_.context().Part<ConstantNames>().SetOrigin(to().function().constant_id(made), {{}, origin});
    return made;
  }

  auto Shift(Layer& layer, const OpDef* op, ExprId vector) -> bool {
    if (layer.bias) {
      layer.bias = EmitCall(to(), op, {layer.bias, vector});
    } else {
      layer.bias = op == "add"_op ? vector : EmitCall(to(), "negative"_op, {vector});
    }
    return true;
  }

  auto Scale(Layer& layer, const OpDef* op, ExprId vector) -> bool {
    if (!layer.can_scale) return false;
    layer.weight = EmitCall(to(), op, {layer.weight, AlongWeight(layer, vector)});
    if (layer.bias) layer.bias = EmitCall(to(), op, {layer.bias, vector});
    return true;
  }

  // Returns numbers of the output channels, or a single one, in a form that is broadcast to the weight.
  auto AlongWeight(const Layer& layer, ExprId vector) -> ExprId {
    const std::vector<Dim> weight = ShapeOfWeight(layer.old_conv);
    const Dim count = function_.context().type(to().function().type(vector)).shape[0];
    std::vector<Dim> shape(weight.size(), 1);
    const int64_t groups = layer.kind.groups;
    if (layer.kind.weight_axis == 0 || groups == 1 || count.is(1)) {
      shape[layer.kind.weight_axis] = count;
      return Reshaped(vector, shape);
    }
    // Each group has its own rows of the weight.
    const ExprId rows = Reshaped(vector, {groups, layer.channels / groups});
    const ExprId all = EmitCallWith(to(), "repeat"_op, RepeatAttrs{weight[0].value() / groups, 0}, {rows});
    shape[0] = weight[0];
    shape[1] = weight[1];
    return Reshaped(all, shape);
  }

  auto Reshaped(ExprId data, const std::vector<Dim>& shape) -> ExprId {
    ReshapeAttrs attrs;
    attrs.newshape = DimList(shape);
    return EmitCallWith(to(), "reshape"_op, attrs, {data});
  }

  auto Store(ExprId id, Layer& layer) -> ExprId {
    const ExprId conv =
        EmitCall(to(), function_.op(layer.old_conv), {layer.data, layer.weight}, function_.attrs(layer.old_conv));
    to().SetSpan(conv, function_.span(layer.old_conv));
    layers_[id] = layer;
    if (!layer.bias) return conv;
    return EmitCallWith(to(), "nn.bias_add"_op, BiasAddAttrs{.axis = 1}, {conv, layer.bias});
  }

  const Function& function_;
  Rebuild rebuild_;
  SideTable<ExprId, uint32_t> users_;
  ConstantUses constants_;
  SideTable<ExprId, std::optional<Layer>> layers_;
};

struct FoldAffine {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return AffineFolder(function).Run();
  }
};

}  // namespace

constinit const PassDef kFoldAffinePass = DescribePass<FoldAffine>({
    .name = "FoldAffine",
    .opt_level = 3,
    .required = "InferType",
    .summary = "folds constant scales and shifts into the convolution before them",
    .details =
        R"(Sums and products of the result of a convolution with constants that lie along its channels, or have a single
element, become part of its weight and its bias:

  %0 = nn.conv2d(%x, w);          %0 = nn.conv2d(%x, multiply(w, 2f));
  %1 = multiply(%0, 2f);     =>   nn.bias_add(%0, b)
  add(%1, b)

A number that the data are multiplied or divided by goes into the weight, too, unless it ends a formula such as Gelu. This
holds for nn.conv1d, nn.conv2d, nn.conv3d and the transposed ones in the layouts of ONNX. FoldConstant computes the new
weight. The results agree up to rounding.

Left alone: results and weights that something else uses as well, weights that are not constant.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
