// QuantizeCalibrate: sets scales and bounds of simulated quantizations to constants.
#include <cmath>
#include <numbers>

#include "activations.h"
#include "lib/relay/transforms/named_globals.h"
#include "lib/relay/transforms/root_params.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/parallel.h"
#include "thresholds.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kWeightNotConstant = {
    "quantized-weight-not-constant", Severity::kError,
    "the weight that is quantized here is not constant; the option 'params' of Quantize turns parameters "
    "into constants"};

// A quantization of a function whose scale and bounds are parameters.
struct Quantization {
  ExprId id;
  QuantizedKind kind = QuantizedKind::kInput;
  bool is_signed = true;
  // The largest magnitude that it should keep.
  double range = 0;
};

class Calibrator {
 public:
  Calibrator(const Module& module, GlobalId id, const QuantizeConfig& config, size_t threads)
      : module_(module), id_(id), function_(*module.function<Function>(id)), config_(config), threads_(threads) {}

  auto Run() -> Result<std::optional<Function>> {
    FindQuantizations();
    if (quantizations_.empty()) return std::nullopt;
    for (Quantization& quantization : quantizations_) {
      if (quantization.kind != QuantizedKind::kWeight) continue;
      const ExprId weight = function_.operand(quantization.id, 0);
      if (function_.kind(weight) != ExprKind::kConstant) {
        return MakeDiagnostic(kWeightNotConstant, function_.range(weight));
      }
      quantization.range = RangeOfWeight(function_.constant(weight));
    }
    if (auto error = FindInputRanges()) return *std::move(error);
    return Bind();
  }

 private:
  void FindQuantizations() {
    SideTable<ExprId, bool> is_param(function_.size());
    for (const ExprId param : function_.params()) is_param[param] = true;
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) != ExprKind::kOpCall) continue;
      const auto* attrs = function_.context().As<QuantizationAttrs>(function_.attrs(id));
      if (attrs == nullptr || attrs->kind < 1 || attrs->kind > 3) continue;
      const auto operands = function_.operands(id);
      if (!is_param[operands[1]] || !is_param[operands[2]] || !is_param[operands[3]]) continue;
      quantizations_.push_back({id, static_cast<QuantizedKind>(attrs->kind), attrs->sign});
    }
  }

  auto RangeOfWeight(const Constant& weight) const -> double {
    const auto values = FloatsOf(Tensor(weight));
    const double largest = values ? LargestMagnitude(*values) : 0;
    // Zeros may have any scale.
    if (!(largest > 0) || !std::isfinite(largest)) return 1;
    // As TVM: the quotient of logarithms, which may miss an integer by a little.
    if (config_.weight_scale == WeightScale::kPower2)
      return std::exp2(std::ceil(std::log(largest) / std::numbers::ln2));
    return largest;
  }

  auto FindInputRanges() -> std::optional<Diagnostic> {
    std::vector<size_t> inputs;
    for (size_t i = 0; i < quantizations_.size(); ++i) {
      if (quantizations_[i].kind == QuantizedKind::kWeight) continue;
      quantizations_[i].range = config_.global_scale;
      inputs.push_back(i);
    }
    if (config_.calibrate_mode == CalibrateMode::kGlobalScale || inputs.empty()) return std::nullopt;
    const auto watched = MapToVector<ExprId>(inputs, [&](size_t i) { return quantizations_[i].id; });
    std::vector<ExprId> unbound;
    for (const Quantization& quantization : quantizations_) {
      for (size_t k = 1; k <= 3; ++k) unbound.push_back(function_.operand(quantization.id, k));
    }
    auto seen = CollectActivations(module_, id_, watched, unbound, config_);
    if (!seen) return std::move(seen).error();
    ParallelFor(inputs.size(), threads_, [&](size_t i) {
      const double range = RangeOfInput((*seen)[i]);
      if (range > 0) quantizations_[inputs[i]].range = range;
    });
    return std::nullopt;
  }

  // 0 when nothing was seen, or nothing but zeros.
  auto RangeOfInput(std::span<const float> values) const -> double {
    if (values.empty()) return 0;
    return config_.calibrate_mode == CalibrateMode::kPercentile ? ThresholdByPercentile(values)
                                                                : ThresholdByDivergence(values);
  }

  // Constants for parameters.
  auto Bind() -> Function {
    SideTable<ExprId, std::optional<float>> constants(function_.size());
    for (const Quantization& quantization : quantizations_) {
      const int bits = config_.nbit(quantization.kind) - (quantization.is_signed ? 1 : 0);
      const double steps = std::ldexp(1.0, bits);
      constants[function_.operand(quantization.id, 1)] = static_cast<float>(quantization.range / steps);
      constants[function_.operand(quantization.id, 2)] = static_cast<float>(-(steps - 1));
      constants[function_.operand(quantization.id, 3)] = static_cast<float>(steps - 1);
    }
    Rebuild rebuild(function_);
    rebuild.ForEach([&](ExprId id) {
      if (const auto value = constants[id]) return EmitScalar(rebuild.to(), DataType::Float(32), double{*value});
      if (id != function_.root()) return rebuild.Copy(id);
      return EmitRootWith(rebuild, [&](ExprId param) { return !constants[param]; });
    });
    return rebuild.Finish();
  }

  const Module& module_;
  GlobalId id_;
  const Function& function_;
  const QuantizeConfig& config_;
  size_t threads_;
  std::vector<Quantization> quantizations_;
};

struct QuantizeCalibrate {
  using Options = QuantizeOptions;
  Options options;

  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    RELAYOPT_TRY(const QuantizeConfig config, ReadQuantizeConfig(options, context));
    const auto& named = module.Analysis<NamedGlobals>();
    std::optional<Module> changed;
    for (const GlobalId id : module.SortedFunctions<Function>()) {
      // Callers pass the parameters.
      if (IsSkippedByFunctionPasses(*module.function<Function>(id)) || named.contains(id)) continue;
      RELAYOPT_TRY(auto calibrated, Calibrator(module, id, config, context.options().threads).Run());
      if (!calibrated) continue;
      if (!changed) changed = module;
      changed->SetFunction(id, std::make_shared<const Function>(*std::move(calibrated)));
    }
    return changed;
  }
};

}  // namespace

constinit const PassDef kQuantizeCalibratePass = DescribePass<QuantizeCalibrate>({
    .name = "QuantizeCalibrate",
    .opt_level = 1,
    .required = "InferType",
    .summary = "sets scales and bounds of simulated quantizations",
    .details =
        R"(A quantization to n bits keeps magnitudes up to a range r: its scale is r / 2^(n-1), and its bounds are the
largest n-bit integers:

  relay.op.annotation.simulated_quantize(%x, %dom_scale, %clip_min, %clip_max, kind=1)
    =>   relay.op.annotation.simulated_quantize(%x, 0.0625f, -127f, 127f, kind=1)        for r = 8, n = 8

Parameters that get a value this way disappear. The range of a weight is its largest magnitude (weight_scale=max), or
that rounded up to a power of two (power2), which makes changes of scale shifts. The range of anything else is

  global_scale        the option of this name
  percentile          what all but one in 100,000 numbers stay below, when the program runs
  kl_divergence       where to cut off so that the distribution of the numbers changes least

The program runs on the files that `dataset` names, one run a file, or on arguments that are made up from `seed`.

Left alone: quantizations whose scale and bounds are no parameters, and functions that others call. A weight that is no constant is an error.)",
    .exactness = Exactness::kChanges,
});

}  // namespace relayopt
