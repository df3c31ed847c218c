// Ends a run early and leaves nothing behind.
#include "cleanup.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include "driver.h"
#include "relayopt/support/files.h"
#include "relayopt/support/signals.h"

namespace relayopt {

namespace {

// A table without allocations: entries are acquired and released with one exchange.
struct Temporary {
  std::atomic<bool> is_taken = false;
  std::atomic<bool> is_ready = false;
  char path[PATH_MAX];
};
Temporary g_temporaries[8];

// Does nothing if too many are registered already.
void Remember(const std::string& path) {
  if (path.size() >= PATH_MAX) return;
  for (Temporary& temporary : g_temporaries) {
    if (temporary.is_taken.exchange(true)) continue;
    std::memcpy(temporary.path, path.c_str(), path.size() + 1);
    temporary.is_ready = true;
    return;
  }
}

void RemoveTemporaries() {
  for (Temporary& temporary : g_temporaries) {
    if (temporary.is_ready.exchange(false)) ::unlink(temporary.path);
  }
}

[[noreturn]] void OutOfMemory() { EndNow("out of memory"); }

// Called for an uncaught exception. A size that cannot be allocated counts as lack of memory, too.
[[noreturn]] void OnTerminate() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    OutOfMemory();
  } catch (const std::length_error&) {
    OutOfMemory();
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) EndNow("no more threads can be had");
  } catch (...) {  // NOLINT(bugprone-empty-catch): the next statement is for all.
  }
  std::abort();
}

}  // namespace

auto MakeTemporary(std::string& path) -> int {
  path += ".XXXXXX";
  // Blocks signals until the file is registered.
  const EndingSignalsBlocked blocked;
  const int fd = CreateUniqueFile(path);
  const int error = errno;
  if (fd >= 0) Remember(path);
  errno = error;
  return fd;
}

void ForgetTemporary(const std::string& path) {
  for (Temporary& temporary : g_temporaries) {
    if (!temporary.is_ready || path != temporary.path) continue;
    temporary.is_ready = false;
    temporary.is_taken = false;
    return;
  }
}

void SayNow(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

void EndNow(const char* message) {
  RemoveTemporaries();
  SayNow("relayopt: error: ");
  SayNow(message);
  SayNow("\n");
  ::_exit(kFailure);
}

void InstallCleanup() {
  std::set_new_handler(OutOfMemory);
  std::set_terminate(OnTerminate);
  OnEndingSignals(RemoveTemporaries);
}

}  // namespace relayopt
