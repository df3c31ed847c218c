// Shared libraries that are loaded at run time.
#pragma once

#include <string>

namespace relayopt {

// Loads a library for the rest of the process. Returns null, with the reason in `error`, on failure.
auto LoadSharedLibrary(const std::string& path, std::string& error) -> void*;

// Returns the address of an exported name, or null if the library has none.
auto FindSymbol(void* library, const char* name) -> void*;

}  // namespace relayopt
