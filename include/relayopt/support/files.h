// File operations that differ between platforms.
#pragma once

#include <cstddef>
#include <string>

namespace relayopt {

// Returns the first `size` bytes of an open file, followed by `padding` readable zeros; null, with errno, on failure.
// The bytes are mapped where the platform can do that, and read elsewhere.
auto MapFile(int fd, size_t size, size_t padding) -> const char*;
// Gives them back; `whole` is size + padding.
void UnmapFile(const char* bytes, size_t whole);

// Creates a new file and opens it for writing. `path` has six X before its last `ending` bytes, which become a name
// that is not taken. Returns the descriptor, or -1 with errno.
auto CreateUniqueFile(std::string& path, size_t ending = 0) -> int;

// Gives a new file the permissions of a file that it replaces, or those of new files when `mode` is negative. Returns
// false, with errno, on failure.
auto SetPermissions(int fd, int mode) -> bool;

// Returns another descriptor for the same open file, or -1 with errno.
auto DuplicateDescriptor(int fd) -> int;

}  // namespace relayopt
