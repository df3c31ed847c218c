// OptimizeInnerGraphs: graphs inside of nodes (If, Loop, Scan) are optimized as models are (onnx_out/inner_models.h).
#include <optional>

#include "lib/convert/onnx/foreign.h"
#include "lib/convert/onnx_out/inner_models.h"
#include "relayopt/convert/onnx/simplify.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/relay/analysis/constant_uses.h"
#include "relayopt/relay/ir/rebuild.h"

namespace relayopt {

namespace onnx {
namespace {

// Runs default<onnx>; nothing after an error.
auto Optimized(const Module& module, const PassContext& around) -> std::optional<Module> {
  const auto pipeline = ParsePipeline("default<onnx>");
  RELAYOPT_CHECK(pipeline.has_value(), "default<onnx> is a pipeline");
  const auto pass = BuildPipeline(*pipeline);
  if (!pass) return std::nullopt;
  PassContextOptions options;
  options.opt_level = around.opt_level();
  options.strict_fp = around.strict_fp();
  const auto context = PassContext::Create(std::move(options));
  if (!context) return std::nullopt;
  DiagnosticSink sink;
  (*context)->SetDiagnostics(&sink);
  auto result = (**pass)(module, **context);
  return result ? std::optional(*std::move(result)) : std::nullopt;
}

auto OptimizeInnerModels(const Function& function, const PassContext& context) -> std::optional<Function> {
  const auto optimize = [&](const Module& module) { return Optimized(module, context); };
  std::optional<ConstantUses> uses;
  return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
    const bool is_node = function.kind(id) == ExprKind::kOpCall && IsNodeOp(function.op(id));
    if (!is_node) return {};
    if (!uses) uses.emplace(function);
    return out::RewriteInnerModels(rebuild, id, {.change = optimize, .opset = {}, .uses = &*uses});
  });
}

}  // namespace
}  // namespace onnx

namespace {

struct OptimizeInnerGraphs {
  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    return onnx::OptimizeInnerModels(function, context);
  }
};

}  // namespace

constinit const PassDef kOptimizeInnerGraphsPass = DescribePass<OptimizeInnerGraphs>({
    .name = "OptimizeInnerGraphs",
    .opt_level = 0,
    .required = "InferType",
    .summary = "optimizes the graphs inside of ONNX's If, Loop and Scan",
    .details =
        R"(Each graph is optimized by default<onnx> like a model whose inputs are the values that it takes from the graph around
it, with their types and, if they are small, their constants. What a loop computes in each iteration from weights that
nothing else uses becomes a constant, too. Graphs inside of it are part of that model. The result
replaces the graph if it has fewer nodes, or as many and not more bytes.

Left alone: graphs that are nested more than 16 levels deep, graphs with weights in files beside the model, and graphs
that cannot be read, such as those that need a newer version of the operators.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
