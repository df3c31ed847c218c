// Building, laying out and rewriting tensor programs.
#include "relayopt/tir/ir/rewrite.h"

#include <catch2/catch.hpp>

#include "relayopt/arith/fold.h"

namespace relayopt::tir {
namespace {

// A[i] = value, for a buffer of 16 int32.
struct Fixture {
  Context context;
  Terms& terms = context.Part<Terms>();
  Tables& tables = context.Part<Tables>();
  StmtBuilder b{context};
  BufferId buffer = MakeBuffer();

  auto MakeBuffer() -> BufferId {
    Buffer made;
    made.name = context.Intern("A");
    made.dtype = DataType::Int(32);
    made.data = terms.Var("A", VarType::Pointer(DataType::Int(32)));
    made.shape = {terms.Int32(16)};
    return tables.Add(std::move(made));
  }
  auto Var(std::string_view name) -> PrimExpr { return terms.Var(name, DataType::Int(32)); }
  auto Store(PrimExpr index, PrimExpr value) -> StmtId { return b.Store(buffer, value, {&index, 1}); }
  auto Loop(PrimExpr var, int64_t extent, StmtId body) -> StmtId {
    return b.For(var, terms.Int32(0), terms.Int32(extent), ForKind::kSerial, body);
  }
  auto Finish(StmtId body) -> PrimFunc { return {{}, b.Finish(body)}; }
};

// The example of rewrite.h.
class UnitLoops : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  void EnterPart(Stmt stmt, size_t, Exprs exprs) override {
    if (IsUnitLoop(stmt)) Replace(For(stmt).loop_var(), exprs[0]);
  }
  auto Leave(Stmt stmt, Parts parts) -> StmtId override {
    return IsUnitLoop(stmt) ? parts.stmts[0] : Rewriter::Leave(stmt, parts);
  }

 private:
  auto IsUnitLoop(Stmt stmt) const -> bool {
    const auto loop = stmt.As<For>();
    return loop && terms().IsInt(loop->extent(), 1);
  }
};

TEST_CASE("a sequence is flat, without statements that do nothing", "[tir]") {
  Fixture f;
  const PrimExpr i = f.Var("i");
  const StmtId one = f.Store(i, i);
  const StmtId two = f.Store(i, f.terms.Int32(2));
  CHECK(f.b.Seq({one}) == one);
  CHECK(f.b.Seq({f.b.NoOp(), one, f.b.NoOp()}) == one);
  CHECK(f.b.stmt(f.b.Seq({f.b.NoOp()})).is(StmtKind::kEvaluate));
  const StmtId seq = f.b.Seq({one, f.b.Seq({two, one})});
  CHECK(f.b.stmt(seq).num_parts() == 3);
}

TEST_CASE("a laid-out program holds its body only, each use of a shared part as a copy", "[tir]") {
  Fixture f;
  const PrimExpr i = f.Var("i");
  f.Store(i, f.terms.Int32(7));
  const StmtId store = f.Store(i, i);
  const StmtId loop = f.Loop(i, 4, store);
  const PrimFunc func = f.Finish(f.b.Seq({loop, store, loop}));
  REQUIRE(func.size() == 6);
  const Stmt body = func.body();
  REQUIRE(body.num_parts() == 3);
  CHECK(body.part(0).Contains(func.stmt(StmtId(0U))));
  CHECK(!body.part(0).Contains(func.stmt(StmtId(2U))));
  CHECK(body.part(2).part(0).As<BufferStore>()->value() == i);
  CHECK(Parents(func.stmts())[StmtId(2U)] == body.id());
  CHECK(!Parents(func.stmts())[body.id()]);
}

TEST_CASE("a rewrite that changes nothing answers nothing", "[tir]") {
  Fixture f;
  const PrimExpr i = f.Var("i");
  const PrimFunc func = f.Finish(f.Loop(i, 4, f.Store(i, i)));
  CHECK(!UnitLoops(func).Run());
}

TEST_CASE("a replaced variable is replaced in stores, loads and the shapes of buffers", "[tir]") {
  Fixture f;
  const PrimExpr i = f.Var("i");
  const PrimExpr n = f.Var("n");
  Buffer small = f.tables.buffer(f.buffer);
  small.shape = {i};
  const BufferId sized = f.tables.Add(small);
  const PrimExpr load = f.terms.BufferLoad(sized, {{i}}, DataType::Int(32));
  const StmtId inner = f.b.DeclBuffer(sized, f.Store(i, load));
  const PrimFunc func = f.Finish(f.Loop(n, 4, f.Loop(i, 1, inner)));
  const auto result = UnitLoops(func).Run();
  REQUIRE(result);
  const auto decl = result->body().part(0).As<DeclBuffer>();
  REQUIRE(decl);
  CHECK(f.tables.buffer(decl->buffer()).shape[0] == f.terms.Int32(0));
  const auto store = decl->body().As<BufferStore>();
  CHECK(store->indices()[0] == f.terms.Int32(0));
  CHECK(f.terms.buffer(store->value()) == decl->buffer());
}

TEST_CASE("a variable replaced by a variable is renamed where it is defined", "[tir]") {
  Fixture f;
  const PrimExpr i = f.Var("i");
  const PrimExpr j = f.Var("j");
  class Rename : public Rewriter {
   public:
    Rename(const PrimFunc& func, PrimExpr from, PrimExpr to) : Rewriter(func) { Replace(from, to); }
  };
  const PrimFunc func = f.Finish(f.Loop(i, 4, f.Store(i, i)));
  const auto result = Rename(func, i, j).Run();
  REQUIRE(result);
  CHECK(result->body().As<For>()->loop_var() == j);
  CHECK(result->body().part(0).As<BufferStore>()->value() == j);
}

TEST_CASE("substitution leaves definitions alone and gives a changed buffer one new identity", "[tir]") {
  Fixture f;
  const PrimExpr i = f.Var("i");
  const PrimExpr data = f.terms.CopyVar(f.tables.buffer(f.buffer).data, "B");
  const StmtId both = f.b.Seq({f.Store(i, i), f.Store(i, f.terms.Int32(1))});
  const StmtId made = Substitute(f.b, f.b.stmt(both), {{f.tables.buffer(f.buffer).data, data}});
  const Stmt seq = f.b.stmt(made);
  const BufferId first = seq.part(0).As<BufferStore>()->buffer();
  CHECK(first != f.buffer);
  CHECK(seq.part(1).As<BufferStore>()->buffer() == first);
  CHECK(f.tables.buffer(first).data == data);
}

TEST_CASE("a nest of a hundred thousand statements is rewritten without recursion", "[tir]") {
  Fixture f;
  StmtId body = f.Store(f.terms.Int32(0), f.terms.Int32(0));
  for (int k = 0; k < 100000; ++k) body = f.Loop(f.Var("i"), k % 2 + 1, body);
  const PrimFunc func = f.Finish(body);
  const auto result = UnitLoops(func).Run();
  REQUIRE(result);
  CHECK(result->size() == 50001);
}

}  // namespace
}  // namespace relayopt::tir
