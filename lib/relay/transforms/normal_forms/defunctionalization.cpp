// Defunctionalization: represents functions that are passed to global functions as data.
#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "beta_reduction.h"
#include "function_encoding.h"
#include "lib/relay/transforms/expr_copier.h"
#include "lib/relay/transforms/free_vars.h"
#include "lib/relay/transforms/type_arguments.h"
#include "relayopt/relay/ir/let_index.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/types/substitution.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kCannotEncode = {
    "cannot-encode", Severity::kError,
    "Defunctionalization: a function that is passed on must be a global function, a function literal or a parameter"};
constexpr DiagnosticKind kNestedFunction = {
    "nested-function-type", Severity::kError,
    "Defunctionalization: parameters that hold functions must be functions, and results must hold none"};
constexpr DiagnosticKind kUnknownInstance = {"unknown-instance", Severity::kError,
                                             "Defunctionalization: the type arguments of this call are not known"};
constexpr DiagnosticKind kHigherOrderMain = {
    "higher-order-main", Severity::kError,
    "Defunctionalization: @main must have neither type parameters nor functions as parameters or result"};

// Rewrites one function. Its types are those of a single instance: it has no type parameters.
class Encoder {
 public:
  // `is_clone`: parameters that are functions become data.
  Encoder(Program& program, const Function& from, bool is_clone)
      : program_(program), from_(from), is_clone_(is_clone), lets_(from), rebuild_(from) {}

  auto Run() -> Result<Function> {
    if (is_clone_) {
      for (const ExprId param : from_.params()) {
        const TypeId type = TypeOf(param);
        if (type && types().type(type).is_function())
          encoded_[param] = type;
        else if (HasFunctionType(types(), type))
          return MakeDiagnostic(kNestedFunction, from_.range(param));
      }
    }
    for (const ExprId id : from_.ids()) {
      rebuild_.Set(id, Visit(id));
      if (error_) return *std::move(error_);
    }
    return rebuild_.Finish();
  }

 private:
  auto types() const -> Context& { return from_.context(); }
  auto to() -> FunctionBuilder& { return rebuild_.to(); }
  auto TypeOf(ExprId id) const -> TypeId {
    if (from_.type(id)) return from_.type(id);
    return from_.kind(id) == ExprKind::kVar ? from_.var(id).annotation : TypeId();
  }
  auto Fail(KindFor<> kind, ExprId at) -> ExprId {
    if (!error_) error_ = MakeDiagnostic(kind, from_.range(at));
    return {};
  }

  auto Visit(ExprId id) -> ExprId {
    const auto encoded = encoded_.find(id);
    if (encoded != encoded_.end()) {
      VarInfo info = from_.var(id);
      info.annotation = program_.EncodingOf(encoded->second).type;
      const ExprId var = to().Var(info);
      to().SetType(var, info.annotation);
      return var;
    }
    if (from_.kind(id) != ExprKind::kCall) return rebuild_.Copy(id);
    const ExprId callee = from_.operand(id, 0);
    if (from_.kind(callee) == ExprKind::kGlobal) return VisitGlobalCall(id, from_.global(callee));
    const auto function = encoded_.find(callee);
    if (function == encoded_.end()) return rebuild_.Copy(id);
    const Encoding& encoding = program_.EncodingOf(function->second);
    const auto operands = rebuild_.NewOperands(id);
    const ExprId call = to().Call(to().Global(encoding.apply_name), operands);
    to().SetType(call, from_.type(id));
    return call;
  }

  auto VisitGlobalCall(ExprId id, GlobalId callee) -> ExprId {
    const Function* function = program_.module().function<Function>(callee);
    if (function == nullptr) return rebuild_.Copy(id);
    bool is_higher_order = HasFunctionType(types(), function->info().result);
    for (const ExprId param : function->params()) {
      is_higher_order = is_higher_order || HasFunctionType(types(), function->var(param).annotation);
    }
    const auto type_args = TypeArgumentsOf(id, *function);
    // Type parameters may also be instantiated by functions.
    for (size_t i = 0; type_args && i < type_args->size(); ++i) {
      is_higher_order = is_higher_order || HasFunctionType(types(), (*type_args)[i]);
    }
    if (!is_higher_order) return rebuild_.Copy(id);
    if (!type_args) return Fail(kUnknownInstance, id);
    const Substitution instance(types(), function->info().type_params, *type_args);
    std::vector<ExprId> args;
    for (size_t i = 0; i < function->params().size(); ++i) {
      const ExprId arg = from_.operand(id, i + 1);
      const TypeId annotation = function->var(function->params()[i]).annotation;
      const TypeId type = instance(annotation);
      if (!HasFunctionType(types(), type))
        args.push_back(rebuild_.New(arg));
      else if (!types().type(type).is_function())
        return Fail(kNestedFunction, arg);
      else
        args.push_back(Encode(arg, type));
    }
    const TypeId result = instance(function->info().result);
    if (HasFunctionType(types(), result)) return Fail(kNestedFunction, id);
    const ExprId call = to().Call(to().Global(program_.CloneOf(callee, *type_args)), args, from_.attrs(id));
    to().SetType(call, from_.type(id));
    return call;
  }

  // Returns the type arguments of a call, or nothing if they do not follow from its types.
  auto TypeArgumentsOf(ExprId call, const Function& function) const -> std::optional<std::vector<TypeId>> {
    const auto args =
        MapToVector<TypeId>(from_.operands(call).subspan(1), [&](ExprId operand) { return TypeOf(operand); });
    std::vector<TypeId> found = TypeArguments(function, function.root(), args, from_.type(call));
    if (found.size() != function.info().type_params.size()) return std::nullopt;
    for (const TypeId type : found) {
      if (types().type(type).has_incomplete) return std::nullopt;
    }
    return found;
  }

  // Returns a function of this type as data.
  auto Encode(ExprId id, TypeId type) -> ExprId {
    if (encoded_.contains(id)) return rebuild_.New(id);
    ExprId value = id;
    while (from_.kind(value) == ExprKind::kVar && lets_.ValueOf(value)) value = lets_.ValueOf(value);
    Encoding& encoding = program_.EncodingOf(type);
    if (from_.kind(value) == ExprKind::kGlobal) {
      const CtorId ctor = program_.NewConstructor(encoding, true, {});
      program_.AddClause(encoding, ctor, {}, encoding.apply.Global(from_.global(value)));
      return Data(ctor, {}, encoding);
    }
    if (from_.kind(value) != ExprKind::kFunction) return Fail(kCannotEncode, id);
    return EncodeLiteral(value, encoding);
  }

  // The variables that a literal captures are the fields of its constructor.
  auto EncodeLiteral(ExprId literal, Encoding& encoding) -> ExprId {
    const std::vector<ExprId> captured = FreeVars(to().function(), rebuild_.New(literal));
    std::vector<TypeId> inputs;
    std::vector<ExprId> fields;
    ExprCopier copier(to().function(), encoding.apply);
    for (const ExprId var : captured) {
      const VarInfo& info = to().function().var(var);
      const TypeId type = info.annotation ? info.annotation : to().function().type(var);
      inputs.push_back(type);
      fields.push_back(encoding.apply.Var({.name = info.name, .annotation = type, .virtual_device = {}}));
      encoding.apply.SetType(fields.back(), type);
      copier.Set(var, fields.back());
    }
    const CtorId ctor = program_.NewConstructor(encoding, false, std::move(inputs));
    program_.AddClause(encoding, ctor, fields, copier.Copy(rebuild_.New(literal)));
    return Data(ctor, captured, encoding);
  }

  auto Data(CtorId ctor, std::span<const ExprId> fields, const Encoding& encoding) -> ExprId {
    const ExprId data = to().Call(to().Constructor(ctor), fields);
    to().SetType(data, encoding.type);
    return data;
  }

  Program& program_;
  const Function& from_;
  bool is_clone_;
  LetIndex lets_;
  Rebuild rebuild_;
  // Variables that hold data in place of functions, with the types of these.
  absl::flat_hash_map<ExprId, TypeId> encoded_;
  std::optional<Diagnostic> error_;
};

// Returns the function for these type arguments.
auto Specialize(const Function& function, std::span<const TypeId> type_args) -> Function {
  Context& types = function.context();
  const std::vector<TypeId>& params = function.info().type_params;
  const Substitution instance(types, params, type_args);
  const auto here = [&](TypeId type) { return type ? instance(type) : type; };
  Rebuild rebuild(function);
  rebuild.ForEach([&](ExprId id) {
    ExprId made;
    if (function.kind(id) == ExprKind::kVar) {
      VarInfo info = function.var(id);
      info.annotation = here(info.annotation);
      made = rebuild.to().Var(info);
    } else if (function.kind(id) == ExprKind::kFunction) {
      FunctionInfo info = function.info(id);
      info.result = here(info.result);
      if (id == function.root()) info.type_params.clear();
      const auto operands = rebuild.NewOperands(id);
      made = rebuild.to().Lambda(std::move(info), operands.first(operands.size() - 1), operands.back());
    } else {
      made = rebuild.Copy(id);
    }
    rebuild.to().SetType(made, here(function.type(id)));
    return made;
  });
  return rebuild.Finish();
}

struct Defunctionalization {
  auto Run(const Module& module, PassContext& context) const -> Result<std::optional<Module>> {
    Module typed = module;
    RELAYOPT_TRY([[maybe_unused]] const bool inferred, InferTypePass()->Apply(typed, context));
    const GlobalId main = typed.FindGlobal("main");
    if (!main || typed.function<Function>(main) == nullptr) return std::nullopt;
    if (!IsFirstOrder(*typed.function<Function>(main)))
      return MakeDiagnostic(kHigherOrderMain, typed.global(main).range);
    if (!HasCalls(*typed.function<Function>(main))) {
      if (module.IsUpToDate(kRelayFunctions)) return std::nullopt;
      return typed;
    }
    Program program(typed);
    const auto rewrite = [&](GlobalId name, const Function& function, bool is_clone) -> std::optional<Diagnostic> {
      const std::optional<Function> reduced = BetaReduce(typed, function, context);
      auto made = Encoder(program, reduced ? *reduced : function, is_clone).Run();
      if (!made) return std::move(made).error();
      program.result().SetFunction(name, std::make_shared<Function>(*std::move(made)));
      return std::nullopt;
    };
    if (auto error = rewrite(main, *typed.function<Function>(main), false)) return *std::move(error);
    while (const auto clone = program.TakePending()) {
      const Function special = Specialize(*typed.function<Function>(clone->callee), clone->type_args);
      if (auto error = rewrite(clone->name, special, true)) return *std::move(error);
    }
    program.Finish();
    RELAYOPT_TRY([[maybe_unused]] const bool again, InferTypePass()->Apply(program.result(), context));
    return std::move(program.result());
  }

 private:
  // Whether a function calls others than operators.
  static auto HasCalls(const Function& function) -> bool {
    return std::ranges::any_of(function.ids(), [&](ExprId id) { return function.kind(id) == ExprKind::kCall; });
  }

  static auto IsFirstOrder(const Function& function) -> bool {
    const Context& types = function.context();
    bool first_order = function.info().type_params.empty() && !HasFunctionType(types, function.info().result);
    for (const ExprId param : function.params()) {
      first_order = first_order && !HasFunctionType(types, function.var(param).annotation);
    }
    return first_order;
  }
};

}  // namespace

constinit const PassDef kDefunctionalizationPass = DescribePass<Defunctionalization>({
    .name = "Defunctionalization",
    .opt_level = 1,
    .summary = "represents functions that are passed to global functions as data",
    .details =
        R"(@main, and what it calls, pass functions to global functions no longer: each becomes a constructor of a
data type, whose fields are the variables that it uses, and a function `apply` calls what a constructor stands for. Global
functions that took functions are copied for the types of each call.

  def @main(%l: List[int32]) {           type DefuncFuncType { 0 }
    @map(@double, %l)                    def @applyFuncType(%x: DefuncFuncType[], %y: int32) -> int32 {
  }                               =>       match (%x) { 0 => @double(%y) }
                                         }
                                         def @mapFuncType(%f: DefuncFuncType[], %xs: List[int32]) -> List[int32] {
                                           ... @applyFuncType(%f, %x) ...
                                         }
                                         def @main(%l: List[int32]) { @mapFuncType(0, %l) }

Calls of function literals become their bodies; arguments with effects are bound by let. The global functions that were
copied stay as well. @main may have no type parameters, no functions as parameters and none in its result; functions in
data, tuples and references that are passed on, and functions as results, are errors that say where. A module without
@main stays.)",
});

}  // namespace relayopt
