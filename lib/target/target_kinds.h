// The kinds of targets, their options, tags, and the extensions of x86 CPUs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace relayopt {

enum class TargetValue : uint8_t { kInt, kBool, kString, kStrings, kTarget };

struct TargetOption {
  std::string_view name;
  TargetValue value;
};

struct TargetKind {
  std::string_view name;
  // Keys that a target has unless the user gives others; comma-separated.
  std::string_view keys;
  // Besides CommonTargetOptions.
  std::span<const TargetOption> options;
  // The number of its devices in DLPack.
  int device_type = 1;
};

// The kinds, sorted by name.
auto TargetKinds() -> std::span<const TargetKind>;
// Options that every kind has.
auto CommonTargetOptions() -> std::span<const TargetOption>;
// What a tag stands for; empty when there is no such tag.
auto TargetOfTag(std::string_view tag) -> std::string_view;

// Extensions of the x86 family, each level with those before it.
enum class X86Level : uint8_t { kBase, kSse41, kSse42, kAvx, kAvx2, kAvx512f, kAvx512bw, kVnni, kAmx };

// What a CPU has; kBase for one that is not known.
auto LevelOfCpu(std::string_view cpu) -> X86Level;
// The level from which on CPUs have an extension; above all when none is known to have it.
auto LevelOfFeature(std::string_view feature) -> uint8_t;

}  // namespace relayopt
