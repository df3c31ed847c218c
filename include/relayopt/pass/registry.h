// The registry: passes and named pipelines by name.
#pragma once

#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/pass/pass.h"

namespace relayopt {

// A named pipeline with an optimization level, such as `default<O2>`.
struct NamedPipeline {
  // The text between the angle brackets: `O2`.
  std::string_view name;
  // The optimization level of the context in which it runs.
  int opt_level;
  // The pipeline. `$name` stands for the value of the parameter `name`.
  std::string_view text;
  std::string_view doc;
  // A parameter of the pipeline, as in `default<tir.build;target=cuda>`, with its default.
  struct Parameter {
    std::string_view name;
    std::string_view value;
  };
  std::span<const Parameter> parameters = {};
};

// Concatenates texts of pipelines, for rows that share parts.
template <const std::string_view&... kParts>
struct JoinText {
  static constexpr auto kText = [] {
    std::array<char, (kParts.size() + ...)> text{};
    size_t at = 0;
    for (const std::string_view part : {kParts...}) {
      for (const char c : part) text[at++] = c;
    }
    return text;
  }();
  static constexpr std::string_view value{kText.data(), kText.size()};
};

// A pass of TVM that is not offered under its name, and what to do instead: "it is a part of tir.X".
struct AbsentPass {
  std::string_view name;
  std::string_view instead;
};

// Registers a list of passes and pipelines, whose names must be new. RegisterAllPasses
// (relayopt/relay/transforms/all_passes.h) does that for Relay. The arrays must have static storage duration.
// Registering a list again does nothing.
void RegisterPasses(std::span<const PassDef* const> passes, std::span<const NamedPipeline> pipelines = {},
                    std::span<const AbsentPass> absent = {});
// Registers a pass of a plugin; the row must have static storage duration. Returns false if its name is taken.
auto RegisterPass(const PassDef& def) -> bool;

// Returns all rows, sorted by name.
auto AllPasses() -> std::vector<const PassDef*>;
// Returns all named pipelines in the order of registration.
auto NamedPipelines() -> std::vector<const NamedPipeline*>;

// Returns the pass with this name, or null. Accepted are TVM's names (`FoldConstant`,
// `relay._transform.FoldConstant`, `transform.X`), info names (`InlineGlobals`), aliases, and kebab case
// (`fold-constant`).
auto FindPass(std::string_view name) -> const PassDef*;
// Returns the debug counter that every pass has for its rewrites without declaring it (RewriteGate).
auto RewritesOf(const PassDef& def) -> const Statistic&;
// For messages about an unknown pass: " (did you mean 'FoldConstant'?)", or ": " and what to do instead of a pass of
// TVM that is absent; returns nothing if no name is near.
auto DidYouMeanPass(std::string_view name) -> std::string;

// Converts `FoldConstant` to `fold-constant`.
auto KebabCase(std::string_view name) -> std::string;

// Makes a pass with these options.
auto CreatePass(const PassDef& def, const PassOptions& options) -> Result<PassRef>;
auto CreatePass(const PassDef& def) -> Result<PassRef>;
auto GetPass(std::string_view name, std::initializer_list<std::pair<std::string_view, OptionValue>> options = {})
    -> Result<PassRef>;

}  // namespace relayopt
