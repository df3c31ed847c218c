// Fuzzing: runs random programs through random pipelines and checks all that can be checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/check/program_generator.h"
#include "relayopt/pass/pass_context.h"

namespace relayopt {

// What FuzzOnce generates and checks.
struct FuzzOptions {
  ProgramOptions program;
  // The pipeline for every program, as for --passes; when empty, random passes are drawn.
  std::string pipeline;
  // The number of pipelines that each program goes through.
  int pipelines = 1;
  // The largest number of passes drawn for a pipeline.
  int max_passes = 6;
  // A planted fault (PlantedFault::name). Each pipeline has the pass in which TVM has this fault, with the fault before
  // it.
  std::string planted_fault;
  // Modules as Relay text or TVMScript. When there are any, the programs of a run are these, and afterwards mutations
  // of these (MutateProgram), instead of generated ones. Kinds of functions that no text contains are left out.
  std::vector<std::string> corpus;
  std::vector<std::string> script_corpus;
  // Which kinds of programs are generated when neither the pipeline nor the fault determines the kind.
  bool relay_programs = true;
  bool tensor_programs = true;
  // An instrument for all passes; may be null.
  InstrumentRef watcher;
  // The limit for evaluating a program. Random programs either need few steps or run forever.
  uint64_t max_steps = 100'000;
  // Makes all runs strict; otherwise only some are. In a strict context every pass must preserve every bit, with edge
  // values as arguments, too.
  bool strict_fp = false;
};

// A program on which something went wrong.
struct FuzzFailure {
  uint64_t seed = 0;
  // The program and the passes, as text.
  std::string program;
  std::string pipeline;
  bool strict_fp = false;
  // The target of the context; may be empty.
  std::string target;
  // The fault: a summary in one line, and details below it.
  std::string what;
};

// The outcome for one program.
struct FuzzRun {
  // The failure, with which the run ended.
  std::optional<FuzzFailure> failure;
  // The number of pipelines that the program went through.
  size_t pipelines = 0;
  // How many of them ended because a pass refused its input with a diagnostic of its own, by the id of the diagnostic.
  std::map<std::string, size_t> refused;
  // For each pass that changes programs, how often it ran and how often it changed the program.
  struct PassRuns {
    size_t runs = 0;
    size_t changed = 0;
  };
  std::map<std::string, PassRuns> passes;
  // The number of pass runs after which the program was evaluated and gave the same results as before.
  size_t validated = 0;
  // How many pass runs that changed the program were not validated, by reason.
  std::map<std::string, size_t> not_validated;
  // The same for tensor programs, where a pass that refuses its input does not end the pipeline.
  struct Pairs {
    // How often a pass ran on a program.
    size_t all = 0;
    size_t unchanged = 0;
    size_t validated = 0;
    std::map<std::string, size_t> not_validated = {};
    std::map<std::string, size_t> refused = {};
  };
  Pairs pairs;
};

// The seed of the first program of a run. Runs with different numbers below 2^32 have no program in common: the number
// is the upper half of the seeds, from 1. A larger number is the seed of a program itself.
constexpr auto FirstSeed(uint64_t run) -> uint64_t { return run >> 32 == 0 ? (run + 1) << 32 : run; }
// The position of a program in its run.
constexpr auto NumberInRun(uint64_t seed) -> uint64_t { return seed & UINT32_MAX; }

// Generates the program of `seed` and checks that: it is well-typed; before and after the passes, its text can be read
// back and prints as the same bytes; after every pass, the verifier and type inference find no fault, and the program
// computes what it computed before; the passes give the same bytes again when they start from the text.
auto FuzzOnce(uint64_t seed, const FuzzOptions& options) -> FuzzRun;

}  // namespace relayopt
