// The machine that a program is for, as target strings of the reference name it.
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

// The value of an attribute of a target. Switches are 1 where a string gave them, and booleans where a dictionary did,
// or a default: the printed forms differ.
using TargetValue =
    std::variant<int64_t, bool, std::string, std::vector<std::string>, TargetRef, std::vector<TargetRef>>;
// A target as a dictionary: `kind`, `tag`, `keys`, `host` and attributes by name.
using TargetConfig = std::map<std::string, TargetValue, std::less<>>;

// A target: `llvm -mcpu=core-avx2`, a registered tag such as `raspberry-pi/4b-aarch64`, or a dictionary.
class Target {
 public:
  // From a string, which may be a tag or JSON. Unknown kinds and options, repeated options and values of the wrong type
  // are errors.
  static auto Parse(std::string_view text) -> Result<Target>;
  // From a dictionary, whose nested targets are strings or targets. What it leaves out has the default of the kind.
  static auto FromConfig(TargetConfig config) -> Result<Target>;

  auto kind() const -> const std::string& { return kind_; }
  // What implementations are registered for, the most special first: what the user gave, the device, what the kind has.
  auto keys() const -> const std::vector<std::string>& { return keys_; }
  auto HasKey(std::string_view key) const -> bool;
  auto tag() const -> const std::string& { return tag_; }
  // Null when it has none.
  auto host() const -> const TargetRef& { return host_; }
  auto WithHost(TargetRef host) const -> Target;
  // The number, as in DLPack, of the devices that its programs run on.
  auto device_type() const -> int;
  // All attributes but kind, keys, host and tag, with defaults.
  auto attrs() const -> const TargetConfig& { return attrs_; }
  // An attribute as text: lists with commas, switches as 1 or 0. Empty when it has none.
  auto Get(std::string_view attr) const -> std::string;
  // An attribute that is a number; nothing when it has none.
  auto GetInt(std::string_view attr) const -> std::optional<int64_t>;
  // What the kind derives from the CPU and its extensions, such as `has_dotprod`; not a part of the text.
  auto features() const -> const std::map<std::string, bool, std::less<>>& { return features_; }

  // `<kind> -keys=a,b -attr=value ...`, attributes sorted, without host and tag. As TVM: a blank stands behind the keys
  // even where no attribute follows.
  auto ToString() const -> std::string;
  // Everything, as the dictionary that makes this target again.
  auto Export() const -> TargetConfig;
  auto ToJson() const -> std::string;

  // Whether this is a CPU of the x86 family.
  auto is_x86() const -> bool;
  // Whether an x86 CPU has an extension, named as in -mattr ("avx2"): the CPU's own, changed by -mattr.
  auto HasFeature(std::string_view feature) const -> bool;
  // Number of 32-bit lanes of the widest vectors that the reference uses: 4, 8 or 16.
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

// The number, as in DLPack, of the devices that programs of a kind of targets run on; none for an unknown kind.
auto DeviceTypeOfKind(std::string_view kind) -> std::optional<int>;

// The kinds and tags, a line each, for lists.
auto TargetListText() -> std::string;
// What a kind is and its attributes, or what a tag stands for; nothing when there is neither.
auto TargetHelp(std::string_view name) -> std::optional<std::string>;
// " (did you mean 'cuda'?)" or nothing.
auto DidYouMeanTarget(std::string_view name) -> std::string;

}  // namespace relayopt
