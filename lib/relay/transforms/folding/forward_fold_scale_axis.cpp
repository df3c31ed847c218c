// ForwardFoldScaleAxis: scales of the data of convolutions and dense layers move into the weights.
//
// 1. SendDemands walks downwards, users before operands: a convolution or dense layer demands that its data be
//    scaled along its input channels, nn.relu and sums pass the demand on, with conditions (positive, not zero). A
//    value whose users have different demands is not scaled.
// 2. One walk upwards: a product that meets a demand becomes its other operand, and `scales_` holds the factor from
//    the new value to the old one. A call that passes the demand on passes the scale on; the layer that sent it
//    multiplies its weight. (x * s) + y becomes (x + y / s) * s.
//
//   %0 = multiply(%x, %s)      demanded along [C]    becomes %x, scales_ = s
//   %1 = nn.relu(%0)           positive              nn.relu(%x), scales_ = s
//   nn.conv2d(%1, %w)          sends the demand      nn.conv2d(%1, multiply(%w, s'))
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "lib/relay/transforms/pass_remarks.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "scale_axis.h"

namespace relayopt {

namespace {

struct ForwardFoldScaleAxisOptions {
  bool constants_only = false;
  static constexpr auto Fields() {
    return std::array{Option<&ForwardFoldScaleAxisOptions::constants_only>(
        "only where scale and weight are constants that become one")};
  }
};

class ForwardFolder {
 public:
  ForwardFolder(const Function& function, const ForwardFoldScaleAxisOptions& options)
      : function_(function),
        analysis_(function, {.groups = false, .constants_only = options.constants_only}),
        rebuild_(function),
        demands_(function.size()),
        is_needed_(function.size()),
        scales_(function.size()) {}

  auto Run(PassRemarks& remarks) -> std::optional<Function> {
    const bool any = SendDemands();
    if (any) {
      FindNeededTuples();
      rebuild_.ForEach([this](ExprId id) { return Visit(id); });
    }
    if (remarks.is_wanted()) Report(remarks);
    if (!changed_) return std::nullopt;
    return rebuild_.Finish();
  }

 private:
  enum class State : uint8_t { kUnused, kAgreed, kRefused };
  // The scale by which the users of a value demand it to be multiplied; all users must agree.
  struct Demand {
    State state = State::kUnused;
    ScaleDemand scale;
  };

  auto to() -> FunctionBuilder& { return rebuild_.to(); }

  void Report(PassRemarks& remarks) const {
    for (const ExprId id : function_.ids()) {
      if (analysis_.RuleOf(id) != ScaleRule::kScale) continue;
      if (scales_[id]) {
        remarks.PassedOp("Folded", id, "moves into the weights of what reads it");
        continue;
      }
      switch (demands_[id].state) {
        case State::kUnused: remarks.MissedOp("Kept", id, "stays: nothing uses it"); break;
        case State::kRefused:
          remarks.MissedOp("Kept", id,
                           "stays: not all of its users are convolutions and dense layers, perhaps behind nn.relu and "
                           "sums, that scale the same channels");
          break;
        case State::kAgreed:
          remarks.MissedOp("Kept", id,
                           "stays: the factor does not lie along the input channels, or may be zero or negative");
          break;
      }
    }
  }

  void Refuse(ExprId id) { demands_[id].state = State::kRefused; }

  void Send(ExprId id, const ScaleDemand& scale) {
    Demand& demand = demands_[id];
    if (demand.state == State::kUnused) {
      demand = {State::kAgreed, scale};
    } else if (demand.scale.axes != scale.axes) {
      demand.state = State::kRefused;
    } else {
      demand.scale.positive = demand.scale.positive || scale.positive;
      demand.scale.nonzero = demand.scale.nonzero || scale.nonzero;
    }
  }

  // Visits users before operands. Returns false if no expression demands a scale.
  auto SendDemands() -> bool {
    bool any = false;
    for (const ExprId id : function_.ids().reversed()) {
      const ExprId scaled = SendDemand(id);
      any = any || scaled;
      for (const ExprId operand : function_.operands(id)) {
        if (operand != scaled) Refuse(operand);
      }
      // The other operand must not depend on the value.
      if (scaled && std::ranges::count(function_.operands(id), scaled) > 1) Refuse(scaled);
    }
    return any;
  }

  // Sends a demand to one operand and returns it; returns none if there is nothing to ask for.
  auto SendDemand(ExprId id) -> ExprId {
    const ScaleRule rule = analysis_.RuleOf(id);
    if (rule == ScaleRule::kConvolution || rule == ScaleRule::kDense) {
      const auto axes = analysis_.InputAxes(id);
      if (!axes) return {};
      Send(function_.operand(id, 0), {.axes = *axes});
      return function_.operand(id, 0);
    }
    if (demands_[id].state != State::kAgreed) return {};
    ScaleDemand demand = demands_[id].scale;
    if (rule == ScaleRule::kThrough) {
      demand.positive = true;
    } else if (rule == ScaleRule::kSum) {
      demand.nonzero = true;
    } else {
      return {};
    }
    const ExprId scaled = rule == ScaleRule::kSum ? ScaledOperand(id, demand.axes) : function_.operand(id, 0);
    if (scaled) Send(scaled, demand);
    return scaled;
  }

  // Returns the operand of a sum whose scale the sum would have; the other one lies along the axes.
  auto ScaledOperand(ExprId sum, const ScaleAxes& axes) const -> ExprId {
    const ExprId left = function_.operand(sum, 0);
    const ExprId right = function_.operand(sum, 1);
    if (analysis_.LiesAlong(left, right, axes) && analysis_.MayScale(right)) return left;
    return analysis_.LiesAlong(right, left, axes) && analysis_.MayScale(left) ? right : ExprId();
  }

  auto Visit(ExprId id) -> ExprId {
    switch (analysis_.RuleOf(id)) {
      case ScaleRule::kScale: return VisitScale(id);
      case ScaleRule::kThrough: scales_[id] = scales_[function_.operand(id, 0)]; return rebuild_.Copy(id);
      case ScaleRule::kSum: return VisitSum(id);
      case ScaleRule::kConvolution:
      case ScaleRule::kDense: return VisitWeighted(id);
      default: return function_.kind(id) == ExprKind::kTupleGetItem ? VisitProjection(id) : rebuild_.Copy(id);
    }
  }

  auto VisitScale(ExprId id) -> ExprId {
    if (demands_[id].state != State::kAgreed) return rebuild_.Copy(id);
    const ScaleDemand& demand = demands_[id].scale;
    const ExprId left = function_.operand(id, 0);
    const ExprId right = function_.operand(id, 1);
    for (const auto& [whole, part] : {std::pair(left, right), std::pair(right, left)}) {
      if (!analysis_.IsScale(whole, part, demand)) continue;
      changed_ = true;
      scales_[id] = analysis_.EmitScale(to(), whole, part, rebuild_.New(part), demand.axes);
      return rebuild_.New(whole);
    }
    return rebuild_.Copy(id);
  }

  // (x * s) + y becomes (x + y / s) * s.
  auto VisitSum(ExprId id) -> ExprId {
    const auto operands = function_.operands(id);
    const size_t scaled = scales_[operands[0]] ? 0 : 1;
    const ExprId scale = scales_[operands[scaled]];
    if (!scale) return rebuild_.Copy(id);
    scales_[id] = scale;
    const ExprId along = analysis_.EmitAlong(to(), operands[scaled], scale, demands_[id].scale.axes);
    std::array<ExprId, 2> args = {rebuild_.New(operands[0]), rebuild_.New(operands[1])};
    args[1 - scaled] = EmitCall(to(), "divide"_op, {args[1 - scaled], along});
    return to().Copy(function_, id, args);
  }

  auto VisitWeighted(ExprId id) -> ExprId {
    const auto operands = function_.operands(id);
    const ExprId scale = scales_[operands[0]];
    if (!scale) return rebuild_.Copy(id);
    const ExprId weight = analysis_.EmitInputScaled(to(), id, rebuild_.New(operands[1]), scale);
    return to().Copy(function_, id, std::array{rebuild_.New(operands[0]), weight});
  }

  // When a tuple is no longer made, fields that are never projected disappear; tuples whose unused fields have effects
  // are needed.
  void FindNeededTuples() {
    SideTable<ExprId, bool> is_projected(function_.size());
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) != ExprKind::kTupleGetItem) continue;
      const ExprId tuple = function_.operand(id, 0);
      if (function_.kind(tuple) == ExprKind::kTuple) is_projected[function_.operand(tuple, function_.index(id))] = true;
    }
    for (const ExprId id : function_.ids()) {
      if (function_.kind(id) != ExprKind::kTuple) continue;
      for (const ExprId field : function_.operands(id)) {
        if (analysis_.MayHaveEffect(field) && !is_projected[field]) is_needed_[id] = true;
      }
    }
  }

  // As TVM: projections from a tuple literal become the field.
  auto VisitProjection(ExprId id) -> ExprId {
    const ExprId tuple = function_.operand(id, 0);
    if (function_.kind(tuple) != ExprKind::kTuple || is_needed_[tuple]) return rebuild_.Copy(id);
    changed_ = true;
    return rebuild_.New(function_.operand(tuple, function_.index(id)));
  }

  const Function& function_;
  ScaleAxisAnalysis analysis_;
  Rebuild rebuild_;
  SideTable<ExprId, Demand> demands_;
  // Tuples with a field that must be evaluated although it is never projected.
  SideTable<ExprId, bool> is_needed_;
  // The factor between the new and the old value; invalid for 1.
  SideTable<ExprId, ExprId> scales_;
  bool changed_ = false;
};

struct ForwardFoldScaleAxis {
  using Options = ForwardFoldScaleAxisOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    PassRemarks remarks(context, "ForwardFoldScaleAxis", module, function, id);
    if (!remarks.is_wanted() && !HasScalableLayers(function)) return std::nullopt;
    return ForwardFolder(function, options).Run(remarks);
  }
};

}  // namespace

constinit const PassDef kForwardFoldScaleAxisPass = DescribePass<ForwardFoldScaleAxis>({
    .name = "ForwardFoldScaleAxis",
    .opt_level = 3,
    .required = "InferType",
    .summary = "moves scales of the data of convolutions and dense layers into the weights",
    .details =
        R"(A product along the channels of the data of nn.conv2d, nn.conv3d or nn.dense becomes a product along
the input channels of the weight, which is smaller and mostly constant:

  %0 = multiply(%x, %s);           %0 = multiply(%w, expand_dims(%s, axis=1, num_newaxis=2));
  nn.conv2d(%0, %w)         =>     nn.conv2d(%x, %0)

On the way it passes nn.relu and nn.leaky_relu when it is known to be positive, and add and subtract, whose
other operand is divided by it. All users of a value on the way must end in such operators and want the same
axes. The results agree up to rounding; a scale that is not constant is taken to have no zeros where something
is divided by it.

Left alone: grouped convolutions other than depthwise ones, integers, operands that do not lie along the channels, scales
with effects, and layouts of which only a part is blocked. With constants_only also scales that are not constant, scales
of products and quotients, weights that are not constant or that something else uses, and sums with other values. Literal
tuples that are only projected disappear.)",
    .exactness = Exactness::kApproximate,
    .idempotent = false,
});

}  // namespace relayopt
