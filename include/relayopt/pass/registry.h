// Passes by name.
#pragma once

#include <array>
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
  // Where `$name` stands, the value of a parameter goes.
  std::string_view text;
  std::string_view doc;
  // Parameters that may be given besides, `default<tir.build;target=cuda>`; a parameter that is not has the value here.
  struct Parameter {
    std::string_view name;
    std::string_view value;
  };
  std::span<const Parameter> parameters = {};
};

// Texts of pipelines one after the other, for rows that share parts.
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
// The debug counter that the pass has without declaring one: its rewrites (RewriteGate).
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
