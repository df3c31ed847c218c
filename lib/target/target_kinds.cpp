// The tables of targets.
#include "target_kinds.h"

#include <algorithm>
#include <iterator>

namespace relayopt {

namespace {

constexpr TargetOption kCommon[] = {
    {"device", TargetValue::kString}, {"from_device", TargetValue::kInt},        {"host", TargetValue::kTarget},
    {"keys", TargetValue::kStrings},  {"libs", TargetValue::kStrings},           {"model", TargetValue::kString},
    {"tag", TargetValue::kString},    {"target_device_type", TargetValue::kInt},
};

constexpr TargetOption kLlvm[] = {
    {"cl-opt", TargetValue::kStrings},      {"fast-math", TargetValue::kBool},
    {"fast-math-arcp", TargetValue::kBool}, {"fast-math-contract", TargetValue::kBool},
    {"fast-math-ninf", TargetValue::kBool}, {"fast-math-nnan", TargetValue::kBool},
    {"fast-math-nsz", TargetValue::kBool},  {"fast-math-reassoc", TargetValue::kBool},
    {"jit", TargetValue::kString},          {"mabi", TargetValue::kString},
    {"mattr", TargetValue::kStrings},       {"mcpu", TargetValue::kString},
    {"mfloat-abi", TargetValue::kString},   {"mtriple", TargetValue::kString},
    {"num-cores", TargetValue::kInt},       {"opt-level", TargetValue::kInt},
    {"vector-width", TargetValue::kInt},
};

constexpr TargetOption kC[] = {
    {"constants-byte-alignment", TargetValue::kInt},
    {"march", TargetValue::kString},
    {"mcpu", TargetValue::kString},
    {"workspace-byte-alignment", TargetValue::kInt},
};

// The graphics kinds share most of theirs.
constexpr TargetOption kGpu[] = {
    {"arch", TargetValue::kString},
    {"image_base_address_alignment", TargetValue::kInt},
    {"l2_cache_size_bytes", TargetValue::kInt},
    {"mattr", TargetValue::kStrings},
    {"max_function_args", TargetValue::kInt},
    {"max_num_threads", TargetValue::kInt},
    {"max_shared_memory_per_block", TargetValue::kInt},
    {"max_threads_per_block", TargetValue::kInt},
    {"mcpu", TargetValue::kString},
    {"mtriple", TargetValue::kString},
    {"registers_per_block", TargetValue::kInt},
    {"texture_spatial_limit", TargetValue::kInt},
    {"thread_warp_size", TargetValue::kInt},
};

constexpr TargetOption kVulkan[] = {
    {"driver_name", TargetValue::kString},
    {"driver_version", TargetValue::kInt},
    {"device_name", TargetValue::kString},
    {"device_type", TargetValue::kString},
    {"mattr", TargetValue::kStrings},
    {"max_block_size_x", TargetValue::kInt},
    {"max_block_size_y", TargetValue::kInt},
    {"max_block_size_z", TargetValue::kInt},
    {"max_num_threads", TargetValue::kInt},
    {"max_per_stage_descriptor_storage_buffer", TargetValue::kInt},
    {"max_push_constants_size", TargetValue::kInt},
    {"max_shared_memory_per_block", TargetValue::kInt},
    {"max_spirv_version", TargetValue::kInt},
    {"max_storage_buffer_range", TargetValue::kInt},
    {"max_threads_per_block", TargetValue::kInt},
    {"max_uniform_buffer_range", TargetValue::kInt},
    {"supported_subgroup_operations", TargetValue::kInt},
    {"supports_16bit_buffer", TargetValue::kBool},
    {"supports_8bit_buffer", TargetValue::kBool},
    {"supports_cooperative_matrix", TargetValue::kBool},
    {"supports_float16", TargetValue::kBool},
    {"supports_float32", TargetValue::kBool},
    {"supports_float64", TargetValue::kBool},
    {"supports_int16", TargetValue::kBool},
    {"supports_int32", TargetValue::kBool},
    {"supports_int64", TargetValue::kBool},
    {"supports_int8", TargetValue::kBool},
    {"supports_integer_dot_product", TargetValue::kBool},
    {"supports_khr_8bit_storage", TargetValue::kBool},
    {"supports_push_descriptor", TargetValue::kBool},
    {"supports_storage_buffer_storage_class", TargetValue::kBool},
    {"thread_warp_size", TargetValue::kInt},
    {"vulkan_api_version", TargetValue::kInt},
};

constexpr TargetOption kHexagon[] = {
    {"llvm-options", TargetValue::kStrings}, {"mattr", TargetValue::kStrings}, {"mcpu", TargetValue::kString},
    {"mtriple", TargetValue::kString},       {"num-cores", TargetValue::kInt}, {"vtcm-capacity", TargetValue::kInt},
};

constexpr TargetKind kKinds[] = {
    {"aocl", "aocl,hls", {}, 32},
    {"aocl_sw_emu", "aocl,hls", {}, 32},
    {"c", "cpu", kC},
    {"ccompiler", "cpu", {}},
    {"cmsis-nn", "cpu", {}},
    {"cuda", "cuda,gpu", kGpu, 2},
    {"ethos-u", "cpu", {}},
    {"example_target_hook", "cpu", {}},
    {"ext_dev", "", {}, 12},
    {"hexagon", "hexagon,cpu", kHexagon, 16},
    {"hybrid", "cpu", {}},
    {"llvm", "cpu", kLlvm},
    {"metal", "metal,gpu", kGpu, 8},
    {"nvptx", "cuda,gpu", kGpu, 2},
    {"opencl", "opencl,gpu", kGpu, 4},
    {"rocm", "rocm,gpu", kGpu, 10},
    {"sdaccel", "sdaccel,hls", {}, 4},
    {"stackvm", "cpu", {}},
    {"test", "cpu", {}},
    {"vulkan", "vulkan,gpu", kVulkan, 7},
    {"webgpu", "webgpu,gpu", kGpu, 15},
};

struct Tag {
  std::string_view name;
  std::string_view target;
};

constexpr Tag kTags[] = {
    {"aws/cpu/c5.large", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=1"},
    {"aws/cpu/c5.xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=2"},
    {"aws/cpu/c5.2xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=4"},
    {"aws/cpu/c5.4xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=8"},
    {"aws/cpu/c5.9xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=18"},
    {"aws/cpu/c5.12xlarge", "llvm -keys=x86,cpu -mcpu=cascadelake -num-cores=24"},
    {"aws/cpu/c5.24xlarge", "llvm -keys=x86,cpu -mcpu=cascadelake -num-cores=48"},
    {"raspberry-pi/4b-aarch64", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -mattr=+neon -num-cores=4"},
};

struct Cpu {
  std::string_view name;
  X86Level level;
};

constexpr Cpu kCpus[] = {
    {"penryn", X86Level::kSse41},        {"nehalem", X86Level::kSse42},       {"corei7", X86Level::kSse42},
    {"westmere", X86Level::kSse42},      {"silvermont", X86Level::kSse42},    {"slm", X86Level::kSse42},
    {"goldmont", X86Level::kSse42},      {"goldmont-plus", X86Level::kSse42}, {"tremont", X86Level::kSse42},
    {"x86-64-v2", X86Level::kSse42},     {"sandybridge", X86Level::kAvx},     {"corei7-avx", X86Level::kAvx},
    {"ivybridge", X86Level::kAvx},       {"core-avx-i", X86Level::kAvx},      {"btver2", X86Level::kAvx},
    {"bdver1", X86Level::kAvx},          {"bdver2", X86Level::kAvx},          {"bdver3", X86Level::kAvx},
    {"haswell", X86Level::kAvx2},        {"core-avx2", X86Level::kAvx2},      {"broadwell", X86Level::kAvx2},
    {"skylake", X86Level::kAvx2},        {"alderlake", X86Level::kAvx2},      {"raptorlake", X86Level::kAvx2},
    {"meteorlake", X86Level::kAvx2},     {"bdver4", X86Level::kAvx2},         {"znver1", X86Level::kAvx2},
    {"znver2", X86Level::kAvx2},         {"znver3", X86Level::kAvx2},         {"x86-64-v3", X86Level::kAvx2},
    {"knl", X86Level::kAvx512f},         {"knm", X86Level::kAvx512f},         {"skylake-avx512", X86Level::kAvx512bw},
    {"skx", X86Level::kAvx512bw},        {"cannonlake", X86Level::kAvx512bw}, {"x86-64-v4", X86Level::kAvx512bw},
    {"cascadelake", X86Level::kVnni},    {"cooperlake", X86Level::kVnni},     {"icelake-client", X86Level::kVnni},
    {"icelake-server", X86Level::kVnni}, {"tigerlake", X86Level::kVnni},      {"rocketlake", X86Level::kVnni},
    {"znver4", X86Level::kVnni},         {"sapphirerapids", X86Level::kAmx},  {"emeraldrapids", X86Level::kAmx},
    {"graniterapids", X86Level::kAmx},
};

struct Feature {
  std::string_view name;
  X86Level level;
};

constexpr Feature kFeatures[] = {
    {"sse2", X86Level::kBase},         {"sse4.1", X86Level::kSse41},    {"sse4.2", X86Level::kSse42},
    {"avx", X86Level::kAvx},           {"avx2", X86Level::kAvx2},       {"avx512f", X86Level::kAvx512f},
    {"avx512bw", X86Level::kAvx512bw}, {"avx512vnni", X86Level::kVnni}, {"amx-int8", X86Level::kAmx},
};

}  // namespace

auto TargetKinds() -> std::span<const TargetKind> { return kKinds; }
auto CommonTargetOptions() -> std::span<const TargetOption> { return kCommon; }

auto TargetOfTag(std::string_view tag) -> std::string_view {
  const auto* row = std::find_if(std::begin(kTags), std::end(kTags), [&](const Tag& t) { return t.name == tag; });
  return row == std::end(kTags) ? std::string_view() : row->target;
}

auto LevelOfCpu(std::string_view cpu) -> X86Level {
  const auto* row = std::find_if(std::begin(kCpus), std::end(kCpus), [&](const Cpu& c) { return c.name == cpu; });
  return row == std::end(kCpus) ? X86Level::kBase : row->level;
}

auto LevelOfFeature(std::string_view feature) -> uint8_t {
  const auto* row =
      std::find_if(std::begin(kFeatures), std::end(kFeatures), [&](const Feature& f) { return f.name == feature; });
  return row == std::end(kFeatures) ? UINT8_MAX : static_cast<uint8_t>(row->level);
}

}  // namespace relayopt
