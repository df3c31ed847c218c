// EtaExpand: wraps constructors and global functions that are used as values in function literals.
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "relayopt/module/functions.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/types/substitution.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kNothingToExpand = {"nothing-to-expand", Severity::kError,
                                             "EtaExpand: set expand_constructor, expand_global_var or both to true"};

struct EtaExpandOptions {
  bool expand_constructor = false;
  bool expand_global_var = false;
  static constexpr auto Fields() {
    return std::array{
        Option<&EtaExpandOptions::expand_constructor>("expand constructors that are not called"),
        Option<&EtaExpandOptions::expand_global_var>("expand every mention of a global function"),
    };
  }
};

class Expander {
 public:
  Expander(const Module& module, const Function& function, const EtaExpandOptions& options)
      : module_(module), function_(function), options_(options), rebuild_(function) {}

  auto Run() -> std::optional<Function> {
    rebuild_.ForEach([this](ExprId id) { return Visit(id); });
    if (!changed_) return std::nullopt;
    return rebuild_.Finish();
  }

 private:
  auto to() -> FunctionBuilder& { return rebuild_.to(); }

  auto Visit(ExprId id) -> ExprId {
    switch (function_.kind(id)) {
      case ExprKind::kGlobal: return options_.expand_global_var ? ExpandGlobal(id) : rebuild_.Copy(id);
      // Whether a constructor is expanded depends on its user.
      case ExprKind::kConstructor: return rebuild_.Copy(id);
      default: return CopyUser(id);
    }
  }

  auto CopyUser(ExprId id) -> ExprId {
    const std::span<const ExprId> old = function_.operands(id);
    std::vector<ExprId> operands;
    for (size_t i = 0; i < old.size(); ++i) {
      const bool is_callee = i == 0 && function_.kind(id) == ExprKind::kCall;
      const bool expands =
          options_.expand_constructor && !is_callee && function_.kind(old[i]) == ExprKind::kConstructor;
      operands.push_back(expands ? ExpandConstructor(function_.constructor(old[i])) : rebuild_.New(old[i]));
    }
    return to().Copy(function_, id, operands);
  }

  // `fn (params) { callee(params) }` with parameters of these types.
  auto Literal(FunctionInfo info, std::span<const TypeId> param_types, ExprId callee) -> ExprId {
    std::vector<ExprId> params;
    for (const TypeId type : param_types) {
      params.push_back(
          to().Var({.name = context().Intern("eta_expand_param"), .annotation = type, .virtual_device = {}}));
      to().SetType(params.back(), type);
    }
    const ExprId call = to().Call(callee, params);
    to().SetType(call, info.result);
    changed_ = true;
    return to().Lambda(std::move(info), params, call);
  }

  // One literal for all uses of a global in this function.
  auto ExpandGlobal(ExprId id) -> ExprId {
    const GlobalId global = function_.global(id);
    const Function* callee = module_.function<Function>(global);
    if (callee == nullptr) return rebuild_.Copy(id);
    ExprId& literal = globals_[global];
    if (!literal) {
      FunctionInfo info = callee->info();
      // The callee may be this function, whose variables must not be bound twice.
      for (TypeId& param : info.type_params) {
        if (BoundTypes().contains(param)) param = context().FreshVar(context().type(param).name);
      }
      const Substitution instance(context(), callee->info().type_params, info.type_params);
      const auto own = [&](TypeId type) { return type ? instance(type) : type; };
      info.result = own(info.result);
      std::vector<TypeId> types;
      for (const ExprId param : callee->params()) {
        const TypeId annotation = callee->var(param).annotation;
        types.push_back(own(annotation ? annotation : callee->type(param)));
      }
      literal = Literal(std::move(info), types, rebuild_.Copy(id));
    }
    return literal;
  }

  // Returns the type parameters of the function and of the literals in it.
  auto BoundTypes() -> const absl::flat_hash_set<TypeId>& {
    if (!bound_types_) {
      bound_types_.emplace();
      for (const ExprId id : function_.ids()) {
        if (function_.kind(id) != ExprKind::kFunction) continue;
        bound_types_->insert(function_.info(id).type_params.begin(), function_.info(id).type_params.end());
      }
    }
    return *bound_types_;
  }

  auto ExpandConstructor(CtorId id) -> ExprId {
    ExprId& literal = constructors_[id];
    if (!literal) {
      const Constructor& constructor = module_.constructor(id);
      const TypeDef& type_def = module_.type_def(constructor.type_def);
      FunctionInfo info;
      for (size_t i = 0; i < type_def.params.size(); ++i)
        info.type_params.push_back(context().FreshVar(context().Intern("A")));
      const Substitution instance(context(), type_def.params, info.type_params);
      const auto types = MapToVector<TypeId>(constructor.inputs, [&](TypeId input) { return instance(input); });
      info.result = context().TypeCall(type_def.name, info.type_params);
      literal = Literal(std::move(info), types, to().Constructor(id));
    }
    return literal;
  }

  auto context() -> Context& { return function_.context(); }

  const Module& module_;
  const Function& function_;
  const EtaExpandOptions& options_;
  Rebuild rebuild_;
  absl::flat_hash_map<GlobalId, ExprId> globals_;
  absl::flat_hash_map<CtorId, ExprId> constructors_;
  // Collected when the first generic function is expanded.
  std::optional<absl::flat_hash_set<TypeId>> bound_types_;
  bool changed_ = false;
};

struct EtaExpand {
  using Options = EtaExpandOptions;
  Options options;

  auto Run(const Module& module, PassContext&) const -> Result<std::optional<Module>> {
    if (!options.expand_constructor && !options.expand_global_var) return MakeDiagnostic(kNothingToExpand, {});
    return RewriteFunctions<Function>(
        module, [&](GlobalId, const Function& function) { return Expander(module, function, options).Run(); });
  }
};

}  // namespace

constinit const PassDef kEtaExpandPass = DescribePass<EtaExpand>({
    .name = "EtaExpand",
    .opt_level = 1,
    .summary = "wraps constructors and global functions that are used as values in function literals",
    .details =
        R"(With expand_constructor=true a constructor that is used as a value, not called, becomes a function
literal that calls it, with type parameters of its own; with expand_global_var=true so does every mention of a
global function, called or not:

  @map(Some, %xs)      =>    %0 = fn [A](%eta_expand_param: A) -> Option[A] { Some(%eta_expand_param) };
                             @map(%0, %xs)
  @f(%x)               =>    %0 = fn (%eta_expand_param: T) -> R { @f(%eta_expand_param) };
                             %0(%x)

The literal has the attributes, type parameters and result type of the global function; all mentions of one function
or constructor in a function share it. A function and the literal that only calls it are the same function. Global
functions without a definition stay as they are. At least one of the options must be true.)",
    .idempotent = false,
});

}  // namespace relayopt
