// Target strings: their forms, keys, extensions and faults.
#include "relayopt/target/target.h"

#include <catch2/catch.hpp>

namespace relayopt {
namespace {

auto Parsed(std::string_view text) -> Target {
  auto target = Target::Parse(text);
  REQUIRE(target.has_value());
  return *std::move(target);
}

TEST_CASE("A target has a kind, keys and options", "[pass]") {
  const Target target = Parsed("llvm -mcpu=core-avx2 -mattr +fma,-avx512f --num-cores 4 -fast-math");
  CHECK(target.kind() == "llvm");
  CHECK(target.keys() == std::vector<std::string>{"cpu"});
  CHECK(target.Get("mcpu") == "core-avx2");
  CHECK(target.Get("num-cores") == "4");
  CHECK(target.Get("fast-math") == "1");
  CHECK(target.Get("mtriple").empty());
}

TEST_CASE("Keys are the user's, the device and those of the kind unless the user gave some", "[pass]") {
  CHECK(Parsed("llvm -device=arm_cpu").keys() == std::vector<std::string>{"arm_cpu", "cpu"});
  CHECK(Parsed("llvm -keys=x86,cpu -device=cpu").keys() == std::vector<std::string>{"x86", "cpu"});
  CHECK(Parsed("cuda").keys() == std::vector<std::string>{"cuda", "gpu"});
  CHECK(Parsed("llvm -mtriple=aarch64-linux-gnu").keys() == std::vector<std::string>{"arm_cpu", "cpu"});
}

TEST_CASE("Text, JSON and tags name the same targets", "[pass]") {
  const std::string text = "llvm -keys=cpu -mattr=+avx2,+fma -mcpu=haswell";
  CHECK(Parsed("llvm -mcpu=haswell -mattr=+avx2,+fma").ToString() == text);
  CHECK(Parsed(R"({"kind": "llvm", "mcpu": "haswell", "mattr": ["+avx2", "+fma"]})").ToString() == text);
  CHECK(Parsed(text).ToString() == text);
  CHECK(Parsed("aws/cpu/c5.large").Get("mcpu") == "skylake-avx512");
}

TEST_CASE("A host is a target in quotes and no part of the text", "[pass]") {
  const Target target = Parsed("cuda -host='llvm -mcpu=skylake'");
  CHECK(target.Get("host") == "llvm -mcpu=skylake");
  CHECK(target.ToString() == "cuda -keys=cuda,gpu");
  CHECK_FALSE(Target::Parse("cuda -host='lvm'").has_value());
}

TEST_CASE("Vectors are as wide as CPU and extensions allow", "[pass]") {
  CHECK(Parsed("llvm").simd_lanes() == 4);
  CHECK(Parsed("llvm -mcpu=nehalem").simd_lanes() == 4);
  CHECK(Parsed("llvm -mcpu=core-avx2").simd_lanes() == 8);
  CHECK(Parsed("llvm -mcpu=knl").simd_lanes() == 8);
  CHECK(Parsed("llvm -mcpu=skylake-avx512").simd_lanes() == 16);
  CHECK(Parsed("llvm -mcpu=skylake-avx512 -mattr=-avx512bw").simd_lanes() == 8);
  CHECK(Parsed("llvm -mattr=+avx512bw").simd_lanes() == 16);
  CHECK(Parsed("llvm -mattr=+avx2").HasFeature("sse4.2"));
  CHECK_FALSE(Parsed("llvm -mcpu=skylake -mtriple=aarch64-linux-gnu").HasFeature("avx2"));
}

TEST_CASE("Faults of a target are errors", "[pass]") {
  for (const std::string_view text :
       {"", "  ", "lvm", "llvm mcpu=x", "llvm -mcp=x", "llvm -mcpu=a -mcpu=b", "llvm -num-cores=many", "llvm -mcpu='x",
        "llvm -fast-math=perhaps", "{", "{\"mcpu\": \"x\"}", "[1]"}) {
    INFO(text);
    CHECK_FALSE(Target::Parse(text).has_value());
  }
}

}  // namespace
}  // namespace relayopt
