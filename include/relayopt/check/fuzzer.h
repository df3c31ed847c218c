// Random programs through random pipelines, with everything that can be checked as the judge.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "relayopt/check/program_generator.h"
#include "relayopt/pass/pass_context.h"

namespace relayopt {

struct FuzzOptions {
  ProgramOptions program;
  // The pipeline of every program, as text for --passes; when empty passes are drawn.
  std::string pipeline;
  // Pipelines that each program goes through, one by one.
  int pipelines = 1;
  // The most passes that are drawn for a pipeline.
  int max_passes = 6;
  // A wrong rule (PlantedFault::name) that runs before the pass that the reference has it in, wherever that pass is
  // drawn.
  std::string planted_fault;
  // Texts of modules of Relay, and TVMScript. When there are any, programs are these, and then mutations of these
  // (MutateProgram), instead of being made of nothing; kinds of which there are none are not made.
  std::vector<std::string> corpus;
  std::vector<std::string> script_corpus;
  // Which kinds of programs are made where neither the pipeline nor the fault tells.
  bool relay_programs = true;
  bool tensor_programs = true;
  // Sees all passes; may be null.
  InstrumentRef watcher;
  // Of evaluation. Random programs rarely need a thousand, or run for ever.
  uint64_t max_steps = 100'000;
  // All runs are strict; otherwise some are. In a strict context every pass must keep every bit, on edge values too.
  bool strict_fp = false;
};

// A program on which something went wrong.
struct FuzzFailure {
  uint64_t seed = 0;
  // The program and the passes, as text.
  std::string program;
  std::string pipeline;
  bool strict_fp = false;
  // What is wrong, in a line, and details below it.
  std::string what;
};

// What came of one program.
struct FuzzRun {
  // Ends the program.
  std::optional<FuzzFailure> failure;
  // Pipelines that it was run through.
  size_t pipelines = 0;
  // Those of them that a pass ended by refusing its input with a diagnostic of its own, by the id of the diagnostic.
  std::map<std::string, size_t> refused;
  // How often each pass that changes things ran, by name, and how often it changed the program.
  struct PassRuns {
    size_t runs = 0;
    size_t changed = 0;
  };
  std::map<std::string, PassRuns> passes;
  // Passes after which the program was evaluated and gave what it gave before.
  size_t validated = 0;
  // Why passes that changed the program were not validated, with how many.
  std::map<std::string, size_t> not_validated;
  // The same of tensor programs: a pass that refuses one does not end its pipeline.
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

// Generates the program of `seed` and judges it: it must be well-typed; its text must be read back and print as the
// same bytes, before and after the passes; the verifier and inference must be content after every pass, and the program
// must compute what it computed before it; the passes must give the same bytes again when they start from the text.
auto FuzzOnce(uint64_t seed, const FuzzOptions& options) -> FuzzRun;

}  // namespace relayopt
