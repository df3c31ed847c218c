// Options that answer something instead of printing the module.
#include "answers.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace relayopt {

auto CheckAnswers(const ToolOptions& options) -> std::optional<std::string> {
  // A flag that asks for an answer instead of a module. Flags of the same group can be combined.
  struct Answer {
    std::string_view flag;
    int group;
    bool is_given;
  };
  const Answer answers[] = {
      {"--run", 0, options.run},
      {"--summary", 1, !options.summary.empty()},
      {"--overview", 2, options.overview},
      {"--diff", 3, !options.diff.empty()},
      {"--equiv", 3, !options.equiv.empty()},
      {"--compare-outputs", 3, !options.compare_outputs.empty()},
      {"--emit-checks", 4, !options.emit_checks.empty()},
  };
  const Answer* first = nullptr;
  for (const Answer& answer : answers) {
    if (!answer.is_given) continue;
    if (first != nullptr && first->group != answer.group) {
      return fmt::format("{} and {} both answer instead of printing the module: one at a time", first->flag,
                         answer.flag);
    }
    if (first == nullptr) first = &answer;
    const bool is_about_one = answer.group >= 1 && answer.group <= 3;
    if (is_about_one && options.split_input_file) {
      return fmt::format("{} is about one module: not with --split-input-file", answer.flag);
    }
  }
  if (options.write_params.empty()) return std::nullopt;
  // A summary leaves the module to -o.
  const bool has_text = first == nullptr || (!options.summary.empty() && options.output != "-");
  if (!has_text) return fmt::format("--write-params belongs to the text of the module, which {} replaces", first->flag);
  if (options.split_input_file) return "--write-params is about one module: not with --split-input-file";
  if (!options.emit.empty() && options.emit != "text")
    return fmt::format("--write-params belongs to text: not with --emit={}", options.emit);
  return std::nullopt;
}

}  // namespace relayopt
