// Rule of SimplifyExpr: a * x * x + b * x * y + c * y * y becomes a product.
#include <algorithm>
#include <cmath>
#include <functional>

#include "relayopt/relay/pattern/matcher.h"
#include "rules.h"

namespace relayopt {

namespace {

// The sum in every grouping, each term with a constant factor in any place or without.
struct BinomialPattern {
  PatternTable table;
  DFPattern x = table.Wildcard();
  DFPattern y = table.Wildcard();
  DFPattern a = table.Constant();
  DFPattern b = table.Constant();
  DFPattern c = table.Constant();
  DFPattern sum = Sum();

  auto Sum() -> DFPattern {
    const DFPattern xx = (a * (x * x)) | (x * (a * x)) | (x * x);
    const DFPattern xy = (b * (x * y)) | (x * (b * y)) | (y * (b * x)) | (x * y);
    const DFPattern yy = (c * (y * y)) | (y * (c * y)) | (y * y);
    return ((xy + xx) + yy) | ((xy + yy) + xx) | ((xx + yy) + xy);
  }
};

auto Binomial() -> const BinomialPattern& {
  static const BinomialPattern pattern;
  return pattern;
}

struct Factors {
  double a = 1;
  double p = 0;
  double q = 0;
};

// a * (x + p * y) * (x + q * y), or nothing if p and q are not real, or not whole where they have to be.
auto Factorize(double a, double b, double c, bool whole) -> std::optional<Factors> {
  const double discriminant = b * b - 4 * a * c;
  if (a == 0 || !(discriminant >= 0) || !std::isfinite(discriminant)) return std::nullopt;
  const double root = std::sqrt(discriminant);
  const Factors factors{a, (b + root) / (2 * a), (b - root) / (2 * a)};
  if (!whole) return factors;
  // Exact as long as doubles are.
  constexpr double kExact = 0x1p52;
  const bool is_exact = b * b < kExact && std::fabs(4 * a * c) < kExact && root * root == discriminant &&
                        root == std::floor(root) && factors.p == std::floor(factors.p) &&
                        factors.q == std::floor(factors.q);
  return is_exact ? std::optional(factors) : std::nullopt;
}

auto IsProduct(const Simplifier& to, ExprId id) -> bool { return to.IsCallOf(id, "multiply"_op); }

// A quick check for a sum of three products.
auto IsCandidate(const Simplifier& to, const CallSite& call) -> bool {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const ExprId inner = call.args[i];
    if (!IsProduct(to, call.args[1 - i]) || !to.IsCallOf(inner, "add"_op)) continue;
    if (std::ranges::all_of(to.made().operands(inner), [&](ExprId term) { return IsProduct(to, term); })) return true;
  }
  return false;
}

// The expressions between the sum and x, y and the constants, users first; empty when one of them is used elsewhere.
auto FindInner(Simplifier& to, const CallSite& call, ExprId x, ExprId y) -> std::vector<ExprId> {
  std::vector<ExprId> inner;
  absl::flat_hash_map<ExprId, uint32_t> users;
  const auto use = [&](std::span<const ExprId> operands) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (i == 1 && operands[0] == operands[1]) continue;
      if (operands[i] == x || operands[i] == y || to.IsConstant(operands[i])) continue;
      if (users[operands[i]]++ == 0) inner.push_back(operands[i]);
    }
  };
  use(call.args);
  for (size_t i = 0; i < inner.size(); ++i) use(to.made().operands(inner[i]));
  for (const ExprId id : inner) {
    if (!to.IsUsedTimes(id, users[id])) return {};
  }
  std::ranges::sort(inner, std::greater());
  return inner;
}

}  // namespace

auto simplify_rules::SimplifyBinomial(Simplifier& to, const CallSite& call) -> ExprId {
  const Type* type = to.TensorType(call.type);
  if (type == nullptr || !IsCandidate(to, call)) return {};
  const DataType dtype = type->dtype;
  const bool whole = dtype == DataType::Int(32) || dtype == DataType::Int(64);
  if (!whole && dtype != DataType::Float(32) && dtype != DataType::Float(64)) return {};
  const BinomialPattern& pattern = Binomial();
  DFPatternMatcher matcher(to.made(), pattern.table);
  // Emitted only for the match.
  if (!matcher.Match(pattern.sum.id(), to.EmitScratch(call))) return {};
  const auto value = [&](DFPattern factor) -> std::optional<double> {
    const ExprId constant = matcher.Get(factor);
    return constant ? to.made().constant(constant).ScalarAsDouble() : 1;
  };
  auto a = value(pattern.a);
  const auto b = value(pattern.b);
  auto c = value(pattern.c);
  if (!a || !b || !c) return {};
  ExprId x = matcher.Get(pattern.x);
  ExprId y = matcher.Get(pattern.y);
  const std::vector<ExprId> inner = FindInner(to, call, x, y);
  if (*c == 1 && *a > 1) {
    std::swap(x, y);
    std::swap(a, c);
  }
  const auto factors = Factorize(*a, *b, *c, whole);
  if (!factors || inner.empty()) return {};
  to.Commit(call, inner);
  const bool is_square = *b * *b - 4 * *a * *c < 1e-4;
  const auto term = [&](double factor) {
    return to.Emit("add"_op, {x, to.Emit("multiply"_op, {y, to.Scalar(dtype, factor)})});
  };
  const ExprId first = term(factors->p);
  const ExprId second = is_square ? first : term(factors->q);
  return to.Emit("multiply"_op, {to.Scalar(dtype, *a), to.Emit("multiply"_op, {first, second})});
}

}  // namespace relayopt
