// Options of other tools: the words of relayopt that some of them stand for, and what to write instead of others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayopt {

// An option of another tool that stands for words of relayopt.
struct SpellingDef {
  // Without dashes and without the prefix `mlir-`.
  std::string_view name;
  // Separated by spaces; `{}` is the value. No words: what the option asks for is done anyhow.
  std::string_view words;
  // Whether it only takes integers; another row may take other values.
  bool is_number = false;
  // Whether it takes a value that relayopt ignores.
  bool ignores_value = false;
};

// Returns the row for an option with this value, or with the next word as its value if it is nullopt; null if there is
// none.
auto FindSpelling(std::string_view name, std::optional<std::string_view> value) -> const SpellingDef*;
auto TakesValue(const SpellingDef& spelling) -> bool;
auto WordsOf(const SpellingDef& spelling, std::string_view value) -> std::vector<std::string>;

// Returns a pass that is written as an option, `FuseOps` or `fuse-ops=fuse_opt_level=1`, as an element of a pipeline;
// nullopt if there is no such pass.
auto PassElement(std::string_view name, std::optional<std::string_view> options) -> std::optional<std::string>;

// Returns what to write instead of an option, or an empty text if nothing is known about it.
auto SpellingHint(std::string_view name) -> std::string_view;

}  // namespace relayopt
