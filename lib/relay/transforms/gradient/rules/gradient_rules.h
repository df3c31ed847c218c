// Gradient rules of operators: how the gradient of a call's result becomes gradients of its arguments.
#pragma once

#include <fmt/core.h>

#include <span>
#include <vector>

#include "relayopt/relay/analysis/call_emitter.h"
#include "relayopt/relay/formula/emit.h"
#include "relayopt/relay/ops/op_rules.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/support/result.h"

namespace relayopt {

// The input of a gradient rule: a call in the function under construction, and the gradient of its result, with types.
class GradientContext : public CallEmitter {
 public:
  GradientContext(FunctionBuilder& to, ExprId call, ExprId gradient, SourceRange range)
      : CallEmitter(to), call_(call), gradient_(gradient), range_(range) {}

  auto context() const -> Context& { return to().context(); }
  auto call() const -> ExprId { return call_; }
  auto gradient() const -> ExprId { return gradient_; }
  auto arg(size_t i) const -> ExprId { return to().function().operand(call_, i); }
  auto num_args() const -> size_t { return to().function().operands(call_).size(); }
  // Returns the attributes of the call; those of a call without any are the defaults.
  template <typename A>
  auto attrs() const -> const A& {
    static const A defaults;
    const A* attrs = to().context().template As<A>(to().function().attrs(call_));
    return attrs == nullptr ? defaults : *attrs;
  }

  // Returns the extents of a tensor; an error if one of them is not known.
  auto StaticShape(ExprId id) const -> Result<std::vector<int64_t>>;
  // Returns the element type of a tensor; float32 if it is not known.
  auto ElementType(ExprId id) const -> DataType {
    const Type* type = tensor(id);
    return type == nullptr ? DataType::Float(32) : type->dtype;
  }

  // Returns a new scalar constant of the element type of `like`.
  auto Scalar(ExprId like, double value) -> ExprId;
  auto OnesLike(ExprId a) -> ExprId { return Call("ones_like"_op, {a}); }
  auto ZerosLike(ExprId a) -> ExprId { return Call("zeros_like"_op, {a}); }
  auto CollapseSumLike(ExprId a, ExprId like) -> ExprId { return Call("collapse_sum_like"_op, {a, like}); }

  // Reports why there is no gradient.
  template <typename... Args>
  auto Error(fmt::format_string<Args...> text, Args&&... args) const -> Diagnostic {
    return Unsupported(fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  auto Unsupported(std::string_view reason) const -> Diagnostic;

  ExprId call_;
  ExprId gradient_;
  SourceRange range_;
};

// One gradient for each argument, or why there are none.
using Gradients = Result<std::vector<ExprId>>;
using GradientFunction = auto(*)(GradientContext& rule) -> Gradients;

// A function, or a formula with a result for each argument. In formulas, x, y and z are the arguments, g is the
// gradient of the result, and `result` is the call; attributes that are floating-point numbers have their names.
struct GradientRule {
  GradientFunction function = nullptr;
  Formula formula = {};

  constexpr GradientRule() = default;
  // NOLINTBEGIN(google-explicit-constructor): rows are written as either.
  constexpr GradientRule(GradientFunction f) : function(f) {}
  constexpr GradientRule(Formula f) : formula(f) {}
  // NOLINTEND(google-explicit-constructor)
};

// A row of a family.
using GradientRow = OpRule<GradientRule>;

// Returns the rule of an operator, or null if it has none.
auto FindGradientRule(const OpDef* op) -> const GradientRule*;

// Applies a rule and checks its result: every gradient must have a type that can be added to one of its argument's
// type. Reports an error otherwise, for example between integers and floats, which have no common type.
auto ApplyGradientRule(const GradientRule& rule, GradientContext& context) -> Gradients;

// Returns the families.
auto ArithmeticGradients() -> std::span<const GradientRow>;
auto ConvGradients() -> std::span<const GradientRow>;
auto CreationGradients() -> std::span<const GradientRow>;
auto ElementwiseGradients() -> std::span<const GradientRow>;
auto IndexingGradients() -> std::span<const GradientRow>;
auto NNGradients() -> std::span<const GradientRow>;
auto ProductGradients() -> std::span<const GradientRow>;
auto ReduceGradients() -> std::span<const GradientRow>;
auto ShapeGradients() -> std::span<const GradientRow>;

}  // namespace relayopt
