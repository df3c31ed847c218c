// Programs that go deep or on for ever, and values that are nested deeply.
#include <pthread.h>

#include "eval_harness.h"

namespace relayopt::testing {
namespace {

// Runs `body` on a thread with a stack of 64 KiB.
template <typename Body>
void OnSmallStack(Body body) {
  pthread_attr_t attrs;
  REQUIRE(pthread_attr_init(&attrs) == 0);
  REQUIRE(pthread_attr_setstacksize(&attrs, size_t{64} << 10) == 0);
  pthread_t thread{};
  const auto run = [](void* argument) -> void* {
    (*static_cast<Body*>(argument))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attrs, run, &body) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attrs);
}

constexpr std::string_view kSum = R"(
def @sum(%n: int32) -> int32 { if (equal(%n, 0)) { 0 } else { add(%n, @sum(subtract(%n, 1))) } }
def @main() -> int32 { @sum(50000) }
)";

constexpr std::string_view kList = R"(
type List[A] { Cons(A, List[A]), Nil, }
def @list(%n: int32) -> List[int32] { if (equal(%n, 0)) { Nil } else { Cons(%n, @list(subtract(%n, 1))) } }
def @main() -> List[int32] { @list(50000) }
)";

constexpr std::string_view kEndless = R"(
def @loop(%n: int32) -> int32 { @loop(add(%n, 1)) }
def @main() -> int32 { @loop(0) }
)";

TEST_CASE("recursion of the program costs no stack") {
  const Module module = ReadProgram(kSum);
  std::string text;
  OnSmallStack([&] { text = RunProgram(module); });
  CHECK(text == "1250025000");
}

TEST_CASE("deeply nested values are created, shown in part and destroyed without recursion") {
  const Module module = ReadProgram(kList);
  std::string text;
  OnSmallStack([&] { text = RunProgram(module); });
  CHECK(text.starts_with("Cons(50000, Cons(49999, "));
  CHECK(text.ends_with("..."));
}

TEST_CASE("programs without an end are stopped by either limit") {
  const Module module = ReadProgram(kEndless);
  EvaluationLimits few_steps;
  few_steps.max_steps = 1000;
  CHECK(RunProgram(module, {}, few_steps) == "too-many-steps");
  EvaluationLimits shallow;
  shallow.max_depth = 100;
  CHECK(RunProgram(module, {}, shallow) == "too-deep");
}

TEST_CASE("a program that needs what the limits allow runs") {
  const std::string_view text = R"(
def @sum(%n: int32) -> int32 { if (equal(%n, 0)) { 0 } else { add(%n, @sum(subtract(%n, 1))) } }
def @main() -> int32 { @sum(10) }
)";
  // @main and eleven calls of @sum.
  EvaluationLimits limits;
  limits.max_depth = 12;
  CHECK(RunProgram(text, limits) == "55");
  limits.max_depth = 9;
  CHECK(RunProgram(text, limits) == "too-deep");
}

TEST_CASE("a tensor above the limit ends the program") {
  EvaluationLimits limits;
  limits.kernels.max_tensor_bytes = 1000;
  CHECK(RunProgram("def @main() { zeros(shape=[250], dtype=\"float32\") }", limits).starts_with("[0, 0"));
  CHECK(RunProgram("def @main() { zeros(shape=[251], dtype=\"float32\") }", limits) == "evaluation-failed");
}

TEST_CASE("a function that a module only names cannot be called") {
  Module module;
  FunctionBuilder builder(module.context());
  const ExprId call = builder.Call(builder.Global(module.NameGlobal("nothing")), {});
  const GlobalId main = module.NameGlobal("main");
  module.SetFunction(main, std::make_shared<Function>(builder.Finish(builder.Lambda({}, {}, call))));
  Evaluator evaluator(module);
  const auto result = evaluator.Call(main, {});
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().text == "function @nothing has no body to evaluate");
}

TEST_CASE("arguments take the place of unknown extents") {
  const Module module = ReadProgram("def @main(%x: Tensor[(?, 2), float32]) { sum(%x, axis=[0]) }");
  CHECK(RunProgram(module, {Floats({3, 2}, {1, 2, 3, 4, 5, 6})}) == "[9, 12]");
  CHECK(RunProgram(module, {Floats({0, 2}, {})}) == "[0, 0]");
}

TEST_CASE("an evaluator remembers the first operator without a result of its own") {
  const Module module = ReadProgram(R"(def @main(%x: float32) { (cast(%x, dtype="int32"), right_shift(1, 40)) })");
  Evaluator evaluator(module);
  CHECK(evaluator.undefined().empty());
  const auto result = evaluator.Call(module.FindGlobal("main"), {Floats({}, {1e20F})});
  REQUIRE(result.has_value());
  CHECK(evaluator.undefined().starts_with("cast: "));
}

TEST_CASE("references are shared, and change in the order of the program") {
  CHECK(RunProgram(R"(
def @main() {
  let %r = ref(1);
  let %before = ref_read(%r);
  let %s = %r;
  let %w = ref_write(%s, add(%before, 5));
  (%before, ref_read(%r))
})") == "(1, 6)");
}

}  // namespace
}  // namespace relayopt::testing
