// This process and its children.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace relayopt {

// What the process has used so far. Numbers that a platform does not measure are zero.
struct ProcessUsage {
  std::chrono::microseconds user{};
  std::chrono::microseconds system{};
  // Bytes of memory, now and at most.
  int64_t resident = 0;
  int64_t peak = 0;
};
auto MeasureProcess() -> ProcessUsage;

// Whether a file descriptor is a terminal.
auto IsTerminal(int fd) -> bool;

// Whether threads can be started.
auto HasThreads() -> bool;

// Returns the id of this process.
auto ProcessId() -> int64_t;

// Adapts the allocator to passes, which each make a large table and free another.
void TuneAllocator();

// How a child process ended that did some work.
struct ChildEnd {
  // The signal that ended it; 0 if it exited.
  int signal = 0;
  // It exceeded its time limit, which is not a crash.
  bool timed_out = false;
  // What the work wrote into the shared number last.
  uint64_t note = 0;

  auto crashed() const -> bool { return signal != 0 && !timed_out; }
};

// Does `work` in a copy of this process, so that it may crash; what it prints is dropped. Returns nullopt if the
// process cannot be copied. After `seconds` the copy is ended. The work gets a number that the caller sees afterwards.
auto RunInChild(const std::function<void(uint64_t& note)>& work, unsigned seconds) -> std::optional<ChildEnd>;

// A copy of this process that runs a function.
struct Child {
  int64_t process = 0;
  // The file that receives what it writes to standard error; -1 when that went to the standard error of this process.
  int messages = -1;
};
// Runs `body` in a copy of this process, whose exit status is the result of `body`. A platform without processes runs
// it at once, in this process. Returns nullopt, with errno, if no process can be started.
auto StartChild(const std::function<int()>& body) -> std::optional<Child>;

struct EndedChild {
  int64_t process = 0;
  // As of a shell when a signal ended it: 128 + signal.
  int status = 0;
};
// Waits until one of the children has ended.
auto WaitForChild() -> std::optional<EndedChild>;

// Runs a program, found in PATH, with these words and returns its exit status (128 + signal when a signal ended it).
// Returns nullopt, with the reason in `error`, if it cannot be started.
auto RunProgram(std::vector<std::string> words, std::string& error) -> std::optional<int>;

// Runs this very program with other arguments and returns what it prints. Returns nullopt if it cannot be started or
// fails.
auto OutputOfSelf(std::vector<std::string> arguments) -> std::optional<std::string>;

}  // namespace relayopt
