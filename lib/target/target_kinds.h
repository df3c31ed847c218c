// The kinds of targets, their attributes, tags, and the extensions of x86 CPUs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/support/diagnostic.h"

namespace relayopt {

// The type of an attribute's value.
enum class TargetType : uint8_t { kInt, kBool, kString, kInts, kStrings, kTarget, kTargets };

struct TargetOption {
  std::string_view name;
  TargetType type;
  // The default of the attribute for targets of this kind, as text; empty: it has none.
  std::string_view value = {};
};

struct TargetKind {
  std::string_view name;
  // The number of its devices in DLPack.
  int device_type;
  // Keys that a target has unless the user gives others; comma-separated.
  std::string_view keys;
  // Besides CommonTargetOptions, sorted.
  std::span<const TargetOption> options;
  std::string_view doc;
  // Whether it names an external compiler, which is given whole parts of a module.
  bool is_external = false;
};

// Returns the kinds, sorted by name.
auto TargetKinds() -> std::span<const TargetKind>;
// Returns null if there is none.
auto FindTargetKind(std::string_view name) -> const TargetKind*;
auto UnknownTargetKind(std::string_view name) -> Diagnostic;
// Options that every kind has.
auto CommonTargetOptions() -> std::span<const TargetOption>;
// Returns null if a target of the kind has no such attribute.
auto FindTargetOption(const TargetKind& kind, std::string_view name) -> const TargetOption*;

// Returns the items of a list with commas; empty ones are left out.
auto SplitList(std::string_view text) -> std::vector<std::string>;

// Extensions of the x86 family, each level with those before it.
enum class X86Level : uint8_t { kBase, kSse41, kSse42, kAvx, kAvx2, kAvx512f, kAvx512bw, kVnni, kAmx };

// Returns the instruction set level of a CPU; kBase for an unknown one.
auto LevelOfCpu(std::string_view cpu) -> X86Level;
// Returns the level from which on CPUs have an extension; above all when none is known to have it.
auto LevelOfFeature(std::string_view feature) -> uint8_t;

}  // namespace relayopt
