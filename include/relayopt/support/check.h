// Checks of relayopt's own invariants. A failed check is a bug in relayopt, never a fault of the input.
#pragma once

namespace relayopt {

// Prints the failed condition with its file and line to stderr, and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* message, const char* file, int line);

}  // namespace relayopt

// A check that stays on in release builds; for conditions that are cheap to test.
#define RELAYOPT_CHECK(condition, message)                              \
  do {                                                                  \
    if (!(condition)) [[unlikely]] {                                    \
      ::relayopt::CheckFailed(#condition, message, __FILE__, __LINE__); \
    }                                                                   \
  } while (false)

// A check for hot paths, made in debug builds only.
#ifdef NDEBUG
#define RELAYOPT_DCHECK(condition, message) static_cast<void>(0)
#else
#define RELAYOPT_DCHECK(condition, message) RELAYOPT_CHECK(condition, message)
#endif
