// Passes in shared libraries. A plugin is a shared library that uses relayopt's headers, leaves relayopt's functions to
// the tool that loads it, and exports one function:
//
//   extern "C" auto relayopt_pass_plugin() -> const relayopt::PassPlugin* {
//     static constexpr relayopt::PassPlugin plugin = {RELAYOPT_PLUGIN_ABI_VERSION, RELAYOPT_VERSION, "my-passes",
//                                                     [] { return relayopt::RegisterPass(kMyPass); }};
//     return &plugin;
//   }
//
// The CMake package has a function for it: relayopt_add_pass_plugin(my_passes my_passes.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "relayopt/pass/pass.h"
#include "relayopt/support/result.h"

// Changes when PassPlugin does.
#define RELAYOPT_PLUGIN_ABI_VERSION 1

namespace relayopt {

// What a plugin says about itself. The layout of this struct is the interface that has a version; plain C, so that a
// plugin of any age can be read and refused.
struct PassPlugin {
  // RELAYOPT_PLUGIN_ABI_VERSION and RELAYOPT_VERSION when the plugin was built. Passes see C++ classes, which may
  // change with every version.
  uint32_t abi_version;
  const char* relayopt_version;
  const char* name;
  // Makes the passes and config options of the plugin known; false when a name is taken.
  bool (*register_all)();
};

// Loads a plugin, for as long as the process lives; its name. An error when the file is missing, is no plugin, or was
// built for another version than `version`, the RELAYOPT_VERSION of the program that loads it.
auto LoadPassPlugin(const std::string& path, std::string_view version) -> Result<std::string>;

// The name of the plugin that registered the pass; empty for built-in ones.
auto PluginOf(const PassDef& def) -> std::string_view;

}  // namespace relayopt
