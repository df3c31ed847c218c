// The entry points of the tool.
#pragma once

namespace relayopt {

// Exit statuses.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
// A semantic check failed: --run-twice.
inline constexpr int kCheckFailed = 3;
// The exit status when the reader of the output has closed it.
inline constexpr int kClosedPipe = 74;

struct ToolOptions;
class Reporter;

// Runs the pipeline over the module in options.input; the exit status.
auto RunInput(const ToolOptions& options, Reporter& reporter) -> int;

// Returns the whole run, from the command line to the exit status.
auto RunTool(int argc, char** argv) -> int;

}  // namespace relayopt
