// A plugin with a pass and an operator, built out of tree against the installed package.
#include "relayopt/pass/plugin.h"

#include "relayopt/pass/registry.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"

// The project beside this file builds it a second time, for another ABI.
#ifndef PLUGIN_ABI_VERSION
#define PLUGIN_ABI_VERSION RELAYOPT_PLUGIN_ABI_VERSION
#endif

namespace {

using namespace relayopt;

// `negative(negative(%x))` becomes `%x`. A negation is 0 - %x, of which the sign of a zero does not come back.
struct DropNegation {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    const auto is_negation = [&](ExprId id) {
      return function.kind(id) == ExprKind::kOpCall && function.op(id) == "negative"_op;
    };
    return Rewrite(function, [&](Rebuild& rebuild, ExprId id) -> ExprId {
      if (!is_negation(id) || !is_negation(function.operand(id, 0))) return {};
      return rebuild.New(function.operand(function.operand(id, 0), 0));
    });
  }
};

constinit const PassDef kDropNegationPass = DescribePass<DropNegation>({
    .name = "example.DropNegation",
    .summary = "removes negations that cancel",
    .exactness = Exactness::kApproximate,
});

struct ScaleAttrs {
  static constexpr std::string_view kTypeKey = "example.attrs.ScaleAttrs";
  double factor = 2;
  static constexpr auto Fields() { return std::array{Field<&ScaleAttrs::factor>("what to multiply by")}; }
};

auto ScaleKernel(KernelContext& kernel) -> KernelStatus {
  const Tensor& data = kernel.input(0);
  if (data.dtype() != DataType::Float(32)) return kernel.Error("computes on float32 only");
  Tensor result = kernel.NewResult();
  auto* to = result.mutable_data<float>();
  for (const float x : data.elements<float>()) *to++ = static_cast<float>(x * kernel.attrs<ScaleAttrs>().factor);
  return kernel.Return(std::move(result));
}

constexpr OpDef kScale = {.name = "example.scale",
                          .inputs = "data",
                          .attrs = &kSchema<ScaleAttrs>,
                          .type = IdentityRule,
                          .kernel = ScaleKernel,
                          .fusion = Fusion::kElemWise,
                          .element_types = "f",
                          .layout = ElementwiseLayout,
                          .doc = "multiplies by a constant factor"};

}  // namespace

extern "C" auto relayopt_pass_plugin() -> const PassPlugin* {
  static constexpr PassPlugin plugin = {PLUGIN_ABI_VERSION, RELAYOPT_VERSION, "example", [] {
                                          return RegisterOp(kScale) != nullptr && RegisterPass(kDropNegationPass);
                                        }};
  return &plugin;
}
