// Patterns of several Relay operators that are one ONNX operator, and CombineFor, which finds them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "forms.h"
#include "layers.h"
#include "relayopt/convert/lower.h"
#include "relayopt/core/tensor.h"
#include "relayopt/module/functions.h"
#include "relayopt/pass/pass.h"
#include "relayopt/relay/analysis/infer.h"
#include "relayopt/relay/analysis/symbolic_shapes.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/nn_conv.h"
#include "relayopt/relay/ops/nn_dense.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/pattern/pattern_text.h"
#include "relayopt/relay/pattern/rewrite.h"
#include "restored.h"

namespace relayopt::onnx::out {

namespace {

// -- a bias --

// A vector in the shape in which it is added to channels that lie along the second axis: (C, 1, 1), (1, C, 1, 1).
auto IsChannelVector(const Type& bias, const Type& data) -> bool {
  if (data.rank() < 2 || bias.rank() > data.rank() || bias.rank() + 1 < data.rank()) return false;
  const size_t front = data.rank() - bias.rank();
  for (size_t i = 0; i < bias.rank(); ++i) {
    if (i + front == 1) {
      if (!bias.shape[i].is_int() || !SameExtent(bias.shape[i], data.shape[1])) return false;
    } else if (!bias.shape[i].is(1)) {
      return false;
    }
  }
  return true;
}

// Operands of a call that patterns match in either order, or with a constant on either side.
struct Operands {
  ExprId inner;
  ExprId other;
};

auto IsCallOf(const Function& function, ExprId id, const auto& is_wanted) -> bool {
  return function.kind(id) == ExprKind::kOpCall && is_wanted(function.op(id));
}

// Returns the operands of `root`, the call of a wanted operator first if there is one.
auto OperandsOf(const Function& function, ExprId root, const auto& is_wanted) -> Operands {
  const ExprId first = function.operand(root, 0);
  const ExprId second = function.operand(root, 1);
  const bool is_turned = !IsCallOf(function, first, is_wanted) && IsCallOf(function, second, is_wanted);
  return is_turned ? Operands{second, first} : Operands{first, second};
}

// The layer to which a sum or nn.bias_add adds a bias.
auto LayerAndBias(const Function& function, ExprId root) -> Operands {
  return OperandsOf(function, root, [](const OpDef* op) { return IsConvolution(op) || op == "nn.dense"_op; });
}

}  // namespace

auto HasBias(const Function& function, ExprId root) -> bool {
  const auto [layer, vector] = LayerAndBias(function, root);
  if (function.kind(layer) != ExprKind::kOpCall || function.operands(layer).empty()) return false;
  const Type* data = TensorType(function, layer);
  const Type* input = TensorType(function, function.operand(layer, 0));
  const Type* bias = TensorType(function, vector);
  if (data == nullptr || input == nullptr || bias == nullptr || !data->dtype.is_float()) return false;
  if (data->dtype != input->dtype || bias->dtype != data->dtype || data->dtype.bits == 64) return false;
  const Type* result = TensorType(function, root);
  if (result == nullptr || result->rank() != data->rank()) return false;
  const bool is_dense = function.op(layer) == "nn.dense"_op;
  if (function.op(root) == "nn.bias_add"_op) {
    const auto* attrs = function.context().As<BiasAddAttrs>(function.attrs(root));
    return attrs != nullptr && NormalizedAxis(attrs->axis, data->rank()) == 1 && (!is_dense || data->rank() == 2);
  }
  if (!is_dense) return IsChannelVector(*bias, *data);
  return data->rank() == 2 && bias->rank() >= 1 && bias->rank() <= 2 &&
         SameExtent(bias->shape.back(), data->shape[1]) && (bias->rank() == 1 || bias->shape[0].is(1));
}

namespace {

auto WriteBiased(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                 const std::function<Values(ExprId)>& value) -> CallOutputs {
  const auto [layer, vector] = LayerAndBias(function, root);
  OnnxCall call(model, graph, function, layer, {value(function.operand(layer, 0)), value(function.operand(layer, 1))});
  call.set_dtype(TensorType(function, layer)->dtype);
  Name bias = value(vector)[0];
  const Type* type = TensorType(function, vector);
  const bool is_dense = function.op(layer) == "nn.dense"_op;
  if (type->rank() != 1 && !is_dense) {
    const Dim extent = TensorType(function, layer)->shape[1];
    if (function.kind(vector) == ExprKind::kConstant) {
      const Constant& constant = function.constant(vector);
      bias = model.Initializer({constant.dtype(), {extent.value()}, constant.Bytes()});
      model.NoteOrigin(bias, function, vector);
    } else {
      bias = call.Reshape(bias, std::vector<int64_t>{extent.value()});
    }
  }
  return is_dense ? WriteDenseWithBias(call, bias) : WriteConvWithBias(call, bias);
}

// The layer with a bias, and what is added to it.
auto BiasedAndShift(const Function& function, ExprId root) -> Operands {
  return OperandsOf(function, root, [](const OpDef* op) { return op == "nn.bias_add"_op; });
}

// A convolution with a bias, plus another constant along its channels, as folded batch normalization leaves it.
auto HasShiftedBias(const Function& function, ExprId root) -> bool {
  const auto [biased, addend] = BiasedAndShift(function, root);
  if (!HasBias(function, biased)) return false;
  const Type* data = TensorType(function, biased);
  const Type* shift = TensorType(function, addend);
  const Type* result = TensorType(function, root);
  return shift != nullptr && result != nullptr && data->dtype == DataType::Float(32) && shift->dtype == data->dtype &&
         result->rank() == data->rank() && IsChannelVector(*shift, *data);
}

auto WriteShiftedBias(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                      const std::function<Values(ExprId)>& value) -> CallOutputs {
  const auto [biased, addend] = BiasedAndShift(function, root);
  const ExprId layer = function.operand(biased, 0);
  const Tensor bias(function.constant(function.operand(biased, 1)));
  const Tensor shift(function.constant(addend));
  Tensor sum(DataType::Float(32), {bias.size()});
  std::ranges::transform(bias.elements<float>(), shift.elements<float>(), sum.mutable_data<float>(), std::plus<>());
  OnnxCall call(model, graph, function, layer, {value(function.operand(layer, 0)), value(function.operand(layer, 1))});
  call.set_dtype(sum.dtype());
  const auto bytes = sum.bytes();
  return WriteConvWithBias(
      call, model.Initializer({sum.dtype(), {bias.size()}, std::vector<std::byte>(bytes.begin(), bytes.end())}));
}

// -- a scale and a shift --

// A scale and a shift for each channel, to which SimplifyInference reduces batch normalization.
struct Scaling {
  ExprId data;
  ExprId scale;
  ExprId shift;
};

auto ScalingOf(const Function& function, ExprId root) -> Scaling {
  const auto [product, shift] = OperandsOf(function, root, [](const OpDef* op) { return op == "multiply"_op; });
  const bool is_turned = function.kind(function.operand(product, 1)) != ExprKind::kConstant;
  return {function.operand(product, is_turned ? 1 : 0), function.operand(product, is_turned ? 0 : 1), shift};
}

auto IsScaleAndShift(const Function& function, ExprId root) -> bool {
  const Scaling scaling = ScalingOf(function, root);
  const Type* data = TensorType(function, scaling.data);
  const Type* result = TensorType(function, root);
  if (data == nullptr || result == nullptr || data->dtype != DataType::Float(32)) return false;
  if (function.kind(scaling.scale) != ExprKind::kConstant || function.kind(scaling.shift) != ExprKind::kConstant) {
    return false;
  }
  const Type* scale = TensorType(function, scaling.scale);
  const Type* shift = TensorType(function, scaling.shift);
  return scale != nullptr && shift != nullptr && scale->rank() > 0 && result->rank() == data->rank() &&
         IsChannelVector(*scale, *data) && IsChannelVector(*shift, *data);
}

auto WriteScaleAndShift(ModelBuilder& model, Graph& graph, const Function& function, ExprId root,
                        const std::function<Values(ExprId)>& value) -> CallOutputs {
  const auto [data, scale, shift] = ScalingOf(function, root);
  const Dim channels = TensorType(function, data)->shape[1];
  const auto vector = [&](ExprId id) {
    const Constant& constant = function.constant(id);
    const Name made = model.Initializer({constant.dtype(), {channels.value()}, constant.Bytes()});
    model.NoteOrigin(made, function, id);
    return made;
  };
  const auto filled = [&](float number) {
    Tensor tensor(DataType::Float(32), {channels.value()});
    std::fill_n(tensor.mutable_data<float>(), tensor.size(), number);
    const auto bytes = tensor.bytes();
    return model.Initializer({tensor.dtype(), {channels.value()}, std::vector<std::byte>(bytes.begin(), bytes.end())});
  };
  OnnxCall call(model, graph, function, root, {});
  return One(call.Add("BatchNormalization", {value(data)[0], vector(scale), vector(shift), filled(0), filled(1)},
                      {Float("epsilon", 0)}));
}

constexpr OnnxPattern kBiased[] = {
    {"onnx.DeformConv", "nn.bias_add(nn.deformable_conv2d(nn.pad(*, const), *, *), *)", HasDeformableForm,
     WriteDeformableConv},
    {"onnx.DeformConv", "nn.deformable_conv2d(nn.pad(*, const), *, *)", HasDeformableForm, WriteDeformableConv},
    {"onnx.BatchNormalization", "add(multiply(*, const), const)", IsScaleAndShift, WriteScaleAndShift},
    {"onnx.ShiftedBias", "add(nn.bias_add(nn.conv1d(*, *) | nn.conv2d(*, *) | nn.conv3d(*, *), const), const)",
     HasShiftedBias, WriteShiftedBias},
    {"onnx.Biased", "nn.bias_add(nn.conv1d(*, *) | nn.conv2d(*, *) | nn.conv3d(*, *), *)", HasBias, WriteBiased},
    {"onnx.Biased", "nn.bias_add(nn.conv1d_transpose(*, *) | nn.conv2d_transpose(*, *) | nn.conv3d_transpose(*, *), *)",
     HasBias, WriteBiased},
    {"onnx.Biased", "nn.bias_add(nn.dense(*, *), *)", HasBias, WriteBiased},
    {"onnx.Biased", "add(nn.conv1d(*, *) | nn.conv2d(*, *) | nn.conv3d(*, *), const)", HasBias, WriteBiased},
    {"onnx.Biased", "add(nn.conv1d(*, *) | nn.conv2d(*, *) | nn.conv3d(*, *), *)", HasBias, WriteBiased},
    {"onnx.Biased", "add(nn.conv1d_transpose(*, *) | nn.conv2d_transpose(*, *) | nn.conv3d_transpose(*, *), *)",
     HasBias, WriteBiased},
    {"onnx.Biased", "add(nn.dense(*, *), *)", HasBias, WriteBiased},
};

}  // namespace

auto OnnxPatterns() -> std::span<const OnnxPattern> {
  static const std::vector<OnnxPattern> patterns = [] {
    const auto restored = RestoredPatterns();
    std::vector<OnnxPattern> all(restored.begin(), restored.end());
    all.insert(all.end(), std::begin(kBiased), std::end(kBiased));
    return all;
  }();
  return patterns;
}

}  // namespace relayopt::onnx::out

namespace relayopt {

namespace {

struct CombineForOptions {
  std::string target;
  static constexpr auto Fields() {
    return std::array{RequiredOption<&CombineForOptions::target>("whose operators are wanted: onnx")};
  }
};

constexpr DiagnosticKind kUnknownCombination = {"unknown-lowering-target", Severity::kError,
                                                "CombineFor does not support the target \"{}\", only onnx"};

auto IsProduct(const OpDef* op) -> bool {
  return op == "nn.dense"_op || op == "nn.matmul"_op || op == "nn.batch_matmul"_op;
}
auto IsReshape(const OpDef* op) -> bool { return op == "reshape"_op || op == "dyn.reshape"_op; }

// A tensor that is reshaped once for several products is reshaped for each, so that each can be cut out by itself.
auto WithOwnReshapes(const Function& function) -> std::optional<Function> {
  const auto is_product = [&](ExprId id) {
    return function.kind(id) == ExprKind::kOpCall && IsProduct(function.op(id));
  };
  if (std::ranges::none_of(function.ids(), is_product)) return std::nullopt;
  SideTable<ExprId, uint32_t> users(function.size());
  for (const ExprId id : function.ids()) {
    for (const ExprId operand : function.operands(id)) ++users[operand];
  }
  Rebuild rebuild(function);
  return rebuild.Rewrite([&](ExprId id) -> ExprId {
    if (!is_product(id)) return {};
    const auto operands = function.operands(id);
    std::vector<ExprId> made;
    bool is_changed = false;
    for (const ExprId operand : operands) {
      const bool is_shared =
          users[operand] > 1 && function.kind(operand) == ExprKind::kOpCall && IsReshape(function.op(operand));
      made.push_back(is_shared ? rebuild.Copy(operand) : rebuild.New(operand));
      is_changed = is_changed || is_shared;
    }
    return is_changed ? rebuild.to().Copy(function, id, made) : ExprId();
  });
}

struct CombineFor {
  using Options = CombineForOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    if (options.target != "onnx") return MakeDiagnostic(kUnknownCombination, {}, options.target);
    PatternTable table;
    const ExtentNames::Names names = module.context().Part<ExtentNames>().Get();
    std::optional<Module> result =
        RewriteFunctions<Function>(module, [](GlobalId, const Function& from) { return WithOwnReshapes(from); });
    // Combinations contain only operators that the functions contain.
    absl::flat_hash_map<GlobalId, absl::flat_hash_set<const OpDef*>> ops;
    const std::vector<GlobalId> functions = module.SortedFunctions<Function>();
    for (const GlobalId id : functions) ops[id] = MentionedOps(*module.function<Function>(id));
    for (const onnx::out::OnnxPattern& row : onnx::out::OnnxPatterns()) {
      const auto pattern = ParsePattern(module.context(), table, row.pattern);
      if (!pattern) return pattern.error();
      const FunctionAttr composite = {module.context().Intern(attr::kComposite), module.context().AddString(row.name)};
      for (const GlobalId id : functions) {
        if (!MayMatch(*pattern, ops.at(id))) continue;
        const Module& current = result ? *result : module;
        const FunctionRef function = current.function_ref<Function>(id);
        const bool is_main = id == current.FindGlobal("main");
        std::optional<SymbolicShapes> shapes;
        const auto check_extents = [&](const Function&, ExprId root) {
          if (!shapes) shapes.emplace(*function, is_main ? names : ExtentNames::Names());
          return row.check_extents(*function, root, *shapes);
        };
        auto made = row.check_extents != nullptr ? PartitionPattern(*pattern, *function, {&composite, 1}, check_extents)
                                                 : PartitionPattern(*pattern, *function, {&composite, 1}, row.check);
        if (!made) continue;
        if (!result) result = module;
        result->SetFunction(id, std::make_shared<Function>(*std::move(made)));
      }
    }
    if (result) InferTypes(*result, context.diagnostics());
    return result;
  }
};

}  // namespace

constinit const PassDef kCombineForPass = DescribePass<CombineFor>({
    .name = "CombineFor",
    .opt_level = 0,
    .required = "InferType",
    .summary = "groups operators that are a single operator of another system",
    .details =
        R"(Prepares a module for being written as ONNX, after LowerFor: what one operator there computes becomes a call of a
function literal whose attribute Composite names it, as

  nn.bias_add(nn.conv2d(%x, %w), %b)   =>   fn (..., Composite="onnx.Biased") { ... }(%x, %w, %b)

Such functions compute what their body does; Inline and DefuseOps take them apart again.)",
    .exactness = Exactness::kExact,
});

}  // namespace relayopt
