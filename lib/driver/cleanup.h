// Cleanup when a run ends early: unfinished files are removed, and one line reports the reason.
#pragma once

#include <string>
#include <string_view>

namespace relayopt {

// Creates a new file whose name begins with `path`, which is set to its name. Returns -1, with errno, on failure. The
// file is removed if the process ends before it is released: by a signal, out of memory, or in EndNow.
auto MakeTemporary(std::string& path) -> int;
void ForgetTemporary(const std::string& path);

// Writes to standard error at once. Can be called by any thread and by signal handlers; does not allocate.
void SayNow(std::string_view text);

// Writes `relayopt: error: MESSAGE`, removes temporary files, and exits with the status of a failure. Can be called by
// any thread and by signal handlers; does not allocate.
[[noreturn]] void EndNow(const char* message);

// From here on signals that ask the process to end (and those about limits of files) leave no temporary file, and
// running out of memory, in any thread, ends the process with a message.
void InstallCleanup();

}  // namespace relayopt
