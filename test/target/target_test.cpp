// Target strings: their forms, keys, extensions and faults.
#include "relayopt/target/target.h"

#include <algorithm>
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
  REQUIRE(target.host() != nullptr);
  CHECK(target.host()->ToString() == "llvm -keys=cpu -mcpu=skylake");
  CHECK(target.ToString() == "cuda -keys=cuda,gpu -arch=sm_50 -max_num_threads=1024 -thread_warp_size=32");
  CHECK_FALSE(Target::Parse("cuda -host='lvm'").has_value());
}

TEST_CASE("Attributes have the defaults of their kind", "[pass]") {
  CHECK(Parsed("llvm").ToString() == "llvm -keys=cpu ");
  CHECK(Parsed("ext_dev").ToString() == "ext_dev ");
  CHECK(Parsed("cuda -arch=sm_86").Get("arch") == "sm_86");
  CHECK(Parsed("vulkan").attrs().at("supports_int32") == TargetValue(true));
  CHECK(Parsed("vulkan -supports_int32=0").attrs().at("supports_int32") == TargetValue(int64_t{0}));
  CHECK(Parsed("nvptx").Get("mtriple") == "nvptx64-nvidia-cuda");
  CHECK(Parsed("opencl -device=mali").keys() == std::vector<std::string>{"mali", "opencl", "gpu"});
  CHECK(Parsed("cuda -keys=cuda").keys() == std::vector<std::string>{"cuda"});
}

TEST_CASE("The dictionary of a target makes it again", "[pass]") {
  for (const std::string_view text :
       {"llvm", "cuda -host='llvm -mattr=+a,+b'", "vulkan", "nvidia/geforce-gt-730-ddr3,128bit",
        "composite -devices=cuda,opencl -host=llvm", "cutlass -split_k_slices=1,2"}) {
    const Target target = Parsed(text);
    CHECK(Parsed(target.ToJson()).ToJson() == target.ToJson());
  }
}

TEST_CASE("Tags carry hosts and no name", "[pass]") {
  const Target target = Parsed("nvidia/jetson-orin-nano");
  CHECK(target.tag().empty());
  CHECK(target.Get("arch") == "sm_87");
  REQUIRE(target.host() != nullptr);
  CHECK(target.host()->Get("num-cores") == "6");
  CHECK(target.host()->HasKey("arm_cpu"));
  CHECK(Parsed("nvidia/nvidia-a100").GetInt("l2_cache_size_bytes") == 41943040);
}

TEST_CASE("A registered tag stands for its target, and is not registered twice", "[pass]") {
  CHECK(TargetOfTag("test/board").empty());
  const auto made = RegisterTargetTag("test/board", {{"kind", "llvm"}, {"num-cores", int64_t{3}}}, false);
  REQUIRE(made.has_value());
  CHECK(Parsed("test/board").ToString() == "llvm -keys=cpu -num-cores=3");
  CHECK(std::ranges::count(TargetTags(), "test/board") == 1);
  const auto again = RegisterTargetTag("test/board", {{"kind", "c"}}, false);
  REQUIRE_FALSE(again.has_value());
  CHECK(again.error().text == "the target tag 'test/board' exists already");
  CHECK(RegisterTargetTag("nvidia/jetson-nano", {{"kind", "llvm"}, {"nope", int64_t{3}}}, true).has_value() == false);
  CHECK(Parsed("nvidia/jetson-nano").kind() == "cuda");
  REQUIRE(RegisterTargetTag("test/board", {{"kind", "c"}}, true).has_value());
  CHECK(Parsed("test/board").kind() == "c");
}

TEST_CASE("Kinds say what they are", "[pass]") {
  const auto cuda = InfoOfTargetKind("cuda");
  REQUIRE(cuda.has_value());
  CHECK(cuda->device_type == 2);
  CHECK(cuda->keys == std::vector<std::string>{"cuda", "gpu"});
  CHECK(cuda->options.at("thread_warp_size") == "IntImm");
  CHECK(cuda->options.at("host") == "Target");
  CHECK_FALSE(cuda->is_external);
  CHECK(InfoOfTargetKind("tensorrt")->is_external);
  CHECK(InfoOfTargetKind("cudda").error().text == "unknown target kind or tag 'cudda' (did you mean 'cuda'?)");
}

TEST_CASE("CPUs of ARM have features by version and extensions", "[pass]") {
  CHECK(Parsed("llvm -mtriple=aarch64-linux-gnu -mattr=+v8.4a").features().at("has_dotprod"));
  CHECK_FALSE(Parsed("llvm -mtriple=aarch64-linux-gnu -mattr=+v8.4a,+nodotprod").features().at("has_dotprod"));
  CHECK_FALSE(Parsed("llvm -mtriple=aarch64-linux-gnu -mattr=+v8.2a").features().at("has_dotprod"));
  CHECK(Parsed("llvm -mtriple=aarch64-linux-gnu -mattr=+v8.2a,+i8mm").features().at("has_matmul_i8"));
  CHECK(Parsed("c -mcpu=cortex-m55").features().at("has_mve"));
  CHECK_FALSE(Parsed("c -mcpu=cortex-m55+nomve").features().at("has_mve"));
  CHECK(Parsed("c -mcpu=cortex-m7").keys() == std::vector<std::string>{"arm_cpu", "cpu"});
  CHECK(Parsed("llvm").features().empty());
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
        "llvm -fast-math=perhaps", "cuda -arch=volta", "nvptx -mtriple=x", "rocm -mcpu=sm_50",
        "llvm -mcpu=", "{\"kind\": \"llvm\", \"features\": {}}", "{\"kind\": \"llvm\", \"num-cores\": \"4\"}", "{",
        "{\"mcpu\": \"x\"}", "[1]"}) {
    INFO(text);
    CHECK_FALSE(Target::Parse(text).has_value());
  }
}

}  // namespace
}  // namespace relayopt
