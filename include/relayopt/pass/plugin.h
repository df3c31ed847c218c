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

// Increased whenever PassPlugin changes.
#define RELAYOPT_PLUGIN_ABI_VERSION 1

namespace relayopt {

// The description of a plugin. Plugins of any version are read through this struct before they are accepted, so its
// layout is fixed for each ABI version and is plain C.
struct PassPlugin {
  // RELAYOPT_PLUGIN_ABI_VERSION and RELAYOPT_VERSION at the time the plugin was built. Both must match, because passes
  // use C++ classes that may change with every version.
  uint32_t abi_version;
  const char* relayopt_version;
  const char* name;
  // Registers the passes and config options of the plugin; false if a name is taken.
  bool (*register_all)();
};

// Loads a plugin for the rest of the process, and returns its name. An error when the file is missing, is not a plugin,
// or was built for a version other than `version` (RELAYOPT_VERSION of the calling program).
auto LoadPassPlugin(const std::string& path, std::string_view version) -> Result<std::string>;

// Returns the name of the plugin that registered the pass, or empty for built-in passes.
auto PluginOf(const PassDef& def) -> std::string_view;

}  // namespace relayopt
