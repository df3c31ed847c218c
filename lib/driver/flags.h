// The options of the command line as data. Their rows are in flags.def; whoever adds an option adds a row there, and
// reads its member of ToolOptions where it matters.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "options.h"

namespace relayopt {

// What --help=GROUP calls them, in the order of help.
enum class FlagGroup : uint8_t {
  kInput,
  kPipeline,
  kPrinting,
  kMessages,
  kChecks,
  kReports,
  kDebugging,
  kEvaluation,
  kOnnx,
  kHelp,
};

// What a value stands for: completion offers it, and files that are written are guarded.
enum class FlagKind : uint8_t {
  kText,
  // A file or a folder that is read.
  kFile,
  // A file or a folder that is written. It is given as `--flag=FILE` only, so that the flag never takes an input for
  // its value, and a file that the run reads is refused.
  kOutFile,
  kOutFolder,
  // That of -o, which may be the next word, and the input itself: it is replaced as a whole when all went well.
  kResultFile,
  kPass,
  // A pipeline.
  kPasses,
  kOperator,
};

// What a run again needs to show the same.
enum class FlagEffect : uint8_t {
  // Nothing of the module that the passes make depends on it, or a reproducer holds it otherwise (the pipeline, the
  // module as it was read).
  kNone,
  // What a pass does depends on it: every reproducer keeps it.
  kResult,
  // Which passes run, or which of their rewrites: reproducers of a whole run keep it.
  kChoice,
};

using FlagMember = std::variant<bool ToolOptions::*, int64_t ToolOptions::*, uint64_t ToolOptions::*,
                                double ToolOptions::*, std::optional<int64_t> ToolOptions::*,
                                std::optional<uint64_t> ToolOptions::*, std::optional<double> ToolOptions::*,
                                std::string ToolOptions::*, std::vector<std::string> ToolOptions::*>;

struct FlagDef {
  FlagMember member;
  // Without dashes; empty when there is a letter only.
  std::string_view name{};
  char letter = 0;
  FlagGroup group{};
  // What help calls the value; empty for switches. Words of help follow from it, so no brackets.
  std::string_view value{};
  FlagKind kind = FlagKind::kText;
  // What separates the elements of a list in one value; 0: each value is one element.
  char separator = 0;
  std::string_view help{};
  // The values that there are, separated by spaces; empty: any.
  std::string_view words{};
  // The same, where they are rows of another table.
  std::vector<std::string_view> (*choices)() = nullptr;
  // What the flag means without a value. Such a flag takes a value only as `--flag=VALUE`.
  std::string_view bare{};
  // What opt, mlir-opt and tvmc call it, separated by spaces. (A prefix `mlir-` is dropped from any name.)
  std::string_view synonyms{};
  // Bounds of a number.
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
  // What is wrong with a value; empty: nothing.
  std::string (*check)(std::string_view value) = nullptr;
  bool may_be_empty = false;
  // Without one of these flags it would have no effect, and beside one of those neither; names separated by spaces.
  // Both are errors on the command line; RELAYOPT_OPTIONS may hold flags that only some runs heed.
  std::string_view needs{};
  std::string_view excludes{};
  // Only --help=GROUP shows it.
  bool rare = false;
  FlagEffect effect = FlagEffect::kNone;
};

// All rows, in the order of help.
auto AllFlags() -> std::span<const FlagDef>;

// The row of a name without dashes, or a synonym, with or without the prefix `mlir-`; null when there is none.
auto FindFlag(std::string_view name) -> const FlagDef*;
auto FindFlag(char letter) -> const FlagDef*;

// Whether the flag needs no value.
auto IsSwitch(const FlagDef& flag) -> bool;
// Whether a value must be attached, as in `--flag=VALUE`.
auto NeedsAttachedValue(const FlagDef& flag) -> bool;
// Whether the flag names a file or a folder that is written.
auto IsWritten(const FlagDef& flag) -> bool;

// As people write it: `--output`, `-O`.
auto ShownName(const FlagDef& flag) -> std::string;

// Gives the flag a value; lists grow. What is wrong with the value otherwise, as a sentence that begins with the flag.
auto SetFlag(const FlagDef& flag, std::string_view value, ToolOptions& options) -> std::optional<std::string>;

// The values of a flag, one for each time that it must be given; none when it has its default.
auto FlagValues(const FlagDef& flag, const ToolOptions& options) -> std::vector<std::string>;

// The default as help shows it; empty when there is nothing to tell.
auto DefaultText(const FlagDef& flag) -> std::string;

// The flags that differ from their defaults and that `keeps` takes, as words of a command line, quoted for a shell,
// each with a space before it.
auto FlagArguments(const ToolOptions& options, bool (*keeps)(const FlagDef&)) -> std::string;

// A word as a shell reads it.
auto Quoted(std::string_view word) -> std::string;

// The values that a flag accepts; empty: any.
auto WordsOf(const FlagDef& flag) -> std::vector<std::string_view>;

// The elements of `synonyms`.
auto SplitRow(std::string_view text) -> std::vector<std::string_view>;

// What --help=GROUP calls a group, and its title.
struct FlagGroupDef {
  FlagGroup group;
  std::string_view name;
  std::string_view title;
};
auto FlagGroups() -> std::span<const FlagGroupDef>;

}  // namespace relayopt
