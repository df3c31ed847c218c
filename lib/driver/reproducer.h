// Files that show a fault again: a module with a header that says what to run on it.
//
//   // relayopt-reproducer v1
//   // tool: relayopt 0.1.0
//   // passes: FoldConstant
//   // args: --opt-level=5
//   // failure: signal 11 (Segmentation fault) in pass FoldConstant on @main (pass #12)
//   // run: relayopt --run-reproducer crash.relay
//   #[version = "0.0.5"]
//   def @main(...) ...
//
// In front of TVMScript the lines of the header begin with `#`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "flags.h"
#include "options.h"
#include "relayopt/module/module.h"
#include "relayopt/support/diagnostic.h"
#include "relayopt/support/result.h"

namespace relayopt {

struct Reproducer {
  // The pipeline.
  std::string passes;
  // Further arguments that the run needs, quoted as for a shell.
  std::string args;
  // What failed; may be empty.
  std::string failure;
};

// Prints a reproducer that will be stored at `path`.
void PrintReproducer(const std::string& path, const Reproducer& reproducer, const Module& module, TextSink& sink);

// Writes a reproducer; returns the reason when that fails. An empty path is replaced by an unpredictable new name in
// $TMPDIR. Does as little as possible, because it runs after crashes: in particular it makes no temporary file.
auto WriteReproducer(std::string& path, const Reproducer& reproducer, const Module& module)
    -> std::optional<std::string>;

// Whether a text begins with the header.
auto IsReproducer(std::string_view text) -> bool;

// Returns the command line in the header of a reproducer, as words, without the file itself.
auto ReproducerWords(const std::string& path) -> Result<std::vector<std::string>>;

// Whether the header of a reproducer may hold a flag with this value although the file is not trusted: it may decide
// what the passes do and how their result is checked and shown, but it opens no file, runs no program and loads no
// plugin.
auto IsHarmless(const FlagDef& flag, std::string_view value) -> bool;

// Returns the arguments for Reproducer::args: those that decide what a pass does, and with `whole_run` also those that
// decide which passes run.
auto ReproducerArguments(const ToolOptions& options, bool whole_run) -> std::string;

// Returns the value of a --debug-counter after `asked` of its rewrites: CSE.merged=3-7 after four becomes
// CSE.merged=1-3, and CSE.merged=0 when none is left.
auto CountFrom(const std::string& counter, uint64_t asked) -> std::string;

}  // namespace relayopt
