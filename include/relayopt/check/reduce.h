// Making a module and a pipeline smaller while they still show something.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "relayopt/check/property.h"
#include "relayopt/module/module.h"
#include "relayopt/pass/pipeline.h"
#include "relayopt/support/result.h"

namespace relayopt {

// A program and the pipeline to run over it.
struct FaultyCase {
  Module module;
  Pipeline pipeline;
};

struct ReduceOptions {
  // Whether a case still shows the fault. Modules are well-typed,
  // and read from their own text. An error ends the work.
  std::function<Result<bool>(const FaultyCase&)> is_interesting;
  // Called with each smaller case, so that the best one is kept whatever happens; may be null. An error ends the work.
  std::function<std::optional<Diagnostic>(const FaultyCase&)> keep = {};
  // After that the best case is the result; zero: no limit.
  std::chrono::duration<double> limit{};
};

struct ReduceResult {
  FaultyCase best;
  // Whether the given case shows the fault; otherwise nothing was done.
  bool was_interesting = false;
  bool out_of_time = false;
  // The number of candidates tried, and of those accepted.
  size_t tried = 0;
  size_t kept = 0;
};

// Makes passes fewer and simpler, then leaves out functions, parts of results, calls, bindings, branches, constants,
// statements and loops, and makes extents smaller, until nothing more can be left out. Every candidate is well-typed.
// The result is the same for every run that has enough time.
auto Reduce(FaultyCase given, const ReduceOptions& options) -> Result<ReduceResult>;

// Judges a property of what the passes do to the module, and, once a case has shown it, for the same fault: that of the
// pass of this name. kResult judges the module after the passes. `fixed`, when it is not null, runs instead of the
// pipeline of a case.
auto InterestOf(JudgeOptions options, PassRef fixed = nullptr) -> std::function<Result<bool>(const FaultyCase&)>;

// Calls, of operators and others, and statements in the functions of a module: how large a reduced case is.
auto CallsAndStatements(const Module& module) -> size_t;

}  // namespace relayopt
