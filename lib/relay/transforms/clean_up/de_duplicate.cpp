// DeDuplicate: renames type parameters such that no two functions bind the same one.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/relay/transforms/all_passes.h"
#include "relayopt/relay/types/substitution.h"

namespace relayopt {

namespace {

class Renamer {
 public:
  explicit Renamer(const Function& function)
      : function_(function), renames_(function.size()), names_(function.context(), {}, {}) {}

  auto Run() -> std::optional<Function> {
    if (!FindDuplicates()) return std::nullopt;
    Function result = function_;
    // The expressions of each literal that renames, and the literals inside of it.
    std::vector<std::vector<ExprId>> exprs(table_.size());
    for (const ExprId id : function_.ids()) exprs[renames_[id]].push_back(id);
    std::vector<std::vector<uint32_t>> inner(table_.size());
    for (uint32_t i = 1; i < table_.size(); ++i) inner[table_[i].outer].push_back(i);
    // Those that are left to visit, and (as ~i) those to leave.
    std::vector<uint32_t> stack = {0};
    while (!stack.empty()) {
      const uint32_t at = stack.back();
      stack.pop_back();
      if (at > table_.size()) {
        Leave(table_[~at]);
        continue;
      }
      Enter(table_[at]);
      if (at != 0) std::ranges::for_each(exprs[at], [&](ExprId id) { Rename(result, id); });
      stack.push_back(~at);
      stack.insert(stack.end(), inner[at].begin(), inner[at].end());
    }
    return result;
  }

 private:
  // What a literal renames: old and new variables. After Enter the second is what the old one stood for outside.
  struct Renames {
    // The index of the renames around the literal.
    uint32_t outer = 0;
    std::vector<std::pair<TypeId, TypeId>> own;
  };

  // Visits scopes from the outside in.
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

  // Returns the index of the renames inside a literal.
  auto Bind(ExprId literal, uint32_t outside, absl::flat_hash_set<TypeId>& bound) -> uint32_t {
    Renames renames{.outer = outside};
    for (const TypeId param : function_.info(literal).type_params) {
      if (bound.insert(param).second) continue;
      renames.own.emplace_back(param, function_.context().FreshVar(function_.context().type(param).name));
    }
    if (renames.own.empty()) return outside;
    table_.push_back(std::move(renames));
    return static_cast<uint32_t>(table_.size() - 1);
  }

  void Enter(Renames& renames) {
    for (auto& [var, by] : renames.own) by = names_.Exchange(var, by);
  }
  void Leave(const Renames& renames) {
    for (const auto& [var, by] : renames.own) names_.Exchange(var, by);
  }

  auto Renamed(TypeId type) const -> TypeId { return type ? names_(type) : type; }

  void Rename(Function& result, ExprId id) const {
    result.set_type(id, Renamed(function_.type(id)));
    if (function_.kind(id) == ExprKind::kVar) result.set_annotation(id, Renamed(function_.var(id).annotation));
    if (function_.kind(id) != ExprKind::kFunction) return;
    FunctionInfo& info = result.mutable_info(id);
    for (TypeId& param : info.type_params) param = Renamed(param);
    info.result = Renamed(info.result);
  }

  const Function& function_;
  // The index in `table_` for every expression.
  SideTable<ExprId, uint32_t> renames_;
  std::vector<Renames> table_;
  // What type variables are called inside of the visited literal.
  Substitution names_;
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
