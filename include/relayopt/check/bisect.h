// Finding the pass that breaks a program, and the rewrite in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/check/property.h"
#include "relayopt/pass/remarks.h"
#include "relayopt/support/result.h"

namespace relayopt {

// One rewrite of the guilty pass, or the fewest that show the fault.
struct GuiltyRewrite {
  // A debug counter, as --debug-counter calls it.
  std::string counter;
  // Its count before the run of the pass.
  uint64_t earlier = 0;
  // The number of the rewrite, counted from the beginning of the run of the pass.
  uint64_t number = 0;
  // Whether this rewrite shows the fault by itself; otherwise it takes those before it, too.
  bool alone = false;
  // Whether the other rewrites show the fault without this one.
  bool others_too = false;
  // What the pass reported about the rewrite.
  std::vector<Remark> remarks = {};
};

struct BisectResult {
  enum class Verdict : uint8_t {
    kFound,
    kNoFault,      // all passes ran, and nothing is wrong
    kFaultyInput,  // the module is bad before any pass runs
    kUnknown,      // no conclusion is possible; `what` says why
  };
  Verdict verdict = Verdict::kNoFault;
  // The fault, or the reason why no conclusion is possible.
  std::string what = {};

  // For kFound: the first run of a pass after which it is wrong, and the modules before and after it; `after` is the
  // same as `before` where the pass failed.
  PassRun guilty = {};
  // When modules in between could not be judged: the guilty run is one of those from here on.
  uint64_t first_suspect = 0;
  // Names of the functions that it changed, or in which it failed, as far as that is known.
  std::vector<std::string> functions = {};
  // Nothing if the pass has no counter for its rewrites.
  std::optional<GuiltyRewrite> rewrite = {};
  // Whether there still is a fault when only the guilty run is left out; nothing if that cannot be judged.
  std::optional<bool> others_too = {};
  // The number of runs of passes and judgements of modules.
  size_t trials = 0;
};

// Finds the first run of a pass of the pipeline after which the property is bad: by halving, where that can be judged
// of any module on the way. Then it runs that pass by itself on what it was given with only some of its rewrites.
// Returns an error if the property could not be judged.
auto Bisect(const Pass& pipeline, const Module& module, const JudgeOptions& options) -> Result<BisectResult>;

}  // namespace relayopt
