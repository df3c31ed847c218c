// LazyGradientInit: makes tensors of ones and zeros only when they are needed.
#include <vector>

#include "grad_cell.h"
#include "lib/relay/transforms/let_list.h"
#include "lib/relay/transforms/tensor_tree.h"
#include "lib/relay/transforms/type_map.h"
#include "part_budget.h"
#include "relayopt/relay/ir/function_attrs.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ops/op_table.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kOtherGradCell = {"other-grad-cell", Severity::kError,
                                           "LazyGradientInit: the module has other definitions of GradCell, Raw, One, "
                                           "Zero, FromGradCell, AddGradCell or MultiplyGradCell"};
constexpr DiagnosticKind kNotTensors = {"not-tensors", Severity::kError,
                                        "LazyGradientInit: parameters and results of functions must be tensors or "
                                        "tuples of them"};
constexpr DiagnosticKind kFunctionValue = {"global-as-value", Severity::kError,
                                           "LazyGradientInit: a global function or operator can only be called"};

class Initializer {
 public:
  Initializer(const Module& module, const Function& from, const GradCell& cell, PassContext& context)
      : module_(module),
        from_(from),
        cell_(cell),
        context_(context),
        rebuild_(from),
        budget_(from),
        cell_type_(from.context(), [this](TypeId term, std::span<const TypeId> args, TypeId result) {
          Context& types = from_.context();
          if (types.type(term).is_tensor()) return types.TypeCall(cell_.type, std::span(&term, 1));
          return WithParts(types, term, args, result);
        }) {}

  auto Run() -> Result<std::optional<Function>> {
    for (const ExprId id : from_.ids_below_root()) {
      rebuild_.BeginVisit(id);
      rebuild_.Set(id, Visit(id));
      if (error_) return *std::move(error_);
    }
    const ExprId literal = Visit(from_.root());
    if (!changed_) return std::nullopt;
    LetList lets(to(), context_);
    std::vector<ExprId> params;
    std::vector<ExprId> args = {literal};
    for (const ExprId param : from_.params()) {
      params.push_back(to().Copy(from_, param, {}));
      here_ = from_.range(param);
      const ExprId wrapped = Wrap(params.back(), TypeOf(param), lets);
      if (!wrapped) return NotTensors();
      args.push_back(wrapped);
    }
    const ExprId call = lets.Push(to().Call(args[0], std::span<const ExprId>(args).subspan(1)));
    here_ = from_.range(from_.body());
    const ExprId result = Unwrap(call, TypeOf(from_.body()), lets);
    if (!result) return NotTensors();
    FunctionInfo info;
    info.result = from_.info().result;
    info.type_params = from_.info().type_params;
    rebuild_.Set(from_.root(), to().Lambda(std::move(info), params, lets.Close(result)));
    return rebuild_.Finish();
  }

 private:
  auto to() -> FunctionBuilder& { return rebuild_.to(); }

  auto TypeOf(ExprId old) const -> TypeId {
    if (from_.type(old)) return from_.type(old);
    return from_.kind(old) == ExprKind::kVar ? from_.var(old).annotation : TypeId();
  }
  auto IsTensor(TypeId type) const -> bool { return type && from_.context().type(type).is_tensor(); }

  auto CallOf(CtorId ctor, ExprId arg) -> ExprId { return to().Call(to().Constructor(ctor), std::span(&arg, 1)); }
  auto CallOf(GlobalId global, std::span<const ExprId> args) -> ExprId { return to().Call(to().Global(global), args); }

  // A value of this type in cells, and back; none if it holds anything but tensors. Fields of a tuple are bound.
  template <typename Leaf>
  auto Map(ExprId value, TypeId type, LetList& lets, Leaf&& leaf) -> ExprId {
    if (auto error = budget_.Charge(type, here_)) {
      error_ = std::move(error);
      return {};
    }
    const auto made = MapTensors<ExprId, ExprId>(
        from_.context(), type, value, [&](ExprId tuple, uint32_t i) { return lets.Push(to().TupleGetItem(tuple, i)); },
        [&](TypeId part_type, ExprId part) -> std::optional<ExprId> {
          if (IsTensor(part_type)) return leaf(part);
          // Types that contain no tensors are the same in cells.
          if (part_type && cell_type_(part_type) == part_type) return part;
          return std::nullopt;
        },
        [&](const std::vector<ExprId>& parts) { return to().Tuple(parts); });
    return made ? *made : ExprId();
  }
  // Reports why Map returned none.
  auto NotTensors() -> Diagnostic { return error_ ? *std::move(error_) : MakeDiagnostic(kNotTensors, here_); }
  auto Wrap(ExprId value, TypeId type, LetList& lets) -> ExprId {
    return Map(value, type, lets, [this](ExprId part) { return CallOf(cell_.raw, part); });
  }
  auto Unwrap(ExprId value, TypeId type, LetList& lets) -> ExprId {
    return Map(value, type, lets, [this](ExprId part) { return CallOf(cell_.from, std::span(&part, 1)); });
  }

  // Returns an operand in cells. Every use of a constant has a cell of its own.
  auto Cell(ExprId old) -> ExprId {
    const ExprId made = rebuild_.New(old);
    changed_ = changed_ || from_.kind(old) == ExprKind::kConstant;
    return from_.kind(old) == ExprKind::kConstant ? CallOf(cell_.raw, made) : made;
  }
  // Returns an operand as it was.
  auto Plain(ExprId old) -> ExprId {
    const ExprId cell = Cell(old);
    if (IsTensor(TypeOf(old))) return CallOf(cell_.from, std::span(&cell, 1));
    LetList lets(to(), context_);
    here_ = from_.range(old);
    const ExprId plain = Unwrap(lets.Push(cell), TypeOf(old), lets);
    if (!plain) {
      error_ = NotTensors();
      return cell;
    }
    return lets.Close(plain);
  }
  auto Plain(std::span<const ExprId> old) -> std::vector<ExprId> {
    return MapToVector<ExprId>(old, [&](ExprId operand) { return Plain(operand); });
  }

  // Returns the result of a call that works on tensors, in cells.
  auto Result(ExprId old, ExprId call) -> ExprId {
    if (IsTensor(TypeOf(old))) return CallOf(cell_.raw, call);
    LetList lets(to(), context_);
    here_ = from_.range(old);
    const ExprId wrapped = Wrap(lets.Push(call), TypeOf(old), lets);
    if (!wrapped) {
      error_ = NotTensors();
      return call;
    }
    return lets.Close(wrapped);
  }

  auto Visit(ExprId id) -> ExprId {
    switch (from_.kind(id)) {
      case ExprKind::kVar: return VisitVar(id);
      case ExprKind::kConstant:
      case ExprKind::kConstructor:
      // The global function of a call.
      case ExprKind::kGlobal: return rebuild_.Copy(id);
      case ExprKind::kOpCall: return VisitOpCall(id);
      case ExprKind::kFunction: return VisitFunction(id);
      default: break;
    }
    std::vector<ExprId> operands;
    const auto old = from_.operands(id);
    const bool is_call = from_.kind(id) == ExprKind::kCall;
    if (is_call && from_.kind(old[0]) == ExprKind::kGlobal && TakesTensors(from_.global(old[0]))) {
      changed_ = true;
      return Result(id, CallOf(from_.global(old[0]), Plain(old.subspan(1))));
    }
    for (size_t i = 0; i < old.size(); ++i) {
      const ExprKind kind = from_.kind(old[i]);
      if (kind == ExprKind::kOp || (kind == ExprKind::kGlobal && !(is_call && i == 0))) {
        error_ = MakeDiagnostic(kFunctionValue, from_.range(old[i]));
      }
      const bool is_condition = from_.kind(id) == ExprKind::kIf && i == 0;
      operands.push_back(is_condition ? Plain(old[i]) : Cell(old[i]));
    }
    return Untyped(to().Copy(from_, id, operands));
  }

  // Whether the function has tensors in its signature. Otherwise it is one for cells as well.
  auto TakesTensors(GlobalId id) -> bool {
    const Function* function = module_.function<Function>(id);
    if (function == nullptr) return true;
    bool takes = cell_type_(function->info().result) != function->info().result;
    for (const ExprId param : function->params()) {
      const TypeId type = function->var(param).annotation;
      takes = takes || cell_type_(type) != type;
    }
    return takes;
  }

  // Removes the type of a copied expression, which would otherwise keep its old one.
  auto Untyped(ExprId made) -> ExprId {
    to().SetType(made, {});
    return made;
  }

  auto VisitVar(ExprId id) -> ExprId {
    VarInfo info = from_.var(id);
    info.annotation = cell_type_(info.annotation);
    changed_ = changed_ || info.annotation != from_.var(id).annotation;
    const ExprId made = to().Var(info);
    to().SetType(made, cell_type_(from_.type(id)));
    return made;
  }

  auto VisitFunction(ExprId id) -> ExprId {
    FunctionInfo info = from_.info(id);
    info.result = cell_type_(info.result);
    changed_ = changed_ || info.result != from_.info(id).result;
    const auto params = MapToVector<ExprId>(from_.params(id), [&](ExprId param) { return rebuild_.New(param); });
    return to().Lambda(std::move(info), params, Cell(from_.body(id)));
  }

  auto VisitOpCall(ExprId id) -> ExprId {
    changed_ = true;
    const OpDef* op = from_.op(id);
    const auto old = from_.operands(id);
    if ((op == "add"_op || op == "multiply"_op) && old.size() == 2 && TypeOf(old[0]) == TypeOf(old[1])) {
      return CallOnCells(op == "add"_op ? cell_.add : cell_.multiply, id);
    }
    const bool is_one = op == "ones"_op || op == "ones_like"_op;
    const bool is_zero = op == "zeros"_op || op == "zeros_like"_op;
    const ExprId call = to().Copy(from_, id, Plain(old));
    if (!is_one && !is_zero) return Result(id, call);
    FunctionInfo info;
    info.result = TypeOf(id);
    return CallOf(is_one ? cell_.one : cell_.zero, to().Lambda(std::move(info), {}, call));
  }

  // Returns a sum or product of two tensors of one type.
  auto CallOnCells(GlobalId global, ExprId id) -> ExprId {
    const TypeId type = TypeOf(from_.operand(id, 0));
    std::vector<ExprId> params;
    for (const std::string_view name : {"lhs", "rhs"}) {
      params.push_back(to().Var({.name = from_.context().Intern(name), .annotation = type, .virtual_device = {}}));
      to().SetType(params.back(), type);
    }
    FunctionInfo info;
    info.result = type;
    const ExprId call = to().OpCall(from_.op_instance(id), params);
    const ExprId fallback = to().Lambda(std::move(info), params, call);
    const ExprId args[] = {fallback, Cell(from_.operand(id, 0)), Cell(from_.operand(id, 1))};
    return CallOf(global, args);
  }

  const Module& module_;
  const Function& from_;
  const GradCell& cell_;
  PassContext& context_;
  Rebuild rebuild_;
  PartBudget budget_;
  TypeMap cell_type_;
  // Whether a tensor occurs at all.
  bool changed_ = false;
  // The expression that is being converted, for diagnostics.
  SourceRange here_;
  std::optional<Diagnostic> error_;
};

struct LazyGradientInit {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    Module result = module;
    RELAYOPT_TRY([[maybe_unused]] const bool inferred, InferTypePass()->Apply(result, context));
    const std::vector<GlobalId> functions = result.SortedFunctions<Function>();
    const std::optional<GradCell> cell = AddGradCell(result);
    if (!cell) return MakeDiagnostic(kOtherGradCell, {});
    for (const GlobalId id : functions) {
      if (id == cell->from || id == cell->add || id == cell->multiply) continue;
      const FunctionRef function = result.function_ref<Function>(id);
      if (IsSkippedByFunctionPasses(*function)) continue;
      RELAYOPT_TRY(std::optional<Function> made, Initializer(result, *function, *cell, context).Run());
      if (made) result.SetFunction(id, std::make_shared<Function>(*std::move(made)));
    }
    RELAYOPT_TRY([[maybe_unused]] const bool again, InferTypePass()->Apply(result, context));
    return result;
  }
};

}  // namespace

constinit const PassDef kLazyGradientInitPass = DescribePass<LazyGradientInit>({
    .name = "LazyGradientInit",
    .opt_level = 2,
    .summary = "delays making tensors of ones and zeros until they are needed",
    .details = R"(Adds the type GradCell[T], which is a tensor (Raw) or a function that makes one of ones (One) or zeros
(Zero), and lets every function work on cells inside while its parameters and result stay what they are:

  def @main(%x: T) -> T {               def @main(%x: T) -> T {
    add(%x, zeros_like(%x))               let %x_0 = (fn (%x1: GradCell[T]) -> GradCell[T] {
  }                               =>        @AddGradCell(fn (%lhs: T, %rhs: T) -> T { add(%lhs, %rhs) }, %x1,
                                                         Zero(fn () -> T { zeros_like(@FromGradCell(%x1)) }))
                                          })(Raw(%x));
                                          @FromGradCell(%x_0)
                                        }

Sums and products of two tensors of one type call @AddGradCell and @MultiplyGradCell, which do not compute what zeros and
ones make superfluous; `ones`, `zeros`, `ones_like` and `zeros_like` become functions that are called only when someone
needs the tensor. A product with zeros is zeros, whatever the sign of the other factor, and be it infinite. All other
operators, and calls of global functions, take their operands out of the cells and put the result into one. It is meant
for the result of a gradient pass. A second run does nothing new to the functions it has added.

Parameters and results must be tensors or tuples of them, or hold no tensors at all; anything else is an error. Functions
without tensors stay.)",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt
