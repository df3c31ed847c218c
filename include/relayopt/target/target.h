// The machine that a program is for, as target strings of the reference name it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "relayopt/support/result.h"

namespace relayopt {

// A target: `llvm -mcpu=core-avx2`, a registered tag such as `raspberry-pi/4b-aarch64`, or the same as JSON.
class Target {
 public:
  // Unknown kinds and options, repeated options and values of the wrong type are errors.
  static auto Parse(std::string_view text) -> Result<Target>;

  auto kind() const -> const std::string& { return kind_; }
  // What implementations are registered for, the most special first: what the user gave, the device, what the kind has.
  auto keys() const -> const std::vector<std::string>& { return keys_; }
  auto HasKey(std::string_view key) const -> bool;
  // The value of an option as it was written; lists with commas, flags as 1. Empty when it is not given.
  auto Get(std::string_view option) const -> std::string_view;
  // `<kind> -keys=a,b -option=value ...`, options sorted, without the host.
  auto ToString() const -> std::string;

  // Whether this is a CPU of the x86 family.
  auto is_x86() const -> bool;
  // Whether an x86 CPU has an extension, named as in -mattr ("avx2"): the CPU's own, changed by -mattr.
  auto HasFeature(std::string_view feature) const -> bool;
  // Number of 32-bit lanes of the widest vectors that the reference uses: 4, 8 or 16.
  auto simd_lanes() const -> int64_t;

 private:
  std::string kind_;
  std::vector<std::string> keys_;
  std::map<std::string, std::string, std::less<>> options_;
};

// The number, as in DLPack, of the devices that programs of a kind of targets run on; none for an unknown kind.
auto DeviceTypeOfKind(std::string_view kind) -> std::optional<int>;

}  // namespace relayopt
