// Comparisons that follow from others by transitivity.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/analyzer.h"

namespace relayopt::arith {

// The known order of two values, as a set of `<`, `=`, `>`.
enum CompareResult : uint8_t {
  kInconsistent = 0,
  kIsEQ = 1,
  kIsLT = 2,
  kIsLE = 3,
  kIsGT = 4,
  kIsGE = 5,
  kIsNE = 6,
  kUnknownOrder = 7,
};
// `a OP b` seen from b.
auto Reversed(CompareResult r) -> CompareResult;

class TransitiveComparisons {
 public:
  explicit TransitiveComparisons(Terms& terms) : terms_(terms) {}

  void Bind(PrimExpr var, const Range& range);
  // Drops the facts about the variable that were stated outside of the open scopes.
  void Forget(PrimExpr var);
  void EnterConstraint(PrimExpr condition);
  void LeaveConstraint();
  // With `propagate` facts are combined, else only those about the two themselves count.
  auto TryCompare(PrimExpr a, PrimExpr b, bool propagate) const -> CompareResult;

 private:
  // left OP right + offset, OP one of EQ, LE, GE, NE.
  struct Fact {
    PrimExpr left, right;
    CompareResult result;
    int64_t offset;

    auto Implies(const Fact& other) const -> bool;
    auto Reversed() const -> Fact;
  };
  // A term and the literal that was added to it.
  struct Offset {
    PrimExpr term;
    int64_t offset;
  };

  auto SplitOffset(PrimExpr e) const -> Offset;
  void AddComparison(PrimExpr comparison);
  void AddFact(const Fact& fact);
  void RemoveLastFact();
  void Unlist(PrimExpr term, uint32_t index);
  // Facts about one pair of terms, with the one of the smaller id on the left, so that a query costs the same however
  // many there are: of the upper and lower limits only the tightest decides, unequal offsets are looked up.
  class PairFacts {
   public:
    void Add(uint32_t index, const Fact& fact);
    void Remove(uint32_t index, const std::vector<Fact>& facts);
    auto empty() const -> bool { return entries_.empty(); }
    // Returns the order of the left term and the right one plus `offset`.
    auto Compare(int64_t offset) const -> CompareResult;

   private:
    struct Entry {
      uint32_t index;
      // The tightest limits up to this entry.
      int64_t max;
      int64_t min;
    };
    std::vector<Entry> entries_;
    std::vector<int64_t> equal_;
    absl::flat_hash_map<int64_t, uint32_t> unequal_;
  };
  using Pair = std::pair<PrimExpr, PrimExpr>;
  static auto Ordered(const Fact& fact) -> Fact {
    return fact.right.value() < fact.left.value() ? fact.Reversed() : fact;
  }
  void UnlistPair(uint32_t index);
  auto Direct(PrimExpr left, PrimExpr right, int64_t offset) const -> CompareResult;
  auto Propagate(PrimExpr left, PrimExpr right) const -> std::vector<Fact>;
  static auto Merge(const std::vector<Fact>& facts, int64_t offset) -> CompareResult;

  Terms& terms_;
  // Bindings and the constraints of open scopes, in order of entry; without a left side: forgotten.
  std::vector<Fact> facts_;
  absl::flat_hash_map<PrimExpr, std::vector<uint32_t>> facts_of_;
  absl::flat_hash_map<Pair, PairFacts> facts_of_pairs_;
  std::vector<size_t> scopes_;
};

}  // namespace relayopt::arith
