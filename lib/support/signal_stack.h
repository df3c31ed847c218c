// A stack for signal handlers.
#pragma once

#include <csignal>
#include <memory>

namespace relayopt {

// Gives the calling thread a separate stack for signal handlers as long as this object lives, so that a handler can
// report a stack overflow. Has no effect in a thread that already has such a stack (as sanitizers provide).
class SignalStack {
 public:
  SignalStack() {
    stack_t known{};
    if (::sigaltstack(nullptr, &known) != 0 || (known.ss_flags & SS_DISABLE) == 0) return;
    // Pages that no handler touches cost nothing.
    memory_ = std::make_unique_for_overwrite<char[]>(kSize);
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = kSize;
    ::sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    if (memory_ == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  auto operator=(const SignalStack&) -> SignalStack& = delete;

 private:
  // Enough for a handler that prints a module.
  static constexpr size_t kSize = size_t{512} << 10;
  std::unique_ptr<char[]> memory_;
};

}  // namespace relayopt
