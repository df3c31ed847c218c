// Ways to make programs and pipelines smaller.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "relayopt/module/module.h"
#include "relayopt/pass/pipeline.h"

namespace relayopt {

// The positions at which a reduction may apply, numbered in the order in which they are visited, and the selected ones.
class Places {
 public:
  Places(size_t first, size_t count) : first_(first), count_(count) {}

  // Whether to act at the next place.
  auto Next() -> bool {
    const size_t place = met_++;
    return place >= first_ && place - first_ < count_;
  }
  // How many there are, when all have been met.
  auto met() const -> size_t { return met_; }

 private:
  size_t first_;
  size_t count_;
  size_t met_ = 0;
};

// Returns the result of acting at the chosen places, or nothing if it cannot. All places are visited, whichever are
// chosen. The result may be invalid: callers check it.
using ModuleShrink = std::optional<Module> (*)(const Module& module, Places& places);
using PipelineShrink = std::optional<Pipeline> (*)(const Pipeline& pipeline, Places& places);

// In the order in which they are worth trying.
auto RelayShrinks() -> std::span<const ModuleShrink>;
auto PrimFuncShrinks() -> std::span<const ModuleShrink>;
auto PipelineShrinks() -> std::span<const PipelineShrink>;

// The results of passes that preserve the program; each is a place.
auto ByPasses(const Module& module, Places& places, std::span<const std::string_view> passes) -> std::optional<Module>;

// Takes the `_1` off the names of variables and buffers in tensor programs that were just read, except parameters. As
// TVM: naming a buffer names its pointer as well, so that a program that is printed and read again and again would get
// longer names each time.
void ShortenNames(const Module& module);

// Leaves out functions, of any kind.
auto WithoutFunctions(const Module& module, Places& places) -> std::optional<Module>;
// Leaves out all type definitions if such data is neither constructed nor matched.
auto WithoutTypeDefinitions(const Module& module, Places& places) -> std::optional<Module>;

}  // namespace relayopt
