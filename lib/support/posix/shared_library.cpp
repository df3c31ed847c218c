// Shared libraries of POSIX.
#include "relayopt/support/shared_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace relayopt {

#ifndef RELAYOPT_STATIC
namespace {

// Returns whether a file is a library whose end is missing, as a linker that still writes it leaves it. The loader maps
// its segments without looking at the size, and the process would end by SIGBUS.
auto IsCutOff(const std::string& path) -> bool {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  const auto read_at = [&](uint64_t offset, auto& value) {
    return offset <= size && file.seekg(static_cast<std::streamoff>(offset)) &&
           file.read(reinterpret_cast<char*>(&value), sizeof value);
  };
  ElfW(Ehdr) header;
  if (!read_at(0, header) || !std::equal(ELFMAG, ELFMAG + SELFMAG, header.e_ident)) return false;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    if (!read_at(header.e_phoff + i * sizeof segment, segment)) return true;
    if (segment.p_type == PT_LOAD && (segment.p_offset > size || segment.p_filesz > size - segment.p_offset))
      return true;
  }
  return false;
}

}  // namespace
#endif

auto LoadSharedLibrary([[maybe_unused]] const std::string& path, std::string& error) -> void* {
#ifdef RELAYOPT_STATIC
  error = "this relayopt is linked statically";
  return nullptr;
#else
  if (IsCutOff(path)) {
    error = "the end of the file is missing";
    return nullptr;
  }
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
