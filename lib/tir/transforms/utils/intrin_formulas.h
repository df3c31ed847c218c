// Intrinsics as formulas of others.
#pragma once

#include "relayopt/arith/prim_expr.h"

namespace relayopt::tir {

// A formula returns the replacement of a call, or the call itself when it stays.
using IntrinFormula = auto(*)(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;

// Formulas that use other functions of the same argument.
auto Exp10FromExp(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto TanFromSinCos(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto CoshFromExp(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto SinhFromExp(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto TanhFromExp(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto RsqrtFromSqrt(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto SigmoidFromExp(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto IsNanOfHalf(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto IsInf(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto IsFinite(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
// Returns a quotient of polynomials, for float16 and float32.
auto FastErf(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;

// Products of fixed-point numbers, in int64.
auto MultiplyShift(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto MultiplyShiftPerAxis(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto Aarch64MultiplyShift(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;

// Functions that kinds of targets provide under other names and with other arguments.
auto LlvmPrefetch(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto LlvmClz(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto CudaPopcount(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto CudaAtomicAdd(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto OpenClExp(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto OpenClAtomicAdd(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto IntelShuffle(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto GlslClz(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto RocmShuffle(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;
auto RocmActiveMask(arith::Terms& terms, arith::PrimExpr call) -> arith::PrimExpr;

}  // namespace relayopt::tir
