// WASI has one process with one thread.
#include "relayopt/support/process.h"

#include <unistd.h>

#include <cstdio>
#include <deque>

#include "relayopt/support/terminal.h"

namespace relayopt {

namespace {

const char* const kNoProcesses = "this platform has no processes";

// Children that ran and were not waited for.
auto Ended() -> std::deque<EndedChild>& {
  static std::deque<EndedChild> ended;
  return ended;
}

}  // namespace

// Memory never shrinks, so that the peak is the size.
auto MeasureProcess() -> ProcessUsage {
  constexpr int64_t kPage = 1 << 16;
  const auto bytes = static_cast<int64_t>(__builtin_wasm_memory_size(0)) * kPage;
  return {.resident = bytes, .peak = bytes};
}

auto IsTerminal(int fd) -> bool { return ::isatty(fd) == 1; }

auto TerminalWidth(int) -> size_t { return 0; }

auto HasThreads() -> bool { return false; }

auto ProcessId() -> int64_t { return 1; }

void TuneAllocator() {}

auto RunInChild(const std::function<void(uint64_t& note)>&, unsigned) -> std::optional<ChildEnd> {
  return std::nullopt;
}

auto StartChild(const std::function<int()>& body) -> std::optional<Child> {
  static int64_t started = 0;
  const int status = body();
  std::fflush(nullptr);
  Ended().push_back({++started, status});
  return Child{.process = started};
}

auto WaitForChild() -> std::optional<EndedChild> {
  if (Ended().empty()) return std::nullopt;
  const EndedChild ended = Ended().front();
  Ended().pop_front();
  return ended;
}

auto RunProgram(std::vector<std::string>, std::string& error) -> std::optional<int> {
  error = kNoProcesses;
  return std::nullopt;
}

auto OutputOfSelf(std::vector<std::string>) -> std::optional<std::string> { return std::nullopt; }

}  // namespace relayopt
