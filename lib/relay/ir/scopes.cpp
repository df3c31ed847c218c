// Derives scopes by one scan from users to operands.
#include "relayopt/relay/ir/scopes.h"

#include <algorithm>

namespace relayopt {

namespace {

// Returns the scope of this depth around another one, taking the long jump whenever it does not overshoot.
auto Climb(const Scopes& scopes, ScopeId from, uint32_t depth) -> ScopeId {
  while (scopes[from].depth > depth) {
    const Scope& scope = scopes[from];
    from = scopes[scope.jump].depth >= depth ? scope.jump : scope.parent;
  }
  return from;
}

}  // namespace

auto Scopes::CommonAncestor(ScopeId a, ScopeId b) const -> ScopeId {
  // Most values with several uses are used in one scope.
  if (a == b || !b) return a;
  if (!a) return b;
  const uint32_t depth_a = (*this)[a].depth;
  const uint32_t depth_b = (*this)[b].depth;
  // Everything is inside of the function.
  if (depth_a <= 1 || depth_b <= 1) return depth_a <= depth_b ? a : b;
  // Steps of one chain nest, the first one outermost.
  if ((*this)[a].owner == (*this)[b].owner && depth_a - depth_b == a.value() - b.value()) return std::min(a, b);
  a = Climb(*this, a, (*this)[b].depth);
  b = Climb(*this, b, (*this)[a].depth);
  // Scopes of one depth have jumps of one length.
  while (a != b) {
    const Scope& left = (*this)[a];
    const Scope& right = (*this)[b];
    if (left.jump != right.jump) {
      a = left.jump;
      b = right.jump;
    } else {
      a = left.parent;
      b = right.parent;
    }
  }
  return a;
}

auto Scopes::IsInside(ScopeId inner, ScopeId outer) const -> bool {
  return inner == outer || Climb(*this, inner, (*this)[outer].depth) == outer;
}

namespace {

class Scanner {
 public:
  explicit Scanner(const Function& function) : function_(function) {
    result_.of.resize(function.size());
    result_.first.resize(function.size());
    result_.scopes.push_back({ScopeId(0U), ScopeId(0U), 0, ExprId(), 0});
  }

  auto Run() && -> Scopes {
    Use(function_.root(), ScopeId(0U));
    for (uint32_t i = function_.root().value() + 1; i-- > 0;) {
      if (result_.of[ExprId(i)]) Visit(ExprId(i));
    }
    return std::move(result_);
  }

 private:
  void Use(ExprId operand, ScopeId scope) {
    ScopeId& of = result_.of[operand];
    // Most expressions are used once, or in one scope.
    if (!of)
      of = scope;
    else if (of != scope)
      of = result_.CommonAncestor(of, scope);
  }

  auto Open(ScopeId parent, ExprId owner, uint32_t region) -> ScopeId {
    const ScopeId id(result_.scopes.size());
    const Scope& outer = result_[parent];
    const Scope& jump = result_[outer.jump];
    // Skew-binary jump pointers: after two jumps of equal length comes one of the combined length.
    const bool equal = outer.depth - jump.depth == jump.depth - result_[jump.jump].depth;
    result_.scopes.push_back({parent, equal ? jump.jump : parent, outer.depth + 1, owner, region});
    if (region == 0) result_.first[owner] = id;
    return id;
  }

  void Visit(ExprId id) {
    const ScopeId here = result_.of[id];
    const auto operands = function_.operands(id);
    switch (function_.kind(id)) {
      case ExprKind::kFunction: {
        const ScopeId inner = Open(here, id, 0);
        for (const ExprId operand : operands) Use(operand, inner);
        return;
      }
      case ExprKind::kIf:
        Use(operands[0], here);
        Use(operands[1], Open(here, id, 0));
        Use(operands[2], Open(here, id, 1));
        return;
      case ExprKind::kMatch: VisitMatch(id, here); return;
      case ExprKind::kLet: {
        ScopeId step = here;
        for (size_t i = 0; i < function_.let_size(id); ++i) {
          step = Open(step, id, static_cast<uint32_t>(i));
          Use(operands[2 * i], step);
          Use(operands[2 * i + 1], step);
        }
        Use(operands.back(), step);
        return;
      }
      default:
        for (const ExprId operand : operands) Use(operand, here);
    }
  }

  void VisitMatch(ExprId id, ScopeId here) {
    const auto operands = function_.operands(id);
    Use(operands[0], here);
    const auto& clauses = function_.match(id).clauses;
    for (uint32_t i = 0; i < clauses.size(); ++i) {
      const ScopeId inner = Open(here, id, i);
      for (uint32_t k = clauses[i].first_operand; k <= clauses[i].rhs; ++k) Use(operands[k], inner);
    }
  }

  const Function& function_;
  Scopes result_;
};

}  // namespace

auto UseScope(const Function& function, const Scopes& scopes, ExprId user, size_t i) -> ScopeId {
  const ScopeId here = scopes.of[user];
  const auto inner = [&](size_t region) { return ScopeId(scopes.first[user].value() + region); };
  switch (function.kind(user)) {
    case ExprKind::kFunction: return inner(0);
    case ExprKind::kIf: return i == 0 ? here : inner(i - 1);
    case ExprKind::kLet: {
      const size_t steps = function.let_size(user);
      return steps == 0 ? here : inner(std::min(i / 2, steps - 1));
    }
    case ExprKind::kMatch: {
      if (i == 0) return here;
      // Clauses are in the order of their operands.
      const auto& clauses = function.match(user).clauses;
      const auto clause = std::lower_bound(clauses.begin(), clauses.end(), i,
                                           [](const MatchClause& c, size_t operand) { return c.rhs < operand; });
      return inner(static_cast<size_t>(clause - clauses.begin()));
    }
    default: return here;
  }
}

auto ComputeScopes(const Function& function) -> Scopes { return Scanner(function).Run(); }

}  // namespace relayopt
