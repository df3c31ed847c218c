// The tags: names of machines that stand for targets.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "relayopt/support/diagnostic.h"
#include "relayopt/support/map_to_vector.h"
#include "relayopt/target/target.h"

namespace relayopt {

namespace {

struct Tag {
  std::string_view name;
  std::string_view target;
};

constexpr Tag kTags[] = {
    {"apple/m1-gpu",
     "metal -max_threads_per_block=1024 -max_shared_memory_per_block=32768 -thread_warp_size=32 "
     "-host='llvm -mtriple=arm64-apple-macos -mcpu=apple-latest'"},
    {"apple/m1-gpu-restricted",
     "metal -max_threads_per_block=256 -max_shared_memory_per_block=32768 -thread_warp_size=32 "
     "-host='llvm -mtriple=arm64-apple-macos -mcpu=apple-latest'"},
    {"apple/m2-gpu",
     "metal -max_threads_per_block=1024 -max_shared_memory_per_block=32768 -thread_warp_size=32 "
     "-host='llvm -mtriple=arm64-apple-macos -mcpu=apple-latest'"},
    {"aws/cpu/c5.12xlarge", "llvm -keys=x86,cpu -mcpu=cascadelake -num-cores=24"},
    {"aws/cpu/c5.18xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=36"},
    {"aws/cpu/c5.24xlarge", "llvm -keys=x86,cpu -mcpu=cascadelake -num-cores=48"},
    {"aws/cpu/c5.2xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=4"},
    {"aws/cpu/c5.4xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=8"},
    {"aws/cpu/c5.9xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=18"},
    {"aws/cpu/c5.large", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=1"},
    {"aws/cpu/c5.xlarge", "llvm -keys=x86,cpu -mcpu=skylake-avx512 -num-cores=2"},
    {"nvidia/gtx1080ti", "cuda -arch=sm_61"},
    {"nvidia/jetson-agx-orin-32gb",
     "cuda -arch=sm_87 -max_shared_memory_per_block=49152 -max_threads_per_block=1024 "
     "-thread_warp_size=32 -registers_per_block=65536 -host='llvm -mtriple=aarch64-linux-gnu "
     "-mcpu=cortex-a78 -num-cores=8'"},
    {"nvidia/jetson-agx-orin-64gb",
     "cuda -arch=sm_87 -max_shared_memory_per_block=49152 -max_threads_per_block=1024 "
     "-thread_warp_size=32 -registers_per_block=65536 -host='llvm -mtriple=aarch64-linux-gnu "
     "-mcpu=cortex-a78 -num-cores=12'"},
    {"nvidia/jetson-agx-xavier",
     "cuda -arch=sm_72 -max_shared_memory_per_block=49152 -max_threads_per_block=1024 "
     "-thread_warp_size=32 -registers_per_block=65536 -host='llvm -mtriple=aarch64-linux-gnu "
     "-mcpu=carmel -num-cores=8'"},
    {"nvidia/jetson-orin-nano",
     "cuda -arch=sm_87 -max_shared_memory_per_block=49152 -max_threads_per_block=1024 "
     "-thread_warp_size=32 -registers_per_block=65536 -host='llvm -mtriple=aarch64-linux-gnu "
     "-mcpu=carmel -num-cores=6'"},
    {"raspberry-pi/4b-aarch64",
     "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -mattr=+neon -num-cores=4 -host='llvm "
     "-mtriple=aarch64-linux-gnu -mcpu=cortex-a72 -mattr=+neon -num-cores=4'"},
};

// The GPUs of one architecture, as names after `nvidia/`: `a-{b, c}; d` is a-b, a-c and d.
struct Gpus {
  std::string_view arch;
  int registers;
  std::string_view names;
};

constexpr Gpus kGpus[] = {
    {"sm_20", 32768, "tesla-{c2075, c2050, c2070}; quadro-plex-7000; geforce-gtx-{590, 580, 570, 480, 470, 465, 480m}"},
    {"sm_21", 32768,
     "nvidia-nvs-{315, 310}; nvs-{5400m, 5200m, 4200m}; geforce-gtx-{560-ti, 550-ti, 460, 675m, 670m, "
     "580m, 570m, 560m, 485m, 470m, 460m}; geforce-gts-450; geforce-gt-{730-ddr3,128bit, 640-gddr3, "
     "630, 620, 610, 520, 440, 430, 635m, 630m, 625m, 720m, 620m, 555m, 550m, 540m, 525m, 520mx, 520m, "
     "445m, 435m, 420m, 415m}; geforce-{820m, 800m, 710m, 705m, 610m, 410m}"},
    {"sm_30", 65536,
     "tesla-k10; quadro-{k5000, k4200, k4000, k2000, k2000d, k600, k420, 410, k6000m, k5200m, k5100m, "
     "k500m, k4200m, k4100m, k3100m, k2200m, k2100m, k1100m}; nvidia-nvs-510; geforce-gtx-{770, 760, "
     "690, 680, 670, 660-ti, 660, 650-ti-boost, 650-ti, 650, 880m, 870m, 860m-sm-30, 780m, 770m, 765m, "
     "760m, 680mx, 680m, 675mx, 670mx, 660m}; geforce-gt-{740, 755m, 750m, 650m, 745m, 645m, 740m, "
     "730m, 640m, 640m-le, 735m}"},
    {"sm_35", 65536,
     "tesla-{k40, k20}; quadro-{k6000, k5200, k610m, k510m}; geforce-gtx-{titan-z, titan-black, titan, "
     "780-ti, 780}; geforce-gt-{730, 720, 705, 640-gddr5}; geforce-920m"},
    {"sm_37", 65536, "tesla-k80"},
    {"sm_50", 65536,
     "quadro-{k2200, k1200, k620, m1200, m520, m5000m, m4000m, m3000m, m2000m, m1000m, k620m, m600m, "
     "m500m}; nvidia-nvs-810; geforce-gtx-{750-ti, 750, 960m, 950m, 860m-sm-50, 850m}; geforce-{940m, "
     "930m, 840m, 830m}"},
    {"sm_52", 65536,
     "tesla-{m60, m40}; quadro-{m6000-24gb, m6000, m5000, m4000, m2000, m5500m, m2200, "
     "m620}; geforce-gtx-{titan-x, 980-ti, 980, 970, 960, 950, 980m, 970m, 965m}; geforce-910m"},
    {"sm_53", 32768, "jetson-{nano, tx1}; tegra-x1"},
    {"sm_60", 65536, "tesla-p100; quadro-gp100"},
    {"sm_61", 65536,
     "tesla-{p40, p4}; quadro-{p6000, p5000, p4000, p2200, p2000, p1000, p620, p600, p400, p5200, "
     "p4200, p3200, p3000, p500}; p620, p520; nvidia-titan-{xp, x}; geforce-gtx-{1080-ti, 1080, "
     "1070-ti, 1070, 1060, 1050}"},
    {"sm_62", 32768, "jetson-tx2"},
    {"sm_70", 65536, "nvidia-v100; quadro-gv100; nvidia-titan-v"},
    {"sm_75", 65536,
     "nvidia-t4; quadro-rtx-{8000, 6000, 5000, 4000}; rtx-{5000, 4000, 3000}; t2000, "
     "t1000; nvidia-titan-rtx; geforce-rtx-{2080-ti, 2080, 2070, 2060}"},
    {"sm_80", 65536, "nvidia-{a100, a30}"},
    {"sm_86", 65536,
     "nvidia-{a40, a10, a10g, a16, a2}; rtx-a6000; geforce-rtx-{3090-ti, 3090, 3080-ti, 3080, 3070-ti, "
     "3070, 3060}"},
    {"sm_89", 65536, "geforce-rtx-4090"},
};

// Calls `visit` with each name until it returns true.
template <typename Visit>
auto AnyName(std::string_view names, Visit&& visit) -> bool {
  while (!names.empty()) {
    const size_t end = std::min(names.find("; "), names.size());
    std::string_view group = names.substr(0, end);
    names.remove_prefix(std::min(end + 2, names.size()));
    const size_t brace = group.find('{');
    const std::string_view stem = group.substr(0, std::min(brace, group.size()));
    std::string_view items =
        brace == std::string_view::npos ? group : group.substr(brace + 1, group.size() - brace - 2);
    while (!items.empty()) {
      const size_t comma = std::min(items.find(", "), items.size());
      const std::string_view item = items.substr(0, comma);
      items.remove_prefix(std::min(comma + 2, items.size()));
      if (visit(brace == std::string_view::npos ? fmt::format("nvidia/{}", item)
                                                : fmt::format("nvidia/{}{}", stem, item))) {
        return true;
      }
    }
  }
  return false;
}

constexpr DiagnosticKind kTagExists = {"target-tag-exists", Severity::kError, "the target tag '{}' exists already"};

// The tags that are registered while the program runs, as JSON.
struct Registered {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> text_of;
};

auto RegisteredTags() -> Registered& {
  static Registered registered;
  return registered;
}

auto BuiltInTags() -> std::vector<std::string> {
  auto all = MapToVector<std::string>(kTags, [&](const Tag& tag) { return std::string(tag.name); });
  for (const Gpus& gpus : kGpus) {
    AnyName(gpus.names, [&](std::string name) {
      all.push_back(std::move(name));
      return false;
    });
  }
  return all;
}

// Returns empty if there is no such tag.
auto BuiltInTag(std::string_view tag) -> std::string {
  const auto* row = std::ranges::find(kTags, tag, &Tag::name);
  if (row != std::end(kTags)) return std::string(row->target);
  if (!tag.starts_with("nvidia/")) return {};
  for (const Gpus& gpus : kGpus) {
    if (!AnyName(gpus.names, [&](const std::string& name) { return name == tag; })) continue;
    std::string text = fmt::format(
        "cuda -keys=cuda,gpu -arch={} -max_shared_memory_per_block=49152 -max_threads_per_block=1024 "
        "-thread_warp_size=32 -registers_per_block={}",
        gpus.arch, gpus.registers);
    if (tag == "nvidia/nvidia-a100") text += " -l2_cache_size_bytes=41943040";
    if (tag == "nvidia/geforce-rtx-4090") text += " -l2_cache_size_bytes=75497472";
    return text;
  }
  return {};
}

}  // namespace

auto TargetTags() -> std::vector<std::string> {
  std::vector<std::string> all = BuiltInTags();
  {
    const std::lock_guard lock(RegisteredTags().mutex);
    for (const auto& [name, text] : RegisteredTags().text_of) all.push_back(name);
  }
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

auto TargetOfTag(std::string_view tag) -> std::string {
  {
    const std::lock_guard lock(RegisteredTags().mutex);
    const auto found = RegisteredTags().text_of.find(tag);
    if (found != RegisteredTags().text_of.end()) return found->second;
  }
  return BuiltInTag(tag);
}

auto RegisterTargetTag(std::string_view tag, TargetConfig config, bool override) -> Result<Target> {
  if (!override && !TargetOfTag(tag).empty()) return MakeDiagnostic(kTagExists, {}, tag);
  RELAYOPT_TRY(Target target, Target::FromConfig(std::move(config)));
  const std::lock_guard lock(RegisteredTags().mutex);
  RegisteredTags().text_of.insert_or_assign(std::string(tag), target.ToJson());
  return target;
}

}  // namespace relayopt
