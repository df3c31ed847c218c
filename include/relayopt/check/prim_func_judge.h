// Checks whether a pass preserves what tensor programs compute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/compare.h"
#include "relayopt/tir/eval/arguments.h"

namespace relayopt {

// Runs the PrimFuncs of a module before and after a pass on equal memory, and compares the memory afterwards.
class PrimFuncJudge {
 public:
  // How programs are run and compared.
  struct Options {
    tir::ArgumentOptions arguments;
    std::vector<tir::GivenTensor> given;
    // Whether to run a second time, on edge values.
    bool edges = false;
    Tolerance tolerance;
    // Whether floats of at most 16 bits may have been computed with more or less precision: results may then differ by
    // what rounding to these types decides.
    bool narrows = false;
    uint64_t max_steps = 20'000'000;
  };
  struct Verdict {
    enum class Kind : uint8_t { kAgrees, kDiffers, kNotRun };
    Kind kind = Kind::kAgrees;
    // What differs, or why nothing was run.
    std::string text;
  };

  explicit PrimFuncJudge(Options options) : options_(std::move(options)) {}

  // Compares every function that differs between the modules, in the order of names; the modules share their context.
  // Returns the most serious verdict: a function whose results differ, else one that was not run, else agreement. Free
  // variables in shapes are set to small numbers, which are varied until the program runs.
  auto Judge(const Module& before, const Module& after) const -> Verdict;

 private:
  Options options_;
};

}  // namespace relayopt
