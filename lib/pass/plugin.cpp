// Loads plugins.
#include "relayopt/pass/plugin.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

#include "relayopt/pass/registry.h"
#include "relayopt/support/shared_library.h"

namespace relayopt {

namespace {

constexpr DiagnosticKind kCannotLoad = {"cannot-load-plugin", Severity::kError, "cannot load plugin '{}': {}"};
constexpr DiagnosticKind kNoPlugin = {"no-plugin", Severity::kError,
                                      "'{}' is not a plugin of relayopt: it has no function relayopt_pass_plugin"};
constexpr DiagnosticKind kOtherVersion = {
    "plugin-version", Severity::kError,
    "plugin '{}' was built for relayopt {} (plugin ABI {}), and this is relayopt {} (plugin ABI {}): build it again"};
constexpr DiagnosticKind kNotRegistered = {"plugin-not-registered", Severity::kError,
                                           "plugin '{}' cannot register its passes: a name is taken"};

// Which plugin passes come from. Plugins are loaded by one thread, before passes run.
auto Origins() -> std::map<const PassDef*, std::string>& {
  static std::map<const PassDef*, std::string> origins;
  return origins;
}

}  // namespace

auto LoadPassPlugin(const std::string& path, std::string_view version) -> Result<std::string> {
  // The system looks for a name without a folder among the libraries of the system only; users mean the current folder.
  const bool is_here = path.find('/') == std::string::npos && ::access(path.c_str(), F_OK) == 0;
  std::string error;
  void* library = LoadSharedLibrary(is_here ? "./" + path : path, error);
  if (library == nullptr) return MakeDiagnostic(kCannotLoad, {}, path, error);
  using Describe = const PassPlugin* (*)();
  const auto describe = reinterpret_cast<Describe>(FindSymbol(library, "relayopt_pass_plugin"));
  if (describe == nullptr) return MakeDiagnostic(kNoPlugin, {}, path);
  const PassPlugin& plugin = *describe();
  // When the version differs, only the first field is known to exist.
  const bool same_abi = plugin.abi_version == RELAYOPT_PLUGIN_ABI_VERSION;
  const std::string_view built_for = same_abi ? plugin.relayopt_version : "of another time";
  if (built_for != version) {
    return MakeDiagnostic(kOtherVersion, {}, path, built_for, plugin.abi_version, version, RELAYOPT_PLUGIN_ABI_VERSION);
  }
  const std::vector<const PassDef*> before = AllPasses();
  if (!plugin.register_all()) return MakeDiagnostic(kNotRegistered, {}, plugin.name);
  for (const PassDef* def : AllPasses()) {
    if (std::find(before.begin(), before.end(), def) == before.end()) Origins()[def] = plugin.name;
  }
  return std::string(plugin.name);
}

auto PluginOf(const PassDef& def) -> std::string_view {
  const auto found = Origins().find(&def);
  return found == Origins().end() ? std::string_view() : found->second;
}

}  // namespace relayopt
