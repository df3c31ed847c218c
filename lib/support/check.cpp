// What happens when a check on our own invariants fails.
#include "relayopt/support/check.h"

#include <cstdio>
#include <cstdlib>

namespace relayopt {

void CheckFailed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s (%s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace relayopt
