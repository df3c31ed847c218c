// Handles the failure of a check of relayopt's own invariants.
#include "relayopt/support/check.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "relayopt/support/check_handler.h"

namespace relayopt {

namespace {

std::atomic<CheckHandler> g_handler = nullptr;

}  // namespace

void SetCheckHandler(CheckHandler handler) { g_handler = handler; }

void CheckFailed(const char* condition, const char* message, const char* file, int line) {
  const std::string text = fmt::format("{}:{}: internal check failed: {} ({})", file, line, message, condition);
  if (const CheckHandler handler = g_handler) handler(text);
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
}

}  // namespace relayopt
