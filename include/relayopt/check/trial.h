// Runs of passes with details for inspection: the input and result of each pass, and how the run ended.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/pass/number_set.h"
#include "relayopt/pass/pass.h"

namespace relayopt {

// One run of a pass that has a number. Modules share what they have in common, so that keeping them costs what passes
// changed.
struct PassRun {
  // As --opt-bisect-limit counts.
  uint64_t number = 0;
  std::string name;
  // The pass with its options; null if it no longer exists.
  PassRef pass;
  // The level of the context at which it ran.
  int level = 0;
  Module before;
  // Equal to `before` if the pass failed.
  Module after;
  bool changed = false;
};

struct TrialOptions {
  // Instruments, statistics and remarks in it are not used; the run has one thread, which changes no result.
  PassContextOptions context;
  // Whether functions are verified after each pass.
  bool verifies = true;
  // Only runs with these numbers are executed; all if there are none.
  std::optional<NumberSet> numbers = {};
  // Called for each pass before it runs; may be null.
  std::function<void(const PassRun& run)> begins = {};
  // Where remarks go; may be null.
  std::shared_ptr<RemarkLog> remarks = {};
};

struct Trial {
  // The runs that succeeded, in the order in which they ended.
  std::vector<PassRun> runs;
  // The run that returned an error, if one did.
  std::optional<PassRun> failed;
  // The first run that TrialOptions::numbers left out, with its input.
  std::optional<PassRun> left_out;
  // All errors that were reported.
  std::vector<Diagnostic> errors;
  // The module at the end; at a failure as the failed pass left it.
  Module result;
  // The count of each debug counter of the context.
  std::vector<uint64_t> counts;
};

// Runs a pass or a pipeline over a module, in a context of its own.
auto RunTrial(const Pass& pass, const Module& module, const TrialOptions& options) -> Trial;

// Whether a failed trial shows a fault of the pass, a module that inference or the verifier rejects, and not a pass
// that refuses its input.
auto IsFaultOfPass(const Trial& trial) -> bool;

}  // namespace relayopt
