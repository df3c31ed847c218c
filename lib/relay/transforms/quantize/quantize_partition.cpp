// QuantizePartition: divides a network into sections that are quantized separately.
#include "config.h"
#include "forward_rewriter.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/relay/transforms/all_passes.h"

namespace relayopt {

namespace {

// Marks the result of a section: what leaves it is hinted to be cast, after a barrier for fusion.
struct SectionEnd {};

class Partitioner : public ForwardRewriter<Partitioner, SectionEnd> {
 public:
  Partitioner(const Function& function, const QuantizeConfig& config) : ForwardRewriter(function), config_(config) {}

  auto Rewrite(ExprId id, std::span<const Value> args) -> std::optional<Value> {
    static const OpRules<Rule> rules = {
        {"add"_op, &Partitioner::Sum},
        {"clip"_op, &Partitioner::Through},
        {"multiply"_op, &Partitioner::Product},
        {"nn.conv2d"_op, &Partitioner::Convolution},
        {"nn.global_avg_pool2d"_op, &Partitioner::Average},
        {"nn.max_pool2d"_op, &Partitioner::Through},
        {"nn.relu"_op, &Partitioner::Through},
    };
    const Rule* rule = rules.Find(function().op(id));
    return rule == nullptr ? std::nullopt : (this->**rule)(id, args);
  }

  auto Realize(ExprId expr, const SectionEnd&) -> ExprId {
    const ExprId hint = EmitCallWith(to(), "annotation.cast_hint"_op, CastHintAttrs{config_.dtype_input}, {expr});
    return EmitCall(to(), "annotation.stop_fusion"_op, {hint});
  }

 private:
  using Args = std::span<const Value>;
  using Rule = auto(Partitioner::*)(ExprId id, Args args) -> std::optional<Value>;

  // Returns the value that leaves the section here. As TVM: every use gets its own cut.
  auto Cut(const Value& value) -> ExprId { return value.is_marked() ? Realize(value.expr, {}) : Realized(value); }

  // A section begins.
  auto Convolution(ExprId id, Args args) -> std::optional<Value> {
    // A kernel that is computed is not a weight.
    if (args[1].is_marked()) return std::nullopt;
    return Marked(Forward(id, {Cut(args[0]), Realized(args[1])}), {});
  }

  // The section goes on.
  auto Through(ExprId id, Args args) -> std::optional<Value> {
    if (!args[0].is_marked()) return std::nullopt;
    return Marked(Forward(id, {args[0].expr}), {});
  }

  auto Sum(ExprId id, Args args) -> std::optional<Value> {
    const bool left = args[0].is_marked();
    const bool right = args[1].is_marked();
    if (!left && !right) return std::nullopt;
    // A bias belongs to the section; a residual comes from outside.
    if (left && !right && made().kind(Realized(args[1])) == ExprKind::kConstant) {
      return Marked(Forward(id, {args[0].expr, Realized(args[1])}), {});
    }
    const ExprId sum = Forward(id, {Cut(args[0]), Cut(args[1])});
    return left && right ? Marked(sum, {}) : Plain(sum);
  }

  auto Product(ExprId id, Args args) -> std::optional<Value> {
    if (args[0].is_marked()) return Marked(Forward(id, {Cut(args[0]), OfSection(args[1])}), {});
    if (args[1].is_marked()) return Marked(Forward(id, {Realized(args[0]), Cut(args[1])}), {});
    return std::nullopt;
  }
  // The second factor is not cut off, whatever it is.
  auto OfSection(const Value& value) -> ExprId { return value.is_marked() ? value.expr : Realized(value); }

  // The input of an average is always cut off.
  auto Average(ExprId id, Args args) -> std::optional<Value> {
    const ExprId data = args[0].is_marked() ? args[0].expr : Realized(args[0]);
    return Plain(Forward(id, {Realize(data, {})}));
  }

  const QuantizeConfig& config_;
};

struct QuantizePartition {
  using Options = QuantizeOptions;
  Options options;

  auto Run(const Module&, GlobalId, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    RELAYOPT_TRY(const QuantizeConfig config, ReadQuantizeConfig(options, context));
    return Partitioner(function, config).Run();
  }
};

}  // namespace

constinit const PassDef kQuantizePartitionPass = DescribePass<QuantizePartition>({
    .name = "QuantizePartition",
    .opt_level = 1,
    .summary = "divides a network into sections that are quantized separately",
    .details =
        R"(A section is a convolution with what follows it: biases, nn.relu, clip and nn.max_pool2d. Where another
convolution, a residual sum or an average takes the result of a section, it is to be integers of few bits:

  %0 = nn.conv2d(%x, %w1);            %0 = nn.conv2d(%x, %w1);
  %1 = add(%0, %bias);                %1 = add(%0, %bias);
  %2 = nn.relu(%1);             =>    %2 = nn.relu(%1);
  nn.conv2d(%2, %w2)                  %3 = annotation.cast_hint(%2, dtype="int8");
                                      %4 = annotation.stop_fusion(%3);
                                      nn.conv2d(%4, %w2)

The annotations compute nothing. A sum of two sections begins a third one; so does a product with a section. What leaves
the last section of a function is annotated likewise.

Left alone: convolutions whose kernel is computed by another section, and whatever follows another operator. The first
of the passes of Quantize; dtype_input is the only option that it looks at.)",
});

}  // namespace relayopt
