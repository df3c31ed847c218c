#include "relayopt/relay/analysis/extent_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace relayopt {

namespace {

// A sum or product with more terms is a new unknown, so that no chain of sums gets long.
constexpr size_t kMaxTerms = 8;
constexpr size_t kMaxFactors = 8;

}  // namespace

auto ExtentTable::Intern(Terms terms) -> ExtentId {
  const auto [known, is_new] = ids_.try_emplace(terms, ExtentId(static_cast<uint32_t>(extents_.size())));
  if (is_new) extents_.push_back(std::move(terms));
  return known->second;
}

auto ExtentTable::Number(int64_t value) -> ExtentId { return value == 0 ? Intern({}) : Intern({Term{{}, value}}); }

auto ExtentTable::NewFactor(bool may_be_negative) -> ExtentId {
  const auto factor = static_cast<uint32_t>(may_be_negative_.size());
  may_be_negative_.push_back(may_be_negative);
  is_result_.push_back(false);
  return Intern({Term{{factor}, 1}});
}

auto ExtentTable::Unknown() -> ExtentId { return NewFactor(false); }

auto ExtentTable::Named(std::string_view name) -> ExtentId {
  const auto [known, is_new] = named_.try_emplace(std::string(name));
  if (is_new) known->second = Unknown();
  return known->second;
}

auto ExtentTable::ResultOf(std::string_view key, std::span<const ExtentId> operands, bool may_be_negative) -> ExtentId {
  const auto [known, is_new] =
      results_.try_emplace({std::string(key), std::vector<ExtentId>(operands.begin(), operands.end())});
  if (is_new) {
    known->second = NewFactor(may_be_negative);
    is_result_.back() = true;
  }
  return known->second;
}

auto ExtentTable::Sum(ExtentId a, ExtentId b) -> ExtentId {
  const Terms& x = extents_[a.value()];
  const Terms& y = extents_[b.value()];
  Terms sum;
  bool overflows = false;
  size_t i = 0;
  size_t j = 0;
  while (i < x.size() || j < y.size()) {
    if (j == y.size() || (i < x.size() && x[i].factors < y[j].factors)) {
      sum.push_back(x[i++]);
    } else if (i == x.size() || y[j].factors < x[i].factors) {
      sum.push_back(y[j++]);
    } else {
      Term term = x[i];
      overflows |= __builtin_add_overflow(x[i].coefficient, y[j].coefficient, &term.coefficient);
      if (term.coefficient != 0) sum.push_back(std::move(term));
      ++i;
      ++j;
    }
  }
  const bool is_kept = !overflows && sum.size() <= kMaxTerms;
  return is_kept ? Intern(std::move(sum)) : ResultOf("sum", std::array{a, b}, true);
}

auto ExtentTable::Product(ExtentId a, ExtentId b) -> ExtentId {
  // Copies, because interning may move the table.
  const Terms x = extents_[a.value()];
  const Terms y = extents_[b.value()];
  if (x.size() * y.size() > kMaxTerms) return ResultOf("product", std::array{a, b}, true);
  ExtentId result = Number(0);
  for (const Term& s : x) {
    for (const Term& t : y) {
      Term term;
      std::ranges::merge(s.factors, t.factors, std::back_inserter(term.factors));
      const bool overflows = __builtin_mul_overflow(s.coefficient, t.coefficient, &term.coefficient);
      if (overflows || term.factors.size() > kMaxFactors) return ResultOf("product", std::array{a, b}, true);
      result = Sum(result, Intern({std::move(term)}));
    }
  }
  return result;
}

auto ExtentTable::Without(ExtentId a, ExtentId b) -> std::optional<ExtentId> {
  if (a == b) return Number(1);
  const Terms dividend = extents_[a.value()];
  if (extents_[b.value()].size() != 1) return std::nullopt;
  const Term by = extents_[b.value()][0];
  ExtentId result = Number(0);
  for (const Term& term : dividend) {
    // The least integer has no negation.
    if (by.coefficient == -1 && term.coefficient == INT64_MIN) return std::nullopt;
    Term part;
    std::ranges::set_difference(term.factors, by.factors, std::back_inserter(part.factors));
    const bool divides =
        part.factors.size() + by.factors.size() == term.factors.size() && term.coefficient % by.coefficient == 0;
    if (!divides) return std::nullopt;
    part.coefficient = term.coefficient / by.coefficient;
    result = Sum(result, Intern({std::move(part)}));
  }
  return result;
}

auto ExtentTable::Quotient(ExtentId a, ExtentId b) -> ExtentId {
  if (const auto exact = Without(a, b)) return *exact;
  const bool may_be_negative = !IsNeverNegative(a) || !IsNeverNegative(b);
  return ResultOf("quotient", std::array{a, b}, may_be_negative);
}

auto ExtentTable::Extreme(bool is_maximum, ExtentId a, ExtentId b) -> ExtentId {
  if (IsNeverNegative(Difference(a, b))) return is_maximum ? a : b;
  if (IsNeverNegative(Difference(b, a))) return is_maximum ? b : a;
  std::array operands = {a, b};
  if (b.value() < a.value()) std::swap(operands[0], operands[1]);
  const bool may_be_negative = !IsNeverNegative(a) || !IsNeverNegative(b);
  return ResultOf(is_maximum ? "maximum" : "minimum", operands, may_be_negative);
}

auto ExtentTable::Minimum(ExtentId a, ExtentId b) -> ExtentId {
  const ExtentId least = Extreme(false, a, b);
  minima_.emplace(least, std::pair(a, b));
  return least;
}

auto ExtentTable::Maximum(ExtentId a, ExtentId b) -> ExtentId {
  if (b == Number(1)) std::swap(a, b);
  // As in a broadcast, max(1, b) is b, which is not known.
  if (a == Number(1) && !NumberOf(b) && IsNeverNegative(b) && !IsResult(b)) return b;
  return Extreme(true, a, b);
}

auto ExtentTable::Broadcast(ExtentId a, ExtentId b) -> ExtentId {
  if (a == b || b == Number(1)) return a;
  if (a == Number(1)) return b;
  // An extent of at most n unified with n is n: a shorter one would not match.
  for (const auto& [cut, n] : {std::pair(a, b), std::pair(b, a)}) {
    const auto found = minima_.find(cut);
    if (found != minima_.end() && (found->second.first == n || found->second.second == n)) return n;
  }
  // An extent broadcast against a number other than 1 is 1 or that number.
  if (NumberOf(a)) return a;
  if (NumberOf(b)) return b;
  std::array operands = {a, b};
  if (b.value() < a.value()) std::swap(operands[0], operands[1]);
  return ResultOf("broadcast", operands);
}

auto ExtentTable::NumberOf(ExtentId id) const -> std::optional<int64_t> {
  const Terms& terms = extents_[id.value()];
  if (terms.empty()) return 0;
  return terms.size() == 1 && terms[0].factors.empty() ? std::optional(terms[0].coefficient) : std::nullopt;
}

auto ExtentTable::IsNeverNegative(ExtentId id) const -> bool {
  return std::ranges::all_of(extents_[id.value()], [&](const Term& term) {
    return term.coefficient > 0 &&
           std::ranges::none_of(term.factors, [&](uint32_t factor) { return may_be_negative_[factor]; });
  });
}

auto ExtentTable::IsResult(ExtentId id) const -> bool {
  return std::ranges::any_of(extents_[id.value()], [&](const Term& term) {
    return std::ranges::any_of(term.factors, [&](uint32_t factor) { return bool{is_result_[factor]}; });
  });
}

}  // namespace relayopt
