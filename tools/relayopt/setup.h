// Checks what the command line names and makes it ready to run.
#pragma once

#include <memory>
#include <optional>

#include "crash.h"
#include "options.h"
#include "relayopt/pass/instruments.h"
#include "relayopt/pass/pipeline.h"
#include "reporter.h"

namespace relayopt {

// Everything that a run needs.
struct Setup {
  Pipeline pipeline;
  // Null when no pass was asked for.
  PassRef pass;
  PassContextRef context;
  // Null unless asked for; also among the instruments of the context.
  std::shared_ptr<PassTimingInstrument> timing;
  std::shared_ptr<CrashReporter> crash;
  PrintOptions print;
};

// Null, with messages, when something is wrong. `ir_sink` receives what --print-ir-* asks for.
auto Prepare(const ToolOptions& options, Reporter& reporter, TextSink& ir_sink) -> std::unique_ptr<Setup>;

}  // namespace relayopt
