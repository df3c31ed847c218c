// Versions of functions of the C library that systems older than the one that builds the wheel have, too. glibc 2.35
// has a second hypot, which differs from the first in how it reports errors, and would be the only reason to
// require 2.35.
#include <features.h>

#if defined(__x86_64__) && defined(__GLIBC__)
extern "C" {
auto RelayoptOldHypot(double x, double y) -> double;
auto RelayoptOldHypotf(float x, float y) -> float;
__asm__(".symver RelayoptOldHypot, hypot@GLIBC_2.2.5");
__asm__(".symver RelayoptOldHypotf, hypotf@GLIBC_2.2.5");

// The linker replaces `hypot` by these (--wrap).
// NOLINTBEGIN(bugprone-reserved-identifier)
auto __wrap_hypot(double x, double y) -> double { return RelayoptOldHypot(x, y); }
auto __wrap_hypotf(float x, float y) -> float { return RelayoptOldHypotf(x, y); }
// NOLINTEND(bugprone-reserved-identifier)
}
#endif
