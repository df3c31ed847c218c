// Where threads of a block need barriers.
#include "lib/tir/transforms/utils/thread_accesses.h"

#include <catch2/catch.hpp>

#include "script_program.h"

namespace relayopt::tir {
namespace {

// A kernel of 32 threads with 32 floats of shared memory, S.
auto Kernel(const std::string& statements) -> std::string {
  return "def main(X: T.Buffer((64,), \"float32\"), Y: T.Buffer((64,), \"float32\")):\n"
         "    tx = T.launch_thread(\"threadIdx.x\", 32)\n"
         "    s = T.allocate([32], \"float32\", \"shared\")\n"
         "    S = T.Buffer((32,), data=s, scope=\"shared\")\n" +
         statements;
}

auto BarriersOf(const ScriptProgram& program, std::string_view scope, std::optional<Diagnostic>& fault)
    -> absl::flat_hash_set<StmtId> {
  return PlanBarriers(program.func(), *ParseStorageScope(scope), fault);
}

TEST_CASE("reading what another thread wrote needs a barrier in front", "[tir]") {
  const ScriptProgram program(
      Kernel("    S[tx] = X[tx]\n"
             "    Y[tx] = S[31 - tx]\n"));
  std::optional<Diagnostic> fault;
  const auto barriers = BarriersOf(program, "shared", fault);
  REQUIRE(!fault);
  CHECK(barriers == absl::flat_hash_set<StmtId>{program.Nth(StmtKind::kStore, 1).id()});
}

TEST_CASE("an element that only its own thread accesses needs no barrier", "[tir]") {
  const ScriptProgram program(
      Kernel("    S[tx] = X[tx]\n"
             "    Y[tx] = S[tx]\n"));
  std::optional<Diagnostic> fault;
  CHECK(BarriersOf(program, "shared", fault).empty());
  CHECK(!fault);
}

TEST_CASE("memory of another scope needs no barrier", "[tir]") {
  const ScriptProgram program(
      Kernel("    S[tx] = X[tx]\n"
             "    Y[tx] = S[31 - tx]\n"));
  std::optional<Diagnostic> fault;
  CHECK(BarriersOf(program, "warp", fault).empty());
  CHECK(!fault);
}

TEST_CASE("the next iteration of a loop may not overwrite what is still read", "[tir]") {
  const ScriptProgram program(
      Kernel("    for i in range(4):\n"
             "        S[tx] = X[tx + i]\n"
             "        Y[tx] = Y[tx] + S[31 - tx]\n"));
  std::optional<Diagnostic> fault;
  const auto barriers = BarriersOf(program, "shared", fault);
  REQUIRE(!fault);
  CHECK(barriers ==
        absl::flat_hash_set<StmtId>{program.Nth(StmtKind::kStore, 0).id(), program.Nth(StmtKind::kStore, 1).id()});
}

TEST_CASE("a barrier that not every thread would reach is reported", "[tir]") {
  const ScriptProgram program(
      Kernel("    if tx < 16:\n"
             "        S[tx] = X[tx]\n"
             "        Y[tx] = S[15 - tx]\n"));
  std::optional<Diagnostic> fault;
  BarriersOf(program, "shared", fault);
  REQUIRE(fault);
  CHECK(fault->kind->id == std::string_view("sync-condition"));
}

}  // namespace
}  // namespace relayopt::tir
