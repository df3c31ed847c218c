// Which loops LoopPartition may cut, and where.
#include "lib/tir/transforms/utils/partition_conditions.h"

#include <catch2/catch.hpp>

#include "script_program.h"

namespace relayopt::tir {
namespace {

constexpr const char* kTail =
    "def main(A: T.Buffer((38,), \"float32\"), n: T.int32):\n"
    "    for i in range(10):\n"
    "        for j in range(n):\n"
    "            if T.likely(i * 4 + j < 38):\n"
    "                A[i * 4 + j] = T.float32(1)\n";

auto Candidates(ScriptProgram& program, bool const_loops) -> std::vector<bool> {
  CandidateSelector selector(program.context(), const_loops);
  selector.Visit(program.func().body());
  std::vector<bool> is_candidate;
  for (size_t n = 0; n < 2; ++n) is_candidate.push_back(selector.IsCandidate(program.Nth(StmtKind::kFor, n).id()));
  return is_candidate;
}

TEST_CASE("a loop that a likely condition uses is a candidate", "[tir]") {
  ScriptProgram program(kTail);
  CHECK(Candidates(program, true) == std::vector<bool>{true, true});
}

TEST_CASE("loops with literal bounds are candidates on demand only", "[tir]") {
  ScriptProgram program(kTail);
  CHECK(Candidates(program, false) == std::vector<bool>{false, true});
}

TEST_CASE("a loop whose conditions are not likely is a candidate only with a hint", "[tir]") {
  const auto text = [](const std::string& around) {
    return "def main(A: T.Buffer((38,), \"float32\"), n: T.int32):\n    for i in range(10):\n        for j in "
           "range(n):\n" +
           around + "            if j < 3:\n                A[j] = T.float32(1)\n";
  };
  ScriptProgram plain(text(""));
  CHECK(Candidates(plain, true) == std::vector<bool>{false, false});
  ScriptProgram hinted(text("            T.attr(j, \"pragma_loop_partition_hint\", 1)\n"));
  CHECK(Candidates(hinted, true) == std::vector<bool>{false, true});
}

// `min..max` for which each condition in the outer loop is known; an end that is open is left out.
auto KnownFor(const std::string& condition) -> std::vector<std::string> {
  ScriptProgram program(
      "def main(A: T.Buffer((64,), \"float32\"), n: T.int32):\n"
      "    for i in range(10):\n"
      "        for j in range(4):\n"
      "            if " +
      condition +
      ":\n"
      "                A[i * 4 + j] = T.float32(1)\n");
  Terms& terms = program.terms();
  const For loop(program.Nth(StmtKind::kFor, 0));
  std::vector<std::string> known;
  for (const KnownCondition& found :
       FindKnown(terms, program.func().tables(), loop.loop_var(), {}, {}, false, loop.body())) {
    const std::string low = arith::HasLower(terms, found.set) ? program.Text(found.set.min) : "";
    const std::string high = arith::HasUpper(terms, found.set) ? program.Text(found.set.max) : "";
    known.push_back((found.value ? "true " : "false ") + low + ".." + high);
  }
  return known;
}

TEST_CASE("a condition is known where all iterations of inner loops agree", "[tir]") {
  // 4 * 8 + 3 is below 38, 4 * 9 + 3 is not; 4 * 10 is the first that is above for all j.
  CHECK(KnownFor("T.likely(i * 4 + j < 38)") == std::vector<std::string>{"true ..8", "false 10.."});
}

TEST_CASE("a condition that is not likely, or does not use the variable, is not looked at", "[tir]") {
  CHECK(KnownFor("i * 4 + j < 38").empty());
  CHECK(KnownFor("T.likely(j < 3)").empty());
}

}  // namespace
}  // namespace relayopt::tir
