// Unification of types.
#include <catch2/catch.hpp>

#include "relayopt/relay/types/unifier.h"

using namespace relayopt;

namespace {

const DataType kF32 = DataType::Float(32);

}  // namespace

TEST_CASE("equal types have equal ids") {
  Context context;
  CHECK(context.Tensor({2, 3}, kF32) == context.Tensor({2, 3}, kF32));
  CHECK_FALSE(context.Tensor({2, 3}, kF32) == context.Tensor({3, 2}, kF32));
  CHECK_FALSE(context.Tensor({Dim(2, 32)}, kF32) == context.Tensor({Dim(2, 64)}, kF32));
}

TEST_CASE("an unknown type becomes what it meets") {
  Context context;
  Unifier unifier(context);
  const TypeId unknown = unifier.Fresh();
  const TypeId tensor = context.Tensor({2}, kF32);
  CHECK(unifier.Unify(unknown, tensor) == tensor);
  CHECK(unifier.Head(unknown) == tensor);
  CHECK(unifier.TakeBound() == std::vector{unknown});
}

TEST_CASE("unknown parts of tuples and functions are filled in") {
  Context context;
  Unifier unifier(context);
  const TypeId tensor = context.Tensor({2}, kF32);
  const TypeId hole = unifier.Fresh();
  const TypeId open[] = {hole, tensor};
  const TypeId known[] = {tensor, tensor};
  CHECK(unifier.Unify(context.Tuple(open), context.Tuple(known)));
  CHECK(unifier.Resolve(context.Tuple(open)) == context.Tuple(known));
  const TypeId result = unifier.Fresh();
  CHECK(unifier.Unify(context.FunctionType({}, result), context.FunctionType({}, tensor)));
  CHECK(unifier.Resolve(result) == tensor);
}

TEST_CASE("an extent that meets ? is forgotten") {
  Context context;
  Unifier unifier(context);
  const TypeId known = context.Tensor({3}, kF32);
  const TypeId any = context.Tensor({Dim::Any()}, kF32);
  CHECK(unifier.Unify(known, any) == any);
}

TEST_CASE("what conflicts is named") {
  Context context;
  Unifier unifier(context);
  CHECK_FALSE(unifier.Unify(context.Tensor({3}, kF32), context.Tensor({4}, kF32)));
  CHECK(unifier.mismatch() == "dimension 0 is 3 on one side and 4 on the other");
  CHECK_FALSE(unifier.Unify(context.Tensor({3}, kF32), context.Tensor({3}, DataType::Int(32))));
  CHECK(unifier.mismatch() == "element type float32 is not int32");
  CHECK_FALSE(unifier.Unify(context.Tensor({3}, kF32), context.Tensor({3, 3}, kF32)));
  CHECK(unifier.mismatch() == "a tensor of rank 1 is not one of rank 2");
  CHECK_FALSE(unifier.Unify(context.UnitType(), context.Tensor({3}, kF32)));
  CHECK(unifier.mismatch() == "a tuple is not a tensor");
}

TEST_CASE("a type cannot contain itself") {
  Context context;
  Unifier unifier(context);
  const TypeId hole = unifier.Fresh();
  CHECK_FALSE(unifier.Unify(hole, context.RefType(hole)));
}

TEST_CASE("type parameters of functions stand for each other") {
  Context context;
  Unifier unifier(context);
  const TypeId a = context.FreshVar(context.Intern("A"));
  const TypeId b = context.FreshVar(context.Intern("A"));
  CHECK_FALSE(a == b);
  const TypeId f = context.FunctionType({&a, 1}, a, {&a, 1});
  const TypeId g = context.FunctionType({&b, 1}, b, {&b, 1});
  CHECK(unifier.Unify(f, g));
}

TEST_CASE("deep types are unified without recursion") {
  Context context;
  Unifier unifier(context);
  TypeId open = unifier.Fresh();
  TypeId known = context.Tensor({1}, kF32);
  const TypeId leaf = open;
  for (int i = 0; i < 200'000; ++i) {
    open = context.RefType(open);
    known = context.RefType(known);
  }
  CHECK(unifier.Unify(open, known));
  CHECK(unifier.Resolve(leaf) == context.Tensor({1}, kF32));
}
