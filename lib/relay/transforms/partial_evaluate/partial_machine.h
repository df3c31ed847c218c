// The machine that evaluates functions partially.
#pragma once

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "partial_code.h"
#include "partial_envs.h"
#include "partial_values.h"
#include "relayopt/core/tensor.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::partial {

// Computes with values that are known; the rest becomes code, bound by let in the order of evaluation. Does not
// recurse: what waits for a value is a frame.
class Machine {
 public:
  Machine(const Module& module, PassContext& context)
      : module_(module),
        result_(module),
        context_(context),
        code_(module.context(), context),
        limits_(module, context) {}

  auto Run() -> Module;

 private:
  // The machine evaluates `next_.expr` in the environment `here_`, or passes `next_.value` to the top frame.
  enum class FrameKind : uint8_t {
    kOperands,  // evaluates operand `at`; `values` are those before
    kLet,       // evaluates the value of step `at`
    kChoice,    // evaluates the condition of an if or the data of a match
    kBranch,    // evaluates branch `at` into a list of its own; `made` are those before
    kCall,      // expands a call: the fuel of the function is to be put back
    kLiteral,   // makes the code of a function literal: its body has been evaluated
    kGlobal,    // makes the code of a global function
  };
  struct Frame {
    FrameKind kind;
    Where here;
    ExprId expr;
    uint32_t at = 0;
    std::vector<ValueId> values = {};
    std::vector<ExprId> made = {};
    // For kCall, the previous bound, or none.
    std::optional<Fuel> fuel = {};
    // kLiteral: the closure; kBranch: the data or condition.
    ValueId value = {};
    GlobalId global = {};
  };

  auto types() const -> Context& { return module_.context(); }
  auto to() -> FunctionBuilder& { return code_.to(); }
  auto kind(ExprId id) const -> ExprKind { return here_.from->kind(id); }

  // Values.
  auto Add(Value value) -> ValueId { return values_.Add(std::move(value)); }
  auto Unknown(Atom atom) -> ValueId { return Add({.atom = atom}); }
  auto Unknown(ExprId var) -> ValueId { return Unknown(CodeWriter::VarAtom(var)); }
  auto Code(ValueId id) -> ExprId { return code_.Code(values_[id].atom); }
  auto Codes(std::span<const ValueId> ids) -> std::vector<ExprId> {
    return MapToVector<ExprId>(ids, [&](ValueId id) { return Code(id); });
  }

  // Code.
  auto Push(ExprId code) -> Atom { return code_.Push(code); }
  auto CloseList(ValueId result) -> ExprId { return code_.CloseList(values_[result].atom); }
  auto Residual(ExprId code) -> ValueId { return Unknown(Push(code)); }

  // The next thing to do.
  void Eval(ExprId expr) { next_ = {.evaluates = true, .expr = expr, .value = {}}; }
  void Return(ValueId value) { next_ = {.evaluates = false, .expr = {}, .value = value}; }
  void PushFrame(FrameKind kind, ExprId expr) { frames_.push_back({.kind = kind, .here = here_, .expr = expr}); }

  void Loop();

  // Environments.
  void Bind(ExprId var, ValueId value) { envs_.Bind(here_, var, value); }
  // Returns a type of the current function with the type parameters of this call replaced.
  auto TypeHere(TypeId type) -> TypeId { return envs_.TypeIn(here_.env, type); }
  auto IsGeneric() const -> bool { return envs_.IsGeneric(here_.env); }
  auto NewVar(ExprId old) -> ExprId;
  auto FreshVar() -> ExprId;
  // Returns an expression with other operands.
  auto CopyHere(ExprId old, std::span<const ExprId> operands) -> ExprId;

  void Evaluate(ExprId id);

  auto Name(Known known, ExprKind kind, uint32_t id) -> ValueId {
    return Add({.known = known, .payload = id, .atom = {kind, id}});
  }

  // Passes `next_.value` to the top frame.
  void Resume();

  // Evaluates a let step. Only function literals keep their let-bound names.
  void EvaluateStep(ExprId let, size_t i);

  // Called when all operands of the top expression have values.
  void FinishOperands();

  // Returns the tensors of a value, if all are known.
  auto AppendTensors(ValueId id, std::vector<Tensor>& tensors) const -> bool;

  // A call of an operator; `id` is the call, if the operator is called by name.
  void CallOp(ExprId id, OpInstanceId op, std::span<const ValueId> args);

  // Returns the value of a call whose arguments are known, or none if it has to stay.
  auto Compute(ExprId id, const OpInstance& op, std::span<const ValueId> args) -> ValueId;
  auto AddTensor(const Tensor& tensor) -> ValueId;

  void Call(ExprId id, ValueId callee, std::span<const ValueId> args);

  // Expands the call, or leaves it when its function is already being expanded and the arguments are not smaller.
  // `is_own`: the call represents evaluating the body of the function itself, whose type parameters stay.
  void CallClosure(ExprId id, ValueId callee, std::span<const ValueId> args, bool is_own);

  // Whether the limit of steps is reached and calls are not expanded any more; `literal` is the called function.
  auto IsCut(const Function& function, ExprId literal) -> bool;

  // Returns the types of the closure's type parameters in a call.
  auto TypeArgumentsOf(ExprId id, const Closure& closure) -> std::vector<TypeId>;

  void FinishCall();

  // Kernels are called as they are.
  void CallKernel(Closure& closure, std::span<const ValueId> args);

  auto FuelOf(const Value& value) const -> Fuel::Of;

  // A function literal: its code has the body evaluated on arguments that are not known. `self` is the let variable, or
  // none.
  void EvaluateLiteral(ExprId id, ExprId self);

  // Evaluates the body of a closure on new variables, into a list of its own.
  void StartBody(ExprId literal, ValueId closure);

  auto FinishBody() -> ExprId;

  void FinishLiteral();

  void EvaluateGlobal(GlobalId id);

  // Evaluates a global function when it is first mentioned.
  void StartGlobal(GlobalId id);

  void FinishGlobal();

  // Called when the condition of an if or the data of a match has a value.
  void Choose();

  enum class Matching : uint8_t { kYes, kNo, kUnknown };

  // Returns the right-hand side of the clause that is certain to match, or nothing if that cannot be decided.
  auto ChooseClause(ExprId id) -> std::optional<ExprId>;

  // Binds the variables of the pattern as far as it matches.
  auto Match(ExprId id, const MatchClause& clause, ValueId data) -> Matching;

  // Starts a branch that may or may not run. Branches are evaluated one by one, each with the knowledge from before all
  // of them.
  void StartBranch();

  void FinishBranch();

  struct Next {
    bool evaluates = true;
    ExprId expr;
    ValueId value;
  };

  const Module& module_;
  Module result_;
  PassContext& context_;
  CodeWriter code_;
  CallLimits limits_;
  ValueTable values_;
  Envs envs_;
  Store store_;
  absl::flat_hash_map<GlobalId, ValueId> globals_;
  std::vector<Frame> frames_;
  Where here_;
  Next next_;
};

}  // namespace relayopt::partial
