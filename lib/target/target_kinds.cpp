// The kinds of targets and their attributes.
#include "target_kinds.h"

#include <algorithm>

namespace relayopt {

namespace {

constexpr TargetOption kCommon[] = {
    {"device", TargetType::kString}, {"from_device", TargetType::kInt},        {"host", TargetType::kTarget},
    {"keys", TargetType::kStrings},  {"libs", TargetType::kStrings},           {"model", TargetType::kString},
    {"tag", TargetType::kString},    {"target_device_type", TargetType::kInt},
};

constexpr TargetOption kLlvm[] = {
    {"cl-opt", TargetType::kStrings},      {"fast-math", TargetType::kBool},
    {"fast-math-arcp", TargetType::kBool}, {"fast-math-contract", TargetType::kBool},
    {"fast-math-ninf", TargetType::kBool}, {"fast-math-nnan", TargetType::kBool},
    {"fast-math-nsz", TargetType::kBool},  {"fast-math-reassoc", TargetType::kBool},
    {"mabi", TargetType::kString},         {"mattr", TargetType::kStrings},
    {"mcpu", TargetType::kString},         {"mfloat-abi", TargetType::kString},
    {"mtriple", TargetType::kString},      {"num-cores", TargetType::kInt},
    {"opt-level", TargetType::kInt},
};

constexpr TargetOption kC[] = {
    {"constants-byte-alignment", TargetType::kInt},
    {"march", TargetType::kString},
    {"mcpu", TargetType::kString},
    {"workspace-byte-alignment", TargetType::kInt},
};

constexpr TargetOption kCuda[] = {
    {"arch", TargetType::kString},
    {"l2_cache_size_bytes", TargetType::kInt},
    {"max_num_threads", TargetType::kInt, "1024"},
    {"max_shared_memory_per_block", TargetType::kInt},
    {"max_threads_per_block", TargetType::kInt},
    {"mcpu", TargetType::kString},
    {"registers_per_block", TargetType::kInt},
    {"thread_warp_size", TargetType::kInt, "32"},
};

constexpr TargetOption kNvptx[] = {
    {"max_num_threads", TargetType::kInt, "1024"},
    {"mcpu", TargetType::kString},
    {"mtriple", TargetType::kString},
    {"thread_warp_size", TargetType::kInt, "32"},
};

constexpr TargetOption kRocm[] = {
    {"mattr", TargetType::kStrings},
    {"max_num_threads", TargetType::kInt, "256"},
    {"max_shared_memory_per_block", TargetType::kInt, "65536"},
    {"max_threads_per_block", TargetType::kInt, "256"},
    {"mcpu", TargetType::kString},
    {"mtriple", TargetType::kString},
    {"thread_warp_size", TargetType::kInt, "64"},
};

constexpr TargetOption kOpencl[] = {
    {"max_function_args", TargetType::kInt, "128"},
    {"max_num_threads", TargetType::kInt, "256"},
    {"max_shared_memory_per_block", TargetType::kInt, "16384"},
    {"max_threads_per_block", TargetType::kInt, "256"},
    {"texture_spatial_limit", TargetType::kInt, "16384"},
    {"thread_warp_size", TargetType::kInt, "1"},
};

constexpr TargetOption kMetal[] = {
    {"max_function_args", TargetType::kInt, "31"},
    {"max_num_threads", TargetType::kInt, "256"},
    {"max_shared_memory_per_block", TargetType::kInt, "32768"},
    {"max_threads_per_block", TargetType::kInt, "256"},
    {"thread_warp_size", TargetType::kInt, "16"},
};

constexpr TargetOption kVulkan[] = {
    {"device_name", TargetType::kString},
    {"device_type", TargetType::kString},
    {"driver_name", TargetType::kString},
    {"driver_version", TargetType::kInt},
    {"mattr", TargetType::kStrings},
    {"max_block_size_x", TargetType::kInt},
    {"max_block_size_y", TargetType::kInt},
    {"max_block_size_z", TargetType::kInt},
    {"max_num_threads", TargetType::kInt, "256"},
    {"max_per_stage_descriptor_storage_buffer", TargetType::kInt},
    {"max_push_constants_size", TargetType::kInt},
    {"max_shared_memory_per_block", TargetType::kInt},
    {"max_spirv_version", TargetType::kInt},
    {"max_storage_buffer_range", TargetType::kInt},
    {"max_threads_per_block", TargetType::kInt, "256"},
    {"max_uniform_buffer_range", TargetType::kInt},
    {"supported_subgroup_operations", TargetType::kInt},
    {"supports_16bit_buffer", TargetType::kBool},
    {"supports_8bit_buffer", TargetType::kBool},
    {"supports_cooperative_matrix", TargetType::kBool},
    {"supports_dedicated_allocation", TargetType::kBool},
    {"supports_float16", TargetType::kBool},
    {"supports_float32", TargetType::kBool, "true"},
    {"supports_float64", TargetType::kBool},
    {"supports_int16", TargetType::kBool},
    {"supports_int32", TargetType::kBool, "true"},
    {"supports_int64", TargetType::kBool},
    {"supports_int8", TargetType::kBool},
    {"supports_integer_dot_product", TargetType::kBool},
    {"supports_push_descriptor", TargetType::kBool},
    {"supports_storage_buffer_storage_class", TargetType::kBool},
    {"thread_warp_size", TargetType::kInt, "1"},
    {"vulkan_api_version", TargetType::kInt},
};

constexpr TargetOption kWebgpu[] = {
    {"max_num_threads", TargetType::kInt, "256"},
};

constexpr TargetOption kHexagon[] = {
    {"llvm-options", TargetType::kStrings}, {"mattr", TargetType::kStrings}, {"mcpu", TargetType::kString},
    {"mtriple", TargetType::kString},       {"num-cores", TargetType::kInt}, {"vtcm-capacity", TargetType::kInt},
};

constexpr TargetOption kComposite[] = {
    {"devices", TargetType::kTargets},
};

constexpr TargetOption kCcompiler[] = {
    {"header", TargetType::kString},
};

constexpr TargetOption kCmsisNn[] = {
    {"debug_last_error", TargetType::kBool},
    {"mattr", TargetType::kStrings},
    {"mcpu", TargetType::kString},
};

constexpr TargetOption kCutlass[] = {
    {"find_first_valid", TargetType::kBool, "false"},
    {"profile_all_alignments", TargetType::kBool, "false"},
    {"sm", TargetType::kInt, "80"},
    {"split_k_slices", TargetType::kInts, "1"},
    {"threads", TargetType::kInt, "-1"},
    {"tmp_dir", TargetType::kString, "./tmp"},
    {"use_3xtf32", TargetType::kBool, "true"},
    {"use_fast_math", TargetType::kBool, "false"},
    {"use_multiprocessing", TargetType::kBool, "false"},
};

constexpr TargetOption kExample[] = {
    {"example_attribute", TargetType::kInt, "0"},
};

constexpr TargetOption kTensorrt[] = {
    {"max_workspace_size", TargetType::kInt, "1073741824"},
    {"remove_no_mac_subgraphs", TargetType::kBool, "false"},
    {"tensorrt_version", TargetType::kInts},
    {"use_fp16", TargetType::kBool, "false"},
    {"use_implicit_batch", TargetType::kBool, "true"},
    {"use_uint8", TargetType::kBool, "false"},
};

constexpr bool kExternal = true;

constexpr TargetKind kKinds[] = {
    {"aocl", 32, "aocl,hls", {}, "Intel FPGAs"},
    {"aocl_sw_emu", 32, "aocl,hls", {}, "Intel FPGAs, emulated"},
    {"c", 1, "cpu", kC, "C source for a CPU"},
    {"ccompiler", 1, "", kCcompiler, "an external compiler of C source", kExternal},
    {"clml", 4, "", {}, "an external compiler for Adreno GPUs", kExternal},
    {"cmsis-nn", 1, "", kCmsisNn, "an external compiler for Cortex-M", kExternal},
    {"composite", 1, "", kComposite, "several targets together"},
    {"cublas", 2, "", {}, "calls of cuBLAS", kExternal},
    {"cuda", 2, "cuda,gpu", kCuda, "NVIDIA GPUs, by CUDA source"},
    {"cudnn", 2, "", {}, "calls of cuDNN", kExternal},
    {"cutlass", 2, "", kCutlass, "an external compiler that uses CUTLASS", kExternal},
    {"ethos-u", 1, "", {}, "an external compiler for Ethos-U", kExternal},
    {"example_target_hook", 1, "", kExample, "an external compiler for tests", kExternal},
    {"ext_dev", 12, "", {}, "accelerators of others"},
    {"hexagon", 16, "hexagon,cpu", kHexagon, "Hexagon DSPs"},
    {"hybrid", 1, "", {}, "Python source"},
    {"llvm", 1, "cpu", kLlvm, "CPUs, by LLVM"},
    {"metal", 8, "metal,gpu", kMetal, "Apple GPUs"},
    {"nvptx", 2, "cuda,gpu", kNvptx, "NVIDIA GPUs, by LLVM"},
    {"opencl", 4, "opencl,gpu", kOpencl, "devices that run OpenCL"},
    {"rocm", 10, "rocm,gpu", kRocm, "AMD GPUs"},
    {"sdaccel", 4, "sdaccel,hls", {}, "Xilinx FPGAs"},
    {"stackvm", 1, "cpu", {}, "a machine of the runtime"},
    {"tensorrt", 2, "", kTensorrt, "an external compiler that uses TensorRT", kExternal},
    {"test", 1, "", {}, "for tests"},
    {"vulkan", 7, "vulkan,gpu", kVulkan, "GPUs that run Vulkan"},
    {"webgpu", 15, "webgpu,gpu", kWebgpu, "GPUs in browsers"},
};

}  // namespace

auto TargetKinds() -> std::span<const TargetKind> { return kKinds; }
auto CommonTargetOptions() -> std::span<const TargetOption> { return kCommon; }

auto FindTargetKind(std::string_view name) -> const TargetKind* {
  const auto* row = std::ranges::find(kKinds, name, &TargetKind::name);
  return row == std::end(kKinds) ? nullptr : row;
}

auto FindTargetOption(const TargetKind& kind, std::string_view name) -> const TargetOption* {
  for (const std::span<const TargetOption> options : {kind.options, CommonTargetOptions()}) {
    const auto row = std::ranges::find(options, name, &TargetOption::name);
    if (row != options.end()) return &*row;
  }
  return nullptr;
}

auto SplitList(std::string_view text) -> std::vector<std::string> {
  std::vector<std::string> items;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma != 0) items.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

}  // namespace relayopt
