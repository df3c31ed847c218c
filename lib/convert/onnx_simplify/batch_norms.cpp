// SplitBatchNorm and JoinBatchNorm: batch normalization as a scale and a shift, while passes fold these.
//
// A batch normalization with constant parameters is a scale and a shift for each channel, which the passes between
// these two move into convolutions. Each scale and shift that both remain become the batch normalization again that
// they were, with its parameters and their names:
//
//   nn.batch_norm(%x, g, b, m, v).0   =>   %0 = multiply(%x, s);   =>   nn.batch_norm(%x, g, b, m, v).0
//                                          add(%0, t)
//
// with s = g / sqrt(v + epsilon) and t = b - m * s. The constant s remembers what it was made for; a constant that a
// pass computes is another one.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "moves.h"
#include "relayopt/convert/onnx/simplify.h"
#include "relayopt/core/constant_names.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/nn_norm.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/fold_constant.h"

namespace relayopt {

namespace {

constexpr size_t kParams = 4;

// The batch normalization from which a scale was created.
struct SplitNorm {
  std::array<ConstantId, kParams> params;
  ConstantId shift;
  AttrsId attrs;
};

// By the constants that are scales, as a part of the context. Thread-safe.
class SplitNorms {
 public:
  explicit SplitNorms(Context&) {}

  void Set(ConstantId scale, const SplitNorm& norm) {
    const std::lock_guard lock(mutex_);
    norms_[scale] = norm;
  }
  auto Find(ConstantId scale) const -> std::optional<SplitNorm> {
    const std::lock_guard lock(mutex_);
    const auto found = norms_.find(scale);
    return found == norms_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  absl::flat_hash_map<ConstantId, SplitNorm> norms_;
};

auto IsSplit(DataType dtype) -> bool {
  return dtype == DataType::Float(16) || dtype == DataType::Float(32) || dtype == DataType::Float(64);
}

// The parameters of a batch normalization along axis 1 in a type of IsSplit, if they are constants.
auto ParamsOf(const Function& function, ExprId call) -> std::optional<std::array<ConstantId, kParams>> {
  const auto* attrs = function.context().As<BatchNormAttrs>(function.attrs(call));
  const Type* data = TensorType(function, function.operand(call, 0));
  if (attrs == nullptr || data == nullptr || !IsSplit(data->dtype) || !attrs->scale || !attrs->center ||
      data->rank() < 2 || NormalizedAxis(attrs->axis, data->rank()) != 1) {
    return std::nullopt;
  }
  std::array<ConstantId, kParams> params;
  int64_t channels = -1;
  for (size_t i = 0; i < kParams; ++i) {
    const ExprId operand = function.operand(call, i + 1);
    if (function.kind(operand) != ExprKind::kConstant) return std::nullopt;
    const Constant& constant = function.constant(operand);
    const auto count = static_cast<int64_t>(constant.num_elements());
    if (constant.dtype() != data->dtype || constant.shape().size() != 1 || (i > 0 && count != channels))
      return std::nullopt;
    channels = count;
    params[i] = function.constant_id(operand);
  }
  return params;
}

struct ScaleAndShift {
  Tensor scale;
  Tensor shift;
};

// Computes scale and shift of parameters of type T in Wide, in tensors of `shape`. Nothing if one of them is not
// finite: the scale of a small variance may be beyond float16, which the normalized data are not.
template <typename T, typename Wide>
auto ScaleAndShiftOf(const std::array<Tensor, kParams>& params, double epsilon, const std::vector<int64_t>& shape)
    -> std::optional<ScaleAndShift> {
  const auto [gamma, beta, mean, variance] =
      std::tuple(params[0].elements<T>(), params[1].elements<T>(), params[2].elements<T>(), params[3].elements<T>());
  ScaleAndShift result = {Tensor(params[0].dtype(), shape), Tensor(params[0].dtype(), shape)};
  const auto scales = result.scale.mutable_data<T>();
  const auto shifts = result.shift.mutable_data<T>();
  for (size_t i = 0; i < gamma.size(); ++i) {
    const Wide factor = Wide(1) / std::sqrt(Wide(variance[i]) + static_cast<Wide>(epsilon)) * Wide(gamma[i]);
    scales[i] = T(factor);
    shifts[i] = T(-Wide(mean[i]) * factor + Wide(beta[i]));
    if (!std::isfinite(Wide(scales[i])) || !std::isfinite(Wide(shifts[i]))) return std::nullopt;
  }
  return result;
}

class Splitter {
 public:
  explicit Splitter(const Function& function) : function_(function), context_(function.context()), rebuild_(function) {}

  auto Run() -> std::optional<Function> {
    return rebuild_.Rewrite([this](ExprId id) -> ExprId {
      if (function_.kind(id) != ExprKind::kTupleGetItem || function_.index(id) != 0) return {};
      const ExprId call = function_.operand(id, 0);
      if (function_.kind(call) != ExprKind::kOpCall || function_.op(call) != "nn.batch_norm"_op) return {};
      const auto params = ParamsOf(function_, call);
      return params ? Split(call, *params) : ExprId();
    });
  }

 private:
  auto Split(ExprId call, const std::array<ConstantId, kParams>& params) -> ExprId {
    const double epsilon = context_.As<BatchNormAttrs>(function_.attrs(call))->epsilon;
    std::array<Tensor, kParams> tensors;
    std::ranges::transform(params, tensors.begin(), [&](ConstantId id) { return Tensor(context_.constant(id)); });
    const DataType dtype = tensors[0].dtype();
    std::vector<int64_t> shape(TensorType(function_, function_.operand(call, 0))->rank() - 1, 1);
    shape[0] = tensors[0].size();
    const auto factors = dtype == DataType::Float(16)   ? ScaleAndShiftOf<Half, float>(tensors, epsilon, shape)
                         : dtype == DataType::Float(32) ? ScaleAndShiftOf<float, float>(tensors, epsilon, shape)
                                                        : ScaleAndShiftOf<double, double>(tensors, epsilon, shape);
    if (!factors) return {};
    FunctionBuilder& to = rebuild_.to();
    const ExprId s = Named(factors->scale, params[0]);
    const ExprId t = Named(factors->shift, params[1]);
    const Function& made = to.function();
    context_.Part<SplitNorms>().Set(made.constant_id(s), {params, made.constant_id(t), function_.attrs(call)});
    return EmitCall(to, "add"_op, {EmitCall(to, "multiply"_op, {rebuild_.New(function_.operand(call, 0)), s}), t});
  }

  // A constant that has the name of a parameter if it is needed.
  auto Named(const Tensor& tensor, ConstantId param) -> ExprId {
    const ExprId made = EmitConstant(rebuild_.to(), tensor);
    context_.Part<ConstantNames>().SetOrigin(rebuild_.to().function().constant_id(made), {{}, param});
    return made;
  }

  const Function& function_;
  Context& context_;
  Rebuild rebuild_;
};

// The batch normalization that a sum of a product was; nullopt for others.
auto NormOf(const Function& function, ExprId sum) -> std::optional<SplitNorm> {
  if (function.kind(sum) != ExprKind::kOpCall || function.op(sum) != "add"_op) return std::nullopt;
  const ExprId product = function.operand(sum, 0);
  const ExprId shift = function.operand(sum, 1);
  if (function.kind(shift) != ExprKind::kConstant || function.kind(product) != ExprKind::kOpCall ||
      function.op(product) != "multiply"_op || function.kind(function.operand(product, 1)) != ExprKind::kConstant) {
    return std::nullopt;
  }
  const auto norm = function.context().Part<SplitNorms>().Find(function.constant_id(function.operand(product, 1)));
  return norm && norm->shift == function.constant_id(shift) ? norm : std::nullopt;
}

struct SplitBatchNorm {
  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    if (context.strict_fp()) return std::optional<Function>();
    return Splitter(function).Run();
  }
};

struct JoinBatchNorm {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    SideTable<ExprId, uint32_t> users(function.size());
    for (const ExprId id : function.ids()) {
      for (const ExprId operand : function.operands(id)) ++users[operand];
    }
    Rebuild rebuild(function);
    return rebuild.Rewrite([&](ExprId id) -> ExprId {
      const auto norm = NormOf(function, id);
      if (!norm || users[function.operand(id, 0)] != 1) return {};
      FunctionBuilder& to = rebuild.to();
      std::vector<ExprId> operands = {rebuild.New(function.operand(function.operand(id, 0), 0))};
      for (const ConstantId param : norm->params) {
        operands.push_back(to.Constant(param));
        const Constant& constant = function.context().constant(param);
        const std::vector<Dim> shape(constant.shape().begin(), constant.shape().end());
        to.SetType(operands.back(), function.context().Tensor(shape, constant.dtype()));
      }
      const ExprId call = EmitCall(to, "nn.batch_norm"_op, operands, norm->attrs);
      to.SetSpan(call, function.span(id));
      return EmitTupleGetItem(to, call, 0);
    });
  }
};

}  // namespace

constinit const PassDef kSplitBatchNormPass = DescribePass<SplitBatchNorm>({
    .name = "SplitBatchNorm",
    .opt_level = 0,
    .required = "InferType",
    .summary = "turns batch normalization into a scale and a shift, which JoinBatchNorm turns back",
    .details =
        R"(With constant parameters batch normalization is a product and a sum, which other passes fold into convolutions:

  nn.batch_norm(%x, gamma, beta, mean, var).0   =>   %0 = multiply(%x, s);
                                                     add(%0, t)

The results agree up to rounding. JoinBatchNorm makes the batch normalization again where both are left.

Left alone: parameters that are not constant, types other than float16, float32 and float64, channels on another axis than
the second, scales and shifts that are not finite, and everything with --strict-fp.)",
    .exactness = Exactness::kApproximate,
    .obeys_strict_fp = true,
});

constinit const PassDef kJoinBatchNormPass = DescribePass<JoinBatchNorm>({
    .name = "JoinBatchNorm",
    .opt_level = 0,
    .required = "InferType",
    .summary = "turns what SplitBatchNorm left into batch normalization again",
    .details =
        R"(A product and a sum that SplitBatchNorm made, and that no pass has changed, are the call that they were,
with the same parameters:

  %0 = multiply(%x, s);
  add(%0, t)              =>   nn.batch_norm(%x, gamma, beta, mean, var).0

Left alone: products that something else uses as well, and constants that were computed from those.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
