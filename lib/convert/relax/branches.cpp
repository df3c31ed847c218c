// Functions are let chains (ToANormalForm) here, and function literals have been lifted.
#include "branches.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "relayopt/relay/ir/rebuild.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/support/side_table.h"

namespace relayopt::relax {

namespace {

// A let chain, and whether its function allocates nothing after it.
struct Chain {
  ExprId id;
  bool is_last = true;
};

class BranchFinder {
 public:
  explicit BranchFinder(const Function& function) : function_(function), is_outlined_(function.size(), false) {}

  // For each chain, whether it is a branch that becomes a function. found() says whether there is one.
  auto Find() -> const SideTable<ExprId, bool>& {
    ExprId body = function_.body();
    // Of a function that returns a closure, as LambdaLift makes them, the body of the closure counts.
    if (function_.kind(body) == ExprKind::kFunction) body = function_.body(body);
    pending_.push_back({body});
    while (!pending_.empty()) {
      const Chain chain = pending_.back();
      pending_.pop_back();
      Visit(chain);
    }
    return is_outlined_;
  }
  auto found() const -> bool { return found_; }

 private:
  void Visit(const Chain& chain) {
    if (function_.kind(chain.id) != ExprKind::kLet) return;
    bool is_last = chain.is_last;
    for (size_t i = function_.let_size(chain.id); i-- > 0;) {
      const ExprId value = function_.let_value(chain.id, i);
      if (function_.kind(value) == ExprKind::kIf) VisitIf(value, is_last);
      if (Allocates(value)) is_last = false;
    }
  }

  void VisitIf(ExprId id, bool is_last) {
    const ExprId branches[] = {function_.operand(id, 1), function_.operand(id, 2)};
    const bool allocates[] = {HasAllocation(branches[0]), HasAllocation(branches[1])};
    for (const size_t i : {0, 1}) {
      // One of the last branches may allocate. The branch with the recursive call stays, which saves a call.
      const size_t kept = HasCall(branches[1]) ? 1 : 0;
      const bool stays = !allocates[i] || (is_last && (!allocates[1 - i] || i == kept));
      if (!stays) is_outlined_[branches[i]] = found_ = true;
      pending_.push_back({branches[i], !stays || is_last});
    }
  }

  // Calls of functions allocate in the function that they call.
  auto Allocates(ExprId value) const -> bool {
    return function_.kind(value) == ExprKind::kOpCall || function_.kind(value) == ExprKind::kIf;
  }
  auto HasAllocation(ExprId chain) const -> bool {
    return HasStep(chain, [this](ExprId value) { return Allocates(value); });
  }
  auto HasCall(ExprId chain) const -> bool {
    return HasStep(chain, [this](ExprId value) { return function_.kind(value) == ExprKind::kCall; });
  }
  template <typename Predicate>
  auto HasStep(ExprId chain, Predicate&& predicate) const -> bool {
    if (function_.kind(chain) != ExprKind::kLet) return false;
    for (size_t i = 0; i < function_.let_size(chain); ++i) {
      if (predicate(function_.let_value(chain, i))) return true;
    }
    return false;
  }

  const Function& function_;
  SideTable<ExprId, bool> is_outlined_;
  std::vector<Chain> pending_;
  bool found_ = false;
};

class Outliner {
 public:
  Outliner(Module& module, GlobalId global, const Function& function, const SideTable<ExprId, bool>& is_outlined)
      : module_(module),
        global_(global),
        function_(function),
        is_outlined_(is_outlined),
        captures_(function.size()),
        values_(function.size()),
        reached_(function.size()),
        bound_in_(function.size()) {
    for (const ExprId id : function.ids()) {
      if (function.kind(id) != ExprKind::kLet) continue;
      for (size_t i = 0; i < function.let_size(id); ++i) values_[function.let_var(id, i)] = function.let_value(id, i);
    }
  }

  auto Run() -> Function {
    Rebuild rebuild(function_);
    rebuild.ForEach([&](ExprId id) {
      if (!is_outlined_[id]) return rebuild.Copy(id);
      Outline(id);
      const auto args = MapToVector<ExprId>(captures_[id], [&](ExprId var) { return rebuild.New(var); });
      return CallOf(rebuild.to(), id, args);
    });
    return rebuild.Finish();
  }

 private:
  auto context() const -> Context& { return function_.context(); }

  // Returns the function that a variable outside of the branch is bound to, because functions are not values in Relax.
  auto Known(ExprId id, ExprId branch) const -> ExprId {
    while (function_.kind(id) == ExprKind::kVar && bound_in_[id] != branch && values_[id].has_value() &&
           function_.type(id) && context().type(function_.type(id)).is_function()) {
      id = values_[id];
    }
    return id;
  }

  // Returns the operands of an expression in a branch. Inner branches that become functions are treated as calls.
  auto OperandsOf(ExprId id, ExprId branch) const -> std::span<const ExprId> {
    return id != branch && is_outlined_[id] ? std::span<const ExprId>(captures_[id]) : function_.operands(id);
  }

  // Returns the expressions of the branch, in order.
  auto Region(ExprId branch) -> std::vector<ExprId> {
    std::vector<ExprId> region;
    std::vector<ExprId> pending = {branch};
    reached_[branch] = branch;
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      region.push_back(id);
      if (function_.kind(id) == ExprKind::kLet && (id == branch || !is_outlined_[id])) {
        for (size_t i = 0; i < function_.let_size(id); ++i) bound_in_[function_.let_var(id, i)] = branch;
      }
      for (const ExprId operand : OperandsOf(id, branch)) {
        const ExprId known = Known(operand, branch);
        if (reached_[known] == branch) continue;
        reached_[known] = branch;
        pending.push_back(known);
      }
    }
    std::ranges::sort(region);
    return region;
  }

  // Outlines the branch as a function whose parameters are the outer variables that it uses.
  void Outline(ExprId branch) {
    const std::vector<ExprId> region = Region(branch);
    FunctionBuilder to(context());
    SideTable<ExprId, ExprId>& made = made_;
    made.resize(function_.size());
    std::vector<ExprId> params;
    std::vector<ExprId> operands;
    for (const ExprId id : region) {
      const bool is_free = function_.kind(id) == ExprKind::kVar && bound_in_[id] != branch;
      if (is_free) {
        captures_[branch].push_back(id);
        params.push_back(Param(to, id));
        made[id] = params.back();
        continue;
      }
      operands.clear();
      for (const ExprId operand : OperandsOf(id, branch)) operands.push_back(made[Known(operand, branch)]);
      made[id] = id != branch && is_outlined_[id] ? CallOf(to, id, operands) : to.Copy(function_, id, operands);
    }
    FunctionInfo info;
    info.result = function_.type(branch);
    const ExprId lambda = to.Lambda(std::move(info), params, made[branch]);
    names_.emplace(branch, NewName());
    module_.SetFunction(names_.at(branch), std::make_shared<Function>(Relayout(to.Finish(lambda))));
  }

  auto Param(FunctionBuilder& to, ExprId var) const -> ExprId {
    VarInfo info = function_.var(var);
    info.annotation = function_.type(var);
    const ExprId param = to.Var(info);
    to.SetType(param, info.annotation);
    return param;
  }

  // Returns the chain that calls the function of a branch.
  auto CallOf(FunctionBuilder& to, ExprId branch, std::span<const ExprId> args) const -> ExprId {
    const TypeId type = function_.type(branch);
    const ExprId call = to.Call(to.Global(names_.at(branch)), args);
    to.SetType(call, type);
    const ExprId var = to.Var({.name = context().Intern("branch"), .annotation = {}, .virtual_device = {}});
    to.SetType(var, type);
    const ExprId steps[] = {var, call};
    const ExprId chain = to.Let(steps, var);
    to.SetType(chain, type);
    return chain;
  }

  auto NewName() -> GlobalId {
    while (true) {
      const std::string name = fmt::format("{}_branch{}", module_.name(global_), next_++);
      if (!module_.FindGlobal(name)) return module_.NameGlobal(name);
    }
  }

  Module& module_;
  GlobalId global_;
  const Function& function_;
  const SideTable<ExprId, bool>& is_outlined_;
  // For each outlined branch, the variables from outside that it uses.
  SideTable<ExprId, std::vector<ExprId>> captures_;
  absl::flat_hash_map<ExprId, GlobalId> names_;
  SideTable<ExprId, ExprId> values_;
  // The last branch whose region an expression was found in, and in which a variable was bound.
  SideTable<ExprId, ExprId> reached_;
  SideTable<ExprId, ExprId> bound_in_;
  SideTable<ExprId, ExprId> made_;
  size_t next_ = 0;
};

}  // namespace

auto OutlineBranches(Module& module) -> bool {
  bool has_outlined = false;
  for (const GlobalId id : module.SortedFunctions<Function>()) {
    const std::shared_ptr<const Function> function = module.function_ref<Function>(id);
    BranchFinder finder(*function);
    const SideTable<ExprId, bool>& is_outlined = finder.Find();
    if (!finder.found()) continue;
    has_outlined = true;
    module.SetFunction(id, std::make_shared<Function>(Outliner(module, id, *function, is_outlined).Run()));
  }
  return has_outlined;
}

}  // namespace relayopt::relax
