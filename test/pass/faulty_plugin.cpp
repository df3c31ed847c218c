// A plugin that does what the variable FAULTY_PLUGIN says.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace {

// As relayopt/pass/plugin.h has it, whose other declarations it does not need.
struct PassPlugin {
  uint32_t abi_version;
  const char* relayopt_version;
  const char* name;
  bool (*register_all)();
};

auto Behavior() -> std::string_view {
  const char* behavior = std::getenv("FAULTY_PLUGIN");
  return behavior == nullptr ? "" : behavior;
}

auto Register() -> bool {
  if (Behavior() == "register-throws") throw std::runtime_error("no passes");
  if (Behavior() == "register-throws-a-number") throw 5;
  return true;
}

}  // namespace

extern "C" auto relayopt_pass_plugin() -> const PassPlugin* {
  static PassPlugin plugin;
  plugin = {1, "1.0", "faulty", &Register};
  const std::string_view behavior = Behavior();
  if (behavior == "describe-throws") throw std::runtime_error("no description");
  if (behavior == "no-version") plugin.relayopt_version = nullptr;
  if (behavior == "no-name") plugin.name = nullptr;
  if (behavior == "no-function") plugin.register_all = nullptr;
  return behavior == "null" ? nullptr : &plugin;
}
