// What --bisect and --reduce look for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options.h"
#include "relayopt/check/property.h"
#include "reporter.h"
#include "setup.h"

namespace relayopt {

// `validate`, `crash`, `verify`, `diag:REGEX` (a message), `output:REGEX` (a line of the text of the module),
// `outputs:FILE` (results of @main) or `cmd:PROGRAM`.
struct PropertyText {
  Property::Kind kind = Property::Kind::kValidate;
  bool is_program = false;
  bool is_outputs = false;
  // The expression, the file or the program.
  std::string argument = {};
};

auto ParseProperty(std::string_view text) -> std::optional<PropertyText>;

// The fault, as the predicate of a sentence about the guilty pass.
auto TroubleOf(const PropertyText& property) -> std::string;

// Returns an error message for a property, or an empty text.
auto CheckProperty(std::string_view text) -> std::string;

// Everything that is needed to judge the property, with the passes in the context of the run. Programs are asked about
// the module after passes: `PROGRAM FILE PASS` ends with 0 when it is good, with 125 if it cannot decide, and with
// another number below 125 when it is bad.
auto MakeJudgeOptions(const PropertyText& property, const ToolOptions& options, const Setup& setup,
                      const std::vector<BoundExtent>& known_extents, Reporter& reporter) -> JudgeOptions;

// Returns the tool with those of the options that decide what passes do and how results are compared, as a command for
// a shell. Pipeline and input are left to the caller.
auto CommandWith(const ToolOptions& options, const PropertyText& property) -> std::string;
// Returns those of the options that affect how the input is read, each with a space before it.
auto ReadingArguments(const ToolOptions& options, const PropertyText& property) -> std::string;

}  // namespace relayopt
