// The machine that evaluates functions partially.
#pragma once

#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/relay/transforms/let_list.h"
#include "partial_values.h"
#include "relayopt/core/tensor.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/ir/function.h"

namespace relayopt::partial {

// Values that are known are computed with, the rest becomes code, bound by let in the order of evaluation. Nothing
// recurses: what waits for a value is a frame.
class Machine {
 public:
  Machine(const Module& module, PassContext& context) : module_(module), result_(module), context_(context) {
    for (const Global& global : module.globals()) {
      const auto* function = As<relayopt::Function>(global.function.get());
      if (function != nullptr) max_steps_ += kMaxGrowth * function->size();
    }
  }

  auto Run() -> Module;

 private:
  // The machine evaluates `expr_` of `from_` in `env_`, or hands `value_` to the frame on top.
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
    const Function* from;
    EnvId env;
    ExprId expr;
    uint32_t at = 0;
    std::vector<ValueId> values = {};
    std::vector<ExprId> made = {};
    // kCall: the bound before; none for no bound.
    std::optional<Fuel> fuel = {};
    // kLiteral: the closure; kBranch: the data or condition.
    ValueId value = {};
    GlobalId global = {};
  };

  // Functions that call each other can make exponentially much code, or take exponentially many steps to make none.
  // Calls stay calls when so many expressions have been evaluated, and so many for each of the module.
  static constexpr size_t kMinSteps = 500'000;
  static constexpr size_t kMaxGrowth = 10;

  // The code of one global function.
  struct Output {
    Output(Context& context, size_t n) : to(context), number(n) {}
    FunctionBuilder to;
    size_t number;
    std::vector<LetList> lists;
  };

  auto types() const -> Context& { return module_.context(); }
  auto to() -> FunctionBuilder& { return outputs_.back().to; }
  auto kind(ExprId id) const -> ExprKind { return from_->kind(id); }

  // Values.
  auto Add(Value value) -> ValueId {
    value.time = values_.size();
    values_.push_back(std::move(value));
    return ValueId(values_.size() - 1);
  }
  auto Unknown(Atom atom) -> ValueId { return Add({.atom = atom}); }
  auto Unknown(ExprId var) -> ValueId { return Unknown(VarAtom(var)); }
  static auto VarAtom(ExprId var) -> Atom { return {ExprKind::kVar, var.value()}; }
  auto Code(const Atom& atom) -> ExprId {
    switch (atom.kind) {
      case ExprKind::kGlobal: return to().Global(GlobalId(atom.id));
      case ExprKind::kConstructor: return to().Constructor(CtorId(atom.id));
      case ExprKind::kOp: return to().Op(OpInstanceId(atom.id));
      default: return ExprId(atom.id);
    }
  }
  auto Code(ValueId id) -> ExprId { return Code(values_[id.value()].atom); }
  auto Codes(std::span<const ValueId> ids) -> std::vector<ExprId> {
    std::vector<ExprId> codes;
    for (const ValueId id : ids) codes.push_back(Code(id));
    return codes;
  }

  // Code.
  void OpenList() { outputs_.back().lists.emplace_back(to(), context_); }
  auto CloseList(ValueId result) -> ExprId {
    const ExprId code = outputs_.back().lists.back().Close(Code(result));
    outputs_.back().lists.pop_back();
    return code;
  }
  auto Push(ExprId code) -> Atom { return VarAtom(outputs_.back().lists.back().Push(code)); }
  auto Residual(ExprId code) -> ValueId { return Unknown(Push(code)); }

  // The next thing to do.
  void Eval(ExprId expr) {
    expr_ = expr;
    evaluating_ = true;
  }
  void Return(ValueId value) {
    value_ = value;
    evaluating_ = false;
  }
  void PushFrame(FrameKind kind, ExprId expr) {
    frames_.push_back({.kind = kind, .from = from_, .env = env_, .expr = expr});
  }

  void Loop();

  // Environments.
  auto NewEnv(EnvId outer) -> EnvId;
  auto Lookup(ExprId var) const -> ValueId;
  void Bind(ExprId var, ValueId value) {
    Env& env = envs_[env_.value()];
    env.vars[var] = value;
    depths_[{from_, var}] = env.depth;
  }

  // A type of the function at hand, with what stands for type parameters in this call.
  auto TypeHere(TypeId type) -> TypeId;
  auto IsGeneric() const -> bool { return static_cast<bool>(envs_[env_.value()].generic); }
  auto NewVar(ExprId old) -> ExprId;
  auto FreshVar() -> ExprId;
  // An expression with other operands.
  auto CopyHere(ExprId old, std::span<const ExprId> operands) -> ExprId;

  void Evaluate(ExprId id);

  auto Name(Known known, ExprKind kind, uint32_t id) -> ValueId {
    return Add({.known = known, .payload = id, .atom = {kind, id}});
  }

  // Hands `value_` to the frame on top.
  void Resume();

  // Only function literals keep the names that let gave them.
  void EvaluateStep(ExprId let, size_t i);

  // All operands of the expression on top have values.
  void FinishOperands();

  // The tensors of a value, where all are known.
  auto AppendTensors(ValueId id, std::vector<Tensor>& tensors) const -> bool;

  // A call of an operator; `id` is the call, if the operator is called by name.
  void CallOp(ExprId id, OpInstanceId op, std::span<const ValueId> args);

  // The value of a call whose arguments are known; none where it has to stay.
  auto Compute(ExprId id, const OpInstance& op, std::span<const ValueId> args) -> ValueId;
  auto AddTensor(const Tensor& tensor) -> ValueId;

  void Call(ExprId id, ValueId callee, std::span<const ValueId> args);

  // Expands the call, or leaves it where its function is being expanded and the arguments are not smaller. `is_own`:
  // the call stands for the body of the function itself, whose type parameters stay.
  void CallClosure(ExprId id, ValueId callee, std::span<const ValueId> args, bool is_own);

  // Whether the limit of steps is met, so that calls are not expanded any more; `literal` is the function called.
  auto IsCut(const Function& function, ExprId literal) -> bool;

  // What stands for the type parameters of the closure in a call.
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

  // The condition of an if or the data of a match has a value.
  void Choose();

  enum class Matching : uint8_t { kYes, kNo, kUnknown };

  // The right-hand side of the clause that is certain to match; nothing when that cannot be told.
  auto ChooseClause(ExprId id) -> std::optional<ExprId>;

  // Binds the variables of the pattern as far as it matches.
  auto Match(ExprId id, const MatchClause& clause, ValueId data) -> Matching;

  // Branches that may run or not are evaluated one by one, each on what is known before.
  void StartBranch();

  void FinishBranch();

  const Module& module_;
  Module result_;
  PassContext& context_;
  // Values are looked at while others are added: they must not move.
  std::deque<Value> values_;
  std::deque<Closure> closures_;
  std::deque<Env> envs_;
  // How deep the environments are that bind a variable of a function.
  absl::flat_hash_map<std::pair<const Function*, ExprId>, uint32_t> depths_;
  absl::flat_hash_map<GlobalId, ValueId> globals_;
  absl::flat_hash_map<std::pair<const Function*, ExprId>, std::optional<Fuel>> fuels_;
  Store store_;
  uint32_t num_refs_ = 0;
  std::deque<Output> outputs_;
  size_t num_outputs_ = 0;
  size_t steps_ = 0;
  size_t max_steps_ = kMinSteps;
  // The limit has been met and told.
  bool is_cut_ = false;
  std::vector<Frame> frames_;
  const Function* from_ = nullptr;
  EnvId env_;
  bool evaluating_ = true;
  ExprId expr_;
  ValueId value_;
};

}  // namespace relayopt::partial
