// WASI loads no libraries.
#include "relayopt/support/shared_library.h"

namespace relayopt {

auto LoadSharedLibrary(const std::string&, std::string& error) -> void* {
  error = "this platform loads no libraries";
  return nullptr;
}

auto FindSymbol(void*, const char*) -> void* { return nullptr; }

}  // namespace relayopt
