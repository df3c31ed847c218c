// BackwardFoldScaleAxis: scales of the results of convolutions and dense layers move into the weights.
//
// 1. FindOffers walks upwards: which scales each value could absorb (along which axes, and whether only positive
//    ones). A convolution or dense layer offers its output channels, nn.relu passes the offer of its operand on for
//    positive scales, a sum offers what its sides can. A value with several users offers nothing.
// 2. Decide walks downwards, users before operands: a product whose factor fits the offer of its other operand
//    disappears (replaced_), and that operand absorbs its scale (factor_of_), which sums and nn.relu pass on.
// 3. The function is rebuilt, with scales before the calls that absorb them (Order).
//
//   %0 = nn.conv2d(%x, %w)     offers [O]           factor_of: %2      conv2d(%x, multiply(%w, s'))
//   %1 = nn.relu(%0)           offers [O], positive  factor_of: %2     nn.relu(...)
//   %2 = multiply(%1, %s)      %s is positive        replaced by %1
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "lib/relay/transforms/clean_up/dependency_order.h"
#include "lib/relay/transforms/pass_remarks.h"
#include "relayopt/relay/ir/call_view.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/nn_activation.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "scale_axis.h"

namespace relayopt {

namespace {

struct BackwardFoldScaleAxisOptions {
  bool grouped = false;
  bool constants_only = false;
  static constexpr auto Fields() {
    return std::array{Option<&BackwardFoldScaleAxisOptions::grouped>(
                          "scale the weights of grouped convolutions too, which TVM does not"),
                      Option<&BackwardFoldScaleAxisOptions::constants_only>(
                          "only where scale and weight are constants that become one")};
  }
};

class BackwardFolder {
 public:
  BackwardFolder(const Function& function, const BackwardFoldScaleAxisOptions& options)
      : function_(function),
        analysis_(function, {.groups = options.grouped, .constants_only = options.constants_only}),
        rebuild_(function),
        offers_(function.size()),
        factor_of_(function.size()),
        replaced_(function.size()),
        scale_of_(function.size()) {}

  auto Run(PassRemarks& remarks) -> std::optional<Function> {
    FindOffers();
    const bool any = Decide();
    if (remarks.is_wanted()) Report(remarks);
    if (!any) return std::nullopt;
    for (const ExprId id : Order()) {
      rebuild_.BeginVisit(id);
      rebuild_.Set(id, Visit(id));
    }
    return rebuild_.Finish();
  }

 private:
  // Which operands of a sum can absorb a scale of the sum; others are multiplied by it.
  struct SumSides {
    std::array<bool, 2> takes = {};
    // The operand that has the axes.
    size_t whole = 0;
  };

  auto to() -> FunctionBuilder& { return rebuild_.to(); }

  void Report(PassRemarks& remarks) const {
    for (const ExprId id : function_.ids()) {
      if (analysis_.RuleOf(id) != ScaleRule::kScale) continue;
      if (replaced_[id]) {
        remarks.PassedOp("Folded", id, "moves into the weights of what it scales");
        continue;
      }
      const bool is_offered = OfferOf(id, 0) || OfferOf(id, 1);
      remarks.MissedOp("Kept", id,
                       is_offered
                           ? "stays: the factor does not lie along the output channels, may be negative behind "
                             "nn.relu, or has effects"
                           : "stays: what it scales is not the result of a convolution or dense layer that has no "
                             "other user");
    }
  }

  // Finds the scales that each value could absorb. Values with several users absorb none.
  void FindOffers() {
    SideTable<ExprId, uint8_t> uses(function_.size());
    for (const ExprId id : function_.ids()) {
      for (const ExprId operand : function_.operands(id))
        uses[operand] = static_cast<uint8_t>(std::min(2, uses[operand] + 1));
    }
    for (const ExprId id : function_.ids()) {
      if (uses[id] == 1) offers_[id] = Offer(id);
    }
  }

  auto OfferOf(ExprId user, size_t i) const -> const std::optional<ScaleDemand>& {
    return offers_[function_.operand(user, i)];
  }

  auto Offer(ExprId id) const -> std::optional<ScaleDemand> {
    switch (analysis_.RuleOf(id)) {
      case ScaleRule::kConvolution:
      case ScaleRule::kDense: {
        const auto axes = analysis_.OutputAxes(id);
        return axes ? std::optional(ScaleDemand{.axes = *axes}) : std::nullopt;
      }
      case ScaleRule::kThrough: {
        auto offer = OfferOf(id, 0);
        if (offer) offer->positive = true;
        return offer;
      }
      case ScaleRule::kSum: {
        const auto sides = SidesOf(id);
        if (!sides) return std::nullopt;
        auto offer = OfferOf(id, sides->whole);
        const bool both = sides->takes[0] && sides->takes[1];
        offer->positive = offer->positive || (both && OfferOf(id, 1 - sides->whole)->positive);
        return offer;
      }
      case ScaleRule::kBias: {
        const auto& offer = OfferOf(id, 0);
        const auto* attrs = function_.context().As<BiasAddAttrs>(function_.attrs(id));
        const bool fits = offer && attrs != nullptr && analysis_.MayScale(function_.operand(id, 1)) &&
                          offer->axes.count == 1 && attrs->axis >= 0 &&
                          static_cast<size_t>(attrs->axis) == offer->axes.axes[0];
        return fits ? offer : std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  auto SidesOf(ExprId sum) const -> std::optional<SumSides> {
    const std::array<ExprId, 2> sides = {function_.operand(sum, 0), function_.operand(sum, 1)};
    const bool both = offers_[sides[0]] && offers_[sides[1]] && offers_[sides[0]]->axes == offers_[sides[1]]->axes;
    for (const size_t whole : {size_t{0}, size_t{1}}) {
      if (!offers_[sides[whole]]) continue;
      if (!analysis_.LiesAlong(sides[whole], sides[1 - whole], offers_[sides[whole]]->axes)) continue;
      if (!both && !analysis_.MayScale(sides[1 - whole])) continue;
      SumSides result{.takes = {both, both}, .whole = whole};
      result.takes[whole] = true;
      return result;
    }
    if (!both) return std::nullopt;
    const Type* left = TensorType(function_, sides[0]);
    const Type* right = TensorType(function_, sides[1]);
    if (!std::ranges::equal(left->shape, right->shape)) return std::nullopt;
    return SumSides{.takes = {true, true}, .whole = 0};
  }

  // Decides, users first, which products disappear and which calls absorb their scales. Returns false if none
  // disappears.
  auto Decide() -> bool {
    bool any = false;
    for (const ExprId id : function_.ids().reversed()) {
      if (factor_of_[id]) {
        PassOn(id);
      } else if (analysis_.RuleOf(id) == ScaleRule::kScale) {
        // As TVM: the second operand is considered only if the first one offers nothing.
        const ExprId left = function_.operand(id, 0);
        const ExprId right = function_.operand(id, 1);
        const ExprId whole = offers_[left] ? left : right;
        const ExprId part = offers_[left] ? right : left;
        if (!offers_[whole] || !analysis_.IsScale(whole, part, *offers_[whole])) continue;
        any = true;
        replaced_[id] = whole;
        factor_of_[whole] = id;
      }
    }
    return any;
  }

  void PassOn(ExprId id) {
    const auto operands = function_.operands(id);
    switch (analysis_.RuleOf(id)) {
      case ScaleRule::kThrough:
      case ScaleRule::kBias: factor_of_[operands[0]] = factor_of_[id]; break;
      case ScaleRule::kSum: {
        const SumSides sides = *SidesOf(id);
        for (const size_t i : {size_t{0}, size_t{1}}) {
          if (sides.takes[i]) factor_of_[operands[i]] = factor_of_[id];
        }
        break;
      }
      default: break;
    }
  }

  // Returns the operand of a product that is its scale.
  auto ScaleOperand(ExprId product) const -> ExprId {
    const ExprId left = function_.operand(product, 0);
    return replaced_[product] == left ? function_.operand(product, 1) : left;
  }

  // Operands before users, and scales before all that absorb them.
  auto Order() const -> std::vector<ExprId> {
    return DependencyOrder(
        function_, [this](ExprId id) { return function_.operands(id).size() + 1; },
        [this](ExprId id, size_t i) {
          const auto operands = function_.operands(id);
          if (i < operands.size()) return operands[i];
          return factor_of_[id] ? ScaleOperand(factor_of_[id]) : ExprId();
        });
  }

  auto Visit(ExprId id) -> ExprId {
    if (replaced_[id]) return rebuild_.New(replaced_[id]);
    if (!factor_of_[id] || analysis_.RuleOf(id) == ScaleRule::kThrough) return rebuild_.Copy(id);
    const auto operands = function_.operands(id);
    const ExprId scale = ScaleOf(factor_of_[id]);
    std::array<ExprId, 2> args = {rebuild_.New(operands[0]), rebuild_.New(operands[1])};
    if (analysis_.RuleOf(id) == ScaleRule::kSum) {
      const SumSides sides = *SidesOf(id);
      const ExprId whole = operands[sides.whole];
      for (const size_t i : {size_t{0}, size_t{1}}) {
        if (!sides.takes[i]) args[i] = Multiply(args[i], analysis_.EmitAlong(to(), whole, scale, offers_[whole]->axes));
      }
    } else if (analysis_.RuleOf(id) == ScaleRule::kBias) {
      args[1] = Multiply(args[1], scale);
    } else {
      args[1] = analysis_.EmitOutputScaled(to(), id, args[1], scale);
    }
    return to().Copy(function_, id, args);
  }

  auto Multiply(ExprId left, ExprId right) -> ExprId { return EmitCall(to(), "multiply"_op, {left, right}); }

  // Returns the scale of a product that disappears.
  auto ScaleOf(ExprId product) -> ExprId {
    ExprId scale = scale_of_[product];
    if (!scale) {
      const ExprId whole = replaced_[product];
      const ExprId part = ScaleOperand(product);
      scale = analysis_.EmitScale(to(), whole, part, rebuild_.New(part), offers_[whole]->axes);
      scale_of_[product] = scale;
    }
    return scale;
  }

  const Function& function_;
  ScaleAxisAnalysis analysis_;
  Rebuild rebuild_;
  SideTable<ExprId, std::optional<ScaleDemand>> offers_;
  // The product whose scale a value absorbs.
  SideTable<ExprId, ExprId> factor_of_;
  // For products that disappear, the operand that replaces them.
  SideTable<ExprId, ExprId> replaced_;
  // For such products, their scale in the new function.
  SideTable<ExprId, ExprId> scale_of_;
};

struct BackwardFoldScaleAxis {
  using Options = BackwardFoldScaleAxisOptions;
  Options options;

  auto Run(const Module& module, GlobalId id, const Function& function, PassContext& context) const
      -> Result<std::optional<Function>> {
    PassRemarks remarks(context, "BackwardFoldScaleAxis", module, function, id);
    if (!remarks.is_wanted() && !HasScalableLayers(function)) return std::nullopt;
    return BackwardFolder(function, options).Run(remarks);
  }
};

}  // namespace

constinit const PassDef kBackwardFoldScaleAxisPass = DescribePass<BackwardFoldScaleAxis>({
    .name = "BackwardFoldScaleAxis",
    .opt_level = 3,
    .required = "InferType",
    .summary = "moves scales of the results of convolutions and dense layers into the weights",
    .details =
        R"(A product along the channels of the result of nn.conv2d, nn.conv3d or nn.dense becomes a product along the
output channels of the weight, which is smaller and mostly constant:

  %0 = nn.conv2d(%x, %w);          %0 = multiply(%w, expand_dims(%s, axis=1, num_newaxis=3));
  multiply(%0, %s)          =>     nn.conv2d(%x, %0)

On the way it passes nn.relu and nn.leaky_relu when it is known to be positive, nn.bias_add, whose bias is
multiplied as well, and add and subtract, whose operands either both end in such operators or the other one is
multiplied. Every value on the way has one user. The results agree up to rounding.

Left alone: grouped convolutions other than depthwise ones unless grouped=true, integers, operands that do not lie along
the channels, scales with effects, layouts of which only a part is blocked, and nn.bias_add with a negative axis. With
constants_only also scales that are not constant, scales of products and quotients, weights that are not constant or
that something else uses, and sums with other values.)",
    .exactness = Exactness::kApproximate,
    .idempotent = false,
});

}  // namespace relayopt
