// Quantize: a network of floats becomes one of integers.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "config.h"
#include "conversions.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/eval/diagnostics.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/fold_constant.h"
#include "root_params.h"
#include "tensor_files.h"

namespace relayopt {

namespace {

// The parameters of @main that a file has values for become constants.
class ParamBinder {
 public:
  explicit ParamBinder(const Function& function) : function_(function), values_(function.size()) {}

  auto Run(std::span<const NamedTensor> tensors) -> Result<Function> {
    if (auto error = FindValues(tensors)) return *std::move(error);
    Rebuild rebuild(function_);
    rebuild.ForEach([&](ExprId id) {
      if (values_[id] != nullptr) return EmitConstant(rebuild.to(), *values_[id]);
      if (id != function_.root()) return rebuild.Copy(id);
      return EmitRootWith(rebuild, [&](ExprId param) { return values_[param] == nullptr; });
    });
    return rebuild.Finish();
  }

 private:
  // Values that belong to no parameter are of no interest.
  auto FindValues(std::span<const NamedTensor> tensors) -> std::optional<Diagnostic> {
    Context& context = function_.context();
    absl::flat_hash_map<std::string_view, const Tensor*> by_name;
    for (const NamedTensor& named : tensors) by_name[named.name] = &named.tensor;
    for (const ExprId param : function_.params()) {
      const std::string_view name = context.text(function_.var(param).name);
      const auto found = by_name.find(name);
      if (found == by_name.end()) continue;
      const TypeId type = function_.var(param).annotation;
      if (type && type != TypeOf(context, *found->second)) {
        return MakeDiagnostic(diag::kBadInput, function_.range(param), name,
                              "its type is not that of the tensor given");
      }
      values_[param] = found->second;
    }
    return std::nullopt;
  }

  const Function& function_;
  // Null of what stays.
  SideTable<ExprId, const Tensor*> values_;
};

class Quantize final : public Pass {
 public:
  // The passes: what prepares the network, then those of quantization.
  Quantize(PassInfo info, QuantizeOptions options, std::vector<PassRef> prepare, std::vector<PassRef> quantize)
      : Pass(std::move(info)),
        options_(std::move(options)),
        prepare_(std::make_shared<Sequential>(std::move(prepare))),
        quantize_(std::move(quantize)),
        parts_(prepare_->passes().begin(), prepare_->passes().end()) {
    parts_.insert(parts_.end(), quantize_.begin(), quantize_.end());
  }

  auto passes() const -> std::span<const PassRef> override { return parts_; }

 protected:
  auto Run(Module& module, PassContext& context) const -> Result<bool> override {
    RELAYOPT_TRY(const QuantizeConfig config, ReadQuantizeConfig(options_, context));
    RELAYOPT_TRY(const bool is_bound, BindParams(module, config));
    RELAYOPT_TRY(const bool is_prepared, prepare_->Apply(module, context));
    std::vector<PassRef> steps;
    for (const PassRef& pass : quantize_) {
      if (config.do_simulation && pass->info().name == "QuantizeRealize") continue;
      steps.push_back(pass);
    }
    // The steps belong together: they run whatever the level.
    const int level = context.opt_level();
    context.set_opt_level(std::max(level, kLevel));
    const Result<bool> is_quantized = Sequential(std::move(steps)).Apply(module, context);
    context.set_opt_level(level);
    if (!is_quantized) return is_quantized.error();
    RELAYOPT_TRY(const bool is_partitioned, Partition(module, config, context));
    return is_partitioned || is_bound || is_prepared || *is_quantized;
  }

 private:
  static constexpr int kLevel = 3;

  static auto BindParams(Module& module, const QuantizeConfig& config) -> Result<bool> {
    const GlobalId main = module.FindGlobal("main");
    if (config.params.empty() || !main || module.function<Function>(main) == nullptr) return false;
    RELAYOPT_TRY(const std::vector<NamedTensor> tensors, ReadTensorFile(config.params));
    RELAYOPT_TRY(Function bound, ParamBinder(*module.function<Function>(main)).Run(tensors));
    module.SetFunction(main, std::make_shared<const Function>(std::move(bound)));
    return true;
  }

  static auto Partition(Module& module, const QuantizeConfig& config, PassContext& context) -> Result<bool> {
    const GlobalId main = module.FindGlobal("main");
    if (config.partition_conversions == PartitionConversions::kDisabled || !main ||
        module.function<Function>(main) == nullptr) {
      return false;
    }
    RELAYOPT_TRY(module, PartitionIntoConversions(module, main, config));
    RELAYOPT_TRY(const bool is_typed, InferTypePass()->Apply(module, context));
    static_cast<void>(is_typed);
    return true;
  }

  QuantizeOptions options_;
  std::shared_ptr<const Sequential> prepare_;
  std::vector<PassRef> quantize_;
  std::vector<PassRef> parts_;
};

auto CreateQuantize(const PassDef& def, const PassOptions& options) -> Result<PassRef> {
  std::vector<PassRef> prepare;
  for (const PassDef* part :
       {&kSimplifyInferencePass, &kFoldConstantPass, &kFoldScaleAxisPass, &kCanonicalizeOpsPass, &kFoldConstantPass}) {
    RELAYOPT_TRY(PassRef pass, CreatePass(*part));
    prepare.push_back(std::move(pass));
  }
  std::vector<PassRef> quantize;
  for (const PassDef* part : {&kQuantizePartitionPass, &kQuantizeAnnotatePass, &kQuantizeCalibratePass}) {
    RELAYOPT_TRY(PassRef pass, CreatePass(*part, options));
    quantize.push_back(std::move(pass));
  }
  quantize.push_back(InferTypePass());
  RELAYOPT_TRY(PassRef realize, CreatePass(kQuantizeRealizePass, options));
  quantize.push_back(std::move(realize));
  RELAYOPT_TRY(PassRef fold, CreatePass(kFoldConstantPass));
  quantize.push_back(std::move(fold));
  PassInfo info = InfoOf(def);
  info.is_sequence = true;
  return PassRef(std::make_shared<Quantize>(std::move(info), options.As<QuantizeOptions>(), std::move(prepare),
                                            std::move(quantize)));
}

}  // namespace

constinit const PassDef kQuantizePass = {
    .name = "Quantize",
    .opt_level = 0,
    .summary = "computes a trained network on integers of 8 bits",
    .details =
        R"(Post-training quantization, as relay.quantize.quantize of the reference. First the network is simplified:

  SimplifyInference,FoldConstant,FoldScaleAxis,CanonicalizeOps,FoldConstant

of which FoldScaleAxis and CanonicalizeOps do their work at optimization level 3. Then, at any level:

  QuantizePartition    cuts the network into sections
  QuantizeAnnotate     simulates quantization of operands of convolutions and other products
  QuantizeCalibrate    finds the scales
  QuantizeRealize      computes on integers; not with do_simulation
  FoldConstant         quantizes the weights

partition_conversions takes the result apart: @quantize_inputs converts arguments, @quantized_main computes on
integers, @dequantize_outputs converts the result, and @main calls one after the other.

All passes take the same options. The weights must be constants: `params` names a file of those parameters of @main that
are to become constants, an .npz or what the reference's save_param_dict writes. The first nn.conv2d and all nn.dense
stay in floats unless skip_conv_layers and skip_dense_layer say otherwise.)",
    .exactness = Exactness::kChanges,
    .options = &kOptionsSchema<QuantizeOptions>,
    .create = CreateQuantize,
};

}  // namespace relayopt
