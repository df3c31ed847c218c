// WASI has no signals: a crash is a trap, which the program that runs the module sees.
#include "relayopt/support/signals.h"

namespace relayopt {

SignalStack::SignalStack() = default;
SignalStack::~SignalStack() = default;

struct EndingSignalsBlocked::State {};
EndingSignalsBlocked::EndingSignalsBlocked() = default;
EndingSignalsBlocked::~EndingSignalsBlocked() = default;

void OnEndingSignals(void (*)()) {}

void IgnoreClosedPipes() {}

void OnCrashes(const CrashHandlers&) {}

auto SignalName(int signal) -> std::string { return std::to_string(signal); }

void PrintStack() {}

}  // namespace relayopt
