// Messages that a test expects, written beside the text that causes them.
//
//   nn.relu(%x, %y)  // expected-error {{nn.relu takes 1 argument}}
//   // expected-warning@+1 {{...}}     one line below; @-1, @above, @below; @unknown: a message without a position
//   // expected-error-re {{shapes {{.*}} cannot be broadcast}}     a pattern between inner braces
#pragma once

#include "relayopt/support/diagnostic.h"
#include "reporter.h"

namespace relayopt {

// Compares the diagnostics of one source text with the expectations in it. Reports unmet expectations, each at its
// position, and unexpected diagnostics unless `only_expected`.
void CheckExpectations(const SourceText& source, const std::vector<Diagnostic>& diagnostics, bool only_expected,
                       Reporter& reporter);

}  // namespace relayopt
