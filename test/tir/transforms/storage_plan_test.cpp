// Which allocations of a program share memory.
#include "lib/tir/transforms/utils/storage_plan.h"

#include <catch2/catch.hpp>

#include "script_program.h"

namespace relayopt::tir {
namespace {

auto PlanOf(const ScriptProgram& program) -> StoragePlan {
  std::optional<Diagnostic> fault;
  const LinearAccesses accesses = LinearizeAccesses(program.func(), {}, fault);
  REQUIRE(!fault);
  StoragePlan plan = PlanStorage(program.func(), accesses, fault);
  REQUIRE(!fault);
  return plan;
}

// Two allocations of 16 floats, and statements that use them.
auto TwoBuffers(const std::string& statements, const std::string& second_scope = "global") -> std::string {
  return "def main(X: T.Buffer((16,), \"float32\"), Y: T.Buffer((16,), \"float32\")):\n"
         "    a = T.allocate([16], \"float32\", \"global\")\n"
         "    b = T.allocate([16], \"float32\", \"" +
         second_scope +
         "\")\n"
         "    A = T.Buffer((16,), data=a)\n"
         "    B = T.Buffer((16,), data=b, scope=\"" +
         second_scope + "\")\n" + statements;
}

constexpr const char* kOneAfterTheOther =
    "    for i in range(16):\n"
    "        A[i] = X[i]\n"
    "    for i in range(16):\n"
    "        Y[i] = A[i]\n"
    "    for i in range(16):\n"
    "        B[i] = X[i]\n"
    "    for i in range(16):\n"
    "        Y[i] = Y[i] + B[i]\n";

TEST_CASE("allocations that are used one after the other share memory", "[tir]") {
  const ScriptProgram program(TwoBuffers(kOneAfterTheOther));
  const StoragePlan plan = PlanOf(program);
  REQUIRE(plan.entries.size() == 1);
  CHECK(plan.entries[0]->bits == 16 * 32);
  CHECK(plan.entries[0]->allocs.size() == 2);
  for (const size_t n : {0, 1}) {
    const Allocate alloc(program.Nth(StmtKind::kAllocate, n));
    CHECK(plan.by_var.at(alloc.buffer_var()) == plan.entries[0].get());
  }
}

TEST_CASE("allocations of different storage scopes do not share memory", "[tir]") {
  const ScriptProgram program(TwoBuffers(kOneAfterTheOther, "local"));
  const StoragePlan plan = PlanOf(program);
  REQUIRE(plan.entries.size() == 2);
  CHECK(plan.entries[0]->scope.rank == StorageRank::kGlobal);
  CHECK(plan.entries[1]->scope.rank == StorageRank::kLocal);
}

TEST_CASE("allocations that are used at the same time do not share memory", "[tir]") {
  const ScriptProgram program(
      TwoBuffers("    for i in range(16):\n"
                 "        A[i] = X[i]\n"
                 "    for i in range(16):\n"
                 "        B[i] = X[i]\n"
                 "    for i in range(16):\n"
                 "        Y[i] = A[i] + B[i]\n"));
  CHECK(PlanOf(program).entries.size() == 2);
}

TEST_CASE("a result takes over the memory of an operand that it is computed from element by element", "[tir]") {
  const auto entries = [](const std::string& index) {
    const ScriptProgram program(
        TwoBuffers("    for i in range(16):\n"
                   "        A[i] = X[i]\n"
                   "    for i in range(16):\n"
                   "        B[i] = A[" +
                   index +
                   "] + T.float32(1)\n"
                   "    for i in range(16):\n"
                   "        Y[i] = B[i]\n"));
    return PlanOf(program).entries.size();
  };
  CHECK(entries("i") == 1);
  CHECK(entries("15 - i") == 2);
}

TEST_CASE("memory of a parallel loop belongs to its iterations", "[tir]") {
  const ScriptProgram program(
      "def main(X: T.Buffer((4,), \"float32\")):\n"
      "    for i in T.parallel(4):\n"
      "        a = T.allocate([1], \"float32\", \"global\")\n"
      "        A = T.Buffer((1,), data=a)\n"
      "        A[0] = X[i]\n"
      "        X[i] = A[0] + T.float32(1)\n");
  const StoragePlan plan = PlanOf(program);
  REQUIRE(plan.entries.size() == 1);
  CHECK(plan.entries[0]->attach == program.Nth(StmtKind::kFor, 0).id());
}

TEST_CASE("threads inside of threads are reported", "[tir]") {
  const ScriptProgram program(
      "def main(X: T.Buffer((4,), \"float32\")):\n"
      "    for i in T.parallel(2):\n"
      "        vx = T.launch_thread(\"vthread\", 2)\n"
      "        X[i * 2 + vx] = T.float32(1)\n");
  std::optional<Diagnostic> fault;
  const LinearAccesses accesses = LinearizeAccesses(program.func(), {}, fault);
  if (!fault) PlanStorage(program.func(), accesses, fault);
  REQUIRE(fault);
  CHECK(fault->kind->id == std::string_view("storage-scope-nested"));
}

}  // namespace
}  // namespace relayopt::tir
