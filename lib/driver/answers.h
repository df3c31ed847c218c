// The answers of a run: what it can print instead of the module. Each is a file with its options, its flags, and the
// function that makes it, and a row in answers.def.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flags.h"
#include "options.h"
#include "relayopt/convert/format.h"
#include "relayopt/module/module.h"
#include "relayopt/pass/pass_context.h"
#include "relayopt/relay/eval/inputs.h"
#include "reporter.h"

namespace relayopt {

struct Setup;

// A run whose passes have ended, as an answer sees it.
struct AnsweredRun {
  const Module& module;
  // The module before the passes; null unless the answer keeps it.
  const Module* input;
  const ToolOptions& options;
  const Setup& setup;
  // InputOptions::known_extents.
  const std::vector<BoundExtent>& known_extents;
  // What was read.
  const ImportedModule& imported;
  Reporter& reporter;
};

struct AnswerText {
  std::string text;
  // Otherwise the exit status is 3.
  bool agrees = true;
};

// The roles of the flags of an answer determine what they exclude.
struct AnswerDef {
  // Its flags; the first asks for it.
  std::span<const FlagDef> flags;
  // Makes it from the module after the passes. Returns nullopt after an error, which is reported.
  auto(*make)(const AnsweredRun& run) -> std::optional<AnswerText> = nullptr;
  // For searches, which run passes themselves, instead of `make`; returns the exit status.
  auto(*search)(const Module& module, const ToolOptions& options, const Setup& setup,
                const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int = nullptr;
  // For answers about a file that need not be a valid module, instead of `make`; nullopt after an error.
  auto(*describe)(const std::shared_ptr<const SourceText>& source, const ToolOptions& options, Reporter& reporter)
      -> std::optional<std::string> = nullptr;
  // For answers without an input, instead of `make`; returns the exit status.
  auto(*alone)(const ToolOptions& options, Reporter& reporter) -> int = nullptr;
  // An instrument that watches the passes; Setup::watcher holds it.
  auto(*instrument)() -> std::shared_ptr<PassInstrument> = nullptr;
  // Whether it evaluates @main, so that extents that its parameters declare must be remembered, and whether it compares
  // results.
  bool evaluates = false;
  bool compares = false;
  bool keeps_input = false;
  // Whether it reads another module, to which flags about reading may apply.
  bool reads_other = false;
  // Whether origins of expressions, or all modules between passes, are recorded for it.
  bool tracks_origins = false;
  bool records_runs = false;
  // The flag of an answer that says what a search looks for, when both are given.
  std::string_view judged_by{};
  // Whether each part of a split input gets one.
  bool of_parts = false;
  // Whether -o FILE still receives the module while the answer goes to standard output.
  bool beside_module = false;

  auto flag() const -> const FlagDef& { return flags.front(); }
};

#define RELAYOPT_ANSWER(name) extern const AnswerDef k##name##Answer;
#include "answers.def"

auto Answers() -> std::span<const AnswerDef* const>;

// Tables of flags that belong to no answer, but to the evaluation of programs or to a format.
auto FlagTables() -> std::span<const std::span<const FlagDef>>;

// Returns the answer of a flag, or null if there is none.
auto FindAnswer(std::string_view flag) -> const AnswerDef*;

// Returns the answer that the options ask for, or null if the module is printed.
auto WantedAnswer(const ToolOptions& options) -> const AnswerDef*;

}  // namespace relayopt
