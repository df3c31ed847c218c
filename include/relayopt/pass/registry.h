// Passes by name.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "relayopt/pass/pass.h"

namespace relayopt {

// A pipeline that has a name and a level, such as `default<O2>`.
struct NamedPipeline {
  // What stands between the angle brackets, `O2`.
  std::string_view name;
  // The level of the context in which it runs.
  int opt_level;
  std::string_view text;
  std::string_view doc;
};

// Makes a list of passes and pipelines known, whose names must be new: RegisterAllPasses of
// relayopt/relay/transforms/all_passes.h does that for those of Relay. The arrays must live for ever; a list that is
// known already is not added again.
void RegisterPasses(std::span<const PassDef* const> passes, std::span<const NamedPipeline> pipelines = {});
// Adds a pass of a plugin; the row must live for ever. False when its name is taken.
auto RegisterPass(const PassDef& def) -> bool;

// All rows, sorted by name.
auto AllPasses() -> std::vector<const PassDef*>;
// In the order in which they were registered.
auto NamedPipelines() -> std::vector<const NamedPipeline*>;

// The pass of this name, or null. Accepts what the reference accepts (`FoldConstant`, `relay._transform.FoldConstant`,
// `transform.X`), info names (`InlineGlobals`), aliases, and kebab case (`fold-constant`).
auto FindPass(std::string_view name) -> const PassDef*;
// The debug counter that the pass has without declaring one: its rewrites (RewriteDoor).
auto RewritesOf(const PassDef& def) -> const Statistic&;
// Names near to `name`, for messages: " (did you mean 'FoldConstant'?)" or nothing.
auto DidYouMeanPass(std::string_view name) -> std::string;

// `FoldConstant` as `fold-constant`.
auto KebabCase(std::string_view name) -> std::string;

// Makes a pass. Options that are not given have their defaults.
auto CreatePass(const PassDef& def, const PassOptions& options) -> Result<PassRef>;
auto CreatePass(const PassDef& def) -> Result<PassRef>;
auto GetPass(std::string_view name, std::initializer_list<std::pair<std::string_view, OptionValue>> options = {})
    -> Result<PassRef>;

}  // namespace relayopt
