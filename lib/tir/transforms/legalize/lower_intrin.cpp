// LowerIntrin: expands intrinsics that the target has no instruction for.
//
// Calls of intrinsics become calls of the target's functions (intrin_rules.cpp); sums of a product become fused
// multiply-adds where the target has them; floor division and remainder become truncating ones, corrected unless the
// operands are known not to be negative:
//
//   A[i // 8] = T.exp(x[i])    ->    A[T.shift_right(i, 3)] = T.call_llvm_pure_intrin("float32", "llvm.exp", 1, x[i])
//
// What is known comes from an analyzer that walks along: ranges of loops, conditions of branches, and, inside of
// expressions, conditions of Select and if_then_else and values of Let. So expressions are walked from the outside: a
// term is replaced before its parts are visited, and the results of parts are cached as long as the known facts stay
// the same.
#include <bit>

#include "lib/tir/transforms/passes.h"
#include "lib/tir/transforms/utils/bound_iterators.h"
#include "lib/tir/transforms/utils/decided_branches.h"
#include "lib/tir/transforms/utils/intrin_rules.h"
#include "lib/tir/transforms/utils/targets.h"
#include "relayopt/arith/analyzer.h"
#include "relayopt/arith/fold.h"

namespace relayopt::tir {

namespace {

constexpr DiagnosticKind kNoTargetToLowerFor{"lower-intrin-target", Severity::kError,
                                             "LowerIntrin: the function has no attribute target"};

// Floor division and remainder by truncating ones.
class DivisionLowering {
 public:
  DivisionLowering(Terms& terms, arith::Analyzer& analyzer) : terms_(terms), analyzer_(analyzer) {}

  // `e` is a division or remainder of integers; `original` what it was before its operands were lowered.
  auto operator()(PrimExpr e, PrimExpr original) -> PrimExpr {
    const PrimExpr a = terms_.operand(e, 0);
    const PrimExpr b = terms_.operand(e, 1);
    const bool division = terms_.kind(e) == PrimKind::kFloorDiv;
    const auto literal = terms_.AsInt(b);
    if (literal && *literal > 0 && std::has_single_bit(static_cast<uint64_t>(*literal))) {
      const int shift = std::countr_zero(static_cast<uint64_t>(*literal));
      if (division) return arith::ShiftRight(terms_, a, Const(terms_.dtype(e), shift));
      return arith::BitwiseAnd(terms_, a, Const(terms_.dtype(e), *literal - 1));
    }
    // Both forms evaluate the operands several times.
    if (terms_.effect(a) > arith::CallEffect::kReadState || terms_.effect(b) > arith::CallEffect::kReadState) {
      const PrimExpr x = NewVar("dividend", terms_.dtype(e));
      const PrimExpr y = NewVar("divisor", terms_.dtype(e));
      const PrimExpr lowered = Lower(division, x, y, e);
      return terms_.Let(x, a, terms_.Let(y, b, lowered));
    }
    return Lower(division, a, b, original);
  }

  // The number of variables created so far.
  auto lets() const -> uint64_t { return lets_; }

 private:
  auto NewVar(std::string_view name, DataType type) -> PrimExpr {
    ++lets_;
    return terms_.Var(name, type);
  }
  auto Const(DataType type, int64_t value) -> PrimExpr { return arith::MakeConst(terms_, type, value); }

  auto Lower(bool division, PrimExpr a, PrimExpr b, PrimExpr original) -> PrimExpr {
    if (!analyzer_.CanProveGreaterEqual(b, 0)) return AnySign(division, a, b);
    if (analyzer_.CanProveGreaterEqual(a, 0)) return Truncated(division, a, b);
    if (division && analyzer_.CanProveGreaterEqual(original, 0)) return Truncated(division, a, b);
    const arith::ConstBound bound = analyzer_.Bound(a);
    if (bound.min < 0 && CanShift(a, b, bound)) return Shifted(division, a, b, bound.min);
    return PositiveDivisor(division, a, b);
  }

  // Whether a dividend that is not below bound.min can be made positive without leaving its type. As TVM: bounds that
  // come only from a type of 32 bits or more are assumed to be far away. A literal divisor is what it is.
  auto CanShift(PrimExpr a, PrimExpr b, const arith::ConstBound& bound) -> bool {
    const int64_t greatest = MaxOf(terms_.dtype(a));
    if (bound.min <= -greatest) return false;
    const int64_t divisor = analyzer_.Bound(b).max;
    const PrimExpr scalar = terms_.kind(b) == PrimKind::kBroadcast ? terms_.operand(b, 0) : b;
    const int64_t room = greatest / 2;
    const bool is_far = terms_.AsInt(scalar) ? bound.max == greatest && divisor < room + bound.min
                                             : bound.max == greatest || divisor == greatest;
    if (is_far && bound.min > -room && !arith::WrapsAround(terms_.dtype(a))) return true;
    int64_t shifted = 0;
    return !__builtin_sub_overflow(bound.max, bound.min, &shifted) &&
           !__builtin_add_overflow(shifted, divisor, &shifted) && shifted <= greatest;
  }

  auto Truncated(bool division, PrimExpr a, PrimExpr b) -> PrimExpr {
    return division ? arith::TruncDiv(terms_, a, b) : arith::TruncMod(terms_, a, b);
  }

  static auto MaxOf(DataType type) -> int64_t {
    return type.bits >= 64 ? INT64_MAX : (int64_t{1} << (type.bits - (type.is_int() ? 1 : 0))) - 1;
  }

  // A dividend with a lower bound is made positive by a multiple of the divisor.
  auto Shifted(bool division, PrimExpr a, PrimExpr b, int64_t lower) -> PrimExpr {
    const DataType type = terms_.dtype(a);
    const PrimExpr one = Const(type, 1);
    PrimExpr multiple;
    if (division) {
      const PrimExpr bound = terms_.IntImm(arith::ElementOf(type), lower);
      multiple = arith::TruncDiv(terms_, arith::Sub(terms_, arith::Sub(terms_, b, one), bound), b);
    } else {
      const PrimExpr bound = terms_.IntImm(arith::ElementOf(type), -lower);
      multiple = arith::TruncDiv(terms_, arith::Add(terms_, bound, arith::Sub(terms_, b, one)), b);
    }
    const PrimExpr shifted = analyzer_.Simplify(arith::Add(terms_, a, arith::Mul(terms_, b, multiple)));
    if (!division) return arith::TruncMod(terms_, shifted, b);
    return arith::Sub(terms_, arith::TruncDiv(terms_, shifted, b), multiple);
  }

  auto PositiveDivisor(bool division, PrimExpr a, PrimExpr b) -> PrimExpr {
    const DataType type = terms_.dtype(a);
    const PrimExpr quotient = arith::TruncDiv(terms_, a, b);
    const PrimExpr rest = arith::TruncMod(terms_, a, b);
    if (type == DataType::Int(32) || type == DataType::Int(64)) {
      // All bits are set if the remainder is negative, else none.
      const PrimExpr sign = arith::ShiftRight(terms_, rest, Const(type, type.bits - 1));
      if (division) return arith::Add(terms_, quotient, sign);
      return arith::Add(terms_, rest, arith::BitwiseAnd(terms_, b, sign));
    }
    const PrimExpr positive = arith::Ge(terms_, rest, Const(type, 0));
    if (division) return terms_.Select(positive, quotient, arith::Sub(terms_, quotient, Const(type, 1)));
    return terms_.Select(positive, rest, arith::Add(terms_, rest, b));
  }

  auto AnySign(bool division, PrimExpr a, PrimExpr b) -> PrimExpr {
    const DataType type = terms_.dtype(a);
    const PrimExpr zero = Const(type, 0);
    const PrimExpr rest = NewVar("rmod", type);
    const auto both = [&](PrimExpr x, PrimExpr y) { return arith::And(terms_, x, y); };
    const PrimExpr agrees = arith::Or(terms_, both(arith::Ge(terms_, b, zero), arith::Ge(terms_, rest, zero)),
                                      both(arith::Lt(terms_, b, zero), arith::Le(terms_, rest, zero)));
    PrimExpr body;
    if (division) {
      const PrimExpr quotient = NewVar("rdiv", type);
      const PrimExpr value = terms_.Select(agrees, quotient, arith::Sub(terms_, quotient, Const(type, 1)));
      body = terms_.Let(quotient, arith::TruncDiv(terms_, a, b), value);
    } else {
      body = terms_.Select(agrees, rest, arith::Add(terms_, rest, b));
    }
    return terms_.Let(rest, arith::TruncMod(terms_, a, b), body);
  }

  Terms& terms_;
  arith::Analyzer& analyzer_;
  uint64_t lets_ = 0;
};

class IntrinLowering : public BranchDecider {
 public:
  IntrinLowering(const PrimFunc& func, const TargetView& target)
      : BranchDecider(func),
        analyzer_(terms()),
        rules_(terms(), target.kind(), target.Text("mtriple")),
        lower_division_(terms(), analyzer_) {}

 protected:
  auto Enter(Stmt stmt) -> Descent override {
    BindIterators(analyzer_, tables(), stmt);
    // Results of expressions are cached within one statement.
    memo_.clear();
    memo_.emplace_back();
    return Descent::Into();
  }

  void EnterPart(Stmt stmt, size_t part, Exprs exprs) override {
    if (const auto let = stmt.As<LetStmt>()) BindLet(let->var(), exprs[0]);
    if (stmt.is(StmtKind::kAssert)) analyzer_.EnterConstraint(exprs[0]);
    if (stmt.is(StmtKind::kIf)) {
      EnterIfPart(analyzer_, exprs[0], part);
    }
  }

  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    if (stmt.is(StmtKind::kIf) || stmt.is(StmtKind::kAssert)) analyzer_.LeaveConstraint();
    return BranchDecider::Leave(stmt, parts);
  }

  auto RewriteExpr(Stmt, PrimExpr root) -> PrimExpr override;

 private:
  // A term that is being lowered.
  struct Frame {
    // The original term, and what replaces it now.
    PrimExpr original;
    PrimExpr expr;
    uint32_t next = 0;
    uint32_t first_made = 0;
    uint64_t lets_before = 0;
  };

  void BindLet(PrimExpr var, PrimExpr value) {
    if (terms().effect(value) <= arith::CallEffect::kPure) analyzer_.BindLet(var, value);
  }

  auto IsConditional(PrimExpr e) const -> bool {
    return terms().kind(e) == PrimKind::kSelect || terms().IsCall(e, terms().ops().if_then_else);
  }
  auto Replaced(PrimExpr e) -> std::optional<PrimExpr>;
  auto FusedSum(PrimExpr e) -> std::optional<PrimExpr>;
  auto BroadcastFirst(PrimExpr factor) -> PrimExpr;
  void EnterOperand(const Frame& frame, std::span<const PrimExpr> made);
  void LeaveScope(const Frame& frame);
  auto Finished(const Frame& frame, std::span<const PrimExpr> made) -> PrimExpr;

  arith::Analyzer analyzer_;
  IntrinRules rules_;
  DivisionLowering lower_division_;
  // The results for terms; one map for each condition or value that is known inside of the expression.
  std::vector<absl::flat_hash_map<PrimExpr, PrimExpr>> memo_;
};

auto IntrinLowering::RewriteExpr(Stmt stmt, PrimExpr root) -> PrimExpr {
  std::vector<Frame> frames = {{root, root}};
  std::vector<PrimExpr> made;
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.next == 0) {
      if (const auto known = memo_.back().find(frame.expr); known != memo_.back().end()) {
        memo_.back()[frame.original] = known->second;
        made.push_back(known->second);
        frames.pop_back();
        continue;
      }
      frame.first_made = static_cast<uint32_t>(made.size());
      frame.lets_before = lower_division_.lets();
      if (const auto other = Replaced(frame.expr)) {
        frame.expr = *other;
        continue;
      }
    }
    const auto operands = terms().operands(frame.expr);
    const auto parts = std::span<const PrimExpr>(made).subspan(frame.first_made);
    if (frame.next < operands.size()) {
      EnterOperand(frame, parts);
      const PrimExpr operand = operands[frame.next++];
      // The definition of a Let's variable is not a use.
      if (terms().kind(frame.expr) == PrimKind::kLet && frame.next == 1) {
        made.push_back(operand);
      } else {
        frames.push_back({operand, operand});
      }
      continue;
    }
    LeaveScope(frame);
    const PrimExpr result = Finished(frame, parts);
    made.resize(frame.first_made);
    made.push_back(result);
    // Every Let has a variable of its own.
    if (frame.lets_before == lower_division_.lets()) {
      memo_.back()[frame.expr] = result;
      memo_.back()[frame.original] = result;
    }
    frames.pop_back();
  }
  return MayRewrite(stmt, root, made.back()) ? made.back() : root;
}

// Returns what replaces a term before its parts are visited.
auto IntrinLowering::Replaced(PrimExpr e) -> std::optional<PrimExpr> {
  const PrimKind kind = terms().kind(e);
  const auto operands = terms().operands(e);
  switch (kind) {
    case PrimKind::kCall: return rules_.Lower(e);
    case PrimKind::kAdd: return FusedSum(e);
    case PrimKind::kMax: {
      if (terms().kind(operands[0]) != PrimKind::kFloorDiv) return std::nullopt;
      const auto literal = terms().AsInt(operands[1]);
      const PrimExpr divisor = terms().operand(operands[0], 1);
      if (!literal || *literal < 0 || !analyzer_.CanProveGreaterEqual(divisor, 0)) return std::nullopt;
      // Where floor division gives less than 0, truncation gives at most 0.
      const PrimExpr quotient = arith::TruncDiv(terms(), terms().operand(operands[0], 0), divisor);
      return terms().Binary(PrimKind::kMax, quotient, operands[1]);
    }
    case PrimKind::kEQ:
    case PrimKind::kNE: {
      // Both remainders are 0 at once.
      if (terms().kind(operands[0]) != PrimKind::kFloorMod || !terms().IsInt(operands[1], 0)) return std::nullopt;
      const auto parts = terms().operands(operands[0]);
      return terms().Binary(kind, arith::TruncMod(terms(), parts[0], parts[1]), operands[1]);
    }
    default: return std::nullopt;
  }
}

// `a * b + c`.
auto IntrinLowering::FusedSum(PrimExpr e) -> std::optional<PrimExpr> {
  const auto operands = terms().operands(e);
  const bool right = terms().kind(operands[1]) == PrimKind::kMul;
  if (!right && terms().kind(operands[0]) != PrimKind::kMul) return std::nullopt;
  const PrimExpr product = operands[right ? 1 : 0];
  const PrimExpr other = operands[right ? 0 : 1];
  const PrimExpr a = BroadcastFirst(terms().operand(product, 0));
  const PrimExpr b = BroadcastFirst(terms().operand(product, 1));
  if (arith::IsFloat(terms().dtype(e))) {
    if (const auto fused = rules_.FusedMultiplyAdd(a, b, other)) return fused;
  }
  if (a == terms().operand(product, 0) && b == terms().operand(product, 1)) return std::nullopt;
  return terms().Binary(PrimKind::kAdd, terms().Binary(PrimKind::kMul, a, b), other);
}

// A broadcast of a widening cast as a cast of a broadcast: code generators have instructions for products of that.
auto IntrinLowering::BroadcastFirst(PrimExpr factor) -> PrimExpr {
  if (terms().kind(factor) != PrimKind::kBroadcast) return factor;
  const PrimExpr cast = terms().operand(factor, 0);
  if (terms().kind(cast) != PrimKind::kCast) return factor;
  const PrimExpr value = terms().operand(cast, 0);
  const DataType to = terms().dtype(cast);
  const DataType from = terms().dtype(value);
  const bool widens = arith::IsInteger(to) && arith::IsInteger(from) && to.bits > from.bits;
  if (to.bits != 2 * from.bits && !widens) return factor;
  const int lanes = terms().lanes(factor) / terms().lanes(value);
  return terms().Cast(terms().dtype(factor), terms().Broadcast(value, lanes));
}

void IntrinLowering::EnterOperand(const Frame& frame, std::span<const PrimExpr> made) {
  if (terms().kind(frame.expr) == PrimKind::kLet && frame.next == 2) {
    BindLet(made[0], made[1]);
    memo_.emplace_back();
  }
  if (!IsConditional(frame.expr) || frame.next == 0) return;
  if (frame.next == 2) {
    analyzer_.LeaveConstraint();
    memo_.pop_back();
  }
  const PrimExpr condition = made[0];
  // As TVM: the negation is only simplified for Select.
  const bool select = terms().kind(frame.expr) == PrimKind::kSelect;
  const auto negation = [&] {
    return select ? analyzer_.RewriteSimplify(arith::Not(terms(), condition)) : terms().Not(condition);
  };
  analyzer_.EnterConstraint(frame.next == 1 ? condition : negation());
  memo_.emplace_back();
}

void IntrinLowering::LeaveScope(const Frame& frame) {
  if (IsConditional(frame.expr)) analyzer_.LeaveConstraint();
  if (IsConditional(frame.expr) || terms().kind(frame.expr) == PrimKind::kLet) memo_.pop_back();
}

auto IntrinLowering::Finished(const Frame& frame, std::span<const PrimExpr> made) -> PrimExpr {
  const PrimExpr e = RewriteNode(frame.expr, terms().WithOperands(frame.expr, made));
  const PrimKind kind = terms().kind(e);
  if (kind != PrimKind::kFloorDiv && kind != PrimKind::kFloorMod) return e;
  return arith::IsInteger(terms().dtype(e)) ? lower_division_(e, frame.expr) : e;
}

struct LowerIntrin {
  auto Run(const Module&, GlobalId, const PrimFunc& func, PassContext&) const -> Result<std::optional<PrimFunc>> {
    const std::optional<TargetView> target = TargetView::Of(func);
    if (!target) return MakeDiagnostic(kNoTargetToLowerFor, {});
    return IntrinLowering(func, *target).Run();
  }
};

}  // namespace

constinit const PassDef kLowerIntrinPass = DescribePass<LowerIntrin>({
    .name = "tir.LowerIntrin",
    .summary = "Replace intrinsics by operations of the target",
    .details =
        R"(  A[i // 8] = T.exp(x)    ->    A[T.shift_right(i, 3)] = T.call_llvm_pure_intrin("float32", "llvm.exp", T.uint32(1), x)

By the attribute target of each function (see tir.BindTarget). Sums of a product become fused multiply-adds where the
target has them. Floor division and remainder become truncating ones, which are corrected unless the operands are known
not to be negative.)",
    .aliases = "tir.transform.LowerIntrin",
    .exactness = Exactness::kApproximate,
});

}  // namespace relayopt::tir
