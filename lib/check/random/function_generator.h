// The generator of one function.
#pragma once

#include <string_view>
#include <vector>

#include "random.h"
#include "relayopt/check/program_generator.h"
#include "samples.h"

namespace relayopt {

// Generates a function from its parameters to its result. The usable values form a stack: a nested scope pushes its
// values and pops them at its end, so that nothing leaves its scope. The nesting of scopes is limited by
// ProgramOptions::depth.
class FunctionGenerator {
 public:
  FunctionGenerator(Random& random, Module& module, const ProgramOptions& options)
      : random_(random),
        module_(module),
        context_(module.context()),
        to_(context_),
        depth_(options.depth),
        options_(options),
        samples_(context_) {}

  // Returns a function of some parameters that returns tensors, and that Inline may replace.
  auto Function(bool is_inlined = false) -> relayopt::Function;
  // `@self(i, x)`: applies a random step to x while i is below a small bound, by calling itself.
  auto Loop(GlobalId self) -> relayopt::Function;

 private:
  // Scopes and blocks (function_generator.cpp).
  auto Block(int steps, TypeId wanted) -> ExprId;
  void Step();
  void BindByLet(ExprId value);
  auto Param(TypeId type) -> ExprId;
  auto FreshVar(TypeId type) -> ExprId;
  auto FreshParam(TypeId type) -> ExprId;
  auto RandomTensorType() -> TypeId;
  auto RandomDType() -> DataType;
  void Keep(ExprId value, TypeId type);

  // Values (random_values.cpp). A value of a type is an existing one or a new one.
  auto ValueOf(TypeId type) -> ExprId;
  auto NewValueOf(TypeId type) -> ExprId;
  auto ConstantOf(const Type& type) -> ExprId;
  // One of the existing values for which `accepts` holds, preferably a recent one; returns invalid if there is none.
  template <typename Accepts>
  auto AnyValue(Accepts&& accepts) -> ExprId {
    ExprId found;
    for (size_t i = values_.size(); i != 0; --i) {
      if (!accepts(values_[i - 1])) continue;
      found = values_[i - 1];
      if (random_.Chance(30)) break;
    }
    return found;
  }
  auto AnyTensor() -> ExprId;
  // The same, mostly with an element type on which the operator computes in its first input.
  auto AnyTensorFor(const OpDef& op) -> ExprId;
  // Returns a tensor, tuple, function, reference or data.
  auto AnyOperand() -> ExprId;
  // Whether it consists of tensors only.
  auto IsData(TypeId type) const -> bool;
  auto Condition() -> ExprId;

  // Constructs (random_constructs.cpp).
  void StepOpCall();
  void StepTuple();
  void StepClosure();
  void StepCall();
  void StepIf();
  void StepRef();
  void StepBlock();
  void StepLocalLoop();
  auto Closure(std::span<const TypeId> params, TypeId result) -> ExprId;
  auto AnyClosure() -> ExprId;
  auto If(ExprId condition, TypeId type) -> ExprId;
  static auto IsPlainFunction(const Type& type) -> bool { return type.is_function() && type.type_params.empty(); }

  // Data (random_data.cpp).
  struct MatchParts;
  void StepMatch();
  auto DataDefinition(std::string_view name) -> TypeDefId;
  auto ConstructorCall(CtorId ctor, TypeId type, std::span<const ExprId> args) -> ExprId;
  auto DataOf(TypeId type) -> ExprId;
  auto AddPattern(TypeId type, int depth, MatchParts& parts) -> uint32_t;
  void AddClause(TypeId data, int depth, TypeId result, MatchParts& parts);

  // Generic functions (random_generics.cpp).
  void StepGenericCall();
  void StepGenericClosure(ExprId x);
  auto Generic(std::string_view name, auto(FunctionGenerator::*make)()->relayopt::Function) -> ExprId;
  auto PickFunction() -> relayopt::Function;
  auto ApplyFunction() -> relayopt::Function;
  auto PairFunction() -> relayopt::Function;

  // Groups of calls that rewrites look for (random_motifs.cpp). If an argument is none, so is the result.
  void StepMotif();
  auto Call(const OpDef* op, std::initializer_list<ExprId> args, AttrsId attrs = {}) -> ExprId;
  template <typename A>
  auto CallWith(const OpDef* op, const A& attrs, std::initializer_list<ExprId> args) -> ExprId {
    return Call(op, args, context_.InternAttrs(attrs));
  }
  auto Cast(ExprId x, DataType dtype) -> ExprId;
  auto TensorValue(std::initializer_list<int64_t> shape, DataType dtype) -> ExprId;
  auto Image() -> ExprId;
  auto ElementType(ExprId id) const -> DataType { return context_.type(TypeOf(id)).dtype; }
  // Returns the smallest or the largest integer of a type, or the one next to it.
  auto EndOf(DataType dtype) -> int64_t;
  auto OddScalar(DataType dtype) -> ExprId;
  auto Quantization(int64_t channels) -> std::pair<ExprId, ExprId>;
  auto CastsMotif() -> ExprId;
  auto ClipMotif() -> ExprId;
  auto ConstantsMotif() -> ExprId;
  auto NeutralMotif() -> ExprId;
  auto BinomialMotif() -> ExprId;
  auto FormulaMotif() -> ExprId;
  auto ScaleMotif() -> ExprId;
  auto PaddedConvMotif() -> ExprId;
  auto PaddedQnnConvMotif() -> ExprId;
  auto QuantizedMotif() -> ExprId;
  auto ArgOfQuantizedMotif() -> ExprId;
  auto BranchesMotif() -> ExprId;
  auto DenseBranchesMotif() -> ExprId;
  auto BatchBranchesMotif() -> ExprId;
  auto AtrousMotif() -> ExprId;
  auto NormalizationMotif() -> ExprId;
  auto RearrangementMotif() -> ExprId;
  auto HugeShapeMotif() -> ExprId;
  auto EffectMotif() -> ExprId;

  // Calls that only differ from wrong ones for few values and shapes (random_edge_motifs.cpp).
  auto EdgeTensor() -> ExprId;
  auto SpecialMotif() -> ExprId;
  auto AxisMotif() -> ExprId;
  auto BroadcastMotif() -> ExprId;

  // Operator calls (random_op_calls.cpp).
  auto OpCall(const OpDef& op) -> ExprId;
  // Returns a call that fits, or none: the type rule accepts it, it is small, and it has a value.
  auto TryCall(const OpDef* op, std::span<const ExprId> args, AttrsId attrs) -> ExprId;
  auto Inputs(const OpDef& op, ExprId first) -> std::vector<TypeId>;

  auto TypeOf(ExprId id) const -> TypeId { return to_.function().type(id); }

  Random& random_;
  Module& module_;
  Context& context_;
  FunctionBuilder to_;
  int depth_;
  const ProgramOptions& options_;
  std::vector<ExprId> params_;
  // The values that can be used here, innermost last. Each has a type.
  std::vector<ExprId> values_;
  // Let steps of the innermost block: variables and values alternate.
  std::vector<ExprId> let_steps_;
  int next_name_ = 0;
  // Whether the function has made references.
  bool has_refs_ = false;
  Samples samples_;
};

}  // namespace relayopt
