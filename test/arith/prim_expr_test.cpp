#include "relayopt/arith/prim_expr.h"

#include <atomic>
#include <thread>
#include <vector>

#include "catch2/catch.hpp"
#include "relayopt/arith/fold.h"
#include "relayopt/arith/intrinsics.h"
#include "relayopt/arith/walk.h"

using namespace relayopt;         // NOLINT
using namespace relayopt::arith;  // NOLINT
using enum PrimKind;

namespace {

struct Fixture {
  Context context;
  Terms& terms = context.Part<Terms>();
  PrimExpr i = terms.Var("i", kInt32);
  PrimExpr j = terms.Var("j", kInt32);

  auto Int(int64_t value) -> PrimExpr { return terms.Int32(value); }
  auto Text(PrimExpr e) -> std::string { return LegacyText(terms, e); }
};

}  // namespace

TEST_CASE("a context has one part of a kind") {
  Context a;
  Context b;
  CHECK(&a.Part<Terms>() == &a.Part<Terms>());
  CHECK(&a.Part<Terms>() != &b.Part<Terms>());
}

TEST_CASE_METHOD(Fixture, "equal terms are one id, variables only themselves") {
  CHECK(terms.Binary(kAdd, i, j) == terms.Binary(kAdd, i, j));
  CHECK(terms.Binary(kAdd, i, j) != terms.Binary(kAdd, j, i));
  CHECK(terms.Binary(kAdd, i, j) != terms.Binary(kSub, i, j));
  CHECK(terms.IntImm(kInt32, 1) != terms.IntImm(kInt64, 1));
  CHECK(terms.Var("i", kInt32) != i);
  CHECK(terms.Any() != terms.Any());
  CHECK(terms.FloatImm(kFloat32, 0.0) != terms.FloatImm(kFloat32, -0.0));
  const PrimExpr args[] = {i, j, Int(1), Int(2)};
  const CallOpId op = terms.Intrinsic("tir.call_extern");
  CHECK(terms.Call(kInt32, op, args) == terms.Call(kInt32, op, args));
  CHECK(terms.Call(kInt32, op, args) != terms.Call(kInt64, op, args));
}

TEST_CASE_METHOD(Fixture, "a term knows its type, operands and payload") {
  const PrimExpr sum = terms.Binary(kAdd, i, j);
  CHECK(terms.kind(sum) == kAdd);
  CHECK(terms.dtype(sum) == kInt32);
  CHECK(terms.operand(sum, 1) == j);
  CHECK(terms.dtype(terms.Binary(kLT, i, j)) == DataType::Bool());
  const PrimExpr ramp = terms.Ramp(i, Int(1), 4);
  CHECK(terms.dtype(ramp) == WithLanes(kInt32, 4));
  CHECK(terms.dtype(terms.Binary(kEQ, ramp, ramp)) == WithLanes(DataType::Bool(), 4));
  const PrimExpr pointer = terms.Var("p", VarType::Pointer(kFloat32, context.Intern("global")));
  CHECK(terms.dtype(pointer) == kHandleType);
  CHECK(terms.var(pointer).type.dtype == kFloat32);
  const PrimExpr indices[] = {i, ramp};
  const PrimExpr load = terms.BufferLoad(BufferId(7), indices, WithLanes(kFloat32, 4));
  CHECK(terms.buffer(load) == BufferId(7));
  CHECK(terms.operands(load).size() == 2);
  const PrimExpr scalars[] = {i, j};
  CHECK(terms.dtype(terms.WithOperands(load, scalars)) == kFloat32);
  CHECK(terms.WithOperands(sum, terms.operands(sum)) == sum);
}

TEST_CASE_METHOD(Fixture, "the effect of a term is that of its strongest part") {
  CHECK(terms.effect(terms.Binary(kAdd, i, j)) == CallEffect::kPure);
  const PrimExpr load = terms.BufferLoad(BufferId(0), {&i, 1}, kInt32);
  CHECK(terms.effect(terms.Binary(kAdd, load, j)) == CallEffect::kReadState);
  CHECK(terms.effect(terms.Call(kInt32, terms.GlobalFunction("f"), {load})) == CallEffect::kUpdateState);
  CHECK(terms.effect(terms.Call(kInt32, terms.Intrinsic("tir.nobody_knows"), {i})) == CallEffect::kUpdateState);
  const PrimExpr condition = terms.Binary(kLT, i, j);
  CHECK(terms.effect(Likely(terms, condition)) == CallEffect::kPure);
  // Stronger effects count as updating state.
  CHECK(terms.effect(terms.Call(kInt32, terms.Intrinsic("tir.ret"), {i})) == CallEffect::kUpdateState);
}

TEST_CASE_METHOD(Fixture, "literals fold at construction, other terms do not") {
  CHECK(Add(terms, Int(3), Int(4)) == Int(7));
  CHECK(Add(terms, i, Int(0)) == i);
  CHECK(Add(terms, Int(0), i) == i);
  CHECK(Text(Sub(terms, Int(0), i)) == "(0 - i)");
  CHECK(Mul(terms, i, Int(0)) == Int(0));
  CHECK(Mul(terms, Int(1), i) == i);
  CHECK(FloorDiv(terms, Int(-7), Int(2)) == Int(-4));
  CHECK(TruncDiv(terms, Int(-7), Int(2)) == Int(-3));
  CHECK(FloorMod(terms, Int(-7), Int(2)) == Int(1));
  CHECK(TruncMod(terms, Int(-7), Int(2)) == Int(-1));
  CHECK(FloorMod(terms, i, Int(1)) == Int(0));
  CHECK(Text(terms.Binary(kAdd, Int(0), Int(1))) == "(0 + 1)");
  CHECK(Min(terms, i, i) == i);
  const PrimExpr sum = Add(terms, i, j);
  CHECK(terms.kind(Min(terms, sum, sum)) == kMin);
  CHECK(Lt(terms, Int(1), Int(2)) == terms.Bool(true));
  CHECK(And(terms, terms.Bool(true), Lt(terms, i, j)) == Lt(terms, i, j));
  CHECK(Or(terms, terms.Bool(true), Lt(terms, i, j)) == terms.Bool(true));
  CHECK(Not(terms, terms.Bool(true)) == terms.Bool(false));
  CHECK(Text(Sub(terms, i, i)) == "(i - i)");
}

TEST_CASE_METHOD(Fixture, "a result that does not fit wraps to the type") {
  CHECK(Add(terms, Int(INT32_MAX), Int(1)) == Int(INT32_MIN));
  CHECK(Negate(terms, Int(INT32_MIN)) == Int(INT32_MIN));
  CHECK(ShiftLeft(terms, Int(1), Int(31)) == Int(INT32_MIN));
  const DataType int8 = DataType::Int(8);
  CHECK(CastTo(terms, int8, Int(300)) == terms.IntImm(int8, 44));
  CHECK(CastTo(terms, DataType::UInt(8), Int(-1)) == terms.IntImm(DataType::UInt(8), 255));
  CHECK(terms.IsCall(CastTo(terms, DataType::UInt(64), Int(-1)), terms.ops().large_uint_imm));
  const DataType uint8 = DataType::UInt(8);
  CHECK(terms.kind(Sub(terms, terms.IntImm(uint8, 0), terms.IntImm(uint8, 1))) == kSub);
}

TEST_CASE_METHOD(Fixture, "a division by a literal zero is left alone") {
  CHECK(Text(TruncDiv(terms, i, Int(0))) == "(i/0)");
  CHECK(Text(FloorMod(terms, Int(4), Int(0))) == "floormod(4, 0)");
  CHECK(Text(FloorDiv(terms, Int(4), Int(0))) == "floordiv(4, 0)");
}

TEST_CASE_METHOD(Fixture, "floats fold in their own precision") {
  const auto f32 = [&](double v) { return terms.FloatImm(kFloat32, v); };
  CHECK(Add(terms, f32(0.5), f32(0.25)) == f32(0.75));
  CHECK(Add(terms, f32(16777216), f32(1)) == f32(16777216));
  const PrimExpr x = terms.Var("x", kFloat32);
  CHECK(Mul(terms, x, f32(0)) == f32(0));
  CHECK(Add(terms, f32(0), x) == x);
  const auto f16 = [&](double v) { return terms.FloatImm(DataType::Float(16), v); };
  CHECK(terms.kind(Add(terms, f16(1), f16(2))) == kAdd);
  CHECK(Max(terms, f16(1), f16(2)) == f16(2));
}

TEST_CASE_METHOD(Fixture, "operators bring their operands to one type") {
  const PrimExpr n = terms.Var("n", kInt64);
  CHECK(Text(Add(terms, i, n)) == "(int64(i) + n)");
  CHECK(Text(Add(terms, n, Int(2))) == "(n + (int64)2)");
  const PrimExpr u = terms.Var("u", DataType::UInt(32));
  CHECK(Text(Mul(terms, i, u)) == "(uint32(i)*u)");
  const PrimExpr x = terms.Var("x", kFloat32);
  CHECK(Text(Mul(terms, i, x)) == "(float32(i)*x)");
  const PrimExpr h = terms.Var("h", DataType::BFloat(16));
  CHECK(Text(Mul(terms, h, x)) == "(float32(h)*x)");
  const PrimExpr ramp = terms.Ramp(i, Int(1), 4);
  CHECK(Text(Add(terms, ramp, Int(2))) == "(ramp(i, 1, 4) + x4(2))");
  CHECK_FALSE(TypesMatch(kHandleType, kInt32));
  CHECK_FALSE(TypesMatch(WithLanes(kInt32, 4), WithLanes(kInt32, 2)));
  CHECK(TypesMatch(DataType::Bool(), kInt32));
}

TEST_CASE_METHOD(Fixture, "casts look into literals, ramps and broadcasts") {
  CHECK(CastTo(terms, kInt32, i) == i);
  CHECK(CastTo(terms, kFloat32, Int(3)) == terms.FloatImm(kFloat32, 3));
  CHECK(CastTo(terms, kInt32, terms.FloatImm(kFloat32, -2.5)) == Int(-2));
  CHECK(Text(CastTo(terms, WithLanes(kInt64, 4), terms.Ramp(i, Int(1), 4))) == "ramp(int64(i), (int64)1, 4)");
  CHECK(Text(CastTo(terms, WithLanes(kInt64, 4), i)) == "x4(int64(i))");
  CHECK(terms.kind(CastTo(terms, kInt32, terms.FloatImm(kFloat32, 1e30))) == kCast);
}

TEST_CASE_METHOD(Fixture, "a substitution replaces variables and folds nothing") {
  Substitution substitution(terms);
  substitution.Bind(i, Int(0));
  CHECK(Text(substitution.Apply(Add(terms, Mul(terms, i, Int(4)), j))) == "((0*4) + j)");
  const PrimExpr let = terms.Let(i, j, Add(terms, i, j));
  CHECK(Text(substitution.Apply(let)) == "(let i = j in (0 + j))");
}

TEST_CASE_METHOD(Fixture, "free variables stand in order of occurrence, bound ones not at all") {
  const PrimExpr let = terms.Let(i, j, Add(terms, i, Int(1)));
  CHECK(FreeVars(terms, let) == std::vector{j});
  CHECK(FreeVars(terms, Add(terms, Mul(terms, j, i), j)) == std::vector{j, i});
}

TEST_CASE_METHOD(Fixture, "terms may be a million deep") {
  PrimExpr e = i;
  for (int k = 0; k < 1000000; ++k) e = terms.Binary(k % 2 == 0 ? kAdd : kMul, e, j);
  CHECK(PostOrder(terms, e).size() == 1000002);
  CHECK(Complexity(terms, e) == 2000001);
  Substitution substitution(terms);
  substitution.Bind(j, i);
  CHECK(FreeVars(terms, substitution.Apply(e)) == std::vector{i});
  CHECK(Text(e).size() > 1000000);
}

TEST_CASE_METHOD(Fixture, "complexity counts shared parts each time and stops at the largest integer") {
  PrimExpr e = i;
  for (int k = 0; k < 10; ++k) e = terms.Binary(kAdd, e, e);
  CHECK(Complexity(terms, e) == 2047);
  for (int k = 0; k < 100; ++k) e = terms.Binary(kAdd, e, e);
  CHECK(Complexity(terms, e) == UINT64_MAX);
}

TEST_CASE("several threads make the same terms", "[threads]") {
  Context context;
  Terms& terms = context.Part<Terms>();
  const PrimExpr i = terms.Var("i", kInt32);
  constexpr int kTerms = 5000;
  constexpr int kThreads = 4;
  std::vector<std::vector<PrimExpr>> made(kThreads);
  // All begin every sixteenth term at once, or the first thread is done before the last begins.
  std::atomic<int> arrived = 0;
  std::vector<std::thread> threads;
  for (auto& out : made) {
    threads.emplace_back([&] {
      for (int k = 0; k < kTerms; ++k) {
        if (k % 16 == 0) {
          ++arrived;
          while (arrived < (k / 16 + 1) * kThreads) std::this_thread::yield();
        }
        out.push_back(terms.Binary(kAdd, i, terms.Int32(k)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& others : made) CHECK((others == made[0]));
}

TEST_CASE("intrinsics are found by both names") {
  REQUIRE(FindIntrinsic("tir.exp") != nullptr);
  CHECK(FindIntrinsic("tir.exp")->vectorizable);
  CHECK(FindIntrinsic("tir.unknown") == nullptr);
  for (const IntrinsicRow& row : Intrinsics()) {
    CHECK(FindIntrinsic(row.name) == &row);
    CHECK(FindPrintedIntrinsic(row.printed) == &row);
    CHECK_FALSE(row.doc.empty());
  }
  CHECK(FindPrintedIntrinsic("call_packed") == FindIntrinsic("tir.tvm_call_packed"));
  CHECK(FindIntrinsic("tir.exp")->id() == "tir.exp"_intrin);
  CHECK(FindPrintedIntrinsic("tvm_call_packed") == nullptr);
}

TEST_CASE("the number of the thread follows the value of a shuffle, whose type is that of the call") {
  size_t shuffles = 0;
  for (const IntrinsicRow& row : Intrinsics()) {
    if (row.role != IntrinsicRole::kShuffle) continue;
    INFO(row.name);
    ++shuffles;
    CHECK(row.arity().min > row.shuffled_operand() + 1);
    CHECK((row.dtype == CallDType::kOfFirst || row.dtype == CallDType::kOfSecond));
    CHECK(row.evaluate == nullptr);
  }
  CHECK(shuffles == 9);
}
