// The options of the command line as data. Rows of what every run needs are in flags.def, those of an answer or a
// format in its own file (answers.def). To add an option, add a row, and read its member where it matters.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "options.h"
#include "relayopt/support/member.h"

namespace relayopt {

// The groups of options, in the order of help, with the names that --help=GROUP accepts.
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

// The kind of a value. Completion depends on it, and files that are written are protected.
enum class FlagKind : uint8_t {
  kText,
  // A file or a folder that is read.
  kFile,
  // A file or a folder that is written. It is given as `--flag=FILE` only, so that the flag never takes an input for
  // its value, and a file that the run reads is refused.
  kOutFile,
  kOutFolder,
  // The file of -o. Its name may be the next word, and it may be the input itself, which is replaced as a whole on
  // success.
  kResultFile,
  kPass,
  // A pipeline.
  kPasses,
  kOperator,
};

// The role of a flag, which determines what it excludes.
enum class FlagRole : uint8_t {
  kPlain,
  // Requests an answer instead of the module (answers.h); one at a time.
  kAnswer,
  // An answer for which parts of the pipeline run again and again.
  kSearch,
  // Concerns one run of the pipeline: searches ignore it.
  kOneRun,
  // Concerns the text or the file of the module, which an answer replaces.
  kModuleText,
  // Prints information that needs no input.
  kList,
};

// The effect of a flag on a repeated run.
enum class FlagEffect : uint8_t {
  // Every row states its effect.
  kUnstated,
  // Nothing of the module that the passes make depends on it, or a reproducer holds it otherwise (the pipeline, the
  // module as it was read).
  kNone,
  // It changes what passes do: every reproducer keeps it.
  kResult,
  // Which passes run, or which of their rewrites: reproducers of a whole run keep it.
  kChoice,
};

// The place of a value in options: its type says how the value is written.
template <template <typename> typename P>
using FlagPlace =
    std::variant<P<bool>, P<int64_t>, P<uint64_t>, P<double>, P<std::optional<int64_t>>, P<std::optional<uint64_t>>,
                 P<std::optional<double>>, P<std::string>, P<std::vector<std::string>>>;
template <typename T>
using Pointer = T*;
template <typename T>
using ConstPointer = const T*;

struct FlagDef {
  // The location of the value; RELAYOPT_FIELD gives both.
  FlagPlace<Pointer> (*edit)(ToolOptions& options) = nullptr;
  FlagPlace<ConstPointer> (*read)(const ToolOptions& options) = nullptr;
  // Without dashes; empty if there is a letter only.
  std::string_view name{};
  char letter = 0;
  FlagGroup group{};
  // The name of the value in help; empty for switches. Contains no brackets, because help texts are derived from it.
  std::string_view value{};
  FlagKind kind = FlagKind::kText;
  // The separator between the elements of a list in one value; 0: each value is one element.
  char separator = 0;
  std::string_view help{};
  // The allowed values, separated by spaces; empty: any.
  std::string_view words{};
  // The allowed words, if another table defines them.
  std::vector<std::string_view> (*choices)() = nullptr;
  // The value of the flag when none is given. Such a flag takes a value only in the form `--flag=VALUE`.
  std::string_view bare{};
  // The names in opt, mlir-opt and tvmc, separated by spaces. (A prefix `mlir-` is dropped from any name.)
  std::string_view synonyms{};
  // Bounds of a number.
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
  // Checks a value; returns the fault, or an empty text.
  std::string (*check)(std::string_view value) = nullptr;
  bool may_be_empty = false;
  // Whether the value may follow the letter at once, as in `-O3`.
  bool value_may_follow = false;
  // Without one of the former flags, or with one of the latter, it has no effect; names separated by spaces. Both are
  // errors on the command line; RELAYOPT_OPTIONS may hold flags that only some runs heed. `evaluation` stands for
  // --validate and all answers that evaluate @main, `comparison` for those that compare its results.
  std::string_view needs{};
  std::string_view excludes{};
  // Whether only --help=GROUP shows it.
  bool rare = false;
  FlagRole role = FlagRole::kPlain;
  // The names of the formats that use the flag when they are read or written, separated by spaces; empty: any.
  std::string_view reads_format{};
  std::string_view writes_format{};
  FlagEffect effect = FlagEffect::kUnstated;
};

// The names that rows use.
namespace flag_rows {
using enum FlagGroup;
using enum FlagKind;
using enum FlagEffect;
using enum FlagRole;
}  // namespace flag_rows

// Returns where the member of an owner's options is.
template <auto kMember>
auto EditField(ToolOptions& options) -> FlagPlace<Pointer> {
  using Owner = MemberClass<kMember>;
  if constexpr (std::is_same_v<Owner, ToolOptions>) {
    return &(options.*kMember);
  } else {
    return &(options.of_owners.Edit<Owner>().*kMember);
  }
}
template <auto kMember>
auto ReadField(const ToolOptions& options) -> FlagPlace<ConstPointer> {
  using Owner = MemberClass<kMember>;
  if constexpr (std::is_same_v<Owner, ToolOptions>) {
    return &(options.*kMember);
  } else {
    return &(options.of_owners.Get<Owner>().*kMember);
  }
}
// The member in which a row keeps its value: `RELAYOPT_FIELD(SummaryOptions::form)`.
#define RELAYOPT_FIELD(field) .edit = EditField<&field>, .read = ReadField<&field>

// Returns a table of rows as a span, if each of them states its effect.
template <size_t kSize>
consteval auto FlagRows(const FlagDef (&rows)[kSize]) -> std::span<const FlagDef> {
  for (const FlagDef& row : rows) {
    if (row.effect == FlagEffect::kUnstated) throw "a row does not state its effect";
  }
  return rows;
}

// Returns the rows of flags.def, and those of answers and formats (answers.def), in the order of help.
auto FlagPointers() -> std::span<const FlagDef* const>;
inline auto AllFlags() {
  return FlagPointers() | std::views::transform([](const FlagDef* flag) -> const FlagDef& { return *flag; });
}

// Returns the row of a name without dashes, or a synonym, with or without the prefix `mlir-`, or null if there is none.
auto FindFlag(std::string_view name) -> const FlagDef*;
auto FindFlag(char letter) -> const FlagDef*;

// Whether the command line itself gives the flag, and not only RELAYOPT_OPTIONS.
auto IsTyped(const FlagDef& flag, const ToolOptions& options) -> bool;

// Whether the flag needs no value.
auto IsSwitch(const FlagDef& flag) -> bool;
// Whether a value must be attached, as in `--flag=VALUE`.
auto NeedsAttachedValue(const FlagDef& flag) -> bool;
// Whether the flag names a file or a folder that is written.
auto IsWritten(const FlagDef& flag) -> bool;

// As people write it: `--output`, `-O`.
auto ShownName(const FlagDef& flag) -> std::string;

// Returns the values of a flag, one for each time that it must be given, or none if it has its default.
auto FlagValues(const FlagDef& flag, const ToolOptions& options) -> std::vector<std::string>;

// Returns the default as help shows it, or empty if there is none to show.
auto DefaultText(const FlagDef& flag) -> std::string;

// Returns the flags that differ from their defaults and that `keeps` takes, as words of a command line, quoted for a
// shell, each with a space before it.
auto FlagArguments(const ToolOptions& options, bool (*keeps)(const FlagDef&)) -> std::string;

// Returns a word as a shell reads it.
auto Quoted(std::string_view word) -> std::string;

// Returns the flags of which one is needed.
auto NeedsOf(const FlagDef& flag) -> std::vector<std::string_view>;

// Returns the values that a flag accepts; empty: any.
auto WordsOf(const FlagDef& flag) -> std::vector<std::string_view>;

// A group of options: its name for --help=GROUP, and its title.
struct FlagGroupDef {
  FlagGroup group;
  std::string_view name;
  std::string_view title;
};
auto FlagGroups() -> std::span<const FlagGroupDef>;
auto TitleOf(FlagGroup group) -> std::string_view;

}  // namespace relayopt
