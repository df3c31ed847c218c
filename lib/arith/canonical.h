// The canonical simplifier: sums of scaled splits.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "lib/arith/rewrite.h"

namespace relayopt::arith {

// ((index mod upper) div lower) * scale, with floor or truncating division.
struct SplitTerm {
  static constexpr int64_t kNoUpper = INT64_MAX;
  PrimExpr index;
  int64_t lower = 1;
  int64_t upper = kNoUpper;  // a multiple of `lower`
  int64_t scale = 1;
  bool floor = false;

  // Whether the way of dividing does not matter.
  auto is_whole() const -> bool { return lower == 1 && upper == kNoUpper; }
  auto compatible(bool with_floor) const -> bool { return floor == with_floor || is_whole(); }
};

// Splits and a literal. Splits of one index are adjacent, by falling `lower`; otherwise they keep the order in which
// they were added, which is visible in the text.
class SumTerm {
 public:
  using Segment = absl::InlinedVector<SplitTerm, 1>;

  void Add(const SplitTerm& split, int64_t scale);
  void Add(const SumTerm& other, int64_t scale);
  void AddLiteral(int64_t value);
  void Multiply(int64_t by);
  // Every scale and the base are multiples.
  void DivideBy(int64_t by);
  auto is_zero() const -> bool { return base == 0 && segments.empty(); }
  auto num_splits() const -> size_t;
  // Whether the literal or a scale is near an end of the type.
  auto IsNearEndOf(DataType type) const -> bool;

  std::vector<Segment> segments;
  int64_t base = 0;

 private:
  static constexpr size_t kFew = 8;
  auto Find(PrimExpr index) const -> size_t;

  // The segment of an index; filled in only when there are more than a few.
  absl::flat_hash_map<PrimExpr, size_t> places_;
};

// The canonical value of a node: a plain term, or a sum or split that its user may extend.
struct CanonicalValue {
  enum class Kind : uint8_t {
    kTaken,  // moved to the only user so far
    kPlain,
    kSplit,
    kSum,
  };
  Kind kind = Kind::kTaken;
  bool keep = false;  // several users: each gets a copy
  PrimExpr user;      // the first one
  DataType dtype;
  PrimExpr plain;
  SplitTerm split;
  std::shared_ptr<SumTerm> sum;
};

// The same machine as the rewrite simplifier with other rules for the arithmetic of index types: their operands are
// not brought back to plain terms, so that a sum is collected, merged, sorted by falling scale and written once.
//
// Example: i*64 + j*8 + k - i*64. i*64 is the split of i with scale 64; adding gives the sum {i: 64, j: 8, k: 1}, and
// the subtraction meets the index i again: scale 0. Written: j*8 + k.
class CanonicalSimplifier final : public RewriteSimplifier {
 public:
  using RewriteSimplifier::RewriteSimplifier;

  void Invalidate() override {
    RewriteSimplifier::Invalidate();
    values_.Invalidate();
  }
  void PushLayer() override {
    RewriteSimplifier::PushLayer();
    values_.Push();
  }
  void PopLayer() override {
    RewriteSimplifier::PopLayer();
    values_.Pop();
  }

 private:
  auto HasResult(const Frame& wanted) -> bool override;
  auto Step(size_t at) -> bool override;

  auto IsForm(PrimExpr e) const -> bool;
  auto NeedForm(PrimExpr e) -> bool;
  auto TakeForm(PrimExpr e, PrimExpr user) -> CanonicalValue;
  auto FinishForm(PrimExpr e) -> CanonicalValue;
  auto StepLT(size_t at) -> bool;

  auto AddOrSub(PrimExpr e) -> CanonicalValue;
  auto Multiply(PrimExpr e) -> CanonicalValue;
  auto HasManyFactors(PrimExpr product) const -> bool;
  auto Divide(PrimExpr e, bool floor) -> CanonicalValue;
  auto DivideByLiteral(const CanonicalValue& a, int64_t c, bool floor) -> CanonicalValue;
  auto Remainder(PrimExpr e, bool floor) -> CanonicalValue;
  auto RemainderByLiteral(CanonicalValue a, int64_t c, bool floor) -> CanonicalValue;
  auto DivideProducts(PrimExpr e, PrimExpr a, PrimExpr b) -> PrimExpr;
  auto PushCast(PrimExpr e) -> CanonicalValue;

  auto SplitDiv(SplitTerm s, DataType type, int64_t c, bool floor) -> CanonicalValue;
  auto SplitMod(SplitTerm s, DataType type, int64_t c, bool floor) -> CanonicalValue;

  auto Plain(PrimExpr e) const -> CanonicalValue;
  static auto Of(const SplitTerm& split, DataType type) -> CanonicalValue;
  static auto Of(SumTerm sum, DataType type) -> CanonicalValue;
  auto ToSplit(const CanonicalValue& v) -> SplitTerm;
  auto ToSum(CanonicalValue v) -> std::shared_ptr<SumTerm>;
  auto ConvertMode(const SplitTerm& s, DataType type, bool floor) -> SplitTerm;
  // Back to plain terms.
  auto Normalize(const CanonicalValue& v) -> PrimExpr;
  auto Normalize(const SplitTerm& s, DataType type, int64_t scale = 1) -> PrimExpr;
  auto Normalize(const SumTerm& s, DataType type) -> PrimExpr;
  auto FitsBits(PrimExpr e, DataType type) -> bool;
  auto CanPushCast(const SplitTerm& s, DataType from, DataType to) -> bool;
  auto CanPushCast(const SumTerm& s, DataType from, DataType to) -> bool;
  // Whether `part` may leave the type although the sum that it replaces as an operand does not.
  auto MayOverflow(const SumTerm& sum, const SumTerm& part, DataType type) -> bool;
  // Returns the terms that `c` divides, and the others.
  static auto Separate(const SumTerm& s, int64_t c) -> std::pair<SumTerm, SumTerm>;

  MemoLayers<CanonicalValue> values_;
};

}  // namespace relayopt::arith
