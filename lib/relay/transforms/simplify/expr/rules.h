// The rules of SimplifyExpr, in the order in which they are tried.
#pragma once

#include "simplifier.h"

namespace relayopt {

// The functions of the rules; see SimplifyRule::apply.
namespace simplify_rules {
auto ConcretizeZerosLike(Simplifier& to, const CallSite& call) -> ExprId;
auto ConcretizeOnesLike(Simplifier& to, const CallSite& call) -> ExprId;
auto ConcretizeFullLike(Simplifier& to, const CallSite& call) -> ExprId;
auto ConcretizeReshapeLike(Simplifier& to, const CallSite& call) -> ExprId;
auto ConcretizeCollapseSumLike(Simplifier& to, const CallSite& call) -> ExprId;
auto ConcretizeBroadcastToLike(Simplifier& to, const CallSite& call) -> ExprId;
auto ConcretizeCastLike(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyAdd(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyRSqrt(Simplifier& to, const CallSite& call) -> ExprId;
auto EliminateIdentity(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyReshape(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyTranspose(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyNoOpTranspose(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifySameCast(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyConsecutiveCast(Simplifier& to, const CallSite& call) -> ExprId;
auto FullElementwise(Simplifier& to, const CallSite& call) -> ExprId;
auto SwitchAddMultiply(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyAdjacentMultiplyOrAdd(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyDQArg(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyClipAndConsecutiveCast(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyClip(Simplifier& to, const CallSite& call) -> ExprId;
auto SimplifyBinomial(Simplifier& to, const CallSite& call) -> ExprId;
}  // namespace simplify_rules

inline constexpr SimplifyRule kSimplifyRules[] = {
    {"ConcretizeZerosLike",
     "zeros_like(x)  =>  zeros(shape, dtype)",
     {"zeros_like"_op},
     simplify_rules::ConcretizeZerosLike},
    {"ConcretizeOnesLike",
     "ones_like(x)  =>  ones(shape, dtype)",
     {"ones_like"_op},
     simplify_rules::ConcretizeOnesLike},
    {"ConcretizeFullLike",
     "full_like(x, v)  =>  full(v, shape, dtype)",
     {"full_like"_op},
     simplify_rules::ConcretizeFullLike},
    {"ConcretizeReshapeLike",
     "reshape_like(x, y)  =>  reshape(x, shape)",
     {"reshape_like"_op},
     simplify_rules::ConcretizeReshapeLike},
    {"ConcretizeCollapseSumLike",
     "collapse_sum_like(x, y)  =>  collapse_sum_to(x, shape)",
     {"collapse_sum_like"_op},
     simplify_rules::ConcretizeCollapseSumLike},
    {"ConcretizeBroadcastToLike",
     "broadcast_to_like(x, y)  =>  broadcast_to(x, shape)",
     {"broadcast_to_like"_op},
     simplify_rules::ConcretizeBroadcastToLike},
    {"ConcretizeCastLike", "cast_like(x, y)  =>  cast(x, dtype)", {"cast_like"_op}, simplify_rules::ConcretizeCastLike},
    {"SimplifyAdd", "add(x, x)  =>  multiply(x, 2)", {"add"_op}, simplify_rules::SimplifyAdd},
    {"SimplifyRSqrt",
     "divide(x, sqrt(y))  =>  multiply(x, rsqrt(y))",
     {"divide"_op},
     simplify_rules::SimplifyRSqrt,
     kReassociates},
    {"EliminateIdentity",
     "add(x, 0), subtract(x, 0), multiply(x, 1), divide(x, 1)  =>  x",
     {"add"_op, "subtract"_op, "multiply"_op, "divide"_op},
     simplify_rules::EliminateIdentity,
     kForPostAlterOp},
    {"SimplifyReshape",
     "reshape(reshape(x, s), t)  =>  reshape(x, t)",
     {"reshape"_op, "contrib_reverse_reshape"_op},
     simplify_rules::SimplifyReshape,
     kForPostAlterOp},
    {"SimplifyTranspose",
     "transpose, layout_transform, two in a row  =>  one of them",
     {"transpose"_op, "layout_transform"_op},
     simplify_rules::SimplifyTranspose},
    {"SimplifyNoOpTranspose",
     "transpose(x, axes=[0, 1, ...])  =>  x",
     {"transpose"_op, "layout_transform"_op},
     simplify_rules::SimplifyNoOpTranspose},
    {"SimplifySameCast",
     "cast(x: T, dtype=T)  =>  x",
     {"cast"_op, "cast_like"_op},
     simplify_rules::SimplifySameCast,
     kForPostAlterOp},
    {"SimplifyConsecutiveCast",
     "cast(cast(x, T), U)  =>  cast(x, U), when T holds every value of x's type",
     {"cast"_op, "cast_like"_op},
     simplify_rules::SimplifyConsecutiveCast,
     kForPostAlterOp},
    {"FullElementwise", "op(x, full(c))  =>  op(x, c), for zeros and ones too", {}, simplify_rules::FullElementwise},
    {"SwitchAddMultiply",
     "multiply(add(x, c1), c2)  =>  add(multiply(x, c2), c1 * c2)",
     {"multiply"_op},
     simplify_rules::SwitchAddMultiply,
     kReassociates},
    {"SimplifyAdjacentMultiplyOrAdd",
     "add(add(x, c1), c2)  =>  add(x, c1 + c2), and multiply alike",
     {"add"_op, "multiply"_op},
     simplify_rules::SimplifyAdjacentMultiplyOrAdd,
     kReassociates},
    {"SimplifyDQArgMax",
     "argmax(qnn.dequantize(x))  =>  argmax(x)",
     {"argmax"_op},
     simplify_rules::SimplifyDQArg,
     kReassociates},
    {"SimplifyDQArgMin",
     "argmin(qnn.dequantize(x))  =>  argmin(x)",
     {"argmin"_op},
     simplify_rules::SimplifyDQArg,
     kReassociates},
    {"SimplifyDQArgSort",
     "argsort(qnn.dequantize(x))  =>  argsort(x)",
     {"argsort"_op},
     simplify_rules::SimplifyDQArg,
     kReassociates},
    {"SimplifyClipAndConsecutiveCast",
     "cast(cast(clip(x, a, b), T), U)  =>  cast(clip(x, a, b), U), when T holds [a, b]",
     {"cast"_op},
     simplify_rules::SimplifyClipAndConsecutiveCast,
     kForPostAlterOp},
    {"SimplifyClip",
     "clip(x, a, b)  =>  x, when [a, b] holds every value of x's type",
     {"clip"_op},
     simplify_rules::SimplifyClip,
     kForPostAlterOp},
    {"SimplifyBinomial",
     "a*x*x + b*x*y + c*y*y  =>  a * (x + p*y) * (x + q*y), when p and q are real, and whole for integers",
     {"add"_op},
     simplify_rules::SimplifyBinomial,
     kReassociates},
};

}  // namespace relayopt
