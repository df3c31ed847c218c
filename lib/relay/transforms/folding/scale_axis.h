// The properties of operators, shapes and values that the passes moving scales along axes use.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "absl/container/flat_hash_map.h"
#include "relayopt/relay/analysis/constant_uses.h"
#include "relayopt/relay/analysis/emit.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

// The axes of channels in a tensor, ascending: one, or in blocked layouts those of blocks and of channels in a block.
struct ScaleAxes {
  std::array<size_t, 2> axes = {};
  size_t count = 0;

  auto all() const -> std::span<const size_t> { return std::span(axes).first(count); }
  friend auto operator==(const ScaleAxes&, const ScaleAxes&) -> bool = default;
};

// The properties that a scale must have in order to move through the operators on its way.
struct ScaleDemand {
  ScaleAxes axes;
  // Operators like nn.relu commute with positive scales only.
  bool positive = false;
  // It is used as a divisor.
  bool nonzero = false;
};

// Whether a function has a convolution or dense layer, into whose weight scales could move.
auto HasScalableLayers(const Function& function) -> bool;

class ScaleAxisAnalysis {
 public:
  struct Scope {
    // Results of grouped convolutions are scaled as well.
    bool groups = false;
    // Only what folding constants makes disappear again: constant scales and terms, and constant weights that nothing
    // else uses or that are small.
    bool constants_only = false;
  };
  // `function` must have types.
  explicit ScaleAxisAnalysis(const Function& function, Scope scope);

  // Returns the rule of a call's operator; kNone for other expressions.
  auto RuleOf(ExprId id) const -> ScaleRule {
    return function_.kind(id) == ExprKind::kOpCall ? function_.op(id)->scale_rule : ScaleRule::kNone;
  }

  // Returns the axes of its data, or of its result, along which a convolution or dense layer can have a scale in its
  // weight instead.
  auto InputAxes(ExprId call) const -> std::optional<ScaleAxes> { return WeightedAxes(call, true); }
  auto OutputAxes(ExprId call) const -> std::optional<ScaleAxes> { return WeightedAxes(call, false); }
  // Returns the scale times the weight, both in `to`.
  auto EmitInputScaled(FunctionBuilder& to, ExprId call, ExprId weight, ExprId scale) const -> ExprId {
    return EmitWeight(to, call, weight, scale, true);
  }
  auto EmitOutputScaled(FunctionBuilder& to, ExprId call, ExprId weight, ExprId scale) const -> ExprId {
    return EmitWeight(to, call, weight, scale, false);
  }

  // Whether `part` broadcasts against `whole` along `axes` only and has an element for each of their indices.
  auto LiesAlong(ExprId whole, ExprId part, const ScaleAxes& axes) const -> bool;
  // Whether `part` times `whole` is a scale that fits the demand; it may also be a scalar.
  auto IsScale(ExprId whole, ExprId part, const ScaleDemand& demand) -> bool;
  // Whether an operand that a scale is to divide or multiply may be changed.
  auto MayScale(ExprId operand) const -> bool {
    return !scope_.constants_only || function_.kind(operand) == ExprKind::kConstant;
  }
  // Returns the scale with exactly the axes of the demand, created from `part` in `to`.
  auto EmitScale(FunctionBuilder& to, ExprId whole, ExprId part, ExprId made_part, const ScaleAxes& axes) const
      -> ExprId;
  // Returns a scale reshaped to broadcast against `whole`.
  auto EmitAlong(FunctionBuilder& to, ExprId whole, ExprId scale, const ScaleAxes& axes) const -> ExprId;

  // Whether evaluating the expression may have an effect or depend on one.
  auto MayHaveEffect(ExprId id) const -> bool { return effects_[id]; }

 private:
  struct ConvolutionInfo {
    int64_t groups;
    std::string_view data_layout;
    std::string_view kernel_layout;
    std::string_view out_layout;
    std::string_view plain_kernel_layout;
  };
  // The smallest element decides.
  struct Values {
    bool positive = false;
    bool nonzero = false;
  };

  void FindEffects();
  auto ConvolutionOf(ExprId call) const -> std::optional<ConvolutionInfo>;
  auto WeightedAxes(ExprId call, bool input) const -> std::optional<ScaleAxes>;
  auto ConvolutionAxes(ExprId call, bool input) const -> std::optional<ScaleAxes>;
  auto WeightAxes(ExprId call, const ConvolutionInfo& info, bool input) const -> std::optional<ScaleAxes>;
  auto EmitWeight(FunctionBuilder& to, ExprId call, ExprId weight, ExprId scale, bool input) const -> ExprId;
  auto IsOwn(ExprId weights) const -> bool;
  auto IsSpelledOut(ExprId id) const -> bool;
  static auto EmitFilled(FunctionBuilder& to, const Constant& number, const Type& outer, const ScaleAxes& axes)
      -> ExprId;
  auto ValuesOf(ExprId id) -> std::optional<Values>;
  auto ConstantValuesOf(ExprId id) -> std::optional<Values>;
  auto WithoutRearrangement(ExprId id) const -> ExprId;
  auto AreIntegers(ExprId id) const -> bool;

  const Function& function_;
  Scope scope_;
  // Counted with constants_only.
  std::optional<ConstantUses> uses_;
  SideTable<ExprId, bool> effects_;
  absl::flat_hash_map<ExprId, std::optional<Values>> values_;
};

}  // namespace relayopt
