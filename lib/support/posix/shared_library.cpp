// Shared libraries of POSIX.
#include "relayopt/support/shared_library.h"

#include <dlfcn.h>

namespace relayopt {

auto LoadSharedLibrary([[maybe_unused]] const std::string& path, std::string& error) -> void* {
#ifdef RELAYOPT_STATIC
  error = "this relayopt is linked statically";
  return nullptr;
#else
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) error = ::dlerror();
  return library;
#endif
}

auto FindSymbol([[maybe_unused]] void* library, [[maybe_unused]] const char* name) -> void* {
#ifdef RELAYOPT_STATIC
  return nullptr;
#else
  return ::dlsym(library, name);
#endif
}

}  // namespace relayopt
