// Files of POSIX.
#include "relayopt/support/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace relayopt {

// The file is mapped over the front of a larger anonymous mapping, whose tail is the padding.
auto MapFile(int fd, size_t size, size_t padding) -> const char* {
  const size_t whole = size + padding;
  void* mapping = ::mmap(nullptr, whole, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  if (::mmap(mapping, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
    ::munmap(mapping, whole);
    return nullptr;
  }
  return static_cast<const char*>(mapping);
}

void UnmapFile(const char* bytes, size_t whole) { ::munmap(const_cast<char*>(bytes), whole); }

auto CreateUniqueFile(std::string& path, size_t ending) -> int {
  return ::mkostemps(path.data(), static_cast<int>(ending), O_CLOEXEC);
}

auto SetPermissions(int fd, int mode) -> bool {
  if (mode < 0) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = static_cast<int>(0666 & ~mask);
  }
  return ::fchmod(fd, static_cast<mode_t>(mode)) == 0;
}

auto DuplicateDescriptor(int fd) -> int { return ::fcntl(fd, F_DUPFD_CLOEXEC, 0); }

}  // namespace relayopt
