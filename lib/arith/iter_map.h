// The forms of iteration maps and the rewriter that makes them.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "relayopt/arith/iter_map.h"

namespace relayopt::arith {

// A condition on a sum of iterators: lower <= iter < upper; either bound may be none.
struct IterConstraint {
  PrimExpr iter;
  PrimExpr lower;
  PrimExpr upper;
};

// Takes a conjunction of comparisons apart. Conditions on one iterator narrow its range, conditions on several are
// noted, those on none are ignored. Returns false if it is something else.
auto MatchBoundConstraints(Terms& terms, PrimExpr predicate, std::vector<IterRange>& iters,
                           std::vector<IterConstraint>& constraints) -> bool;

// Turns terms into sums of pieces. Terms that have no such form set `failed`, for good.
class IterMapRewriter {
 public:
  IterMapRewriter(Analyzer& analyzer, std::span<const IterRange> iters, IterMapLevel level);

  auto failed() const -> bool { return failed_; }
  auto requires_padding() const -> bool { return requires_padding_; }
  // Whether a piece was divided by a negative number. Its extent is then meaningless: it is less than 0.
  auto counts_down() const -> bool { return counts_down_; }

  // Returns the sum fused to at most one piece.
  auto Rewrite(PrimExpr index) -> IterSum;
  // The same for the first round, which determines the padding that the second round uses.
  auto RewriteAndUpdatePadding(PrimExpr index) -> IterSum;
  // States a constraint on a sum of iterators. Sums that contain it can afterwards be fused by means of the constraint.
  void AddConstraint(const IterConstraint& constraint);
  // Whether any two constraints are about either the same pieces or disjoint ones.
  auto ConstraintsAreCompatible() const -> bool;
  auto CheckMapping(std::span<const IterSum> sums) -> bool;
  // Returns the sum as a term.
  auto Convert(const IterSum& sum) -> PrimExpr;

 private:
  // An iterator: a term of the program, a sum of pieces of others, or (as a source of its own) one piece.
  struct Mark {
    PrimExpr expr;
    IterSum sum;
    bool is_piece = false;
    PrimExpr extent;
    // Marks of equal content have one.
    uint32_t canonical = 0;
    PrimExpr converted;
  };
  using MarkId = uint32_t;

  // The form of a term: a term without iterators, one piece, or a sum.
  struct Value {
    enum class Kind : uint8_t { kExpr, kPiece, kSum } kind = Kind::kExpr;
    PrimExpr expr;
    IterSum sum;  // of a kPiece: the piece, and no base
    auto has_iter() const -> bool { return kind != Kind::kExpr; }
  };

  // How an iterator is padded.
  struct Padding {
    PrimExpr factor;
    PrimExpr left;
    std::optional<MarkId> padded;
  };

  // A fused sum: its mark, the sum that the mark represents, and what to add to it.
  struct FusedSum {
    MarkId mark;
    PrimExpr offset;
  };
  using Key = std::vector<uint32_t>;

  auto AddMark(Mark mark) -> MarkId;
  auto MarkOf(IterSum sum, PrimExpr extent) -> MarkId;
  auto PieceOf(MarkId mark) const -> IterPiece;
  auto PieceOf(MarkId mark, PrimExpr scale) const -> IterPiece;
  static auto KeyOf(const IterSum& sum) -> Key;
  auto Zero(PrimExpr like) const -> PrimExpr;

  auto Fail() -> Value;
  auto Evaluate(PrimExpr e) -> Value;
  auto Combine(PrimExpr e, std::span<Value> operands) -> Value;
  auto CombineIndices(PrimExpr e, Value a, Value b) -> Value;
  static auto OfPiece(IterPiece piece) -> Value;
  auto ToSum(Value value) const -> IterSum;
  void AddTo(IterSum& sum, const IterSum& other, bool negative);

  auto Divide(PrimExpr e, const Value& a, PrimExpr divisor) -> Value;
  auto FloorDivPiece(IterPiece piece, PrimExpr base, PrimExpr divisor) -> std::optional<Value>;
  auto FloorModPiece(IterPiece piece, PrimExpr base, PrimExpr divisor) -> std::optional<Value>;
  // Pads the iterator of a piece such that the divisor divides its extent. Returns the piece, and what was added on the
  // left.
  auto PadWhole(IterPiece piece, PrimExpr base, PrimExpr divisor) -> std::optional<std::pair<IterPiece, PrimExpr>>;
  auto Pad(IterPiece piece, PrimExpr base, PrimExpr divisor) -> std::optional<std::pair<IterPiece, PrimExpr>>;
  // Makes the padded mark.
  void PadMark(MarkId mark, Padding& padding);
  auto CanDivide(PrimExpr a, PrimExpr b) -> bool;
  auto LeastCommonMultiple(PrimExpr a, PrimExpr b) -> PrimExpr;

  auto Normalize(IterSum sum) -> IterSum;
  auto TryCombine(const IterSum& sum) -> std::optional<IterSum>;
  auto TryFuse(IterSum sum, bool allow_early_skip) -> std::optional<IterSum>;
  auto FindBase(const IterSum& sum, const std::vector<bool>& skip, std::optional<MarkId> source, size_t end) const
      -> std::optional<size_t>;
  auto FindExact(const IterSum& sum, const std::vector<bool>& skip, PrimExpr scale, std::optional<MarkId> source,
                 size_t end, size_t first_unit) -> std::optional<size_t>;
  auto FindClosest(const IterSum& sum, const std::vector<bool>& skip, PrimExpr scale) -> std::optional<size_t>;
  // Returns the longest constraint whose innermost piece is this one.
  auto ConstraintFrom(const IterPiece& piece) const -> const IterSum*;
  auto TakeConstrained(const IterSum& sum, const IterSum& constraint, PrimExpr scale, std::vector<bool>& visited,
                       std::vector<IterPiece>& flattened) -> bool;
  auto PiecesFit(MarkId mark, const std::vector<IterPiece>& pieces) -> bool;
  auto PiecesChain(const std::vector<IterPiece>& pieces, PrimExpr& reached) -> bool;
  auto ConvertPiece(const IterPiece& piece) -> PrimExpr;

  Analyzer& analyzer_;
  Terms& terms_;
  IterMapLevel level_;
  bool failed_ = false;
  bool updating_padding_ = false;
  // Whether a division failed because its mark has no padding.
  bool needs_unknown_padding_ = false;
  bool requires_padding_ = false;
  bool counts_down_ = false;
  std::vector<Mark> marks_;
  absl::flat_hash_map<Key, uint32_t> canonical_;
  absl::flat_hash_map<PrimExpr, Value> vars_;
  std::vector<MarkId> inputs_;
  // Keyed by canonical number, because TVM compares iterators by content.
  absl::flat_hash_map<uint32_t, Padding> paddings_;
  absl::flat_hash_map<uint32_t, MarkId> unpadded_;
  // From the flat form of a sum to its fused form, and from the structured form of the latter to the flat form.
  absl::flat_hash_map<Key, FusedSum> fused_;
  absl::flat_hash_map<Key, IterSum> flattened_;
  std::vector<IterSum> constrained_;
};

// a * b with the literal factors collected on the right.
auto MulAndNormalize(Terms& terms, PrimExpr a, PrimExpr b) -> PrimExpr;

}  // namespace relayopt::arith
