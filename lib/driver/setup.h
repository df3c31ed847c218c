// Checks what the command line names and makes it ready to run.
#pragma once

#include <memory>

#include "crash.h"
#include "monitor.h"
#include "options.h"
#include "relayopt/check/validation.h"
#include "relayopt/driver/session.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/pass/timing.h"
#include "relayopt/relay/ir/provenance.h"
#include "relayopt/report/report.h"
#include "reporter.h"
#include "watch.h"

namespace relayopt {

// Everything that a run needs, created from the options.
struct Setup {
  Pipeline pipeline;
  // Null if no pass was requested.
  PassRef pass;
  PassContextRef context;
  // Operates in that context. Never null.
  std::unique_ptr<Session> session;
  // The format of the output.
  const FormatDef* output = nullptr;
  // Null unless requested; the instruments are also in the context.
  std::shared_ptr<PassTimingInstrument> timing;
  std::shared_ptr<Statistics> statistics;
  std::shared_ptr<RemarkLog> remarks;
  std::shared_ptr<PassRangeInstrument> range;
  std::shared_ptr<CrashReporter> crash;
  std::shared_ptr<ValidationInstrument> validation;
  // The instrument of the answer.
  std::shared_ptr<PassInstrument> watcher;
  std::shared_ptr<RunRecorder> recorder;
  // Null unless origins of expressions are tracked.
  std::shared_ptr<OriginRecorder> origins;
  std::shared_ptr<RunWatch> watch;
  // Never null.
  std::shared_ptr<Monitor> monitor;
  PrintOptions print;
};

// Null, with messages, when something is wrong. `ir_sink` receives what --print-ir-* asks for.
auto Prepare(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink) -> std::unique_ptr<Setup>;

}  // namespace relayopt
