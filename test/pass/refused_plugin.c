// A plugin for relayopt VERSION whose passes cannot be registered.
#include <stdbool.h>
#include <stdint.h>

// As relayopt/pass/plugin.h has it.
struct PassPlugin {
  uint32_t abi_version;
  const char* relayopt_version;
  const char* name;
  bool (*register_all)(void);
};

static bool RegisterNothing(void) { return false; }

const struct PassPlugin* relayopt_pass_plugin(void);
const struct PassPlugin* relayopt_pass_plugin(void) {
  static const struct PassPlugin plugin = {1, VERSION, "refused", RegisterNothing};
  return &plugin;
}
