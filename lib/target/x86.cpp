// CPUs of the x86 family and their extensions.
#include <algorithm>
#include <iterator>

#include "relayopt/target/target.h"
#include "target_kinds.h"

namespace relayopt {

namespace {

// Returns the items of a list with commas.
auto AttrsOf(std::string_view text) -> std::vector<std::string_view> {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma != 0) items.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return items;
}

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

auto LevelOfCpu(std::string_view cpu) -> X86Level {
  const auto* row = std::find_if(std::begin(kCpus), std::end(kCpus), [&](const Cpu& c) { return c.name == cpu; });
  return row == std::end(kCpus) ? X86Level::kBase : row->level;
}

auto LevelOfFeature(std::string_view feature) -> uint8_t {
  const auto* row =
      std::find_if(std::begin(kFeatures), std::end(kFeatures), [&](const Feature& f) { return f.name == feature; });
  return row == std::end(kFeatures) ? UINT8_MAX : static_cast<uint8_t>(row->level);
}

auto Target::is_x86() const -> bool {
  if (kind_ != "llvm" || HasKey("arm_cpu") || !HasKey("cpu")) return false;
  const std::string triple = Get("mtriple");
  // Without a triple LLVM takes the host's, for which this is the usual one.
  return triple.empty() || triple.starts_with("x86") || triple.starts_with("i386") || triple.starts_with("i686") ||
         triple.starts_with("amd64");
}

auto Target::HasFeature(std::string_view feature) const -> bool {
  if (!is_x86()) return false;
  bool has = static_cast<uint8_t>(LevelOfCpu(Get("mcpu"))) >= LevelOfFeature(feature);
  // The last mention of an extension counts. Switching one on switches on those below it.
  const std::string attrs = Get("mattr");
  for (const std::string_view attr : AttrsOf(attrs)) {
    const std::string_view name = attr.substr(1);
    const uint8_t level = LevelOfFeature(name);
    const bool known = level != UINT8_MAX;
    if (attr.starts_with('+') && (name == feature || (known && level >= LevelOfFeature(feature)))) has = true;
    if (attr.starts_with('-') && (name == feature || (known && level <= LevelOfFeature(feature)))) has = false;
  }
  return has;
}

auto Target::simd_lanes() const -> int64_t {
  if (HasFeature("avx512f") && HasFeature("avx512bw")) return 16;
  return HasFeature("avx2") ? 8 : 4;
}

}  // namespace relayopt
