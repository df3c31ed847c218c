// Facts `a OP b + c` and what follows from chains of them.
//
// Known `i < j` and `j <= n - 2`; asked is `i < n`. From i: i <= j - 1. Through j: j <= n - 2 gives i <= n - 3, which
// is below what is asked: less.
#include "lib/arith/transitive.h"

#include <algorithm>

#include "relayopt/arith/fold.h"

namespace relayopt::arith {

using enum PrimKind;

auto Reversed(CompareResult r) -> CompareResult {
  const int less = r & kIsLT;
  const int greater = r & kIsGT;
  return static_cast<CompareResult>((r & kIsEQ) | (less != 0 ? kIsGT : 0) | (greater != 0 ? kIsLT : 0));
}

auto TransitiveComparisons::Fact::Implies(const Fact& other) const -> bool {
  if (left != other.left || right != other.right) return false;
  if (result == other.result && offset == other.offset) return true;
  if (other.result == kIsLE && offset <= other.offset && (result == kIsLE || result == kIsEQ)) return true;
  if (other.result == kIsGE && offset >= other.offset && (result == kIsGE || result == kIsEQ)) return true;
  if (other.result == kIsNE) {
    if (result == kIsEQ && offset != other.offset) return true;
    if (result == kIsLE && offset < other.offset) return true;
    if (result == kIsGE && offset > other.offset) return true;
  }
  return false;
}

auto TransitiveComparisons::Fact::Reversed() const -> Fact { return {right, left, arith::Reversed(result), -offset}; }

auto TransitiveComparisons::SplitOffset(PrimExpr e) const -> Offset {
  const PrimKind kind = terms_.kind(e);
  if (kind == kIntImm && terms_.int_value(e) != INT64_MIN) return {terms_.Int32(0), terms_.int_value(e)};
  if (kind == kAdd || kind == kSub) {
    const auto value = terms_.AsInt(terms_.operand(e, 1));
    if (value && *value != INT64_MIN) return {terms_.operand(e, 0), kind == kAdd ? *value : -*value};
  }
  return {e, 0};
}

void TransitiveComparisons::AddFact(const Fact& fact) {
  const auto index = static_cast<uint32_t>(facts_.size());
  facts_.push_back(fact);
  facts_of_[fact.left].push_back(index);
  if (fact.right != fact.left) facts_of_[fact.right].push_back(index);
  const Fact ordered = Ordered(fact);
  facts_of_pairs_[{ordered.left, ordered.right}].Add(index, ordered);
}

void TransitiveComparisons::RemoveLastFact() {
  const Fact fact = facts_.back();
  UnlistPair(static_cast<uint32_t>(facts_.size() - 1));
  facts_.pop_back();
  for (const PrimExpr key : {fact.left, fact.right}) {
    const auto of = facts_of_.find(key);
    if (of == facts_of_.end() || of->second.empty() || of->second.back() != facts_.size()) continue;
    of->second.pop_back();
    if (of->second.empty()) facts_of_.erase(of);
  }
}

void TransitiveComparisons::Unlist(PrimExpr term, uint32_t index) {
  const auto of = facts_of_.find(term);
  if (of == facts_of_.end()) return;
  // Mostly the newest facts are dropped first, so the search begins at the end.
  const auto place = std::find(of->second.rbegin(), of->second.rend(), index);
  if (place != of->second.rend()) of->second.erase(std::next(place).base());
  if (of->second.empty()) facts_of_.erase(of);
}

void TransitiveComparisons::UnlistPair(uint32_t index) {
  const Fact fact = Ordered(facts_[index]);
  const auto of = facts_of_pairs_.find(Pair(fact.left, fact.right));
  if (of == facts_of_pairs_.end()) return;
  of->second.Remove(index, facts_);
  if (of->second.empty()) facts_of_pairs_.erase(of);
}

void TransitiveComparisons::Forget(PrimExpr var) {
  const auto of = facts_of_.find(var);
  if (of == facts_of_.end()) return;
  const size_t scope = scopes_.empty() ? 0 : scopes_.back();
  const std::vector<uint32_t> indices = of->second;
  for (const uint32_t index : indices) {
    Fact& fact = facts_[index];
    if (fact.left != var) continue;
    UnlistPair(index);
    Unlist(fact.left, index);
    if (fact.right != fact.left) Unlist(fact.right, index);
    fact = {};
  }
  while (facts_.size() > scope && !facts_.back().left) facts_.pop_back();
}

void TransitiveComparisons::AddComparison(PrimExpr comparison) {
  const PrimKind kind = terms_.kind(comparison);
  if (!IsComparison(kind)) return;
  const PrimExpr a = terms_.operand(comparison, 0);
  const PrimExpr b = terms_.operand(comparison, 1);
  if (terms_.kind(a) == kIntImm && terms_.kind(b) == kIntImm) return;
  const Offset left = SplitOffset(a);
  const Offset right = SplitOffset(b);
  Fact fact{left.term, right.term, kIsEQ, 0};
  if (__builtin_sub_overflow(right.offset, left.offset, &fact.offset)) return;
  int64_t strict = 0;
  switch (kind) {
    case kEQ: fact.result = kIsEQ; break;
    case kNE: fact.result = kIsNE; break;
    case kLE: fact.result = kIsLE; break;
    case kGE: fact.result = kIsGE; break;
    case kLT: fact.result = kIsLE, strict = -1; break;
    default: fact.result = kIsGE, strict = 1; break;
  }
  const bool overflow = __builtin_add_overflow(fact.offset, strict, &fact.offset);
  // Its negation is the offset seen from the other side.
  if (!overflow && fact.offset != INT64_MIN) AddFact(fact);
}

void TransitiveComparisons::Bind(PrimExpr var, const Range& range) {
  if (!IsInteger(terms_.dtype(var))) return;
  // Facts from an earlier binding of the variable are dropped. Variables are bound outside of scopes, or occur only
  // inside of them.
  if (facts_of_.contains(var) && scopes_.empty()) {
    std::vector<Fact> kept;
    std::copy_if(facts_.begin(), facts_.end(), std::back_inserter(kept),
                 [var](const Fact& f) { return f.left && f.left != var; });
    facts_.clear();
    facts_of_.clear();
    facts_of_pairs_.clear();
    for (const Fact& fact : kept) AddFact(fact);
  }
  if (terms_.IsInt(range.extent, 1)) {
    AddComparison(terms_.Binary(kEQ, var, CastTo(terms_, terms_.dtype(var), range.min)));
    return;
  }
  AddComparison(Ge(terms_, var, range.min));
  AddComparison(Lt(terms_, var, Add(terms_, range.min, range.extent)));
}

void TransitiveComparisons::EnterConstraint(PrimExpr condition) {
  scopes_.push_back(facts_.size());
  if (terms_.effect(condition) > CallEffect::kPure) return;
  for (const PrimExpr part : ExtractConstraints(terms_, condition)) AddComparison(part);
}

void TransitiveComparisons::LeaveConstraint() {
  while (facts_.size() > scopes_.back()) RemoveLastFact();
  scopes_.pop_back();
}

void TransitiveComparisons::PairFacts::Add(uint32_t index, const Fact& fact) {
  Entry entry = {index, ConstBound::kPosInf, ConstBound::kNegInf};
  if (!entries_.empty()) entry = {index, entries_.back().max, entries_.back().min};
  switch (fact.result) {
    case kIsEQ: equal_.push_back(fact.offset); break;
    case kIsLE: entry.max = std::min(entry.max, fact.offset); break;
    case kIsGE: entry.min = std::max(entry.min, fact.offset); break;
    default: ++unequal_[fact.offset];
  }
  entries_.push_back(entry);
}

void TransitiveComparisons::PairFacts::Remove(uint32_t index, const std::vector<Fact>& facts) {
  size_t at = entries_.size();
  while (at > 0 && entries_[at - 1].index != index) --at;
  if (at == 0) return;
  std::vector<uint32_t> later;
  for (size_t i = at; i < entries_.size(); ++i) later.push_back(entries_[i].index);
  while (entries_.size() >= at) {
    const Fact fact = Ordered(facts[entries_.back().index]);
    if (fact.result == kIsEQ) equal_.pop_back();
    if (fact.result == kIsNE) {
      const auto count = unequal_.find(fact.offset);
      if (--count->second == 0) unequal_.erase(count);
    }
    entries_.pop_back();
  }
  for (const uint32_t i : later) Add(i, Ordered(facts[i]));
}

auto TransitiveComparisons::PairFacts::Compare(int64_t offset) const -> CompareResult {
  int result = kUnknownOrder;
  const auto [index, max, min] = entries_.back();
  if (max < offset) result &= kIsLT;
  if (max == offset && max != ConstBound::kPosInf) result &= kIsLE;
  if (min > offset) result &= kIsGT;
  if (min == offset && min != ConstBound::kNegInf) result &= kIsGE;
  for (const int64_t equal : equal_) result &= equal == offset ? kIsEQ : kIsNE;
  if (unequal_.contains(offset)) result &= kIsNE;
  return static_cast<CompareResult>(result);
}

auto TransitiveComparisons::Direct(PrimExpr left, PrimExpr right, int64_t offset) const -> CompareResult {
  const bool reverse = right.value() < left.value();
  if (reverse) std::swap(left, right), offset = -offset;
  const auto of = facts_of_pairs_.find(Pair(left, right));
  if (of == facts_of_pairs_.end()) return kUnknownOrder;
  const CompareResult result = of->second.Compare(offset);
  return reverse ? arith::Reversed(result) : result;
}

auto TransitiveComparisons::Propagate(PrimExpr left, PrimExpr right) const -> std::vector<Fact> {
  // compared[k]: the facts about `left OP k`, none of which implies another.
  absl::flat_hash_map<PrimExpr, std::vector<Fact>> compared;
  std::vector<PrimExpr> to_visit;
  absl::flat_hash_map<PrimExpr, bool> visited;  // whether it waits
  const auto declare = [&](const Fact& fact) {
    const auto [slot, is_new] = visited.try_emplace(fact.right, false);
    if (!is_new) return;
    if (fact.right == right) return;
    slot->second = true;
    to_visit.push_back(fact.right);
  };
  const auto add = [&](const Fact& fact) {
    std::vector<Fact>& known = compared[fact.right];
    for (Fact& prev : known) {
      if (prev.Implies(fact)) return;
      if (fact.Implies(prev)) {
        prev = fact;
        return;
      }
    }
    known.push_back(fact);
    declare(fact);
  };
  const auto oriented = [&](PrimExpr key) {
    std::vector<Fact> out;
    const auto of = facts_of_.find(key);
    if (of == facts_of_.end()) return out;
    for (const uint32_t index : of->second) {
      const Fact& fact = facts_[index];
      if (fact.left == key) out.push_back(fact);
      if (fact.right == key && fact.left != key) out.push_back(fact.Reversed());
    }
    return out;
  };
  visited[left] = false;
  for (const Fact& fact : oriented(left)) add(fact);
  while (!to_visit.empty()) {
    const PrimExpr middle = to_visit.back();
    to_visit.pop_back();
    const std::vector<Fact> prefix = compared[middle];
    for (const Fact& step : oriented(middle)) {
      if (step.right == left) continue;
      for (const Fact& first : prefix) {
        Fact next{left, step.right, kUnknownOrder, 0};
        if (__builtin_add_overflow(first.offset, step.offset, &next.offset)) continue;
        if (first.result == kIsEQ) {
          next.result = step.result;
        } else if (step.result == kIsEQ || (step.result == first.result && step.result != kIsNE)) {
          next.result = first.result;
        } else {
          continue;
        }
        add(next);
      }
    }
  }
  const auto found = compared.find(right);
  return found == compared.end() ? std::vector<Fact>() : found->second;
}

auto TransitiveComparisons::Merge(const std::vector<Fact>& facts, int64_t offset) -> CompareResult {
  int result = kUnknownOrder;
  for (const Fact& fact : facts) {
    switch (fact.result) {
      case kIsEQ: result &= offset == fact.offset ? kIsEQ : kIsNE; break;
      case kIsLE:
        if (fact.offset < offset) result &= kIsLT;
        if (fact.offset == offset) result &= kIsLE;
        break;
      case kIsGE:
        if (fact.offset > offset) result &= kIsGT;
        if (fact.offset == offset) result &= kIsGE;
        break;
      case kIsNE:
        if (fact.offset == offset) result &= kIsNE;
        break;
      default: break;
    }
  }
  return static_cast<CompareResult>(result);
}

auto TransitiveComparisons::TryCompare(PrimExpr a, PrimExpr b, bool propagate) const -> CompareResult {
  if (!terms_.dtype(a).is_int() || !terms_.dtype(b).is_int()) return kUnknownOrder;
  const auto ia = terms_.AsInt(a);
  const auto ib = terms_.AsInt(b);
  if (ia && ib) return *ia == *ib ? kIsEQ : *ia < *ib ? kIsLT : kIsGT;
  if (facts_.empty()) return kUnknownOrder;
  const Offset left = SplitOffset(a);
  const Offset right = SplitOffset(b);
  // `left` is compared with `right + offset`.
  int64_t offset = 0;
  if (__builtin_sub_overflow(right.offset, left.offset, &offset) || offset == INT64_MIN) return kUnknownOrder;
  if (!facts_of_.contains(left.term) || !facts_of_.contains(right.term)) return kUnknownOrder;
  if (!propagate) return Direct(left.term, right.term, offset);
  const int forward = Merge(Propagate(left.term, right.term), offset);
  const int backward = Reversed(Merge(Propagate(right.term, left.term), -offset));
  return static_cast<CompareResult>(forward & backward);
}

}  // namespace relayopt::arith
