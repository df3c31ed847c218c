// Lowering rules: each expands one operator into operators of the target.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "relayopt/relay/analysis/call_emitter.h"
#include "relayopt/relay/formula/formula.h"
#include "relayopt/relay/ops/nn_conv_variants.h"
#include "relayopt/relay/ops/op_rules.h"

namespace relayopt {

// The system whose operators may be used.
enum class LowerTarget : uint8_t { kRelax, kOnnx };

// A call whose arguments have been lowered, with the emitter for its rule.
class LowerCall : public CallView, public CallEmitter {
 public:
  LowerCall(FunctionBuilder& to, const Function& from, ExprId id, std::span<const ExprId> args, LowerTarget target)
      : CallView(from, id), CallEmitter(to), args(args.begin(), args.end()), target(target) {}

  auto instance() const -> const OpInstance& { return function().instance(id()); }
  // Whether the first argument is of integers (of bool, too) or of bool.
  auto HasIntegers() const -> bool;
  auto HasBools() const -> bool;

  // Returns the call with new attributes; all else is unchanged.
  template <typename A>
  auto With(const A& attrs) -> ExprId {
    return EmitCall(to(), op(), args, context().InternAttrs(attrs));
  }
  // Returns the call with its attributes on other operands.
  auto On(std::span<const ExprId> operands) -> ExprId { return EmitCall(to(), op(), operands, function().attrs(id())); }
  // Returns the data itself if it has the type.
  auto Cast(ExprId data, DataType dtype) const -> ExprId;
  // Returns a constant of int64.
  auto Indices(std::span<const int64_t> values, std::vector<int64_t> shape) -> ExprId;
  auto Indices(std::span<const int64_t> values) -> ExprId {
    return Indices(values, {static_cast<int64_t>(values.size())});
  }
  // Returns a constant of float64.
  auto Numbers(std::span<const double> values, std::vector<int64_t> shape) -> ExprId;
  auto Reshape(ExprId data, Shape shape) -> ExprId;
  auto Reshape(ExprId data, std::span<const int64_t> shape) -> ExprId;
  auto Transpose(ExprId data, std::span<const int64_t> axes) -> ExprId;
  // Elements [begin, end) in steps along one axis.
  auto Slice(ExprId data, int64_t axis, int64_t begin, int64_t end, int64_t stride = 1) -> ExprId;
  // Returns the elements at constant positions along one axis.
  auto Take(ExprId data, std::span<const int64_t> places, int64_t axis) -> ExprId {
    return Take(data, Indices(places), axis);
  }
  auto Take(ExprId data, ExprId places, int64_t axis = 0) -> ExprId;
  auto Concatenate(std::span<const ExprId> parts, int64_t axis) -> ExprId;

  // The arguments, in the function being built.
  std::vector<ExprId> args;
  LowerTarget target;

 private:
  auto Elements(std::span<const std::byte> bytes, DataType dtype, std::vector<int64_t> shape) -> ExprId;
};

// Converts `data` from layout `from` to layout `to`, including packed axes: the parts of each axis are moved together,
// joined, split and reordered. Returns none if an extent is not known or not divisible.
auto ConvertLayout(LowerCall& call, ExprId data, std::string_view from, std::string_view to) -> ExprId;

// Returns the letters of a layout without its packed parts.
auto Unpacked(std::string_view layout) -> std::string;

// Returns the last two axes exchanged.
auto TransposeMatrix(LowerCall& call, ExprId matrix, size_t rank) -> ExprId;

// Returns the result of a reduction over single elements: `max` and `min` of floats include the smallest or largest
// finite number they start from; other reductions give the element.
auto Bounded(LowerCall& call, const OpDef* reduce, ExprId data) -> ExprId;

// How the calls of an operator are lowered: by the first of the members that is set.
struct LowerRule {
  using Lowering = auto(*)(LowerCall& call) -> ExprId;
  using Condition = auto(*)(LowerCall& call) -> bool;

  // A function that emits the replacement of the call and returns it; invalid if the call stays (what was emitted is
  // then dropped).
  // NOLINTNEXTLINE(google-explicit-constructor): tables list functions.
  constexpr LowerRule(Lowering lowering, Condition keeps = nullptr) : lowering(lowering), keeps(keeps) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr LowerRule(Condition keeps) : keeps(keeps) {}
  // The operator as a formula of its arguments x and y, used if the elements of the first are of these kinds.
  struct Formulas {
    Formula floats = {};
    Formula integers = {};
    Formula bools = {};
    Formula unsigneds = {};
  };
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr LowerRule(Formulas formulas) : formulas(formulas) {}
  // Another operator with the same arguments and attributes.
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr LowerRule(const OpDef* namesake) : namesake(namesake) {}

  Lowering lowering = nullptr;
  // The call stays when this says so.
  Condition keeps = nullptr;
  Formulas formulas;
  const OpDef* namesake = nullptr;
};

// Returns the rules of what one target alone lacks, or says in its own way. They go before the others, which for ONNX
// are asked, too, when these give nothing.
auto LowerRelaxRules() -> std::span<const OpRule<LowerRule>>;
auto LowerOnnxRules() -> std::span<const OpRule<LowerRule>>;

// Deformable convolutions, which stay where their data has zeros around it (deformable.cpp).
auto KeepsDeformableConv(LowerCall& call, const DeformableConv2DAttrs& attrs) -> bool;
auto LowerDeformableConv(LowerCall& call, const DeformableConv2DAttrs& attrs) -> ExprId;
// The same as an ordinary convolution of the sampled windows (deformable_windows.cpp).
auto LowerDeformableToWindows(LowerCall& call, const DeformableConv2DAttrs& attrs) -> ExprId;

// Returns the rules of each family.
auto LowerArithmeticRules() -> std::span<const OpRule<LowerRule>>;
auto LowerNetworkRules() -> std::span<const OpRule<LowerRule>>;
auto LowerPoolRules() -> std::span<const OpRule<LowerRule>>;
auto LowerMovementRules() -> std::span<const OpRule<LowerRule>>;
auto LowerTensorRules() -> std::span<const OpRule<LowerRule>>;

}  // namespace relayopt
