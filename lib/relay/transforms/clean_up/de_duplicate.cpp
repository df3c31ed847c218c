// DeDuplicate: renames type parameters such that no two functions bind the same one.
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/types/unifier.h"

namespace relayopt {

namespace {

class Renamer {
 public:
  explicit Renamer(const Function& function) : function_(function), rebuild_(function), renames_(function.size()) {}

  auto Run() -> std::optional<Function> {
    if (!FindDuplicates()) return std::nullopt;
    rebuild_.ForEach([this](ExprId id) {
      if (function_.kind(id) == ExprKind::kVar) return CopyVar(id);
      const ExprId made = function_.kind(id) == ExprKind::kFunction ? CopyFunction(id) : rebuild_.Copy(id);
      rebuild_.to().SetType(made, Renamed(id, function_.type(id)));
      return made;
    });
    return rebuild_.Finish();
  }

 private:
  // Old and new variables, outer functions' first.
  struct Renames {
    std::vector<TypeId> from;
    std::vector<TypeId> to;
  };

  // Visits scopes from the outside in; each passes on the renames of its own and the outer variables.
  auto FindDuplicates() -> bool {
    const Scopes scopes = ComputeScopes(function_);
    absl::flat_hash_set<TypeId> bound;
    table_.emplace_back();
    std::vector<uint32_t> of_scope(scopes.scopes.size());
    for (size_t i = 1; i < scopes.scopes.size(); ++i) {
      const Scope& scope = scopes.scopes[i];
      of_scope[i] = of_scope[scope.parent.value()];
      if (function_.kind(scope.owner) == ExprKind::kFunction) of_scope[i] = Bind(scope.owner, of_scope[i], bound);
    }
    if (table_.size() == 1) return false;
    for (const ExprId id : function_.ids()) {
      const bool is_function = function_.kind(id) == ExprKind::kFunction;
      const ScopeId scope = is_function ? scopes.first[id] : scopes.of[id];
      if (scope) renames_[id] = of_scope[scope.value()];
    }
    return true;
  }

  // Returns the renames inside a literal.
  auto Bind(ExprId literal, uint32_t outside, absl::flat_hash_set<TypeId>& bound) -> uint32_t {
    Renames renames = table_[outside];
    bool duplicates = false;
    for (const TypeId param : function_.info(literal).type_params) {
      if (bound.insert(param).second) continue;
      duplicates = true;
      renames.from.push_back(param);
      renames.to.push_back(function_.context().FreshVar(function_.context().type(param).name));
    }
    if (!duplicates) return outside;
    table_.push_back(std::move(renames));
    return static_cast<uint32_t>(table_.size() - 1);
  }

  auto Renamed(ExprId id, TypeId type) const -> TypeId {
    const Renames& renames = table_[renames_[id]];
    if (!type || renames.from.empty()) return type;
    return Substitute(function_.context(), type, renames.from, renames.to);
  }

  auto CopyVar(ExprId id) -> ExprId {
    VarInfo info = function_.var(id);
    info.annotation = Renamed(id, info.annotation);
    const ExprId made = rebuild_.to().Var(info);
    rebuild_.to().SetType(made, Renamed(id, function_.type(id)));
    rebuild_.to().SetRange(made, function_.range(id));
    rebuild_.to().SetSpan(made, function_.span(id));
    return made;
  }

  auto CopyFunction(ExprId id) -> ExprId {
    FunctionInfo info = function_.info(id);
    for (TypeId& param : info.type_params) param = Renamed(id, param);
    info.result = Renamed(id, info.result);
    const auto operands = rebuild_.NewOperands(id);
    const ExprId made = rebuild_.to().Lambda(std::move(info), operands.first(operands.size() - 1), operands.back());
    rebuild_.to().SetRange(made, function_.range(id));
    rebuild_.to().SetSpan(made, function_.span(id));
    return made;
  }

  const Function& function_;
  Rebuild rebuild_;
  // The index in `table_` for every expression.
  SideTable<ExprId, uint32_t> renames_;
  std::vector<Renames> table_;
};

struct DeDuplicate {
  auto Run(const Module&, GlobalId, const Function& function, PassContext&) const -> Result<std::optional<Function>> {
    return Renamer(function).Run();
  }
};

}  // namespace

constinit const PassDef kDeDuplicatePass = DescribePass<DeDuplicate>({
    .name = "DeDuplicate",
    .opt_level = 0,
    .summary = "renames type parameters that several functions bind",
    .details =
        R"(When function literals are copied, two of them may bind the same type parameter. Each gets parameters of its own, with
the same names, in its annotations and types. Variables need no such care: a binder is one expression, which cannot be there
twice. Text does not change, as names are hints.)",
    .idempotent = true,
});

}  // namespace relayopt
