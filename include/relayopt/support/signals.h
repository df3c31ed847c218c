// Signals. On platforms without them nothing here has an effect.
#pragma once

#include <memory>
#include <string>

namespace relayopt {

// Gives the calling thread a separate stack for signal handlers as long as this object lives, so that a handler can
// report a stack overflow. Has no effect in a thread that already has such a stack (as sanitizers provide).
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  auto operator=(const SignalStack&) -> SignalStack& = delete;

 private:
  std::unique_ptr<char[]> memory_;
};

// While this object lives, signals that ask the process to end wait.
class EndingSignalsBlocked {
 public:
  EndingSignalsBlocked();
  ~EndingSignalsBlocked();
  EndingSignalsBlocked(const EndingSignalsBlocked&) = delete;
  auto operator=(const EndingSignalsBlocked&) -> EndingSignalsBlocked& = delete;

 private:
  struct State;
  std::unique_ptr<State> before_;
};

// Calls `clean_up` before a signal that asks the process to end ends it. Ignored signals stay ignored. A file that may
// not grow then shows as an error of write.
void OnEndingSignals(void (*clean_up)());

// A closed pipe shows as an error of write.
void IgnoreClosedPipes();

struct CrashHandlers {
  // A read of a mapped file failed at this address because the file became shorter.
  void (*lost_page)(const void* address) = nullptr;
  // The process crashed. Called once, on a stack of its own; other threads that crash wait. The process ends after it,
  // or after `seconds`.
  void (*crashed)(int signal) = nullptr;
  unsigned seconds = 0;
};
// Has no effect under sanitizers, which have handlers of their own.
void OnCrashes(const CrashHandlers& handlers);

// Returns the name of a signal.
auto SignalName(int signal) -> std::string;

// Prints the stack of this thread to standard error, with symbol names as in the binary.
void PrintStack();

}  // namespace relayopt
