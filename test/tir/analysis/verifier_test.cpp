// What the verifier says of tensor programs that break a rule, rule by rule.
#include "relayopt/tir/analysis/verifier.h"

#include <catch2/catch.hpp>

namespace relayopt::tir {
namespace {

constexpr DataType kInt = DataType::Int(32);
constexpr DataType kFloat = DataType::Float(32);

// A buffer of 16 int32, and statements that keep all rules.
struct Program {
  Context context;
  Terms& terms = context.Part<Terms>();
  Tables& tables = context.Part<Tables>();
  StmtBuilder b{context};
  PrimExpr zero = terms.Int32(0);
  PrimExpr real = terms.FloatImm(kFloat, 0);
  BufferId buffer = MakeBuffer();

  auto MakeBuffer() -> BufferId {
    Buffer made;
    made.name = context.Intern("A");
    made.dtype = kInt;
    made.data = terms.Var("A", VarType::Pointer(kInt));
    made.shape = {terms.Int32(16)};
    return tables.Add(std::move(made));
  }
  auto Store(PrimExpr index, PrimExpr value) -> StmtId { return b.Store(buffer, value, {&index, 1}); }
  auto Store() -> StmtId { return Store(zero, zero); }
  // What is wrong with the program, or nothing.
  auto Fault(StmtId body, PrimFuncInfo info = {}) -> std::string {
    const auto error = Verify(PrimFunc(std::move(info), b.Finish(body)));
    return error ? error->text : "";
  }
};

TEST_CASE("a program that keeps all rules has no fault", "[tir]") {
  Program p;
  const PrimExpr i = p.terms.Var("i", kInt);
  const StmtId loop = p.b.For(i, p.zero, p.terms.Int32(4), ForKind::kSerial, p.Store(i, i));
  CHECK(p.Fault(p.b.Seq({loop, p.Store()})).empty());
}

TEST_CASE("a buffer is bound to a parameter", "[tir]") {
  Program p;
  const PrimExpr handle = p.terms.Var("a", arith::kHandleType);
  PrimFuncInfo info;
  info.buffer_map = {{handle, p.buffer}};
  CHECK(p.Fault(p.Store(), info) == "a buffer is bound to something that is not a parameter");
  info.params = {handle};
  CHECK(p.Fault(p.Store(), info).empty());
}

TEST_CASE("the parts of a statement stand directly before it", "[tir]") {
  Program p;
  const StmtId store = p.Store();
  p.Store();
  p.b.If(p.terms.Bool(true), store);
  const auto error = Verify(PrimFunc({}, p.b.table()));
  REQUIRE(error);
  CHECK(error->text == "the table is not laid out");
  CHECK(error->stmt == StmtId(2U));
}

TEST_CASE("a buffer has as many indices as dimensions", "[tir]") {
  Program p;
  const PrimExpr two[] = {p.zero, p.zero};
  const PrimExpr load = p.terms.BufferLoad(p.buffer, two, kInt);
  CHECK(p.Fault(p.Store(p.zero, load)) == "buffer A has 1 dimensions, and is indexed with 2");
}

TEST_CASE("an index is an integer", "[tir]") {
  Program p;
  CHECK(p.Fault(p.Store(p.real, p.zero)) == "an index of buffer A is float32");
}

TEST_CASE("only the last index is a vector", "[tir]") {
  Program p;
  Buffer matrix = p.tables.buffer(p.buffer);
  matrix.shape = {p.terms.Int32(4), p.terms.Int32(4)};
  const BufferId id = p.tables.Add(std::move(matrix));
  const PrimExpr ramp = p.terms.Ramp(p.zero, p.terms.Int32(1), 4);
  const PrimExpr first[] = {ramp, p.zero};
  CHECK(p.Fault(p.b.Store(id, p.zero, first)) == "an index of buffer A before the last one is a vector");
  const PrimExpr last[] = {p.zero, ramp};
  CHECK(p.Fault(p.b.Store(id, p.terms.Broadcast(p.zero, 4), last)).empty());
}

TEST_CASE("a load has the type of what it loads", "[tir]") {
  Program p;
  const PrimExpr load = p.terms.BufferLoad(p.buffer, {&p.zero, 1}, kFloat);
  CHECK(p.Fault(p.b.Evaluate(load)) == "a load of int32 has the type float32");
}

TEST_CASE("a stored value has the type of the buffer", "[tir]") {
  Program p;
  CHECK(p.Fault(p.Store(p.zero, p.real)) == "float32 is stored where int32 belongs");
}

TEST_CASE("a let binds a value of the type of its variable, or a handle to a handle", "[tir]") {
  Program p;
  CHECK(p.Fault(p.b.Let(p.terms.Var("x", kInt), p.real, p.Store())) == "a variable of type int32 is bound to float32");
  const PrimExpr pointer = p.terms.Var("p", VarType::Pointer(kFloat));
  CHECK(p.Fault(p.b.Let(p.terms.Var("q", arith::kHandleType), pointer, p.Store())).empty());
}

TEST_CASE("a condition is a truth value", "[tir]") {
  Program p;
  CHECK(p.Fault(p.b.Assert(p.zero, p.terms.StringImm("why"), p.Store())) ==
        "the condition of an assertion is int32, not bool");
  const PrimExpr memory = p.terms.Var("m", VarType::Pointer(kInt));
  const PrimExpr extent = p.terms.Int32(4);
  CHECK(p.Fault(p.b.Allocate(memory, kInt, {&extent, 1}, p.zero, p.Store())) ==
        "the condition of an allocation is int32, not bool");
  const StmtId block = p.b.Block({}, {}, p.Store());
  CHECK(p.Fault(p.b.BlockRealize({}, p.zero, block)) == "the predicate of a block is int32, not bool");
}

TEST_CASE("a loop has one type", "[tir]") {
  Program p;
  const PrimExpr i = p.terms.Var("i", kInt);
  const PrimExpr wide = p.terms.IntImm(DataType::Int(64), 4);
  CHECK(p.Fault(p.b.For(i, p.zero, wide, ForKind::kSerial, p.Store())) ==
        "a loop over int32 begins at int32 and has an extent of int64");
}

TEST_CASE("a block is realized with a value for each axis", "[tir]") {
  Program p;
  const StmtId block = p.b.Block({}, {}, p.Store());
  CHECK(p.Fault(p.b.BlockRealize({&p.zero, 1}, p.terms.Bool(true), block)) ==
        "a block has 0 axes and 1 values for them");
}

}  // namespace
}  // namespace relayopt::tir
