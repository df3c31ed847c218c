// The answers of a run: what it can print instead of the module, a row each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "options.h"
#include "relayopt/convert/onnx/onnx.h"
#include "relayopt/module/module.h"
#include "relayopt/relay/eval/inputs.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

// A run whose passes have ended, as an answer sees it.
struct AnsweredRun {
  const Module& module;
  // The module before the passes; null unless the row keeps it.
  const Module* input;
  const ToolOptions& options;
  const Setup& setup;
  // InputOptions::known_extents.
  const std::vector<BoundExtent>& known_extents;
  // The ONNX model that was read, or null.
  const OnnxModule* model;
  Reporter& reporter;
};

struct AnswerText {
  std::string text;
  // Otherwise the exit status is 3.
  bool agrees = true;
};

// To add an answer, write a function that makes it, a row here, and a row in flags.def with the role kAnswer. What it
// excludes follows from the roles.
struct AnswerDef {
  // Its flag.
  std::string_view flag;
  // Returns nullopt after an error, which is reported.
  auto(*make)(const AnsweredRun& run) -> std::optional<AnswerText> = nullptr;
  // For searches, which run passes themselves, instead of `make`; returns the exit status.
  auto(*search)(const Module& module, const ToolOptions& options, const Setup& setup,
                const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> int = nullptr;
  // Whether it evaluates @main, so that extents that its parameters declare must be remembered.
  bool evaluates = false;
  bool keeps_input = false;
  // An answer that says what a search looks for, when both are given.
  std::string_view judged_by{};
  // Whether each part of a split input gets one.
  bool of_parts = false;
  // Whether -o FILE receives the module all the same, and standard output the answer.
  bool beside_module = false;
};

auto Answers() -> std::span<const AnswerDef>;

// Returns the row of a flag, or null if there is none.
auto FindAnswer(std::string_view flag) -> const AnswerDef*;

// Returns the answer that the options ask for, or null if the module is printed.
auto WantedAnswer(const ToolOptions& options) -> const AnswerDef*;

}  // namespace relayopt
