// Whether a pass keeps what tensor programs compute.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "relayopt/module/module.h"
#include "relayopt/relay/eval/compare.h"
#include "relayopt/tir/eval/arguments.h"

namespace relayopt {

// Runs PrimFuncs of a module before and after a pass on the same memory, and compares what is in it afterwards.
class PrimFuncJudge {
 public:
  struct Options {
    tir::ArgumentOptions arguments;
    std::vector<tir::GivenTensor> given;
    // A second set of arguments with edge values.
    bool edges = false;
    Tolerance tolerance;
    uint64_t max_steps = 20'000'000;
  };
  struct Verdict {
    enum class Kind : uint8_t { kAgrees, kDiffers, kNotRun };
    Kind kind = Kind::kAgrees;
    // What differs, or why it was not run.
    std::string text;
  };

  explicit PrimFuncJudge(Options options) : options_(std::move(options)) {}

  // On every function that is not the same in both, by name; the modules share their context. A function that differs
  // comes before one that was not run, and that before those that agree. Where variables in shapes are free, small
  // numbers are tried until the program runs.
  auto Judge(const Module& before, const Module& after) const -> Verdict;

 private:
  Options options_;
};

}  // namespace relayopt
