// The machine of the rewrite simplifier, and the kinds of nodes that have more than rules.
#include "lib/arith/rewrite.h"

#include <algorithm>
#include <cmath>

#include "lib/arith/overflow.h"
#include "lib/arith/parts.h"
#include "relayopt/arith/fold.h"
#include "relayopt/support/map_to_vector.h"

namespace relayopt::arith {

// NOLINTBEGIN(misc-no-recursion): terms wait on a stack; proofs for rules nest up to kMaxNesting.

namespace {

using enum PrimKind;

// As TVM: the result of a rule is simplified again only to this depth.
constexpr int kMaxDepth = 5;
// Proofs inside of proofs beyond this leave the term as it is: the only recursion there is.
constexpr int kMaxNesting = 200;

// Conditions that hold conditionals, whose conditions hold conditionals: visited this deep, beyond it taken as they
// are, because the cost multiplies with each.
constexpr int kMaxEntering = 3;

// Scalar literals of one value. NaN is equal to nothing, and zeros of both signs are two values.
auto IsSameNumber(const Terms& terms, PrimExpr a, PrimExpr b) -> bool {
  const auto a_int = terms.AsInt(a);
  const auto b_int = terms.AsInt(b);
  if (a_int || b_int) return a_int == b_int;
  if (terms.kind(a) != kFloatImm || terms.kind(b) != kFloatImm) return false;
  const double x = terms.float_value(a);
  const double y = terms.float_value(b);
  return x == y && std::signbit(x) == std::signbit(y);
}

auto IsLiteral(PrimKind kind) -> bool { return kind == kIntImm || kind == kFloatImm || kind == kStringImm; }

}  // namespace

RewriteSimplifier::RewriteSimplifier(Terms& terms, Analyzer& analyzer) : terms_(terms), analyzer_(analyzer) {
  prover_.proved = [this](PrimKind op, PrimExpr e, int64_t value) { return Proved(op, e, value); };
}

auto RewriteSimplifier::Simplify(PrimExpr e) -> PrimExpr {
  const PrimExpr once = Visit(e);
  return once == e ? e : Visit(once);
}

auto RewriteSimplifier::Visit(PrimExpr e) -> PrimExpr {
  if (const auto leaf = AtLeaf(e)) return *leaf;
  if (const PrimExpr* known = memo_.Find(Key(e))) return *known;
  if (nesting_ >= kMaxNesting) return e;
  ++nesting_;
  const size_t bottom = stack_.size();
  stack_.push_back({.e = e});
  RunFrom(bottom);
  --nesting_;
  return ResultOf(e);
}

void RewriteSimplifier::RunFrom(size_t bottom) {
  while (stack_.size() > bottom) {
    const size_t at = stack_.size() - 1;
    // Frames are looked up again after each step: proofs push their own.
    if ((stack_[at].step == 0 && HasResult(stack_[at])) || Step(at)) stack_.pop_back();
  }
}

auto RewriteSimplifier::AtLeaf(PrimExpr e) -> std::optional<PrimExpr> {
  const PrimKind kind = terms_.kind(e);
  if (IsLiteral(kind)) return e;
  if (!IsVarKind(kind)) return std::nullopt;
  if (IsBool(terms_.dtype(e))) {
    if (const auto known = MatchConstraint(e)) return known;
  }
  if (!vars_.empty()) {
    if (const auto found = vars_.find(e); found != vars_.end()) return found->second;
  }
  if (e != last_seen_) seen_.insert(last_seen_ = e);
  return e;
}

auto RewriteSimplifier::HasResult(const Frame& wanted) -> bool {
  return AtLeaf(wanted.e).has_value() || memo_.Find(Key(wanted.e)) != nullptr;
}

auto RewriteSimplifier::ResultOf(PrimExpr e) -> PrimExpr {
  if (const auto leaf = AtLeaf(e)) return *leaf;
  return *memo_.Find(Key(e));
}

auto RewriteSimplifier::Need(PrimExpr e) -> bool {
  const Frame wanted{.e = e};
  if (HasResult(wanted)) return true;
  stack_.push_back(wanted);
  return false;
}

auto RewriteSimplifier::NeedOperands(PrimExpr e) -> bool {
  bool ready = true;
  const auto operands = terms_.operands(e);
  for (size_t i = operands.size(); i-- > 0;) ready &= Need(operands[i]);
  return ready;
}

auto RewriteSimplifier::Rebuilt(PrimExpr e) -> PrimExpr {
  const auto operands = terms_.operands(e);
  constexpr size_t kFew = 4;
  if (operands.size() <= kFew) {
    PrimExpr results[kFew];
    for (size_t i = 0; i < operands.size(); ++i) results[i] = ResultOf(operands[i]);
    return terms_.WithOperands(e, {results, operands.size()});
  }
  const auto results = MapToVector<PrimExpr>(operands, [&](PrimExpr operand) { return ResultOf(operand); });
  return terms_.WithOperands(e, results);
}

auto RewriteSimplifier::Step(size_t at) -> bool {
  const PrimExpr e = stack_[at].e;
  const PrimKind kind = terms_.kind(e);
  switch (kind) {
    case kGT:
    case kGE: {
      // Turned round before anything else.
      const PrimExpr a = terms_.operand(e, 0);
      const PrimExpr b = terms_.operand(e, 1);
      const PrimExpr turned = Fold(terms_, kind == kGT ? kLT : kLE, b, a);
      if (!Need(turned)) return false;
      Remember(e, ResultOf(turned));
      return true;
    }
    case kSelect: return StepConditional(at, true);
    case kCall:
      if (terms_.call_op(e) == terms_.ops().if_then_else && terms_.num_operands(e) == 3) {
        return StepConditional(at, false);
      }
      break;
    case kLet: return StepLet(at);
    case kAnd:
    case kOr:
      if ((flags & kApplyConstraintsToBooleanBranches) != 0) return StepLogic(at);
      break;
    default: break;
  }
  if (!NeedOperands(e)) return false;
  const PrimExpr result = Finish(Rebuilt(e));
  Remember(e, result);
  return true;
}

// The values of a conditional are visited under its condition and the negation.
auto RewriteSimplifier::StepConditional(size_t at, bool select) -> bool {
  const PrimExpr e = stack_[at].e;
  const PrimExpr condition = terms_.operand(e, 0);
  switch (stack_[at].step) {
    case 0:
      if (!Need(condition)) return false;
      stack_[at].first = ResultOf(condition);
      stack_[at].step = 1;
      analyzer_.EnterConstraint(stack_[at].first);
      [[fallthrough]];
    case 1: {
      if (!Need(terms_.operand(e, 1))) return false;
      stack_[at].second = ResultOf(terms_.operand(e, 1));
      analyzer_.LeaveConstraint();
      PrimExpr negated = terms_.Not(stack_[at].first);
      // As TVM: of if_then_else the negation is not simplified.
      if (select) negated = analyzer_.parts().rewrite.SimplifyNegation(negated);
      stack_[at].step = 2;
      analyzer_.EnterConstraint(negated);
      [[fallthrough]];
    }
    default: break;
  }
  if (!Need(terms_.operand(e, 2))) return false;
  const PrimExpr false_value = ResultOf(terms_.operand(e, 2));
  analyzer_.LeaveConstraint();
  const PrimExpr simple_condition = stack_[at].first;
  const PrimExpr true_value = stack_[at].second;
  PrimExpr result;
  if (const auto literal = terms_.AsInt(simple_condition)) {
    result = *literal != 0 ? true_value : false_value;
  } else {
    const PrimExpr operands[] = {simple_condition, true_value, false_value};
    result = Finish(terms_.WithOperands(e, operands));
  }
  Remember(e, result);
  return true;
}

auto RewriteSimplifier::StepLet(size_t at) -> bool {
  const PrimExpr e = stack_[at].e;
  const auto operands = terms_.operands(e);
  // A literal or a variable as value, judged before it is simplified, makes the let superfluous.
  const PrimKind value_kind = terms_.kind(operands[1]);
  const bool vanishes = IsVarKind(value_kind) || value_kind == kIntImm || value_kind == kFloatImm;
  if (stack_[at].step == 0) {
    if (!Need(operands[1])) return false;
    stack_[at].step = 1;
    stack_[at].first = ResultOf(operands[1]);
    if (vanishes) analyzer_.Bind(operands[0], stack_[at].first);
  }
  if (!Need(operands[2])) return false;
  const PrimExpr body = ResultOf(operands[2]);
  Remember(e, vanishes ? body : terms_.Let(operands[0], stack_[at].first, body));
  return true;
}

// With kApplyConstraintsToBooleanBranches: each side is visited knowing the other, four times at most.
auto RewriteSimplifier::StepLogic(size_t at) -> bool {
  const PrimExpr e = stack_[at].e;
  PrimExpr sides[] = {terms_.operand(e, 0), terms_.operand(e, 1)};
  int unchanged = 0;
  for (size_t i = 0; i < 4 && unchanged < 2; ++i) {
    PrimExpr& side = sides[i % 2];
    const PrimExpr other = sides[1 - i % 2];
    PrimExpr result;
    {
      const bool conjunction = terms_.kind(e) == kAnd;
      const auto scope = analyzer_.Assume(conjunction ? other : NormalizeBoolean(terms_, terms_.Not(other)));
      result = Visit(side);
    }
    unchanged = result == side ? unchanged + 1 : 0;
    side = result;
  }
  Remember(e, Finish(terms_.Binary(terms_.kind(e), sides[0], sides[1])));
  return true;
}

auto RewriteSimplifier::Finish(PrimExpr e) -> PrimExpr {
  const PrimKind kind = terms_.kind(e);
  if (IsComparison(kind)) return FinishComparison(e);
  switch (kind) {
    case kAnd:
    case kOr:
    case kNot: {
      if (kind == kNot) {
        if (const auto value = terms_.AsInt(terms_.operand(e, 0))) return terms_.Bool(*value == 0);
      } else if (const auto folded = TryFold(terms_, kind, terms_.operand(e, 0), terms_.operand(e, 1))) {
        return *folded;
      }
      if (const auto known = MatchConstraint(e)) return *known;
      if (kind != kNot && (flags & kConvertBooleanToAndOfOrs) != 0) return SimplifyAsAndOfOrs(e);
      break;
    }
    case kCast: return CastTo(terms_, terms_.dtype(e), terms_.operand(e, 0));
    case kCall: return FinishCall(e);
    case kSelect: break;
    default:
      if (!IsArithmetic(kind)) return e;
      if (const auto folded = FoldIfFits(terms_, kind, terms_.operand(e, 0), terms_.operand(e, 1))) return *folded;
  }
  return ApplyRules(e).value_or(e);
}

auto RewriteSimplifier::FinishComparison(PrimExpr e) -> PrimExpr {
  const PrimExpr a = terms_.operand(e, 0);
  const PrimExpr b = terms_.operand(e, 1);
  if (const auto folded = TryFold(terms_, terms_.kind(e), a, b)) return *folded;
  if (const auto known = MatchConstraint(e)) return *known;
  switch (terms_.kind(e)) {
    case kEQ: return ApplyEQ(a, b);
    case kNE: return FinishNE(e);
    case kLE: return FinishLE(e);
    case kLT: return ApplyLT(a, b);
    default: return e;
  }
}

auto RewriteSimplifier::ApplyEQ(PrimExpr a, PrimExpr b) -> PrimExpr {
  const PrimExpr e = terms_.Binary(kEQ, a, b);
  if (IsIndexType(terms_.dtype(a))) {
    const CompareResult r = TryCompare(a, b);
    if (r == kIsEQ) return terms_.Bool(true);
    if (r == kIsNE || r == kIsLT || r == kIsGT) return terms_.Bool(false);
  }
  return ApplyRules(e).value_or(e);
}

auto RewriteSimplifier::ApplyLT(PrimExpr a, PrimExpr b) -> PrimExpr {
  const PrimExpr e = terms_.Binary(kLT, a, b);
  if (IsIndexType(terms_.dtype(a))) {
    const CompareResult r = TryCompare(a, b);
    if (r == kIsLT) return terms_.Bool(true);
    if (r == kIsEQ || r == kIsGT || r == kIsGE) return terms_.Bool(false);
  }
  return ApplyRules(e).value_or(e);
}

auto RewriteSimplifier::ApplyNot(PrimExpr a) -> PrimExpr {
  const PrimExpr e = Not(terms_, a);
  return terms_.kind(e) == kNot ? ApplyRules(e).value_or(e) : e;
}

auto RewriteSimplifier::FinishNE(PrimExpr e) -> PrimExpr {
  const PrimExpr a = terms_.operand(e, 0);
  const PrimExpr b = terms_.operand(e, 1);
  if (IsIndexType(terms_.dtype(a))) {
    switch (TryCompare(a, b)) {
      case kIsNE:
      case kIsLT:
      case kIsGT: return terms_.Bool(true);
      case kIsEQ: return terms_.Bool(false);
      case kIsGE: return ApplyLT(b, a);
      case kIsLE: return ApplyLT(a, b);
      default: break;
    }
  }
  return ApplyNot(ApplyEQ(a, b));
}

auto RewriteSimplifier::FinishLE(PrimExpr e) -> PrimExpr {
  // The rules see the negation `b < a`: `A <= B*x` keeps the form with the rounded-up quotient.
  const PrimExpr r = ApplyNot(ApplyLT(terms_.operand(e, 1), terms_.operand(e, 0)));
  if (terms_.kind(r) != kLE) return r;
  const PrimExpr a = terms_.operand(r, 0);
  const PrimExpr b = terms_.operand(r, 1);
  if (!IsIndexType(terms_.dtype(a))) return r;
  switch (TryCompare(a, b)) {
    case kIsLE:
    case kIsLT:
    case kIsEQ: return terms_.Bool(true);
    case kIsGT: return terms_.Bool(false);
    case kIsNE: return ApplyLT(a, b);
    case kIsGE: return ApplyEQ(a, b);
    default: return r;
  }
}

auto RewriteSimplifier::FinishCall(PrimExpr e) -> PrimExpr {
  const auto& ops = terms_.ops();
  const CallOpId op = terms_.call_op(e);
  const auto args = terms_.operands(e);
  if (op == ops.likely && args.size() == 1) {
    if (terms_.AsInt(args[0])) return args[0];
    return MatchConstraint(args[0]).value_or(e);
  }
  if ((op == ops.shift_left || op == ops.shift_right) && args.size() == 2) {
    if (terms_.AsInt(args[0]) && terms_.AsInt(args[1])) {
      return op == ops.shift_left ? ShiftLeft(terms_, args[0], args[1]) : ShiftRight(terms_, args[0], args[1]);
    }
    return e;
  }
  if (op == ops.ceil && args.size() == 1) {
    const PrimExpr x = args[0];
    const DataType type = terms_.dtype(e);
    if (terms_.kind(x) == kIntImm) return CastTo(terms_, type, x);
    if (terms_.kind(x) == kFloatImm) return CastTo(terms_, type, Ceil(terms_, x));
    if (terms_.IsCall(x, ops.log2) && terms_.kind(terms_.operand(x, 0)) == kFloatImm) {
      const double value = std::ceil(std::log2(terms_.float_value(terms_.operand(x, 0))));
      if (type.is_float()) return MakeFloat(terms_, type, value);
    }
    return e;
  }
  if (op == ops.if_then_else && args.size() == 3) {
    // A conditional in the true value with the same literal for "else" joins its condition.
    const PrimExpr inner = args[1];
    if (!terms_.IsCall(inner, ops.if_then_else)) return e;
    if (!IsSameNumber(terms_, args[2], terms_.operand(inner, 2))) return e;
    const PrimExpr both = Fold(terms_, kAnd, args[0], terms_.operand(inner, 0));
    return terms_.Call(terms_.dtype(e), op, {both, terms_.operand(inner, 1), args[2]});
  }
  return e;
}

void RewriteSimplifier::Fired(std::string_view id) {
  ++num_rewrites;
  if (log != nullptr) log->push_back(id);
}

// Whether floats are involved, for which most rules hold only in the absence of NaN and rounding.
auto RewriteSimplifier::IsAboutFloats(const RuleBinding& binding) const -> bool {
  return std::any_of(binding.terms.begin(), binding.terms.end(),
                     [&](PrimExpr term) { return term && terms_.dtype(term).is_float(); });
}

auto RewriteSimplifier::ApplyRules(PrimExpr e) -> std::optional<PrimExpr> {
  const RuleTable& table = RuleTable::Get();
  const PrimKind kind = terms_.kind(e);
  const auto operands = terms_.operands(e);
  const DataType type = terms_.dtype(kind == kSelect ? e : operands[0]);
  const bool is_vector = type.lanes > 1;
  const bool is_index = IsIndexType(type);
  const auto bit = [&](size_t i) {
    return i < operands.size() ? uint64_t{1} << static_cast<int>(terms_.kind(operands[i])) : ~uint64_t{0};
  };
  const uint64_t kind0 = bit(0);
  const uint64_t kind1 = bit(1);
  for (const Rule& rule : table.rules(kind)) {
    if ((rule.operand_kinds[0] & kind0) == 0 || (rule.operand_kinds[1] & kind1) == 0) continue;
    switch (rule.row->guard) {
      case RuleGuard::kAny: break;
      case RuleGuard::kIndex:
        if (!is_index) continue;
        break;
      case RuleGuard::kVector:
        if (!is_vector) continue;
        break;
      case RuleGuard::kFloat:
        if (!IsFloat(type) || is_vector || strict_fp) continue;
        break;
    }
    RuleBinding binding;
    if (!MatchRule(terms_, table, rule.pattern, e, binding)) continue;
    if (strict_fp && IsAboutFloats(binding)) continue;
    if (rule.row->native != NativeRule::kNone) {
      if (auto result = ApplyNative(rule, e, binding)) {
        Fired(rule.row->id);
        return rule.row->revisit ? VisitAgain(*result) : *result;
      }
      continue;
    }
    if (rule.condition != kNoRuleNode && !RuleConditionHolds(terms_, table, rule.condition, binding, prover_)) continue;
    InnerSums inner;
    const PrimExpr result = BuildRuleResult(terms_, table, rule.result, binding, terms_.dtype(e), inner);
    if (!result || MayOverflow(e, inner)) continue;
    Fired(rule.row->id);
    return rule.row->revisit ? VisitAgain(result) : result;
  }
  return std::nullopt;
}

auto RewriteSimplifier::VisitAgain(PrimExpr e) -> PrimExpr {
  if (depth_ >= kMaxDepth) return e;
  ++depth_;
  const PrimExpr result = Visit(e);
  --depth_;
  return result;
}

auto RewriteSimplifier::Proved(PrimKind op, PrimExpr e, int64_t value) -> bool {
  switch (op) {
    case kGE: return analyzer_.CanProveGreaterEqual(e, value);
    case kLT: return analyzer_.CanProveLess(e, value);
    default: return TryCompare(e, value) == kIsEQ;
  }
}

auto RewriteSimplifier::TryCompare(PrimExpr e, int64_t value) -> CompareResult {
  const PrimExpr d = Visit(e);
  if (const auto literal = terms_.AsInt(d)) return *literal == value ? kIsEQ : *literal > value ? kIsGT : kIsLT;
  const ConstBound bound = analyzer_.Bound(d);
  if (bound.min == value && bound.max == value) return kIsEQ;
  if (bound.min > value) return kIsGT;
  if (bound.max < value) return kIsLT;
  if (bound.min >= value) return kIsGE;
  if (bound.max <= value) return kIsLE;
  if (value == 0 && analyzer_.Modular(d).base != 0) return kIsNE;
  return kUnknownOrder;
}

auto RewriteSimplifier::TryCompare(PrimExpr a, PrimExpr b) -> CompareResult {
  // The smallest int64 has no negation, so that a difference with it says nothing.
  if (terms_.AsInt(b) == INT64_MIN) return analyzer_.Bound(a).min > ConstBound::kNegInf ? kIsGT : kIsGE;
  if (terms_.AsInt(a) == INT64_MIN) return analyzer_.Bound(b).min > ConstBound::kNegInf ? kIsLT : kIsLE;
  const CompareResult r = DifferenceMayWrap(a, b) ? CompareBounds(a, b) : TryCompare(Sub(terms_, a, b), 0);
  if (r == kIsEQ || r == kIsLT || r == kIsGT) return r;
  const bool propagate = (flags & kTransitivelyProveInequalities) != 0;
  return static_cast<CompareResult>(r & analyzer_.parts().transitive.TryCompare(a, b, propagate));
}

auto RewriteSimplifier::MatchConstraint(PrimExpr e) -> std::optional<PrimExpr> {
  if (literal_constraints_.empty()) return std::nullopt;
  const auto place = [this](PrimExpr x) {
    const auto found = constraint_places_.find(x);
    return found == constraint_places_.end() ? UINT32_MAX : found->second.front();
  };
  const uint32_t holds = place(e);
  const uint32_t fails = IsBool(terms_.dtype(e)) ? place(terms_.Not(e)) : UINT32_MAX;
  if (holds == UINT32_MAX && fails == UINT32_MAX) return std::nullopt;
  return MakeConst(terms_, terms_.dtype(e), holds < fails ? 1 : 0);
}

void RewriteSimplifier::SetVar(PrimExpr var, PrimExpr value, bool is_new) {
  vars_[var] = value;
  if (!is_new) Invalidate();
}

auto RewriteSimplifier::SimplifyNegation(PrimExpr negation) -> PrimExpr {
  if (entering_ >= kMaxEntering) return negation;
  ++entering_;
  const PrimExpr simple = Simplify(negation);
  --entering_;
  return simple;
}

void RewriteSimplifier::EnterConstraint(PrimExpr condition) {
  constraint_scopes_.push_back(literal_constraints_.size());
  PrimExpr simple = condition;
  if (entering_ < kMaxEntering) {
    // Visited with the constraints of the other parts.
    ++entering_;
    PushLayer();
    simple = Visit(condition);
    PopLayer();
    --entering_;
  }
  const auto push = [this](PrimExpr e) {
    constraint_places_[e].push_back(static_cast<uint32_t>(literal_constraints_.size()));
    literal_constraints_.push_back(e);
  };
  for (const PrimExpr part : ExtractConstraints(terms_, simple)) {
    if (terms_.effect(part) > CallEffect::kPure) continue;
    push(part);
    const DataType type = terms_.dtype(part);
    const PrimExpr negation =
        IsBool(type) ? NormalizeBoolean(terms_, terms_.Not(part)) : Eq(terms_, part, MakeZero(terms_, type));
    push(terms_.Not(negation));
  }
  PushLayer();
}

void RewriteSimplifier::LeaveConstraint() {
  PopLayer();
  for (; literal_constraints_.size() > constraint_scopes_.back(); literal_constraints_.pop_back()) {
    const auto found = constraint_places_.find(literal_constraints_.back());
    found->second.pop_back();
    if (found->second.empty()) constraint_places_.erase(found);
  }
  constraint_scopes_.pop_back();
}

// NOLINTEND(misc-no-recursion)

}  // namespace relayopt::arith
