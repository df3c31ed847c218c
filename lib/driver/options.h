// What the command line asks for; names of passes and values are not checked yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayopt {

struct ToolOptions {
  // `-`: standard input.
  std::string input = "-";
  // All inputs; several only with --out-dir.
  std::vector<std::string> input_files = {};
  // One member for each option; flags.def describes them.
#define RELAYOPT_FLAG(type, member, initial, ...) type member = initial;
#include "flags.def"
};

// Reads the command line: RELAYOPT_OPTIONS first, `@FILE` replaced with the words in the file, one dash for two
// accepted, what other tools call our options renamed. Answers to --help, --print-options and --completion are printed.
// A number is an exit status: there was an answer, or an error, which was reported.
// Whether the command line names a file as something to read.
auto IsRead(const ToolOptions& options, const std::string& path) -> bool;

auto ParseCommandLine(int argc, char** argv, ToolOptions& options) -> std::optional<int>;

}  // namespace relayopt
