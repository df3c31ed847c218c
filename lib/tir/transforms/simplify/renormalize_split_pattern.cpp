// RenormalizeSplitPattern: quotients of split loops with the constants where later simplification expects them.
//
// What simplification has made of i // 4 and i % 4 is put back into a form in which the parts are seen:
//
//   (x % 16) // 4            ->   (x // 4) % 4
//   (x*8 + y) // 16          ->   (x + y // 8) // 2
//   x < 16                   ->   x // 16 < 1
//
// It is meant to be followed by Simplify.
#include <numeric>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/analyzed_rewriter.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

using enum PrimKind;

class SplitRenormalizer : public AnalyzedRewriter {
 public:
  explicit SplitRenormalizer(const PrimFunc& func) : AnalyzedRewriter(func) { MarkBufferMapShapes(); }

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    place_ = stmt;
    return AnalyzedRewriter::Enter(stmt);
  }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    place_ = stmt;
    return AnalyzedRewriter::Leave(stmt, parts);
  }

  auto RewriteNode(PrimExpr old, PrimExpr made) -> PrimExpr override {
    const auto operand = [&](size_t i) { return terms().operand(made, i); };
    switch (terms().kind(made)) {
      case kFloorDiv: return Quotient(arith::FloorDiv(terms(), operand(0), operand(1)));
      case kLT: return Less(made);
      case kLE: return Negation(Less(arith::Lt(terms(), operand(1), operand(0))));
      case kGT: return Less(arith::Lt(terms(), operand(1), operand(0)));
      case kGE: return Negation(Less(arith::Lt(terms(), operand(0), operand(1))));
      case kNot: return Negation(operand(0));
      default: return AnalyzedRewriter::RewriteNode(old, made);
    }
  }

 private:
  // As TVM: what a rule has made is rewritten again, five deep at most.
  auto Again(PrimExpr e) -> PrimExpr {
    if (depth_ == 5) return e;
    ++depth_;
    const PrimExpr made = RewriteExpr(*place_, e);
    --depth_;
    return made;
  }

  // Returns a literal, or a vector of one.
  auto LiteralOf(PrimExpr e) const -> std::optional<int64_t> {
    return terms().AsInt(terms().kind(e) == kBroadcast ? terms().operand(e, 0) : e);
  }

  auto Const(PrimExpr like, int64_t value) const -> PrimExpr {
    return arith::MakeConst(terms(), terms().dtype(like), value);
  }

  auto Quotient(PrimExpr e) -> PrimExpr {
    if (terms().kind(e) != kFloorDiv) return e;
    const PrimExpr a = terms().operand(e, 0);
    const PrimExpr b = terms().operand(e, 1);
    const auto divisor = LiteralOf(b);
    if (!divisor || *divisor <= 0 || !arith::IsInteger(terms().dtype(e))) return e;
    const auto part = [&](PrimExpr x, size_t i) { return terms().operand(x, i); };
    if (terms().kind(a) == kFloorMod) {
      const auto modulus = LiteralOf(part(a, 1));
      if (!modulus || *modulus <= 0 || *modulus % *divisor != 0) return e;
      const PrimExpr inner = arith::FloorDiv(terms(), part(a, 0), b);
      return Again(arith::FloorMod(terms(), inner, Const(b, *modulus / *divisor)));
    }
    if (terms().kind(a) != kAdd) return e;
    // x*c + y, and (x*c + y) + z with y + z as one.
    PrimExpr product = part(a, 0);
    PrimExpr rest = part(a, 1);
    if (terms().kind(product) == kAdd && terms().kind(part(product, 0)) == kMul) {
      rest = arith::Add(terms(), part(product, 1), rest);
      product = part(product, 0);
    }
    if (terms().kind(product) != kMul) return e;
    const auto factor = LiteralOf(part(product, 1));
    if (!factor || *factor <= 0) return e;
    const int64_t common = std::gcd(*factor, *divisor);
    if (common == 1) return e;
    const PrimExpr scaled = arith::Mul(terms(), part(product, 0), Const(b, *factor / common));
    const PrimExpr sum = arith::Add(terms(), scaled, arith::FloorDiv(terms(), rest, Const(b, common)));
    return Again(arith::FloorDiv(terms(), sum, Const(b, *divisor / common)));
  }

  auto Less(PrimExpr e) -> PrimExpr {
    if (terms().kind(e) != kLT) return e;
    const PrimExpr bound = terms().operand(e, 1);
    const auto literal = terms().AsInt(bound);
    if (!literal || *literal <= 0 || !arith::IsInteger(terms().dtype(bound))) return e;
    const PrimExpr made = arith::Lt(terms(), arith::FloorDiv(terms(), terms().operand(e, 0), bound), Const(bound, 1));
    return made == e ? e : Again(made);
  }

  auto Negation(PrimExpr e) -> PrimExpr {
    switch (terms().kind(e)) {
      case kNot: return terms().operand(e, 0);
      case kLE: return Again(arith::Lt(terms(), terms().operand(e, 1), terms().operand(e, 0)));
      // A plain comparison would be rewritten to this negation again.
      case kLT: return arith::Le(terms(), terms().operand(e, 1), terms().operand(e, 0));
      case kGE: return Again(arith::Lt(terms(), terms().operand(e, 0), terms().operand(e, 1)));
      case kGT: return Again(arith::Le(terms(), terms().operand(e, 0), terms().operand(e, 1)));
      default: return arith::Not(terms(), e);
    }
  }

  std::optional<Stmt> place_;
  int depth_ = 0;
};

}  // namespace

constinit const PassDef kRenormalizeSplitPatternPass = DescribePass<RewriterPass<SplitRenormalizer>>({
    .name = "tir.RenormalizeSplitPattern",
    .summary = "Rewrite quotients of split loops into a form that simplifies",
    .details = R"(  (x % 16) // 4       ->   x // 4 % 4
  (x*8 + y) // 16     ->   (x + y // 8) // 2
  x < 16              ->   x // 16 < 1

Meant to be followed by tir.Simplify.)",
    .aliases = "tir.transform.RenormalizeSplitPattern",
});

}  // namespace relayopt::tir
