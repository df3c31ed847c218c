// Checks the rules that every function must keep.
#include "relayopt/relay/analysis/verifier.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "relayopt/relay/ir/scopes.h"
#include "relayopt/support/side_table.h"

namespace relayopt {

namespace {

class Verifier {
 public:
  Verifier(const Module& module, const Function& function) : module_(module), function_(function) {}

  auto Run() -> std::optional<VerifierError> {
    CheckOrder();
    if (!error_) CheckScopes();
    if (!error_) CheckRecursion();
    return std::move(error_);
  }

 private:
  void Fail(ExprId expr, std::string text) {
    if (!error_) error_ = VerifierError{expr, std::move(text)};
  }

  // Facts that need no scopes. They make the rest of the checks safe to run.
  void CheckOrder() {
    if (function_.root().value() + 1 != function_.size()) {
      Fail(function_.root(), "the root is not the last expression");
      return;
    }
    for (const ExprId id : function_.ids()) {
      for (const ExprId operand : function_.operands(id)) {
        if (operand >= id) return Fail(id, "an operand does not come before its user");
      }
      const ExprKind kind = function_.kind(id);
      if (kind == ExprKind::kVar) ++num_vars_;
      if (OpensScope(kind)) ++num_owners_;
      if (const char* fault = FindFault(id); fault != nullptr) return Fail(id, fault);
    }
  }

  static auto OpensScope(ExprKind kind) -> bool {
    return kind == ExprKind::kFunction || kind == ExprKind::kLet || kind == ExprKind::kIf || kind == ExprKind::kMatch;
  }

  // Whether the function is straight-line code as it usually is, whose scopes need not be known: its only variables are
  // its parameters, and those of the let chain that is its body, if there is one. Each comes after all that was bound
  // before it, so that it differs from the other variables and no earlier value uses it, and nothing up to its own
  // value uses it.
  auto IsStraight() const -> bool {
    const bool has_let = function_.kind(function_.body()) == ExprKind::kLet;
    const size_t steps = has_let ? function_.let_size(function_.body()) : 0;
    const auto params = function_.params();
    if (num_owners_ != (has_let ? 2 : 1) || num_vars_ != params.size() + steps) return false;
    // One more than the last expression that is bound.
    uint32_t bound = 0;
    for (const ExprId param : params) {
      if (param.value() < bound) return false;
      bound = param.value() + 1;
    }
    const auto operands = function_.operands(function_.body());
    for (size_t i = 0; i < steps; ++i) {
      const ExprId var = operands[2 * i];
      const ExprId value = operands[2 * i + 1];
      if (var.value() < bound || var == value || IsUsedUpTo(value, var)) return false;
      bound = std::max(var, value).value() + 1;
    }
    return true;
  }

  // Whether an expression after `var` uses it, up to `value`.
  auto IsUsedUpTo(ExprId value, ExprId var) const -> bool {
    for (ExprId id = var; id < value;) {
      const auto operands = function_.operands(++id);
      if (std::find(operands.begin(), operands.end(), var) != operands.end()) return true;
    }
    return false;
  }

  auto AllVars(ExprId id, size_t first, size_t last, size_t step) const -> bool {
    for (size_t i = first; i < last; i += step) {
      if (function_.kind(function_.operand(id, i)) != ExprKind::kVar) return false;
    }
    return true;
  }

  // Returns what is wrong with the number and the kinds of the operands, or null.
  auto FindFault(ExprId id) const -> const char* {
    const size_t count = function_.operands(id).size();
    const auto unless = [](bool is_fine, const char* fault) { return is_fine ? nullptr : fault; };
    switch (function_.kind(id)) {
      case ExprKind::kVar:
      case ExprKind::kOp:
      case ExprKind::kConstant: return unless(count == 0, "a leaf has operands");
      case ExprKind::kGlobal:
        return unless(function_.global(id).value() < module_.globals().size(), "a global does not exist");
      case ExprKind::kConstructor:
      case ExprKind::kTuple:
      case ExprKind::kOpCall: return nullptr;
      case ExprKind::kTupleGetItem:
      case ExprKind::kRefCreate:
      case ExprKind::kRefRead: return unless(count == 1, "an expression that needs one operand has none or several");
      case ExprKind::kRefWrite: return unless(count == 2, "a write needs a reference and a value");
      case ExprKind::kCall: return unless(count != 0, "a call has no callee");
      case ExprKind::kFunction:
        return unless(count != 0 && AllVars(id, 0, count - 1, 1), "a parameter is not a variable");
      case ExprKind::kLet:
        return unless(count % 2 == 1 && AllVars(id, 0, count - 1, 2), "a let does not bind variables");
      case ExprKind::kIf: return unless(count == 3, "an if needs a condition and two branches");
      case ExprKind::kMatch: return FindMatchFault(id);
    }
    return nullptr;
  }

  auto FindMatchFault(ExprId id) const -> const char* {
    const MatchInfo& info = function_.match(id);
    size_t next = 1;
    for (const MatchClause& clause : info.clauses) {
      if (clause.first_operand != next || clause.rhs < next || clause.rhs >= function_.operands(id).size() ||
          !AllVars(id, next, clause.rhs, 1)) {
        return "the clauses of a match do not fit its operands";
      }
      next = clause.rhs + 1;
    }
    return next == function_.operands(id).size() ? nullptr : "a match has operands that no clause uses";
  }

  void Bind(ExprId var, ScopeId scope) {
    if (binder_[var]) Fail(var, fmt::format("variable %{} is bound twice", Name(var)));
    binder_[var] = scope;
  }

  void BindVariables(const Scopes& scopes, ExprId id) {
    const ScopeId first = scopes.first[id];
    switch (function_.kind(id)) {
      case ExprKind::kFunction:
        for (const ExprId param : function_.params(id)) Bind(param, first);
        return;
      case ExprKind::kLet:
        for (size_t i = 0; i < function_.let_size(id); ++i) {
          const ExprId var = function_.let_var(id, i);
          Bind(var, ScopeId(first.value() + i));
          // Users elsewhere come after the value.
          if (first_user_[var] <= function_.let_value(id, i)) recursive_.emplace_back(var, function_.let_value(id, i));
        }
        return;
      case ExprKind::kMatch: {
        const auto& clauses = function_.match(id).clauses;
        for (size_t i = 0; i < clauses.size(); ++i) {
          for (uint32_t k = clauses[i].first_operand; k < clauses[i].rhs; ++k) {
            Bind(function_.operand(id, k), ScopeId(first.value() + i));
          }
        }
        return;
      }
      default: return;
    }
  }

  void FindFirstUsers() {
    first_user_.resize(function_.size());
    for (const ExprId id : function_.ids()) {
      for (const ExprId operand : function_.operands(id)) {
        if (!first_user_[operand]) first_user_[operand] = id;
      }
    }
  }

  void CheckScopes() {
    if (IsStraight()) return;
    binder_.resize(function_.size());
    FindFirstUsers();
    const Scopes scopes = ComputeScopes(function_);
    for (const ExprId id : function_.ids()) {
      if (scopes.of[id]) BindVariables(scopes, id);
    }
    for (ExprId id(0U); id.value() < function_.size() && !error_; ++id) {
      if (function_.kind(id) != ExprKind::kVar || !scopes.of[id]) continue;
      if (!binder_[id]) {
        Fail(id, fmt::format("variable %{} is free", Name(id)));
      } else if (scopes.of[id] != binder_[id] && !scopes.IsInside(scopes.of[id], binder_[id])) {
        Fail(id, fmt::format("variable %{} is used outside the scope that binds it", Name(id)));
      }
    }
  }

  // A let variable is in scope in its own value so that functions can call themselves; anything else would need a value
  // before there is one.
  void CheckRecursion() {
    for (const auto& [var, value] : recursive_) {
      if (NeedsToRun(value, var)) return Fail(var, fmt::format("the value of %{} needs %{}", Name(var), Name(var)));
    }
  }

  // Whether evaluating `value` evaluates `var`; the bodies of functions are not evaluated yet.
  auto NeedsToRun(ExprId value, ExprId var) const -> bool {
    absl::flat_hash_set<ExprId> seen = {value};
    std::vector<ExprId> pending = {value};
    while (!pending.empty()) {
      const ExprId id = pending.back();
      pending.pop_back();
      if (id == var) return true;
      if (function_.kind(id) == ExprKind::kFunction) continue;
      for (const ExprId operand : function_.operands(id)) {
        // Expressions before the variable in the table cannot refer to it.
        if (operand >= var && seen.insert(operand).second) pending.push_back(operand);
      }
    }
    return false;
  }

  auto Name(ExprId var) const -> std::string_view {
    const StringId name = function_.var(var).name;
    return name ? function_.context().text(name) : "";
  }

  const Module& module_;
  const Function& function_;
  // Variables, and expressions that open scopes.
  size_t num_vars_ = 0;
  size_t num_owners_ = 0;
  // Empty when the function is straight-line code.
  SideTable<ExprId, ScopeId> binder_;
  SideTable<ExprId, ExprId> first_user_;
  // Let variables that occur in their own values, with these values.
  std::vector<std::pair<ExprId, ExprId>> recursive_;
  std::optional<VerifierError> error_;
};

}  // namespace

auto Verify(const Module& module, const Function& function) -> std::optional<VerifierError> {
  return Verifier(module, function).Run();
}

auto VerifyTypes(const Function& function) -> std::optional<VerifierError> {
  for (const ExprId id : function.ids()) {
    if (!function.type(id) && function.kind(id) != ExprKind::kOp) return VerifierError{id, "an expression has no type"};
  }
  return std::nullopt;
}

}  // namespace relayopt
