// Targets: the machines that programs are compiled for, given by target strings as in TVM.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "relayopt/support/result.h"

namespace relayopt {

class Target;
using TargetRef = std::shared_ptr<const Target>;

// The value of an attribute of a target. A switch is the integer 1 when a string set it, and a boolean when a
// dictionary or a default did: the printed forms differ.
using TargetValue = std::variant<int64_t, bool, std::string, std::vector<int64_t>, std::vector<std::string>, TargetRef,
                                 std::vector<TargetRef>>;
// A target as a dictionary with `kind`, `tag`, `keys`, `host`, and attributes by name.
using TargetConfig = std::map<std::string, TargetValue, std::less<>>;

// A target: `llvm -mcpu=core-avx2`, a registered tag such as `raspberry-pi/4b-aarch64`, or a dictionary.
class Target {
 public:
  // Parses a target from a string, which may be a tag or JSON. Unknown kinds and options, repeated options and values
  // of the wrong type are errors.
  static auto Parse(std::string_view text) -> Result<Target>;
  // Makes a target from a dictionary, in which nested targets are strings or targets. Missing attributes get the
  // defaults of the kind.
  static auto FromConfig(TargetConfig config) -> Result<Target>;

  auto kind() const -> const std::string& { return kind_; }
  // Returns the keys for which implementations are registered, most specific first: those that the user gave, the
  // device, those of the kind.
  auto keys() const -> const std::vector<std::string>& { return keys_; }
  auto HasKey(std::string_view key) const -> bool;
  auto tag() const -> const std::string& { return tag_; }
  // Returns the host target, or null if there is none.
  auto host() const -> const TargetRef& { return host_; }
  auto WithHost(TargetRef host) const -> Target;
  // Returns the DLPack number of the device that runs its programs.
  auto device_type() const -> int;
  // Returns all attributes except kind, keys, host and tag, including defaults.
  auto attrs() const -> const TargetConfig& { return attrs_; }
  // Returns an attribute as text: lists comma-separated, switches as 1 or 0. Returns empty if it is missing.
  auto Get(std::string_view attr) const -> std::string;
  // Returns an attribute as a number, or nothing if it is missing.
  auto GetInt(std::string_view attr) const -> std::optional<int64_t>;
  // What the kind derives from the CPU and its extensions, such as `has_dotprod`; not part of the text.
  auto features() const -> const std::map<std::string, bool, std::less<>>& { return features_; }

  // Returns the text `<kind> -keys=a,b -attr=value ...`, with attributes sorted and without host and tag. As TVM: a
  // blank follows the keys even when no attribute does.
  auto ToString() const -> std::string;
  // Returns the dictionary from which the same target can be made again.
  auto Export() const -> TargetConfig;
  auto ToJson() const -> std::string;

  // Whether this is an x86 CPU.
  auto is_x86() const -> bool;
  // Whether an x86 CPU has an extension, named as in -mattr ("avx2"): an extension of the CPU, added to or removed by
  // -mattr.
  auto HasFeature(std::string_view feature) const -> bool;
  // Returns the number of 32-bit lanes in the widest vectors that TVM uses: 4, 8 or 16.
  auto simd_lanes() const -> int64_t;

 private:
  friend class TargetReader;

  std::string kind_;
  std::string tag_;
  std::vector<std::string> keys_;
  TargetRef host_;
  TargetConfig attrs_;
  std::map<std::string, bool, std::less<>> features_;
};

// What a kind of targets is.
struct TargetKindInfo {
  std::string name;
  std::string doc;
  // The DLPack number of the device that runs its programs.
  int device_type;
  // The keys that a target has unless the user gives others.
  std::vector<std::string> keys;
  // Its attributes and those of every kind, by name, with the
  // type keys of the objects that TVM keeps their values in.
  std::map<std::string, std::string, std::less<>> options;
  // Whether it names an external compiler, which is given whole parts of a module.
  bool is_external;
};
// Returns an error that suggests a similar name for an unknown one.
auto InfoOfTargetKind(std::string_view name) -> Result<TargetKindInfo>;
// Returns the names of all kinds, sorted.
auto TargetKindNames() -> std::vector<std::string>;
// Returns the DLPack number of the device that runs programs for this kind of targets, or nothing for an unknown kind.
auto DeviceTypeOfKind(std::string_view kind) -> std::optional<int>;

// Returns the names of all tags, sorted: those of the library, and those registered.
auto TargetTags() -> std::vector<std::string>;
// Returns the target string of a tag, which may be JSON, or empty if there is no such tag.
auto TargetOfTag(std::string_view tag) -> std::string;
// Makes a tag stand for the target of a dictionary for the rest of the process. A tag that exists is an error unless
// `override` is set.
auto RegisterTargetTag(std::string_view tag, TargetConfig config, bool override) -> Result<Target>;

// Returns a list of all kinds and tags, one per line.
auto TargetListText() -> std::string;
// Returns the description of a kind and its attributes, or what a tag stands for, or nothing for other names.
auto TargetHelp(std::string_view name) -> std::optional<std::string>;
// For messages about an unknown kind or tag: " (did you mean 'cuda'?)", or nothing.
auto DidYouMeanTarget(std::string_view name) -> std::string;

}  // namespace relayopt
