// Type rules and rows of annotations.
#include "relayopt/relay/ops/annotation.h"

#include "relayopt/relay/ops/kernel.h"
#include "relayopt/relay/ops/layout_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/ops/type_rules.h"

namespace relayopt {

KernelFunction SimulatedQuantizeKernel;
LayoutRuleFunction SimulatedQuantizeLayout;

namespace {

// The result is the data's type; scale and bounds are float32 scalars.
auto SimulatedQuantizeRule(RuleContext& rule) -> RuleStatus {
  if (const auto status = rule.NeedTensors(0, 1)) return *status;
  const TypeId scalar = rule.context().Scalar(DataType::Float(32));
  for (size_t i = 1; i < rule.size(); ++i) {
    if (!rule.AssignInput(i, scalar)) return RuleStatus::kFailed;
  }
  return rule.DoneSameAs(0);
}

// Returns the shape that the rows of annotation.* share, without and with attributes.
constexpr auto Annotation(std::string_view name, std::string_view doc) -> OpDef {
  return {.name = name,
          .inputs = "data",
          .type = IdentityRule,
          .kernel = CopyKernel,
          .fusion = Fusion::kOpaque,
          .layout = ElementwiseLayout,
          .doc = doc};
}

constexpr auto Annotation(std::string_view name, std::string_view doc, const AttrsSchema* attrs) -> OpDef {
  OpDef op = Annotation(name, doc);
  op.attrs = attrs;
  op.attrs_undeclared = true;
  return op;
}

}  // namespace

constinit const OpRows<OpFamily::kAnnotation> kAnnotationOps = NumberedRows<OpFamily::kAnnotation>({
    Annotation("annotation.bitpack_end", "marks the end of a bit-packed region"),
    Annotation("annotation.bitpack_start", "marks the start of a bit-packed region"),
    Annotation("annotation.cast_hint", "marks a value that may change its element type", &kSchema<CastHintAttrs>),
    Annotation("annotation.checkpoint", "marks a value that gradients recompute from"),
    Annotation("annotation.compiler_begin", "marks an operand of an external region", &kSchema<CompilerAttrs>),
    Annotation("annotation.compiler_end", "marks a result of an external region", &kSchema<CompilerAttrs>),
    Annotation("annotation.stop_fusion", "keeps what is before and behind in different kernels"),
    {.name = "debug",
     .inputs = "program",
     .attrs = &kSchema<DebugAttrs>,
     .type = IdentityRule,
     .kernel = CopyKernel,
     .fusion = Fusion::kOpaque,
     .doc = "stops in a debugger"},
    {.name = "device_copy",
     .inputs = "data",
     .attrs = &kSchema<DeviceCopyAttrs>,
     .type = IdentityRule,
     .kernel = CopyKernel,
     .fusion = Fusion::kOpaque,
     .shape_function = "s",
     .layout = ElementwiseLayout,
     .doc = "copies to another device"},
    {.name = "on_device",
     .inputs = "body",
     .attrs = &kSchema<OnDeviceAttrs>,
     .type = IdentityRule,
     .kernel = CopyKernel,
     .fusion = Fusion::kOpaque,
     .non_computational = true,
     .layout = ElementwiseLayout,
     .doc = "says on which device a value lies"},
    {.name = "relay.op.annotation.simulated_quantize",
     .inputs = "data, dom_scale, clip_min, clip_max",
     .attrs = &kSchema<QuantizationAttrs>,
     .type = SimulatedQuantizeRule,
     .kernel = SimulatedQuantizeKernel,
     .fusion = Fusion::kElemWise,
     .layout = SimulatedQuantizeLayout,
     .doc = "rounds to the multiples of dom_scale between the bounds, in floats"},
});

}  // namespace relayopt
