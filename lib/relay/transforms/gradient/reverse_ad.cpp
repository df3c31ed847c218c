// Reverse-mode differentiation: every operator puts its gradient rule before what `bp` does so far.
//
// A tensor becomes a pair of the tensor and a reference to its gradient, zeros at first. `bp` is a reference to a
// function without parameters that propagates gradients backwards; every function literal takes its `bp` as a further
// parameter.
// 1. FindOwners determines for each expression which literal or checkpoint it belongs to, and so which `bp` it
//    extends. The function is a tree by then, so that everything has one owner.
// 2. One walk upwards converts each expression. A call of an operator computes its result, makes a pair of it, and
//    sets `bp` to a function that first adds what the operator's gradient rule computes to the gradients of the
//    operands, then calls what `bp` was before: rules run in the reverse order of the calls. A checkpoint is computed
//    without gradients and again with them when they are propagated.
// 3. Differentiate wraps the literal: it makes pairs of the parameters, calls the literal, writes ones to the
//    gradient of the result (Seed), calls `bp`, and returns the result with the gradients of the parameters.
// A global function gets a converted form (Convert), which calls refer to.
//
//   multiply(%x, %y)
// becomes, with %x and %y the pairs of the operands,
//   let %z = multiply(%x.0, %y.0);
//   let %g = ref(zeros_like(%z));
//   let %before = bp^;
//   bp := fn () { %x.1 := %x.1^ + %g^ * %y.0; %y.1 := %y.1^ + %g^ * %x.0; %before() };
//   (%z, %g)
#include "reverse_ad.h"
#include "diagnostics.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/relay/transforms/expr_copier.h"
#include "lib/relay/transforms/gradient/rules/gradient_rules.h"
#include "lib/relay/transforms/let_list.h"
#include "lib/relay/transforms/normal_forms/normalized_closure.h"
#include "lib/relay/transforms/tensor_tree.h"
#include "lib/relay/transforms/type_map.h"
#include "part_budget.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNotATensor = {"gradient-parameter", Severity::kError,
                                        "the parameters of a function that is differentiated must be tensors"};
constexpr DiagnosticKind kOpAsValue = {"op-as-value", Severity::kError, "an operator can only be called here"};

class Reverser {
 public:
  Reverser(const Function& from, const GradientOfGlobal& gradient_of, PassContext& context)
      : from_(from),
        gradient_of_(gradient_of),
        context_(context),
        to_(from.context()),
        made_(from.size()),
        owners_(from.size()),
        bps_(from.size()),
        budget_(from),
        unit_function_(types().FunctionType({}, types().UnitType())),
        bp_type_(types().RefType(unit_function_)),
        reverse_type_(types(), [this](TypeId term, std::span<const TypeId> args, TypeId result) {
          return ReverseTerm(term, args, result);
        }) {}

  auto Convert() -> Result<Function> {
    copies_constants_ = true;
    RELAYOPT_TRY(const ExprId literal, Literal());
    return Relayout(to_.Finish(literal));
  }

  auto Differentiate() -> Result<Function> {
    LetList lets(to_, context_);
    const ExprId bp = lets.Push(EmptyBp());
    std::vector<ExprId> params;
    std::vector<ExprId> args;
    for (const ExprId param : from_.params()) {
      if (!IsTensor(from_.type(param))) return MakeDiagnostic(kNotATensor, from_.range(param));
      params.push_back(to_.Copy(from_, param, {}));
      to_.SetType(params.back(), from_.type(param));
      args.push_back(lets.Push(WithGradient(params.back())));
    }
    RELAYOPT_TRY(const ExprId literal, Literal());
    std::vector<ExprId> all_args = args;
    all_args.push_back(bp);
    const TypeId type = from_.type(from_.body());
    const ExprId result = lets.Push(Typed(to_.Call(literal, all_args), reverse_type_(type)));
    if (auto error = Seed(result, type, lets)) return *std::move(error);
    lets.Push(CallFunction(RefRead(bp)));
    if (auto error = budget_.Charge(type, from_.range(from_.body()))) return *std::move(error);
    const auto gradients = MapToVector<ExprId>(args, [&](ExprId arg) { return RefRead(Field(arg, 1)); });
    const auto value = MapTensors<ExprId, ExprId>(
        types(), type, result, [&](ExprId tuple, uint32_t i) { return lets.Push(Field(tuple, i)); },
        [&](TypeId, ExprId part) -> std::optional<ExprId> { return Field(part, 0); },
        [&](const std::vector<ExprId>& parts) { return EmitTuple(to_, parts); });
    const ExprId pair[] = {*value, EmitTuple(to_, gradients)};
    const ExprId body = lets.Close(EmitTuple(to_, pair));
    FunctionInfo info = from_.info();
    info.result = to_.function().type(body);
    return Relayout(to_.Finish(to_.Lambda(std::move(info), params, body)));
  }

 private:
  auto types() const -> Context& { return from_.context(); }
  auto IsTensor(TypeId type) const -> bool { return type && types().type(type).is_tensor(); }

  auto ReverseTerm(TypeId term, std::span<const TypeId> args, TypeId result) -> TypeId {
    if (types().type(term).is_function()) {
      std::vector<TypeId> params(args.begin(), args.end());
      params.push_back(bp_type_);
      return types().FunctionType(params, result, types().type(term).type_params);
    }
    if (!types().type(term).is_tensor()) return WithParts(types(), term, args, result);
    const TypeId pair[] = {term, types().RefType(term)};
    return types().Tuple(pair);
  }

  auto Typed(ExprId id, TypeId type) -> ExprId {
    to_.SetType(id, type);
    return id;
  }
  auto Field(ExprId tuple, uint32_t i) -> ExprId { return EmitTupleGetItem(to_, tuple, i); }
  auto RefCreate(ExprId value) -> ExprId {
    return Typed(to_.RefCreate(value), types().RefType(to_.function().type(value)));
  }
  auto RefRead(ExprId ref) -> ExprId {
    const TypeId type = to_.function().type(ref);
    const bool is_ref = type && types().type(type).kind == TypeKind::kRef;
    return Typed(to_.RefRead(ref), is_ref ? types().type(type).result : TypeId());
  }
  auto RefWrite(ExprId ref, ExprId value) -> ExprId { return Typed(to_.RefWrite(ref, value), types().UnitType()); }
  auto CallFunction(ExprId function) -> ExprId { return Typed(to_.Call(function, {}), types().UnitType()); }
  // `fn () -> () { body }`
  auto UnitLiteral(ExprId body) -> ExprId {
    FunctionInfo info;
    info.result = types().UnitType();
    return Typed(to_.Lambda(std::move(info), {}, body), unit_function_);
  }
  auto EmptyBp() -> ExprId { return RefCreate(UnitLiteral(EmitTuple(to_, {}))); }
  // Returns a tensor with a gradient of zeros.
  auto WithGradient(ExprId tensor) -> ExprId {
    const ExprId pair[] = {tensor, RefCreate(EmitCall(to_, "zeros_like"_op, {tensor}))};
    return EmitTuple(to_, pair);
  }

  // Which function literal or checkpoint an expression belongs to, and thus which `bp` it extends. Everything has one
  // user.
  void FindOwners() {
    owners_[from_.root()] = from_.root();
    for (const ExprId id : from_.ids().reversed()) {
      if (!owners_[id]) continue;
      const bool is_owner = from_.kind(id) == ExprKind::kFunction || IsCheckpoint(id);
      for (const ExprId operand : from_.operands(id)) owners_[operand] = is_owner ? id : owners_[id];
    }
  }
  auto IsCheckpoint(ExprId id) const -> bool {
    return from_.kind(id) == ExprKind::kOpCall && from_.op(id) == "annotation.checkpoint"_op;
  }
  auto BpInside(ExprId owner) -> ExprId {
    if (!bps_[owner]) {
      const std::string name = IsCheckpoint(owner) ? fmt::format("x_{}", context_.NextFreshName()) : "bp";
      const VarInfo info{.name = types().Intern(name), .annotation = bp_type_, .virtual_device = {}};
      bps_[owner] = Typed(to_.Var(info), bp_type_);
    }
    return bps_[owner];
  }
  auto BpAt(ExprId id) -> ExprId { return BpInside(owners_[id]); }

  auto Literal() -> Result<ExprId> {
    FindOwners();
    for (const ExprId id : from_.ids_to_root()) {
      to_.Replace(from_, id);
      if (owners_[id]) made_[id] = Visit(id);
      if (error_) return *std::move(error_);
    }
    return made_[from_.root()];
  }

  // Returns the new id of an operand. Every use of a constant has a gradient of its own.
  auto New(ExprId old) -> ExprId {
    if (from_.kind(old) != ExprKind::kConstant) return made_[old];
    LetList lets(to_, context_);
    const ExprId value = lets.Push(made_[old]);
    return lets.Close(WithGradient(value));
  }

  auto Visit(ExprId id) -> ExprId {
    switch (from_.kind(id)) {
      case ExprKind::kVar: {
        VarInfo info = from_.var(id);
        info.annotation = reverse_type_(info.annotation);
        return Typed(to_.Var(info), reverse_type_(from_.type(id)));
      }
      case ExprKind::kConstant: return VisitConstant(id);
      case ExprKind::kConstructor: return to_.Copy(from_, id, {});
      case ExprKind::kGlobal: return to_.Global(gradient_of_(from_.global(id)));
      case ExprKind::kOp: error_ = MakeDiagnostic(kOpAsValue, from_.range(id)); return {};
      case ExprKind::kOpCall: return IsCheckpoint(id) ? VisitCheckpoint(id) : VisitOpCall(id);
      case ExprKind::kFunction: return VisitFunction(id);
      default: break;
    }
    auto operands = MapToVector<ExprId>(from_.operands(id), [&](ExprId operand) { return New(operand); });
    if (from_.kind(id) == ExprKind::kIf) operands[0] = Field(operands[0], 0);
    if (from_.kind(id) == ExprKind::kCall && from_.kind(from_.operand(id, 0)) != ExprKind::kConstructor) {
      operands.push_back(BpAt(id));
    }
    return Typed(to_.Copy(from_, id, operands), reverse_type_(from_.type(id)));
  }

  auto VisitConstant(ExprId id) -> ExprId {
    if (!copies_constants_) return to_.Copy(from_, id, {});
    return Typed(to_.Constant(types().AddConstant(from_.constant(id))), from_.type(id));
  }

  auto VisitFunction(ExprId id) -> ExprId {
    FunctionInfo info = from_.info(id);
    info.result = reverse_type_(info.result);
    auto params = MapToVector<ExprId>(from_.params(id), [&](ExprId param) { return made_[param]; });
    params.push_back(BpInside(id));
    return to_.Lambda(std::move(info), params, New(from_.body(id)));
  }

  // Returns the tensors in a value of this type, each treated by `leaf` and bound.
  template <typename Leaf>
  auto Lift(TypeId type, ExprId value, LetList& lets, Leaf&& leaf) -> ExprId {
    if (auto error = budget_.Charge(type, here_)) {
      error_ = std::move(error);
      return value;
    }
    const auto made = MapTensors<ExprId, ExprId>(
        types(), type, value, [&](ExprId tuple, uint32_t i) { return lets.Push(Field(tuple, i)); },
        [&](TypeId part_type, ExprId part) -> std::optional<ExprId> {
          if (!IsTensor(part_type)) return std::nullopt;
          return lets.Push(leaf(part));
        },
        [&](const std::vector<ExprId>& parts) { return lets.Push(EmitTuple(to_, parts)); });
    if (made) return *made;
    error_ = MakeDiagnostic(kNotDifferentiable, here_);
    return value;
  }
  auto Values(TypeId type, ExprId value, LetList& lets) -> ExprId {
    return Lift(type, value, lets, [this](ExprId part) { return Field(part, 0); });
  }
  auto WithGradients(TypeId type, ExprId value, LetList& lets) -> ExprId {
    return Lift(type, value, lets, [this](ExprId part) { return WithGradient(part); });
  }

  struct Two {
    ExprId a;
    ExprId b;
  };
  // Calls `leaf` for all pairs of tensors in two values. As
  // TVM: parts are taken from the second before the first.
  template <typename Leaf>
  void ForPairs(TypeId type, Two values, LetList& lets, Leaf&& leaf) {
    if (auto error = budget_.Charge(type, here_)) {
      error_ = std::move(error);
      return;
    }
    const auto done = MapTensors<Two, bool>(
        types(), type, values,
        [&](const Two& two, uint32_t i) {
          const ExprId b = lets.Push(Field(two.b, i));
          return Two{lets.Push(Field(two.a, i)), b};
        },
        [&](TypeId part_type, const Two& two) -> std::optional<bool> {
          if (!IsTensor(part_type)) return std::nullopt;
          leaf(two.a, two.b);
          return true;
        },
        [](const std::vector<bool>&) { return true; });
    if (!done) error_ = MakeDiagnostic(kNotDifferentiable, here_);
  }

  auto VisitOpCall(ExprId id) -> ExprId {
    here_ = from_.range(id);
    const GradientRule* rule = FindGradientRule(from_.op(id));
    if (rule == nullptr) {
      error_ = MakeDiagnostic(kNoGradient, here_, from_.op(id)->name);
      return {};
    }
    const auto old = from_.operands(id);
    LetList lets(to_, context_);
    const auto args = MapToVector<ExprId>(old, [&](ExprId operand) { return lets.Push(New(operand)); });
    std::vector<ExprId> values;
    values.reserve(args.size());
    for (size_t i = 0; i < args.size(); ++i) values.push_back(Values(from_.type(old[i]), args[i], lets));
    const ExprId call = to_.Copy(from_, id, values);
    const ExprId result = lets.Push(WithGradients(from_.type(id), lets.Push(call), lets));
    const ExprId before = lets.Push(RefRead(BpAt(id)));

    const ExprId first(static_cast<uint32_t>(to_.function().size()));
    LetList back(to_, context_);
    const ExprId gradient = Lift(from_.type(id), result, back, [this](ExprId part) { return RefRead(Field(part, 1)); });
    GradientContext context(to_, call, gradient, here_);
    Gradients gradients = ApplyGradientRule(*rule, context);
    if (!gradients) {
      error_ = std::move(gradients).error();
      return {};
    }
    for (size_t i = 0; i < args.size() && i < gradients->size(); ++i) {
      ForPairs(from_.type(old[i]), {args[i], (*gradients)[i]}, back, [&](ExprId arg, ExprId part) {
        const ExprId sum = EmitCall(to_, "add"_op, {RefRead(Field(arg, 1)), part});
        back.Push(RefWrite(Field(arg, 1), sum));
      });
    }
    const ExprId body = NormalizeClosure(to_, context_, back.TakeSteps(), CallFunction(before), first);
    lets.Push(RefWrite(BpAt(id), UnitLiteral(body)));
    return lets.Close(result);
  }

  // The value is computed without gradients now, and again with gradients when they are propagated.
  auto VisitCheckpoint(ExprId id) -> ExprId {
    here_ = from_.range(id);
    const ExprId old = from_.operand(id, 0);
    const TypeId type = from_.type(id);
    LetList lets(to_, context_);
    const ExprId value = lets.Push(Forward(old));
    const ExprId result = lets.Push(WithGradients(type, value, lets));
    const ExprId before = lets.Push(RefRead(BpAt(id)));

    LetList back(to_, context_);
    const ExprId bp = BpInside(id);
    back.Push(bp, EmptyBp());
    const ExprId again = back.Push(New(old));
    ForPairs(type, {result, again}, back,
             [&](ExprId from, ExprId to) { back.Push(RefWrite(Field(to, 1), RefRead(Field(from, 1)))); });
    back.Push(CallFunction(RefRead(bp)));
    lets.Push(RefWrite(BpAt(id), UnitLiteral(back.Close(CallFunction(before)))));
    return lets.Close(result);
  }

  // Returns a copy of an expression as it was, on the values of the variables around it.
  auto Forward(ExprId old) -> ExprId {
    LetList lets(to_, context_);
    ExprCopier copier(from_, to_);
    absl::flat_hash_set<ExprId> seen;
    std::vector<ExprId> vars;
    absl::flat_hash_set<ExprId> bound;
    std::vector<ExprId> stack = {old};
    while (!stack.empty()) {
      const ExprId id = stack.back();
      stack.pop_back();
      if (!seen.insert(id).second) continue;
      const auto operands = from_.operands(id);
      if (from_.kind(id) == ExprKind::kVar) vars.push_back(id);
      BindersOf(id, bound);
      stack.insert(stack.end(), operands.rbegin(), operands.rend());
    }
    for (const ExprId var : vars) {
      if (!bound.contains(var)) copier.Set(var, Values(from_.type(var), made_[var], lets));
    }
    return lets.Close(copier.Copy(old));
  }

  void BindersOf(ExprId id, absl::flat_hash_set<ExprId>& bound) const {
    const auto operands = from_.operands(id);
    switch (from_.kind(id)) {
      case ExprKind::kFunction: bound.insert(operands.begin(), operands.end() - 1); break;
      case ExprKind::kLet:
        for (size_t i = 0; i < from_.let_size(id); ++i) bound.insert(from_.let_var(id, i));
        break;
      case ExprKind::kMatch:
        for (const MatchClause& clause : from_.match(id).clauses) {
          bound.insert(operands.begin() + clause.first_operand, operands.begin() + clause.rhs);
        }
        break;
      default: break;
    }
  }

  // Returns the gradient of the result: ones. For a tuple only the first field is differentiated.
  auto Seed(ExprId result, TypeId type, LetList& lets) -> std::optional<Diagnostic> {
    while (type && types().type(type).is_tuple() && !types().type(type).args.empty()) {
      result = lets.Push(Field(result, 0));
      type = types().type(type).args[0];
    }
    if (!IsTensor(type)) return MakeDiagnostic(kNotDifferentiable, from_.range(from_.body()));
    lets.Push(RefWrite(Field(result, 1), EmitCall(to_, "ones_like"_op, {Field(result, 0)})));
    return std::nullopt;
  }

  const Function& from_;
  const GradientOfGlobal& gradient_of_;
  PassContext& context_;
  FunctionBuilder to_;
  SideTable<ExprId, ExprId> made_;
  SideTable<ExprId, ExprId> owners_;
  // The variable `bp` inside a function literal or checkpoint.
  SideTable<ExprId, ExprId> bps_;
  PartBudget budget_;
  TypeId unit_function_;
  TypeId bp_type_;
  TypeMap reverse_type_;
  // The original function stays, so its converted form gets its own constants.
  bool copies_constants_ = false;
  // The position of the current call.
  SourceRange here_;
  std::optional<Diagnostic> error_;
};

}  // namespace

auto ConvertToReverse(const Function& function, const GradientOfGlobal& gradient_of, PassContext& context)
    -> Result<Function> {
  return Reverser(function, gradient_of, context).Convert();
}

auto DifferentiateReverse(const Function& function, const GradientOfGlobal& gradient_of, PassContext& context)
    -> Result<Function> {
  return Reverser(function, gradient_of, context).Differentiate();
}

}  // namespace relayopt
