// The options of the command line; names of passes and values are not checked yet.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "relayopt/support/option_set.h"

namespace relayopt {

struct FlagDef;

struct ToolOptions {
  // `-`: standard input.
  std::string input = "-";
  // All inputs; several only with --out-dir.
  std::vector<std::string> input_files = {};
  // The flags that the command line itself gives, and not only RELAYOPT_OPTIONS.
  std::vector<const FlagDef*> typed = {};
  // The options of answers and formats; only their own files read them.
  OptionSet of_owners = {};
  // One member for each option of every run; flags.def describes them.
#define RELAYOPT_FLAG(type, member, initial, ...) type member = initial;
#include "flags.def"
};

// Returns the flag whose value is this file, which the run reads or writes, or null. The input has no flag.
auto FlagOfFile(const ToolOptions& options, const std::string& path) -> const FlagDef*;

// Whether a file is read according to the command line.
auto IsRead(const ToolOptions& options, const std::string& path) -> bool;

// Parses the words, the options of RELAYOPT_OPTIONS before them. Returns the first error.
auto ParseWords(std::span<char* const> words, ToolOptions& options) -> std::optional<std::string>;

// Parses the command line, and answers --help, --print-options and --completion. Returns an exit status if there was an
// answer or an error, which was reported.
auto ParseCommandLine(int argc, char** argv, ToolOptions& options) -> std::optional<int>;

}  // namespace relayopt
