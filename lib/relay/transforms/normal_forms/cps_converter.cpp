// Continuation-passing style by a machine with two stacks: one of pending uses of values (continuations of the
// converter, which become code), and one of wrappers around the code that comes after.
//
// A function gets a parameter %k and a type parameter `answer`; instead of returning it calls %k. The converter
// evaluates an old expression for a continuation of its own (Cont), which describes the use of the value: operand 1 of
// a call, the value of a let step, the condition of an if. Operators and constructors are called directly and bound by
// let (kStep). At a call of a function the rest of the work becomes a function literal that is passed along
// (kPassedCont). Before branches the rest becomes a variable, which all branches call (kBoundCont), so that it is not
// copied.
//
//   add(%f(%x), if (greater(%x, 0f)) { %x } else { 1f })
//
//   kEval  add, for %k           operand 0 first
//   kEval  %f(%x), for operand 0 a call: the rest becomes fn (%arg) { ... }, and %f(%x, that) is the code
//   kApply operand 0 = %arg      operand 1 next
//   kEval  if, for operand 1     let %x_1 = fn (%arg1) { let %x_0 = add(%arg, %arg1); %k(%x_0) };
//                                let %x_2 = greater(%x, 0f); if (%x_2) { %x_1(%x) } else { %x_1(1f) }
//
// Invariants: a Cont is used once, but for kCall, which is a variable already, and those that are open are used from
// the last to the first, so that the values that they wait with are a stack; every code that is made is returned
// through the wraps that were pushed since; kernels (`Primitive`) are called as they are.
#include "cps_converter.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/relay/transforms/fusion/kernel_copier.h"
#include "lib/relay/transforms/let_list.h"
#include "lib/relay/transforms/type_map.h"
#include "lib/relay/transforms/type_var_collector.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ops/op_def.h"
#include "relayopt/support/flat_vector.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kUntypedCallee = {"cps-untyped-value", Severity::kError,
                                           "ToCPS: {} is used as a value, and its type is not known"};

constexpr uint32_t kNoCont = UINT32_MAX;

// Names the type variable `answer`, with a number if the function or the type of a function that it uses mentions type
// variables of that name, which the text would otherwise confuse.
auto AnswerName(const Function& function) -> StringId {
  Context& context = function.context();
  TypeVarCollector vars(context, TypeVarCollector::kBoundOnesToo);
  for (const ExprId id : function.ids()) {
    vars.Add(function.type(id));
    if (function.kind(id) == ExprKind::kVar) vars.Add(function.var(id).annotation);
    if (function.kind(id) != ExprKind::kFunction) continue;
    for (const TypeId param : function.info(id).type_params) vars.Add(param);
  }
  absl::flat_hash_set<StringId> taken;
  for (const TypeId var : vars.found()) taken.insert(context.type(var).name);
  StringId name = context.Intern("answer");
  for (int i = 1; taken.contains(name); ++i) name = context.Intern(fmt::format("answer{}", i));
  return name;
}

class Converter {
 public:
  Converter(const Function& from, const std::function<GlobalId(GlobalId)>& cps_of, PassContext& context)
      : from_(from),
        cps_of_(cps_of),
        context_(context),
        to_(from.context()),
        made_(from.size()),
        arg_name_(from.context().Intern("arg")),
        k_name_(from.context().Intern("k")),
        answer_(types().FreshVar(AnswerName(from))),
        cps_type_(types(), [this](TypeId term, std::span<const TypeId> args, TypeId result) {
          return CpsTerm(term, args, result);
        }) {
    to_.ReserveLike(from);
  }

  auto Run() -> Result<Function> {
    EnterFunction(from_.root(), kNoCont);
    while (!wraps_.empty()) {
      switch (mode_) {
        case Mode::kEval: Eval(expr_, cont_); break;
        case Mode::kApply: Apply(cont_, expr_); break;
        case Mode::kReturn: Return(expr_); break;
      }
      if (error_) return *std::move(error_);
    }
    return Relayout(to_.Finish(expr_));
  }

 private:
  // The machine evaluates an old expression for a continuation, passes a new value to a continuation, or passes new
  // code to the wrapper around it.
  enum class Mode : uint8_t { kEval, kApply, kReturn };

  // What to do with a value. Continuations are used once, except for kCall, a continuation that is bound to a variable.
  enum class ContKind : uint8_t {
    kCall,      // calls the new variable `expr`
    kLet,       // binds the variable of step `at` of the old let `expr`
    kOperands,  // is operand `at` of the old expression `expr`, whose operands before it are the last of `values_`
    kBranch,    // is the condition or data of the old if or match `expr`
  };
  struct Cont {
    ContKind kind;
    ExprId expr;
    uint32_t at = 0;
    uint32_t next = kNoCont;
    // The size of `values_` without those of the continuation.
    uint32_t base = 0;
  };

  // A new value, or an old constant, which is copied when the operands of an expression are there: after the variable
  // for it, which is where the order of the table has constants.
  struct Value {
    ExprId expr;
    bool is_old = false;
  };

  // A wrapper around the generated code, inside of which are the let steps from `steps` on.
  enum class WrapKind : uint8_t {
    kFunction,    // the code is the body of the old function `expr` with the continuation `var`; the literal goes to
                  // `cont`
    kBoundCont,   // the code is that of a continuation with the argument `var`, to be bound before the branches of
                  // `expr`
    kPassedCont,  // the same, to be passed to the call of `values`
    kBranches,    // the code is branch number values.size() - 1 of `expr`; `values` starts with the condition or data
  };
  struct Wrap {
    WrapKind kind;
    ExprId expr;
    ExprId var;
    uint32_t cont = kNoCont;
    std::vector<ExprId> values = {};
    size_t steps = 0;
  };

  auto types() const -> Context& { return from_.context(); }

  void GoEval(ExprId old, uint32_t cont) {
    mode_ = Mode::kEval;
    expr_ = old;
    cont_ = cont;
  }
  void GoApply(uint32_t cont, ExprId value) {
    mode_ = Mode::kApply;
    cont_ = cont;
    expr_ = value;
  }
  // Code has the type of the answer, a whole function one of its own.
  void GoReturn(ExprId code) {
    to_.SetType(code, answer_);
    Leave(code);
  }
  void Leave(ExprId code) {
    mode_ = Mode::kReturn;
    expr_ = code;
  }
  auto AddCont(Cont cont) -> uint32_t {
    conts_.push_back(cont);
    return static_cast<uint32_t>(conts_.size() - 1);
  }
  void AddWrap(Wrap wrap) {
    wrap.steps = steps_.size();
    wraps_.push_back(std::move(wrap));
  }
  void AddStep(ExprId var, ExprId value) {
    steps_.push_back(var);
    steps_.push_back(value);
  }

  // fn (A) -> R becomes fn (A', fn (R') -> answer) -> answer.
  auto CpsTerm(TypeId term, std::span<const TypeId> args, TypeId result) -> TypeId {
    if (!types().type(term).is_function()) return WithParts(types(), term, args, result);
    std::vector<TypeId> params(args.begin(), args.end());
    params.push_back(types().FunctionType(std::span(&result, 1), answer_));
    return types().FunctionType(params, answer_, types().type(term).type_params);
  }

  auto TypeOf(ExprId old) const -> TypeId {
    if (from_.type(old)) return from_.type(old);
    return from_.kind(old) == ExprKind::kVar ? from_.var(old).annotation : TypeId();
  }

  auto NewVar(StringId name, TypeId type) -> ExprId {
    const ExprId var = to_.Var({.name = name, .annotation = type, .virtual_device = {}});
    to_.SetType(var, type);
    return var;
  }
  auto NewCont(TypeId argument) -> ExprId {
    return NewVar(k_name_, argument ? types().FunctionType(std::span(&argument, 1), answer_) : TypeId());
  }

  // Returns the parameter of a continuation. Its type cannot be left to inference: an operator that uses it may assign
  // another one before the value is known.
  auto NewArg(ExprId old) -> ExprId { return NewVar(arg_name_, cps_type_(TypeOf(old))); }

  // Variables, constants and names, which are copied once.
  auto Renamed(ExprId var) -> ExprId {
    if (!made_[var]) made_[var] = NewVar(from_.var(var).name, cps_type_(TypeOf(var)));
    return made_[var];
  }
  auto Once(ExprId old) -> ExprId {
    if (!made_[old]) made_[old] = to_.Copy(from_, old, {});
    return made_[old];
  }

  // Whether inference gives a value of this type the same one again: symbolic extents of results are new terms each
  // time.
  auto IsKnownTensor(TypeId type) const -> bool {
    if (!type || !types().type(type).is_tensor()) return false;
    return std::ranges::all_of(types().type(type).shape, [](const Dim& dim) { return dim.is_int(); });
  }

  // Functions that stay in direct style: their calls are bound by let like those of operators.
  auto IsDirect(ExprId old) const -> bool {
    if (from_.kind(old) == ExprKind::kFunction) return IsPrimitive(from_, old);
    return from_.kind(old) == ExprKind::kConstructor || from_.kind(old) == ExprKind::kOp;
  }

  void Eval(ExprId old, uint32_t cont) {
    if (IsDirect(old)) return WrapDirect(old, cont);
    switch (from_.kind(old)) {
      case ExprKind::kVar: return GoApply(cont, Renamed(old));
      case ExprKind::kConstant:
        if (conts_[cont].kind == ContKind::kOperands) return TakeOperand(cont, {old, true});
        return GoApply(cont, Once(old));
      case ExprKind::kGlobal: return GoApply(cont, to_.Global(cps_of_(from_.global(old))));
      case ExprKind::kFunction: return EnterFunction(old, cont);
      case ExprKind::kLet: return GoEval(from_.let_value(old, 0), AddCont({ContKind::kLet, old, 0, cont}));
      case ExprKind::kIf:
      case ExprKind::kMatch: return BindCont(old, cont);
      default: break;
    }
    Cont operands{ContKind::kOperands, old, 0, cont, static_cast<uint32_t>(values_.size())};
    if (from_.kind(old) == ExprKind::kCall && IsDirect(from_.operand(old, 0))) {
      operands.at = 1;
      values_.push_back({Direct(from_.operand(old, 0))});
    }
    if (operands.at == from_.operands(old).size()) return Complete(operands);
    GoEval(from_.operand(old, operands.at), AddCont(operands));
  }

  void EnterFunction(ExprId old, uint32_t cont) {
    const ExprId body = from_.body(old);
    // Before the continuation, which is where the order of the table has them.
    for (const ExprId param : from_.params(old)) Renamed(param);
    const ExprId k = NewCont(cps_type_(TypeOf(body)));
    AddWrap({.kind = WrapKind::kFunction, .expr = old, .var = k, .cont = cont});
    GoEval(body, AddCont({ContKind::kCall, k}));
  }

  // The branches of `old` go on with the same code, which therefore becomes a function.
  void BindCont(ExprId old, uint32_t cont) {
    const ExprId arg = NewArg(old);
    AddWrap({.kind = WrapKind::kBoundCont, .expr = old, .var = arg});
    GoApply(cont, arg);
  }

  // Returns a function in direct style. What a kernel takes from outside, it takes from the converted function;
  // functions that it passes on (marks of regions do) are converted ones.
  auto Direct(ExprId old) -> ExprId {
    if (from_.kind(old) != ExprKind::kFunction) return to_.Copy(from_, old, {});
    return CopyKernel(
        from_, old, to_, [this](ExprId var) { return Renamed(var); }, [this](TypeId type) { return cps_type_(type); });
  }

  // A function in direct style as a value: becomes a function literal that calls it.
  void WrapDirect(ExprId old, uint32_t cont) {
    const TypeId type = TypeOf(old);
    // Operators accept whatever their rules accept, so no function literal has a fitting type.
    const bool is_generic = from_.kind(old) == ExprKind::kOp && type && !types().type(type).type_params.empty();
    if (!type || !types().type(type).is_function() || is_generic) {
      const std::string_view name = from_.kind(old) == ExprKind::kOp ? from_.op(old)->name : "this function";
      error_ = MakeDiagnostic(kUntypedCallee, from_.range(old), name);
      return;
    }
    FunctionInfo info;
    info.type_params.assign(types().type(type).type_params.begin(), types().type(type).type_params.end());
    info.result = answer_;
    auto params =
        MapToVector<ExprId>(types().type(type).args, [&](TypeId param) { return NewVar(arg_name_, cps_type_(param)); });
    ExprId call;
    if (from_.kind(old) == ExprKind::kOp) {
      call = to_.OpCall(from_.op_instance(old), params);
    } else {
      call = to_.Call(Direct(old), params);
    }
    params.push_back(NewCont(cps_type_(types().type(type).result)));
    LetList lets(to_, context_);
    const ExprId value = lets.Push(call);
    const ExprId body = lets.Close(to_.Call(params.back(), std::span(&value, 1)));
    GoApply(cont, to_.Lambda(std::move(info), params, body));
  }

  void Apply(uint32_t at, ExprId value) {
    Cont& cont = conts_[at];
    switch (cont.kind) {
      case ContKind::kCall: return GoReturn(to_.Call(cont.expr, std::span(&value, 1)));
      case ContKind::kLet:
        AddStep(Renamed(from_.let_var(cont.expr, cont.at)), value);
        if (++cont.at < from_.let_size(cont.expr)) return GoEval(from_.let_value(cont.expr, cont.at), at);
        return GoEval(from_.let_result(cont.expr), cont.next);
      case ContKind::kOperands: return TakeOperand(at, {value});
      case ContKind::kBranch: {
        Wrap wrap{.kind = WrapKind::kBranches, .expr = cont.expr, .var = {}, .cont = cont.next, .values = {value}};
        return Branch(std::move(wrap));
      }
    }
  }

  void TakeOperand(uint32_t at, Value value) {
    Cont& cont = conts_[at];
    values_.push_back(value);
    if (++cont.at < from_.operands(cont.expr).size()) return GoEval(from_.operand(cont.expr, cont.at), at);
    const Cont complete = cont;
    if (at + 1 == conts_.size()) conts_.pop_back();
    Complete(complete);
  }

  // Takes the operands from `base` on from the stack of values.
  auto TakeValues(size_t base) -> std::span<const ExprId> {
    operands_.clear();
    for (size_t i = base; i < values_.size(); ++i)
      operands_.push_back(values_[i].is_old ? Once(values_[i].expr) : values_[i].expr);
    values_.truncate(base);
    return operands_;
  }

  // All operands of an expression are there.
  void Complete(const Cont& cont) {
    const ExprId old = cont.expr;
    switch (from_.kind(old)) {
      case ExprKind::kTuple:
      case ExprKind::kTupleGetItem:
      case ExprKind::kRefCreate: return GoApply(cont.next, Emit(old, TakeValues(cont.base)));
      case ExprKind::kCall:
        if (!IsDirect(from_.operand(old, 0))) {
          const auto values = TakeValues(cont.base);
          const ExprId arg = NewArg(old);
          AddWrap({.kind = WrapKind::kPassedCont, .expr = old, .var = arg, .values = {values.begin(), values.end()}});
          return GoApply(cont.next, arg);
        }
        break;
      default: break;
    }
    // Before the value for the same reason.
    const TypeId type = cps_type_(from_.type(old));
    const ExprId var = NewVar(FreshName(types(), context_), IsKnownTensor(type) ? type : TypeId());
    to_.SetType(var, type);
    const ExprId value = Emit(old, TakeValues(cont.base));
    AddStep(var, value);
    GoApply(cont.next, var);
  }

  auto Emit(ExprId old, std::span<const ExprId> operands) -> ExprId {
    const ExprId made = to_.Copy(from_, old, operands);
    to_.SetType(made, cps_type_(from_.type(old)));
    return made;
  }

  void Return(ExprId code) {
    if (const size_t first = wraps_.back().steps; first != steps_.size()) {
      code = to_.Let(std::span<const ExprId>(steps_).subspan(first), code);
      to_.SetType(code, answer_);
      steps_.truncate(first);
    }
    Wrap wrap = std::move(wraps_.back());
    wraps_.pop_back();
    switch (wrap.kind) {
      case WrapKind::kFunction: return LeaveFunction(wrap, code);
      case WrapKind::kBoundCont: {
        const ExprId literal = to_.Lambda({}, std::span(&wrap.var, 1), code);
        const ExprId var = FreshVarFor(to_, context_, literal);
        AddStep(var, literal);
        const uint32_t call = AddCont({ContKind::kCall, var});
        return GoEval(from_.operand(wrap.expr, 0), AddCont({ContKind::kBranch, wrap.expr, 0, call}));
      }
      case WrapKind::kPassedCont: {
        wrap.values.push_back(to_.Lambda({}, std::span(&wrap.var, 1), code));
        const std::span<const ExprId> args = wrap.values;
        return GoReturn(to_.Call(args[0], args.subspan(1), from_.attrs(wrap.expr)));
      }
      case WrapKind::kBranches: wrap.values.push_back(code); return Branch(std::move(wrap));
    }
  }

  // Returns none if a parameter has no type.
  auto TypeOfLiteral(const FunctionInfo& info, std::span<const ExprId> params) -> TypeId {
    const auto args = MapToVector<TypeId>(params, [&](ExprId param) { return to_.function().type(param); });
    if (std::ranges::find(args, TypeId()) != args.end()) return {};
    return types().FunctionType(args, answer_, info.type_params);
  }

  void LeaveFunction(const Wrap& wrap, ExprId body) {
    FunctionInfo info = from_.info(wrap.expr);
    info.result = answer_;
    if (wrap.expr == from_.root()) info.type_params.push_back(answer_);
    auto params = MapToVector<ExprId>(from_.params(wrap.expr), [&](ExprId param) { return Renamed(param); });
    params.push_back(wrap.var);
    const TypeId type = TypeOfLiteral(info, params);
    const ExprId literal = to_.Lambda(std::move(info), params, body);
    to_.SetType(literal, type);
    if (wrap.expr == from_.root()) return Leave(literal);
    GoApply(wrap.cont, literal);
  }

  // Continues with the next branch, or creates the if or match after the last one.
  void Branch(Wrap wrap) {
    const ExprId old = wrap.expr;
    const auto operands = from_.operands(old);
    const size_t done = wrap.values.size() - 1;
    const uint32_t cont = wrap.cont;
    if (from_.kind(old) == ExprKind::kIf) {
      if (done == 2) return GoReturn(to_.If(wrap.values[0], wrap.values[1], wrap.values[2]));
      AddWrap(std::move(wrap));
      return GoEval(operands[done + 1], cont);
    }
    const MatchInfo& info = from_.match(old);
    if (done < info.clauses.size()) {
      AddWrap(std::move(wrap));
      return GoEval(operands[info.clauses[done].rhs], cont);
    }
    std::vector<ExprId> made = {wrap.values[0]};
    for (size_t i = 0; i < info.clauses.size(); ++i) {
      const MatchClause& clause = info.clauses[i];
      for (uint32_t k = clause.first_operand; k < clause.rhs; ++k) made.push_back(Renamed(operands[k]));
      made.push_back(wrap.values[i + 1]);
    }
    GoReturn(to_.Match(info, made));
  }

  const Function& from_;
  const std::function<GlobalId(GlobalId)>& cps_of_;
  PassContext& context_;
  FunctionBuilder to_;
  // New variables and constants by old ones.
  SideTable<ExprId, ExprId> made_;
  StringId arg_name_;
  StringId k_name_;
  TypeId answer_;
  TypeMap cps_type_;
  FlatVector<Cont> conts_;
  // The values of operands whose continuations are open.
  FlatVector<Value> values_;
  std::vector<ExprId> operands_;
  std::vector<Wrap> wraps_;
  // The variables and values of the let steps inside of the wraps.
  FlatVector<ExprId> steps_;
  Mode mode_ = Mode::kEval;
  ExprId expr_;
  uint32_t cont_ = kNoCont;
  std::optional<Diagnostic> error_;
};

}  // namespace

auto ConvertToCps(const Function& function, const std::function<GlobalId(GlobalId)>& cps_of, PassContext& context)
    -> Result<Function> {
  return Converter(function, cps_of, context).Run();
}

}  // namespace relayopt
