// Quantize: converts a network from floats to integers.
#include <algorithm>
#include <utility>
#include <vector>

#include "config.h"
#include "conversions.h"
#include "relayopt/pass/registry.h"
#include "relayopt/relay/eval/tensor_file.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/transforms/bind_params.h"

namespace relayopt {

namespace {

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
    // The steps belong together: they run at every level.
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
    // Tensors that belong to no parameter are of no interest here.
    BoundParams names;
    RELAYOPT_TRY(auto bound, relayopt::BindParams(*module.function<Function>(main), tensors, names));
    if (!bound) return false;
    module.SetFunction(main, std::make_shared<const Function>(*std::move(bound)));
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
    .summary = "converts a trained network to 8-bit integer arithmetic",
    .details =
        R"(Post-training quantization, as relay.quantize.quantize of TVM. First the network is simplified:

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
are to become constants, an .npz or what TVM's save_param_dict writes. The first nn.conv2d and all nn.dense
stay in floats unless skip_conv_layers and skip_dense_layer say otherwise.)",
    .exactness = Exactness::kChanges,
    .options = &kOptionsSchema<QuantizeOptions>,
    .create = CreateQuantize,
};

}  // namespace relayopt
