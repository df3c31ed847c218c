// What a context interns.
#include "relayopt/core/context.h"

#include <catch2/catch.hpp>

namespace relayopt {

namespace {

TEST_CASE("equal texts have equal ids, others have others", "[context]") {
  Context context;
  const StringId a = context.Intern("a");
  CHECK(context.Intern("a") == a);
  CHECK(context.Intern("b") != a);
  CHECK(context.text(a) == "a");
}

TEST_CASE("equal types have equal ids, however they were created", "[context]") {
  Context context;
  const TypeId tensor = context.Tensor({2, 3}, DataType::Float(32));
  CHECK(context.Tensor({2, 3}, DataType::Float(32)) == tensor);
  CHECK(context.Tensor({3, 2}, DataType::Float(32)) != tensor);
  CHECK(context.Tensor({2, 3}, DataType::Float(16)) != tensor);
  const TypeId fields[] = {tensor, tensor};
  CHECK(context.Tuple(fields) == context.Tuple(fields));
  CHECK(context.FunctionType(fields, tensor) == context.FunctionType(fields, tensor));
  CHECK(context.RefType(tensor) != tensor);
}

TEST_CASE("a type variable and an incomplete type are equal only to themselves", "[context]") {
  Context context;
  CHECK(context.FreshIncomplete() != context.FreshIncomplete());
  CHECK(context.FreshVar(context.Intern("A")) != context.FreshVar(context.Intern("A")));
}

TEST_CASE("a type with an incomplete part says so", "[context]") {
  Context context;
  const TypeId fields[] = {context.Scalar(DataType::Int(32)), context.FreshIncomplete()};
  CHECK(context.type(context.Tuple(fields)).has_incomplete);
  CHECK_FALSE(context.type(fields[0]).has_incomplete);
}

TEST_CASE("objects are equal by structure", "[context]") {
  Context context;
  const ObjectId one[] = {context.AddInt(1), context.AddString("x")};
  const ObjectId same[] = {context.AddInt(1), context.AddString("x")};
  const ObjectId other[] = {context.AddInt(2), context.AddString("x")};
  CHECK(context.EqualObjects(context.AddArray(one), context.AddArray(same)));
  CHECK_FALSE(context.EqualObjects(context.AddArray(one), context.AddArray(other)));
}

TEST_CASE("objects have equal hashes where they are equal, and others where they differ deep within", "[context]") {
  Context context;
  const auto nested = [&](int64_t value, int depth) {
    ObjectId object = context.AddInt(value);
    for (int i = 0; i < depth; ++i) {
      const ObjectId items[] = {object, object};
      object = context.AddArray(items);
    }
    return context.object(object).hash;
  };
  CHECK(nested(1, 40) == nested(1, 40));
  CHECK(nested(1, 40) != nested(2, 40));
  CHECK(nested(1, 40) != nested(1, 41));
}

TEST_CASE("a part is created once", "[context]") {
  struct Counter {
    explicit Counter(Context&) {}
    int value = 0;
  };
  Context context;
  context.Part<Counter>().value = 3;
  CHECK(context.Part<Counter>().value == 3);
  Context another;
  CHECK(another.Part<Counter>().value == 0);
}

}  // namespace

}  // namespace relayopt
