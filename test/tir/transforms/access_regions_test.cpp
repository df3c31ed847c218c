// The regions of buffers that programs access.
#include "lib/tir/transforms/utils/access_regions.h"

#include <catch2/catch.hpp>

#include "script_program.h"

namespace relayopt::tir {
namespace {

// A buffer B of 16 by 16 elements that is defined inside of the loop over i, and statements that access it.
auto InsideOfLoop(const std::string& statements) -> std::string {
  return "def main(X: T.Buffer((16, 16), \"float32\"), n: T.int32):\n"
         "    for i in range(16):\n"
         "        with T.block(\"\"):\n"
         "            T.reads()\n"
         "            T.writes()\n"
         "            B = T.alloc_buffer((16, 16))\n" +
         statements;
}

// `[min, min + extent), ...` of B.
auto RegionOf(const std::string& statements, bool is_strict = true) -> std::string {
  ScriptProgram program(InsideOfLoop(statements));
  const Result<AccessedRegions> regions = CollectAccessedRegions(program.func(), is_strict);
  if (!regions) return regions.error().text;
  std::string text;
  for (const Range& range : regions->at(program.Data("B")).ranges) {
    text += (text.empty() ? "" : ", ") + program.Text(range.min) + ":" + program.Text(range.extent);
  }
  return text;
}

TEST_CASE("loops outside of a buffer are fixed and loops inside run through their ranges", "[tir]") {
  CHECK(RegionOf("            for j in range(4, 8):\n"
                 "                B[i, j] = X[i, j]\n") == "i:1, 4:4");
}

TEST_CASE("the accesses of a buffer are joined", "[tir]") {
  CHECK(RegionOf("            for j in range(2):\n"
                 "                B[i, j] = X[i, j]\n"
                 "            for j in range(10, 12):\n"
                 "                X[i, j] = B[i, j]\n") == "i:1, 0:12");
}

TEST_CASE("a condition around an access narrows its region", "[tir]") {
  CHECK(RegionOf("            for j in range(16):\n"
                 "                if j < 6:\n"
                 "                    B[i, j] = X[i, j]\n") == "i:1, 0:6");
}

TEST_CASE("a strict region begins in the shape and is not larger", "[tir]") {
  const std::string beyond =
      "            for j in range(20):\n"
      "                B[i, j - 4] = X[i, j]\n";
  CHECK(RegionOf(beyond, false) == "i:1, -4:20");
  CHECK(RegionOf(beyond, true) == "i:1, 0:16");
}

TEST_CASE("an index that is not known covers the whole dimension", "[tir]") {
  CHECK(RegionOf("            for j in range(4):\n"
                 "                B[T.Cast(\"int32\", X[j, 0]), 3] = T.float32(1)\n") == "0:16, 3:1");
}

TEST_CASE("a buffer that nothing accesses is reported", "[tir]") {
  CHECK(RegionOf("            X[i, 0] = T.float32(1)\n") == "buffer B is allocated but not accessed");
}

}  // namespace
}  // namespace relayopt::tir
