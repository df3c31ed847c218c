// Loads plugins.
#include "relayopt/pass/plugin.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
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
constexpr DiagnosticKind kIncomplete = {"plugin-incomplete", Severity::kError,
                                        "plugin '{}' does not describe itself: {}"};
constexpr DiagnosticKind kFailed = {"plugin-failed", Severity::kError, "plugin '{}' failed: {}"};
constexpr DiagnosticKind kNotRegistered = {"plugin-not-registered", Severity::kError,
                                           "plugin '{}' cannot register its passes: a name is taken"};

// Which plugin passes come from. Plugins are loaded by one thread, before passes run.
auto Origins() -> std::map<const PassDef*, std::string>& {
  static std::map<const PassDef*, std::string> origins;
  return origins;
}

// Calls a function of a plugin. An exception that it lets out becomes an error.
template <typename Call>
auto CallPlugin(const std::string& path, Call&& call) -> Result<decltype(call())> {
  try {
    return call();
  } catch (const std::exception& error) {
    return MakeDiagnostic(kFailed, {}, path, error.what());
  } catch (...) {
    return MakeDiagnostic(kFailed, {}, path, "an exception that is no std::exception");
  }
}

// Opening a pipe would wait for somebody who writes.
auto IsFile(const std::string& path) -> bool {
  struct stat info {};
  return ::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

}  // namespace

auto LoadPassPlugin(const std::string& path, std::string_view version) -> Result<std::string> {
  // The system looks for a name without a folder among the libraries of the system only; users mean the current folder.
  const bool is_here = path.find('/') == std::string::npos && ::access(path.c_str(), F_OK) == 0;
  const bool is_path = is_here || path.find('/') != std::string::npos;
  if (is_path && !IsFile(path)) return MakeDiagnostic(kCannotLoad, {}, path, "it is not a regular file");
  std::string error;
  void* library = LoadSharedLibrary(is_here ? "./" + path : path, error);
  if (library == nullptr) return MakeDiagnostic(kCannotLoad, {}, path, error);
  using Describe = const PassPlugin* (*)();
  const auto describe = reinterpret_cast<Describe>(FindSymbol(library, "relayopt_pass_plugin"));
  if (describe == nullptr) return MakeDiagnostic(kNoPlugin, {}, path);
  RELAYOPT_TRY(const PassPlugin* const described, CallPlugin(path, describe));
  if (described == nullptr) return MakeDiagnostic(kIncomplete, {}, path, "relayopt_pass_plugin returns null");
  const PassPlugin& plugin = *described;
  // When the version differs, only the first field is known to exist.
  const bool same_abi = plugin.abi_version == RELAYOPT_PLUGIN_ABI_VERSION;
  if (same_abi && (plugin.relayopt_version == nullptr || plugin.name == nullptr || plugin.register_all == nullptr))
    return MakeDiagnostic(kIncomplete, {}, path, "its version, its name or its function register_all is null");
  const std::string_view built_for = same_abi ? plugin.relayopt_version : "of another time";
  if (built_for != version) {
    return MakeDiagnostic(kOtherVersion, {}, path, built_for, plugin.abi_version, version, RELAYOPT_PLUGIN_ABI_VERSION);
  }
  const std::vector<const PassDef*> before = AllPasses();
  RELAYOPT_TRY(const bool is_registered, CallPlugin(path, plugin.register_all));
  if (!is_registered) return MakeDiagnostic(kNotRegistered, {}, plugin.name);
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
