// What is still done when a run ends early: files that are not finished go away, and one line says why.
#pragma once

#include <string>

namespace relayopt {

// Makes a new file whose name begins with `path`, which becomes its name; -1, with errno, when that fails. It is
// removed when the process ends before it is forgotten: because of a signal, for want of memory, or in EndNow.
auto MakeTemporary(std::string& path) -> int;
void ForgetTemporary(const std::string& path);

// Writes `relayopt: error: MESSAGE`, removes temporary files, and exits with the status of a failure. Can be called by
// any thread and by signal handlers; does not allocate.
[[noreturn]] void EndNow(const char* message);

// From here on signals that ask the process to end (and those about limits of files) leave no temporary file, and want
// of memory, in whatever thread, ends the process with a message.
void InstallCleanup();

}  // namespace relayopt
