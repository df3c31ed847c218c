// Signals of POSIX.
#include "relayopt/support/signals.h"

#include <execinfo.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <iterator>

namespace relayopt {

namespace {

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
void (*g_clean_up)() = nullptr;

void OnEnd(int signal) {
  g_clean_up();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

CrashHandlers g_handlers;
// The thread that crashed first; 0: none.
std::atomic<pid_t> g_crashed_thread = 0;

// Enough for a handler that prints a module.
constexpr size_t kStackSize = size_t{512} << 10;

[[maybe_unused]] void OnCrash(int signal, siginfo_t* info, void*) {
  if (signal == SIGBUS && info != nullptr) g_handlers.lost_page(info->si_addr);
  pid_t first = 0;
  if (!g_crashed_thread.compare_exchange_strong(first, ::gettid())) {
    // A crash in here ends the process at once; another thread waits for the report of the first.
    while (first != ::gettid()) ::pause();
  } else {
    ::alarm(g_handlers.seconds);
    g_handlers.crashed(signal);
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

SignalStack::SignalStack() {
  stack_t known{};
  if (::sigaltstack(nullptr, &known) != 0 || (known.ss_flags & SS_DISABLE) == 0) return;
  // Pages that no handler touches cost nothing.
  memory_ = std::make_unique_for_overwrite<char[]>(kStackSize);
  stack_t stack{};
  stack.ss_sp = memory_.get();
  stack.ss_size = kStackSize;
  ::sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
  if (memory_ == nullptr) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
}

struct EndingSignalsBlocked::State {
  sigset_t signals;
};

EndingSignalsBlocked::EndingSignalsBlocked() : before_(std::make_unique<State>()) {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : kEndingSignals) sigaddset(&ending, signal);
  ::pthread_sigmask(SIG_BLOCK, &ending, &before_->signals);
}

EndingSignalsBlocked::~EndingSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_->signals, nullptr); }

void OnEndingSignals(void (*clean_up)()) {
  g_clean_up = clean_up;
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : kEndingSignals) {
    // If the tool was started with nohup, the signal stays ignored.
    if (std::signal(signal, OnEnd) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

void IgnoreClosedPipes() { std::signal(SIGPIPE, SIG_IGN); }

void OnCrashes([[maybe_unused]] const CrashHandlers& handlers) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  g_handlers = handlers;
  // The handler's own stack: the usual one may be exhausted.
  alignas(16) static char memory[kStackSize];
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = sizeof(memory);
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = OnCrash;
  action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
#endif
}

auto SignalName(int signal) -> std::string { return ::strsignal(signal); }

void PrintStack() {
  void* frames[64];
  const int count = ::backtrace(frames, static_cast<int>(std::size(frames)));
  ::backtrace_symbols_fd(frames, count, STDERR_FILENO);
}

}  // namespace relayopt
