// Formulas of intrinsics. As TVM: they are built with the folding operators.
#include "lib/tir/transforms/utils/intrin_formulas.h"

#include <fmt/core.h>
#include <array>
#include <vector>

#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsic_names.h"

namespace relayopt::tir {

using arith::PrimExpr;
using arith::PrimKind;
using arith::Terms;

namespace {

auto Arg(const Terms& terms, PrimExpr call, size_t i) -> PrimExpr { return terms.operand(call, i); }

auto CallOf(Terms& terms, std::string_view op, DataType type, std::initializer_list<PrimExpr> args) -> PrimExpr {
  return terms.Call(type, terms.Intrinsic(op), args);
}
// Returns an intrinsic of one argument and of its type.
auto Apply(Terms& terms, std::string_view op, PrimExpr x) -> PrimExpr { return CallOf(terms, op, terms.dtype(x), {x}); }
auto Exp(Terms& terms, PrimExpr x) -> PrimExpr { return Apply(terms, "tir.exp"_intrin, x); }
auto Const(Terms& terms, PrimExpr like, double value) -> PrimExpr {
  return arith::MakeFloat(terms, terms.dtype(like), value);
}
auto UInt32(Terms& terms, int64_t value) -> PrimExpr { return terms.IntImm(DataType::UInt(32), value); }

auto CallExtern(Terms& terms, DataType type, std::string_view name, std::vector<PrimExpr> args) -> PrimExpr {
  args.insert(args.begin(), terms.StringImm(name));
  return terms.Call(type, terms.Intrinsic("tir.call_pure_extern"_intrin), args);
}
auto CallLlvm(Terms& terms, DataType type, std::string_view name, int signature, std::vector<PrimExpr> args)
    -> PrimExpr {
  args.insert(args.begin(), {terms.StringImm(name), UInt32(terms, signature)});
  return terms.Call(type, terms.Intrinsic("tir.call_llvm_intrin"_intrin), args);
}

}  // namespace

auto Exp10FromExp(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  // As TVM: ln 10 with so many digits. NOLINTNEXTLINE(modernize-use-std-numbers)
  return Exp(terms, arith::Mul(terms, x, Const(terms, x, 2.302585093)));
}

auto TanFromSinCos(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  return arith::TruncDiv(terms, Apply(terms, "tir.sin"_intrin, x), Apply(terms, "tir.cos"_intrin, x));
}

namespace {

// (exp(x) ± exp(-x)) / 2.
auto HalfOfExps(Terms& terms, PrimKind kind, PrimExpr x) -> PrimExpr {
  const PrimExpr negative = Exp(terms, arith::Mul(terms, Const(terms, x, -1), x));
  return arith::TruncDiv(terms, arith::Operate(terms, kind, Exp(terms, x), negative), Const(terms, x, 2));
}

}  // namespace

auto CoshFromExp(Terms& terms, PrimExpr call) -> PrimExpr {
  return HalfOfExps(terms, PrimKind::kAdd, Arg(terms, call, 0));
}

auto SinhFromExp(Terms& terms, PrimExpr call) -> PrimExpr {
  return HalfOfExps(terms, PrimKind::kSub, Arg(terms, call, 0));
}

auto TanhFromExp(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  const PrimExpr one = Const(terms, x, 1);
  const PrimExpr falling = Exp(terms, arith::Mul(terms, Const(terms, x, -2), x));
  const PrimExpr rising = Exp(terms, arith::Mul(terms, Const(terms, x, 2), x));
  const PrimExpr positive = arith::TruncDiv(terms, arith::Sub(terms, one, falling), arith::Add(terms, one, falling));
  const PrimExpr negative = arith::TruncDiv(terms, arith::Sub(terms, rising, one), arith::Add(terms, rising, one));
  return terms.Select(arith::Ge(terms, x, Const(terms, x, 0)), positive, negative);
}

auto RsqrtFromSqrt(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  return arith::TruncDiv(terms, Const(terms, x, 1), Apply(terms, "tir.sqrt"_intrin, x));
}

auto SigmoidFromExp(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  const PrimExpr one = Const(terms, x, 1);
  return arith::TruncDiv(terms, one, arith::Add(terms, one, Exp(terms, arith::Negate(terms, x))));
}

namespace {

auto IsNan(Terms& terms, PrimExpr x) -> PrimExpr {
  const DataType type = terms.dtype(x);
  const DataType result = arith::WithLanes(DataType::Bool(), type.lanes);
  if (arith::IsInteger(type)) return arith::MakeConst(terms, result, 0);
  if (type.bits == 16) x = arith::CastTo(terms, arith::WithLanes(DataType::Float(32), type.lanes), x);
  return CallOf(terms, "tir.isnan"_intrin, result, {x});
}

auto IsInfinite(Terms& terms, PrimExpr x) -> PrimExpr {
  const DataType type = terms.dtype(x);
  const auto infinity = arith::Infinity(terms, type);
  if (!infinity) return arith::MakeConst(terms, arith::WithLanes(DataType::Bool(), type.lanes), 0);
  return arith::And(terms, arith::Eq(terms, arith::Abs(terms, x), *infinity), arith::Not(terms, IsNan(terms, x)));
}

}  // namespace

auto IsNanOfHalf(Terms& terms, PrimExpr call) -> PrimExpr { return IsNan(terms, Arg(terms, call, 0)); }

auto IsInf(Terms& terms, PrimExpr call) -> PrimExpr { return IsInfinite(terms, Arg(terms, call, 0)); }

auto IsFinite(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  return arith::And(terms, arith::Not(terms, IsInfinite(terms, x)), arith::Not(terms, IsNan(terms, x)));
}

auto FastErf(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr arg = Arg(terms, call, 0);
  const DataType type = terms.dtype(call);
  if (!arith::IsFloat(type) || type.bits > 32) return call;
  // From the highest power down: of odd powers above, of even powers below.
  constexpr std::array kAbove = {-2.72614225801306e-10F, 2.77068142495902e-08F,  -2.10102402082508e-06F,
                                 -5.69250639462346e-05F, -7.34990630326855e-04F, -2.95459980854025e-03F,
                                 -1.60960333262415e-02F};
  constexpr std::array kBelow = {-1.45660718464996e-05F, -2.13374055278905e-04F, -1.68282697438203e-03F,
                                 -7.37332916720468e-03F, -1.42647390514189e-02F};
  const PrimExpr x = arith::Max(terms, arith::Min(terms, arg, Const(terms, arg, 4)), Const(terms, arg, -4));
  const PrimExpr square = arith::Mul(terms, x, x);
  const auto polynomial = [&](std::span<const float> coefficients) {
    PrimExpr sum = Const(terms, x, coefficients[0]);
    for (size_t i = 1; i < coefficients.size(); ++i) {
      sum = arith::Add(terms, arith::Mul(terms, square, sum), Const(terms, x, coefficients[i]));
    }
    return sum;
  };
  return arith::TruncDiv(terms, arith::Mul(terms, x, polynomial(kAbove)), polynomial(kBelow));
}

namespace {

// Returns the literal, or that of all lanes.
auto LiteralOf(const Terms& terms, PrimExpr e) -> std::optional<int64_t> {
  return terms.AsInt(terms.kind(e) == PrimKind::kBroadcast ? terms.operand(e, 0) : e);
}

// x * y, where y has q fractional bits, shifted left before and right afterwards, rounded to nearest if that cuts bits.
auto FixedPointProduct(Terms& terms, PrimExpr x, PrimExpr y, PrimExpr q, PrimExpr left, PrimExpr right, PrimExpr needed,
                       bool cuts_bits) -> PrimExpr {
  const int lanes = terms.lanes(x);
  const DataType wide = arith::WithLanes(DataType::Int(64), lanes);
  x = arith::CastTo(terms, wide, x);
  x = terms.Select(needed, arith::ShiftLeft(terms, x, left), x);
  x = arith::Mul(terms, x, arith::CastTo(terms, wide, y));
  const DataType narrow = arith::WithLanes(DataType::Int(32), lanes);
  if (!cuts_bits) return arith::CastTo(terms, narrow, x);
  const PrimExpr total = arith::Add(terms, right, q);
  const PrimExpr before = arith::Sub(terms, total, arith::MakeConst(terms, terms.dtype(total), 1));
  x = arith::Add(terms, x, arith::ShiftLeft(terms, arith::MakeConst(terms, wide, 1), before));
  return arith::CastTo(terms, narrow, arith::ShiftRight(terms, x, total));
}

}  // namespace

auto MultiplyShift(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  const PrimExpr y = Arg(terms, call, 1);
  const PrimExpr s = Arg(terms, call, 3);
  const DataType type = terms.dtype(s);
  const auto shift = LiteralOf(terms, s);
  // A multiplier of one half: a shift.
  if (LiteralOf(terms, y) == (int64_t{1} << 30) && LiteralOf(terms, Arg(terms, call, 2)) == 31 && shift) {
    const PrimExpr one = arith::MakeConst(terms, type, 1);
    const PrimExpr exponent = arith::Sub(terms, s, one);
    if (*shift == 1) return x;
    if (*shift > 1) return arith::ShiftLeft(terms, x, exponent);
    const PrimExpr right = arith::Negate(terms, exponent);
    const PrimExpr unit = arith::MakeConst(terms, arith::WithLanes(DataType::Int(32), terms.lanes(x)), 1);
    const PrimExpr half = arith::ShiftLeft(terms, unit, arith::Sub(terms, right, one));
    return arith::ShiftRight(terms, arith::Add(terms, x, half), right);
  }
  const PrimExpr zero = arith::MakeConst(terms, type, 0);
  const PrimExpr is_left = arith::Gt(terms, s, zero);
  const PrimExpr left = terms.Select(is_left, s, zero);
  const PrimExpr right = terms.Select(is_left, zero, arith::Negate(terms, s));
  const PrimExpr q = Arg(terms, call, 2);
  const bool cuts_bits = LiteralOf(terms, q) != 0 || !shift || *shift < 0;
  return FixedPointProduct(terms, x, y, q, left, right, arith::Ne(terms, left, zero), cuts_bits);
}

auto MultiplyShiftPerAxis(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr right = Arg(terms, call, 3);
  const PrimExpr q = Arg(terms, call, 4);
  const bool cuts_bits = LiteralOf(terms, q) != 0 || LiteralOf(terms, right) != 0;
  return FixedPointProduct(terms, Arg(terms, call, 0), Arg(terms, call, 1), q, Arg(terms, call, 2), right,
                           Arg(terms, call, 5), cuts_bits);
}

auto Aarch64MultiplyShift(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  const PrimExpr y = Arg(terms, call, 1);
  const PrimExpr s = Arg(terms, call, 3);
  const DataType type = terms.dtype(call);
  if (terms.dtype(x) != arith::WithLanes(DataType::Int(32), 4) || !terms.IsInt(Arg(terms, call, 2), 31)) return call;
  const DataType shift_type = terms.dtype(s);
  const auto doubled = [&](PrimExpr a) { return CallLlvm(terms, type, "llvm.aarch64.neon.sqrdmulh", 2, {a, y}); };
  const PrimExpr product = doubled(x);
  const PrimExpr sign = arith::BitwiseAnd(terms, product, arith::Negate(terms, s));
  const PrimExpr fixup = arith::ShiftRight(terms, sign, arith::MakeConst(terms, type, 31));
  const PrimExpr right = CallLlvm(terms, type, "llvm.aarch64.neon.srshl", 2, {arith::Add(terms, product, fixup), s});
  const PrimExpr factor = arith::ShiftLeft(terms, arith::MakeConst(terms, shift_type, 1), s);
  const PrimExpr left = doubled(arith::Mul(terms, x, factor));
  return terms.Select(arith::Lt(terms, s, arith::MakeConst(terms, shift_type, 0)), right, left);
}

auto LlvmPrefetch(Terms& terms, PrimExpr call) -> PrimExpr {
  const auto args = terms.operands(call);
  return CallLlvm(terms, terms.dtype(call), "llvm.prefetch", 4, {args.begin(), args.end()});
}

auto LlvmClz(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  const PrimExpr zero_is_poison = terms.IntImm(DataType::Int(1), 1);
  return arith::CastTo(terms, terms.dtype(call), CallLlvm(terms, terms.dtype(x), "llvm.ctlz", 2, {x, zero_is_poison}));
}

auto CudaPopcount(Terms& terms, PrimExpr call) -> PrimExpr {
  const DataType type = terms.dtype(call);
  if (type.code != TypeCode::kUInt || (type.bits != 32 && type.bits != 64)) return call;
  return CallExtern(terms, type, type.bits == 32 ? "__popc" : "__popcll", {Arg(terms, call, 0)});
}

auto CudaAtomicAdd(Terms& terms, PrimExpr call) -> PrimExpr {
  const DataType type = terms.dtype(call);
  if (type != DataType::Float(32) && type != DataType::Float(64) && type != DataType::Int(32)) return call;
  return CallExtern(terms, type, "atomicAdd", {Arg(terms, call, 0), Arg(terms, call, 1)});
}

auto OpenClExp(Terms& terms, PrimExpr call) -> PrimExpr {
  if (!arith::IsFloat(terms.dtype(call))) return call;
  return CallExtern(terms, terms.dtype(call), "exp", {Arg(terms, call, 0)});
}

auto OpenClAtomicAdd(Terms& terms, PrimExpr call) -> PrimExpr {
  if (terms.dtype(call) != DataType::Int(32)) return call;
  return CallExtern(terms, terms.dtype(call), "atomic_add", {Arg(terms, call, 0), Arg(terms, call, 1)});
}

auto IntelShuffle(Terms& terms, PrimExpr call) -> PrimExpr {
  // Over whole warps only.
  if (Arg(terms, call, 3) != Arg(terms, call, 4)) return call;
  return CallExtern(terms, terms.dtype(call), "intel_sub_group_shuffle", {Arg(terms, call, 1), Arg(terms, call, 2)});
}

auto GlslClz(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr x = Arg(terms, call, 0);
  const DataType type = terms.dtype(x);
  const DataType i32 = DataType::Int(32);
  constexpr int kFindUMsb = 75;
  // The number of the highest bit.
  const auto highest = [&](PrimExpr e) {
    return CallOf(terms, "tir.call_spirv_pure_glsl450"_intrin, i32, {UInt32(terms, kFindUMsb), e});
  };
  PrimExpr bit;
  if (type == DataType::Int(64) || type == DataType::UInt(64)) {
    const PrimExpr high = terms.Cast(i32, arith::ShiftRight(terms, x, terms.IntImm(type, 32)));
    const PrimExpr above = arith::Add(terms, highest(high), terms.Int32(32));
    bit = arith::IfThenElse(terms, arith::Eq(terms, high, terms.Int32(0)), highest(terms.Cast(i32, x)), above);
  } else if (type.bits == 32 && type.lanes == 1) {
    bit = highest(x);
  } else {
    return call;
  }
  return arith::Sub(terms, terms.Int32(type.bits - 1), bit);
}

auto RocmShuffle(Terms& terms, PrimExpr call) -> PrimExpr {
  const PrimExpr value = Arg(terms, call, 1);
  const PrimExpr lane = Arg(terms, call, 2);
  const PrimExpr width = Arg(terms, call, 3);
  if (terms.dtype(value).bits != 32 || terms.lanes(value) != 1) return call;
  const DataType i32 = DataType::Int(32);
  const PrimExpr all = terms.Int32(-1);
  const PrimExpr low = CallExtern(terms, i32, "llvm.amdgcn.mbcnt.lo", {all, terms.Int32(0)});
  const PrimExpr self = CallExtern(terms, i32, "llvm.amdgcn.mbcnt.hi", {all, low});
  const PrimExpr mask = arith::Sub(terms, width, arith::MakeConst(terms, terms.dtype(width), 1));
  const PrimExpr group = arith::BitwiseAnd(terms, self, arith::BitwiseNot(terms, mask));
  PrimExpr from;
  if (terms.call_op(call) == terms.Intrinsic("tir.tvm_warp_shuffle"_intrin)) {
    from = arith::Add(terms, lane, group);
  } else if (terms.call_op(call) == terms.Intrinsic("tir.tvm_warp_shuffle_up"_intrin)) {
    from = arith::Sub(terms, self, lane);
    from = terms.Select(arith::Lt(terms, from, group), self, from);
  } else {
    from = arith::Add(terms, self, lane);
    const PrimExpr in_group = arith::Add(terms, arith::BitwiseAnd(terms, self, mask), lane);
    from = terms.Select(arith::Ge(terms, in_group, width), self, from);
  }
  const PrimExpr address = arith::ShiftLeft(terms, from, terms.Int32(2));
  return CallExtern(terms, terms.dtype(value), "llvm.amdgcn.ds.bpermute", {address, value});
}

auto RocmActiveMask(Terms& terms, PrimExpr) -> PrimExpr { return terms.Int32(0); }

}  // namespace relayopt::tir
