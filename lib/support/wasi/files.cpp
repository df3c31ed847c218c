// Files of WASI: there are no mappings and no permissions.
#include "relayopt/support/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace relayopt {

auto MapFile(int fd, size_t size, size_t padding) -> const char* {
  auto* bytes = static_cast<char*>(std::malloc(size + padding));
  if (bytes == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  size_t used = 0;
  while (used < size) {
    const ssize_t n = ::read(fd, bytes + used, size - used);
    if (n <= 0) break;
    used += static_cast<size_t>(n);
  }
  std::memset(bytes + used, 0, size + padding - used);
  return bytes;
}

void UnmapFile(const char* bytes, size_t) { std::free(const_cast<char*>(bytes)); }

auto CreateUniqueFile(std::string& path, size_t ending) -> int {
  static unsigned count = 0;
  constexpr size_t kLetters = 6;
  const size_t begin = path.size() - ending - kLetters;
  while (true) {
    unsigned rest = ++count;
    for (size_t i = 0; i < kLetters; ++i, rest /= 26) path[begin + i] = static_cast<char>('a' + rest % 26);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

auto SetPermissions(int, int) -> bool { return true; }

auto DuplicateDescriptor(int) -> int {
  errno = ENOTSUP;
  return -1;
}

}  // namespace relayopt
